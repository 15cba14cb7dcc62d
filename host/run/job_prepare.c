#include "host/run/job_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "host/io/atomic_file.h"
#include "host/io/ppm.h"
#include "host/run/choices.h"

/* ---- Operands' files ------------------------------------------------------------------------- */

static enum pmpp_status find_operand(const struct family *family, const char *option,
	const char *name, enum operand_role role, size_t *ret_index, struct pmpp_error *error)
{
	const char *names[PMPP_MAX_OPERANDS];
	size_t count = 0;
	char near[96];

	for (size_t i = 0; i < family->operand_count; i++) {
		if (family->operands[i].role != role)
			continue;
		if (strcmp(family->operands[i].name, name) == 0) {
			*ret_index = i;
			return PMPP_OK;
		}
		names[count++] = family->operands[i].name;
	}
	char list[96] = "";
	size_t used = 0;
	for (size_t i = 0; i < count && used < sizeof list; i++)
		used += (size_t)snprintf(
			list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
	nearest_names(name, names, count, near, sizeof near);
	return PMPP_FAIL(error, PMPP_USAGE, "--%s: %s has no %s '%s'%s%s%s: it is %s", option,
		family->name, role == OPERAND_IN ? "input" : "output", name,
		*near ? " (did you mean " : "", near, *near ? "?)" : "", list);
}

/* An operand's scaled extent, as the file has it, of its dimension; 0: the file's does not fit. */
static int64_t unscaled(int64_t extent, int64_t scale, int64_t plus)
{
	scale = scale ? scale : 1;
	return extent > plus && (extent - plus) % scale == 0 ? (extent - plus) / scale : 0;
}

/* Rows and columns as the operand counts them: an image's file has three dimensions, of which the
 * last are the columns_scale elements of a pixel. */
static bool file_matrix(
	const struct operand *operand, const struct npy_array *array, int64_t ret_extent[2])
{
	ret_extent[0] = array->shape[0];
	ret_extent[1] = array->shape[1];
	if (array->rank < 3)
		return true;
	return array->shape[2] == operand->columns_scale &&
	       !__builtin_mul_overflow(array->shape[1], array->shape[2], &ret_extent[1]);
}

/* A vector's file may have one dimension, a scalar's none. */
static enum pmpp_status file_extents(const struct operand *operand, const char *path,
	const struct npy_array *array, int64_t ret_extent[2], struct pmpp_error *error)
{
	bool row = operand->rows_dim == DIM_ONE && operand->rows_scale <= 1;
	bool column = operand->columns_dim == DIM_ONE && operand->columns_scale <= 1;
	int rank = 2 - row - column;

	if (array->rank < rank)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: the array has %d dimension%s, but %s has %d: reshape it", path,
			array->rank, array->rank == 1 ? "" : "s", operand->name, rank);
	if (!file_matrix(operand, array, ret_extent))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: the array has 3 dimensions, (%" PRId64 ", %" PRId64 ", %" PRId64
			"), but %s has %d",
			path, array->shape[0], array->shape[1], array->shape[2], operand->name,
			rank);
	if (array->rank == 1 && row) {
		ret_extent[0] = 1;
		ret_extent[1] = array->shape[0];
	}
	if ((row && ret_extent[0] != 1) || (column && ret_extent[1] != 1))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: the shape is (%" PRId64 ", %" PRId64 "), but %s is a vector", path,
			array->shape[0], array->shape[1], operand->name);
	ret_extent[0] = unscaled(ret_extent[0], operand->rows_scale, operand->rows_plus);
	ret_extent[1] = unscaled(ret_extent[1], operand->columns_scale, 0);
	/* What is no dimension is fixed: once what the operand has. */
	if (ret_extent[0] < 1 || ret_extent[1] < 1 ||
		(operand->rows_dim == DIM_ONE && ret_extent[0] != 1) ||
		(operand->columns_dim == DIM_ONE && ret_extent[1] != 1))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: the shape is (%" PRId64 ", %" PRId64 "), which no %s has", path,
			array->shape[0], array->shape[1], operand->name);
	return PMPP_OK;
}

