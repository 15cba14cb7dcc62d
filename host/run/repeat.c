#include "host/run/worker.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "host/io/clock.h"
#include "host/record/repetitions.h"
#include "host/suite/launch.h"

/* The speed of a CPU changes over seconds. On PoCL on a virtual machine a variant takes 1 to 2 s. The
 * deviations of two variants have a correlation of 0.46 after 2 to 4 s, 0.24 after 6 s and 0.1 after
 * 16 s. More samples in a row hardly help, but more runs do. Therefore a repetition on a CPU is
 * JOB_SHORT_RUNS short runs with fewer samples each. */

/* Each writing merges and writes all rows of all runs. The total time of writing after each run
 * would grow with the square of the number of runs. With these limits it is at most 1/20 of the
 * time of the runs. A kill loses the last 10 s and the run in progress, or more if writing is slow. */
#define INTERIM_PAUSE_NS 10e9
#define INTERIM_PAUSE_WRITES 20

/* An event that the sink gets after the last run: a group, or the rows of a task. */
struct kept_event {
	struct event event;          /* without its row */
	struct result_row_list rows; /* EVENT_RESULT: one for each run */
};

struct repeat {
	const struct event_sink *sink;
	size_t run, run_count; /* run counts from 0 */
	bool splits;
	double written_ns, writing_ns; /* end and duration of the last writing of interim rows */
	struct {
		struct kept_event *items; /* owned */
		size_t count;
	} kept;
	struct device_list devices;
	enum pmpp_status status; /* first error of keeping events */
	struct pmpp_error *error;
};

/* ---- Keeping ------------------------------------------------------------------------------- */

static struct kept_event *add_kept(struct repeat *repeat, struct event *event)
{
	struct kept_event *kept = array_add(&repeat->kept, sizeof *kept);

	if (kept)
		record_move(&event_type, event, &kept->event);
	return kept;
}

static struct kept_event *find_task(struct repeat *repeat, int64_t task)
{
	for (size_t i = 0; i < repeat->kept.count; i++)
		if (repeat->kept.items[i].event.kind == EVENT_RESULT &&
			repeat->kept.items[i].event.task == task)
			return &repeat->kept.items[i];
	return NULL;
}

/* Passes a note about a variant to the sink. label: the label of its task. */
static void put_note(struct repeat *repeat, const char *label, const char *text)
{
	struct event note = event_new(EVENT_NOTE, -1, NULL);

	text_format(&note.text, "%s: %s", text_or_empty(label), text);
	event_emit(repeat->sink, &note);
}

static void note_left_out(struct repeat *repeat, const char *label)
{
	char text[160];

	snprintf(text, sizeof text,
		"run %zu of %zu is dropped, because its problem size differs from the first run: "
		"give --size",
		repeat->run + 1, repeat->run_count);
	put_note(repeat, label, text);
}

static void keep_row(struct repeat *repeat, struct event *event)
{
	struct result_row row;

	record_move(&result_row_type, &event->row, &row);
	event->row.record.present = false;
	struct kept_event *kept = find_task(repeat, event->task);
	if (!kept)
		kept = add_kept(repeat, event);
	/* Default sizes depend on the free memory. */
	bool fits = kept && (kept->rows.count == 0 ||
				    named_list_equal(&kept->rows.items[0].problem, &row.problem));
	struct result_row *added = fits ? record_list_add(&result_row_type, &kept->rows) : NULL;
	if (added)
		record_move(&result_row_type, &row, added);
	else if (kept && !fits)
		note_left_out(repeat, kept->event.label);
	else
		repeat->status = PMPP_NO_MEMORY(repeat->error, "the results");
	record_finish(&result_row_type, &row);
}

/* ---- The sink of the runs ------------------------------------------------------------------ */

static void keep_device(struct repeat *repeat, const struct event *event)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;

	/* If there is no memory, the default floor of noise is used. */
	if (repeat->run == 0 && record_list_add_copy(&device_type, &repeat->devices, &event->device,
					&ignored) != PMPP_OK)
		pmpp_error_clear(&ignored);
	if (repeat->splits && text_equal(event->device.type, "cpu")) {
		repeat->run_count *= JOB_SHORT_RUNS;
		repeat->splits = false;
	}
}

