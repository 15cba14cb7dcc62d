/*
 * Instructions of PTX texts, counted by opcode.
 *
 * PTX is the text that NVIDIA's compilers make of a kernel before the assembler allots registers
 * ("Parallel Thread Execution ISA", NVIDIA). Counts are of instructions as written, once each,
 * however often they run.
 */
#ifndef PMPP_COMMON_PTX_H
#define PMPP_COMMON_PTX_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>

#define PTX_NAME_BYTES 40

/*
 * name: the opcode less what says little. Loads, stores and atomics keep the memory they touch,
 * their vector's width and whether they take the read-only path: "ld.shared.v4", "ld.global.nc",
 * "atom.global"; arithmetic keeps a floating-point type: "fma.f32", but "add" for all integers.
 */
struct ptx_count {
	char name[PTX_NAME_BYTES];
	unsigned count[2]; /* in the first, in the second text */
};

/* Zero-initialise. */
struct ptx_table {
	struct ptx_count *rows; /* owned; by name once both texts are counted */
	size_t count;
	unsigned total[2];
};

/* Whether text is PTX: it has a .version and a .target. */
bool ptx_is(const char *text);

/* Adds the instructions of text to count[side] (0 or 1): those of the kernels named and of every
 * function that is no kernel; of all kernels where entry_count is 0. Rows stay sorted by name. */
enum pmpp_status ptx_count(const char *text, const char *const *entries, size_t entry_count,
	int side, struct ptx_table *table, struct pmpp_error *error);

void ptx_table_finish(struct ptx_table *table);

#endif