/* The types a file may have; where that is the family's choice, those the command line leaves. */
static unsigned file_dtypes(
	const struct job *job, const struct family *family, const struct operand *operand)
{
	struct problem problem = problem_default(family);
	unsigned mask = 0;

	if (!operand->dtype_of_problem)
		return DTYPE_BIT(operand->dtype);
	for (size_t c = 0; c < family_choice_count(family); c++) {
		problem_choose(&problem, c);
		if (choices_allow(job->options, &problem))
			mask |= DTYPE_BIT(problem.dtype);
	}
	return mask;
}

/* All files whose type is the family's choice have one. */
static enum pmpp_status set_dtype(struct job *job, const struct operand *operand,
	const struct npy_array *array, const char *path, const char **origin,
	struct pmpp_error *error)
{
	if (!operand->dtype_of_problem)
		return PMPP_OK;
	if (*origin && job->user_dtype != array->dtype)
		return PMPP_FAIL(error, PMPP_USAGE, "%s has elements of %s, but %s of %s", *origin,
			dtype_info(job->user_dtype)->name, path, dtype_info(array->dtype)->name);
	job->user_dtype = array->dtype;
	*origin = path;
	return PMPP_OK;
}

/* One extent of a file against what is known of the dimension. */
static enum pmpp_status set_dim(struct job *job, const struct family *family, int dim,
	int64_t extent, const char *path, const char **origin, struct pmpp_error *error)
{
	const char *name;

	if (dim == DIM_ONE)
		return PMPP_OK;
	name = family->dim_names[dim];
	if (extent > family->dim_max)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: %s=%" PRId64 " is beyond the largest of %s, %" PRId64, path, name,
			extent, family->name, family->dim_max);
	if (job->user_dim[dim] && job->user_dim[dim] != extent)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s says %s=%" PRId64 ", but %s says %s=%" PRId64, origin[dim], name,
			job->user_dim[dim], path, name, extent);
	job->user_dim[dim] = extent;
	origin[dim] = path;
	return PMPP_OK;
}

/* The family's own word on the user's data. */
static enum pmpp_status judge_inputs(
	const struct job *job, const struct family *family, struct pmpp_error *error)
{
	struct problem problem = problem_default(family);
	const void *inputs[PMPP_MAX_OPERANDS];
	char text[200];

	choices_set(job->options, &problem);
	problem.dtype = job->user_dtype;
	problem.data = DATA_USER;
	memcpy(problem.dim, job->user_dim, sizeof problem.dim);
	for (size_t i = 0; i < PMPP_MAX_OPERANDS; i++)
		inputs[i] = job->inputs[i].data;
	const char *wrong = family->invalid ? family->invalid(&problem) : NULL;
	if (wrong)
		return PMPP_FAIL(error, PMPP_USAGE, "%s: %s", family->name, wrong);
	if (family->check_inputs && !family->check_inputs(&problem, inputs, text, sizeof text))
		return PMPP_FAIL(error, PMPP_USAGE, "--in: %s", text);
	return PMPP_OK;
}

/* A picture may come as such, where the operand's elements are the channels of pixels. */
static enum pmpp_status read_array(const struct job *job, const struct family *family,
	const struct operand *operand, const char *path, struct npy_array *ret_array,
	struct pmpp_error *error)
{
	unsigned dtypes = file_dtypes(job, family, operand);
	bool pixels = operand->columns_scale == 3 && dtypes & DTYPE_BIT(DTYPE_U8);

	return pixels && ppm_is(path) ? ppm_read(path, ret_array, error)
				      : npy_read(path, dtypes, ret_array, error);
}

/* One file: its elements, and what it says of type and sizes. origin: where each dimension was
 * told, dtype_origin: where the type. */
static enum pmpp_status read_input(struct job *job, const struct family *family,
	const struct operand_file *file, const char **origin, const char **dtype_origin,
	struct pmpp_error *error)
{
	const char *path = file->path;
	int64_t extent[2] = {0, 0};
	size_t index = 0;
	enum pmpp_status status = find_operand(family, "in", file->name, OPERAND_IN, &index, error);

	if (status != PMPP_OK)
		return status;
	const struct operand *operand = &family->operands[index];
	struct npy_array *array = &job->inputs[index];
	npy_array_finish(array);
	status = read_array(job, family, operand, path, array, error);
	if (status == PMPP_OK && !family->check_inputs)
		status = npy_check_finite(path, array, error);
	if (status == PMPP_OK)
		status = set_dtype(job, operand, array, path, dtype_origin, error);
	if (status == PMPP_OK)
		status = file_extents(operand, path, array, extent, error);
	if (status == PMPP_OK)
		status = set_dim(job, family, operand->rows_dim, extent[0], path, origin, error);
	if (status == PMPP_OK)
		status = set_dim(job, family, operand->columns_dim, extent[1], path, origin, error);
	return status;
}

