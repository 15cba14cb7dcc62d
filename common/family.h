/*
 * Families, variants and problems.
 *
 * A family is a problem with a ladder of variants that solve it. The file common/families/<name>.c
 * has the family's operands, sizes, reference, error bound, work model and table of variants. The
 * family also defines everything that must not differ between backends: inputs, sizes, grid, block,
 * macros, order of arguments, bound, work model. docs/adding-a-variant.md is the walk-through.
 */
#ifndef PMPP_COMMON_FAMILY_H
#define PMPP_COMMON_FAMILY_H

#include "common/arithmetic.h"
#include "common/bound.h"
#include "common/capability.h"
#include "common/data.h"
#include "common/dtype.h"
#include "common/expression.h"
#include "common/model/claim.h"
#include "common/model/figures.h"
#include "common/model/floor.h"
#include "common/model/shape.h"
#include "common/operations.h"
#include "common/peer.h"
#include "common/status.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMPP_MAX_DIMS 4
#define PMPP_MAX_OPERANDS 6
#define PMPP_MAX_SCRATCH 3
#define PMPP_MAX_MACROS 8
#define PMPP_MAX_CONSTANTS 2
#define PMPP_MAX_STEPS 8
#define PMPP_MAX_ARGS 12
#define PMPP_MAX_TILE_MAPS 3
#define PMPP_MAX_CHOICES 6
#define PMPP_MAX_CHECK_SIZES 24

/* An array and its length, as the values of two neighbouring members. */
#define WITH_COUNT(array) (array), sizeof(array) / sizeof *(array)

/* ---- Problems ------------------------------------------------------------------------------ */

/* The source of input elements. */
enum input_source {
	INPUT_RANDOM,  /* generated: family->fill, or data_fill_random() (common/data.h) */
	INPUT_INTEGER, /* small integers, for which float arithmetic is exact in any order */
	INPUT_CASE,    /* problem.data_case: family->fill, or data_fill_case() */
	INPUT_SEED,    /* as INPUT_RANDOM, with another seed */
	INPUT_USER     /* read from the user's files */
};

/* How variants of reduced precision round their f32 inputs first. The reference gets the rounded
 * inputs too. */
enum input_rounding {
	ROUND_NONE,
	ROUND_F16, /* stored as f16 on the device */
	ROUND_TF32 /* stored as f32 with a fraction of 10 bits */
};

struct problem {
	const struct family *family;
	int64_t dim[PMPP_MAX_DIMS]; /* in the order of family->dim_names; each >= 1 */
	enum dtype dtype;           /* one of family->dtypes; DTYPE_F32 if there are none */
	size_t op;                  /* index into family->ops; 0 if there are none */
	size_t data;                /* index into family->data; 0 if there are none */
	uint64_t seed;
	enum input_source source;
	enum data_case data_case;     /* of INPUT_CASE */
	enum input_rounding rounding; /* of the variant that runs */
	struct arithmetic arithmetic; /* of the build: errors that references must allow */
	bool own_kernel; /* the kernel is the user's: references allow other right roundings */
};

/* Whether both problems have the same data and the same answer. */
bool problem_equal(const struct problem *a, const struct problem *b);

/* ---- Operands ------------------------------------------------------------------------------ */

enum operand_role {
	OPERAND_IN,
	OPERAND_OUT
};

#define DIM_ONE (-1) /* an extent of 1 */

/* A matrix of (rows_scale * rows + rows_plus) x (columns_scale * columns) elements. On the host it
 * is in row-major order. A variant may use another layout on the device (variant.by_columns,
 * variant.pitch). */
struct operand {
	const char *name; /* "A": also the NAME for --in and --out */
	enum operand_role role;
	int rows_dim; /* index into problem.dim, or DIM_ONE */
	int columns_dim;
	int64_t rows_scale, columns_scale; /* 0 means 1 */
	int64_t rows_plus;
	enum dtype dtype;
	bool dtype_of_problem; /* use problem.dtype instead of dtype */
	const char *aliases;   /* other names in kernels of users, in small letters; NULL: none */
	/* The output begins with a copy of this input, which kernels do not take. */
	bool in_place;
	/* Expressions over the sizes that replace rows and columns; NULL: none. */
	const char *shape[2];
};

