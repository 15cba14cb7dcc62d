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

#include "common/arithmetic.h"
#include "common/bound.h"
#include "common/capability.h"
#include "common/dtype.h"
#include "common/model/claim.h"
#include "common/model/figures.h"
#include "common/model/floor.h"
#include "common/operations.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMPP_MAX_DIMS 4
#define PMPP_MAX_OPERANDS 6
#define PMPP_MAX_SCRATCH 2
#define PMPP_MAX_MACROS 8
#define PMPP_MAX_CONSTANTS 2
#define PMPP_MAX_STEPS 8
#define PMPP_MAX_ARGS 12
#define PMPP_MAX_CHOICES 6
#define PMPP_MAX_CHECK_SIZES 24

/* ---- Problems ------------------------------------------------------------------------------ */

/* The source of input elements. */
enum input_source {
	INPUT_RANDOM,  /* made: family->fill, or data_fill_random() (common/data.h) */
	INPUT_INTEGER, /* small integers, so that float arithmetic is exact in any order */
	INPUT_USER     /* read from the user's files */
};

/* What variants of reduced precision do to f32 inputs before anything else. The reference gets the
 * rounded inputs too. */
enum input_rounding {
	ROUND_NONE,
	ROUND_F16, /* stored as f16 on the device */
	ROUND_TF32 /* stored as f32 with a fraction of 10 bits */
};

struct problem {
	const struct family *family;
	int64_t dim[PMPP_MAX_DIMS]; /* in the order of family->dim_names; each >= 1 */
	enum dtype dtype;           /* one of family->dtypes; DTYPE_F32 where it has none */
	size_t op;                  /* index into family->ops; 0 where it has none */
	size_t data;                /* index into family->data; 0 where it has none */
	uint64_t seed;
	enum input_source source;
	enum input_rounding rounding; /* of the variant that runs */
	struct arithmetic arithmetic; /* of the build: errors that references must allow */
};

/* The same data and the same answer. */
bool problem_equal(const struct problem *a, const struct problem *b);

/* ---- Operands ------------------------------------------------------------------------------ */

enum operand_role {
	OPERAND_IN,
	OPERAND_OUT
};

#define DIM_ONE (-1) /* an extent of 1 */

/* A matrix, (rows_scale * rows + rows_plus) x (columns_scale * columns). On the host it always lies
 * by rows; a variant may ask for another layout on the device (variant.by_columns, variant.pitch).
 */
struct operand {
	const char *name; /* "A": also the NAME of --in and --out */
	enum operand_role role;
	int rows_dim; /* index into problem.dim, or DIM_ONE */
	int columns_dim;
	int64_t rows_scale, columns_scale; /* 0 stands for 1 */
	int64_t rows_plus;
	enum dtype dtype;
	bool dtype_of_problem; /* problem.dtype instead */
};

enum dtype operand_dtype(const struct operand *operand, const struct problem *problem);
int64_t operand_rows(const struct operand *operand, const struct problem *problem);
int64_t operand_columns(const struct operand *operand, const struct problem *problem);

/* Rows times columns times the size of an element on the host; UINT64_MAX when that overflows. */
uint64_t operand_bytes(const struct operand *operand, const struct problem *problem);

/* ---- Plans: what one run launches ---------------------------------------------------------- */

enum plan_arg_kind {
	PLAN_ARG_OPERAND,
	PLAN_ARG_SCRATCH, /* variant.scratch */
	PLAN_ARG_INT,
	PLAN_ARG_ULONG
};

struct plan_arg {
	enum plan_arg_kind kind;
	int64_t value; /* index of the operand or scratch buffer, or the scalar */
};

/* One kernel over a grid of blocks. */
struct plan_launch {
	const char *entry;
	uint64_t groups[3];
	uint32_t block[3];
	uint32_t shared_bytes; /* dynamic */
	struct plan_arg args[PMPP_MAX_ARGS];
	size_t arg_count;
};

/* A whole buffer, operand or scratch, set to a pattern of 4 bytes. */
struct plan_fill {
	struct plan_arg buffer;
	uint32_t pattern;
};

enum plan_step_kind {
	PLAN_LAUNCH,
	PLAN_FILL
};

struct plan_step {
	enum plan_step_kind kind;
	union {
		struct plan_launch launch;
		struct plan_fill fill;
	} as;
};

struct plan {
	struct plan_step steps[PMPP_MAX_STEPS];
	size_t step_count;
};

