#include "common/family.h"

#include "common/expression.h"
#include "common/integers.h"
#include "common/text.h"
#include "common/words.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Saturates on overflow. A later check rejects such sizes with a message. */
static int64_t extent(const struct problem *problem, int dim, int64_t scale, int64_t plus)
{
	int64_t value = dim == DIM_ONE ? 1 : problem->dim[dim];

	if (__builtin_mul_overflow(value, scale ? scale : 1, &value) ||
		__builtin_add_overflow(value, plus, &value))
		return INT64_MAX;
	return value;
}

static bool find_dim(void *context, const char *name, size_t length, struct number *ret_number)
{
	const struct problem *problem = context;

	for (size_t d = 0; d < problem->family->dim_count; d++)
		if (same_word(name, length, problem->family->dim_names[d])) {
			*ret_number = (struct number){(double)problem->dim[d], false};
			return true;
		}
	return false;
}

bool problem_value(const struct problem *problem, const char *text, int64_t *ret_value,
	char ret_reason[EXPRESSION_PROBLEM_BYTES])
{
	const struct expression_names names = {
		find_dim, (struct problem *)(uintptr_t)problem, .exact = true};
	struct number number;

	if (!expression_value(text, strlen(text), &names, &number, ret_reason))
		return false;
	*ret_value = (int64_t)number.value; /* at most 2^62 */
	return true;
}

static int64_t operand_extent(
	const struct operand *operand, const struct problem *problem, int axis)
{
	char reason[EXPRESSION_PROBLEM_BYTES];
	int64_t value;

	if (operand->shape[axis])
		return problem_value(problem, operand->shape[axis], &value, reason) ? value
										    : INT64_MAX;
	return axis == 0
		       ? extent(problem, operand->rows_dim, operand->rows_scale, operand->rows_plus)
		       : extent(problem, operand->columns_dim, operand->columns_scale, 0);
}

enum dtype operand_dtype(const struct operand *operand, const struct problem *problem)
{
	return operand->dtype_of_problem ? problem->dtype : operand->dtype;
}

int64_t operand_rows(const struct operand *operand, const struct problem *problem)
{
	return operand_extent(operand, problem, 0);
}

int64_t operand_columns(const struct operand *operand, const struct problem *problem)
{
	return operand_extent(operand, problem, 1);
}

uint64_t operand_bytes(const struct operand *operand, const struct problem *problem)
{
	uint64_t elements;
	uint64_t bytes;

	if (__builtin_mul_overflow((uint64_t)operand_rows(operand, problem),
		    (uint64_t)operand_columns(operand, problem), &elements) ||
		__builtin_mul_overflow(
			elements, dtype_info(operand_dtype(operand, problem))->bytes, &bytes))
		return UINT64_MAX;
	return bytes;
}

enum dtype operand_stored_dtype(
	const struct operand *operand, const struct problem *problem, enum input_rounding rounding)
{
	enum dtype dtype = operand_dtype(operand, problem);
	bool half = operand->role == OPERAND_IN && dtype == DTYPE_F32 && rounding == ROUND_F16;

	return half ? DTYPE_F16 : dtype;
}

static double stored_bytes(
	const struct operand *operand, const struct problem *problem, enum input_rounding rounding)
{
	double elements =
		(double)operand_rows(operand, problem) * (double)operand_columns(operand, problem);

	return elements * dtype_info(operand_stored_dtype(operand, problem, rounding))->bytes;
}

double problem_bytes_compulsory(const struct problem *problem)
{
	double bytes = 0;

	if (problem->family->bytes_compulsory)
		return problem->family->bytes_compulsory(problem);
	for (size_t i = 0; i < problem->family->operand_count; i++)
		bytes += stored_bytes(&problem->family->operands[i], problem, problem->rounding);
	return bytes;
}

void reference_of_rows(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected)
{
	int64_t columns = problem->dim[1];
	double underflow = arithmetic_sum_underflow(&problem->arithmetic, (double)columns);

	for (int64_t i = 0; i < region.rows; i++) {
		ret_expected[i] = expected_sum(
			(const float *)inputs[0] + (region.row + i) * columns, columns);
		ret_expected[i].slack = underflow;
	}
}

static const int *find_value(const struct config *config, const char *name)
{
	const struct macro *macros = config->variant->macros;

	for (size_t i = 0; macros[i].name; i++)
		if (strcmp(macros[i].name, name) == 0)
			return &config->value[i];
	return NULL;
}

