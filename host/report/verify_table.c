#include "host/report/verify_table.h"

#include "host/report/wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void verify_line_finish(struct verify_line *line)
{
	free(line->worst);
	free(line->coverage);
	free(line->fallback);
	*line = (struct verify_line){.sizes_ok = 0};
}

bool row_is_trouble(enum outcome_class class)
{
	return class == OUTCOME_CLASS_FAILED || class == OUTCOME_CLASS_BROKEN;
}

void row_put_problem(FILE *out, const struct result_row *row)
{
	const char *const choices[] = {row->dtype, row->op, row->data};

	for (size_t i = 0; i < row->problem.count; i++)
		fprintf(out, " %s=%lld", row->problem.items[i].name,
			(long long)row->problem.items[i].value);
	for (size_t i = 0; i < ARRAY_COUNT(choices); i++)
		if (*text_or_empty(choices[i]))
			fprintf(out, " %s", choices[i]);
}

char *row_outcome(const struct result_row *row)
{
	char *text = NULL, words[32];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	format_status(row->status, words, sizeof words);
	fputs(words, out);
	if (row_is_trouble(result_row_class(row))) {
		fputs(" at", out);
		row_put_problem(out, row);
	}
	fprintf(out, ": %s", text_or_empty(row->reason));
	fclose(out);
	return text;
}

void verify_line_add(struct verify_line *line, const struct result_row *row)
{
	const char *coverage = text_or_empty(row->verify.coverage);
	enum outcome_class class = result_row_class(row);

	line->sizes_seen++;
	line->own_kernel |= row->own_kernel;
	if (row->fallback && !line->fallback)
		text_set(&line->fallback, row->fallback);
	if (row->status == OUTCOME_OK) {
		line->sizes_ok++;
		line->worst_ratio = fmax(line->worst_ratio, row->verify.max_ratio);
		line->coverage_differs |= line->coverage && strcmp(line->coverage, coverage) != 0;
		if (!line->coverage)
			text_set(&line->coverage, coverage);
	} else if (!line->worst ||
		   (class != OUTCOME_CLASS_SKIPPED && !row_is_trouble(line->class))) {
		free(line->worst);
		line->worst = row_outcome(row);
		line->status = row->status;
		line->class = class;
		line->too_large = result_row_is_too_large(row);
	}
}

bool verify_line_is_shown(const struct verify_line *line)
{
	return line->sizes_ok || (line->worst && !line->too_large);
}

/* ---- Table --------------------------------------------------------------------------------- */

/* The order of verify_table_row(). The widths are those of a table that is printed row by row. */
static const struct table_column columns[] = {
	{.title = "device", .width = 12}, /* "opencl-emu:0" */
	{.title = "variant", .width = 29},
	{.title = "sizes ok", .align = TABLE_RIGHT},
	{.title = "error", .align = TABLE_RIGHT},
	{.title = "checked", .align = TABLE_REST},
};

#define COVERAGE_COLUMN (12 + 29 + 8 + 5 + 4 * 2)

void verify_table_init(struct table *table)
{
	table_init(table, columns, ARRAY_COUNT(columns));
}

void verify_table_row(struct table *table, const struct verify_line *line, const char *device,
	const char *name, int width)
{
	const char *coverage =
		line->coverage_differs ? "differs by size" : text_or_empty(line->coverage);
	/* "all elements; all on integers": the part before the semicolon, if the line would be too
	 * long. */
	bool fits = width == 0 || COVERAGE_COLUMN + wrap_columns(coverage) <= width;
	bool adapted = line->fallback && !(line->worst && line->class == OUTCOME_CLASS_SKIPPED);
	char ratio[32] = "-";

	table_row(table, STYLE_PLAIN);
	table_text(table, device);
	table_text(table, name);
	if (line->sizes_ok == line->sizes_seen || line->sizes_ok == 0)
		table_format(table, "%zu", line->sizes_ok);
	else
		table_format(table, "%zu of %zu", line->sizes_ok, line->sizes_seen);
	if (line->sizes_ok)
		snprintf(ratio, sizeof ratio, "%.2f", line->worst_ratio);
	table_text(table, ratio);
	table_format(table, "%.*s%s%s%s",
		(int)(line->worst || fits ? strlen(line->worst ? line->worst : coverage)
					  : strcspn(coverage, ";")),
		line->worst ? line->worst : coverage, adapted ? "; " : "",
		adapted ? line->fallback : "", line->own_kernel ? "; your kernel" : "")
		->style = line->worst ? format_status_style(line->status) : STYLE_PLAIN;
}