/* The step's launch; NULL where the step is a fill. */
const struct plan_launch *plan_step_launch(const struct plan_step *step);

/* Blocks of the grid, and threads of a block. */
uint64_t plan_launch_groups(const struct plan_launch *launch);
uint64_t plan_launch_threads(const struct plan_launch *launch);

/* Append a step; a plan holds PMPP_MAX_STEPS. The launch that is returned is the plan's own copy:
 * more arguments can be added to it. */
struct plan_launch *plan_add_launch(struct plan *plan, const struct plan_launch *launch);
void plan_add_fill(struct plan *plan, struct plan_arg buffer, uint32_t pattern);

/* Append an argument; a launch holds PMPP_MAX_ARGS. */
void plan_launch_add(struct plan_launch *launch, enum plan_arg_kind kind, int64_t value);

/* ---- Variants ------------------------------------------------------------------------------ */

/* A rectangle of the output operand. */
struct region {
	int64_t row, rows;
	int64_t column, columns;
};

/* A -D macro of the kernel file. Tile sizes are written once, here. */
struct macro {
	const char *name;
	int value;          /* the default */
	const int *choices; /* values --set may take, ended by 0; NULL: not tunable */
};

/* A -D macro that is the same in every build of the kernel file, shared with the family's own code.
 * It is not part of a config or of the results. */
struct constant {
	const char *name;
	int value;
};

/* A variant with the macro values of one build. */
struct config {
	const struct variant *variant;
	int value[PMPP_MAX_MACROS]; /* beside variant->macros */
};

/*
 * Value of a macro of the variant. A name that the row does not have is a programming error: an
 * assertion fails. A build without assertions returns 1 and records the name for family_check().
 */
int config_value(const struct config *config, const char *name);

/* The same for a macro that only some rows have: `otherwise` where the row does not. */
int config_value_or(const struct config *config, const char *name, int otherwise);

/* Returns the error of the row's roundings, relative to the sum of the magnitudes of an output's
 * terms: bound_of_chain() of the row's chain. 0 for exact answers. */
double config_bound(const struct config *config, const struct problem *problem);

/* Floating-point operations of one run, >= 0: from variant.flops, else from family.flops. */
double config_flops(const struct config *config, const struct problem *problem);

/* How many times the family's work the row does, > 0. */
double variant_work_times(const struct variant *variant);

/* Work of one run for budgets, >= 0: the work of the family times variant_work_times(). */
double config_work(const struct config *config, const struct problem *problem);

/* The type of the row's operations: never OPERATIONS_OF_DTYPE. */
enum operations config_operations(const struct config *config, const struct problem *problem);

/*
 * The work of one run by resources. Known for every row: the launches of its plan (no rate of fills
 * is measured), the bytes of memory (each input read once, as stored on the device, and each output
 * written once; the second-level cache moves at least as many), and the operations of its type
 * (config_flops()). The rest is unknown unless the row has a function `traffic`.
 */
struct floor_work config_traffic(const struct config *config, const struct problem *problem);

/* The config of the row's defaults. */
struct config config_default(const struct variant *variant);

/* The steps of one run of the variant. */
void config_plan(const struct config *config, const struct problem *problem, struct plan *ret_plan);

enum reproducibility {
	REPRO_BITWISE, /* the same bits on every engine */
	REPRO_RUN,     /* the same bits on one engine */
	REPRO_BOUND    /* within the bound only */
};

