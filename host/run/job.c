#include "host/run/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/access_model.h"
#include "common/model/occupancy.h"
#include "common/nearest.h"
#include "host/run/choices.h"
#include "host/run/kernel_dir.h"

/* ---- Files ----------------------------------------------------------------------------------- */

/* --out needs exactly one output: one variant, one point of a sweep, one device. */
static enum pmpp_status check_one_output(const struct job *job, struct pmpp_error *error)
{
	const struct target_list *targets = &job->targets;
	struct tuned_config *points = NULL;
	size_t count = 0;

	if (targets->count > 1 || targets->items[0].variant_count > 1)
		return PMPP_FAIL(error, PMPP_USAGE, "--out needs exactly one variant: %s/VARIANT",
			targets->items[0].family->name);
	enum pmpp_status status = tunables_expand(&job->options->tunables,
		targets->items[0].variants[0], &kernel_shape_reference, &points, &count, error);
	free(points);
	if (status == PMPP_OK && count > 1)
		return PMPP_FAIL(
			error, PMPP_USAGE, "--out cannot be combined with a sweep of --set");
	if (status == PMPP_OK &&
		((job->query.backend && strcmp(job->query.backend, "all") == 0) ||
			(job->query.device && strcmp(job->query.device, "all") == 0)))
		return PMPP_FAIL(error, PMPP_USAGE, "--out needs one device, not all");
	return status;
}

/* --in and --out name operands of one family. */
static enum pmpp_status prepare_files(struct job *job, struct pmpp_error *error)
{
	const struct job_options *options = job->options;
	const struct family *family = job->targets.items[0].family;
	enum pmpp_status status = options->out.count ? check_one_output(job, error) : PMPP_OK;

	if (status != PMPP_OK || (options->in.count == 0 && options->out.count == 0))
		return status;
	if (job->targets.count > 1)
		return PMPP_FAIL(error, PMPP_USAGE, "--in needs exactly one family");
	if (options->sizes.count > 1)
		return PMPP_FAIL(error, PMPP_USAGE, "--in and --out need one size, not several");
	if (options->sizes.count == 1)
		status = size_dims(&options->sizes.items[0], family, job->inputs.dim, error);
	if (status == PMPP_OK && options->in.count)
		status = user_inputs_read(options, family, &job->inputs, error);
	return status == PMPP_OK
		       ? operand_files_find_output(options, family, &job->output_path, error)
		       : status;
}

/* ---- Sizes --------------------------------------------------------------------------------- */

/* Rejects an invalid size. For `verify` a size is valid if at least one choice of type, operation
 * and data allows it. */
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

/* Checks every size of every family before anything runs. */
static enum pmpp_status check_sizes(const struct job *job, struct pmpp_error *error)
{
	const struct size_list *sizes = &job->options->sizes;

	if (job->inputs.given)
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

/* ---- Access model ---------------------------------------------------------------------------- */

static enum pmpp_status unknown_model(const char *name, struct pmpp_error *error)
{
	char near[96];
	char all[400] = "";
	size_t count = 0, used = 0;

	for (; access_model_words[count]; count++)
		used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", count ? ", " : "",
			access_model_words[count]);
	nearest_names(name, access_model_words, count, near, sizeof near);
	return PMPP_FAIL(error, PMPP_USAGE, "--model=%s: give one of %s%s%s%s", name, all,
		*near ? " (did you mean " : "", near, *near ? "?)" : "");
}

static enum pmpp_status choose_model(struct job *job, struct pmpp_error *error)
{
	const struct job_options *options = job->options;
	const struct access_model *model =
		options->model ? access_model_find(options->model) : access_model_default();

	if (!model)
		return unknown_model(options->model, error);
	if (options->width)
		model = access_model_with_lanes(model, (uint32_t)options->width);
	if (!model)
		return PMPP_FAIL(
			error, PMPP_USAGE, "--width=%zu: give 8, 16, 32 or 64", options->width);
	job->model = model == access_model_default() ? NULL : model;
	return PMPP_OK;
}

/* ---- explain --------------------------------------------------------------------------------- */

/* --cc names an NVIDIA GPU, whose access model is the default. */
static enum pmpp_status check_capability(const struct job *job, struct pmpp_error *error)
{
	const char *name = job->options->cc;
	char names[128];

	if (name && job->options->model)
		return PMPP_FAIL(error, PMPP_USAGE, "give --model or --cc, not both");
	if (!name || occupancy_unit_of_cc(name))
		return PMPP_OK;
	occupancy_unit_ccs(names, sizeof names);
	return PMPP_FAIL(error, PMPP_USAGE, "--cc=%s: give one of %s", name, names);
}

/* --diff compares two variants, each at one point of a sweep and one size. */
static enum pmpp_status check_pair(const struct job *job, struct pmpp_error *error)
{
	const struct job_options *options = job->options;
	const struct target_list *targets = &job->targets;
	size_t count = 0;

	for (size_t t = 0; t < targets->count; t++)
		count += targets->items[t].variant_count;
	if (options->twins && (options->word_count != 1 || count != 1))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--diff --twins compares the two kernels of one variant: explain --diff "
			"--twins FAMILY/VARIANT");
	if (!options->twins &&
		(options->word_count != 2 || count != 2 || !strchr(options->words[0], '/') ||
			!strchr(options->words[1], '/')))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--diff compares two variants: explain --diff FAMILY/VARIANT "
			"FAMILY/VARIANT");
	if (options->sizes.count > 1)
		return PMPP_FAIL(error, PMPP_USAGE, "--diff needs one --size, not several");
	for (size_t i = 0; i < options->tunables.count; i++)
		if (options->tunables.items[i].value_count > 1)
			return PMPP_FAIL(error, PMPP_USAGE,
				"--diff cannot be combined with a sweep: give one value of %s",
				options->tunables.items[i].name);
	if (options->shard_count > 1)
		return PMPP_FAIL(error, PMPP_USAGE, "--diff cannot be combined with --shard");
	return PMPP_OK;
}

