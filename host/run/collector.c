#include "host/run/collector.h"

#include <stdlib.h>
#include <string.h>

#include "common/model/parity.h"
#include "host/io/atomic_file.h"
#include "host/record/document.h"
#include "host/record/provenance.h"
#include "host/report/device_summary.h"
#include "host/report/export.h"
#include "host/report/flag_marks.h"
#include "host/report/parity_summary.h"
#include "host/report/wrap.h"
#include "host/run/complete.h"
#include "host/run/interim.h"

/* ---- Tallies ------------------------------------------------------------------------------- */

/* Counts a text. Returns true if it is new. */
static bool tally(struct named_list *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].name, text) == 0) {
			list->items[i].value++;
			return false;
		}
	return named_list_add(list, text, 1);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static void count_row(struct collector *collector, const struct result_row *row)
{
	enum outcome_class class = result_row_class(row);
	const struct group_record *group = &collector->console.group;
	char title[DEVICE_TITLE_BYTES];
	char *name = NULL;

	collector->counts.of_class[class]++;
	device_title(group->device_name, group->platform, title, sizeof title);
	text_format(&name, "%s %s", text_or_empty(group->device), title);
	if (group->record.present)
		device_summary_add(&collector->devices, text_or_empty(name), class);
	free(name);
	if (class == OUTCOME_CLASS_SKIPPED && row->reason)
		tally(&collector->skips, row->reason);
}

/* Moves the row into the document. Returns NULL if memory runs out; the row counts as broken. */
static struct result_row *add_row(struct collector *collector, struct result_row *row)
{
	struct result_row_list *results = &collector->document.results;
	struct result_row *added = record_list_add(&result_row_type, results);

	if (!added) {
		terminal_warn(
			&collector->console.terminal, "no memory for a result: its row is lost");
		count_row(collector, row);
		collector->counts.of_class[OUTCOME_CLASS_BROKEN]++;
		return NULL;
	}
	record_move(&result_row_type, row, added);
	complete_row(added, &results->items[collector->group_first],
		results->count - 1 - collector->group_first, collector->gpu);
	collector->claims_not_applied |= !collector->gpu && added->claim.record.present;
	if (added->claim.reason)
		tally(&collector->not_meant, added->claim.reason);
	for (size_t i = 0; i < added->notes.count; i++)
		if (tally(&collector->notes, added->notes.items[i]))
			terminal_note(&collector->console.terminal, added->notes.items[i]);
	count_row(collector, added);
	saver_add(collector->saver, &collector->document, &collector->console.terminal);
	if (result_row_is_too_large(added) &&
		tally(&collector->too_large, text_or_empty(added->reason)))
		terminal_warn(&collector->console.terminal, text_or_empty(added->reason));
	return added;
}

/* ---- Events -------------------------------------------------------------------------------- */

/* Restarted workers repeat their notes; each is shown once. */
static void on_note(struct collector *collector, struct event *event)
{
	if (tally(&collector->notes, text_or_empty(event->text)))
		terminal_note(&collector->console.terminal, text_or_empty(event->text));
}

static void on_device(struct collector *collector, struct event *event)
{
	struct pmpp_error error = PMPP_ERROR_INIT;

	if (collector->job->action != JOB_EXPLAIN &&
		result_document_add_device(&collector->document, &event->device, &error) != PMPP_OK)
		terminal_warn(&collector->console.terminal, error.message);
	pmpp_error_clear(&error);
	console_device(&collector->console, text_or_empty(event->label), &event->device);
}

static void on_group(struct collector *collector, struct event *event)
{
	if (console_group(&collector->console, &event->group))
		collector->group_first = collector->document.results.count;
	collector->gpu = event->group.gpu;
}

static void on_start(struct collector *collector, struct event *event)
{
	terminal_start(&collector->console.terminal, text_or_empty(event->label), event->position,
		event->total);
}

static void on_progress(struct collector *collector, struct event *event)
{
	terminal_progress(&collector->console.terminal, text_or_empty(event->text));
}

static void on_result(struct collector *collector, struct event *event)
{
	text_set(&event->row.driver_text, event->text);
	const struct result_row *row = add_row(collector, &event->row);

	if (!row)
		return;
	console_row(&collector->console, text_or_empty(event->label), row);
	terminal_driver_text(&collector->console.terminal, event->text);
	/* Passed, but not timed: emulated, or the device could not be calibrated. */
	if (collector->job->action == JOB_RUN && row->status == OUTCOME_OK && row->reason)
		tally(&collector->untimed, row->reason);
}

