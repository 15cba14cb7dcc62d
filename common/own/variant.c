/* A file as a variant. Every guess is part of the summary, and the verification shows a wrong one. */
#include "common/own/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/host_code.h"
#include "common/own/reader.h"
#include "common/text.h"
#include "common/words.h"

/* ---- Scratch buffers --------------------------------------------------------------------------- */

/* Reads "partial[ceil(n / 256)] f32". */
static bool read_scratch(struct span text, struct own_scratch *ret_scratch)
{
	const char *open = span_find(text, '[');
	const char *close = open ? closing_bracket(open) : NULL;
	char type[OWN_NAME_BYTES];

	if (!close || close >= text.end)
		return false;
	span_copy((struct span){text.begin, open}, ret_scratch->name, OWN_NAME_BYTES);
	span_copy((struct span){open + 1, close}, ret_scratch->elements, OWN_TEXT_BYTES);
	span_copy((struct span){close + 1, text.end}, type, sizeof type);
	for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
		if (strcmp(dtype_info(dtype)->name, type) == 0) {
			ret_scratch->dtype = dtype;
			return true;
		}
	return false;
}

static enum pmpp_status read_scratch_buffers(const struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const struct problem sample = own_sample_problem(kernel);
	char value[OWN_TEXT_BYTES], reason[EXPRESSION_PROBLEM_BYTES];
	struct span part;
	int64_t elements;

	if (!own_comment(reader, "scratch", value))
		return PMPP_OK;
	for (struct span rest = span_of(value); span_take_part(&rest, &part);) {
		if (kernel->scratch_count == PMPP_MAX_SCRATCH)
			return OWN_REFUSE(reader, "more than %d scratch buffers", PMPP_MAX_SCRATCH);
		struct own_scratch *scratch = &kernel->scratch[kernel->scratch_count++];
		if (!read_scratch(part, scratch))
			return OWN_REFUSE(reader,
				"'//pmpp: scratch = %s': write NAME[ELEMENTS] TYPE, such as "
				"partial[ceil(n / 256)] f32",
				value);
		if (!problem_value(&sample, scratch->elements, &elements, reason))
			return OWN_REFUSE(reader,
				"the scratch buffer '%s': %s: use the sizes of the problem",
				scratch->name, reason);
	}
	return PMPP_OK;
}

/* variant.scratch */
static void scratch_bytes(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH])
{
	const struct own_kernel *kernel = config->variant->own;
	char reason[EXPRESSION_PROBLEM_BYTES];

	for (size_t i = 0; i < kernel->scratch_count; i++) {
		int64_t elements = 1;
		problem_value(problem, kernel->scratch[i].elements, &elements, reason);
		double bytes = (double)(elements > 1 ? elements : 1) *
			       (double)dtype_info(kernel->scratch[i].dtype)->bytes;
		/* More than any device has: the memory check reports it. */
		ret_bytes[i] = bytes < 0x1p60 ? ((uint64_t)bytes + 3) / 4 * 4 : (uint64_t)1 << 60;
	}
}

/* ---- The variant -------------------------------------------------------------------------------- */

static struct plan_arg arg_of(const struct own_param *param, const struct problem *problem)
{
	char reason[EXPRESSION_PROBLEM_BYTES];
	int64_t value = 0;

	switch (param->role) {
	case OWN_OPERAND:
		return (struct plan_arg){PLAN_ARG_OPERAND, (int64_t)param->index};
	case OWN_SIZE:
		return (struct plan_arg){param->arg, problem->dim[param->index]};
	case OWN_SCRATCH:
		return (struct plan_arg){PLAN_ARG_SCRATCH, (int64_t)param->index};
	case OWN_COMPUTED:
		/* The text had a value for other sizes. */
		problem_value(problem, param->text, &value, reason);
		return (struct plan_arg){param->arg, value};
	case OWN_VALUE:
	case OWN_UNBOUND:
	case OWN_LOCAL:
		break;
	}
	return (struct plan_arg){param->arg, param->value};
}

