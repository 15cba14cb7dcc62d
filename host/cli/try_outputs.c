#include "host/cli/try_outputs.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/exit_code.h"
#include "common/text.h"
#include "host/cli/command_job.h"
#include "host/io/atomic_file.h"
#include "host/record/document.h"
#include "host/report/html.h"
#include "host/report/table.h"

/* ---- Counters -------------------------------------------------------------------------------- */

/* Sums over the launches of a trial. */
struct counters {
	double sectors, requests;       /* global memory */
	double passes, shared_requests; /* shared memory */
	double divergent, warps;
	size_t defects;
	double occupancy; /* NaN: unknown */
};

static struct counters counters_of(const struct trial *trial)
{
	struct counters sum = {.occupancy = NAN};

	for (size_t i = 0; i < trial->traced.explanations.count; i++) {
		const struct explanation_record *entry = &trial->traced.explanations.items[i];
		for (size_t a = 0; a < entry->accesses.count; a++) {
			const struct access_record *access = &entry->accesses.items[a];
			double requests = (double)access->requests;
			bool global = access->space == TRACE_GLOBAL;
			*(global ? &sum.requests : &sum.shared_requests) += requests;
			*(global ? &sum.sectors : &sum.passes) +=
				requests * (global ? access->sectors_per_request
						   : access->wavefronts_per_request);
		}
		sum.divergent += (double)entry->divergent_warps;
		sum.warps += (double)entry->warps;
		sum.defects += entry->defects.count;
		if (entry->occupancy.record.present)
			sum.occupancy = entry->occupancy.ratio;
	}
	return sum;
}

/* ---- The table of several files -------------------------------------------------------------- */

static const char *result_of(const struct trial *trial)
{
	return trial->unread                               ? "not read"
	       : trial->exit_code == EXIT_CODE_OK          ? "ok"
	       : trial->exit_code == EXIT_CODE_FAILED      ? "wrong"
	       : trial->exit_code == EXIT_CODE_ALL_SKIPPED ? "not verified"
							   : "broken";
}

/* The word for the limit of the last launch. */
static void put_limit(const struct trial *trial, struct table *table)
{
	size_t count = trial->traced.explanations.count;

	if (count)
		table_field(table, &explanation_type, &trial->traced.explanations.items[count - 1],
			"limited_by");
	else
		table_text(table, NULL);
}

static void put_table(const struct trial_list *trials, const struct terminal *terminal)
{
	static const struct table_column columns[] = {{.title = "kernel"}, {.title = "result"},
		TABLE_NUMBER(NULL, "defects", NULL, 1, 0),
		TABLE_NUMBER(NULL, "sectors/request", NULL, 1, 0),
		TABLE_NUMBER(NULL, "passes/request", NULL, 1, 0),
		TABLE_NUMBER(NULL, "divergent", NULL, 2, 0),
		TABLE_NUMBER(NULL, "occupancy", NULL, 2, 0),
		{.title = "limited by", .priority = 3}};
	struct table table;

	table_init(&table, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; i < trials->count; i++) {
		const struct trial *trial = &trials->items[i];
		const struct counters sum = counters_of(trial);
		table_row(&table, STYLE_PLAIN);
		table_text(&table, trial->word);
		table_text(&table, result_of(trial));
		table_format(&table, "%zu", sum.defects);
		table_number(&table, format_number, sum.sectors / sum.requests);
		table_number(&table, format_number, sum.passes / sum.shared_requests);
		table_number(&table, format_percent, 100 * sum.divergent / sum.warps);
		table_number(&table, format_percent, 100 * sum.occupancy);
		put_limit(trial, &table);
	}
	fputc('\n', terminal->out);
	table_put(&table, terminal->out, &terminal->style);
	table_finish(&table);
}

/* ---- The counters that differ (--diff) --------------------------------------------------------- */

#define MAX_COUNTERS 120

struct counter {
	char name[120];
	double value[2];
};

struct counter_list {
	struct counter items[MAX_COUNTERS];
	size_t count;
};

static void add(struct counter_list *list, const char *name, int side, double value)
{
	size_t i = 0;

	while (i < list->count && strcmp(list->items[i].name, name) != 0)
		i++;
	if (i == MAX_COUNTERS || isnan(value))
		return;
	if (i == list->count)
		snprintf(list->items[list->count++].name, sizeof list->items->name, "%s", name);
	list->items[i].value[side] += value;
}