static bool breaks_promise(const struct collector *collector, const struct result_row rows[2],
	const struct parity_row *parity)
{
	struct parity_side sides[2];

	for (size_t i = 0; i < 2; i++)
		sides[i] = (struct parity_side){.status = (enum outcome_status)rows[i].status,
			.promises_bits =
				text_equal(rows[i].repro, reproducibility_name(REPRO_BITWISE))};
	return parity_breaks_promise(sides, collector->job->options->math == GPU_MATH_FAST,
		parity->bit_identical == TRUTH_YES);
}

static void on_parity(struct collector *collector, struct event *event)
{
	const struct result_row_list *results = &collector->document.results;
	struct parity_row *parity = NULL;
	bool complete = event->rows.count == 2;

	if (complete)
		text_set(&event->rows.items[0].driver_text, event->text);
	for (size_t i = 0; i < event->rows.count && complete; i++)
		complete = add_row(collector, &event->rows.items[i]) != NULL;
	if (complete)
		parity = record_list_add(&parity_row_type, &collector->document.parity);
	if (!parity)
		return;
	record_move(&parity_row_type, &event->parity, parity);
	saver_add(collector->saver, &collector->document, &collector->console.terminal);
	const struct result_row *rows = &results->items[results->count - 2];
	console_parity(&collector->console, text_or_empty(event->label), parity,
		(const struct result_row *const[2]){rows, rows + 1});
	terminal_driver_text(&collector->console.terminal, event->text);
	if (breaks_promise(collector, rows, parity)) {
		collector->counts.of_class[OUTCOME_CLASS_FAILED]++;
		terminal_warn(&collector->console.terminal,
			"the outputs differ, but the variant must give the same bits on every "
			"engine");
	}
}

static void on_explanation(struct collector *collector, struct event *event)
{
	explanations_add(&collector->explanations, event, &collector->console, &collector->counts);
	terminal_driver_text(&collector->console.terminal, event->text);
}

static void on_misfit(struct collector *collector, struct event *event)
{
	collector->counts.misfits++;
	terminal_warn(&collector->console.terminal, text_or_empty(event->text));
	terminal_origin(&collector->console.terminal, &event->error);
}

/* With --repeat each run reports the lost device; the warning is printed once. */
static void on_lost(struct collector *collector, struct event *event)
{
	collector->counts.lost_devices++;
	if (tally(&collector->notes, text_or_empty(event->text)))
		terminal_warn(&collector->console.terminal, text_or_empty(event->text));
}

/* The text of a driver that belongs to no row. */
static void on_driver(struct collector *collector, struct event *event)
{
	terminal_driver_text(&collector->console.terminal, event->text);
}

static void (*const handlers[EVENT_KIND_COUNT])(struct collector *, struct event *) = {
	[EVENT_NOTE] = on_note,
	[EVENT_DEVICE] = on_device,
	[EVENT_GROUP] = on_group,
	[EVENT_START] = on_start,
	[EVENT_PROGRESS] = on_progress,
	[EVENT_RESULT] = on_result,
	[EVENT_PARITY] = on_parity,
	[EVENT_EXPLANATION] = on_explanation,
	[EVENT_DRIVER] = on_driver,
	[EVENT_MISFIT] = on_misfit,
	[EVENT_LOST] = on_lost,
};

static void take_event(void *context, struct event *event)
{
	if (event->kind >= 0 && handlers[event->kind])
		handlers[event->kind](context, event);
}

static void take_tick(void *context)
{
	terminal_tick(&((struct collector *)context)->console.terminal);
}

static void take_interim(void *context, const struct interim_events *interim)
{
	struct collector *collector = context;

	interim_save(&collector->document, interim, collector->saver, collector->outputs.json,
		&collector->console.terminal);
}

struct event_sink collector_sink(struct collector *collector)
{
	return (struct event_sink){.emit = take_event,
		.tick = take_tick,
		.interim = take_interim,
		.context = collector};
}

/* ---- Life ---------------------------------------------------------------------------------- */

void collector_init(struct collector *collector, const struct collector_options *options)
{
	enum job_action action = options->job->action;
	const struct job_options *job = options->job->options;

	*collector = (struct collector){
		.job = options->job,
		.outputs = options->outputs,
		.saver = options->saver,
		.counts.needs_rows = action != JOB_ROOFLINE && action != JOB_EXPLAIN,
	};
	console_init(&collector->console, &options->terminal, action == JOB_ROOFLINE);
	record_init(&result_document_type, &collector->document);
	text_set(&collector->document.schema, RESULT_SCHEMA);
	tool_record_set(&collector->document.tool, options->argc, options->argv);
	run_record_set(&collector->document.run);
	text_set_known(&collector->document.run.label, text_or_empty(options->label));
	if (options->rank) {
		text_set(&collector->document.run.fleet, options->rank->id);
		collector->document.run.rank = options->rank->rank;
		collector->document.run.ranks = options->rank->ranks;
	}
	host_record_set(&collector->document.host);
	explanations_init(&collector->explanations, options->argc, options->argv,
		job->diff ? job->words[0] : NULL, job->twins);
}

