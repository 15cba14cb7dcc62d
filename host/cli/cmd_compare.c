#include "host/cli/cmd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/exit_code.h"
#include "host/cli/result_files.h"
#include "host/compare/counts.h"
#include "host/io/atomic_file.h"
#include "host/record/comparison.h"
#include "host/record/document.h"
#include "host/record/provenance.h"
#include "host/report/compare_text.h"
#include "host/report/export.h"
#include "host/report/fleet_table.h"
#include "host/report/page_style.h"
#include "host/report/table.h"
#include "host/report/wrap.h"
#include "host/run/collector.h"

/* ---- Counts of two explanations ----------------------------------------------------------------- */

static const struct table_column columns[] = {
	{.key = "kernel", .title = "kernel", .priority = 1, .width = 10},
	TABLE_NUMBER("line", "line", NULL, 0, 4),
	{.key = "place", .title = "place", .priority = 0, .width = 6},
	{.key = "count", .title = "count", .priority = 0, .width = 8},
	TABLE_NUMBER("before", "old", NULL, 0, 6),
	TABLE_NUMBER("after", "new", NULL, 0, 6),
	{.key = "effect", .title = "", .priority = 0, .width = 6},
	{.key = "text", .title = "source", .align = TABLE_REST, .priority = 5, .cut = 20},
};

/* Counts are integers, and a few are means. */
static void format_count(double value, char *text, size_t size)
{
	if (isnan(value))
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%.10g", value);
}

/* Changes of one effect. */
static size_t counts_of_effect(const struct count_document *document, enum count_effect effect)
{
	size_t count = 0;

	for (size_t i = 0; i < document->changes.count; i++)
		count += document->changes.items[i].effect == (int)effect;
	return count;
}

static void add_row(struct table *table, const struct count_change_record *change)
{
	bool worse = change->effect == COUNT_WORSE;

	table_row(table, STYLE_PLAIN);
	table_text(table, change->kernel);
	table_number(table, format_count, change->line < 0 ? NAN : (double)change->line);
	table_text(table, change->place);
	table_text(table, change->count);
	table_number(table, format_count, change->before);
	table_number(table, format_count, change->after);
	table_text(table, word_text(count_effect_words, change->effect))->style =
		worse ? STYLE_RED : STYLE_GREEN;
	table_text(table, change->text);
}

static void make_table(const struct count_document *document, bool for_people, struct table *table)
{
	table_init(table, columns, ARRAY_COUNT(columns));
	if (table->column_count)
		table->columns[0].absent = for_people && document->launches == 1;
	for (size_t i = 0; i < document->changes.count; i++)
		add_row(table, &document->changes.items[i]);
}

/* Prints notes, the changed counts, and how many there are. */
static void counts_text_put(
	FILE *out, const struct count_document *document, const struct page_style *style)
{
	size_t worse = counts_of_effect(document, COUNT_WORSE);
	size_t better = counts_of_effect(document, COUNT_BETTER);
	struct table table;
	struct wrap wrap;

	FILE *text = wrap_begin(&wrap, out, style->width);
	fprintf(text, "%s (old), %s (new): %lld counts of %lld launch%s are compared\n",
		document->base, document->other, (long long)document->counts,
		(long long)document->launches, document->launches == 1 ? "" : "es");
	for (size_t i = 0; i < document->notes.count; i++)
		fprintf(text, "note: %s\n", document->notes.items[i]);
	wrap_end(&wrap);
	if (document->changes.count == 0) {
		fputs("no count differs\n", out);
		return;
	}
	make_table(document, true, &table);
	table_put(&table, out, style);
	table_finish(&table);
	fprintf(out, "%zu worse, %zu better\n", worse, better);
}

/* The table of the changed counts, as Markdown or CSV. malloc'ed; NULL for lack of memory. */
static char *counts_table(const struct count_document *document, bool markdown)
{
	static const struct page_style style = {.markdown = true};
	struct table table;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	make_table(document, markdown, &table);
	if (markdown)
		table_put(&table, out, &style);
	else
		table_put_csv(&table, out);
	table_finish(&table);
	return fclose(out) == 0 ? text : NULL;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* An output must not replace a compared file. */
static enum pmpp_status check_output(
	const struct cli_options *options, const char *path, struct pmpp_error *error)
{
	const char *const outputs[] = {options->json, options->csv, options->markdown};

	for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
		if (outputs[i] && atomic_file_same(outputs[i], path))
			return PMPP_FAIL(error, PMPP_USAGE,
				"%s is compared and would be replaced: give another output file",
				outputs[i]);
	return PMPP_OK;
}

static enum pmpp_status check_outputs(const struct cli_options *options,
	const struct result_files *files, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t f = 0; f < files->count && status == PMPP_OK; f++)
		status = check_output(options, files->items[f].path, error);
	for (size_t i = 0; i < options->argument_count && status == PMPP_OK; i++)
		status = check_output(options, options->arguments[i], error);
	return status;
}