static void add_launch(
	const struct own_kernel *kernel, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch *launch =
		plan_add_kernel(ret_plan, kernel->launched, 1, kernel->block[0], NULL, 0);

	own_launch_set(kernel, problem, launch);
	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role != OWN_LOCAL) {
			struct plan_arg arg = arg_of(&kernel->params[i], problem);
			plan_launch_add(launch, arg.kind, arg.value);
		}
}

/* variant.plan */
static void plan_own(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	const struct own_kernel *kernel = config->variant->own;

	for (size_t i = 0; i < kernel->family->operand_count; i++)
		if (kernel->family->operands[i].in_place)
			plan_add_copy(ret_plan,
				(struct plan_arg){PLAN_ARG_OPERAND,
					(int64_t)kernel->family->operand_count - 1},
				(struct plan_arg){PLAN_ARG_OPERAND, (int64_t)i});
	for (size_t i = 0; i < kernel->family->operand_count; i++)
		if (kernel->cleared >> i & 1)
			plan_add_fill(ret_plan, (struct plan_arg){PLAN_ARG_OPERAND, (int64_t)i}, 0);
	for (size_t i = 0; i < kernel->scratch_count; i++)
		if (kernel->cleared_scratch >> i & 1)
			plan_add_fill(ret_plan, (struct plan_arg){PLAN_ARG_SCRATCH, (int64_t)i}, 0);
	for (; kernel; kernel = kernel->next)
		add_launch(kernel, problem, ret_plan);
}

void own_kernel_fit(const struct own_kernel *kernel, int64_t dim[PMPP_MAX_DIMS])
{
	const struct family *family = kernel->family;

	for (size_t d = 0; d < family->dim_count; d++)
		if (kernel->unbound >> d & 1)
			dim[d] = family->dim_default[d];
		else if (kernel->square && family->dim_default[d] == 0)
			dim[d] = dim[0];
}

/* variant.domain */
static const char *outside(const struct config *config, const struct problem *problem)
{
	const struct own_kernel *kernel = config->variant->own;
	const struct family *family = kernel->family;
	int64_t dim[PMPP_MAX_DIMS];

	memcpy(dim, problem->dim, sizeof dim);
	own_kernel_fit(kernel, dim);
	if (kernel->has_dtype && family->dtype_count > 1 && kernel->dtype != problem->dtype)
		return "the kernel has elements of another type";
	if (memcmp(dim, problem->dim, sizeof dim) != 0)
		return kernel->square
			       ? "the kernel has one parameter for all sizes, so they must be equal"
			       : "the kernel has no parameter for a size that is not the default";
	for (; kernel; kernel = kernel->next)
		for (size_t i = 0; i < kernel->param_count; i++)
			if (kernel->params[i].role == OWN_SIZE &&
				kernel->params[i].arg == PLAN_ARG_INT &&
				dim[kernel->params[i].index] > INT32_MAX)
				return "a size does not fit in the kernel's parameter of 32 bits";
	return NULL;
}

static void make_variant(struct own_kernel *kernel)
{
	const struct family *family = kernel->family;
	const struct operand *output = &family->operands[family->operand_count - 1];

	snprintf(kernel->launched, sizeof kernel->launched, "%s%s", kernel->entry,
		kernel->template_count ? "_instance" : "");
	kernel->variant = (struct variant){.name = kernel->name,
		.technique = "your kernel",
		.idea = "a file of yours; `pmpp-run try` checks its result",
		.book = "-",
		.base = family->variant_count ? family->variants[0].name : NULL,
		.file = kernel->name,
		.entry = kernel->launched,
		.own = kernel,
		.one_sided = !kernel->cuda,
		.cuda_only = kernel->cuda,
		.repro = REPRO_BOUND,
		.plan = plan_own,
		.scratch = kernel->scratch_count ? scratch_bytes : NULL,
		.domain = outside};
	for (size_t d = 0; d < family->dim_count; d++)
		if (family->dim_default[d] == 0)
			kernel->variant.tile[d].times =
				(int)kernel->block[kernel->two_dimensional &&
						   (int)d == output->rows_dim];
}