void collector_finish(struct collector *collector)
{
	console_finish(&collector->console);
	free(collector->devices.items);
	record_finish(&result_document_type, &collector->document);
	explanations_finish(&collector->explanations);
	named_list_finish(&collector->too_large);
	named_list_finish(&collector->skips);
	named_list_finish(&collector->notes);
	named_list_finish(&collector->not_meant);
	named_list_finish(&collector->untimed);
}

void collector_take_document(struct collector *collector, struct result_document *ret_document)
{
	record_finish(&result_document_type, ret_document);
	record_move(&result_document_type, &collector->document, ret_document);
}

/* ---- Closing lines ------------------------------------------------------------------------- */

static void put_skips(const struct named_list *skips, FILE *out)
{
	for (size_t i = 0; i < skips->count; i++) {
		fputs(i ? "; " : " (", out);
		if (skips->count > 1)
			fprintf(out, "%lld: ", (long long)skips->items[i].value);
		fputs(skips->items[i].name, out);
	}
	fputs(skips->count ? ")\n" : "\n", out);
}

/* Prints the libraries in the column "x peer" of the tables, with the number of their rows. */
static void put_peers(const struct result_row_list *rows, FILE *out)
{
	struct named_list peers = {0};

	for (size_t i = 0; i < rows->count; i++) {
		const struct peer_record *peer = peer_list_fastest(&rows->items[i].peers);
		if (peer)
			tally(&peers, text_or_empty(peer->variant));
	}
	for (size_t i = 0; i < peers.count; i++)
		fprintf(out, "%s%s (%lld row%s)",
			i ? ", "
			  : "x peer = time of the library / time of the variant; fastest library: ",
			peers.items[i].name, (long long)peers.items[i].value,
			peers.items[i].value == 1 ? "" : "s");
	if (peers.count)
		fputc('\n', out);
	named_list_finish(&peers);
}

static bool has_counts(const struct exit_counts *counts)
{
	for (size_t i = 0; i < OUTCOME_CLASS_COUNT; i++)
		if (counts->of_class[i])
			return true;
	return false;
}

/* Nothing ran, because nothing fits: the message on stderr is the only output. */
static bool is_refused(const struct collector *collector)
{
	size_t rows = 0;

	for (size_t i = 0; i < OUTCOME_CLASS_COUNT; i++)
		rows += collector->counts.of_class[i];
	return collector->too_large.count &&
	       collector->counts.of_class[OUTCOME_CLASS_SKIPPED] == rows;
}

static void put_closing(const struct collector *collector, FILE *out)
{
	bool runs = collector->job->action == JOB_RUN;

	if (collector->job->action == JOB_PARITY)
		parity_summary_put(out, &collector->document);
	device_summary_put_counts(collector->counts.of_class, out);
	put_skips(&collector->skips, out);
	for (size_t i = 0; i < collector->untimed.count; i++)
		fprintf(out, "untimed: %s\n", collector->untimed.items[i].name);
	if (collector->job->action != JOB_PARITY)
		device_summary_put(out, &collector->devices);
	/* The table of verify has no marks: the line of a variant ends with "your kernel". */
	if (collector->job->action != JOB_VERIFY)
		flag_marks_counts(out, &collector->document.results);
	put_peers(&collector->document.results, out);
	for (size_t i = 0; i < collector->not_meant.count && runs; i++)
		fprintf(out, "%lld claim%s n/a: %s\n",
			(long long)collector->not_meant.items[i].value,
			collector->not_meant.items[i].value == 1 ? " is" : "s are",
			collector->not_meant.items[i].name);
	if (collector->claims_not_applied && runs)
		fputs("claims apply to GPUs only: on a CPU or an emulated device they are n/a\n",
			out);
}

void collector_close(struct collector *collector)
{
	const struct terminal *terminal = &collector->console.terminal;
	struct wrap wrap;

	console_group_end(&collector->console);
	if (collector->job->action == JOB_EXPLAIN) {
		if (collector->job->options->diff)
			explanations_put_sides(&collector->explanations, &collector->console);
		return;
	}
	if (!terminal->out || !has_counts(&collector->counts) || is_refused(collector))
		return;
	put_closing(collector, wrap_begin(&wrap, terminal->out, terminal->width));
	wrap_end(&wrap);
	fflush(terminal->out);
}

/* ---- Outputs ------------------------------------------------------------------------------- */