/* A vector: VECTOR(name, role, rows_dim), with the other members of its operand, if any. */
#define VECTOR(operand_name, operand_role, ...)                                         \
	{                                                                               \
		.name = (operand_name), .role = (operand_role), .columns_dim = DIM_ONE, \
		.rows_dim = __VA_ARGS__                                                 \
	}

enum dtype operand_dtype(const struct operand *operand, const struct problem *problem);
/* The type on the device for a variant with this rounding. */
enum dtype operand_stored_dtype(
	const struct operand *operand, const struct problem *problem, enum input_rounding rounding);
int64_t operand_rows(const struct operand *operand, const struct problem *problem);
int64_t operand_columns(const struct operand *operand, const struct problem *problem);

/* Computes an expression over the sizes of the problem, such as "2 * r + 1"; ceil(n / 16) is exact. Returns false
 * with the reason if it has no value. */
bool problem_value(const struct problem *problem, const char *text, int64_t *ret_value,
	char ret_reason[EXPRESSION_PROBLEM_BYTES]);

/* Size in bytes on the host; UINT64_MAX if it overflows. */
uint64_t operand_bytes(const struct operand *operand, const struct problem *problem);

/* ---- Plans: the steps of one run ----------------------------------------------------------- */

enum plan_arg_kind {
	PLAN_ARG_OPERAND,
	PLAN_ARG_SCRATCH, /* variant.scratch */
	PLAN_ARG_INT,
	PLAN_ARG_ULONG,
	PLAN_ARG_FLOAT,   /* the bits of an f32 */
	PLAN_ARG_TILE_MAP /* plan_launch.tile_maps */
};

struct plan_arg {
	enum plan_arg_kind kind;
	int64_t value; /* index of the operand, scratch buffer or tile map, or the scalar */
};

/* A matrix in a buffer, and the tile that one copy of hardware moves to or from shared memory (CUDA:
 * a tensor map, needs PMPP_CAP_WGMMA). */
struct plan_tile_map {
	struct plan_arg buffer; /* operand or scratch buffer */
	int element_bytes;
	int64_t rows, columns, pitch; /* of the matrix; in elements */
	int tile_rows, tile_columns;  /* up to 256; a line of a tile has 128 bytes or less */
	bool swizzled;                /* chunks of 16 bytes are exchanged to avoid bank conflicts */
};

/* One kernel over a grid of blocks. */
struct plan_launch {
	const char *entry;
	uint64_t groups[3];
	uint32_t block[3];
	uint32_t shared_bytes; /* dynamic */
	struct plan_arg args[PMPP_MAX_ARGS];
	size_t arg_count;
	struct plan_tile_map tile_maps[PMPP_MAX_TILE_MAPS];
};

/* Fills a whole buffer (operand or scratch) with a pattern of 4 bytes. */
struct plan_fill {
	struct plan_arg buffer;
	uint32_t pattern;
	bool kept; /* each run leaves the pattern, so only the first of several runs needs the fill */
};

/* Copies a whole buffer to another one with as many bytes. */
struct plan_copy {
	struct plan_arg target, source;
};

/* A call of a library (variant.peer) with all operands of the family. */
struct plan_call {
	const char *function; /* of the library */
	struct peer_work work;
	size_t buffer_count;
};

enum plan_step_kind {
	PLAN_LAUNCH,
	PLAN_FILL,
	PLAN_COPY,
	PLAN_CALL
};

struct plan_step {
	enum plan_step_kind kind;
	union {
		struct plan_launch launch;
		struct plan_fill fill;
		struct plan_copy copy;
		struct plan_call call;
	} as;
};

struct plan {
	struct plan_step steps[PMPP_MAX_STEPS];
	size_t step_count;
	/* Threads of the largest block that another kernel of the file requires; 0: no larger one.
	 * A driver rejects the whole program if it cannot compile one of its kernels. */
	uint64_t other_threads;
};