static void add_dims(const struct own_kernel *kernel, char *text)
{
	const struct family *family = kernel->family;

	for (size_t d = 0; d < family->dim_count; d++)
		if (family->dim_default[d] == 0)
			text_append(text, OWN_SUMMARY_BYTES, " = %s", family->dim_names[d]);
}

/* " for n x m threads", " for rows blocks", " for one thread per element". */
static void add_default_grid(const struct own_kernel *kernel, char *text)
{
	size_t axes = kernel->two_dimensional ? 2 : 1;
	bool known = true;

	for (size_t i = 0; i < axes; i++)
		known &= kernel->extent[i].count > 0;
	text_append(text, OWN_SUMMARY_BYTES, "for ");
	for (size_t i = 0; i < axes && known; i++)
		for (size_t k = 0; k < kernel->extent[i].count; k++)
			text_append(text, OWN_SUMMARY_BYTES, "%s%s",
				k   ? " * "
				: i ? " x "
				    : "",
				kernel->family->dim_names[kernel->extent[i].dims[k]]);
	text_append(text, OWN_SUMMARY_BYTES, "%s",
		!known                     ? "one thread per element"
		: kernel->extent[0].blocks ? " blocks"
					   : " threads");
}

static void write_summary(const struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const struct family *family = kernel->family;
	char *text = kernel->summary;

	snprintf(
		text, OWN_SUMMARY_BYTES, "%s: %s by %s", kernel->file, family->name, kernel->entry);
	for (size_t i = 0; i < kernel->template_count; i++)
		text_append(text, OWN_SUMMARY_BYTES, "%s%s%s", i ? ", " : "<",
			kernel->template_params[i].value,
			i + 1 == kernel->template_count ? ">" : "");
	text_append(text, OWN_SUMMARY_BYTES, "(");
	for (size_t i = 0; i < kernel->param_count; i++) {
		const struct own_param *param = &kernel->params[i];
		const char *bound = param->role == OWN_OPERAND ? family->operands[param->index].name
				    : param->role == OWN_SIZE  ? family->dim_names[param->index]
				    : param->role == OWN_SCRATCH
					    ? kernel->scratch[param->index].name
				    : param->role == OWN_COMPUTED ? param->text
								  : NULL;
		text_append(text, OWN_SUMMARY_BYTES, "%s%s", i ? ", " : "",
			*param->name ? param->name : "without a name");
		if (param->role == OWN_SIZE && kernel->square)
			add_dims(kernel, text);
		else if (bound && strcmp(bound, param->name) != 0)
			text_append(text, OWN_SUMMARY_BYTES, " = %s", bound);
	}
	text_append(text, OWN_SUMMARY_BYTES, "), block %u", kernel->block[0]);
	for (size_t i = 1; i < 3 && (kernel->block[i] > 1 || kernel->block[2] > 1); i++)
		text_append(text, OWN_SUMMARY_BYTES, "x%u", kernel->block[i]);
	text_append(text, OWN_SUMMARY_BYTES, " (%s), grid ", reader->block_from);
	for (size_t i = 0; i < 3 && *kernel->grid[i].text; i++)
		text_append(text, OWN_SUMMARY_BYTES, "%s%s", i ? ", " : "", kernel->grid[i].text);
	if (!*kernel->grid[0].text)
		add_default_grid(kernel, text);
	if (strcmp(reader->grid_from, "the default") != 0)
		text_append(text, OWN_SUMMARY_BYTES, " (%s)", reader->grid_from);
	if (*reader->no_grid)
		text_append(text, OWN_SUMMARY_BYTES, " (the grid of the launch has no value: %s)",
			reader->no_grid);
	if (*kernel->shared.text)
		text_append(text, OWN_SUMMARY_BYTES, ", %s bytes of dynamic shared memory",
			kernel->shared.text);
}

