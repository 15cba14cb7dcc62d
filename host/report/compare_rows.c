#include "host/report/compare_rows.h"

#include "host/report/flag_marks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Cells --------------------------------------------------------------------------------- */

/* "105 x faster" for ratios below 0.1, "105 x slower" from 10 on, else "0.988". */
static void format_factor_or_ratio(double ratio, char *text, size_t size)
{
	char factor[32];

	format_ratio(ratio, text, size);
	if (!(ratio > 0) || (ratio >= 0.1 && ratio < 10))
		return;
	format_number(ratio < 1 ? 1 / ratio : ratio, factor, sizeof factor);
	snprintf(text, size, "%s x %s", factor, ratio < 1 ? "faster" : "slower");
}

/* An interval that is wider does not even give the order of magnitude of the ratio. */
#define INTERVAL_MAX_FACTOR 10

/* "[0.981, 0.995]", "[98.1, 112] x" */
static void add_interval(struct table *table, const struct cell_record *cell)
{
	const double *ci = cell->ci95;
	char low[24], high[24];

	if (!(ci[0] >= cell->ratio / INTERVAL_MAX_FACTOR &&
		    ci[1] <= cell->ratio * INTERVAL_MAX_FACTOR)) {
		table_text(table, "unknown");
	} else if (cell->ratio < 0.1) {
		format_number(1 / ci[1], low, sizeof low);
		format_number(1 / ci[0], high, sizeof high);
		table_format(table, "[%s, %s] x", low, high);
	} else {
		format_ratio(ci[0], low, sizeof low);
		format_ratio(ci[1], high, sizeof high);
		table_format(table, "[%s, %s]%s", low, high, cell->ratio >= 10 ? " x" : "");
	}
}

static void add_time(struct table *table, const struct cell_record *cell)
{
	struct table_cell *time = cell->median_ns > 0
					  ? table_number(table, format_ns, cell->median_ns)
					  : table_text(table, "-");

	flag_marks_format(flag_marks_of_cell(cell), time->marks);
}

static enum style verdict_style(int verdict)
{
	static const enum style styles[VERDICT_COUNT] = {
		[VERDICT_FAST] = STYLE_GREEN,
		[VERDICT_SLOW] = STYLE_RED,
		[VERDICT_AMBG] = STYLE_YELLOW,
		[VERDICT_MISSING] = STYLE_DIM,
		[VERDICT_NOCOMP] = STYLE_DIM,
	};

	return verdict >= 0 ? styles[verdict] : STYLE_PLAIN;
}

/* ---- Tables -------------------------------------------------------------------------------- */

/* The rows of one family and problem. */
struct section {
	const struct comparison_document *document;
	const struct comparison_row **rows; /* owned */
	size_t count;
	bool repeated; /* a variant has several rows: labels have the macros */
};

enum {
	COLUMN_SIDE = 1, /* only with more than two sides */
	COLUMN_BASE,
	COLUMN_TIME,
	COLUMN_NOTE = 7
};

static const struct table_column columns[] = {
	{.title = "variant"},
	[COLUMN_SIDE] = {.title = "side"},
	[COLUMN_BASE] = {.title = "base", .unit = "ns", .align = TABLE_RIGHT, .width = 8},
	[COLUMN_TIME] = {.title = "new", .unit = "ns", .align = TABLE_RIGHT, .width = 8},
	{.title = "ratio", .unit = "1", .align = TABLE_RIGHT, .width = 6},
	{.title = "95 %", .priority = 1, .width = 14},
	{.title = "verdict"},
	[COLUMN_NOTE] = {.title = "note", .align = TABLE_REST, .priority = 1},
};

/* A line for a side of a row. Side 0: no other side has the row. */
static void add_line(struct table *table, const struct section *section,
	const struct comparison_row *row, size_t side)
{
	const struct cell_record *cell = &row->cells.items[side];
	char label[160];

	snprintf(label, sizeof label, "%s", text_or_empty(row->variant));
	if (section->repeated)
		format_macros(&row->macros, label, sizeof label);
	table_row(table, STYLE_PLAIN);
	table_text(table, label);
	table_text(table, side ? section->document->sides.items[side].letter : "-");
	add_time(table, &row->cells.items[0]);
	if (!side)
		return;
	add_time(table, cell);
	if (cell->ratio > 0) {
		table_number(table, format_factor_or_ratio, cell->ratio);
		add_interval(table, cell);
	} else {
		table_text(table, "");
		table_text(table, "");
	}
	table_text(table, word_text(verdict_words, cell->verdict))->style =
		verdict_style(cell->verdict);
	table_text(table, cell->reason);
	if (!table->failed && cell->reason && *cell->reason)
		table->columns[COLUMN_NOTE].absent = false;
}