static enum pmpp_status read_inputs(
	struct job *job, const struct family *family, struct pmpp_error *error)
{
	const struct operand_file_list *files = &job->options->in;
	const char *origin[PMPP_MAX_DIMS];
	const char *dtype_origin = NULL;
	struct problem start = problem_default(family);

	for (size_t i = 0; i < PMPP_MAX_DIMS; i++)
		origin[i] = "--size";
	choices_set(job->options, &start);
	job->user_dtype = start.dtype;
	for (size_t i = 0; i < files->count; i++) {
		enum pmpp_status status =
			read_input(job, family, &files->items[i], origin, &dtype_origin, error);
		if (status != PMPP_OK)
			return status;
	}
	for (size_t i = 0; i < family->operand_count; i++)
		if (family->operands[i].role == OPERAND_IN && !job->inputs[i].data)
			return PMPP_FAIL(error, PMPP_USAGE,
				"--in: %s is missing: %s takes all of its inputs from files, or none",
				family->operands[i].name, family->name);
	for (size_t i = 0; i < family->dim_count; i++)
		if (job->user_dim[i] == 0)
			job->user_dim[i] = family->dim_default[i];
	for (size_t i = 0; i < family->dim_count; i++)
		if (job->user_dim[i] == 0)
			return PMPP_FAIL(error, PMPP_USAGE,
				"--size: the files leave %s of %s open: add --size=%s=...",
				family->dim_names[i], family->name, family->dim_names[i]);
	job->user_data = true;
	return judge_inputs(job, family, error);
}

static enum pmpp_status prepare_output(
	struct job *job, const struct family *family, struct pmpp_error *error)
{
	const struct operand_file_list *files = &job->options->out;
	size_t index = 0;

	if (files->count == 0)
		return PMPP_OK;
	if (files->count > 1)
		return PMPP_FAIL(error, PMPP_USAGE, "--out: %s has one output", family->name);
	enum pmpp_status status =
		find_operand(family, "out", files->items[0].name, OPERAND_OUT, &index, error);
	if (status != PMPP_OK)
		return status;
	job->output_path = files->items[0].path;
	return atomic_file_check(job->output_path, error);
}

/* --out gets one answer: of one variant, at one point, on one device. */
static enum pmpp_status check_one_answer(const struct job *job, struct pmpp_error *error)
{
	const struct target_list *targets = &job->targets;
	struct tuned_config *points = NULL;
	size_t count = 0;

	if (targets->count > 1 || targets->items[0].variant_count > 1)
		return PMPP_FAIL(error, PMPP_USAGE, "--out needs exactly one variant: %s/VARIANT",
			targets->items[0].family->name);
	enum pmpp_status status = tunables_expand(
		&job->options->tunables, targets->items[0].variants[0], &points, &count, error);
	free(points);
	if (status == PMPP_OK && count > 1)
		return PMPP_FAIL(error, PMPP_USAGE, "--out does not go with a sweep of --set");
	if (status == PMPP_OK &&
		((job->query.backend && strcmp(job->query.backend, "all") == 0) ||
			(job->query.device && strcmp(job->query.device, "all") == 0)))
		return PMPP_FAIL(error, PMPP_USAGE, "--out needs one device, not all");
	return status;
}

/* --in and --out speak of one family's operands. */
static enum pmpp_status prepare_files(struct job *job, struct pmpp_error *error)
{
	const struct cli_options *options = job->options;
	const struct family *family = job->targets.items[0].family;
	enum pmpp_status status = options->out.count ? check_one_answer(job, error) : PMPP_OK;

	if (status != PMPP_OK)
		return status;
	if (options->in.count == 0 && options->out.count == 0)
		return PMPP_OK;
	if (job->targets.count > 1)
		return PMPP_FAIL(error, PMPP_USAGE, "--in needs exactly one family");
	if (options->sizes.count > 1)
		return PMPP_FAIL(error, PMPP_USAGE, "--in and --out go with one size, not several");
	if (options->sizes.count == 1) {
		status = size_dims(&options->sizes.items[0], family, job->user_dim, error);
		if (status != PMPP_OK)
			return status;
	}
	if (options->in.count) {
		status = read_inputs(job, family, error);
		if (status != PMPP_OK)
			return status;
	}
	return prepare_output(job, family, error);
}