const char *reproducibility_name(enum reproducibility repro);

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
	/* Blocks read what other blocks of the same launch wrote. OpenCL: compiled in a version
	 * with atomic functions of device scope, if the device has them. */
	bool blocks_meet;
	enum reproducibility repro;
	unsigned by_columns;          /* bit i: operand i lies by columns on the device */
	enum input_rounding rounding; /* of f32 inputs */
	double unit_roundoff;         /* of its arithmetic; 0: that of the output's type */
	enum operations operations;   /* 0: as problem.dtype */
	struct macro macros[PMPP_MAX_MACROS + 1]; /* ended by a NULL name */
	/* Ended by a NULL name; the same in all rows that have this file. */
	struct constant constants[PMPP_MAX_CONSTANTS + 1];
	struct claim claim;

	/* Appends the steps of one run to an empty plan; every size is valid. Callers use
	 * config_plan(). */
	void (*plan)(
		const struct config *config, const struct problem *problem, struct plan *ret_plan);

	/* NULL: no scratch buffers. Else their bytes, 0 for one not used; >= 4 and whole words.
	 * They hold nothing when a run begins. */
	void (*scratch)(const struct config *config, const struct problem *problem,
		uint64_t ret_bytes[PMPP_MAX_SCRATCH]);

	/* NULL: dense. Else elements from one line of an operand to the next on the device, >= the
	 * line; the gap holds nothing. */
	int64_t (*pitch)(
		const struct config *config, const struct problem *problem, size_t operand);

	/* NULL: right for every problem of the family. Else why this problem is outside what the
	 * variant is right for, or NULL. */
	const char *(*domain)(const struct config *config, const struct problem *problem);

	/* The work of the row / the work of the family, for budgets: above 1 if the row does more
	 * arithmetic for each element. 0 means 1. Callers use variant_work_times(). */
	double work_times;

	/* NULL: family->flops. Else the floating-point operations of one run, for a variant with
	 * other arithmetic than the family's. Callers use config_flops(). */
	double (*flops)(const struct config *config, const struct problem *problem);

	/* Bytes the kernel's loads and stores of global memory ask for in one run. */
	double (*bytes_issued)(const struct config *config, const struct problem *problem);

	/* NULL: config_traffic() sets only what is known for every row. Else corrects the members
	 * that differ in this row, for one run. Callers use config_traffic(). */
	void (*traffic)(const struct config *config, const struct problem *problem,
		struct floor_work *work);

	/* Extent of the output tile and of the reduction step a block works on, beside
	 * family->dim_names: check sizes lie around it. */
	void (*tile)(const struct config *config, int64_t ret_tile[PMPP_MAX_DIMS]);

	/* NULL: all combinations of choices work. Else a reason when this one does not, or NULL. */
	const char *(*infeasible)(const struct config *config);

	/* NULL: family->chain. Else the longest chain of roundings behind one output. */
	int64_t (*chain)(const struct config *config, const struct problem *problem);
	enum chain_kind chain_kind; /* CHAIN_ANY: that of the family */

	/* NULL: family->reference. Else as that one, for a variant whose answer or whose errors are
	 * its own. */
	void (*reference)(const struct variant *variant, const struct problem *problem,
		const void *const *inputs, struct region region, struct expected *ret_expected);
};

/* ---- Families ------------------------------------------------------------------------------ */

enum device_class {
	DEVICE_CLASS_GPU,
	DEVICE_CLASS_CPU,
	DEVICE_CLASS_EMULATED,
	DEVICE_CLASS_COUNT
};

/* A figure of its own for a family, beside GFLOP/s or GB/s. */
struct metric {
	enum metric_kind kind;
	const char *name; /* "ns/hop" */
	/* Things counted in one run; 0: none. */
	double (*count)(const struct config *config, const struct problem *problem);
};

/* The result of family->exact_check. */
enum exact_result {
	EXACT_EQUAL,
	EXACT_WRONG,
	EXACT_NO_MEMORY /* not checked: no host memory */
};

struct family {
	const char *name;
	const char *title;     /* "C = A B" */
	const char *size_help; /* one line: operands, order of sizes, valid range */
	const char *book;
	bool internal; /* measures the device (roofs): not listed, not part of `all` */

	const char *dim_names[PMPP_MAX_DIMS];
	size_t dim_count;
	int64_t dim_max; /* of each dimension */

	/* 0: the dimension must be given, and a single number of --size sets it. Else its value
	 * where it is not named: "--size=1000" leaves it alone. Those come last. */
	int64_t dim_default[PMPP_MAX_DIMS];

	/* Sizes of `run`; 0 where dim_default has the value, and for "as the first". */
	int64_t default_size[DEVICE_CLASS_COUNT][PMPP_MAX_DIMS];

	/* Values of --dtype, --op and --data, the default first; NULL: the family has no such
	 * choice. */
	const enum dtype *dtypes;
	size_t dtype_count;
	const char *ops[PMPP_MAX_CHOICES];  /* "sum": the kernel gets OP_SUM */
	const char *data[PMPP_MAX_CHOICES]; /* "uniform" */

	/* NULL: every dim in [1, dim_max] with every choice is a problem. Else what is wrong with
	 * this one (an even width), or NULL. */
	const char *(*invalid)(const struct problem *problem);

	const struct operand
		*operands; /* in the order of the reference's inputs; one output, last */
	size_t operand_count;

