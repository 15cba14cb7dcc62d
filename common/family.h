/*
 * Families, variants and problems: the data that everything else walks over.
 *
 * A family is one problem solved by a ladder of variants. Its one file, common/families/<name>.c,
 * holds operands, sizes, reference, error bound, work model and the table of variants; all that
 * could differ between backends stands here, above them: inputs, sizes, grid, block, macros,
 * argument order, bound, work model. docs/adding-a-variant.md is the walk-through.
 */
#ifndef PMPP_COMMON_FAMILY_H
#define PMPP_COMMON_FAMILY_H

#include "common/capability.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMPP_MAX_DIMS 4
#define PMPP_MAX_OPERANDS 6
#define PMPP_MAX_MACROS 8
#define PMPP_MAX_STEPS 8
#define PMPP_MAX_ARGS 12
#define PMPP_MAX_CHECK_SIZES 24

/* ---- Problems ------------------------------------------------------------------------------ */

/* How input elements are made (common/data.h). */
enum problem_data {
	DATA_RANDOM,  /* signed, in [-1, 1), seeded */
	DATA_INTEGER, /* small integers, so that f32 arithmetic is exact in any order */
	DATA_USER     /* read from the user's files */
};

struct problem {
	const struct family *family;
	int64_t dim[PMPP_MAX_DIMS]; /* in the order of family->dim_names; each >= 1 */
	uint64_t seed;
	enum problem_data data;
};

/* ---- Operands ------------------------------------------------------------------------------ */

enum operand_role {
	OPERAND_IN,
	OPERAND_OUT
};

#define DIM_ONE (-1) /* an extent of 1 */

/* A matrix of f32, rows x columns. On the host it always lies by rows; a variant may ask for it by
 * columns on the device (variant.by_columns). */
struct operand {
	const char *name; /* "A": also the NAME of --in and --out */
	enum operand_role role;
	int rows_dim; /* index into problem.dim, or DIM_ONE */
	int columns_dim;
};

int64_t operand_rows(const struct operand *operand, const struct problem *problem);
int64_t operand_columns(const struct operand *operand, const struct problem *problem);

/* rows * columns * sizeof(float); UINT64_MAX when that overflows. */
uint64_t operand_bytes(const struct operand *operand, const struct problem *problem);

/* ---- Plans: what one run launches ---------------------------------------------------------- */

enum plan_arg_kind {
	PLAN_ARG_OPERAND,
	PLAN_ARG_INT,
	PLAN_ARG_ULONG
};

struct plan_arg {
	enum plan_arg_kind kind;
	int64_t value; /* index of the operand, or the scalar */
};

struct plan_step {
	const char *entry;
	uint64_t groups[3];
	uint32_t block[3];
	uint32_t shared_bytes; /* dynamic */
	struct plan_arg args[PMPP_MAX_ARGS];
	size_t arg_count;
};

struct plan {
	struct plan_step steps[PMPP_MAX_STEPS];
	size_t step_count;
};

/* ---- Variants ------------------------------------------------------------------------------ */

/* A -D macro of the kernel file. Tile sizes are written once, here. */
struct macro {
	const char *name;
	int value;          /* the default */
	const int *choices; /* values --set may take, ended by 0; NULL: not tunable */
};

/* A variant with the macro values of one build. */
struct config {
	const struct variant *variant;
	int value[PMPP_MAX_MACROS]; /* beside variant->macros */
};

/* Value of a macro of the variant; the name must be one. */
int config_value(const struct config *config, const char *name);

/* The config of the row's defaults. */
struct config config_default(const struct variant *variant);

enum reproducibility {
	REPRO_BITWISE, /* the same bits on every engine */
	REPRO_RUN,     /* the same bits on one engine */
	REPRO_BOUND    /* within the bound only */
};

const char *reproducibility_name(enum reproducibility repro);

/* What the book says this rung should buy. Time claims apply to GPUs only. */
struct claim {
	const char *text; /* "coalesced >= 2 x uncoalesced"; NULL: none */
	const char *over; /* variant it is compared with; NULL: variant.base */
	double at_least;  /* ratio of times, over / this */
};

