/* Files to start from: an empty kernel of a family, and the head of a built-in variant in a file of its own. */
#include "common/own/start.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/host_code.h"
#include "common/own/reader.h"
#include "common/text.h"

struct text {
	char *to;
	size_t size;
};

#define PUT(text, ...) text_append((text)->to, (text)->size, __VA_ARGS__)

/* ---- An empty kernel ------------------------------------------------------------------------- */

/* Types in CUDA and in OpenCL. */
static const char *const type_names[DTYPE_COUNT][2] = {
	[DTYPE_F32] = {"float", "float"},
	[DTYPE_F16] = {"__half", "half"},
	[DTYPE_I32] = {"int", "int"},
	[DTYPE_U32] = {"unsigned int", "uint"},
	[DTYPE_U8] = {"unsigned char", "uchar"},
};

static void put_extent(
	const struct family *family, int dim, int64_t scale, int64_t plus, struct text *text)
{
	if (dim == DIM_ONE)
		PUT(text, "%" PRId64, (scale ? scale : 1) + plus);
	else if (scale > 1)
		PUT(text, "%" PRId64 " * %s", scale, family->dim_names[dim]);
	else
		PUT(text, "%s", family->dim_names[dim]);
	if (dim != DIM_ONE && plus)
		PUT(text, " + %" PRId64, plus);
}

/* "m x k" */
static void put_shape(const struct family *family, const struct operand *operand, struct text *text)
{
	put_extent(family, operand->rows_dim, operand->rows_scale, operand->rows_plus, text);
	if (operand->columns_dim == DIM_ONE && operand->columns_scale < 2)
		return;
	PUT(text, " x ");
	put_extent(family, operand->columns_dim, operand->columns_scale, 0, text);
}

/* The sizes that the threads cover in x and y. The second is DIM_ONE for a line of threads. */
struct cover {
	int dims[2];
	bool inputs; /* the threads are those of an input: several write one element of the output */
};

static struct cover cover_of(const struct problem *problem)
{
	const struct family *family = problem->family;
	const struct operand *output = problem_output(problem);
	bool varies = output->rows_dim != DIM_ONE && !family->dim_default[output->rows_dim];

	if (output->columns_dim != DIM_ONE)
		return (struct cover){{output->columns_dim, output->rows_dim}, false};
	if (varies)
		return (struct cover){{output->rows_dim, DIM_ONE}, false};
	return (struct cover){{family->operands[0].rows_dim, DIM_ONE}, true};
}

static void put_explanation(
	const struct problem *problem, const char *file, bool cuda, struct text *text)
{
	const struct family *family = problem->family;

	PUT(text, "// %s: %s\n// %s\n//\n", family->name, family->title, family->size_help);
	for (size_t i = 0; i < family->operand_count; i++) {
		const struct operand *operand = &family->operands[i];
		PUT(text, "//   %-8s %-7s %s, ", operand->name,
			operand->role == OPERAND_IN ? "input" : "output",
			type_names[operand_dtype(operand, problem)][!cuda]);
		put_shape(family, operand, text);
		PUT(text, "\n");
	}
	for (size_t d = 0; d < family->dim_count; d++)
		PUT(text, "//   %-8s size    int\n", family->dim_names[d]);
	PUT(text, "//\n// Matrices are in row-major order. Check the kernel: pmpp-run try %s\n",
		file);
}

static void put_launch(const struct family *family, const struct cover *cover, struct text *text)
{
	const struct operand *output = &family->operands[family->operand_count - 1];
	const char *const *names = family->dim_names;

	PUT(text, "//pmpp: problem = %s\n", family->name);
	if (family->ops[0])
		PUT(text, "//pmpp: op = %s\n", family->ops[0]);
	if (cover->inputs)
		PUT(text, "//pmpp: clear = %s\n", output->name);
	if (cover->dims[1] == DIM_ONE)
		PUT(text, "//pmpp: block = 256\n//pmpp: grid = ceil(%s / 256)\n\n",
			names[cover->dims[0]]);
	else
		PUT(text,
			"//pmpp: block = 16 x 16\n//pmpp: grid = ceil(%s / 16), ceil(%s / 16)\n\n",
			names[cover->dims[0]], names[cover->dims[1]]);
}

