#include "host/run/collector.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/family.h"
#include "common/model/claim.h"
#include "common/model/exit_code.h"
#include "common/model/ladder.h"
#include "common/model/parity.h"
#include "host/io/atomic_file.h"
#include "host/record/document.h"
#include "host/record/provenance.h"
#include "host/record/store.h"
#include "host/report/console.h"
#include "host/report/explain_table.h"
#include "host/report/export.h"
#include "host/report/flag_marks.h"
#include "host/report/format.h"
#include "host/report/wrap.h"
#include "host/run/stop.h"
#include "host/run/worker.h"
#include "host/suite/launch.h"

/* Texts that are counted. */
enum tally {
	TALLY_TOO_LARGE, /* problems that did not fit, as reasons */
	TALLY_NOT_MEANT, /* reasons of claims that are not meant for the device */
	TALLY_SKIPS,     /* reasons of skipped rows */
	TALLY_NOTES,     /* notes that were printed */
	TALLY_UNTIMED,   /* why rows that passed were not timed */
	TALLY_COUNT
};

/* Saves the rows of a job to the store as soon as they are finished (--save). The store is open
 * only while rows are added, because workers are forked in between. All zeros: saves nothing. */
struct saver {
	bool active;
	char path[STORE_PATH_BYTES];
	struct store_rest rest; /* the first rows that are not in the store yet. replaces:
				 * saver_interim() was called */
	size_t interim_rows;    /* rows that saver_interim() has saved last */
	bool warned, noted;
};

struct collector {
	const struct job *job;
	struct output_paths outputs;
	struct saver saver;
	struct console console;
	struct result_document document;      /* owned */
	struct explain_document explanations; /* of `explain`; owned */
	size_t explained_first;               /* the first explanation that is not printed */

	bool gpu;                               /* the group's device is a GPU */
	size_t group_first;                     /* first row of the group in document.results */
	struct named_list tallies[TALLY_COUNT]; /* owned */
	bool claims_not_applied;
	bool warned;      /* as in collector_options */
	bool size_warned; /* the file of --json is too large for the reader */
	struct exit_counts counts;
};

/* ---- Explanations --------------------------------------------------------------------------- */

/* With -q there is no page. Prints a line on stderr for each entry with a failure. */
static void put_explain_trouble(const struct explanation_record *entry, struct console *console)
{
	size_t counts[OUTCOME_CLASS_COUNT] = {0};
	const char *reason = entry->defects.count ? entry->defects.items[0].text : entry->reason;
	int status = entry->status >= 0 ? entry->status : entry->measured.status;
	char *text = NULL;

	explanation_record_count(entry, counts);
	if (!console->terminal.quiet ||
		counts[OUTCOME_CLASS_FAILED] + counts[OUTCOME_CLASS_BROKEN] == 0)
		return;
	text_format(&text, "%s/%s: %s", entry->family, entry->variant,
		reason ? reason : format_status(status).text);
	terminal_warn(&console->terminal, text_or_empty(text));
	free(text);
}

/* Prints the explanations that are not printed yet: those of a family. Several variants have a table above their
 * pages. */
static void explanations_put(struct collector *collector)
{
	const struct explanation_list *all = &collector->explanations.explanations;
	struct console *console = &collector->console;
	size_t first = collector->explained_first;

	collector->explained_first = all->count;
	if (first < all->count && explain_variant_end(all->items, all->count, first) < all->count)
		console_explained(console, &all->items[first], all->count - first);
	for (size_t end; first < all->count; first = end) {
		end = explain_variant_end(all->items, all->count, first);
		console_page(console, &all->items[first], end - first);
		terminal_origin(&console->terminal, &all->items[first].error);
		terminal_log(&console->terminal, all->items[first].log);
	}
}

/* Moves the explanations of a variant out of the event, and counts its findings. */
static void explanations_add(struct explanation_list *all, struct event *event,
	struct console *console, struct exit_counts *counts)
{

