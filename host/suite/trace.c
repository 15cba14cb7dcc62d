/*
 * A watched launch is some hundred times slower than a plain one, so only a few blocks of a large
 * grid are watched. If a later launch follows, the buffers are restored and the whole grid runs
 * unwatched, so that the later launch reads correct data.
 */
#include "host/suite/trace.h"

#include "host/suite/fallback.h"
#include "host/suite/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP_LIMIT ((uint64_t)1 << 27) /* watched basic blocks per launch: some seconds */
#define FEW_BLOCKS 3                   /* first, middle, last */

/* The whole grid is watched up to both limits. QUICK_STEPS: basic blocks. QUICK_BYTES: loaded and
 * stored bytes; the watch needs 80 bytes of memory per byte. */
#define QUICK_STEPS 0x1p21
#define QUICK_BYTES 0x1p25

/* Contents of the buffers before a launch. */
struct saved {
	void *bytes[MAX_BUFFERS];
};

struct tracing {
	struct bench *bench;
	enum gpu_math math;
	const struct trace_request *request;
	struct suite_trace *result;
	struct bound_run traced;
	struct bound_run plain; /* bound at its first use */
	bool plain_bound;
	const struct outcome *outcome;
};

void suite_trace_finish(struct suite_trace *trace)
{
	for (size_t i = 0; i < PMPP_MAX_STEPS; i++)
		trace_finish(&trace->traces[i]);
}

/* ---- State ----------------------------------------------------------------------------------- */

static void saved_finish(struct saved *saved)
{
	for (size_t i = 0; i < MAX_BUFFERS; i++)
		free(saved->bytes[i]);
}

static enum pmpp_status save(
	const struct operands *operands, struct saved *ret_saved, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	*ret_saved = (struct saved){0};
	for (size_t i = 0; i < MAX_BUFFERS && status == PMPP_OK; i++) {
		struct gpu_buffer *buffer = operands->buffers[i];
		if (!buffer)
			continue;
		ret_saved->bytes[i] = malloc(buffer->bytes);
		if (!ret_saved->bytes[i])
			return PMPP_FAIL(
				error, PMPP_OUT_OF_MEMORY, "no memory to keep the operands");
		status = gpu_buffer_read(buffer, 0, ret_saved->bytes[i], buffer->bytes, error);
	}
	return status;
}

static enum pmpp_status restore(
	const struct operands *operands, const struct saved *saved, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < MAX_BUFFERS && status == PMPP_OK; i++) {
		struct gpu_buffer *buffer = operands->buffers[i];
		if (buffer)
			status = gpu_buffer_write(buffer, 0, saved->bytes[i], buffer->bytes, error);
	}
	return status;
}

/* ---- Builds ---------------------------------------------------------------------------------- */

static enum pmpp_status bind_build(const struct tracing *tracing, bool traced,
	struct bound_run *ret_run, struct pmpp_error *error)
{
	const struct outcome *outcome = tracing->outcome;
	const struct program_request request = {.config = &outcome->config,
		.problem = &outcome->problem,
		.math = tracing->math,
		.traced = traced};

	return launch_build(&tracing->bench->programs, &request, &outcome->plan,
		tracing->bench->operands.buffers, ret_run, error);
}

/* ---- One launch ------------------------------------------------------------------------------ */

/* A defect is not an error: it is part of the trace. */
static enum pmpp_status watch_launch(struct tracing *tracing, size_t step,
	const struct gpu_watch *watch, struct pmpp_error *error)
{
	struct gpu_device *device = tracing->bench->device;
	struct trace *trace = &tracing->result->traces[step];

	trace_finish(trace);
	gpu_watch(device, watch, trace);
	enum pmpp_status status = launch_step(&tracing->traced.steps[step], error);
	gpu_watch(device, NULL, NULL);
	if (trace->defect.kind == TRACE_NO_DEFECT)
		return status;
	pmpp_error_clear(error);
	return PMPP_OK;
}

/* Whether the whole grid can be watched, judged by the trace of three blocks. */
static bool is_quick(const struct trace *trace, uint64_t total)
{
	if (trace->sampled_blocks < FEW_BLOCKS || trace->unwatched_steps > 0)
		return false;
	double grids = (double)total / FEW_BLOCKS;
	double bytes = (double)trace->block_bytes_loaded + (double)trace->block_bytes_stored;

	return (double)trace->steps * grids <= QUICK_STEPS && bytes * grids <= QUICK_BYTES;
}

/* Watches the requested blocks. TRACE_BLOCKS_AUTO: watches a few blocks; if they took few steps,
 * watches the whole grid. */
static enum pmpp_status watch_blocks(
	struct tracing *tracing, size_t step, const struct saved *saved, struct pmpp_error *error)
{
	const struct trace_request *request = tracing->request;
	const struct trace *trace = &tracing->result->traces[step];
	uint64_t total = plan_launch_groups(&tracing->result->plan.steps[step].as.launch);
	const uint64_t few[FEW_BLOCKS] = {0, total / 2, total - 1};
	struct gpu_watch watch = {
		.step_limit = request->step_limit ? request->step_limit : STEP_LIMIT};