static void add_access(struct counter_list *list, const struct access_record *access, int side)
{
	const double requests = (double)access->requests;
	const struct {
		const char *name;
		double value;
	} counts[] = {{"requests", requests}, {"sectors", requests * access->sectors_per_request},
		{"bank passes", requests * access->wavefronts_per_request},
		{"bytes requested", (double)access->bytes_requested}};
	char name[sizeof list->items->name];

	for (size_t i = 0; i < ARRAY_COUNT(counts); i++) {
		snprintf(name, sizeof name, "%s %s%s%.40s: %s",
			word_text(trace_space_words, access->space),
			word_text(trace_kind_words, access->kind), access->operand ? " " : "",
			text_or_empty(access->operand), counts[i].name);
		add(list, name, side, counts[i].value);
	}
}

static void add_counters(struct counter_list *list, const struct trial *trial, int side)
{
	for (size_t i = 0; i < trial->traced.explanations.count; i++) {
		const struct explanation_record *entry = &trial->traced.explanations.items[i];
		const struct launch_record *launch = &entry->launch;
		for (size_t a = 0; a < entry->accesses.count; a++)
			add_access(list, &entry->accesses.items[a], side);
		for (size_t l = 0; l < entry->lines.count; l++)
			add(list, "executions of lines by warps", side,
				(double)entry->lines.items[l].warp_executions);
		add(list, "divergent warps", side, (double)entry->divergent_warps);
		add(list, "defects", side, (double)entry->defects.count);
		add(list, "blocks", side,
			(double)(launch->grid[0] * launch->grid[1] * launch->grid[2]));
		add(list, "threads per block", side,
			(double)(launch->block[0] * launch->block[1] * launch->block[2]));
		if (entry->resources.record.present)
			add(list, "registers per thread", side, (double)entry->resources.registers);
		if (entry->occupancy.record.present)
			add(list, "resident warps", side, (double)entry->occupancy.warps);
	}
}

static void put_differences(const struct trial_list *trials, const struct terminal *terminal)
{
	const struct table_column columns[] = {{.title = "counter"},
		TABLE_NUMBER(NULL, trials->items[0].word, NULL, 0, 0),
		TABLE_NUMBER(NULL, trials->items[1].word, NULL, 0, 0)};
	struct counter_list *list = calloc(1, sizeof *list);
	struct table table;

	table_init(&table, columns, ARRAY_COUNT(columns));
	table.failed |= !list;
	for (int side = 0; side < 2 && list; side++)
		add_counters(list, &trials->items[side], side);
	for (size_t i = 0; list && i < list->count; i++) {
		const double *value = list->items[i].value;
		if (value[0] == value[1])
			continue;
		table_row(&table, STYLE_PLAIN);
		table_text(&table, list->items[i].name);
		table_format(&table, "%.0f", value[0]);
		table_format(&table, "%.0f", value[1]);
	}
	fputc('\n', terminal->out);
	if (table.row_count || table.failed)
		table_put(&table, terminal->out, &terminal->style);
	else
		fputs("no counter differs\n", terminal->out);
	table_finish(&table);
	free(list);
}

/* ---- Findings: failed checks and defects -------------------------------------------------------- */

static const char *file_of(const struct trial *trial)
{
	return trial->kernel ? trial->kernel->file : trial->word;
}

/* The line in a text such as "mine.cu:14: out-of-bounds load"; 0: none. */
static int64_t line_in(const char *text, const char *file)
{
	for (const char *at = strstr(text, file); at; at = strstr(at + 1, file))
		if (at[strlen(file)] == ':')
			return strtoll(at + strlen(file) + 1, NULL, 10);
	return 0;
}

/* "cuda-emu n=7 f32 random" */
static void row_name(const struct result_row *row, char *ret_text, size_t size)
{
	snprintf(ret_text, size, "%s", text_or_empty(row->backend));
	for (size_t i = 0; i < row->problem.count; i++)
		text_append(ret_text, size, " %s=%lld", row->problem.items[i].name,
			(long long)row->problem.items[i].value);
	text_append(ret_text, size, " %s", text_or_empty(row->dtype));
	if (row->op)
		text_append(ret_text, size, " %s", row->op);
	text_append(ret_text, size, " %s", text_or_empty(row->data));
}

/* Writes a text. Of a property, the separators of properties are escaped too. */
static void put_escaped(const char *text, const char *special)
{
	for (; *text; text++)
		if (strchr(special, *text))
			printf("%%%02X", (unsigned char)*text);
		else
			putchar(*text);
}

/* An annotation of a code host: ::error file=mine.cu,line=14::text. line: 0 = unknown. */
static void put_annotation(const char *file, int64_t line, const char *text)
{
	fputs("::error file=", stdout);
	put_escaped(file, "%\r\n:,");
	if (line > 0)
		printf(",line=%lld", (long long)line);
	fputs("::", stdout);
	put_escaped(text, "%\r\n");
	putchar('\n');
}