static void number_label(const struct repeat *repeat, struct event *event)
{
	char *label = NULL;

	if (event->total > 0) {
		event->position += (int64_t)repeat->run * event->total;
		event->total *= (int64_t)repeat->run_count;
	}

	text_set(&label, text_or_empty(event->label));
	text_format(&event->label, "run %zu of %zu: %s", repeat->run + 1, repeat->run_count,
		text_or_empty(label));
	free(label);
}

static void take_event(void *context, struct event *event)
{
	struct repeat *repeat = context;

	if (event->kind == EVENT_RESULT) {
		keep_row(repeat, event);
		return;
	}
	if (event->kind == EVENT_GROUP) {
		if (repeat->run == 0 && !add_kept(repeat, event))
			repeat->status = PMPP_NO_MEMORY(repeat->error, "the results");
		return;
	}
	if (event->kind == EVENT_DEVICE)
		keep_device(repeat, event);
	if (event->kind == EVENT_START)
		number_label(repeat, event);
	repeat->sink->emit(repeat->sink->context, event);
}

static void take_tick(void *context)
{
	struct repeat *repeat = context;

	repeat->sink->tick(repeat->sink->context);
}

/* ---- Merged rows --------------------------------------------------------------------------- */

/* repetitions_merge() of copies: later runs are merged with the same rows. */
static enum pmpp_status merge_copies(const struct repeat *repeat,
	const struct result_row_list *rows, struct result_row *ret_row, struct pmpp_error *error)
{
	struct result_row *copies = calloc(rows->count, sizeof *copies);
	size_t count = 0;
	enum pmpp_status status = copies ? PMPP_OK : PMPP_NO_MEMORY(error, "the results");

	while (status == PMPP_OK && count < rows->count) {
		status = record_copy(&result_row_type, &rows->items[count], &copies[count], error);
		count += status == PMPP_OK;
	}
	if (status == PMPP_OK)
		status = repetitions_merge(copies, count,
			device_list_find(&repeat->devices, copies[0].device), ret_row, error);
	for (size_t i = 0; i < count; i++)
		record_finish(&result_row_type, &copies[i]);
	free(copies);
	return status;
}

/* Makes the event of the sink: a copy, with the merged row. */
static enum pmpp_status make_event(const struct repeat *repeat, const struct kept_event *kept,
	struct event *ret_event, struct pmpp_error *error)
{
	struct result_row row;
	enum pmpp_status status = record_copy(&event_type, &kept->event, ret_event, error);

	if (status != PMPP_OK || kept->event.kind != EVENT_RESULT)
		return status;
	status = merge_copies(repeat, &kept->rows, &row, error);
	if (status == PMPP_OK) {
		record_finish(&result_row_type, &ret_event->row);
		record_move(&result_row_type, &row, &ret_event->row);
	} else {
		record_finish(&event_type, ret_event);
	}
	return status;
}

/* false: memory ran out for all runs of this row; repeat.status has the error. */
static bool has_event(const struct kept_event *kept)
{
	return kept->event.kind != EVENT_RESULT || kept->rows.count > 0;
}

/* Passes the rows of the runs so far to the sink. If memory runs out, the sink gets the rows only
 * at the end of the job. */
static void pass_interim(const struct repeat *repeat)
{
	struct event *events = calloc(repeat->kept.count + 1, sizeof *events);
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	enum pmpp_status status = events ? PMPP_OK : PMPP_OUT_OF_MEMORY;
	size_t count = 0;

	for (size_t i = 0; i < repeat->kept.count && status == PMPP_OK; i++)
		if (has_event(&repeat->kept.items[i])) {
			status = make_event(
				repeat, &repeat->kept.items[i], &events[count], &ignored);
			count += status == PMPP_OK;
		}
	if (status == PMPP_OK && count)
		repeat->sink->interim(
			repeat->sink->context, &(struct interim_events){events, count});
	for (size_t i = 0; i < count; i++)
		record_finish(&event_type, &events[i]);
	free(events);
	pmpp_error_clear(&ignored);
}