struct config;

/* Returns the launch of the step; NULL if the step has another kind. */
const struct plan_launch *plan_step_launch(const struct plan_step *step);

/* Returns the first launch of the plan from the step number *step on, and sets *step to its number. NULL:
 * there is none. */
const struct plan_launch *plan_launch_from(const struct plan *plan, size_t *step);

/* Number of blocks in the grid, and number of threads in a block. */
uint64_t plan_launch_groups(const struct plan_launch *launch);
uint64_t plan_launch_threads(const struct plan_launch *launch);

/* Append a step; a plan has room for PMPP_MAX_STEPS. The caller can complete the returned launch. */
/* A launch with a one-dimensional grid, because CUDA limits the y and z dimensions to 65535 blocks. */
struct plan_launch *plan_add_kernel(struct plan *plan, const char *entry, int64_t groups,
	int64_t block, const struct plan_arg *args, size_t arg_count);
#define PLAN_ARGS(...) WITH_COUNT(((const struct plan_arg[]){__VA_ARGS__}))
/* The same for the row's kernel. Its arguments are all operands of the family, then all sizes of the
 * problem, as `sizes`. */
struct plan_launch *plan_add_grid(struct plan *plan, const struct config *config,
	const struct problem *problem, int64_t groups, int64_t block_x, int64_t block_y,
	enum plan_arg_kind sizes);
/* plan_add_grid() with a block of BLOCK threads for each tile of the first dimension; of one thread
 * if the row has no macro BLOCK. */
struct plan_launch *plan_add_tiles(struct plan *plan, const struct config *config,
	const struct problem *problem, enum plan_arg_kind sizes);
/* variant.plan: plan_add_tiles() with sizes of 64 bits. */
void plan_tiles(const struct config *config, const struct problem *problem, struct plan *ret_plan);
void plan_add_fill(struct plan *plan, struct plan_arg buffer, uint32_t pattern);

/* Appends a fill that only the first of several runs needs. */
void plan_add_kept_fill(struct plan *plan, struct plan_arg buffer, uint32_t pattern);

/* Appends an argument; a launch has room for PMPP_MAX_ARGS. */
void plan_launch_add(struct plan_launch *launch, enum plan_arg_kind kind, int64_t value);

/* ---- Variants ------------------------------------------------------------------------------ */

/* A rectangle of the output operand. */
struct region {
	int64_t row, rows;
	int64_t column, columns;
};

/* A -D macro of the kernel file. Tile sizes are defined only here. */
struct macro {
	const char *name;
	int value;          /* the default; MACRO_OF_LANES: the lanes of the device's warps */
	const int *choices; /* valid values for --set, ended by 0; NULL: not tunable */
};

/* The macro LANES of a kernel whose layout or exchange depends on the width of a warp. Such a kernel
 * is right for every power of two among the choices. */
#define MACRO_OF_LANES INT_MIN /* not 0, which is the value of some fixed macros */
#define MACRO_LANES                                    \
	{                                              \
		"LANES", MACRO_OF_LANES, lanes_choices \
	}
extern const int lanes_choices[]; /* 4 to 128, ended by 0 */

/* An extent of the tile that a block works on: times * the values of the macros / divisor. Without
 * macros: times; 0 = no tile. With macros, 0 means 1 for times and divisor. */
struct tile_extent {
	const char *macro, *other; /* NULL: none */
	int times, divisor;
};

/* A -D macro with the same value in every build of the kernel file. The family's code uses the
 * value too. It is not part of a config or of the results. */
struct constant {
	const char *name;
	int value;
};

/* A variant with the macro values of one build, for devices of one shape. */
struct config {
	const struct variant *variant;
	int value[PMPP_MAX_MACROS]; /* by index of variant->macros */
	unsigned chosen; /* bit i: the user chose value[i], so no other value replaces it */
	struct kernel_shape shape; /* grids, resident blocks and traffic depend on it */
	uint32_t shared_bytes; /* least dynamic shared memory of a launch (kernels of the user) */
};

