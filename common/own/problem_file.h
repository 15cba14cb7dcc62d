/*
 * A problem of the user: one C file. Comments declare sizes, operands and data; the C function `reference` computes the
 * right answer (docs/problem-files.md). The file makes a family, so that all commands take it like one of the project.
 *
 * This part reads the text. common/own/problem_data.h makes the inputs. host/suite/problem_reference.h builds the
 * function and calls it.
 */
#ifndef PMPP_COMMON_OWN_PROBLEM_FILE_H
#define PMPP_COMMON_OWN_PROBLEM_FILE_H

#include "common/check_sizes.h"
#include "common/family.h"
#include "common/own/kernel.h"
#include "common/status.h"

#define OWN_PROBLEM_STRINGS 8192
#define OWN_MAX_SCALARS 4
#define OWN_REFERENCE "reference" /* the name of the function */

/* The elements of an input. */
enum own_data_kind {
	OWN_DATA_ANY,       /* as data_fill_random() */
	OWN_DATA_POSITIVE,  /* above 0 */
	OWN_DATA_INTEGERS,  /* small */
	OWN_DATA_BELOW,     /* integers from 0 to bound - 1 */
	OWN_DATA_ASCENDING, /* integers; the first is 0, the last is bound */
	OWN_DATA_COUNT
};

struct own_data {
	enum own_data_kind kind;
	const char *bound; /* an expression over the sizes; NULL: the kind has none */
};

enum own_reference_role {
	OWN_REFERENCE_OPERAND,
	OWN_REFERENCE_SIZE,
	OWN_REFERENCE_SCALAR
};

/* A parameter of the reference. */
struct own_reference_param {
	enum own_reference_role role;
	size_t index;     /* of the operand, size or scalar. In-place operands: of the output */
	enum dtype dtype; /* of the elements that the function gets; `real` is f64 */
};

struct own_problem {
	struct family family; /* its member `own` points to this struct */
	char *file;           /* the path as it was given */
	char *text;           /* of the file; owned, as the path */
	struct operand operands[PMPP_MAX_OPERANDS];
	struct own_data data[PMPP_MAX_OPERANDS];
	struct scalar scalars[OWN_MAX_SCALARS];
	struct own_reference_param params[PMPP_MAX_ARGS];
	size_t param_count; /* 0: the file has no function */
	struct check_rule check;
	struct check_size sizes[PMPP_MAX_CHECK_SIZES];
	enum dtype dtype; /* of the output */
	double tolerance; /* |got - want| <= tolerance * max(min(1, largest), |want|) */
	double timeout_s; /* limit of a kernel at one size; 0: no limit. The limit of the function is lower */
	struct problem_program *program; /* host/suite/problem_reference.h; owned by its user */
	char strings[OWN_PROBLEM_STRINGS];
	size_t strings_used;
};

/* Whether the name of a problem is the name of a file: it ends in ".c". */
bool own_problem_is_file(const char *name);

/* Reads the text of a file, which may have no function. problem_reference_build() sets the functions of the family.
 * PMPP_USAGE: the message has the line and what is wrong. The caller calls own_problem_destroy(). */
enum pmpp_status own_problem_read(const char *path, const char *text,
	struct own_problem **ret_problem, struct pmpp_error *error);
void own_problem_destroy(struct own_problem *problem); /* NULL is allowed */

#endif