static enum pmpp_status write_outputs(const struct cli_options *options,
	const struct comparison_document *document, struct pmpp_error *error)
{
	enum pmpp_status status =
		document_save(&comparison_document_type, document, options->json, NULL, error);

	if (options->csv && status == PMPP_OK)
		status = document_save_table(options->csv, export_comparison_csv(document), error);
	if (options->markdown && status == PMPP_OK)
		status = document_save_table(
			options->markdown, export_comparison_markdown(document), error);
	return status;
}

/* ---- Exit code ------------------------------------------------------------------------------- */

/* Whether a row has a time in the base, but no comparable time in another side. Peers do not count. */
static bool lost_row(const struct comparison_row *row)
{
	for (size_t i = 1; i < row->cells.count && !row->peer; i++) {
		int verdict = row->cells.items[i].verdict;
		if (row->cells.items[0].median_ns > 0 &&
			(verdict == VERDICT_MISSING || verdict == VERDICT_NOCOMP))
			return true;
	}
	return false;
}

/* --fail-on must not pass because nothing was compared. */
static enum pmpp_status check_verdicts(const struct comparison_document *document,
	enum fail_on fail_on, int *ret_exit, struct pmpp_error *error)
{
	bool fails = false;
	int64_t judged = 0;

	for (size_t i = 0; i < document->counts.count; i++) {
		const struct verdict_counts_record *counts = &document->counts.items[i];
		judged += counts->same + counts->fast + counts->slow + counts->ambg;
		fails |= counts->confirmed > 0;
	}
	for (size_t r = 0; r < document->rows.count && fail_on == FAIL_ON_MISSING; r++)
		fails |= lost_row(&document->rows.items[r]);
	if (fail_on == FAIL_ON_COUNTS)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--fail-on=counts is for files of `explain --json`: give --fail-on=slow");
	*ret_exit = fails && fail_on != FAIL_ON_NOTHING ? EXIT_CODE_REGRESSION : EXIT_CODE_OK;
	if (judged || fail_on == FAIL_ON_NOTHING)
		return PMPP_OK;
	return PMPP_FAIL(error, PMPP_USAGE,
		"no row could be compared, so --fail-on has nothing to check: run both sides with "
		"the same options");
}

/* ---- Warnings -------------------------------------------------------------------------------- */

/* The same run on two sides: nothing was compared. */
static void warn_same_run(
	const struct compared_file *files, size_t count, const struct comparison_document *document)
{
	if (document->by.count != 1 || strcmp(document->by.items[0], "run") != 0)
		return;
	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count; k++) {
			const struct run_record *a = &files[i].document.run;
			const struct run_record *b = &files[k].document.run;
			if (a->id && text_equal(a->id, b->id) && a->rank == b->rank) {
				terminal_print(stderr,
					"warning: %s and %s have the same run: equal times show "
					"nothing\n",
					files[i].path, files[k].path);
				return;
			}
		}
}

/* ---- Counts ---------------------------------------------------------------------------------- */

static enum pmpp_status check_explanations(const struct cli_options *options,
	const struct result_files *files, struct pmpp_error *error)
{
	enum fail_on fail_on = options->comparing.fail_on;

	if (files->explanations.count != 2 || options->argument_count != 2 || files->count)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s to %s: counts are compared in two files of `explain --json`, the old one and "
			"the new one; times are compared in files of `run --json`",
			options->arguments[0], options->arguments[options->argument_count - 1]);
	if (options->comparing.by || !isnan(options->job.tolerance))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--by and --tolerance are for files of `run --json`: counts are compared exactly");
	if (fail_on != FAIL_ON_NOTHING && fail_on != FAIL_ON_COUNTS)
		return PMPP_FAIL(error, PMPP_USAGE,
			"explain files have counts and no times to compare: give --fail-on=counts");
	return PMPP_OK;
}