/*
 * Returns the value of a macro of the variant. It is a programming error if the row does not have
 * the macro: an assertion fails. A build without assertions returns 1 and records the name for
 * family_check().
 */
int config_value(const struct config *config, const char *name);

/* The same for a macro that only some rows have. Returns `otherwise` if the row does not have it.
 */
int config_value_or(const struct config *config, const char *name, int otherwise);

/* The extent of the config's tile in a dimension (variant.tile). */
int64_t config_tile(const struct config *config, size_t dim);

/* The value of the row's macro LANES in this build; 0 = the row has no MACRO_LANES. */
int config_lanes(const struct config *config);

/* Bits of the members of config->shape (KERNEL_SHAPE_...) on which the row depends: those of
 * variant->reads, and the lanes if the macro LANES has the device's value. */
unsigned config_reads(const struct config *config);

/* Returns the error of the row's roundings, relative to the sum of the magnitudes of an output's
 * terms: bound_of_chain() of the row's chain. 0 for exact answers. A kernel of the user
 * (problem.own_kernel) may add f32 in any order: if the family has integer data, its chain is the
 * family's, unless that bound is BLIND_BOUND or more. */
double config_bound(const struct config *config, const struct problem *problem);

/* Floating-point operations of one run, >= 0: variant.flops(), else problem_flops(). */
double config_flops(const struct config *config, const struct problem *problem);

/* variant.bytes_issued(), else problem_bytes_compulsory(). */
double config_bytes_issued(const struct config *config, const struct problem *problem);

/* Work of one run, for budgets, >= 0: problem_work() times variant_work_times(). */
double config_work(const struct config *config, const struct problem *problem);

/* The type of the row's operations; never OPERATIONS_OF_DTYPE. */
enum operations config_operations(const struct config *config, const struct problem *problem);

/*
 * Returns the work of one run for each resource. Known for every row:
 *   - the launches of its plan, without fills (their rate is not measured)
 *   - the bytes of memory: each input is read once, as stored on the device, and each output is
 *     written once. The second-level cache moves at least as many bytes
 *   - the operations of its type (config_flops())
 * The rest is unknown unless the row has a function `traffic`.
 */
struct floor_work config_traffic(const struct config *config, const struct problem *problem);

/* The work that no right kernel in place of the row's kernel can avoid: its launches, the
 * compulsory bytes, and the operations of family->certain. The rest is unknown. */
struct floor_work config_certain(const struct config *config, const struct problem *problem);

/* The value of a macro without --set on devices of the shape. LANES gets the width of the device. If
 * the width is not among the choices, LANES gets the largest smaller choice. */
int macro_default(const struct macro *macro, const struct kernel_shape *shape);

/* The config with the row's default values, for devices of the shape. If the width of the device
 * makes the defaults infeasible, one macro gets its next larger choice that is feasible. */
struct config config_for(const struct variant *variant, const struct kernel_shape *shape);

/* config_for() of kernel_shape_reference. */
static inline struct config config_default(const struct variant *variant)
{
	return config_for(variant, &kernel_shape_reference);
}

/* The steps of one run of the variant. */
void config_plan(const struct config *config, const struct problem *problem, struct plan *ret_plan);

enum reproducibility {
	REPRO_BITWISE, /* the same bits on every engine, for equal configs: macros and shape */
	REPRO_RUN,     /* the same bits on one engine */
	REPRO_BOUND    /* within the bound only */
};

const char *reproducibility_name(enum reproducibility repro);

/* The promise of the config's row for a problem: that of the row, or REPRO_BOUND for f32 sums
 * whose order the driver chooses (arithmetic.warp_sums_in_any_order). */
enum reproducibility config_reproducibility(
	const struct config *config, const struct problem *problem);

struct own_kernel;