static void section_table(const struct section *section, struct table *table)
{
	bool two = section->document->sides.count == 2;

	table_init(table, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; i < table->column_count; i++)
		table->columns[i].absent = (two && i == COLUMN_SIDE) || i == COLUMN_NOTE;
	for (size_t r = 0; r < section->count; r++) {
		const struct comparison_row *row = section->rows[r];
		bool added = false;
		for (size_t i = 1; i < row->cells.count; i++)
			if (two || row->cells.items[i].status != WORD_NULL ||
				(!section->document->mixed &&
					row->cells.items[i].verdict != WORD_NULL)) {
				add_line(table, section, row, i);
				added = true;
			}
		if (!added)
			add_line(table, section, row, 0);
	}
}

/* ---- Text ---------------------------------------------------------------------------------- */

/* Whether the rows are missing on the shipped devices only because of their size. */
static bool is_only_unlike(const struct section *section)
{
	bool unlike = false;

	for (size_t r = 0; r < section->count; r++) {
		const struct comparison_row *row = section->rows[r];
		unlike |= row->unlike;
		for (size_t i = 1; i < row->cells.count; i++) {
			if (!section->document->sides.items[i].shipped ||
				row->cells.items[i].status != WORD_NULL)
				return false;
		}
	}
	return unlike;
}

static void put_text(FILE *out, const struct section *section, const char *problem,
	const struct page_style *style)
{
	struct table table;

	if (is_only_unlike(section))
		return;
	fprintf(out, "\n%s%s  %s%s\n", style_code(style->colour, STYLE_BOLD),
		text_or_empty(section->rows[0]->family), problem,
		style_code(style->colour, STYLE_PLAIN));
	section_table(section, &table);
	table_put(&table, out, style);
	table_finish(&table);
}

static void put_markdown(FILE *out, const struct section *section, const char *problem)
{
	struct table table;

	fputs("\n**", out);
	markdown_text(out, text_or_empty(section->rows[0]->family));
	fputs("** ", out);
	markdown_text(out, problem);
	fputs("\n\n", out);
	section_table(section, &table);
	table_put_markdown(&table, out);
	table_finish(&table);
}

/* style: of a terminal, which has only the shown rows; NULL: Markdown. Returns the flags of the rows. */
static unsigned put_sections(
	FILE *out, const struct comparison_document *document, const struct page_style *style)
{
	const struct comparison_row_list *rows = &document->rows;
	struct section section = {document, calloc(rows->count + 1, sizeof(void *)), 0, 0};
	unsigned flags = 0;

	for (size_t first = 0, end; section.rows && first < rows->count; first = end) {
		char *problem = comparison_row_problem(&rows->items[first]);
		end = comparison_section_end(document, first);
		section.count = 0;
		section.repeated = false;
		for (size_t r = first; r < end; r++) {
			const struct comparison_row *row = &rows->items[r];
			if (style && !row->shown)
				continue;
			section.repeated |=
				section.count &&
				text_equal(row->variant, section.rows[section.count - 1]->variant);
			section.rows[section.count++] = row;
			for (size_t i = 0; i < row->cells.count; i++)
				flags |= flag_marks_of_cell(&row->cells.items[i]);
		}
		if (section.count && style)
			put_text(out, &section, text_or_empty(problem), style);
		else if (section.count)
			put_markdown(out, &section, text_or_empty(problem));
		free(problem);
	}
	free(section.rows);
	return flags;
}

void compare_rows_put(
	FILE *out, const struct comparison_document *document, const struct page_style *style)
{
	unsigned flags = put_sections(out, document, style);

	if (style)
		flag_marks_put(out, "  ", flags, "\n");
	else
		flag_marks_markdown(out, flags);
}
