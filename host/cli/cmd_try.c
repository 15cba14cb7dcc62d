/* A kernel of the user: the checks of `verify`, the page of `explain`, and its place on the ladder of `run`. */
#include "host/cli/cmd.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/exit_code.h"
#include "common/model/mistake.h"
#include "common/own/kernel.h"
#include "common/text.h"
#include "common/words.h"
#include "host/cli/command_job.h"
#include "host/cli/own_files.h"
#include "host/cli/requirements.h"
#include "host/gpu/backends.h"
#include "host/io/atomic_file.h"
#include "host/record/document.h"
#include "host/record/explanation.h"
#include "host/report/html.h"
#include "host/report/table.h"
#include "host/run/mistakes.h"
#include "host/run/targets.h"

/* ---- Outputs ------------------------------------------------------------------------------------ */

/* One file, or a built-in variant beside files. */
struct trial {
	const char *word;                /* of the command line: the path, or "matmul/tiled16" */
	const struct own_kernel *kernel; /* NULL: a built-in variant, or the file was not read */
	const char *unread;              /* why the file was not read; NULL: it was read */
	struct result_document rows;     /* of verify and run */
	struct explain_document traced;  /* the explanation */
	struct mistake mistake;          /* of a wrong kernel */
	bool has_mistake;
	struct requirements requirements; /* --require; only of a kernel */
	enum record_truth correct;
	int exit_code;
};

struct trial_list {
	struct trial *items;
	size_t count;
};

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

/* Prints one annotation for all rows that failed: that of the first one. */
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