static void put_index(
	const char *name, const struct cover *cover, size_t axis, bool cuda, struct text *text)
{
	int letter = "xy"[axis];

	if (cover->dims[axis] == DIM_ONE)
		return;
	if (cuda)
		PUT(text, "\t// int %s = blockIdx.%c * blockDim.%c + threadIdx.%c;\n", name, letter,
			letter, letter);
	else
		PUT(text, "\t// int %s = get_global_id(%zu);\n", name, axis);
}

void own_start_text(
	const struct family *family, const char *file, bool cuda, char *ret_text, size_t size)
{
	const struct problem problem = problem_default(family);
	const struct cover cover = cover_of(&problem);
	struct text text = {ret_text, size};
	bool flat = cover.dims[1] == DIM_ONE;

	*ret_text = '\0';
	put_explanation(&problem, file, cuda, &text);
	put_launch(family, &cover, &text);
	PUT(&text, "%s void %s(", cuda ? "__global__" : "__kernel", family->name);
	for (size_t i = 0; i < family->operand_count; i++)
		PUT(&text, "%s%s%s%s *%s", i ? ", " : "", cuda ? "" : "__global ",
			family->operands[i].role == OPERAND_IN ? "const " : "",
			type_names[operand_dtype(&family->operands[i], &problem)][!cuda],
			family->operands[i].name);
	for (size_t d = 0; d < family->dim_count; d++)
		PUT(&text, ", int %s", family->dim_names[d]);
	PUT(&text, ")\n{\n\t// Write %s here.%s\n", problem_output(&problem)->name,
		cover.inputs ? " Several threads write one element: use atomic operations." : "");
	put_index(flat ? "i" : "column", &cover, 0, cuda, &text);
	put_index("row", &cover, 1, cuda, &text);
	PUT(&text, "}\n");
}

/* ---- A built-in variant ------------------------------------------------------------------------ */

#define MAX_SAMPLES 24
#define LARGE_DIM (INT64_C(1) << 30)
#define FORM_BYTES 200

/* A variant, its kernel in the source, and its plans at several sizes. */
struct rung {
	const struct config *config;
	const struct family *family;
	const struct own_kernel *kernel; /* has the names of its parameters */
	struct problem problems[MAX_SAMPLES];
	struct plan plans[MAX_SAMPLES];
	size_t count;
	struct pmpp_error *error;
};

static enum pmpp_status refuse(const struct rung *rung, const char *reason)
{
	return PMPP_FAIL(rung->error, PMPP_USAGE,
		"%s/%s cannot be a file for `try`: %s: choose another variant", rung->family->name,
		rung->config->variant->name, reason);
}

/* What a file of the user cannot have. NULL: nothing. */
static const char *obstacle(const struct variant *variant, const struct family *family)
{
	if (!family->reference || variant->reference)
		return "it has another answer than the family";
	if (variant->by_columns || variant->pitch)
		return "its operands have another layout in memory";
	if (variant->rounding != ROUND_NONE)
		return "its inputs are rounded first";
	return variant->scratch ? "it uses buffers that are no operands" : NULL;
}

static const struct plan_launch *launch_of(const struct plan *plan)
{
	size_t step = 0;

	return plan_launch_from(plan, &step);
}

/* The plan of a problem; false: the variant is not for the problem. */
static bool plan_at(const struct rung *rung, const struct problem *problem, struct plan *ret_plan)
{
	const struct variant *variant = rung->config->variant;

	if ((rung->family->invalid && rung->family->invalid(problem)) ||
		(variant->domain && variant->domain(rung->config, problem)))
		return false;
	*ret_plan = (struct plan){0};
	config_plan(rung->config, problem, ret_plan);
	return true;
}

static void take_samples(struct rung *rung)
{
	static const int64_t sizes[] = {
		1, 7, 33, 100, 257, 1000, 4099, 65537, 1000003, 64, 1024, 31, 3, 513};
	size_t count = COUNT(sizes);

	for (size_t i = 0; i < 4 * count && rung->count < MAX_SAMPLES; i++) {
		struct problem *problem = &rung->problems[rung->count];
		*problem = problem_default(rung->family);
		for (size_t d = 0; d < rung->family->dim_count; d++)
			if (rung->family->dim_default[d] && i < count)
				problem->dim[d] = rung->family->dim_default[d];
			else
				problem->dim[d] = sizes[(i * (2 * d + 1) + 5 * d) % count];
		rung->count += plan_at(rung, problem, &rung->plans[rung->count]);
	}
}