struct variant {
	const char *name;
	const char *technique; /* one or two words for the table */
	const char *idea;      /* one sentence */
	const char *book;      /* "6.1, Fig. 6.2" */
	const char *base;      /* the variant that `step` compares with; NULL: none (first rung) */
	const char *file;      /* stem below cl_kernels/<family>/ and cuda_kernels/<family>/ */
	const char *entry; /* kernel function of that file; of a peer: function of the library */
	enum peer_library peer; /* of rows of family->peers, which have no file; else PEER_NONE */
	/* Of a peer: what it computes. The operation of the problem is added to it. */
	enum peer_operation call;
	const struct own_kernel
		*own;   /* a file of the user (common/own/kernel.h); NULL: of the project */
	unsigned needs; /* enum pmpp_capability bits */
	bool one_sided; /* there is no CUDA twin: `needs` excludes CUDA */
	bool cuda_only; /* there is no OpenCL twin: `needs` excludes OpenCL */
	/* Blocks read data that other blocks of the same launch wrote. OpenCL compiles the kernel
	 * for a version with atomic functions of device scope, if the device has one. */
	bool blocks_meet;
	/* The OpenCL kernel uses sub-groups, if the device has them. OpenCL compiles it for a version
	 * that has them. The kernel requires sub-groups of LANES from the compiler, if the compiler
	 * has this option. NVIDIA's compiler lacks it. */
	bool sub_groups;
	/* Maximum number of registers per work-item; 0: no limit. OpenCL sets the limit and defines
	 * MAX_REGISTERS if the compiler has an option for it. The CUDA kernel sets the same limit in
	 * __launch_bounds__. */
	unsigned max_registers;
	enum reproducibility repro;
	unsigned by_columns;          /* bit i: operand i is in column-major order on the device */
	enum input_rounding rounding; /* of f32 inputs */
	double unit_roundoff;         /* of its arithmetic; 0: of the output's type */
	enum operations operations;   /* 0: follow from problem.dtype */
	struct macro macros[PMPP_MAX_MACROS + 1]; /* ended by a NULL name */
	/* Ended by a NULL name; equal in all rows with this file. */
	struct constant constants[PMPP_MAX_CONSTANTS + 1];
	struct claim claim;
	/* KERNEL_SHAPE_ bits of the members of config->shape that the row's functions read. The lanes
	 * of MACRO_LANES do not count. */
	unsigned reads;

	/* Appends the steps of one run to an empty plan, for every valid size. Callers use
	 * config_plan(). */
	void (*plan)(
		const struct config *config, const struct problem *problem, struct plan *ret_plan);

	/* NULL: no scratch buffers. Else sets their sizes in bytes: multiples of 4, or 0 for an
	 * unused buffer. Their contents are undefined when a run begins. */
	void (*scratch)(const struct config *config, const struct problem *problem,
		uint64_t ret_bytes[PMPP_MAX_SCRATCH]);

	/* NULL: no gaps. Else the distance in elements from one line of an operand to the next on
	 * the device, >= the length of a line. The contents of the gap are undefined. */
	int64_t (*pitch)(
		const struct config *config, const struct problem *problem, size_t operand);

	/* NULL: the variant is right for every problem of the family. Else returns why it is not
	 * right for this problem, or NULL if it is. */
	const char *(*domain)(const struct config *config, const struct problem *problem);

	/* The work of the row / the work of the family, for budgets. Above 1 if the row does more
	 * arithmetic for each element; 0 means 1. Callers use config_work(). */
	double work_times;

	/* NULL: family->flops. Else the floating-point operations of one run, for a variant whose
	 * arithmetic differs from the family's. Callers use config_flops(). */
	double (*flops)(const struct config *config, const struct problem *problem);

	/* NULL: the compulsory bytes, because each element is loaded or stored once. Else returns the
	 * bytes that the kernel's loads and stores of global memory request in one run. Callers use
	 * config_bytes_issued(). */
	double (*bytes_issued)(const struct config *config, const struct problem *problem);

	/* NULL: config_traffic() sets only the members that it knows for every row. Else sets the
	 * members that differ in this row, for one run. Callers use config_traffic(). */
	void (*traffic)(const struct config *config, const struct problem *problem,
		struct floor_work *work);