static enum pmpp_status check_explain(const struct job *job, struct pmpp_error *error)
{
	enum pmpp_status status = check_capability(job, error);

	if (status == PMPP_OK && job->options->diff)
		status = check_pair(job, error);
	else if (status == PMPP_OK && job->options->twins)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"--twins needs --diff: explain --diff --twins FAMILY/VARIANT");
	return status;
}

/* ---- Commands for one device ----------------------------------------------------------------- */

/* Why a command accepts only one device or backend; NULL: it accepts several. */
static const struct {
	const char *device, *backend;
} one_of[] = {
	[JOB_PARITY] = {"parity compares two backends on one device",
		"parity compares OpenCL with CUDA: give --backend=cuda, cuda-emu or opencl-emu"},
	[JOB_EXPLAIN] = {"explain measures on one device",
		"explain measures with one backend: name it, for example --backend=cuda"},
	[JOB_SELFTEST] = {"selftest uses one device",
		"selftest uses one backend: name it, for example --backend=cuda"},
};

static bool is_all(const char *text)
{
	return text && strcmp(text, "all") == 0;
}

static enum pmpp_status check_one_device(const struct job *job, struct pmpp_error *error)
{
	const struct device_query *query = &job->query;
	size_t action = (size_t)job->action;

	if (action >= sizeof one_of / sizeof *one_of || !one_of[action].device)
		return PMPP_OK;
	if (is_all(query->device))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s=all: %s: name it, for example --device=0 (pmpp-run devices lists the "
			"devices)",
			query->device_from, one_of[action].device);
	if (is_all(query->backend))
		return PMPP_FAIL(error, PMPP_USAGE, "%s=all: %s", query->backend_from,
			one_of[action].backend);
	return PMPP_OK;
}

/* ---- Public -------------------------------------------------------------------------------- */

static const enum device_rule rules[] = {
	[JOB_RUN] = DEVICE_RULE_ONE,
	[JOB_VERIFY] = DEVICE_RULE_EACH_BACKEND,
	[JOB_PARITY] = DEVICE_RULE_ONE,
	[JOB_ROOFLINE] = DEVICE_RULE_ONE,
	[JOB_EXPLAIN] = DEVICE_RULE_ONE,
	[JOB_SELFTEST] = DEVICE_RULE_ONE,
};

/* Backends whose kernels the job reads on every machine, whatever devices it has. */
static unsigned certain_backends(const struct job *job, unsigned looked)
{
	bool one = (looked & (looked - 1)) == 0;

	if (job->action == JOB_PARITY || job->options->twins)
		return EVERY_BACKEND;
	return one ? looked : 0;
}

/* Rejects --peers if no family has peers. */
static enum pmpp_status check_peers(const struct job *job, struct pmpp_error *error)
{
	bool has = false;

	for (size_t t = 0; t < job->targets.count; t++)
		has |= job->targets.items[t].family->peer_count > 0;
	if (has || !job->options->peers)
		return PMPP_OK;
	return PMPP_FAIL(error, PMPP_USAGE,
		"--peers: no library is known for %s: use it with matmul",
		job->targets.items[0].family->name);
}

/* Resolves the words and the files of the command line. */
static enum pmpp_status check_words(struct job *job, struct pmpp_error *error)
{
	const struct job_options *options = job->options;
	enum pmpp_status status =
		targets_parse(options->words, options->word_count, &job->targets, error);

	if (status == PMPP_OK)
		status = check_peers(job, error);
	if (status == PMPP_OK)
		status = choices_check(options, &job->targets, error);
	if (status == PMPP_OK)
		status = tunables_check(&options->tunables, &job->targets, error);
	if (status == PMPP_OK && job->action == JOB_RUN)
		status = prepare_files(job, error);
	return status;
}

enum pmpp_status job_prepare(enum job_action action, const struct job_options *options,
	struct job *ret_job, struct pmpp_error *error)
{
	unsigned backends;
	struct job job = {.action = action,
		.options = options,
		.engine = engines[options->engine],
		.query = {options->backend, options->device, options->backend_from,
			options->device_from,
			options->every_view ? DEVICE_RULE_EVERY_VIEW : rules[action]}};

	/* An engine with its own device ignores PMPP_BACKEND and PMPP_DEVICE. */
	if (job.engine->backend)
		job.query = (struct device_query){
			.backend = job.engine->backend, .rule = DEVICE_RULE_EACH_BACKEND};
	enum pmpp_status status = device_query_backends(&job.query, &backends, error);

	if (status == PMPP_OK)
		status = check_one_device(&job, error);
	if (status == PMPP_OK && action != JOB_ROOFLINE)
		status = check_words(&job, error);
	if (status == PMPP_OK)
		status = kernel_dir_check(
			options->kernel_dir, &job.targets, certain_backends(&job, backends), error);
	if (status == PMPP_OK)
		status = check_sizes(&job, error);
	if (status == PMPP_OK)
		status = choose_model(&job, error);
	if (status == PMPP_OK && action == JOB_EXPLAIN)
		status = check_explain(&job, error);
	if (status == PMPP_OK && job.engine->create)
		status = job.engine->create(&job.engine_state, error);
	if (status != PMPP_OK) {
		job_finish(&job);
		return status;
	}
	*ret_job = job;
	return PMPP_OK;
}

void job_finish(struct job *job)
{
	user_inputs_finish(&job->inputs);
	if (job->engine && job->engine->destroy)
		job->engine->destroy(job->engine_state);
	job->engine_state = NULL;
	targets_finish(&job->targets);
}