/* ---- Sizes --------------------------------------------------------------------------------- */

/* A size is refused that is no problem with any choice of `verify`, or with the choice of others.
 */
static enum pmpp_status check_valid(const struct job *job, const struct family *family,
	const int64_t dim[PMPP_MAX_DIMS], struct pmpp_error *error)
{
	struct problem problem = problem_default(family);
	const char *wrong = NULL;

	memcpy(problem.dim, dim, sizeof problem.dim);
	for (size_t c = 0; family->invalid && c < family_choice_count(family); c++) {
		problem_choose(&problem, c);
		if (!choices_allow(job->options, &problem))
			continue;
		wrong = family->invalid(&problem);
		if (!wrong || job->action != JOB_VERIFY)
			break;
	}
	if (wrong)
		return PMPP_FAIL(error, PMPP_USAGE, "--size: %s: %s", family->name, wrong);
	return PMPP_OK;
}

/* Every size for every family, so that a mistake in the last is found first. */
static enum pmpp_status check_sizes(const struct job *job, struct pmpp_error *error)
{
	const struct size_list *sizes = &job->options->sizes;

	if (job->user_data)
		return PMPP_OK;
	for (size_t s = 0; s < sizes->count; s++)
		for (size_t t = 0; t < job->targets.count; t++) {
			const struct family *family = job->targets.items[t].family;
			int64_t dim[PMPP_MAX_DIMS];
			enum pmpp_status status = size_dims(&sizes->items[s], family, dim, error);
			if (status != PMPP_OK)
				return status;
			for (size_t i = 0; i < family->dim_count; i++)
				if (dim[i] == 0)
					return PMPP_FAIL(error, PMPP_USAGE,
						"--size: %s of %s is missing", family->dim_names[i],
						family->name);
			status = check_valid(job, family, dim, error);
			if (status != PMPP_OK)
				return status;
		}
	return PMPP_OK;
}

/* ---- Public -------------------------------------------------------------------------------- */

static const enum device_rule rules[] = {
	[JOB_RUN] = DEVICE_RULE_ONE,
	[JOB_VERIFY] = DEVICE_RULE_EACH_BACKEND,
	[JOB_PARITY] = DEVICE_RULE_ONE,
	[JOB_ROOFLINE] = DEVICE_RULE_ONE,
	[JOB_EXPLAIN] = DEVICE_RULE_ONE,
};

enum pmpp_status job_prepare(enum job_action action, const struct cli_options *options,
	struct job *ret_job, struct pmpp_error *error)
{
	unsigned backends;
	struct job job = {.action = action,
		.options = options,
		.query = {options->backend, options->device, rules[action]}};
	bool by_oclgrind = options->engine == ENGINE_OCLGRIND;

	/* Its own device is the only one to be seen: what the environment prefers is not asked. */
	if (by_oclgrind)
		job.query = (struct device_query){
			.backend = "opencl", .rule = DEVICE_RULE_EACH_BACKEND};
	enum pmpp_status status = device_query_backends(&job.query, &backends, error);

	if (status == PMPP_OK && action != JOB_ROOFLINE)
		status = targets_parse(
			options->arguments, options->argument_count, &job.targets, error);
	if (status == PMPP_OK && action != JOB_ROOFLINE)
		status = choices_check(options, &job.targets, error);
	if (status == PMPP_OK && action != JOB_ROOFLINE)
		status = tunables_check(&options->tunables, &job.targets, error);
	if (status == PMPP_OK && action == JOB_RUN)
		status = prepare_files(&job, error);
	if (status == PMPP_OK)
		status = check_sizes(&job, error);
	if (status == PMPP_OK && action == JOB_EXPLAIN)
		status = job_explain_check(&job, error);
	if (status == PMPP_OK && by_oclgrind)
		status = oclgrind_create(&job.oclgrind, error);
	if (status != PMPP_OK) {
		job_finish(&job);
		return status;
	}
	*ret_job = job;
	return PMPP_OK;
}

void job_finish(struct job *job)
{
	for (size_t i = 0; i < PMPP_MAX_OPERANDS; i++)
		npy_array_finish(&job->inputs[i]);
	oclgrind_destroy(&job->oclgrind);
	targets_finish(&job->targets);
}