	/* The tile that a block works on (output tile and reduction step), by index of
	 * family->dim_names. Check sizes straddle it. Callers use config_tile(). */
	struct tile_extent tile[PMPP_MAX_DIMS];

	/* NULL: all combinations of choices work. Else returns why this one does not, or NULL. */
	const char *(*infeasible)(const struct config *config);

	/* NULL: family->chain. Else the length of the longest chain of roundings for one output. */
	int64_t (*chain)(const struct config *config, const struct problem *problem);
	enum chain_kind chain_kind; /* CHAIN_ANY: the chain_kind of the family */

	/* NULL: family->reference. Else the same function for a variant whose answer or errors
	 * differ from the family's. */
	void (*reference)(const struct variant *variant, const struct problem *problem,
		const void *const *inputs, struct region region, struct expected *ret_expected);
};

static inline double variant_work_times(const struct variant *variant)
{
	return variant->work_times > 0 ? variant->work_times : 1;
}

/* ---- Families ------------------------------------------------------------------------------ */

enum device_class {
	DEVICE_CLASS_GPU,
	DEVICE_CLASS_CPU,
	DEVICE_CLASS_EMULATED,
	DEVICE_CLASS_COUNT
};

/* A figure of a family in addition to GFLOP/s or GB/s. */
struct metric {
	enum metric_kind kind;
	const char *name; /* "ns/hop" */
	/* Number of things in one run; 0: none. */
	double (*count)(const struct config *config, const struct problem *problem);
};

/* A constant of the problem. */
struct scalar {
	const char *name, *value;
};

