#include "host/run/runner.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "host/io/cache_file.h"
#include "host/suite/fill_device.h"

/* ---- Text of kernels ----------------------------------------------------------------------- */

static void set_stdout(const struct runner *runner, int fd)
{
	if (runner->results < 0)
		return;
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
}

void runner_begin_kernel_text(struct runner *runner)
{
	runner->results = runner->job->options->no_isolate
				  ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
				  : -1;
	set_stdout(runner, STDERR_FILENO);
}

void runner_end_kernel_text(struct runner *runner)
{
	set_stdout(runner, runner->results);
	if (runner->results >= 0)
		close(runner->results);
	runner->results = -1;
}

/* ---- Events -------------------------------------------------------------------------------- */

void runner_emit(struct runner *runner, struct event *event)
{
	char problem[CACHE_TEXT_BYTES], text[CACHE_TEXT_BYTES + 40];

	if (cache_file_problem(problem)) {
		snprintf(text, sizeof text, "the cache is not used: %s", problem);
		runner_emit_note(runner, text);
	}
	set_stdout(runner, runner->results);
	runner->sink->emit(runner->sink->context, event);
	set_stdout(runner, STDERR_FILENO);
	record_finish(&event_type, event);
}

struct event runner_event(enum event_kind kind, int64_t task, const char *label)
{
	struct event event;

	record_init(&event_type, &event);
	event.kind = (int)kind;
	event.task = task;
	text_set(&event.label, label);
	return event;
}

static void emit_text(struct runner *runner, enum event_kind kind, const char *text)
{
	struct event event = runner_event(kind, -1, NULL);

	text_set(&event.text, text);
	runner_emit(runner, &event);
}

void runner_emit_note(struct runner *runner, const char *text)
{
	emit_text(runner, EVENT_NOTE, text);
}

void runner_emit_lost(struct runner *runner, const struct gpu_device_info *info, const char *reason)
{
	char label[32];

	device_label(info, label, sizeof label);
	struct event event = runner_event(EVENT_LOST, -1, label);
	event_set_lost(&event, info->name, reason);
	runner_emit(runner, &event);
}

/* A suite_note_fn; context is the runner. */
static void emit_note(void *context, const char *text)
{
	emit_text(context, EVENT_NOTE, text);
}

void runner_emit_progress(void *context, const char *text)
{
	emit_text(context, EVENT_PROGRESS, text);
}

/* ---- Devices ------------------------------------------------------------------------------- */

/* roofs, timer: NULL = not measured. */
static enum pmpp_status emit_device(struct runner *runner, const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer)
{
	char label[32];

	device_label(info, label, sizeof label);
	struct event event = runner_event(EVENT_DEVICE, -1, label);
	enum pmpp_status status = device_record_fill(info, &event.device, runner->error);
	if (status == PMPP_OK) {
		device_record_measured(&event.device, roofs, timer);
		runner_emit(runner, &event);
	}
	record_finish(&event_type, &event);
	return status;
}

bool runner_has_passed(const struct runner *runner, const struct gpu_device_info *info)
{
	char label[32];

	device_label(info, label, sizeof label);
	return runner->progress->passed && text_list_has(runner->progress->passed, label);
}

static struct suite_options suite_options_of(struct runner *runner)
{
	const struct job *job = runner->job;
	const struct job_options *options = job->options;
	struct suite_options suite = {
		.math = options->math,
		.kernel_dir = options->kernel_dir,
		.bitwise = options->bitwise,
		.no_roofs = options->no_roofs,
		.as_project = job->action == JOB_SELFTEST,
		.traced = job->action == JOB_VERIFY || job->action == JOB_SELFTEST,
		.fenced = job->action == JOB_VERIFY && !options->no_isolate &&
			  !runner->progress->unfenced,
		.unguarded = job->engine->unguarded,
		.model = job->model ? job->model : runner->model,
		.flush = options->flush == FLUSH_YES,
		.min_time_ms = options->min_time_ms,
		.min_samples = options->min_samples,
		.max_samples = options->max_samples,
		.progress = runner_emit_progress,
		.progress_context = runner,
		.note = emit_note,
		.note_context = runner,
	};

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
	char text[800];

	runner_emit_progress(runner, "calibrating the timer, measuring roofs");
	enum pmpp_status status = suite_calibration(suite, &timer, runner->error);
	if (status == PMPP_OK)
		status = suite_roofs(suite, force, &roofs, runner->error);
	if (status == PMPP_OK)
		return emit_device(runner, info, roofs, timer);
	if (force || !suite_is_about_timing(status))
		return status;
	snprintf(text, sizeof text, "%s: roofs unknown: %s", info->name, runner->error->message);
	pmpp_error_clear(runner->error);
	runner_emit_note(runner, text);
	return emit_device(runner, info, NULL, NULL);
}

enum pmpp_status runner_open_suite(struct runner *runner, const struct gpu_device_info *info,
	bool timed, struct suite **ret_suite)
{
	struct suite_options options = suite_options_of(runner);
	char label[32];

	device_label(info, label, sizeof label);
	struct event open = runner_event(EVENT_OPEN, -1, label);
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