/* ---- All kernels -------------------------------------------------------------------------------- */

/* Whether one of the kernels has the operand as a parameter. */
static bool binds_operand(const struct own_kernel *first, size_t operand)
{
	for (const struct own_kernel *kernel = first; kernel; kernel = kernel->next)
		for (size_t i = 0; i < kernel->param_count; i++)
			if (kernel->params[i].role == OWN_OPERAND &&
				kernel->params[i].index == operand)
				return true;
	return false;
}

/* The kernels of a file with several launches together must have each operand. Sets `unbound` of the first one. */
static enum pmpp_status check_launches(const struct own_reader *reader, struct own_kernel *first)
{
	const struct family *family = first->family;
	size_t steps = 0, index = 0;
	unsigned cleared = 0, cleared_scratch = 0;

	for (struct own_kernel *kernel = first; kernel; kernel = kernel->next) {
		first->unbound &= kernel->unbound;
		cleared |= kernel->cleared;
		cleared_scratch |= kernel->cleared_scratch;
		steps++;
		enum pmpp_status status = own_check_launch(reader, kernel, index++);
		if (status == PMPP_OK && kernel->template_count && first->next)
			status = OWN_REFUSE(reader,
				"%s is a template: a file with several launches has no templates",
				kernel->entry);
		if (status != PMPP_OK)
			return status;
	}
	first->cleared = cleared;
	first->cleared_scratch = cleared_scratch;
	for (size_t i = 0; i < family->operand_count; i++) {
		steps += (cleared >> i & 1) + family->operands[i].in_place;
		if (!family->operands[i].in_place && !binds_operand(first, i))
			return OWN_REFUSE(reader, "no parameter of a launch is %s of %s (%s)",
				family->operands[i].name, family->name, family->title);
	}
	for (size_t i = 0; i < PMPP_MAX_SCRATCH; i++)
		steps += cleared_scratch >> i & 1;
	return steps <= PMPP_MAX_STEPS
		       ? PMPP_OK
		       : OWN_REFUSE(reader, "more than %d launches and cleared buffers",
				 PMPP_MAX_STEPS);
}

/* ---- Reading ------------------------------------------------------------------------------------ */

/* Sets names and language from the path. */
static enum pmpp_status read_path(const struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const char *file = path_name(reader->path);
	const char *point = strrchr(file, '.');

	if (!point || point == file || (strcmp(point, ".cu") != 0 && strcmp(point, ".cl") != 0))
		return PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s: the name of a kernel file is NAME.cu or NAME.cl", reader->path);
	if (strlen(file) > OWN_FILE_CHARACTERS)
		return OWN_REFUSE(reader, "the name of a kernel file has at most %d characters",
			OWN_FILE_CHARACTERS);
	kernel->cuda = strcmp(point, ".cu") == 0;
	kernel->folder = path_folder(reader->path);
	if (!kernel->folder)
		return PMPP_FAIL(
			reader->error, PMPP_OUT_OF_MEMORY, "no memory for %s", reader->path);
	span_copy((struct span){file, point}, kernel->name, sizeof kernel->name);
	for (char *at = kernel->name; *at; at++)
		if (!is_word(*at) && !strchr("-.", *at))
			*at = '_';
	return PMPP_OK;
}

bool own_kernel_problem(const char *text, char ret_name[OWN_TEXT_BYTES])
{
	struct own_kernel kernel = {.text = (char *)(uintptr_t)text};
	const struct own_reader reader = {.kernel = &kernel};

	return own_comment(&reader, "problem", ret_name);
}

/* Options must fit in the texts of the kernel. */
static enum pmpp_status check_wishes(const struct own_reader *reader)
{
	const struct own_wishes *wishes = reader->wishes;
	const char *const texts[] = {wishes->problem, wishes->kernel, wishes->instance,
		wishes->block, wishes->grid, wishes->shared};

