#include "host/cli/job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "host/io/atomic_file.h"

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

/* A vector's file may have one dimension, a scalar's none. */
static enum pmpp_status file_extents(const struct operand *operand, const char *path,
	const struct npy_array *array, int64_t ret_extent[2], struct pmpp_error *error)
{
	bool row = operand->rows_dim == DIM_ONE;
	bool column = operand->columns_dim == DIM_ONE;
	int rank = 2 - row - column;

	if (array->rank < rank)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: the array has %d dimension%s, but %s has %d: reshape it", path,
			array->rank, array->rank == 1 ? "" : "s", operand->name, rank);
	ret_extent[0] = array->shape[0];
	ret_extent[1] = array->shape[1];
	if (array->rank == 1 && row) {
		ret_extent[0] = 1;
		ret_extent[1] = array->shape[0];
	}
	if ((row && ret_extent[0] != 1) || (column && ret_extent[1] != 1))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: the shape is (%" PRId64 ", %" PRId64 "), but %s is a vector", path,
			array->shape[0], array->shape[1], operand->name);
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

static enum pmpp_status read_inputs(
	struct job *job, const struct family *family, struct pmpp_error *error)
{
	const struct operand_file_list *files = &job->options->in;
	const char *origin[PMPP_MAX_DIMS];

	for (size_t i = 0; i < PMPP_MAX_DIMS; i++)
		origin[i] = "--size";
	for (size_t i = 0; i < files->count; i++) {
		const char *path = files->items[i].path;
		int64_t extent[2] = {0, 0};
		size_t index = 0;
		enum pmpp_status status =
			find_operand(family, "in", files->items[i].name, OPERAND_IN, &index, error);
		if (status != PMPP_OK)
			return status;
		const struct operand *operand = &family->operands[index];
		status = npy_read(path, &job->inputs[index], error);
		if (status == PMPP_OK)
			status = file_extents(operand, path, &job->inputs[index], extent, error);
		if (status == PMPP_OK)
			status = set_dim(
				job, family, operand->rows_dim, extent[0], path, origin, error);
		if (status == PMPP_OK)
			status = set_dim(
				job, family, operand->columns_dim, extent[1], path, origin, error);
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
			return PMPP_FAIL(error, PMPP_USAGE,
				"--size: the files leave %s of %s open: add --size=%s=...",
				family->dim_names[i], family->name, family->dim_names[i]);
	job->user_data = true;
	return PMPP_OK;
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
		}
	return PMPP_OK;
}

/* ---- Public -------------------------------------------------------------------------------- */

static const enum device_rule rules[] = {
	[JOB_RUN] = DEVICE_RULE_ONE,
	[JOB_VERIFY] = DEVICE_RULE_EACH_BACKEND,
	[JOB_PARITY] = DEVICE_RULE_ONE,
	[JOB_ROOFLINE] = DEVICE_RULE_ONE,
};

enum pmpp_status job_prepare(enum job_action action, const struct cli_options *options,
	struct job *ret_job, struct pmpp_error *error)
{
	unsigned backends;
	struct job job = {.action = action,
		.options = options,
		.query = {options->backend, options->device, rules[action]}};
	enum pmpp_status status = device_query_backends(&job.query, &backends, error);

	if (status == PMPP_OK && action != JOB_ROOFLINE)
		status = targets_parse(
			options->arguments, options->argument_count, &job.targets, error);
	if (status == PMPP_OK && action != JOB_ROOFLINE)
		status = tunables_check(&options->tunables, &job.targets, error);
	if (status == PMPP_OK && action == JOB_RUN)
		status = prepare_files(&job, error);
	if (status == PMPP_OK)
		status = check_sizes(&job, error);
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
	targets_finish(&job->targets);
}