/* Whether the rows so far are written again. since_ns: time since the last writing ended; took_ns:
 * time that it took. */
static bool interim_is_due(double since_ns, double took_ns)
{
	return since_ns >= INTERIM_PAUSE_NS && since_ns >= INTERIM_PAUSE_WRITES * took_ns;
}

/* Passes the rows to the sink after the first run, and after later runs if interim_is_due(). */
static void end_run(struct repeat *repeat)
{
	double start_ns = host_clock_ns();
	bool last = repeat->run + 1 == repeat->run_count;
	bool due = repeat->run == 0 ||
		   interim_is_due(start_ns - repeat->written_ns, repeat->writing_ns);

	if (!repeat->sink->interim || last || !due)
		return;
	pass_interim(repeat);
	repeat->written_ns = host_clock_ns();
	repeat->writing_ns = repeat->written_ns - start_ns;
}

/* ---- After the last run -------------------------------------------------------------------- */

/* repetitions_merge() drops skipped runs. */
static void note_skipped(struct repeat *repeat, const struct kept_event *kept)
{
	const struct result_row *skipped = NULL;
	size_t count = 0;
	char text[300];

	for (size_t i = 0; i < kept->rows.count; i++)
		if (outcome_is_skipped(kept->rows.items[i].status)) {
			skipped = &kept->rows.items[i];
			count++;
		}
	if (count == 0 || count == kept->rows.count)
		return;
	snprintf(text, sizeof text, "%zu of %zu runs skipped it and are dropped: %s", count,
		kept->rows.count, text_or_empty(skipped->reason));
	put_note(repeat, kept->event.label, text);
}

/* Passes a kept event to the sink, with the merged row. */
static enum pmpp_status emit_kept(
	struct repeat *repeat, const struct kept_event *kept, struct pmpp_error *error)
{
	struct event event;

	if (!has_event(kept))
		return PMPP_OK;
	enum pmpp_status status = make_event(repeat, kept, &event, error);
	if (status != PMPP_OK)
		return status;
	note_skipped(repeat, kept);
	event_emit(repeat->sink, &event);
	return status;
}

static void finish_kept(struct kept_event *kept)
{
	record_finish(&event_type, &kept->event);
	record_list_clear(&result_row_type, &kept->rows);
}

static void repeat_finish(struct repeat *repeat)
{
	for (size_t i = 0; i < repeat->kept.count; i++)
		finish_kept(&repeat->kept.items[i]);
	free(repeat->kept.items);
	record_list_clear(&device_type, &repeat->devices);
}

static enum pmpp_status run_times(
	const struct job *job, const struct event_sink *sink, struct pmpp_error *error)
{
	struct pmpp_error later = PMPP_ERROR_INIT;
	struct repeat repeat = {.sink = sink,
		.run_count = job->options->repetitions,
		.splits = job_splits_runs(job->options),
		.error = error};
	const struct event_sink own = {.emit = take_event, .tick = take_tick, .context = &repeat};
	enum pmpp_status status = PMPP_OK;

	for (; repeat.run < repeat.run_count && status == PMPP_OK; repeat.run++) {
		status = worker_run(job, &own, error);
		if (status == PMPP_OK)
			status = repeat.status;
		if (status == PMPP_OK)
			end_run(&repeat);
	}
	for (size_t i = 0; i < repeat.kept.count; i++) {
		enum pmpp_status emitted = emit_kept(&repeat, &repeat.kept.items[i], &later);
		if (emitted != PMPP_OK && status == PMPP_OK) {
			status = emitted;
			pmpp_error_move(error, &later);
		}
		pmpp_error_clear(&later);
	}
	repeat_finish(&repeat);
	return status;
}

enum pmpp_status repeat_run(
	const struct job *job, const struct event_sink *sink, struct pmpp_error *error)
{
	return (job->options->repetitions < 2 ? worker_run : run_times)(job, sink, error);
}