	for (size_t i = 0; i < COUNT(texts); i++)
		if (texts[i] && strlen(texts[i]) >= OWN_TEXT_BYTES)
			return PMPP_FAIL(reader->error, PMPP_USAGE,
				"'%.40s...': the value of an option has at most %d characters",
				texts[i], OWN_TEXT_BYTES - 1);
	return PMPP_OK;
}

static enum pmpp_status read_all(struct own_reader *reader)
{
	enum pmpp_status status = check_wishes(reader);

	if (status == PMPP_OK)
		status = own_read_macros(reader);
	if (status == PMPP_OK)
		status = own_find_kernel(reader);
	if (status == PMPP_OK) {
		own_find_call(reader);
		reader->kernel->body = reader->body.begin;
		reader->kernel->launch = reader->call_count ? reader->call[0].begin : NULL;
		status = own_read_parameters(reader);
	}
	if (status == PMPP_OK)
		status = own_check_comments(reader);
	if (status == PMPP_OK)
		status = own_find_family(reader);
	if (status == PMPP_OK && !reader->kernel->family->reference)
		status = OWN_REFUSE(reader,
			"the variants of %s have different results: choose another problem",
			reader->kernel->family->name);
	if (status == PMPP_OK)
		status = read_scratch_buffers(reader);
	if (status == PMPP_OK)
		status = own_bind_parameters(reader);
	return status == PMPP_OK ? own_read_launch(reader) : status;
}

/* Reads one kernel with its launch. launch.begin NULL: the file has no line of a launch. */
static enum pmpp_status read_launch(struct own_reader *reader, const char *text, struct span launch,
	struct own_kernel **ret_kernel)
{
	struct own_kernel *kernel = calloc(1, sizeof *kernel);
	enum pmpp_status status = PMPP_OK;

	reader->kernel = kernel;
	reader->launch = launch;
	if (kernel) {
		kernel->text = strdup(text);
		kernel->code = source_code_copy(text);
		kernel->several = launch.begin != NULL;
	}
	if (!kernel || !kernel->text || !kernel->code)
		status = PMPP_FAIL(
			reader->error, PMPP_OUT_OF_MEMORY, "no memory for %s", reader->path);
	if (status == PMPP_OK)
		status = read_path(reader);
	if (status == PMPP_OK)
		status = read_all(reader);
	if (status == PMPP_OK) {
		kernel->file = path_name(reader->path);
		make_variant(kernel);
		write_summary(reader);
		*ret_kernel = kernel;
		return PMPP_OK;
	}
	own_kernel_destroy(kernel);
	return status;
}

enum pmpp_status own_kernel_read(const char *path, const char *text,
	const struct own_wishes *wishes, struct own_kernel **ret_kernel, struct pmpp_error *error)
{
	struct own_kernel *first = NULL, **end = &first;
	struct own_reader reader = {.path = path, .error = error};
	struct span launch = {0};
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; status == PMPP_OK && (own_find_launch(text, i, &launch) || i == 0);
		i++) {
		reader = (struct own_reader){.path = path, .wishes = wishes, .error = error};
		status = i == PMPP_MAX_STEPS
				 ? PMPP_FAIL(error, PMPP_USAGE, "%s: more than %d launches", path,
					   PMPP_MAX_STEPS)
				 : read_launch(&reader, text, launch, end);
		if (status != PMPP_OK)
			break;
		if (i > 0)
			text_append(first->summary, OWN_SUMMARY_BYTES, "; then %s",
				strstr((*end)->summary, " by ") + strlen(" by "));
		end = &(*end)->next;
	}
	if (status == PMPP_OK && first->several)
		status = check_launches(&reader, first);
	if (status == PMPP_OK)
		*ret_kernel = first;
	else
		own_kernel_destroy(first);
	return status;
}

void own_kernel_destroy(struct own_kernel *kernel)
{
	if (!kernel)
		return;
	own_kernel_destroy(kernel->next);
	free(kernel->folder);
	free(kernel->code);
	free(kernel->text);
	free(kernel);
}
