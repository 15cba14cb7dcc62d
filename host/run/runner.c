#include "host/run/runner.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/io/cache_file.h"
#include "host/suite/device.h"
#include "host/suite/outcome.h"

/* ---- Events -------------------------------------------------------------------------------- */

void runner_emit(struct runner *runner, struct event *event)
{
	char problem[CACHE_TEXT_BYTES];

	if (cache_file_problem(problem))
		runner_emit_note(runner, "the cache is not used: %s", problem);
	event_emit(runner->sink, event);
}

static void emit_text(struct runner *runner, enum event_kind kind, const char *text)
{
	struct event event = event_new(kind, -1, NULL);

	text_set(&event.text, text);
	runner_emit(runner, &event);
}

void runner_emit_note(struct runner *runner, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) >= 0) {
		emit_text(runner, EVENT_NOTE, text);
		free(text);
	}
	va_end(arguments);
}

struct event runner_row_event(const struct runner *runner, const struct gpu_device_info *info,
	enum event_kind kind, const struct task *task, int64_t number, enum outcome_status outcome,
	const char *reason)
{
	struct event event = event_new(kind, number, task->label);

	fill_row_head(&task->config, &task->problem, info, runner->job->options->suite.kernel_dir,
		&event.row);
	result_row_end(&event.row, outcome, reason);
	return event;
}

void runner_kernel_name(const struct result_row *row, char ret_name[RUNNER_NAME_BYTES])
{
	snprintf(ret_name, RUNNER_NAME_BYTES, "%s %s %s", text_or_empty(row->backend),
		text_or_empty(row->device), text_or_empty(row->variant));
}

/* A suite_note_fn; context is the runner. */
static void emit_note(void *context, const char *text)
{
	emit_text(context, EVENT_NOTE, text);
}

/* A suite_progress_fn; context is the runner. */
static void emit_progress(void *context, const char *text)
{
	emit_text(context, EVENT_PROGRESS, text);
}

/* ---- Devices ------------------------------------------------------------------------------- */

/* roofs, timer: NULL = not measured. */
static enum pmpp_status emit_device(struct runner *runner, const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer)
{
	struct event event = event_new(EVENT_DEVICE, -1, device_label(info).text);
	enum pmpp_status status =
		device_record_fill(info, roofs, timer, &event.device, runner->error);
	if (status == PMPP_OK)
		runner_emit(runner, &event);
	record_finish(&event_type, &event);
	return status;
}

static struct suite_options suite_options_of(struct runner *runner)
{
	const struct job *job = runner->job;
	const struct job_options *options = job->options;
	struct suite_options suite = options->suite;

	suite.as_project = job->action == JOB_SELFTEST;
	suite.traced = job->action == JOB_VERIFY || job->action == JOB_SELFTEST;
	suite.fenced =
		job->action == JOB_VERIFY && !options->no_isolate && !runner->progress->unfenced;
	suite.unguarded = job->engine->unguarded;
	suite.model = job->model ? job->model : runner->model;
	suite.model_limits = options->model || !job->model;
	suite.progress = emit_progress;
	suite.note = emit_note;
	suite.progress_context = suite.note_context = runner;
	for (size_t i = 0; i < PMPP_MAX_OPERANDS; i++)
		suite.user_inputs[i] = job->inputs.arrays[i].data;
	return suite;
}

/* Roofs and timer of a device on which something is timed. A device that cannot run the suite's own
 * kernels may still verify: that is a note. */
static enum pmpp_status report_timed_device(
	struct runner *runner, struct suite *suite, const struct gpu_device_info *info)
{
	const struct roofs_record *roofs = NULL;
	const struct timer_record *timer = NULL;
	bool force = runner->job->action == JOB_ROOFLINE;

	emit_progress(runner, "calibrating the timer, measuring roofs");
	enum pmpp_status status = suite_calibration(suite, &timer, runner->error);
	if (status == PMPP_OK)
		status = suite_roofs(suite, force, &roofs, runner->error);
	if (status == PMPP_OK)
		return emit_device(runner, info, roofs, timer);
	if (force || !suite_is_about_timing(status))
		return status;
	runner_emit_note(runner, "%s: roofs unknown: %s", info->name, runner->error->message);
	pmpp_error_clear(runner->error);
	return emit_device(runner, info, NULL, NULL);
}

enum pmpp_status runner_open_suite(struct runner *runner, const struct gpu_device_info *info,
	bool timed, struct suite **ret_suite)
{
	struct suite_options options = suite_options_of(runner);
	struct event open = event_new(EVENT_OPEN, -1, device_label(info).text);

	text_set(&open.text, info->name);
	runner_emit(runner, &open);
	if (job_splits_runs(runner->job->options) && info->type == GPU_TYPE_CPU &&
		options.min_samples == 0)
		options.min_samples = options.max_samples < JOB_SHORT_SAMPLES ? options.max_samples
									      : JOB_SHORT_SAMPLES;
	enum pmpp_status status = suite_open(info, &options, ret_suite, runner->error);

	if (status != PMPP_OK)
		return status;
	if (timed && info->type != GPU_TYPE_EMULATED)
		return report_timed_device(runner, *ret_suite, info);
	/* Not the enumerated device: the model sets the width. */
	return emit_device(runner, suite_device(*ret_suite), NULL, NULL);
}
