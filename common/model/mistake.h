/*
 * The mistake of a kernel of the user by name, with the line to look at.
 *
 * The evidence is the check sizes that pass and fail, the signs of the wrong outputs, and the defects of the
 * emulators. The code of the kernel gives the line. Some rules also need a pattern of the code. See docs/try.md.
 */
#ifndef PMPP_COMMON_MODEL_MISTAKE_H
#define PMPP_COMMON_MODEL_MISTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/model/trace.h"

/* ---- Evidence ------------------------------------------------------------------------------- */

/*
 * Signs of a wrong output. name, word in result files.
 *   NOT_FINITE        the wrong elements are NaN or infinite, and none is unwritten
 *   ENDS, EDGES       of a vector: the wrong elements are no further from its ends, or from the edges of blocks, than
 *                     half a window
 *   COPIED            the output is the input in its order in memory
 *   TILES_COPIED      each tile is in the place that it has in the input, or is not transposed itself
 *   INPUT_TRANSPOSED  the output is right for a transposed input
 *   STRIDE_TERMS      the terms t of each tile with a bit 2, 4, ... in t are missing
 *   ONE_VALUE         all wrong elements are equal
 *   OLD_OUTPUT        the output is right if it is 0 before the run
 * Terms are those of the sum over a dimension of the inputs.
 */
#define MISTAKE_SIGN_MAP(XX)                                            \
	XX(ALL, "all elements")                                         \
	XX(UNWRITTEN, "only unwritten elements")                        \
	XX(NOT_FINITE, "only elements that are not finite")             \
	XX(SOME_UNWRITTEN, "unwritten elements")                        \
	XX(ENDS, "only at the ends")                                    \
	XX(EDGES, "only at edges of blocks")                            \
	XX(TRANSPOSED, "transposed output")                             \
	XX(COPIED, "copied input")                                      \
	XX(TILES_COPIED, "transposed tiles")                            \
	XX(INPUT_TRANSPOSED, "transposed input")                        \
	XX(LAST_TERM, "last term missing")                              \
	XX(FIRST_TERM, "first term missing")                            \
	XX(HALF_TERMS, "second half of the terms missing")              \
	XX(TAIL_TERMS, "terms from a multiple of the block on missing") \
	XX(TILE_TERM, "last term of each tile missing")                 \
	XX(ODD_TERMS, "every second term missing")                      \
	XX(STRIDE_TERMS, "terms of a step of a reduction missing")      \
	XX(ONE_TERM, "only one term")                                   \
	XX(EXTRA_TERM, "one term too many")                             \
	XX(FACTOR, "constant factor")                                   \
	XX(ONE_VALUE, "one value")                                      \
	XX(OLD_OUTPUT, "old output")                                    \
	XX(UNSET, "uninitialised variable")                             \
	XX(ORDER, "differs with the order of the threads")              \
	XX(OUTSIDE, "writes outside its operands")

enum mistake_sign {
#define XX(name, word) MISTAKE_##name##_SIGN,
	MISTAKE_SIGN_MAP(XX)
#undef XX
	MISTAKE_SIGN_COUNT
};

/* By sign; ended by NULL. */
extern const char *const mistake_sign_words[MISTAKE_SIGN_COUNT + 1];

#define MISTAKE_DIMS 4

/* A check size. */
struct mistake_size {
	bool passed; /* else it failed, or was stopped by a defect */
	int64_t dim[MISTAKE_DIMS];
	int64_t rows, columns; /* of the output */
	int64_t elements;      /* of the largest operand */
	int64_t grid[3], block[3];
	unsigned signs;                /* bits of enum mistake_sign */
	int64_t from_row, from_column; /* as in symptoms_record; -1: not so */
	const char *kind;              /* of the data that the problem has; NULL: unknown */
	const char *data;              /* case of data; NULL: the problem's own */
	enum trace_defect_kind defect;
	int line, other_line; /* of the defect; 0: unknown */
	const char *text;     /* of the defect; "" */
};

/* What the code of the kernel has. */
enum code_kind {
	CODE_LOOP,     /* text: the header */
	CODE_BRANCH,   /* text: the condition of an `if` */
	CODE_BARRIER,  /* of the block */
	CODE_RETURN,   /* in a branch */
	CODE_OUTPUT,   /* an access to the output; text: the statement */
	CODE_INPUT,    /* an access to an input */
	CODE_SHARED,   /* an access to a shared array */
	CODE_ARRAY,    /* the declaration of a shared array */
	CODE_VARIABLE, /* the declaration of a variable, or of one with a number as first value */
	CODE_CONSTANT, /* a store of a number to a variable or a shared array */
	CODE_LAUNCH    /* the launch in the host code, or the comment with the grid */
};

struct code_item {
	enum code_kind kind;
	int line;
	int loop, branch; /* index + 1 of the innermost loop and `if` around it; 0: none */
	char name[32];
	char text[120];
	bool store, update,
		atomic; /* accesses: a store; one that adds to the element; one by an atomic operation */
	int64_t extent; /* arrays: the first extent, if it is a number or a macro; else 0 */
	/* Declarations and accesses with the index of a thread in a tile: elements from the tile of a block, or of a
	 * trip of a loop with a barrier, to the next (0: unknown); and the index of the first thread. */
	int64_t step, begin;
	bool unset, narrow; /* variables: without a first value; of 8 or 16 bits */
};

struct mistake_evidence {
	const struct mistake_size *sizes;
	size_t size_count;
	size_t dim_count;
	bool matrix; /* the sizes are extents of matrices, so that equal sizes hide exchanged ones */
	int window;  /* the size that is the width or radius of a window; -1: none */
	int64_t least_window; /* the least window that is more than one element */
	bool selects;         /* the problem is a maximum or a minimum, or contains one */
	int exit_line; /* a barrier that threads do not reach because they have returned; 0: none */
	const struct code_item *code;
	size_t code_count;
};

/* ---- The mistake ------------------------------------------------------------------------------ */

struct mistake {
	const char *name;     /* "missing barrier"; NULL: unknown, only the pattern is told */
	char text[240];       /* what shows it */
	int line, other_line; /* of the kernel's file; 0: none */
};

/* Returns false if no size failed, and no barrier is right by chance. */
bool mistake_find(const struct mistake_evidence *evidence, struct mistake *ret_mistake);

/* Returns what to change, without a full stop at the end: "put the barrier after the branch". "": no advice.
 * name: of the mistake; NULL is allowed. */
const char *mistake_advice(const char *name);

#endif