	/* NULL: data_fill_random(). Else elements first to first + count - 1 of an input, by rows,
	 * for INPUT_RANDOM; depends on nothing but the problem. */
	void (*fill)(const struct problem *problem, size_t operand, int64_t first, int64_t count,
		void *target);

	/* NULL: user's inputs must be finite, and nothing else. Else judges them itself: false with
	 * one line that names operand and element. */
	bool (*check_inputs)(const struct problem *problem, const void *const *inputs,
		char *ret_text, size_t size);

	/* The answer for one region of the output, by rows (region.rows x region.columns). inputs
	 * are beside operands, by rows, on the host, of the operand's type. Called by several
	 * threads at once, for parts of the output. NULL where every variant has its own. */
	void (*reference)(const struct problem *problem, const void *const *inputs,
		struct region region, struct expected *ret_expected);

	/* Longest chain of roundings behind one output (h of gamma_h, common/bound.h). */
	int64_t (*chain)(const struct problem *problem);

	enum chain_kind chain_kind; /* of rows without a chain of their own */

	/* NULL: no integer data. Else the largest |element| of integer inputs for which float
	 * arithmetic is exact; 0: none is. */
	int64_t (*integer_limit)(const struct problem *problem);

	/* NULL: cheap enough to compare every element always. Else checks the whole output for
	 * integer inputs faster than the reference would. EXACT_WRONG sets *ret_row, *ret_column;
	 * they are untouched otherwise. */
	enum exact_result (*exact_check)(const struct problem *problem, const void *const *inputs,
		const void *output, int64_t *ret_row, int64_t *ret_column);

	double (*work)(const struct problem *problem);  /* multiply-adds or elements: for budgets */
	double (*flops)(const struct problem *problem); /* of one run: config_flops() */

	const struct check_rule *check; /* the sizes `verify` checks (common/check_sizes.h) */

	struct metric metric; /* METRIC_NONE: none */

	const struct variant *variants; /* in ladder order */
	size_t variant_count;
};

/* Compulsory bytes: each input read once, each output written once. */
double problem_bytes_compulsory(const struct problem *problem);

/* Whether the family has few operations per byte at its default size on a GPU. Its rates are then
 * shown in GB/s, else in GFLOP/s. */
bool family_is_about_memory(const struct family *family);

/* "m=n=k=512", "m=7 n=5 k=3". */
void problem_text(const struct problem *problem, char *ret_text, size_t size);

/* "f32", "i32 max", "u8 skewed": type, operation and data. */
void problem_choices_text(const struct problem *problem, char *ret_text, size_t size);

/* A problem of the family with the default choices and seed 1; sizes are left at 0. */
struct problem problem_default(const struct family *family);

/* Sets the sizes that `run` takes on a class of devices. */
void problem_default_size(struct problem *problem, enum device_class device_class);

/* Halves the sizes, except those with a default (dim_default). Skips problems that the family does
 * not allow. Returns false, with the sizes unchanged, if there is no smaller problem. */
bool problem_halve(struct problem *problem);

/* Types x operations x data of the family, >= 1; choice number index of them, all else as it is. */
size_t family_choice_count(const struct family *family);
void problem_choose(struct problem *problem, size_t index);

/* Macros, each defined as 1, that tell a kernel the choices of the problem: "DTYPE_I32", "OP_SUM".
 * None for a choice that the family does not have. */
#define PMPP_CHOICE_MACROS 2
struct choice_macros {
	char name[PMPP_CHOICE_MACROS][24];
	size_t count;
};
struct choice_macros problem_macros(const struct problem *problem);

/*
 * Calls each row's functions at the check sizes and at the default sizes, with every choice.
 * PMPP_INTERNAL when one of them asks config_value() for a macro that its row does not have: the
 * error names the row and the macro. Takes less than a millisecond per family.
 */
enum pmpp_status family_check(const struct family *family, struct pmpp_error *error);

/* family_check() of all families: once, before a row is used. */
enum pmpp_status family_check_all(struct pmpp_error *error);

/* The last macro that config_value() did not find on this thread, or NULL; forgets it. */
const char *config_take_missing(void);

/* ---- Registry (common/families/registry.c) ------------------------------------------------- */

extern const struct family *const families[];
extern const size_t family_count;

/* NULL when there is none of that name. */
const struct family *family_find(const char *name);
const struct variant *variant_find(const struct family *family, const char *name);

/* The family a variant belongs to. */
const struct family *variant_family(const struct variant *variant);

#endif