	for (size_t i = 0; i < event->explanations.count; i++) {
		struct explanation_record *entry = record_list_add(&explanation_type, all);
		if (!entry) {
			terminal_warn(&console->terminal, "no memory for an explanation");
			return;
		}
		record_move(&explanation_type, &event->explanations.items[i], entry);
		explanation_record_count(entry, counts->of_class);
		put_explain_trouble(entry, console);
	}
}

/* ---- Figures that compare rows -------------------------------------------------------------- */

/* Completes result rows: the figures that compare a row with the rows before it. */

/* A row in the form of the model. */
static struct ladder_rung rung_of(const struct result_row *row)
{
	struct ladder_rung rung = {.variant = text_or_empty(row->variant),
		.backend = text_or_empty(row->backend),
		.median_ns = result_row_median_ns(row)};

	result_row_interval_ns(row, rung.ci95_ns);
	for (size_t i = 0; i < row->macros.count && i < LADDER_MAX_MACROS; i++)
		rung.macros[rung.macro_count++] = (struct ladder_macro){
			row->macros.items[i].name, row->macros.items[i].value};
	return rung;
}

/* A row, and the rows before it. */
struct rungs {
	const struct result_row *rows;
	struct ladder_rung *rungs; /* one for each of rows, and one for the row itself; owned */
	size_t count;              /* of rows */
};

static const struct ladder_rung *find_rung(const struct rungs *rungs, const char *variant)
{
	return ladder_find(variant, &rungs->rungs[rungs->count], rungs->rungs, rungs->count);
}

/* The ratio of a rung's time to the row's, from the two medians. over: NULL = unknown. */
static struct stats_ratio ratio_of(const struct rungs *rungs, const struct ladder_rung *over)
{
	return ladder_ratio(over, &rungs->rungs[rungs->count]);
}

/* Sets a ratio from two medians, unless the suite has measured it with samples taken in turn. */
static void set_ratio(
	const struct stats_ratio *medians, double *ratio, double ci95[2], enum record_truth *paired)
{
	if (*paired == TRUTH_YES)
		return;
	*ratio = medians->median;
	memcpy(ci95, medians->ci95, sizeof medians->ci95);
	*paired = isfinite(*ratio) ? TRUTH_NO : TRUTH_UNKNOWN;
}

/* Whether the row's samples cannot decide a claim. */
static bool is_flagged(const struct result_row *row)
{
	return row->timing.record.present && row->timing.flags & (TIMING_NOISY | TIMING_THROTTLED);
}

static void judge_claim(
	struct claim_record *record, const struct claim *claim, bool flagged, bool gpu)
{
	static const enum record_truth truths[CLAIM_VERDICT_COUNT] = {
		[CLAIM_HOLDS] = TRUTH_YES,
		[CLAIM_FAILS] = TRUTH_NO,
		[CLAIM_UNDECIDED] = TRUTH_UNKNOWN,
	};
	const struct claim_evidence evidence = {.ratio = record->observed,
		.ci95 = {record->ci95[0], record->ci95[1]},
		.flagged = flagged};
	enum claim_verdict verdict = claim_judge(claim, &evidence, gpu && !record->reason);

	record->record.present = true;
	text_set(&record->text, claim->text);
	record->expected = claim->at_least > 0 ? claim->at_least : NAN;
	record->at_most = claim->at_most > 0 ? claim->at_most : NAN;
	record->verdict = (int)verdict;
	record->holds = verdict < 0 ? TRUTH_UNKNOWN : truths[verdict];
}

static void compare_row(
	struct result_row *row, const struct variant *variant, const struct rungs *rungs, bool gpu)
{
	const char *first = variant_family(variant)->variants[0].name;
	bool is_first = strcmp(text_or_empty(row->variant), first) == 0;
	const char *over = variant->claim.over ? variant->claim.over : variant->base;