/* Each thread has its own, because several threads compute parts of a reference. */
static _Thread_local const char *missing;

const char *config_take_missing(void)
{
	const char *name = missing;

	missing = NULL;
	return name;
}

int config_value(const struct config *config, const char *name)
{
	const int *value = find_value(config, name);

	assert(value && "the row has no macro of this name");
	if (value)
		return *value;
	missing = name;
	return 1; /* a safe divisor */
}

int config_value_or(const struct config *config, const char *name, int otherwise)
{
	const int *value = find_value(config, name);

	return value ? *value : otherwise;
}

int64_t config_tile(const struct config *config, size_t dim)
{
	const struct tile_extent *extent = &config->variant->tile[dim];
	int64_t value = extent->times;

	if (!extent->macro)
		return value;
	value = (value ? value : 1) * config_value(config, extent->macro) *
		(extent->other ? config_value(config, extent->other) : 1);
	return extent->divisor ? value / extent->divisor : value;
}

enum operations config_operations(const struct config *config, const struct problem *problem)
{
	enum operations operations = config->variant->operations;

	return operations == OPERATIONS_OF_DTYPE ? operations_of_dtype(problem->dtype) : operations;
}

struct floor_work config_traffic(const struct config *config, const struct problem *problem)
{
	const struct operand *operands = problem->family->operands;
	struct floor_work work = floor_work_unknown();
	struct plan plan;

	config_plan(config, problem, &plan);
	work.launches = 0;
	for (size_t i = 0; i < plan.step_count; i++)
		work.launches +=
			plan.steps[i].kind == PLAN_LAUNCH || plan.steps[i].kind == PLAN_CALL;
	work.bytes_read = work.bytes_written = 0;
	for (size_t i = 0; i < problem->family->operand_count; i++)
		*(operands[i].role == OPERAND_IN ? &work.bytes_read : &work.bytes_written) +=
			stored_bytes(&operands[i], problem, config->variant->rounding);
	work.l2_bytes = work.bytes_read + work.bytes_written;
	work.operations[config_operations(config, problem)] = config_flops(config, problem);
	if (config->variant->traffic)
		config->variant->traffic(config, problem, &work);
	return work;
}

struct floor_work config_certain(const struct config *config, const struct problem *problem)
{
	const struct family *family = problem->family;
	double bytes = problem_bytes_compulsory(problem);
	struct floor_work work = floor_work_unknown();

	work.launches = config_traffic(config, problem).launches;
	work.bytes_written =
		fmin(bytes, stored_bytes(problem_output(problem), problem, ROUND_NONE));
	work.bytes_read = bytes - work.bytes_written;
	if (family->certain)
		family->certain(config, problem, work.operations);
	return work;
}

const int lanes_choices[] = {4, 8, 16, 32, 64, 128, 0};

int macro_default(const struct macro *macro, const struct kernel_shape *shape)
{
	int value = lanes_choices[0];

	if (macro->value != MACRO_OF_LANES)
		return macro->value;
	for (const int *choice = lanes_choices; *choice && *choice <= shape->lanes; choice++)
		value = *choice;
	return value;
}

/* Gives one macro its next larger choice with which the config is feasible. LANES stays. */
static void enlarge(struct config *config)
{
	const struct variant *variant = config->variant;

	for (size_t i = 0; variant->macros[i].name; i++) {
		const struct macro *macro = &variant->macros[i];
		const int value = config->value[i];

		if (!macro->choices || macro->value == MACRO_OF_LANES)
			continue;
		for (const int *choice = macro->choices; *choice; choice++) {
			config->value[i] = *choice;
			if (*choice > value && !variant->infeasible(config))
				return;
		}
		config->value[i] = value;
	}
}

struct config config_for(const struct variant *variant, const struct kernel_shape *shape)
{
	struct config config = {.variant = variant, .shape = *shape};

	for (size_t i = 0; variant->macros[i].name; i++)
		config.value[i] = macro_default(&variant->macros[i], shape);
	if (variant->infeasible && variant->infeasible(&config))
		enlarge(&config);
	return config;
}

int config_lanes(const struct config *config)
{
	const struct macro *macros = config->variant->macros;

	for (size_t i = 0; macros[i].name; i++)
		if (macros[i].value == MACRO_OF_LANES)
			return config->value[i];
	return 0;
}

