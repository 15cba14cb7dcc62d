/* The times at which a repeated job writes the rows of its runs, on a simulated clock. */
#include "host/io/clock.h"
#include "host/run/worker.h"
#include "tests/support/result_example.h"
#include "tests/support/test.h"

/* ---- The simulated job --------------------------------------------------------------------- */

/* Durations in s, and the run in which the job ends. */
static const struct job_row {
	const char *name;
	size_t repetitions;
	double run_s, write_s;
	bool gpu;            /* else a CPU, whose repetition is several runs */
	size_t stops_in;     /* number of the run that is interrupted, from 1; 0: none */
	size_t runs;         /* runs that are executed */
	const char *written; /* runs after which rows are written, from 1 */
} jobs[] = {
	{"short runs", 30, 0.25, 0.01, true, 0, 30, "1 "},
	{"runs of 4 s", 8, 4, 0, true, 0, 8, "1 4 7 "},
	{"runs of 10 s", 4, 10, 0, true, 0, 4, "1 2 3 "},
	{"runs of 10 s, writing 0.5 s", 4, 10, 0.5, true, 0, 4, "1 2 3 "},
	{"runs of 10 s, writing 1 s", 7, 10, 1, true, 0, 7, "1 3 5 "},
	{"runs of 10 s, writing 100 s", 100, 10, 100, true, 0, 100, "1 "},
	{"a CPU's short runs", 2, 5, 0, false, 0, 8, "1 3 5 7 "},
	{"interrupted in run 3", 9, 10, 0, true, 3, 3, "1 2 "},
	{"interrupted in run 1", 9, 10, 0, true, 1, 1, ""},
};

static const struct job_row *active;
static double clock_ns;
static size_t runs;
static char written[300];

__typeof__(host_clock_ns) __wrap_host_clock_ns;
__typeof__(worker_run) __wrap_worker_run;

double __wrap_host_clock_ns(void)
{
	return clock_ns;
}

/* One device and one row. */
enum pmpp_status __wrap_worker_run(
	const struct job *job, const struct event_sink *sink, struct pmpp_error *error)
{
	struct result_document document;
	struct event event;

	(void)job;
	runs++;
	clock_ns += active->run_s * 1e9;
	if (runs == active->stops_in)
		return PMPP_FAIL(error, PMPP_INTERRUPTED, "interrupted");
	result_example_row(&document, "run", 1);
	record_init(&event_type, &event);
	event.kind = EVENT_DEVICE;
	EQUAL(record_copy(&device_type, &document.devices.items[0], &event.device, error), PMPP_OK);
	text_set(&event.device.type, active->gpu ? "gpu" : "cpu");
	sink->emit(sink->context, &event);
	record_finish(&event_type, &event);
	record_init(&event_type, &event);
	event.kind = EVENT_RESULT;
	event.task = 0;
	record_move(&result_row_type, &document.results.items[0], &event.row);
	sink->emit(sink->context, &event);
	record_finish(&event_type, &event);
	record_finish(&result_document_type, &document);
	return PMPP_OK;
}

static void take_row(void *context, struct event *event)
{
	if (event->kind != EVENT_RESULT)
		return;
	*(size_t *)context += 1;
	if (runs > 1 && !active->stops_in)
		EQUAL(event->row.repetitions.runs.count, runs);
}

static void take_interim(void *context, const struct interim_events *interim)
{
	(void)context;
	EQUAL(interim->count, 1);
	snprintf(written + strlen(written), sizeof written - strlen(written), "%zu ", runs);
	clock_ns += active->write_s * 1e9;
}

TEST_ROWS(run_job, jobs, "written between runs: %s", row->name)
{
	active = row;
	const struct job_options options = {.repetitions = active->repetitions};
	const struct job job = {.options = &options};
	size_t results = 0;
	const struct event_sink sink = {
		.emit = take_row, .interim = take_interim, .context = &results};

	clock_ns = 0;
	runs = 0;
	written[0] = '\0';
	enum pmpp_status status = repeat_run(&job, &sink, &test_error);
	if (active->stops_in)
		test_refused(status, PMPP_INTERRUPTED, NULL);
	else
		test_ok(status);
	CHECK(EQUAL(runs, active->runs), STRING(written, active->written),
		EQUAL(results, active->stops_in != 1));
}