	if (variant->base) {
		const struct stats_ratio step = ratio_of(rungs, find_rung(rungs, variant->base));
		set_ratio(&step, &row->derived.step, row->derived.step_ci95,
			&row->derived.step_paired);
	}
	row->derived.total =
		ratio_of(rungs, is_first ? &rungs->rungs[rungs->count] : find_rung(rungs, first))
			.median;
	result_row_keep_comparisons(row);
	const struct ladder_rung *rung = over ? find_rung(rungs, over) : NULL;
	const struct result_row *other = rung ? &rungs->rows[rung - rungs->rungs] : NULL;
	/* Claims are about kernels of the project. */
	if (!variant->claim.text || !over || row->own_kernel || (other && other->own_kernel))
		return;
	const struct stats_ratio observed = ratio_of(rungs, rung);
	set_ratio(&observed, &row->claim.observed, row->claim.ci95, &row->claim.paired);
	judge_claim(
		&row->claim, &variant->claim, (other && is_flagged(other)) || is_flagged(row), gpu);
}

/* Sets derived.step, derived.total and claim. A ratio that the suite measured with samples taken in
 * turn (step_paired, claim.paired) stays. Other ratios are calculated from two medians. before: the
 * count rows of the same group that were reported earlier. gpu: the group's device is a GPU, so
 * that claims apply. A row of an unknown variant stays as it is. */
static void complete_row(
	struct result_row *row, const struct result_row *before, size_t count, bool gpu)
{
	const struct family *family = family_find(text_or_empty(row->family));
	const struct variant *variant =
		family ? variant_find(family, text_or_empty(row->variant)) : NULL;
	const struct rungs rungs = {before, calloc(count + 1, sizeof *rungs.rungs), count};

	for (size_t i = 0; i < count && rungs.rungs; i++)
		rungs.rungs[i] = rung_of(&before[i]);
	if (rungs.rungs && variant) {
		rungs.rungs[count] = rung_of(row);
		compare_row(row, variant, &rungs, gpu);
	}
	free(rungs.rungs);
}

/* ---- The store ------------------------------------------------------------------------------ */

#define SAVE_WAIT_MS 5000

/* Checks that the store can be written, and makes it if it is missing. */
static enum pmpp_status saver_init(struct saver *ret_saver, struct pmpp_error *error)
{
	struct saver saver = {.active = true};
	struct store store = {0};
	enum pmpp_status status = store_default_path(saver.path, error);

	if (status == PMPP_OK)
		status = store_open(saver.path, true, STORE_WAIT_MS, &store, error);
	store_close(&store);
	if (status == PMPP_OK)
		*ret_saver = saver;
	return status;
}

static size_t count_left(const struct saver *saver, const struct result_document *document)
{
	return document->results.count - saver->rest.first[0] + document->parity.count -
	       saver->rest.first[1];
}

static enum pmpp_status save(struct saver *saver, const struct result_document *document,
	unsigned wait_ms, struct pmpp_error *error)
{
	struct store store = {0};
	enum pmpp_status status = store_open(saver->path, true, wait_ms, &store, error);

	if (status == PMPP_OK)
		status = store_add_rest(&store, document, &saver->rest, error);
	store_close(&store);
	return status;
}

static void note_path(struct saver *saver, struct terminal *terminal)
{
	char text[STORE_PATH_BYTES + 40];

	snprintf(text, sizeof text, "results are saved in %s", saver->path);
	terminal_note(terminal, text);
	saver->noted = true;
}

/* Saves, and prints the first error as a warning. */
static enum pmpp_status save_now(
	struct saver *saver, const struct result_document *document, struct terminal *terminal)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	enum pmpp_status status = save(saver, document, SAVE_WAIT_MS, &error);
	if (status == PMPP_OK && !saver->noted)
		note_path(saver, terminal);
	if (status != PMPP_OK && !saver->warned) {
		pmpp_error_prefix(&error, "not saved yet");
		terminal_warn(terminal, error.message);
		saver->warned = true;
	}
	pmpp_error_clear(&error);
	return status;
}