/* Whether all plans are fills with zeros and one launch, with one block and one amount of shared memory. */
static const char *launch_obstacle(const struct rung *rung)
{
	const struct plan_launch *first = launch_of(&rung->plans[0]);

	for (size_t i = 0; i < rung->count; i++) {
		const struct plan *plan = &rung->plans[i];
		const struct plan_launch *launch = launch_of(plan);
		size_t launches = 0, fills = 0;
		for (size_t s = 0; s < plan->step_count; s++) {
			const struct plan_step *step = &plan->steps[s];
			launches += step->kind == PLAN_LAUNCH;
			fills += step->kind == PLAN_FILL && step->as.fill.pattern == 0 &&
				 step->as.fill.buffer.kind == PLAN_ARG_OPERAND;
		}
		if (launches != 1 || launches + fills != plan->step_count || fills > 1)
			return "it has several launches or other steps";
		if (launch->groups[1] > 1 || launch->groups[2] > 1)
			return "its grid is not a simple expression of the sizes";
		if (memcmp(launch->block, first->block, sizeof first->block) != 0 ||
			strcmp(launch->entry, first->entry) != 0)
			return "its block depends on the size";
	}
	return rung->count ? NULL : "it has no size";
}

/* ---- Its grid and its shared memory */

/* The number of blocks: tiles along some sizes, at most `most`. */
struct grid_form {
	int64_t tile[PMPP_MAX_DIMS]; /* 0: independent of the size */
	bool joint;                  /* tiles of the product of the sizes */
	uint64_t most;               /* 0: no limit */
};

/* The number of blocks if one size has a value, and the others are 1 or their defaults. */
static uint64_t blocks_at(const struct rung *rung, size_t dim, int64_t value)
{
	struct problem problem = problem_default(rung->family);
	struct plan plan = {0};

	for (size_t d = 0; d < rung->family->dim_count; d++)
		problem.dim[d] = rung->family->dim_default[d] ? rung->family->dim_default[d] : 1;
	problem.dim[dim] = value;
	config_plan(rung->config, &problem, &plan);
	return launch_of(&plan) ? launch_of(&plan)->groups[0] : 0;
}

/* Whether the text has the value in all plans: of the blocks, or of the dynamic shared memory. */
static bool is_value(const struct rung *rung, const char *text, bool is_shared)
{
	char reason[EXPRESSION_PROBLEM_BYTES];
	int64_t value = -1;
	bool same = true;

	for (size_t i = 0; i < rung->count && same; i++) {
		const struct plan_launch *launch = launch_of(&rung->plans[i]);
		same = problem_value(&rung->problems[i], text, &value, reason) &&
		       value == (is_shared ? launch->shared_bytes : (int64_t)launch->groups[0]);
	}
	return same;
}

/* The macro with this value, for a number of threads or elements in a direction; NULL: none, or several. */
static const char *macro_of(const struct rung *rung, int64_t value, size_t axis)
{
	const struct macro *macros = rung->config->variant->macros;
	const char *found = NULL;
	size_t count = 0;

	for (size_t i = 0; macros[i].name; i++) {
		const char *end = strrchr(macros[i].name, '_');
		if (rung->config->value[i] != value || value < 2)
			continue;
		found = macros[i].name;
		if (end && end[1] == "XY?"[axis] && !end[2])
			return found;
		count++;
	}
	return count == 1 ? found : NULL;
}

/* named: a macro in place of its value */
static void put_number(
	const struct rung *rung, int64_t value, size_t axis, bool named, struct text *text)
{
	const char *macro = named ? macro_of(rung, value, axis) : NULL;

	if (macro)
		PUT(text, "%s", macro);
	else
		PUT(text, "%" PRId64, value);
}

static void put_form(
	const struct rung *rung, const struct grid_form *form, bool named, struct text *text)
{
	int64_t tile = 1;
	size_t count = 0;

	if (form->most)
		PUT(text, "min(%" PRIu64 ", ", form->most);
	PUT(text, "%s", form->joint ? "ceil(" : "");
	for (size_t d = 0; d < rung->family->dim_count; d++) {
		if (!form->tile[d])
			continue;
		tile = form->tile[d];
		bool divides = !form->joint && tile > 1;
		PUT(text, "%s%s%s", count++ ? " * " : "", divides ? "ceil(" : "",
			rung->family->dim_names[d]);
		if (!divides)
			continue;
		PUT(text, " / ");
		put_number(rung, tile, form->tile[0] && form->tile[1] ? d : 0, named, text);
		PUT(text, ")");
	}
	PUT(text, "%s", count ? "" : "1");
	if (form->joint)
		PUT(text, " / %" PRId64 ")", tile);
	PUT(text, "%s", form->most ? ")" : "");
}