struct own_problem;

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

	/* Words in names of the user's kernels and files, in small letters; NULL: only the name. */
	const char *aliases;

	const char *dim_names[PMPP_MAX_DIMS];
	const char *dim_aliases[PMPP_MAX_DIMS]; /* as operand.aliases */
	const struct scalar *scalars;           /* parameters of the user's kernels */
	size_t scalar_count;
	/* A problem of the user (common/own/problem_file.h), whose `family` this is; NULL: of the project. */
	const struct own_problem *own;
	size_t dim_count;
	bool takes_squares; /* a kernel of the user may have one parameter for all sizes */
	int64_t dim_max;    /* of each dimension */

	/* 0: the user must give the dimension, and a single number in --size sets it. Else the
	 * default value of the dimension: "--size=1000" does not change it. Dimensions with a
	 * default are last. */
	int64_t dim_default[PMPP_MAX_DIMS];

	/* Sizes for `run`. 0: dim_default, or the size of the first dimension. */
	int64_t default_size[DEVICE_CLASS_COUNT][PMPP_MAX_DIMS];

	/* Values of --dtype, --op and --data, the default first; NULL: no such option for this
	 * family. */
	const enum dtype *dtypes;
	size_t dtype_count;
	const char *ops[PMPP_MAX_CHOICES];  /* "sum": the kernel gets OP_SUM */
	const char *data[PMPP_MAX_CHOICES]; /* "uniform" */

	/* NULL: every dim in [1, dim_max] with every choice is valid. Else returns why this problem
	 * is not valid (for example an even width), or NULL. */
	const char *(*invalid)(const struct problem *problem);

	const struct operand
		*operands; /* in the order of the reference's inputs; the last one is the output */
	size_t operand_count;

	/* NULL: data_fill_random(). Else writes the elements first to first + count - 1 of an input
	 * in row-major order, for INPUT_RANDOM and INPUT_CASE. They depend only on the problem. */
	void (*fill)(const struct problem *problem, size_t operand, int64_t first, int64_t count,
		void *target);

	/* Bits (CASE_BIT) of the cases with which the variants are verified too; 0: none. */
	unsigned cases;
	/* The terms of a result are products of two elements. In other families the f32 elements of
	 * CASE_LARGE are as large as a sum of so many terms allows. */
	bool multiplies;

	/* NULL: the user's inputs must be finite. Else checks them: returns false with one line
	 * that names operand and element if they are not valid. */
	bool (*check_inputs)(const struct problem *problem, const void *const *inputs,
		char *ret_text, size_t size);

	/* Computes the answer for one region of the output, in row-major order (region.rows x
	 * region.columns). inputs: by index of operands, on the host, in row-major order, of the
	 * operand's type. Several threads call it at the same time for parts of the output. NULL if
	 * every variant has its own. */
	void (*reference)(const struct problem *problem, const void *const *inputs,
		struct region region, struct expected *ret_expected);

	/* Computing a region takes as long as computing the whole output, so threads do not share the output. */
	bool whole_reference;

	/* NULL: nothing to prepare. Else computes the answer of a problem, from which `reference` then copies
	 * regions. Any error ends the job. */
	enum pmpp_status (*prepare_reference)(
		const struct problem *problem, const void *const *inputs, struct pmpp_error *error);

	/* NULL: 1, because an output is rounded at most once. Else the length of the longest chain of
	 * roundings for one output (h of gamma_h, common/bound.h). Callers use problem_chain(). */
	int64_t (*chain)(const struct problem *problem);

	enum chain_kind chain_kind; /* for rows without a chain_kind of their own */

	/* NULL: a kernel of the user must give the same integers as the reference. Else a phrase
	 * that says what may differ. The row's note has it after the names of the row. */
	const char *own_difference;

	/* NULL: no integer data. Else the largest |element| of integer inputs for which float
	 * arithmetic is exact; 0: there is none. */
	int64_t (*integer_limit)(const struct problem *problem);

	/* NULL: data_fill_wide(), for sums of one operand. Else writes wide integers
	 * (common/data.h) for sums of products. first, count, target: as for `fill`. */
	void (*fill_wide)(const struct problem *problem, size_t operand, int64_t first,
		int64_t count, int64_t limit, float *target);

	/* NULL: the reference is fast enough to compare every element. Else checks the whole output
	 * for integer inputs, faster than the reference. EXACT_WRONG sets *ret_row and *ret_column;
	 * otherwise they are untouched. */
	enum exact_result (*exact_check)(const struct problem *problem, const void *const *inputs,
		const void *output, int64_t *ret_row, int64_t *ret_column);

	/* NULL: an algorithm with fewer operations may exist. Else the arithmetic of a row is the
	 * problem itself: sets the operations that every right kernel of the row executes in one
	 * run, by type (NAN = unknown). Callers use config_certain(). */
	void (*certain)(const struct config *config, const struct problem *problem,
		double ret_operations[OPERATIONS_COUNT]);

	/* Multiply-adds or elements, for budgets. NULL: problem_volume(). Callers: problem_work() */
	double (*work)(const struct problem *problem);
	/* Of one run. NULL: none. Callers: problem_flops(), config_flops() */
	double (*flops)(const struct problem *problem);
	/* NULL: the bytes of all operands. Callers: problem_bytes_compulsory() */
	double (*bytes_compulsory)(const struct problem *problem);

	const struct check_rule *check; /* sizes for `verify` (common/check_sizes.h) */

	struct metric metric; /* METRIC_NONE: none */
	bool shows_ulps;      /* the bounds of its rows differ, so tables also have errors in ulp */

	const struct variant *variants; /* in ladder order */
	size_t variant_count;

	/* Libraries for --peers: see peer_suits(). */
	const struct variant *peers;
	size_t peer_count;
};

/* variant.plan of a peer: one call of the library. */
void plan_library(
	const struct config *config, const struct problem *problem, struct plan *ret_plan);

/* The members of a row of family->peers. computes: enum peer_operation. called: the function. */
#define ROW_LIBRARY(library, computes, called)                                            \
	.peer = (library), .call = (computes), .entry = (called), .technique = "library", \
	.book = "-", .plan = plan_library

/* The product of the sizes. */
double problem_volume(const struct problem *problem);

/* The functions of the family, or their defaults. */
int64_t problem_chain(const struct problem *problem);
double problem_work(const struct problem *problem);