/* The first row that is not right stands for all. */
static void annotate_rows(const struct trial *trial)
{
	const struct result_row *first = NULL;
	size_t wrong = 0;
	char text[1000];

	for (size_t i = 0; i < trial->rows.results.count; i++) {
		const struct result_row *row = &trial->rows.results.items[i];
		if (result_row_class(row) < OUTCOME_CLASS_BROKEN)
			continue;
		first = first ? first : row;
		wrong++;
	}
	if (!first)
		return;
	const char *reason = text_or_empty(first->reason);
	row_name(first, text, sizeof text);
	text_append(text, sizeof text, ": %s: %s", word_text(outcome_status_words, first->status),
		reason);
	if (wrong > 1)
		text_append(text, sizeof text, " (%zu of %zu checks are not ok)", wrong,
			trial->rows.results.count);
	put_annotation(trial->word, line_in(reason, file_of(trial)), text);
}

static void mistake_text(const struct mistake *mistake, char *text, size_t size)
{
	const char *advice = mistake_advice(mistake->name);

	snprintf(text, size, "%s: %s%s%s", mistake->name ? mistake->name : "mistake not known",
		mistake->text, *advice ? ": " : "", advice);
}

static void annotate(const struct trial *trial)
{
	char text[400];

	annotate_rows(trial);
	if (trial->unread)
		put_annotation(trial->word, line_in(trial->unread, trial->word), trial->unread);
	if (trial->has_mistake) {
		mistake_text(&trial->mistake, text, sizeof text);
		put_annotation(trial->word, trial->mistake.line, text);
	}
	for (size_t i = 0; i < trial->traced.explanations.count; i++) {
		const struct defect_list *defects = &trial->traced.explanations.items[i].defects;
		for (size_t d = 0; d < defects->count; d++)
			put_annotation(trial->word, defects->items[d].line,
				text_or_empty(defects->items[d].text));
	}
}

/* ---- JUnit ----------------------------------------------------------------------------------- */

static void put_case(FILE *out, const struct trial *trial, const char *name, const char *element,
	const char *text)
{
	html_format(out, "<testcase classname=\"%s\" name=\"%s\"", trial->word, name);
	if (element)
		html_format(out, "><%s message=\"%s\"/></testcase>\n", element, text);
	else
		html_format(out, "/>\n");
}

static void put_suite(FILE *out, const struct trial *trial)
{
	static const char *const elements[OUTCOME_CLASS_COUNT] = {
		[OUTCOME_CLASS_SKIPPED] = "skipped",
		[OUTCOME_CLASS_UNVERIFIED] = "skipped",
		[OUTCOME_CLASS_BROKEN] = "error",
		[OUTCOME_CLASS_FAILED] = "failure",
	};
	const struct result_row_list *rows = &trial->rows.results;
	char name[300];

	html_format(out, "<testsuite name=\"%s\">\n", trial->word);
	if (trial->unread)
		put_case(out, trial, "file", "error", trial->unread);
	for (size_t i = 0; i < rows->count; i++) {
		const struct result_row *row = &rows->items[i];
		row_name(row, name, sizeof name);
		put_case(out, trial, name, elements[result_row_class(row)],
			text_or_empty(row->reason));
	}
	for (size_t i = 0; i < trial->traced.explanations.count; i++) {
		const struct defect_list *defects = &trial->traced.explanations.items[i].defects;
		for (size_t d = 0; d < defects->count; d++) {
			snprintf(name, sizeof name, "%s, line %lld",
				word_text(trace_defect_words, defects->items[d].kind),
				(long long)defects->items[d].line);
			put_case(
				out, trial, name, "failure", text_or_empty(defects->items[d].text));
		}
	}
	/* A barrier that is right by chance is a mistake of a kernel that passed. */
	if (trial->has_mistake && trial->exit_code != EXIT_CODE_OK) {
		mistake_text(&trial->mistake, name, sizeof name);
		put_case(out, trial, "mistake", "failure", name);
	}
	html_markup(out, "</testsuite>\n");
}

static enum pmpp_status write_junit(
	const char *path, const struct trial_list *trials, struct pmpp_error *error)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return PMPP_NO_MEMORY(error, "%s", path);
	html_markup(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	for (size_t i = 0; i < trials->count; i++)
		put_suite(out, &trials->items[i]);
	html_markup(out, "</testsuites>\n");
	enum pmpp_status status = fclose(out) == 0 ? document_save_text(path, text, error)
						   : PMPP_NO_MEMORY(error, "%s", path);
	free(text);
	return status;
}