struct variant {
	const char *name;
	const char *technique; /* a word or two for the table */
	const char *idea;      /* one sentence */
	const char *book;      /* "6.1, Fig. 6.2" */
	const char *base;      /* the rung that `step` compares with; NULL: none (first rung) */
	const char *file;      /* stem below cl_kernels/<family>/ and cuda_kernels/<family>/ */
	const char *entry;     /* kernel function of that file */
	unsigned needs;        /* enum pmpp_capability bits */
	bool one_sided;        /* no CUDA twin, because of what it needs */
	enum reproducibility repro;
	unsigned by_columns; /* bit i: operand i lies by columns on the device */
	struct macro macros[PMPP_MAX_MACROS + 1]; /* ended by a NULL name */
	struct claim claim;

	/* Launches of one run; every size is valid. */
	void (*plan)(
		const struct config *config, const struct problem *problem, struct plan *ret_plan);

	/* Bytes the kernel's loads and stores of global memory ask for in one run. */
	double (*bytes_issued)(const struct config *config, const struct problem *problem);

	/* Extent of the output tile and of the reduction step a block works on, beside
	 * family->dim_names: check sizes lie around it. */
	void (*tile)(const struct config *config, int64_t ret_tile[PMPP_MAX_DIMS]);

	/* NULL: all combinations of choices work. Else a reason when this one does not, or NULL. */
	const char *(*infeasible)(const struct config *config);

	/* NULL: family->chain. Else the longest chain of roundings behind one output. */
	int64_t (*chain)(const struct config *config, const struct problem *problem);
};

/* ---- Families ------------------------------------------------------------------------------ */

/* A rectangle of the output operand. */
struct region {
	int64_t row, rows;
	int64_t column, columns;
};

enum device_class {
	DEVICE_CLASS_GPU,
	DEVICE_CLASS_CPU,
	DEVICE_CLASS_EMULATED,
	DEVICE_CLASS_COUNT
};

struct family {
	const char *name;
	const char *title;   /* "C = A B" */
	const char *problem; /* one line: operands, order of sizes, valid range */
	const char *book;
	bool internal; /* measures the device (roofs): not listed, not part of `all` */

	const char *dim_names[PMPP_MAX_DIMS];
	size_t dim_count;
	int64_t dim_max;                          /* of each dimension */
	int64_t default_size[DEVICE_CLASS_COUNT]; /* of every dimension, for `run` */

	const struct operand
		*operands; /* in the order of the reference's inputs; one output, last */
	size_t operand_count;

	/* The answer in double for one region of the output, by rows (region.rows x
	 * region.columns): value, and the sum of the magnitudes of the terms added for it, which
	 * the bound multiplies. inputs are beside operands, by rows, on the host. */
	void (*reference)(const struct problem *problem, const float *const *inputs,
		struct region region, double *ret_value, double *ret_terms);

	/* Longest chain of f32 roundings behind one output (h of gamma_h, common/bound.h). */
	int64_t (*chain)(const struct problem *problem);

	/* Largest |element| of integer inputs for which f32 is exact; 0: none is. */
	int64_t (*integer_limit)(const struct problem *problem);

	/* NULL: cheap enough to compare every element always. Else checks the whole output for
	 * integer inputs faster than the reference would; false sets *ret_row, *ret_column. */
	bool (*exact_check)(const struct problem *problem, const float *const *inputs,
		const float *output, int64_t *ret_row, int64_t *ret_column);

	double (*work)(const struct problem *problem);  /* multiply-adds or elements: for budgets */
	double (*flops)(const struct problem *problem); /* of one run */

	/* Sizes `verify` checks: 1, primes, around the tile, rectangular, and one large with
	 * work <= budget. Returns their count, <= PMPP_MAX_CHECK_SIZES. */
	size_t (*check_sizes)(const struct config *config, double budget,
		int64_t ret_sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS]);

	const struct variant *variants; /* in ladder order */
	size_t variant_count;
};

/* Compulsory bytes: each input read once, each output written once. */
double problem_bytes_compulsory(const struct problem *problem);

/* "m=n=k=512", "m=7 n=5 k=3". */
void problem_text(const struct problem *problem, char *ret_text, size_t size);

/* ---- Registry (common/families/registry.c) ------------------------------------------------- */

extern const struct family *const families[];
extern const size_t family_count;

/* NULL when there is none of that name. */
const struct family *family_find(const char *name);
const struct variant *variant_find(const struct family *family, const char *name);

/* The family a variant belongs to. */
const struct family *variant_family(const struct variant *variant);

#endif