/* A size that is no extent of an operand, such as the width of a window; -1: none. */
int family_window_dim(const struct family *family);

/* Whether an operand has two dimensions. */
bool family_has_matrix(const struct family *family);
double problem_flops(const struct problem *problem);

/* family.reference: the sums of the rows of the first operand, a matrix of f32 with the first two sizes. */
void reference_of_rows(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected);

/* The output: the last operand of the family. */
static inline const struct operand *problem_output(const struct problem *problem)
{
	return &problem->family->operands[problem->family->operand_count - 1];
}

/* Compulsory bytes: each input is read once, and each output is written once. The inputs have the
 * types of the device: with ROUND_F16, f32 inputs are stored as f16. Elements that no kernel of the
 * family uses do not count. */
double problem_bytes_compulsory(const struct problem *problem);

/* Whether the family has few operations per byte at its default size on a GPU. Tables show GB/s for
 * such a family, else GFLOP/s. */
bool family_is_about_memory(const struct family *family);

/* "m=n=k=512", "m=7 n=5 k=3". */
void problem_text(const struct problem *problem, char *ret_text, size_t size);

/* "f32", "i32 max", "u8 skewed": type, operation and data. */
void problem_choices_text(const struct problem *problem, char *ret_text, size_t size);

/* Returns a problem of the family with the default choices and seed 1. All sizes are 0. */
struct problem problem_default(const struct family *family);

/* Sets the default sizes of `run` on a class of devices. */
void problem_default_size(struct problem *problem, enum device_class device_class);

/* Halves the sizes, except those with a default (dim_default). Skips problems that the family does
 * not allow. Returns false, with the sizes unchanged, if there is no smaller problem. */
bool problem_halve(struct problem *problem);

/* family_choice_count(): number of choices (types x operations x data) of the family, >= 1.
 * problem_choose(): sets choice number `index` in the problem; the rest stays. */
size_t family_choice_count(const struct family *family);
void problem_choose(struct problem *problem, size_t index);

/* Macros for the choices of the problem, each defined as 1 for the kernel: "DTYPE_I32", "OP_SUM".
 * There is none for a choice that the family does not have. */
#define PMPP_CHOICE_MACROS 2
struct choice_macros {
	char name[PMPP_CHOICE_MACROS][24];
	size_t count;
};
struct choice_macros problem_macros(const struct problem *problem);

/*
 * Calls each row's functions at the check sizes and at the default sizes, with every choice.
 * PMPP_INTERNAL if a function reads a macro that its row does not have (config_value()): the error
 * names the row and the macro. Takes less than a millisecond per family. Call it for every family
 * before a row is used.
 */
enum pmpp_status family_check(const struct family *family, struct pmpp_error *error);

/* Returns the last macro that config_value() did not find on this thread, or NULL, and clears it.
 */
const char *config_take_missing(void);

/* ---- Registry (common/families/registry.c) ------------------------------------------------- */

extern const struct family *const families[];
extern const size_t family_count;

/* Sets the family of a problem of the user, which family_find() then knows too. It is not in `families`. */
void family_set_own(const struct family *family);

/* Return NULL if there is none with this name. */
const struct family *family_find(const char *name);
const struct variant *variant_find(const struct family *family, const char *name);

/* Whether the variant is compared with the peer of its family: both get the same inputs, with the same rounding, in
 * the same order. */
bool peer_suits(const struct variant *peer, const struct variant *variant);

/* The family of a variant, peer or kernel of the user. */
const struct family *variant_family(const struct variant *variant);

/* Returns whether the variant solves the problem of its family at full precision, so that its time
 * can be the best time of the family. It does not if
 *   - it rounds its inputs first (variant.rounding)
 *   - an operand is in column-major order: that is another problem, such as a copy in place of a
 *     transpose
 *   - each row of the family has its own answer (family.reference is NULL).
 * true for names that this version does not have: other versions have other variants. */
bool variant_solves_family(const char *family, const char *variant);

#endif