/* ---- JSON and the page ----------------------------------------------------------------------- */

enum pmpp_status try_rows_add(
	struct result_document *to, struct result_document *from, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	to->run.interrupted |= from->run.interrupted;
	for (size_t i = 0; i < from->devices.count && status == PMPP_OK; i++)
		status = result_document_add_device(to, &from->devices.items[i], error);
	for (size_t i = 0; i < from->results.count && status == PMPP_OK; i++) {
		struct result_row *added = record_list_add(&result_row_type, &to->results);
		if (added)
			record_move(&result_row_type, &from->results.items[i], added);
		else
			status = PMPP_NO_MEMORY(error, "the results");
	}
	return status;
}

/* Moves rows, devices and explanations of all trials to the documents of the first. */
static enum pmpp_status join(struct trial_list *trials, struct pmpp_error *error)
{
	struct trial *first = &trials->items[0];
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 1; i < trials->count && status == PMPP_OK; i++) {
		struct explanation_list *entries = &trials->items[i].traced.explanations;
		status = try_rows_add(&first->rows, &trials->items[i].rows, error);
		for (size_t e = 0; e < entries->count && status == PMPP_OK; e++) {
			struct explanation_record *added =
				record_list_add(&explanation_type, &first->traced.explanations);
			if (added)
				record_move(&explanation_type, &entries->items[e], added);
			else
				status = PMPP_NO_MEMORY(error, "the explanations");
		}
	}
	return status;
}

/* "mine.explain.json" for "mine.json". */
static void explain_path(const char *path, char ret_path[PATH_MAX])
{
	static const char ending[] = ".json";
	size_t length = strlen(path), cut = strlen(ending);
	bool has = length > cut && strcmp(path + length - cut, ending) == 0;

	snprintf(ret_path, PATH_MAX, "%.*s.explain.json", (int)(has ? length - cut : length), path);
}

static enum pmpp_status write_json(
	const char *path, const struct trial *first, struct pmpp_error *error)
{
	char other[PATH_MAX], *warning = NULL;
	enum pmpp_status status =
		document_save(&result_document_type, &first->rows, path, &warning, error);

	explain_path(path, other);
	free(warning);
	warning = NULL;
	if (status == PMPP_OK && first->traced.explanations.count)
		status = document_save(
			&explain_document_type, &first->traced, other, &warning, error);
	free(warning);
	return status;
}

/* ---- Public ---------------------------------------------------------------------------------- */

enum pmpp_status try_outputs_check(const struct cli_options *options,
	const struct trial_list *trials, struct pmpp_error *error)
{
	char explained[PATH_MAX];
	const char *const paths[] = {
		options->json, options->json ? explained : NULL, options->junit, options->report};
	enum pmpp_status status = PMPP_OK;

	if (options->json)
		explain_path(options->json, explained);
	if (options->diff && trials->count != 2)
		return PMPP_FAIL(
			error, PMPP_USAGE, "--diff needs two files, or a file and a variant");
	for (size_t i = 0; i < ARRAY_COUNT(paths) && status == PMPP_OK; i++) {
		if (!paths[i])
			continue;
		if (strcmp(paths[i], "-") == 0)
			return PMPP_FAIL(error, PMPP_USAGE,
				"stdout has the pages: give --json, --junit and --report a FILE");
		status = document_check_path(paths[i], error);
		for (size_t k = 0; k < i && status == PMPP_OK; k++)
			if (paths[k] && atomic_file_same(paths[k], paths[i]))
				status = PMPP_FAIL(error, PMPP_USAGE,
					"%s is also another output: give each output a file of its "
					"own",
					paths[i]);
	}
	return status;
}

enum pmpp_status try_outputs_write(
	const struct cli_options *options, struct trial_list *trials, struct pmpp_error *error)
{
	struct terminal terminal;
	enum pmpp_status status = PMPP_OK;

	terminal_init(&terminal, &options->terminal);
	if (trials->count > 1 && terminal.out)
		put_table(trials, &terminal);
	if (options->diff && terminal.out)
		put_differences(trials, &terminal);
	for (size_t i = 0; i < trials->count && options->annotate; i++)
		annotate(&trials->items[i]);
	if (options->junit)
		status = write_junit(options->junit, trials, error);
	if (status == PMPP_OK && (options->json || options->report))
		status = join(trials, error);
	if (status == PMPP_OK && options->json)
		status = write_json(options->json, &trials->items[0], error);
	if (status == PMPP_OK && options->report)
		status = command_write_explained(options, &trials->items[0].traced,
			trials->items[0].word, &trials->items[0].rows, error);
	return status;
}