/* Moves devices and rows to another document. */
static enum pmpp_status try_rows_add(
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

/* Checks the paths of the outputs before the jobs. PMPP_USAGE: a path cannot be written, or is a kernel file or another
 * output. */
static enum pmpp_status try_outputs_check(const struct cli_options *options,
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

/* Prints the tables of several files, and the annotations. Then writes the files; the documents of the trials move
 * to the page. */
static enum pmpp_status try_outputs_write(
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

/* ---- Hints: what to add to the file so that `try` runs the kernel as its author does ---------------- */

static bool is_failed(const struct result_row *row)
{
	return result_row_class(row) == OUTCOME_CLASS_FAILED;
}

/* Sums by atomic operations need an output that is 0 before the launch. */
static bool misses_clear(const struct trial *trial, char *ret_text, size_t size)
{
	const struct own_kernel *kernel = trial->kernel;
	const char *end = kernel->code + strlen(kernel->code), *name = "out";
	size_t length;
	bool found = false;

	for (const char *at = next_word(kernel->code, end, &length); length > 0 && !found;
		at = next_word(at + length, end, &length))
		found = length >= strlen("atomic_") && strncmp(at, "atomic", strlen("atomic")) == 0;
	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_OPERAND &&
			kernel->params[i].index + 1 == kernel->family->operand_count)
			name = kernel->params[i].name;
	snprintf(ret_text, size,
		"the kernel uses atomic operations. If the host sets %s to 0 before the launch, add the "
		"line '//pmpp: clear = %s'",
		name, name);
	return found && !kernel->cleared;
}

/* Whether the required sizes of a row are equal. */
static bool has_equal_sizes(const struct result_row *row, const struct family *family)
{
	for (size_t d = 1; d < family->dim_count; d++)
		if (!family->dim_default[d] &&
			named_list_get(&row->problem, family->dim_names[d], 0) !=
				named_list_get(&row->problem, family->dim_names[0], 0))
			return false;
	return true;
}

/* Whether each size has a parameter of its own name: the roles are not in doubt. */
static bool has_own_names(const struct own_kernel *kernel)
{
	size_t named = 0, required = 0;

	for (size_t d = 0; d < kernel->family->dim_count; d++)
		required += !kernel->family->dim_default[d];
	for (size_t i = 0; i < kernel->param_count; i++) {
		const struct own_param *param = &kernel->params[i];
		named += param->role == OWN_SIZE && !kernel->family->dim_default[param->index] &&
			 strcmp(param->name, kernel->family->dim_names[param->index]) == 0;
	}
	return named == required;
}

/* Right for equal sizes only: perhaps the parameters have other roles. */
static bool has_other_roles(const struct trial *trial, char *ret_text, size_t size)
{
	const struct own_kernel *kernel = trial->kernel;
	const struct own_param *last = NULL;
	size_t sizes = 0, right = 0;

	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_SIZE) {
			last = &kernel->params[i];
			sizes++;
		}
	for (size_t i = 0; i < trial->rows.results.count; i++) {
		const struct result_row *row = &trial->rows.results.items[i];
		bool equal = has_equal_sizes(row, kernel->family);
		if (equal && is_failed(row))
			return false;
		right += equal && row->status == OUTCOME_OK &&
			 named_list_get(&row->problem, kernel->family->dim_names[0], 0) > 1;
	}
	if (sizes < 2 || right == 0 || has_own_names(kernel))
		return false;
	snprintf(ret_text, size,
		"the result is wrong only if the sizes differ. If a parameter stands for another size, "
		"add a line such as '//pmpp: %s = %s'",
		last->name,
		kernel->family->dim_names[(last->index + 1) % kernel->family->dim_count]);
	return true;
}

/* The fourth edition of the book prints 0.71 for green in its kernel, so that white is not white. */
static bool has_dark_green(const struct trial *trial, char *ret_text, size_t size)
{
	snprintf(ret_text, size,
		"the weights of grayscale are 0.21, 0.72 and 0.07, whose sum is 1. The kernel has 0.71, "
		"like one figure of the book");
	return strcmp(trial->kernel->family->name, "grayscale") == 0 &&
	       strstr(trial->kernel->code, "0.71");
}

/* A compiler of OpenCL allocates registers for the block size of the attribute. Without it, it assumes a size. */
static bool has_unknown_block(const struct trial *trial, char *ret_text, size_t size)
{
	const struct own_kernel *kernel = trial->kernel;
	bool refused = false;

	for (size_t i = 0; i < trial->rows.results.count; i++)
		refused |= trial->rows.results.items[i].status == OUTCOME_UNSUPPORTED;
	snprintf(ret_text, size,
		"a device may accept a larger block if the kernel has the attribute "
		"__attribute__((reqd_work_group_size(%u, %u, %u)))",
		kernel->block[0], kernel->block[1], kernel->block[2]);
	return refused && !kernel->cuda && !strstr(kernel->code, "reqd_work_group_size");
}

/* A hint about a wrong kernel. Returns false if there is none. */
static bool try_hint(const struct trial *trial, char *ret_text, size_t size)
{
	static bool (*const hints[])(const struct trial *, char *, size_t) = {
		has_dark_green, misses_clear, has_other_roles};
	bool failed = false;

	for (size_t i = 0; i < trial->rows.results.count; i++)
		failed |= is_failed(&trial->rows.results.items[i]);
	if (trial->kernel && has_unknown_block(trial, ret_text, size))
		return true;
	for (size_t i = 0; i < ARRAY_COUNT(hints) && failed && trial->kernel; i++)
		if (hints[i](trial, ret_text, size))
			return true;
	return false;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

/* Runs one job of a trial. Its exit code becomes the worse code. like: a kernel with the type and operation of the
 * problem. */
static enum pmpp_status run_job(enum job_action action, const struct cli_options *options,
	const struct own_kernel *like, struct trial *trial, struct pmpp_error *error)
{
	struct result_document rows;
	struct command_task task;
	const struct own_kernel *own[] = {trial->kernel};
	struct cli_options copy = *options;
	int found = EXIT_CODE_OK;

	/* Times are beside those of the variants of the family. */
	copy.argument_count = trial->kernel && (action != JOB_RUN || like->family->own) ? 0 : 1;
	copy.arguments[0] = trial->kernel ? like->family->name : trial->word;
	copy.job.own = own;
	copy.job.own_count = trial->kernel ? 1 : 0;
	copy.trying.problem = NULL;
	copy.job.tunables.shared_bytes = 0;
	copy.json = copy.report = NULL;
	choices_of_own(like, &copy.job.choices);
	record_init(&result_document_type, &rows);
	enum pmpp_status status = command_task_prepare(action, &copy, &task, error);
	task.collecting.warned = action != JOB_VERIFY;
	if (action == JOB_EXPLAIN)
		task.collecting.ret_explanations = &trial->traced;
	if (status == PMPP_OK)
		status = command_task_run(&task, &rows, &found, error);
	command_task_finish(&task);
	/* An interrupted job keeps its finished rows. */
	bool keeps = status == PMPP_OK || status == PMPP_INTERRUPTED;
	if (keeps && action == JOB_VERIFY)
		record_move(&result_document_type, &rows, &trial->rows);
	else if (keeps && try_rows_add(&trial->rows, &rows, error) != PMPP_OK)
		status = PMPP_OUT_OF_MEMORY;
	record_finish(&result_document_type, &rows);
	trial->exit_code =
		(int)exit_code_worst((enum exit_code)trial->exit_code, (enum exit_code)found);
	return status;
}

/* Names the emulator of the language of a kernel. Returns false if there is none. */
static bool choose_emulator(const struct own_kernel *kernel, struct cli_options *options)
{
	enum gpu_backend_id emulator;

	if (!gpu_backend_emulator(
		    kernel->cuda ? GPU_LANGUAGE_CUDA_C : GPU_LANGUAGE_OPENCL_C, &emulator))
		return false;
	options->job.backend = gpu_backend_name(emulator);
	options->job.backend_from = "--backend";
	options->job.device = NULL;
	return true;
}

/* Whether every run without a result was ended by a defect that the emulator found: the kernel is wrong, not its
 * build or the device. The page of a kernel that does not end would take the time limit once more. */
static bool ended_by_defects(const struct result_row_list *rows)
{
	bool any = false;

	for (size_t i = 0; i < rows->count; i++) {
		const struct result_row *row = &rows->items[i];
		if (result_row_class(row) != OUTCOME_CLASS_BROKEN)
			continue;
		if (!row->symptoms.defect.record.present || row->status == OUTCOME_TIMEOUT)
			return false;
		any = true;
	}
	return any;
}

/* A built-in variant without --backend and --device runs on the emulator. */
static enum pmpp_status verify(const struct cli_options *options, const struct own_kernel *like,
	struct trial *trial, struct pmpp_error *error)
{
	struct cli_options copy = *options;

	if (!trial->kernel && !options->job.backend && !options->job.device)
		choose_emulator(like, &copy);
	enum pmpp_status status = run_job(JOB_VERIFY, &copy, like, trial, error);
	if (trial->exit_code == EXIT_CODE_BROKEN && ended_by_defects(&trial->rows.results))
		trial->exit_code = EXIT_CODE_FAILED;
	return status;
}

/* The page is always that of an emulator, whose times are not performance. Of several files there is a table. */
static enum pmpp_status explain(const struct cli_options *options, const struct own_kernel *like,
	struct trial *trial, struct pmpp_error *error)
{
	struct cli_options copy = *options;

	copy.terminal.quiet |= options->argument_count > 1 && !options->terminal.verbose;
	copy.terminal.wrong = trial->exit_code == EXIT_CODE_FAILED;
	if (!choose_emulator(trial->kernel ? trial->kernel : like, &copy))
		return PMPP_OK;
	return run_job(JOB_EXPLAIN, &copy, like, trial, error);
}

/* Whether the value of --backend or --device names an emulator: "cuda-emu", "cuda-emu:0". */
static bool is_emulator(const char *text)
{
	char name[24];
	enum gpu_backend_id backend;

	if (!text)
		return false;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
	return gpu_backend_find(name, &backend) && gpu_backend_row(backend)->on_request;
}

/* Times the ladder with the kernel on the device that was named, else on a GPU. */
static enum pmpp_status time_ladder(
	const struct cli_options *options, struct trial *trial, struct pmpp_error *error)
{
	const struct own_kernel *kernel = trial->kernel;
	struct cli_options copy = *options;
	bool named = options->job.backend || options->job.device;

	if (!kernel || is_emulator(options->job.backend) || is_emulator(options->job.device))
		return PMPP_OK;
	if (!named) {
		copy.job.backend =
			gpu_backend_name(kernel->cuda ? GPU_BACKEND_CUDA : GPU_BACKEND_OPENCL);
		copy.job.device = "gpu";
		copy.job.backend_from = "--backend";
		copy.job.device_from = "--device";
	}
	enum pmpp_status status = run_job(JOB_RUN, &copy, kernel, trial, error);
	if (status != PMPP_UNAVAILABLE || named)
		return status;
	pmpp_error_clear(error);
	if (cli_prints(options))
		puts(kernel->cuda
				? "not timed: no GPU for CUDA on this machine"
				: "not timed: no GPU for OpenCL on this machine; --device=cpu times "
				  "the kernel on the CPU");
	return PMPP_OK;
}

/* Prints the name of the mistake, what shows it, the line to look at, and what to change. */
static void put_mistake(const struct cli_options *options, const struct mistake *mistake)
{
	char *line = NULL, lines[60] = "", text[200];

	if (mistake->line && mistake->other_line && mistake->other_line != mistake->line)
		snprintf(lines, sizeof lines, "; lines %d and %d", mistake->line,
			mistake->other_line);
	else if (mistake->line)
		snprintf(lines, sizeof lines, "; line %d", mistake->line);
	text_format(&line, "mistake     %s: %s%s", mistake->name ? mistake->name : "not known",
		mistake->text, lines);
	if (line)
		own_files_print(options, line);
	free(line);
	const char *advice = mistake_advice(mistake->name);
	if (*advice) {
		snprintf(text, sizeof text, "advice      %s", advice);
		own_files_print(options, text);
	}
}

/* The first wrong row gets the mistake, for files and the page. */
static void keep_mistake(struct trial *trial)
{
	const struct mistake *mistake = &trial->mistake;
	struct result_row_list *rows = &trial->rows.results;
	size_t i = 0;

	while (i < rows->count && result_row_class(&rows->items[i]) < OUTCOME_CLASS_BROKEN)
		i++;
	if (!trial->has_mistake || i == rows->count)
		return;
	struct mistake_record *record = &rows->items[i].mistake;
	record->record.present = true;
	text_set_known(&record->name, mistake->name ? mistake->name : "");
	text_set(&record->text, mistake->text);
	text_set_known(&record->advice, mistake_advice(mistake->name));
	record->line = mistake->line ? mistake->line : -1;
	record->other_line = mistake->other_line ? mistake->other_line : -1;
}

/* Decides the conditions on a kernel. */
static enum pmpp_status judge(
	const struct cli_options *options, struct trial *trial, struct pmpp_error *error)
{
	struct cli_options copy = *options;
	struct judged_kernel judged = {.variant = trial->kernel->variant.name,
		.correct = trial->correct,
		.explained = &trial->traced,
		.rows = &trial->rows,
		.mistake = trial->has_mistake ? &trial->mistake : NULL,
		.not_timed = trial->exit_code == EXIT_CODE_OK ? "no device"
							      : "only a right kernel is timed"};

	choices_of_own(trial->kernel, &copy.job.choices);
	choose_emulator(trial->kernel, &copy);
	return requirements_end(&trial->requirements, &judged, &copy, trial->kernel->family,
		&trial->exit_code, error);
}

static enum pmpp_status run_trial(const struct cli_options *options, const struct own_kernel *like,
	struct trial *trial, struct pmpp_error *error)
{
	char hint[400], line[sizeof "hint: " + sizeof hint];

	if (trial->unread) {
		own_files_print(options, trial->unread);
		trial->exit_code = EXIT_CODE_BROKEN;
		requirements_refuse(options, trial->unread, &trial->exit_code);
		return PMPP_OK;
	}
	enum pmpp_status status = verify(options, like, trial, error);

	if (status == PMPP_OK && trial->kernel)
		status = mistakes_find(trial->kernel, &trial->rows.results, &trial->mistake,
			&trial->has_mistake, error);
	if (status == PMPP_OK)
		keep_mistake(trial);
	if (status == PMPP_OK && try_hint(trial, hint, sizeof hint)) {
		snprintf(line, sizeof line, "hint: %s", hint);
		own_files_print(options, line);
	}
	if (trial->exit_code != EXIT_CODE_ALL_SKIPPED)
		trial->correct = truth_of(trial->exit_code == EXIT_CODE_OK);
	/* A kernel that does not compile has no page; a wrong one has. */
	if (status == PMPP_OK &&
		(trial->exit_code == EXIT_CODE_OK || trial->exit_code == EXIT_CODE_FAILED))
		status = explain(options, like, trial, error);
	if (status == PMPP_OK && trial->exit_code == EXIT_CODE_OK)
		status = time_ladder(options, trial, error);
	if (status == PMPP_OK && trial->has_mistake)
		put_mistake(options, &trial->mistake);
	if (status == PMPP_OK && trial->kernel)
		status = judge(options, trial, error);
	return status;
}

/* ---- Files and variants ------------------------------------------------------------------------ */

/* All kernels and variants must solve the same problem. *like: the first kernel. */
static enum pmpp_status check_trials(
	const struct trial_list *trials, const struct own_kernel **like, struct pmpp_error *error)
{
	*like = NULL;
	for (size_t i = 0; i < trials->count && !*like; i++)
		*like = trials->items[i].kernel;
	if (!*like)
		return PMPP_FAIL(error, PMPP_USAGE,
			"try: %s is a variant: give a FILE of yours too, or `pmpp-run verify %s`",
			trials->items[0].word, trials->items[0].word);
	const char *name = (*like)->family->name;
	for (size_t i = 0; i < trials->count; i++) {
		const struct trial *trial = &trials->items[i];
		size_t length = strcspn(trial->word, "/");
		bool same = trial->kernel ? strcmp(trial->kernel->family->name, name) == 0
					  : strlen(name) == length &&
						    strncmp(trial->word, name, length) == 0;
		if (!same && !trial->unread)
			return PMPP_FAIL(error, PMPP_USAGE,
				"%s solves another problem than %s, %s: run try once for each problem",
				trial->word, (*like)->file, name);
	}
	return PMPP_OK;
}

static enum pmpp_status make_trials(const struct cli_options *options,
	const struct own_files *files, struct trial_list *trials, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	trials->items = calloc(files->count + 1, sizeof *trials->items);
	if (!trials->items)
		return PMPP_NO_MEMORY(error, "the files");
	for (size_t i = 0; i < files->count && status == PMPP_OK; i++) {
		struct trial *trial = &trials->items[trials->count++];
		trial->word = files->items[i].word;
		trial->kernel = files->items[i].kernel;
		trial->unread = files->items[i].unread;
		trial->exit_code = EXIT_CODE_ALL_SKIPPED;
		record_init(&result_document_type, &trial->rows);
		record_init(&explain_document_type, &trial->traced);
		if (trial->kernel)
			status = requirements_begin(options, trial->kernel->family,
				trial->kernel->text, &trial->requirements, error);
	}
	return status;
}

static void finish_trials(struct trial_list *trials)
{
	for (size_t i = 0; i < trials->count; i++) {
		record_finish(&result_document_type, &trials->items[i].rows);
		record_finish(&explain_document_type, &trials->items[i].traced);
		requirements_finish(&trials->items[i].requirements);
	}
	free(trials->items);
}

enum pmpp_status cmd_try(const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	struct trial_list trials = {0};
	struct cli_options copy = *options;
	struct own_files files;
	const struct own_kernel *like = NULL;
	enum exit_code worst = EXIT_CODE_ALL_SKIPPED;
	enum pmpp_status status = own_files_read(options, &files, error);

	if (status == PMPP_OK)
		status = make_trials(options, &files, &trials, error);
	if (status == PMPP_OK)
		status = check_trials(&trials, &like, error);
	if (status == PMPP_OK)
		status = try_outputs_check(options, &trials, error);
	/* The page of one file is printed, whether its problem is an argument or not. */
	copy.argument_count = files.count;
	for (size_t i = 0; i < trials.count && status == PMPP_OK; i++) {
		status = run_trial(&copy, like, &trials.items[i], error);
		worst = exit_code_worst(worst, (enum exit_code)trials.items[i].exit_code);
	}
	*ret_exit = (int)worst;
	if (files.unread)
		requirements_refuse(options, error->message, ret_exit);
	if (status == PMPP_OK)
		status = try_outputs_write(options, &trials, error);
	else if (status == PMPP_INTERRUPTED)
		try_outputs_write(options, &trials, error);
	finish_trials(&trials);
	own_files_finish(&files);
	return status;
}