/* Finds the form that has the blocks of all plans. */
static bool find_form(const struct rung *rung, struct grid_form *ret_form)
{
	struct grid_form form = {.joint = false};
	char text[FORM_BYTES] = "";

	for (size_t d = 0; d < rung->family->dim_count; d++) {
		int64_t low = 1, high = LARGE_DIM;
		uint64_t all = blocks_at(rung, d, high);
		if (rung->family->dim_default[d] || all == blocks_at(rung, d, 1))
			continue;
		while (low + 1 < high) {
			int64_t middle = (low + high) / 2;
			*(blocks_at(rung, d, middle) <= 1 ? &low : &high) = middle;
		}
		form.tile[d] = low;
		if (all < (uint64_t)((LARGE_DIM + low - 1) / low))
			form.most = all;
	}
	put_form(rung, &form, false, &(struct text){text, sizeof text});
	form.joint = !is_value(rung, text, false);
	*text = '\0';
	put_form(rung, &form, false, &(struct text){text, sizeof text});
	*ret_form = form;
	return is_value(rung, text, false);
}

/* Writes the dynamic shared memory: a constant, or a constant times a size. Returns false if it is something else. */
static bool put_shared(const struct rung *rung, struct text *text)
{
	int64_t bytes = launch_of(&rung->plans[0])->shared_bytes;
	char value[FORM_BYTES];
	bool found = false;

	snprintf(value, sizeof value, "%" PRId64, bytes);
	found = is_value(rung, value, true);
	for (size_t d = 0; d < rung->family->dim_count && !found; d++) {
		snprintf(value, sizeof value, "%" PRId64 " * %s", bytes / rung->problems[0].dim[d],
			rung->family->dim_names[d]);
		found = is_value(rung, value, true);
	}
	if (found && bytes > 0)
		PUT(text, "//pmpp: shared = %s\n", value);
	return found;
}

static enum pmpp_status put_block_and_grid(const struct rung *rung, struct text *text)
{
	const struct plan_launch *launch = launch_of(&rung->plans[0]);
	struct grid_form form;

	if (!find_form(rung, &form))
		return refuse(rung, "its grid is not a simple expression of the sizes");
	PUT(text, "//pmpp: block = ");
	for (size_t axis = 0; axis < 3 && (axis < 2 || launch->block[2] > 1); axis++) {
		if (axis == 1 && launch->block[1] == 1 && launch->block[2] == 1)
			break;
		PUT(text, "%s", axis ? " x " : "");
		put_number(rung, launch->block[axis], axis, true, text);
	}
	PUT(text, "\n//pmpp: grid = ");
	put_form(rung, &form, true, text);
	PUT(text, "\n");
	return put_shared(rung, text)
		       ? PMPP_OK
		       : refuse(rung, "its shared memory is not a simple expression of the sizes");
}

/* ---- Its arguments */

/* The size that an argument is in most plans; PMPP_MAX_DIMS: none. A plan may cut a size that has no effect beyond. */
static size_t dim_of_argument(const struct rung *rung, size_t argument)
{
	for (size_t d = 0; d < rung->family->dim_count; d++) {
		size_t same = 0;
		for (size_t i = 0; i < rung->count; i++)
			same += launch_of(&rung->plans[i])->args[argument].value ==
				rung->problems[i].dim[d];
		if (2 * same > rung->count)
			return d;
	}
	return PMPP_MAX_DIMS;
}

/* Writes an argument: an operand, a size, or a number that is the same in all plans. Returns false if it is
 * something else. */
static bool argument_text(const struct rung *rung, size_t argument, char ret_text[OWN_NAME_BYTES])
{
	const struct plan_arg *arg = &launch_of(&rung->plans[0])->args[argument];
	bool same = true;

	if (arg->kind == PLAN_ARG_OPERAND) {
		snprintf(ret_text, OWN_NAME_BYTES, "%s", rung->family->operands[arg->value].name);
		return true;
	}
	if (arg->kind != PLAN_ARG_INT && arg->kind != PLAN_ARG_ULONG)
		return false;
	size_t dim = dim_of_argument(rung, argument);
	if (dim < PMPP_MAX_DIMS) {
		snprintf(ret_text, OWN_NAME_BYTES, "%s", rung->family->dim_names[dim]);
		return true;
	}
	for (size_t i = 0; i < rung->count; i++)
		same &= launch_of(&rung->plans[i])->args[argument].value == arg->value;
	snprintf(ret_text, OWN_NAME_BYTES, "%" PRId64, arg->value);
	return same;
}

