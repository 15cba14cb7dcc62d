#include "host/report/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/record/text.h"

/* A record of the row that a column shows; NULL where the row has none. */
typedef const void *part_fn(const void *row);

struct column {
	const char *title;
	part_fn *part; /* NULL: the row itself */
	const struct record_type *type;
	const char *field;
	bool number;
};

static const void *row_verify(const void *row)
{
	const struct result_row *result = row;

	return result->verify.record.present ? &result->verify : NULL;
}

static const void *row_samples(const void *row)
{
	const struct result_row *result = row;
	const struct samples_record *samples = timing_record_primary(&result->timing);

	return result->timing.record.present && samples->record.present ? samples : NULL;
}

static const void *row_derived(const void *row)
{
	return &((const struct result_row *)row)->derived;
}

static const void *row_floor(const void *row)
{
	const struct floor_record *floor = &((const struct result_row *)row)->derived.floor;

	return floor->record.present ? floor : NULL;
}

static const void *row_claim(const void *row)
{
	const struct result_row *result = row;

	return result->claim.record.present ? &result->claim : NULL;
}

#define OF_ROW(title, number)                                \
	{                                                    \
		title, NULL, &result_row_type, title, number \
	}

static const struct column result_columns[] = {
	OF_ROW("family", false),
	OF_ROW("variant", false),
	OF_ROW("technique", false),
	OF_ROW("backend", false),
	OF_ROW("device", false),
	OF_ROW("problem", false),
	OF_ROW("macros", false),
	OF_ROW("status", false),
	{"max_ratio", row_verify, &verify_type, "max_ratio", true},
	{"median_ns", row_samples, &samples_type, "median", true},
	{"q1_ns", row_samples, &samples_type, "q1", true},
	{"q3_ns", row_samples, &samples_type, "q3", true},
	{"min_ns", row_samples, &samples_type, "min", true},
	{"samples", row_samples, &samples_type, "n", true},
	{"half_width", row_samples, &samples_type, "half_width", true},
	{"gflops", row_derived, &derived_type, "gflops", true},
	{"gbps", row_derived, &derived_type, "gbps", true},
	{"pct_roof", row_derived, &derived_type, "pct_roof", true},
	{"limited_by", row_derived, &derived_type, "limited_by", false},
	{"floor", row_floor, &floor_type, "resource", false},
	{"floor_ns", row_floor, &floor_type, "ns", true},
	{"step", row_derived, &derived_type, "step", true},
	{"total", row_derived, &derived_type, "total", true},
	{"claim", row_claim, &claim_type, "text", false},
	{"claim_holds", row_claim, &claim_type, "holds", false},
	{"claim_verdict", row_claim, &claim_type, "verdict", false},
	{"step_ci95", row_derived, &derived_type, "step_ci95", false},
	{"step_paired", row_derived, &derived_type, "step_paired", false},
	OF_ROW("reason", false),
};

#define OF_PARITY(title, number)                             \
	{                                                    \
		title, NULL, &parity_row_type, title, number \
	}

static const struct column parity_columns[] = {
	OF_PARITY("family", false),
	OF_PARITY("variant", false),
	OF_PARITY("device", false),
	OF_PARITY("backends", false),
	OF_PARITY("problem", false),
	OF_PARITY("macros", false),
	OF_PARITY("ratio", true),
	OF_PARITY("ci95", false),
	OF_PARITY("verdict", false),
	OF_PARITY("bit_identical", false),
	OF_PARITY("round_ratio", true),
	OF_PARITY("tolerance", true),
};

/* ---- Comparisons --------------------------------------------------------------------------- */

/* A line of a comparison: one side against the base. */
struct compared_line {
	const struct comparison_row *row;
	const struct cell_record *base, *cell;
	const struct side_record *base_side, *side;
};

static const void *line_row(const void *line)
{
	return ((const struct compared_line *)line)->row;
}

static const void *line_base(const void *line)
{
	return ((const struct compared_line *)line)->base;
}

static const void *line_cell(const void *line)
{
	return ((const struct compared_line *)line)->cell;
}

static const void *line_base_side(const void *line)
{
	return ((const struct compared_line *)line)->base_side;
}

static const void *line_side(const void *line)
{
	return ((const struct compared_line *)line)->side;
}

#define OF_LINE(title, number)                                       \
	{                                                            \
		title, line_row, &comparison_row_type, title, number \
	}

