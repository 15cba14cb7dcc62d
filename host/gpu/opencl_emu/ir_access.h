/* Instructions of LLVM IR as text: operands, and accesses to vectors. */
#ifndef PMPP_HOST_GPU_OPENCL_EMU_IR_ACCESS_H
#define PMPP_HOST_GPU_OPENCL_EMU_IR_ACCESS_H

#include "host/gpu/opencl_emu/ir_text.h"

#define IR_MAX_ELEMENTS 16 /* of a vector */

/* A vector access: "  %result = load <count x type>, pointer, align n" or "  store <count x type>
 * value, pointer, align n". */
struct access {
	bool store;
	struct part vector, type; /* "<4 x float>", "float" */
	struct part value;        /* of the store, or the result of the load */
	struct part pointer;      /* type and value: "<4 x float>* %8" or "ptr %8" */
	unsigned count, bytes, align;
};

bool part_same(struct part a, struct part b);

/* Whether a value is a local name, "%12". */
bool part_is_name(struct part value);

/* Length of the local name at the start of a text. */
size_t part_name_length(const char *at, const char *end);

/* Takes a text at the start of *rest, up to a comma that is in no brackets, and the comma. */
struct part part_take(struct part *rest);

/* The value of an operand: the last word of "<4 x float> %2". */
struct part part_value(struct part operand);

/* "  %3 = insertelement <4 x float> ...": the operands, if the operation is `word`. */
bool part_operands(struct part line, const char *word, struct part *ret_operands);

/* Reads "<4 x float>" at the start of a text into `vector`, `type`, `count` and `bytes`. Returns false
 * for other types. */
bool ir_vector_type(struct part text, struct access *ret_access);

/* Reads a load or a store of a vector. Returns false for other lines, and for volatile accesses. */
bool ir_read_access(struct part line, struct access *ret_access);

/* The mask of a shuffle: for each element of the result the number of an element of the operands;
 * -1: any. Returns the number of elements; 0: not known. */
unsigned ir_read_mask(struct part operand, int ret_mask[IR_MAX_ELEMENTS]);

#endif
