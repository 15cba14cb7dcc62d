#include "host/report/verify_table.h"

#include "host/report/format.h"
#include "host/report/wrap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void verify_line_begin(struct verify_line *line)
{
	verify_line_finish(line);
	*line = (struct verify_line){.sizes_ok = 0};
}

void verify_line_finish(struct verify_line *line)
{
	if (line->worst.record.present)
		record_finish(&result_row_type, &line->worst);
	line->worst.record.present = false;
	free(line->coverage);
	line->coverage = NULL;
	free(line->fallback);
	line->fallback = NULL;
	text_list_finish(&line->sizes);
}

/* The result is wrong, or it is missing although the variant ran. */
static bool is_trouble(const struct result_row *row)
{
	enum outcome_class class = row->status >= 0
					   ? outcome_class_of((enum outcome_status)row->status)
					   : OUTCOME_CLASS_UNVERIFIED;

	return class == OUTCOME_CLASS_FAILED || class == OUTCOME_CLASS_BROKEN;
}

static bool is_skipped(const struct result_row *row)
{
	return row->status >= 0 &&
	       outcome_class_of((enum outcome_status)row->status) == OUTCOME_CLASS_SKIPPED;
}

static void add_coverage(struct verify_line *line, const char *coverage)
{
	if (!line->coverage)
		line->coverage = strdup(coverage);
	else
		line->coverage_differs |= strcmp(line->coverage, coverage) != 0;
}

/* " f32 sum random" */
static void format_choices(const struct result_row *row, char *text, size_t size)
{
	const char *const choices[] = {row->dtype, row->op, row->data};
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < sizeof choices / sizeof *choices && used < size; i++)
		if (choices[i] && *choices[i])
			used += (size_t)snprintf(text + used, size - used, " %s", choices[i]);
}

/* If memory is not available, only the list of -v lacks the size. */
static void add_size(struct verify_line *line, const struct result_row *row)
{
	char choices[96], size[160], words[32];
	char text[sizeof choices + sizeof size + sizeof words + 8];
	bool ok = row->status == OUTCOME_OK;

	format_choices(row, choices, sizeof choices);
	format_sizes(&row->problem, size, sizeof size);
	format_status(row->status, words, sizeof words);
	snprintf(text, sizeof text, "%s: %s%s%s%s", choices, size, ok ? "" : " (", ok ? "" : words,
		ok ? "" : ")");
	text_list_add(&line->sizes, text);
}

/* Makes a copy of the row as the row that the line names. */
static void name_row(struct verify_line *line, const struct result_row *row)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;

	if (line->worst.record.present)
		record_finish(&result_row_type, &line->worst);
	/* If memory is not available, the line names no row. */
	line->worst.record.present =
		record_copy(&result_row_type, row, &line->worst, &ignored) == PMPP_OK;
	pmpp_error_clear(&ignored);
}

void verify_line_add(struct verify_line *line, const struct result_row *row)
{
	bool first = !line->worst.record.present;

	line->sizes_seen++;
	line->own_kernel |= row->own_kernel;
	add_size(line, row);
	if (row->fallback && !line->fallback)
		line->fallback = strdup(row->fallback);
	if (row->status == OUTCOME_OK) {
		line->sizes_ok++;
		line->worst_ratio = fmax(line->worst_ratio, row->verify.max_ratio);
		add_coverage(line, text_or_empty(row->verify.coverage));
	} else if (first || (!is_skipped(row) && !is_trouble(&line->worst))) {
		name_row(line, row);
	}
}

bool verify_line_is_shown(const struct verify_line *line)
{
	return line->sizes_ok ||
	       (line->worst.record.present && !result_row_is_too_large(&line->worst));
}

/* ---- Lines --------------------------------------------------------------------------------- */

/* The order of verify_table_row(). The widths are those of a table that is printed row by row. */
static const struct table_column columns[] = {
	{.title = "device", .width = 12}, /* "opencl-emu:0" */
	{.title = "backend"},
	{.title = "variant", .width = 29},
	{.title = "sizes ok", .align = TABLE_RIGHT},
	{.title = "error", .align = TABLE_RIGHT},
	{.title = "checked", .align = TABLE_REST},
};

#define COVERAGE_COLUMN (12 + 29 + 8 + 5 + 4 * 2)

void verify_table_init(struct table *table, bool with_backend)
{
	struct table_column chosen[ARRAY_COUNT(columns)];

	memcpy(chosen, columns, sizeof chosen);
	chosen[1].absent = !with_backend;
	table_init(table, chosen, ARRAY_COUNT(chosen));
}

/* " at m=37 n=41 k=43 f32 random" from the row's dimensions and choices. */
static void put_problem(FILE *out, const struct result_row *row)
{
	char choices[96];

	fputs(" at", out);
	for (size_t i = 0; i < row->problem.count; i++)
		fprintf(out, " %s=%" PRId64, row->problem.items[i].name,
			row->problem.items[i].value);
	format_choices(row, choices, sizeof choices);
	fputs(choices, out);
}

static void put_worst(FILE *out, const struct result_row *worst)
{
	char words[32];

	format_status(worst->status, words, sizeof words);
	fputs(words, out);
	if (is_trouble(worst))
		put_problem(out, worst);
	fprintf(out, ": %s", text_or_empty(worst->reason));
}

bool row_put_trouble(const struct result_row *row, const char *label, const char *device, FILE *out)
{
	if (!is_trouble(row))
		return false;
	fprintf(out, "%s/%s on %s: ", row->family, label, device);
	put_worst(out, row);
	return true;
}

/* Prints "all elements; all on integers", or only the part before the semicolon if the line would
 * be too long. */
static void put_coverage(FILE *out, const struct verify_line *line, int width)
{
	const char *text =
		line->coverage_differs ? "differs by size" : text_or_empty(line->coverage);
	bool fits = width == 0 || COVERAGE_COLUMN + wrap_columns(text) <= width;

	fprintf(out, "%.*s", (int)(fits ? strlen(text) : strcspn(text, ";")), text);
}

void verify_table_row(struct table *table, const struct verify_line *line, const char *device,
	const char *backend, const char *name, int width)
{
	const struct result_row *worst = line->worst.record.present ? &line->worst : NULL;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out && worst)
		put_worst(out, worst);
	else if (out)
		put_coverage(out, line, width);
	if (out && line->fallback && !(worst && is_skipped(worst)))
		fprintf(out, "; %s", line->fallback);
	if (out && line->own_kernel)
		fputs("; your kernel", out);
	if (out)
		fclose(out);
	table_row(table, STYLE_PLAIN);
	table_text(table, device);
	table_text(table, backend);
	table_text(table, name);
	if (line->sizes_ok == line->sizes_seen || line->sizes_ok == 0)
		table_format(table, "%zu", line->sizes_ok);
	else
		table_format(table, "%zu of %zu", line->sizes_ok, line->sizes_seen);
	if (line->sizes_ok)
		table_format(table, "%.2f", line->worst_ratio);
	else
		table_text(table, "-");
	table_text(table, text)->style = worst ? format_status_style(worst->status) : STYLE_PLAIN;
	free(text);
}

void verify_line_put_sizes(const struct verify_line *line, FILE *out)
{
	const char *last = "";

	for (size_t i = 0; i < line->sizes.count; i++) {
		const char *text = line->sizes.items[i];
		size_t choices = strcspn(text, ":") + 1;
		if (strncmp(text, last, choices) == 0)
			fprintf(out, ";%s", text + choices);
		else
			fprintf(out, "%s    sizes,%s", i ? "\n" : "", text);
		last = text;
	}
	fputs(line->sizes.count ? "\n" : "", out);
}