enum pmpp_status collector_check_outputs(
	const struct output_paths *outputs, const char *operand_path, struct pmpp_error *error)
{
	const struct {
		const char *option;
		const char *path;
	} files[] = {{"--json", outputs->json}, {"--csv", outputs->csv},
		{"--md", outputs->markdown}, {"--out", operand_path}};
	const size_t count = sizeof files / sizeof *files;
	enum pmpp_status status = PMPP_OK;

	/* operand_files_find_output() has checked the file of --out. */
	for (size_t i = 0; i + 1 < count && status == PMPP_OK; i++)
		if (files[i].path)
			status = document_check_path(files[i].path, error);
	for (size_t i = 0; i < count && status == PMPP_OK; i++)
		for (size_t j = i + 1; j < count && status == PMPP_OK; j++)
			if (files[i].path && files[j].path &&
				atomic_file_same(files[i].path, files[j].path))
				status = PMPP_FAIL(error, PMPP_USAGE,
					"%s and %s write the same file, %s: name two files",
					files[i].option, files[j].option, files[j].path);
	return status;
}

bool collector_has_results(const struct collector *collector)
{
	return collector->document.results.count ||
	       collector->explanations.document.explanations.count;
}

static enum pmpp_status write_table(const char *path, char *(*make)(const struct result_document *),
	const struct result_document *document, struct pmpp_error *error)
{
	if (!path)
		return PMPP_OK;
	char *text = make(document);
	enum pmpp_status status =
		text ? document_save_text(path, text, error)
		     : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a table");
	free(text);
	return status;
}

/* A file that is too large for the reader is written, because other programs can read it. */
static enum pmpp_status write_json(struct collector *collector, struct pmpp_error *error)
{
	const char *path = collector->outputs.json;
	bool explains = collector->job->action == JOB_EXPLAIN;
	const void *document = explains ? (const void *)&collector->explanations.document
					: (const void *)&collector->document;
	char *warning = NULL;

	if (!path)
		return PMPP_OK;
	enum pmpp_status status =
		document_save_warned(explains ? &explain_document_type : &result_document_type,
			document, path, &warning, error);
	if (warning)
		terminal_warn(&collector->console.terminal, warning);
	free(warning);
	return status;
}

static enum pmpp_status write_csv(struct collector *collector, struct pmpp_error *error)
{
	return write_table(collector->outputs.csv, export_csv, &collector->document, error);
}

static enum pmpp_status write_markdown(struct collector *collector, struct pmpp_error *error)
{
	return write_table(
		collector->outputs.markdown, export_markdown, &collector->document, error);
}

static enum pmpp_status write_store(struct collector *collector, struct pmpp_error *error)
{
	return saver_end(collector->saver, &collector->document, error);
}

enum pmpp_status collector_write_outputs(struct collector *collector, struct pmpp_error *error)
{
	enum pmpp_status (*const writers[])(struct collector * collector,
		struct pmpp_error * error) = {write_json, write_csv, write_markdown, write_store};
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
		struct pmpp_error other = PMPP_ERROR_INIT;
		enum pmpp_status written = writers[i](collector, &other);
		if (written != PMPP_OK && status == PMPP_OK) {
			pmpp_error_move(error, &other);
			status = written;
		} else if (written != PMPP_OK) {
			terminal_warn(&collector->console.terminal, other.message);
		}
		pmpp_error_clear(&other);
	}
	return status;
}

/* ---- Exit code ----------------------------------------------------------------------------- */

/* Skipped and unverified rows do not prove that their problem fits in memory. */
static bool has_run(const struct result_row *row)
{
	enum outcome_class class = result_row_class(row);
	return class != OUTCOME_CLASS_SKIPPED && class != OUTCOME_CLASS_UNVERIFIED;
}

/* Whether another device ran the problem of a row that did not fit. */
static bool fitted_elsewhere(const struct collector *collector, const struct result_row *misfit)
{
	const struct result_row_list *results = &collector->document.results;

	for (size_t i = 0; i < results->count; i++) {
		const struct result_row *row = &results->items[i];
		bool same_place = text_equal(row->backend, misfit->backend) &&
				  text_equal(row->device, misfit->device);
		if (text_equal(row->family, misfit->family) &&
			named_list_equal(&row->problem, &misfit->problem) && !same_place &&
			has_run(row))
			return true;
	}
	return false;
}

enum exit_code collector_exit_code(const struct collector *collector)
{
	const struct result_row_list *results = &collector->document.results;
	struct exit_counts counts = collector->counts;

	for (size_t i = 0; i < results->count; i++)
		counts.misfits += !collector->job->options->like &&
				  result_row_is_too_large(&results->items[i]) &&
				  !fitted_elsewhere(collector, &results->items[i]);
	return exit_code_of_counts(&counts);
}