unsigned config_reads(const struct config *config)
{
	const struct macro lanes = MACRO_LANES;
	bool of_device = config_lanes(config) == macro_default(&lanes, &config->shape);

	return config->variant->reads | (of_device ? KERNEL_SHAPE_LANES : 0);
}

enum reproducibility config_reproducibility(
	const struct config *config, const struct problem *problem)
{
	const struct variant *variant = config->variant;
	bool any_order =
		variant->needs & PMPP_CAP_WARP_REDUCE && problem->arithmetic.warp_sums_in_any_order;

	return any_order && problem->dtype == DTYPE_F32 ? REPRO_BOUND : variant->repro;
}

/* ---- Plans --------------------------------------------------------------------------------- */

const struct plan_launch *plan_step_launch(const struct plan_step *step)
{
	return step->kind == PLAN_LAUNCH ? &step->as.launch : NULL;
}

const struct plan_launch *plan_launch_from(const struct plan *plan, size_t *step)
{
	while (*step < plan->step_count && plan->steps[*step].kind != PLAN_LAUNCH)
		++*step;
	return *step < plan->step_count ? &plan->steps[*step].as.launch : NULL;
}

uint64_t plan_launch_groups(const struct plan_launch *launch)
{
	return launch->groups[0] * launch->groups[1] * launch->groups[2];
}