	if (request->blocks == TRACE_BLOCKS_LISTED) {
		watch.blocks = request->numbers;
		watch.block_count = request->number_count;
	} else if (request->blocks == TRACE_BLOCKS_AUTO && total > FEW_BLOCKS) {
		watch.blocks = few;
		watch.block_count = FEW_BLOCKS;
	}
	enum pmpp_status status = watch_launch(tracing, step, &watch, error);
	if (status != PMPP_OK || watch.blocks != few || trace->defect.kind != TRACE_NO_DEFECT ||
		!is_quick(trace, total))
		return status;
	status = restore(&tracing->bench->operands, saved, error);
	watch.blocks = NULL;
	return status == PMPP_OK ? watch_launch(tracing, step, &watch, error) : status;
}

/* Runs the whole grid unwatched. */
static enum pmpp_status run_plain(struct tracing *tracing, size_t step, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	if (!tracing->plain_bound) {
		status = bind_build(tracing, false, &tracing->plain, error);
		tracing->plain_bound = status == PMPP_OK;
	}
	if (status == PMPP_OK)
		status = launch_step(&tracing->plain.steps[step], error);
	return status;
}

static enum pmpp_status trace_launch(
	struct tracing *tracing, size_t step, bool last, struct pmpp_error *error)
{
	const struct trace *trace = &tracing->result->traces[step];
	struct saved saved = {0};
	enum pmpp_status status = save(&tracing->bench->operands, &saved, error);

	if (status == PMPP_OK)
		status = watch_blocks(tracing, step, &saved, error);
	if (status == PMPP_OK && !last && trace->estimated &&
		trace->defect.kind == TRACE_NO_DEFECT) {
		status = restore(&tracing->bench->operands, &saved, error);
		if (status == PMPP_OK)
			status = run_plain(tracing, step, error);
	}
	saved_finish(&saved);
	return status;
}

/* ---- All launches ---------------------------------------------------------------------------- */

static enum pmpp_status trace_plan(struct tracing *tracing, struct pmpp_error *error)
{
	const struct bound_run *run = &tracing->traced;
	enum pmpp_status status = PMPP_OK;

	for (size_t s = 0; s < run->step_count && status == PMPP_OK; s++) {
		if (run->steps[s].kind == PLAN_LAUNCH)
			status = trace_launch(tracing, s, s + 1 == run->step_count, error);
		else
			status = launch_step(&run->steps[s], error);
		if (tracing->result->traces[s].defect.kind != TRACE_NO_DEFECT)
			break; /* later launches would read missing data */
	}
	return status;
}

/* Prepares the operands for a run on the emulator, and binds the traced build to them. */
static enum pmpp_status prepare(struct tracing *tracing, struct pmpp_error *error)
{
	struct bench *bench = tracing->bench;
	const struct outcome *outcome = tracing->outcome;
	enum pmpp_status status = bench_place(bench, &outcome->config, &outcome->problem, error);

	if (status == PMPP_OK)
		status = operands_upload(&bench->operands, &outcome->problem, error);
	if (status == PMPP_OK)
		status = operands_poison(&bench->operands, POISON_NAN, error);
	if (status == PMPP_OK)
		status = gpu_watch_test(bench->device, error);
	if (status == PMPP_OK)
		status = bind_build(tracing, true, &tracing->traced, error);
	return status;
}

enum pmpp_status suite_trace(struct suite *suite, const struct config *config,
	const struct problem *problem, const struct trace_request *request,
	struct suite_trace *ret_trace, struct pmpp_error *error)
{
	const struct gpu_device_info *info = suite_device(suite);
	struct outcome outcome;
	struct tracing tracing = {.bench = &suite->bench,
		.math = suite->options.math,
		.request = request,
		.result = ret_trace,
		.outcome = &outcome};
	enum pmpp_status status = PMPP_OK;

	*ret_trace = (struct suite_trace){0};
	outcome_init(&outcome, config, problem, info, &suite->options);
	if (!feasible_here(&outcome, info))
		goto out;
	status = bench_check_memory(&suite->bench, config, &outcome.problem, true, error);
	if (status != PMPP_OK)
		goto out;
	config_plan(config, &outcome.problem, &outcome.plan);
	ret_trace->plan = outcome.plan;
	if (!feasible_plan(&outcome, &info->limits))
		goto out;
	bench_progress(&suite->bench, &outcome, "tracing");
	status = prepare(&tracing, error);
	if (status == PMPP_OK)
		status = trace_plan(&tracing, error);
	operands_forget(&suite->bench.operands);
	if (status == PMPP_OUT_OF_MEMORY)
		bench_release_problem(&suite->bench);
	else if (status == PMPP_UNSUPPORTED)
		status = bench_absorb(&suite->bench, &outcome, status, error);
out:
	snprintf(ret_trace->reason, sizeof ret_trace->reason, "%s",
		text_or_empty(outcome.row.reason));
	outcome_finish(&outcome);
	return status;
}