static enum pmpp_status put_arguments(const struct rung *rung, struct text *text)
{
	const struct plan *plan = &rung->plans[0];
	const struct plan_launch *launch = launch_of(plan);
	const struct own_kernel *kernel = rung->kernel;
	size_t used = 0;

	for (size_t i = 0; i < kernel->param_count; i++) {
		char name[OWN_NAME_BYTES];
		if (kernel->params[i].local)
			continue;
		if (used >= launch->arg_count || !argument_text(rung, used++, name))
			return refuse(rung, "a parameter is neither an operand nor a size");
		if (strcmp(name, kernel->params[i].name) != 0)
			PUT(text, "//pmpp: %s = %s\n", kernel->params[i].name, name);
		for (size_t s = 0; s < plan->step_count; s++)
			if (plan->steps[s].kind == PLAN_FILL &&
				strcmp(rung->family->operands[plan->steps[s].as.fill.buffer.value]
						.name,
					name) == 0)
				PUT(text, "//pmpp: clear = %s\n", kernel->params[i].name);
	}
	return used == launch->arg_count ? PMPP_OK : refuse(rung, "its parameters are not known");
}

static void put_macros(const struct rung *rung, struct text *text)
{
	const struct variant *variant = rung->config->variant;
	const struct choice_macros choices = problem_macros(&rung->problems[0]);

	for (size_t i = 0; variant->macros[i].name; i++)
		PUT(text, "#ifndef %s\n#define %s %d\n#endif\n", variant->macros[i].name,
			variant->macros[i].name, rung->config->value[i]);
	for (size_t i = 0; variant->constants[i].name; i++)
		PUT(text, "#ifndef %s\n#define %s %d\n#endif\n", variant->constants[i].name,
			variant->constants[i].name, variant->constants[i].value);
	for (size_t i = 0; i < choices.count; i++)
		PUT(text, "#ifndef %s\n#define %s 1\n#endif\n", choices.name[i], choices.name[i]);
}

static enum pmpp_status put_rung(const struct rung *rung, const char *file, struct text *text)
{
	const struct variant *variant = rung->config->variant;

	PUT(text, "// %s/%s: %s\n//\n// Check the kernel: pmpp-run try %s\n", rung->family->name,
		variant->name, variant->idea, file);
	PUT(text, "//pmpp: problem = %s\n//pmpp: kernel = %s\n", rung->family->name,
		launch_of(&rung->plans[0])->entry);
	if (rung->family->ops[0])
		PUT(text, "//pmpp: op = %s\n", rung->family->ops[0]);
	enum pmpp_status status = put_block_and_grid(rung, text);
	if (status == PMPP_OK)
		status = put_arguments(rung, text);
	PUT(text, "\n");
	put_macros(rung, text);
	PUT(text, "\n");
	return status;
}

enum pmpp_status own_rung_head(const struct config *config, const char *source, const char *file,
	bool cuda, char *ret_text, size_t size, struct pmpp_error *error)
{
	struct own_kernel *kernel = calloc(1, sizeof *kernel);
	struct rung *rung = calloc(1, sizeof *rung);
	const struct own_wishes wishes = {.kernel = config->variant->entry};
	const char *reason = NULL;
	struct own_reader reader = {
		.kernel = kernel, .wishes = &wishes, .path = file, .error = error};
	enum pmpp_status status = PMPP_OK;

	*ret_text = '\0';
	if (kernel) {
		kernel->cuda = cuda;
		kernel->text = strdup(source);
		kernel->code = source_code_copy(source);
	}
	if (!rung || !kernel || !kernel->text || !kernel->code)
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for %s", file);
	if (status == PMPP_OK) {
		*rung = (struct rung){.config = config,
			.family = variant_family(config->variant),
			.kernel = kernel,
			.error = error};
		take_samples(rung);
		reason = obstacle(config->variant, rung->family);
		reason = reason ? reason : launch_obstacle(rung);
		status = reason ? refuse(rung, reason) : own_find_kernel(&reader);
	}
	if (status == PMPP_OK)
		status = own_read_parameters(&reader);
	if (status == PMPP_OK)
		status = put_rung(rung, file, &(struct text){ret_text, size});
	free(rung);
	own_kernel_destroy(kernel);
	return status;
}
