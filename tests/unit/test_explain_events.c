/* The document and the exit code that the collector makes from the events of `explain`. */
#include "host/run/collector.c"
#include "tests/support/test.h"

enum part {
	END,
	PAGE,     /* a variant that was explained */
	UNTRACED, /* without a trace */
	DEFECT,   /* with a defect of a kind */
	METER,    /* with a measurement that has a status */
	LOST,     /* a variant that could not be explained, with a status */
	MISFIT    /* a size that does not fit */
};

static const struct row {
	const char *name;
	struct {
		enum part part;
		int value; /* kind of defect, or status */
	} events[3];       /* ended by END */
	enum exit_code want;
	size_t explanations;
} rows[] = {
	{"nothing", {{END, 0}}, EXIT_CODE_OK, 0},
	{"a page", {{PAGE, 0}}, EXIT_CODE_OK, 1},
	{"no trace", {{UNTRACED, 0}}, EXIT_CODE_OK, 1},
	{"a race", {{DEFECT, TRACE_RACE}}, EXIT_CODE_FAILED, 1},
	{"a barrier", {{DEFECT, TRACE_BARRIER}}, EXIT_CODE_FAILED, 1},
	{"a runaway", {{DEFECT, TRACE_RUNAWAY}}, EXIT_CODE_BROKEN, 1},
	{"a fault", {{DEFECT, TRACE_FAULT}}, EXIT_CODE_BROKEN, 1},
	{"a race before a runaway", {{DEFECT, TRACE_RUNAWAY}, {DEFECT, TRACE_RACE}},
		EXIT_CODE_FAILED, 2},
	{"measured", {{METER, OUTCOME_OK}}, EXIT_CODE_OK, 1},
	{"measured: skipped", {{METER, OUTCOME_SKIPPED}}, EXIT_CODE_OK, 1},
	{"measured: wrong", {{METER, OUTCOME_FAILED}}, EXIT_CODE_FAILED, 1},
	{"measured: does not build", {{METER, OUTCOME_BUILD_ERROR}}, EXIT_CODE_BROKEN, 1},
	{"a crash", {{LOST, OUTCOME_CRASHED}}, EXIT_CODE_BROKEN, 1},
	{"a timeout, then a page", {{LOST, OUTCOME_TIMEOUT}, {PAGE, 0}}, EXIT_CODE_BROKEN, 2},
	{"an infeasible point", {{LOST, OUTCOME_UNSUPPORTED}}, EXIT_CODE_OK, 1},
	{"a size that does not fit", {{MISFIT, 0}}, EXIT_CODE_USAGE, 0},
};

/* A collector of a quiet `explain`. */
struct fixture {
	struct job_options options;
	struct job job;
	struct collector collector;
};

static void begin(struct fixture *fixture)
{
	static char name[] = "pmpp-run";
	static char *arguments[] = {name, NULL};

	*fixture = (struct fixture){.job = {.action = JOB_EXPLAIN, .options = &fixture->options}};
	collector_init(&fixture->collector, &(struct collector_options){&fixture->job, .argc = 1,
						    .argv = arguments, .terminal.quiet = true});
}

static struct explanation_record *add_entry(struct event *event)
{
	struct explanation_record *entry = record_list_add(&explanation_type, &event->explanations);

	SOME(entry);
	text_set(&entry->family, "f");
	text_set(&entry->variant, "v");
	return entry;
}

static void send(struct fixture *fixture, enum part part, int value)
{
	struct event_sink sink = collector_sink(&fixture->collector);
	struct event event;

	record_init(&event_type, &event);
	event.kind = part == MISFIT ? EVENT_MISFIT : EVENT_EXPLANATION;
	event.task = 0;
	text_set(&event.text, "x");
	struct explanation_record *entry = add_entry(&event);
	if (part == UNTRACED)
		text_set(&entry->no_trace, "no C++ compiler");
	if (part == DEFECT) {
		struct defect_record *defect = record_list_add(&defect_type, &entry->defects);
		SOME(defect);
		defect->kind = value;
	}
	if (part == METER) {
		entry->measured.record.present = true;
		entry->measured.status = value;
	}
	if (part == LOST)
		explanation_record_end(entry, (enum outcome_status)value, "because");
	sink.emit(sink.context, &event);
	record_finish(&event_type, &event);
}

TEST_ROWS(events, rows, "%s", row->name)
{
	struct fixture fixture;

	begin(&fixture);
	for (size_t i = 0; i < 3 && row->events[i].part != END; i++)
		send(&fixture, row->events[i].part, row->events[i].value);
	collector_close(&fixture.collector);
	EQUAL(collector_exit_code(&fixture.collector), row->want);
	const struct explain_document *document = &fixture.collector.explanations;
	STRING(document->schema, "pmpp-explain/1");
	EQUAL(document->explanations.count, row->explanations);
	collector_finish(&fixture.collector);
}

/* The document keeps a lost page, with its reason. */
TEST(lost_entry, "a lost page in the document")
{
	struct fixture fixture;

	begin(&fixture);
	send(&fixture, LOST, OUTCOME_CRASHED);
	const struct explanation_record *entry =
		&fixture.collector.explanations.explanations.items[0];
	CHECK(EQUAL(entry->status, OUTCOME_CRASHED), STRING(entry->no_trace, "because"));
	collector_finish(&fixture.collector);
}
