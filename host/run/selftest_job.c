#include "host/run/runner.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/io/atomic_file.h"
#include "host/io/cache_file.h"
#include "host/io/clock.h"
#include "host/run/stop.h"
#include "host/selftest/choice.h"
#include "host/suite/kernel_file.h"
#include "host/suite/outcome.h"

/* Forgets the kernels that the suite has verified, so that a changed file is read again. The suite must
 * not have timed anything. */
static void suite_forget_kernels(struct suite *suite)
{
	struct bench *bench = &suite->bench;

	bench_release_problem(bench);
	free(bench->fallbacks.items);
	bench->fallbacks = (struct fallbacks){0};
	programs_finish(&bench->programs);
}

/* A mutant on the device. */
struct trial {
	struct runner *runner; /* of a job that reads kernels from the folder */
	const struct gpu_device_info *info;
	struct suite *suite;
	const struct mutant *mutant;
	struct task task;
	int64_t number; /* of the task */
};

/* ---- Rows ---------------------------------------------------------------------------------- */

static struct event new_event(const struct trial *trial, enum event_kind kind,
	enum outcome_status outcome, const char *reason)
{
	return runner_row_event(
		trial->runner, trial->info, kind, &trial->task, trial->number, outcome, reason);
}

static void emit_end(const struct trial *trial, enum outcome_status outcome, const char *reason)
{
	struct event event = new_event(trial, EVENT_RESULT, outcome, reason);

	runner_emit(trial->runner, &event);
}

/* ---- One mutant ---------------------------------------------------------------------------- */

static enum pmpp_status write_kernel(const struct trial *trial)
{
	struct pmpp_error *error = trial->runner->error;
	char name[KERNEL_PATH_BYTES], path[PATH_MAX];
	char *text = NULL;
	enum pmpp_status status = mutant_text(trial->mutant, trial->info->backend, &text, error);

	kernel_file_path(trial->task.config.variant, trial->info->backend, name);
	int length = snprintf(
		path, sizeof path, "%s/%s", trial->runner->job->options->suite.kernel_dir, name);
	if (status == PMPP_OK && length >= (int)sizeof path)
		status = PMPP_FAIL(error, PMPP_IO, "TMPDIR: its path is too long");
	char *slash = strrchr(path, '/');
	if (status == PMPP_OK) {
		*slash = '\0';
		if (!folders_make(path))
			status = PMPP_FAIL(error, PMPP_IO, "%s cannot be made: check TMPDIR", path);
		*slash = '/';
	}
	const struct iovec part = {text, text ? strlen(text) : 0};
	if (status == PMPP_OK)
		status = atomic_file_write(path, &part, 1, error);
	free(text);
	return status;
}

/* A kernel that broke its device ends the worker: the device works again in a new one. */
static enum pmpp_status verify_mutant(const struct trial *trial)
{
	struct runner *runner = trial->runner;
	struct event start = new_event(trial, EVENT_START, OUTCOME_UNVERIFIED, NULL);
	struct outcome outcome;

	runner_emit(runner, &start);
	enum pmpp_status status = suite_run(trial->suite, &trial->task.config, &trial->task.problem,
		SUITE_VERIFY, &outcome, runner->error);
	if (status == PMPP_OK) {
		struct event event = new_event(trial, EVENT_RESULT, OUTCOME_UNVERIFIED, NULL);
		record_finish(&result_row_type, &event.row);
		record_move(&result_row_type, &outcome.row, &event.row);
		runner_emit(runner, &event);
	} else {
		struct event event = new_event(
			trial, EVENT_RESULT, OUTCOME_LAUNCH_ERROR, runner->error->message);
		error_record_set(&event.row.error, runner->error);
		runner_emit(runner, &event);
	}
	outcome_finish(&outcome);
	suite_forget_kernels(trial->suite);
	if (status == PMPP_OUT_OF_MEMORY) {
		pmpp_error_clear(runner->error);
		status = PMPP_OK;
	}
	return status;
}

static enum pmpp_status run_trial(const struct trial *trial, int round)
{
	struct runner *runner = trial->runner;
	enum pmpp_status status = stop_check(runner->error);

	if (status == PMPP_OK && round >= SELFTEST_NOT_CHOSEN) {
		emit_end(trial, OUTCOME_UNSUPPORTED, NULL);
		return PMPP_OK;
	}
	if (status == PMPP_OK && host_clock_ns() > runner->job->last_begin_ns) {
		emit_end(trial, OUTCOME_SKIPPED, SELFTEST_NO_TIME);
		return PMPP_OK;
	}
	if (status == PMPP_OK)
		status = write_kernel(trial);
	return status == PMPP_OK ? verify_mutant(trial) : status;
}

/* ---- All mutants --------------------------------------------------------------------------- */

static bool is_target(const struct target_list *targets, const struct variant *variant)
{
	for (size_t t = 0; t < targets->count; t++)
		for (size_t v = 0; v < targets->items[t].variant_count; v++)
			if (targets->items[t].variants[v] == variant)
				return true;
	return false;
}

static enum pmpp_status run_round(const struct trial *common, int round, const int *rounds)
{
	const struct runner *runner = common->runner;
	const struct kernel_shape shape = suite_kernel_shape(common->info, NULL);
	enum pmpp_status status = PMPP_OK;

	for (size_t n = 0; n < mutant_count() && status == PMPP_OK; n++) {
		const struct mutant *mutant = mutant_at(n);
		struct trial trial = *common;

		trial.number = (int64_t)((size_t)round * mutant_count() + n);
		if (rounds[n] != round || (size_t)trial.number < runner->progress->skip ||
			!is_target(&runner->job->targets, mutant_variant(mutant)))
			continue;
		trial.mutant = mutant;
		trial.task = (struct task){.config = config_for(mutant_variant(mutant), &shape),
			.problem = mutant_problem(mutant)};
		snprintf(trial.task.label, sizeof trial.task.label, "%s/%s: %s", mutant->family,
			mutant->variant, mutant->name);
		status = run_trial(&trial, round);
	}
	return status;
}

static enum pmpp_status run_rounds(struct runner *runner, const struct gpu_device_info *info)
{
	int *rounds = calloc(mutant_count(), sizeof *rounds);
	struct trial trial = {.runner = runner, .info = info};
	enum pmpp_status status = PMPP_OK;

	if (!rounds)
		return PMPP_NO_MEMORY(runner->error, "a selftest");
	selftest_rounds(info, isinf(runner->job->last_begin_ns), rounds);
	status = runner_open_suite(runner, info, false, &trial.suite);
	for (int round = SELFTEST_KINDS; round < SELFTEST_ROUNDS && status == PMPP_OK; round++)
		status = run_round(&trial, round, rounds);
	suite_close(&trial.suite);
	free(rounds);
	return status;
}

enum pmpp_status selftest_job(struct runner *runner)
{
	struct job_options options = *runner->job->options;
	struct job job = *runner->job;
	struct runner own = *runner;
	const struct gpu_device_info **devices = NULL;
	const char *folder = getenv("TMPDIR");
	size_t count = 0;
	enum pmpp_status status = device_select(
		&job.query, false, &runner->inventory, &devices, &count, runner->error);

	if (status == PMPP_OK && !folder)
		status = PMPP_FAIL(runner->error, PMPP_IO,
			"no folder for temporary files: set TMPDIR to a folder that can be written");
	options.suite.kernel_dir = folder;
	job.options = &options;
	own.job = &job;
	if (status == PMPP_OK)
		status = run_rounds(&own, devices[0]);
	free(devices);
	return status;
}