uint64_t plan_launch_threads(const struct plan_launch *launch)
{
	return (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
}

struct plan_launch *plan_add_kernel(struct plan *plan, const char *entry, int64_t groups,
	int64_t block, const struct plan_arg *args, size_t arg_count)
{
	assert(plan->step_count < PMPP_MAX_STEPS && arg_count <= PMPP_MAX_ARGS);
	struct plan_step *step = &plan->steps[plan->step_count++];

	*step = (struct plan_step){.kind = PLAN_LAUNCH,
		.as.launch = {.entry = entry,
			.groups = {(uint64_t)groups, 1, 1},
			.block = {(uint32_t)block, 1, 1},
			.arg_count = arg_count}};
	for (size_t i = 0; i < arg_count; i++)
		step->as.launch.args[i] = args[i];
	return &step->as.launch;
}

struct plan_launch *plan_add_grid(struct plan *plan, const struct config *config,
	const struct problem *problem, int64_t groups, int64_t block_x, int64_t block_y,
	enum plan_arg_kind sizes)
{
	struct plan_launch *launch =
		plan_add_kernel(plan, config->variant->entry, groups, block_x, NULL, 0);

	launch->block[1] = (uint32_t)block_y;
	for (size_t i = 0; i < problem->family->operand_count; i++)
		plan_launch_add(launch, PLAN_ARG_OPERAND, (int64_t)i);
	for (size_t i = 0; i < problem->family->dim_count; i++)
		plan_launch_add(launch, sizes, problem->dim[i]);
	return launch;
}

struct plan_launch *plan_add_tiles(struct plan *plan, const struct config *config,
	const struct problem *problem, enum plan_arg_kind sizes)
{
	return plan_add_grid(plan, config, problem,
		ceil_div(problem->dim[0], config_tile(config, 0)),
		config_value_or(config, "BLOCK", 1), 1, sizes);
}

void plan_tiles(const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	plan_add_tiles(ret_plan, config, problem, PLAN_ARG_ULONG);
}

void plan_add_fill(struct plan *plan, struct plan_arg buffer, uint32_t pattern)
{
	assert(plan->step_count < PMPP_MAX_STEPS);
	plan->steps[plan->step_count++] =
		(struct plan_step){.kind = PLAN_FILL, .as.fill = {buffer, pattern}};
}

void plan_add_kept_fill(struct plan *plan, struct plan_arg buffer, uint32_t pattern)
{
	plan_add_fill(plan, buffer, pattern);
	plan->steps[plan->step_count - 1].as.fill.kept = true;
}

void plan_library(const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	const struct family *family = problem->family;
	const int64_t *dim = problem->dim;

	assert(family->operand_count <= PEER_MAX_BUFFERS);
	ret_plan->steps[ret_plan->step_count++] = (struct plan_step){.kind = PLAN_CALL,
		.as.call = {.function = config->variant->entry,
			.work = {.operation = config->variant->call + problem->op,
				.dtype = problem->dtype,
				.m = dim[0],
				.n = family->dim_count > 1 ? dim[1] : 1,
				.k = family->dim_count > 2 ? dim[2] : 1},
			.buffer_count = family->operand_count}};
}

void plan_launch_add(struct plan_launch *launch, enum plan_arg_kind kind, int64_t value)
{
	assert(launch->arg_count < PMPP_MAX_ARGS);
	launch->args[launch->arg_count++] = (struct plan_arg){kind, value};
}

void config_plan(const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	*ret_plan = (struct plan){.step_count = 0};
	config->variant->plan(config, problem, ret_plan);
	for (size_t s = 0; s < ret_plan->step_count; s++) {
		struct plan_step *step = &ret_plan->steps[s];
		if (step->kind == PLAN_LAUNCH &&
			step->as.launch.shared_bytes < config->shared_bytes)
			step->as.launch.shared_bytes = config->shared_bytes;
	}
}

const char *reproducibility_name(enum reproducibility repro)
{
	static const char *const names[] = {
		[REPRO_BITWISE] = "bitwise", [REPRO_RUN] = "run", [REPRO_BOUND] = "bound"};
	return names[repro];
}

void problem_text(const struct problem *problem, char *ret_text, size_t size)
{
	const struct family *family = problem->family;
	bool equal = true;

	for (size_t i = 1; i < family->dim_count; i++)
		equal = equal && problem->dim[i] == problem->dim[0];
	ret_text[0] = '\0';
	for (size_t i = 0; i < family->dim_count; i++) {
		bool last = i + 1 == family->dim_count;

		text_append(ret_text, size, "%s=", family->dim_names[i]);
		if (!equal || last)
			text_append(ret_text, size, "%lld%s", (long long)problem->dim[i],
				last ? "" : " ");
	}
}

/* ---- Choices ------------------------------------------------------------------------------- */

static size_t count_names(const char *const names[PMPP_MAX_CHOICES])
{
	size_t count = 0;

	while (count < PMPP_MAX_CHOICES && names[count])
		count++;
	return count;
}

static bool arithmetic_equal(const struct arithmetic *a, const struct arithmetic *b)
{
	return a->rules == b->rules && a->exact_divide == b->exact_divide &&
	       a->flushes_f32 == b->flushes_f32 && a->flushes_f16 == b->flushes_f16 &&
	       a->warp_sums_in_any_order == b->warp_sums_in_any_order;
}

bool problem_equal(const struct problem *a, const struct problem *b)
{
	return a->family == b->family && a->dtype == b->dtype && a->op == b->op &&
	       a->data == b->data && a->seed == b->seed && a->source == b->source &&
	       (a->source != INPUT_CASE || a->data_case == b->data_case) &&
	       a->rounding == b->rounding && a->own_kernel == b->own_kernel &&
	       arithmetic_equal(&a->arithmetic, &b->arithmetic) &&
	       memcmp(a->dim, b->dim, sizeof a->dim) == 0;
}

static double unit_roundoff_of(const struct variant *variant, const struct problem *problem)
{
	enum dtype dtype = operand_dtype(problem_output(problem), problem);

	return variant->unit_roundoff > 0 ? variant->unit_roundoff
					  : dtype_info(dtype)->unit_roundoff;
}

double config_bound(const struct config *config, const struct problem *problem)
{
	const struct variant *variant = config->variant;
	const struct family *family = problem->family;
	enum chain_kind kind = variant->chain_kind ? variant->chain_kind : family->chain_kind;
	double roundoff = unit_roundoff_of(variant, problem);
	double any_order = bound_of_chain(kind, problem_chain(problem), roundoff);
	/* A kernel of the user may add f32 in any order. Integers find mistakes that a wide bound
	 * hides. */
	bool takes_any = problem->own_kernel && family->integer_limit &&
			 variant->unit_roundoff <= 0 && any_order < BLIND_BOUND;

	if (problem->source == INPUT_INTEGER)
		return 0;
	return takes_any || !variant->chain
		       ? any_order
		       : bound_of_chain(kind, variant->chain(config, problem), roundoff);
}

double config_work(const struct config *config, const struct problem *problem)
{
	return variant_work_times(config->variant) * problem_work(problem);
}

double config_flops(const struct config *config, const struct problem *problem)
{
	const struct variant *variant = config->variant;

	return variant->flops ? variant->flops(config, problem) : problem_flops(problem);
}

double config_bytes_issued(const struct config *config, const struct problem *problem)
{
	const struct variant *variant = config->variant;

	return variant->bytes_issued ? variant->bytes_issued(config, problem)
				     : problem_bytes_compulsory(problem);
}

double problem_volume(const struct problem *problem)
{
	double volume = 1;

	for (size_t i = 0; i < problem->family->dim_count; i++)
		volume *= (double)problem->dim[i];
	return volume;
}

int64_t problem_chain(const struct problem *problem)
{
	return problem->family->chain ? problem->family->chain(problem) : 1;
}

int family_window_dim(const struct family *family)
{
	for (int d = 0; d < (int)family->dim_count; d++) {
		bool extent = false;
		for (size_t k = 0; k < family->operand_count; k++)
			extent = extent || family->operands[k].rows_dim == d ||
				 family->operands[k].columns_dim == d;
		if (!extent)
			return d;
	}
	return -1;
}

bool family_has_matrix(const struct family *family)
{
	for (size_t k = 0; k < family->operand_count; k++)
		if (family->operands[k].rows_dim != DIM_ONE &&
			family->operands[k].columns_dim != DIM_ONE)
			return true;
	return false;
}

double problem_work(const struct problem *problem)
{
	return problem->family->work ? problem->family->work(problem) : problem_volume(problem);
}

double problem_flops(const struct problem *problem)
{
	return problem->family->flops ? problem->family->flops(problem) : 0;
}

struct problem problem_default(const struct family *family)
{
	return (struct problem){.family = family,
		.dtype = family->dtype_count ? family->dtypes[0] : DTYPE_F32,
		.seed = 1,
		.source = INPUT_RANDOM};
}

void problem_default_size(struct problem *problem, enum device_class device_class)
{
	const struct family *family = problem->family;
	const int64_t *sizes = family->default_size[device_class];

	for (size_t i = 0; i < family->dim_count; i++)
		problem->dim[i] = sizes[i]                 ? sizes[i]
				  : family->dim_default[i] ? family->dim_default[i]
							   : sizes[0];
}

/* Tables show GB/s below this intensity (FLOP per byte): arithmetic limits no device there. */
#define BANDWIDTH_INTENSITY 4

bool family_is_about_memory(const struct family *family)
{
	struct problem problem = problem_default(family);

	problem_default_size(&problem, DEVICE_CLASS_GPU);
	return problem_flops(&problem) < BANDWIDTH_INTENSITY * problem_bytes_compulsory(&problem);
}

bool problem_halve(struct problem *problem)
{
	const struct family *family = problem->family;
	struct problem smaller = *problem;

	for (;;) {
		bool changed = false;

		for (size_t i = 0; i < family->dim_count; i++) {
			if (family->dim_default[i] || smaller.dim[i] < 2)
				continue;
			smaller.dim[i] /= 2;
			changed = true;
		}
		if (!changed)
			return false;
		if (family->invalid && family->invalid(&smaller))
			continue;
		*problem = smaller;
		return true;
	}
}

static size_t at_least_one(size_t count)
{
	return count ? count : 1;
}

size_t family_choice_count(const struct family *family)
{
	return at_least_one(family->dtype_count) * at_least_one(count_names(family->ops)) *
	       at_least_one(count_names(family->data));
}

void problem_choose(struct problem *problem, size_t index)
{
	const struct family *family = problem->family;
	size_t data_count = at_least_one(count_names(family->data));
	size_t ops = at_least_one(count_names(family->ops));

	problem->data = index % data_count;
	problem->op = index / data_count % ops;
	problem->dtype = family->dtype_count ? family->dtypes[index / data_count / ops] : DTYPE_F32;
}

void problem_choices_text(const struct problem *problem, char *ret_text, size_t size)
{
	const struct family *family = problem->family;
	const char *op = family->ops[problem->op];
	const char *data = problem->source == INPUT_USER ? NULL : family->data[problem->data];

	snprintf(ret_text, size, "%s%s%s%s%s", dtype_info(problem->dtype)->name, op ? " " : "",
		op ? op : "", data ? " " : "", data ? data : "");
}

struct choice_macros problem_macros(const struct problem *problem)
{
	const struct family *family = problem->family;
	struct choice_macros macros = {.count = 0};

	if (family->dtype_count)
		snprintf(macros.name[macros.count++], sizeof *macros.name, "%s",
			dtype_info(problem->dtype)->macro);
	if (family->ops[0]) {
		char *name = macros.name[macros.count++];
		snprintf(name, sizeof *macros.name, "OP_%s", family->ops[problem->op]);
		for (; *name; name++)
			*name = (char)toupper((unsigned char)*name);
	}
	return macros;
}