/* Saves the new rows of the document. If this fails, prints the first reason as a warning; the next
 * call tries again. Waits up to 5 s for other processes. */
static void saver_add(
	struct saver *saver, const struct result_document *document, struct terminal *terminal)
{
	if (saver->active && !saver->rest.replaces && count_left(saver, document))
		save_now(saver, document, terminal);
}

/* Saves the rows of a job that is repeated: document has all rows, merged from the runs so far.
 * They replace those of the last call. Errors are as in saver_add(), which has no effect from now
 * on. */
static void saver_interim(
	struct saver *saver, const struct result_document *document, struct terminal *terminal)
{
	if (!saver->active)
		return;
	saver->rest.replaces = true;
	if (save_now(saver, document, terminal) == PMPP_OK)
		saver->interim_rows = document->results.count + document->parity.count;
}

/* Saves the remaining rows (after saver_interim(): all rows), and waits up to STORE_WAIT_MS for
 * other processes. The error has the number of rows that are not in the store, or that have an
 * earlier state there. */
static enum pmpp_status saver_end(
	struct saver *saver, const struct result_document *document, struct pmpp_error *error)
{
	size_t left = saver->active ? count_left(saver, document) : 0;
	/* The store has the run as it was before the interruption. */
	bool ended = saver->active && document->run.interrupted && document->results.count;
	enum pmpp_status status =
		left || ended ? save(saver, document, STORE_WAIT_MS, error) : PMPP_OK;

	if (status == PMPP_OK)
		return PMPP_OK;
	size_t count = document->results.count + document->parity.count;
	if (saver->interim_rows)
		pmpp_error_prefix(error,
			"the last runs are not saved; the store has an earlier state of %zu of %zu "
			"rows",
			saver->interim_rows, count);
	else
		pmpp_error_prefix(error, "%zu of %zu rows are not saved", left, count);
	/* The command line was right: the store changed while the job ran. */
	if (status == PMPP_USAGE)
		error->status = status = PMPP_IO;
	return status;
}

/* ---- Rows between the runs of a repeated job ------------------------------------------------ */

/* Keeps the rows of a repeated job between its runs, so that a kill loses only the last runs. */

/* Adds and completes the rows, as the collector does at the end. false for lack of memory. */
static bool add_rows(struct result_row_list *rows, struct event *events, size_t count)
{
	const struct group_record *group = NULL;
	size_t first = 0;

	for (size_t i = 0; i < count; i++) {
		if (events[i].kind == EVENT_GROUP) {
			const struct group_record *next = &events[i].group;
			if (!group || group->number != next->number ||
				!text_equal(group->problem, next->problem))
				first = rows->count;
			group = next;
			continue;
		}
		struct result_row *row = record_list_add(&result_row_type, rows);
		if (!row)
			return false;
		record_move(&result_row_type, &events[i].row, row);
		complete_row(
			row, &rows->items[first], rows->count - 1 - first, group && group->gpu);
	}
	return true;
}

static bool can_be_rewritten(const char *path)
{
	struct stat properties;

	if (!path || strcmp(path, "-") == 0)
		return false;
	return stat(path, &properties) != 0 || S_ISREG(properties.st_mode);
}

/* Writes the file of --json. Warns about its size only once, although it grows with each run. */
static void write_interim(struct collector *collector, const struct result_document *document)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	char *warning = NULL;

	if (document_save(&result_document_type, document, collector->outputs.json, &warning,
		    &error) != PMPP_OK) {
		pmpp_error_prefix(&error, "not written yet");
		terminal_warn(&collector->console.terminal, error.message);
	}
	if (warning && !collector->size_warned)
		terminal_warn(&collector->console.terminal, warning);
	collector->size_warned |= warning != NULL;
	free(warning);
	pmpp_error_clear(&error);
}

/* Saves the rows of the events to the store and to the file of --json. The file is written only if
 * it is a regular file or does not exist, because a pipe would get several documents. An error is
 * printed as a warning: the outputs are written again at the end of the job. */