static enum pmpp_status write_counts(const struct cli_options *options,
	const struct count_document *document, struct pmpp_error *error)
{
	enum pmpp_status status =
		document_save(&count_document_type, document, options->json, NULL, error);

	if (options->csv && status == PMPP_OK)
		status = document_save_table(options->csv, counts_table(document, false), error);
	if (options->markdown && status == PMPP_OK)
		status =
			document_save_table(options->markdown, counts_table(document, true), error);
	return status;
}

/* Two explain files: prints and writes the counts that differ. */
static enum pmpp_status compare_counts(const struct cli_options *options,
	const struct result_files *files, int *ret_exit, struct pmpp_error *error)
{
	FILE *out = options->terminal.stdout_taken ? stderr : stdout;
	struct count_document document;
	enum pmpp_status status = check_explanations(options, files, error);

	if (status != PMPP_OK)
		return status;
	status = counts_compare(
		&files->explanations.items[0], &files->explanations.items[1], &document, error);
	text_set(&document.base, options->arguments[0]);
	text_set(&document.other, options->arguments[1]);
	tool_record_set(&document.tool, options->argc, options->argv);
	if (status == PMPP_OK && !options->terminal.quiet) {
		const struct page_style style = terminal_page_style(&options->terminal, out);
		counts_text_put(out, &document, &style);
	}
	if (status == PMPP_OK && options->comparing.fail_on == FAIL_ON_COUNTS &&
		counts_of_effect(&document, COUNT_WORSE))
		*ret_exit = EXIT_CODE_REGRESSION;
	if (status == PMPP_OK)
		status = write_counts(options, &document, error);
	record_finish(&count_document_type, &document);
	return status;
}

/* ---- Command --------------------------------------------------------------------------------- */

static enum pmpp_status compare_loaded(const struct cli_options *options,
	const struct compared_file *files, size_t count, int *ret_exit, struct pmpp_error *error)
{
	const struct compare_options comparing = {
		.by = options->comparing.by, .tolerance = options->job.tolerance};
	FILE *out = options->terminal.stdout_taken ? stderr : stdout;
	struct comparison_document document;
	enum pmpp_status status = compare_files(files, count, &comparing, &document, error);

	if (status != PMPP_OK)
		return status;
	if (!options->terminal.quiet) {
		const struct page_style style = terminal_page_style(&options->terminal, out);
		compare_text_put(out, &document, &style);
		warn_same_run(files, count, &document);
	}
	tool_record_set(&document.tool, options->argc, options->argv);
	/* A regression is reported also if an output cannot be written. */
	struct pmpp_error other = PMPP_ERROR_INIT;
	enum pmpp_status judged =
		check_verdicts(&document, options->comparing.fail_on, ret_exit, &other);
	status = write_outputs(options, &document, error);
	if (status == PMPP_OK && judged != PMPP_OK) {
		pmpp_error_move(error, &other);
		status = judged;
	}
	pmpp_error_clear(&other);
	record_finish(&comparison_document_type, &document);
	return status;
}

/* compare --fleet: prints the table of all ranks. *ret_exit: that of fleet_table_put(). */
static enum pmpp_status compare_fleet(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	struct result_files files = {0};
	enum pmpp_status status = result_files_load(
		options->arguments, options->argument_count, false, &files, error);

	if (status == PMPP_OK)
		status = fleet_table_put(
			stdout, files.items, files.count, terminal_width(stdout), ret_exit, error);
	result_files_finish(&files);
	return status;
}

enum pmpp_status cmd_compare(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	const struct output_paths outputs = {options->json, options->csv, options->markdown};
	struct result_files files = {0};

	if (options->fleet)
		return compare_fleet(options, ret_exit, error);
	enum pmpp_status status = collector_check_outputs(&outputs, NULL, error);
	if (status == PMPP_OK)
		status = result_files_load(
			options->arguments, options->argument_count, true, &files, error);
	if (status == PMPP_OK)
		status =
			result_files_load_shipped("--with", options->comparing.with, &files, error);
	if (status == PMPP_OK)
		status = check_outputs(options, &files, error);
	if (status == PMPP_OK && files.explanations.count)
		status = compare_counts(options, &files, ret_exit, error);
	else if (status == PMPP_OK)
		status = compare_loaded(options, files.items, files.count, ret_exit, error);
	result_files_finish(&files);
	return status;
}
