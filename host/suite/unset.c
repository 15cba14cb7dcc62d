#include "host/suite/unset.h"

#include "host/suite/device.h"

#include <stdlib.h>
#include <string.h>

#define REASON "uninitialised local variable"
#define MAX_THREADS 0x1p19 /* threads of a run: about a second on the emulator */

/* A run with one fill: its output, or the error of its launch. */
struct trial {
	bool failed;
	void *output; /* verifier->bytes long */
};

static enum pmpp_status bind_zero(const struct verifier *verifier, const struct outcome *outcome,
	struct bound_run *ret_run, struct pmpp_error *error)
{
	const struct program_request request = {.config = &outcome->config,
		.problem = &outcome->problem,
		.math = outcome->math,
		.fill = GPU_FILL_ZERO};
	struct program_entry *entry;
	enum pmpp_status status = programs_get(verifier->programs, &request, &entry, error);

	if (status != PMPP_OK)
		return status;
	return launch_bind(entry, &outcome->plan, verifier->operands->buffers, ret_run, error);
}

static enum pmpp_status try_run(const struct verifier *verifier, const struct bound_run *run,
	const struct outcome *outcome, struct trial *trial, struct pmpp_error *error)
{
	enum pmpp_status status = verify_output(
		verifier->operands, run, &outcome->problem, POISON_NAN, trial->output, error);

	operands_forget(verifier->operands); /* the kernel may have changed its inputs */
	trial->failed = status == PMPP_LAUNCH;
	if (!trial->failed)
		return status;
	pmpp_error_clear(error);
	return PMPP_OK;
}

static bool same(const struct trial *a, const struct trial *b, size_t bytes)
{
	return a->failed == b->failed && (a->failed || memcmp(a->output, b->output, bytes) == 0);
}

/* Runs twice with one fill. *ret_stable: both runs are equal. trials[1] has the second output. */
static enum pmpp_status try_twice(const struct verifier *verifier, const struct bound_run *run,
	const struct outcome *outcome, struct trial trials[2], bool *ret_stable,
	struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (int i = 0; i < 2 && status == PMPP_OK; i++)
		status = try_run(verifier, run, outcome, &trials[i], error);
	*ret_stable = status == PMPP_OK && same(&trials[0], &trials[1], verifier->bytes);
	return status;
}

/* If the two runs of a fill differ, the kernel has a race, and the fills cannot be compared. */
static enum pmpp_status depends_on_fill(const struct verifier *verifier,
	const struct bound_run *run, const struct outcome *outcome, bool *ret_depends,
	struct pmpp_error *error)
{
	struct trial pattern[2] = {0}, zero[2] = {0};
	struct bound_run zero_run;
	bool stable = false;
	enum pmpp_status status = PMPP_OK;

	for (int i = 0; i < 2; i++) {
		pattern[i].output = malloc(verifier->bytes);
		zero[i].output = malloc(verifier->bytes);
		if (!pattern[i].output || !zero[i].output)
			status = PMPP_FAIL(
				error, PMPP_OUT_OF_MEMORY, "no host memory for the output");
	}
	if (status == PMPP_OK)
		status = try_twice(verifier, run, outcome, pattern, &stable, error);
	if (status == PMPP_OK && stable)
		status = bind_zero(verifier, outcome, &zero_run, error);
	if (status == PMPP_OK && stable)
		status = try_twice(verifier, &zero_run, outcome, zero, &stable, error);
	if (status == PMPP_OK)
		*ret_depends = stable && !same(&pattern[1], &zero[1], verifier->bytes);
	for (int i = 0; i < 2; i++) {
		free(pattern[i].output);
		free(zero[i].output);
	}
	return status;
}

/* The failure is reported after the trials. It would be lost if --timeout ended the row during a
 * long trial. */
static bool is_quick(const struct gpu_device *device, const struct outcome *outcome)
{
	const struct problem *problem = &outcome->problem;
	double threads = 0;

	for (size_t s = 0; s < outcome->plan.step_count; s++) {
		const struct plan_launch *launch = plan_step_launch(&outcome->plan.steps[s]);
		if (launch)
			threads += (double)plan_launch_groups(launch) * launch->block[0] *
				   launch->block[1] * launch->block[2];
	}
	return threads <= MAX_THREADS &&
	       config_work(&outcome->config, problem) <= suite_work_budget(&device->info, false);
}

/* true: the error concerns only the trial, not the host. */
static bool is_of_trial(enum pmpp_status status)
{
	return status == PMPP_BUILD || status == PMPP_UNSUPPORTED || status == PMPP_TIMEOUT;
}

enum pmpp_status unset_find(struct verifier *verifier, const struct bound_run *run,
	struct outcome *outcome, enum pmpp_status status, struct pmpp_error *error)
{
	const struct gpu_device *device = verifier->operands->device;
	struct pmpp_error own = PMPP_ERROR_INIT;
	bool depends = false;

	if (!gpu_can_fill(device, GPU_FILL_PATTERN) || !gpu_can_fill(device, GPU_FILL_ZERO) ||
		!is_quick(device, outcome))
		return status;
	operands_forget(verifier->operands);
	enum pmpp_status trial = depends_on_fill(verifier, run, outcome, &depends, &own);
	if (trial != PMPP_OK && !is_of_trial(trial)) {
		pmpp_error_clear(error);
		*error = own;
		return trial;
	}
	pmpp_error_clear(&own);
	if (!depends)
		return status;
	if (status == PMPP_LAUNCH)
		pmpp_error_prefix(error, REASON);
	else
		text_format(
			&outcome->row.reason, REASON ": %s", text_or_empty(outcome->row.reason));
	return status;
}