static void take_interim(void *context, const struct interim_events *interim)
{
	struct collector *collector = context;
	struct result_document document = collector->document;

	/* A copy of the document without its rows: they must not be freed here. */
	document.results = (struct result_row_list){0};
	document.parity = (struct parity_row_list){0};
	if (add_rows(&document.results, interim->events, interim->count)) {
		saver_interim(&collector->saver, &document, &collector->console.terminal);
		document.run.interrupted = true; /* until the last run is complete */
		if (can_be_rewritten(collector->outputs.json))
			write_interim(collector, &document);
	}
	record_list_clear(&result_row_type, &document.results);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static void count_row(struct collector *collector, const struct result_row *row)
{
	enum outcome_class class = result_row_class(row);

	collector->counts.of_class[class]++;
	if (class == OUTCOME_CLASS_SKIPPED && row->reason)
		named_list_count(&collector->tallies[TALLY_SKIPS], row->reason);
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
		named_list_count(&collector->tallies[TALLY_NOT_MEANT], added->claim.reason);
	for (size_t i = 0; i < added->notes.count; i++)
		if (named_list_count(&collector->tallies[TALLY_NOTES], added->notes.items[i]))
			terminal_note(&collector->console.terminal, added->notes.items[i]);
	count_row(collector, added);
	saver_add(&collector->saver, &collector->document, &collector->console.terminal);
	if (result_row_is_too_large(added) && named_list_count(&collector->tallies[TALLY_TOO_LARGE],
						      text_or_empty(added->reason)))
		terminal_warn(&collector->console.terminal, text_or_empty(added->reason));
	return added;
}

/* ---- Events -------------------------------------------------------------------------------- */

/* Restarted workers repeat their notes; each is shown once. */
static void on_note(struct collector *collector, struct event *event)
{
	if (collector->warned &&
		strncmp(text_or_empty(event->text), COMPILER_WARNS, strlen(COMPILER_WARNS)) == 0)
		return;
	if (named_list_count(&collector->tallies[TALLY_NOTES], text_or_empty(event->text)))
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
		named_list_count(&collector->tallies[TALLY_UNTIMED], row->reason);
}

static bool breaks_promise(const struct collector *collector, const struct result_row rows[2],
	const struct parity_row *parity)
{
	struct parity_side sides[2];

	for (size_t i = 0; i < 2; i++)
		sides[i] = (struct parity_side){.status = (enum outcome_status)rows[i].status,
			.promises_bits =
				text_equal(rows[i].repro, reproducibility_name(REPRO_BITWISE))};
	return parity_breaks_promise(sides, collector->job->options->suite.math == GPU_MATH_FAST,
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
	saver_add(&collector->saver, &collector->document, &collector->console.terminal);
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
	const struct explanation_list *all = &collector->explanations.explanations;

	if (all->count && event->explanations.count &&
		!text_equal(all->items[all->count - 1].family, event->explanations.items[0].family))
		explanations_put(collector);
	explanations_add(&collector->explanations.explanations, event, &collector->console,
		&collector->counts);
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
	if (named_list_count(&collector->tallies[TALLY_NOTES], text_or_empty(event->text)))
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

/* The sink of the job's events. */
static struct event_sink collector_sink(struct collector *collector)
{
	return (struct event_sink){.emit = take_event,
		.tick = take_tick,
		.interim = take_interim,
		.context = collector};
}

/* ---- Life ---------------------------------------------------------------------------------- */

static void collector_init(struct collector *collector, const struct collector_options *options)
{
	enum job_action action = options->job->action;

	*collector = (struct collector){
		.job = options->job,
		.outputs = options->outputs,
		.warned = options->warned,
		.counts.needs_rows = action != JOB_ROOFLINE && action != JOB_EXPLAIN,
	};
	console_init(&collector->console, &options->terminal, action == JOB_ROOFLINE);
	record_init(&result_document_type, &collector->document);
	text_set(&collector->document.schema, RESULT_SCHEMA);
	tool_record_set(&collector->document.tool, options->argc, options->argv);
	run_record_set(&collector->document.run, &collector->document.host);
	text_set_known(&collector->document.run.label, text_or_empty(options->label));
	if (options->rank) {
		text_set(&collector->document.run.fleet, options->rank->id);
		collector->document.run.rank = options->rank->rank;
		collector->document.run.ranks = options->rank->ranks;
	}
	record_init(&explain_document_type, &collector->explanations);
	text_set(&collector->explanations.schema, EXPLAIN_SCHEMA);
	tool_record_set(&collector->explanations.tool, options->argc, options->argv);
}

static void collector_finish(struct collector *collector)
{
	console_finish(&collector->console);
	record_finish(&result_document_type, &collector->document);
	record_finish(&explain_document_type, &collector->explanations);
	for (size_t i = 0; i < TALLY_COUNT; i++)
		named_list_finish(&collector->tallies[i]);
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
			named_list_count(&peers, text_or_empty(peer->variant));
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

/* No row, or nothing ran, because nothing fits: the message on stderr is the only output. */
static bool is_silent(const struct collector *collector)
{
	size_t rows = 0;

	for (size_t i = 0; i < OUTCOME_CLASS_COUNT; i++)
		rows += collector->counts.of_class[i];
	return rows == 0 || (collector->tallies[TALLY_TOO_LARGE].count &&
				    collector->counts.of_class[OUTCOME_CLASS_SKIPPED] == rows);
}

static void put_closing(const struct collector *collector, FILE *out)
{
	const struct named_list *untimed = &collector->tallies[TALLY_UNTIMED];
	const struct named_list *not_meant = &collector->tallies[TALLY_NOT_MEANT];
	const struct result_row_list *rows = &collector->document.results;
	bool runs = collector->job->action == JOB_RUN;
	unsigned flags = 0;

	if (collector->job->action == JOB_PARITY)
		parity_summary_put(out, &collector->document);
	device_summary_put_counts(collector->counts.of_class, out);
	put_skips(&collector->tallies[TALLY_SKIPS], out);
	for (size_t i = 0; i < untimed->count; i++)
		fprintf(out, "untimed: %s\n", untimed->items[i].name);
	if (collector->job->action != JOB_PARITY)
		device_summary_put(out, &collector->document, collector->job->action == JOB_VERIFY);
	/* The table of verify has no marks: the line of a variant ends with "your kernel". */
	for (size_t i = 0; i < rows->count && collector->job->action != JOB_VERIFY; i++)
		flags |= flag_marks_of_row(&rows->items[i]);
	flag_marks_put(out, "  ", flags, "\n");
	put_peers(rows, out);
	for (size_t i = 0; i < not_meant->count && runs; i++)
		fprintf(out, "%lld claim%s n/a: %s\n", (long long)not_meant->items[i].value,
			not_meant->items[i].value == 1 ? " is" : "s are", not_meant->items[i].name);
	if (collector->claims_not_applied && runs)
		fputs("claims apply to GPUs only: on a CPU or an emulated device they are n/a\n",
			out);
}

/* Ends the table and prints the closing lines. */
static void collector_close(struct collector *collector)
{
	const struct terminal *terminal = &collector->console.terminal;
	struct wrap wrap;

	console_group_end(&collector->console);
	explanations_put(collector);
	if (collector->job->action == JOB_EXPLAIN || !terminal->out || is_silent(collector))
		return;
	put_closing(collector, wrap_begin(&wrap, terminal->out, terminal->style.width));
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

/* A file that is too large for the reader is written, because other programs can read it. */
static enum pmpp_status write_json(struct collector *collector, struct pmpp_error *error)
{
	bool explains = collector->job->action == JOB_EXPLAIN;
	const void *document = explains ? (const void *)&collector->explanations
					: (const void *)&collector->document;
	char *warning = NULL;

	enum pmpp_status status =
		document_save(explains ? &explain_document_type : &result_document_type, document,
			collector->outputs.json, &warning, error);
	if (warning)
		terminal_warn(&collector->console.terminal, warning);
	free(warning);
	return status;
}

/* Writes every output file, and saves rows that are not in the store yet. If there are several
 * errors, returns the first one and prints the others. */
static enum pmpp_status write_outputs(struct collector *collector, struct pmpp_error *error)
{
	const struct output_paths *outputs = &collector->outputs;
	const struct result_document *document = &collector->document;
	struct pmpp_error errors[] = {
		PMPP_ERROR_INIT, PMPP_ERROR_INIT, PMPP_ERROR_INIT, PMPP_ERROR_INIT};
	enum pmpp_status written[ARRAY_COUNT(errors)];
	enum pmpp_status status = PMPP_OK;

	written[0] = write_json(collector, &errors[0]);
	written[1] = document_save_table(
		outputs->csv, outputs->csv ? export_csv(document) : NULL, &errors[1]);
	written[2] = document_save_table(outputs->markdown,
		outputs->markdown ? export_markdown(document) : NULL, &errors[2]);
	written[3] = saver_end(&collector->saver, document, &errors[3]);
	for (size_t i = 0; i < ARRAY_COUNT(written); i++) {
		if (written[i] != PMPP_OK && status == PMPP_OK) {
			pmpp_error_move(error, &errors[i]);
			status = written[i];
		} else if (written[i] != PMPP_OK) {
			terminal_warn(&collector->console.terminal, errors[i].message);
		}
		pmpp_error_clear(&errors[i]);
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

static enum exit_code collector_exit_code(const struct collector *collector)
{
	const struct result_row_list *results = &collector->document.results;
	struct exit_counts counts = collector->counts;

	for (size_t i = 0; i < results->count; i++)
		counts.misfits += !collector->job->options->like &&
				  result_row_is_too_large(&results->items[i]) &&
				  !fitted_elsewhere(collector, &results->items[i]);
	return exit_code_of_counts(&counts);
}

/* ---- The job --------------------------------------------------------------------------------- */

/* Finished rows are kept even if the job ended early. */
static enum pmpp_status keep_results(struct collector *collector, enum pmpp_status status,
	int *ret_exit, struct pmpp_error *error)
{
	struct pmpp_error other = PMPP_ERROR_INIT;

	*ret_exit = collector_exit_code(collector);
	collector->document.run.interrupted = status != PMPP_OK;
	if (status == PMPP_OK)
		return write_outputs(collector, error);
	if (status == PMPP_INTERRUPTED || collector->document.results.count ||
		collector->explanations.explanations.count) {
		enum pmpp_status written = write_outputs(collector, &other);
		if (status == PMPP_INTERRUPTED && written != PMPP_OK) {
			pmpp_error_move(error, &other);
			status = written;
		} else if (written != PMPP_OK) {
			terminal_warn(&collector->console.terminal, other.message);
		}
	}
	pmpp_error_clear(&other);
	return status;
}

enum pmpp_status collector_run(const struct collector_options *options,
	struct result_document *ret_document, int *ret_exit, struct pmpp_error *error)
{
	struct collector collector;

	collector_init(&collector, options);
	enum pmpp_status status = options->save ? saver_init(&collector.saver, error) : PMPP_OK;
	if (status != PMPP_OK) {
		collector_finish(&collector);
		return status;
	}
	const struct event_sink sink = collector_sink(&collector);
	stop_begin();
	status = repeat_run(options->job, &sink, error);
	collector_close(&collector);
	status = keep_results(&collector, status, ret_exit, error);
	stop_end();
	if (ret_document) {
		record_finish(&result_document_type, ret_document);
		record_move(&result_document_type, &collector.document, ret_document);
	}
	if (options->ret_explanations) {
		record_finish(&explain_document_type, options->ret_explanations);
		record_move(
			&explain_document_type, &collector.explanations, options->ret_explanations);
	}
	collector_finish(&collector);
	return status;
}