static const struct column comparison_columns[] = {
	OF_LINE("family", false),
	OF_LINE("variant", false),
	OF_LINE("backend", false),
	OF_LINE("device", false),
	OF_LINE("dtype", false),
	OF_LINE("problem", false),
	OF_LINE("macros", false),
	{"base", line_base_side, &side_type, "name", false},
	{"new", line_side, &side_type, "name", false},
	{"base_ns", line_base, &cell_type, "median_ns", true},
	{"new_ns", line_cell, &cell_type, "median_ns", true},
	{"ratio", line_cell, &cell_type, "ratio", true},
	{"ci95", line_cell, &cell_type, "ci95", false},
	{"tolerance", line_cell, &cell_type, "tolerance", true},
	{"verdict", line_cell, &cell_type, "verdict", false},
	{"reason", line_cell, &cell_type, "reason", false},
};

/* One way to write a table. */
struct style {
	void (*header)(FILE *out, const struct column *columns, size_t count);
	void (*cell)(FILE *out, const char *text, bool first);
	const char *line_end;
};

/* ---- Styles -------------------------------------------------------------------------------- */

static void csv_cell(FILE *out, const char *text, bool first)
{
	if (!first)
		fputc(',', out);
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void csv_header(FILE *out, const struct column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		csv_cell(out, columns[i].title, i == 0);
	fputc('\n', out);
}

static void markdown_cell(FILE *out, const char *text, bool first)
{
	fputs(first ? "| " : " | ", out);
	for (; *text; text++) {
		if (*text == '|')
			fputc('\\', out);
		fputc(*text == '\n' ? ' ' : *text, out);
	}
}

static void markdown_header(FILE *out, const struct column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		markdown_cell(out, columns[i].title, i == 0);
	fputs(" |\n", out);
	for (size_t i = 0; i < count; i++)
		fputs(columns[i].number ? "|---:" : "|---", out);
	fputs("|\n", out);
}

static const struct style csv_style = {csv_header, csv_cell, "\n"};
static const struct style markdown_style = {markdown_header, markdown_cell, " |\n"};

/* ---- Tables -------------------------------------------------------------------------------- */

/* The text of one cell; malloc'ed; NULL for lack of memory. */
static char *cell_text(const struct column *column, const void *row)
{
	const void *record = column->part ? column->part(row) : row;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (record)
		record_put_value(column->type, record, column->field, out);
	fclose(out);
	return text;
}

struct table {
	const struct column *columns;
	size_t column_count;
	const void *rows;
	size_t row_count, row_size;
};

static char *table_text(const struct table *table, const struct style *style)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	style->header(out, table->columns, table->column_count);
	for (size_t r = 0; r < table->row_count; r++) {
		const void *row = (const char *)table->rows + r * table->row_size;
		for (size_t c = 0; c < table->column_count; c++) {
			char *cell = cell_text(&table->columns[c], row);
			style->cell(out, cell ? cell : "", c == 0);
			free(cell);
		}
		fputs(style->line_end, out);
	}
	fclose(out);
	return text;
}

static char *document_text(const struct result_document *document, const struct style *style)
{
	const struct table results = {result_columns, MEMBER_COUNT(result_columns),
		document->results.items, document->results.count, sizeof(struct result_row)};
	const struct table parity = {parity_columns, MEMBER_COUNT(parity_columns),
		document->parity.items, document->parity.count, sizeof(struct parity_row)};

	return table_text(document->parity.count ? &parity : &results, style);
}

char *export_csv(const struct result_document *document)
{
	return document_text(document, &csv_style);
}

char *export_markdown(const struct result_document *document)
{
	return document_text(document, &markdown_style);
}

/* The lines of a comparison; malloc'ed; NULL for lack of memory. */
static struct compared_line *lines_of(const struct comparison_document *document, size_t *ret_count)
{
	size_t side_count = document->sides.count, count = 0;
	struct compared_line *lines = calloc(document->rows.count * side_count + 1, sizeof *lines);

	for (size_t r = 0; lines && r < document->rows.count; r++)
		for (size_t i = 1; i < side_count; i++) {
			const struct comparison_row *row = &document->rows.items[r];
			lines[count++] = (struct compared_line){row, &row->cells.items[0],
				&row->cells.items[i], &document->sides.items[0],
				&document->sides.items[i]};
		}
	*ret_count = count;
	return lines;
}

static char *comparison_text(const struct comparison_document *document, const struct style *style)
{
	size_t count = 0;
	struct compared_line *lines = lines_of(document, &count);
	const struct table table = {
		comparison_columns, MEMBER_COUNT(comparison_columns), lines, count, sizeof *lines};
	char *text = lines ? table_text(&table, style) : NULL;

	free(lines);
	return text;
}

char *export_comparison_csv(const struct comparison_document *document)
{
	return comparison_text(document, &csv_style);
}

char *export_comparison_markdown(const struct comparison_document *document)
{
	return comparison_text(document, &markdown_style);
}
