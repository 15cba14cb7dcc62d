#include "host/report/compare_rows.h"

#include "host/compare/compare.h"
#include "host/report/export.h"
#include "host/report/flag_marks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(COMPARE_MAX_SIDES <= 64, "a bit for each side");

/* Whether the side of the cell is a shipped device that has the row at another size. */
static bool is_other_size(
	const struct comparison_document *document, const struct cell_record *cell)
{
	return cell->problem.count && document->sides.items[cell->side].shipped && document->mixed;
}

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

static void add_time(struct table *table, const struct comparison_document *document,
	const struct cell_record *cell)
{
	struct table_cell *time;

	if (!(cell->median_ns > 0))
		time = table_text(table, "-");
	else if (document->per_roof)
		time = table_number(table, format_percent, cell->pct_roof);
	else
		time = table_number(table, format_ns, cell->median_ns);
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

static void add_side(struct table *table, const struct comparison_document *document,
	const struct cell_record *cell)
{
	add_time(table, document, cell);
	if (cell->ratio > 0) {
		table_number(table, format_factor_or_ratio, cell->ratio);
		add_interval(table, cell);
	} else {
		table_text(table, "");
		table_text(table, "");
	}
	table_text(table, word_text(verdict_words, cell->verdict))->style =
		verdict_style(cell->verdict);
}

/* The reasons why times are not compared: "B: REASON; C: REASON", or of two sides "REASON". */
static char *reasons_of(const struct comparison_document *document,
	const struct comparison_row *row, uint64_t sides)
{
	char *text = NULL;
	size_t size, count = row->cells.count;
	const char *separator = "";
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 1; i < count && out; i++) {
		const struct cell_record *cell = &row->cells.items[i];
		if (!(sides >> i & 1) || !cell->reason || !*cell->reason ||
			(count > 2 && (cell->verdict < 0 || is_other_size(document, cell))))
			continue;
		fprintf(out, "%s%s%s%s", separator,
			count > 2 ? document->sides.items[i].letter : "", count > 2 ? ": " : "",
			cell->reason);
		separator = "; ";
	}
	if (out)
		fclose(out);
	return text;
}

/* ---- Tables -------------------------------------------------------------------------------- */

/* The rows of one family and problem. */
struct section {
	const struct comparison_document *document;
	const struct comparison_row **rows; /* owned */
	size_t count;
	bool repeated; /* a variant has several rows: labels have the macros */
};

static void add_label(struct table *table, const struct section *section, size_t index)
{
	const struct comparison_row *row = section->rows[index];
	char label[160];

	snprintf(label, sizeof label, "%s", text_or_empty(row->variant));
	if (section->repeated)
		format_macros(&row->macros, label, sizeof label);
	table_text(table, label);
}

static void add_columns(
	struct table *table, const struct comparison_document *document, uint64_t sides)
{
	static const struct table_column of_side[] = {
		{.title = "", .align = TABLE_RIGHT, .width = 8},
		{.title = "ratio", .unit = "1", .align = TABLE_RIGHT, .width = 6},
		{.title = "95 %", .priority = 1, .width = 14}, {.title = "verdict"}};
	size_t count = document->sides.count;

	table_add_column(table, &(struct table_column){.title = "variant"});
	for (size_t i = 0; i < count; i++) {
		const char *letter = document->sides.items[i].letter;
		for (size_t c = 0; c < (i ? 4 : 1) && sides >> i & 1; c++) {
			struct table_column column = of_side[c];
			char title[48];
			snprintf(title, sizeof title, "%s%s%s", c == 0 || count > 2 ? letter : "",
				c && count > 2 ? " " : "", column.title);
			column.title = title;
			column.unit = c == 0 ? (document->per_roof ? "%" : "ns") : column.unit;
			table_add_column(table, &column);
		}
	}
	table_add_column(
		table, &(struct table_column){.title = "note", .align = TABLE_REST, .priority = 1});
}

/* sides: bit i: the table has side i */
static void section_table(const struct section *section, uint64_t sides, struct table *table)
{
	bool noted = false;

	table_init(table, NULL, 0);
	add_columns(table, section->document, sides);
	for (size_t r = 0; r < section->count; r++) {
		const struct comparison_row *row = section->rows[r];
		char *reasons = reasons_of(section->document, row, sides);
		table_row(table, STYLE_PLAIN);
		add_label(table, section, r);
		add_time(table, section->document, &row->cells.items[0]);
		for (size_t i = 1; i < row->cells.count; i++)
			if (sides >> i & 1)
				add_side(table, section->document, &row->cells.items[i]);
		table_text(table, reasons);
		noted |= reasons && *reasons;
		free(reasons);
	}
	if (!table->failed)
		table->columns[table->column_count - 1].absent = !noted;
}

/* ---- Text ---------------------------------------------------------------------------------- */

#define LABEL_COLUMNS 18
#define BASE_COLUMNS 12
#define SIDE_COLUMNS 47 /* time, ratio, interval and verdict */

/* The next sides that fit a line, at least one. Sides without a row of the section are skipped where the
 * width is limited. first: the first side that may be shown; set to the one after the last. */
static uint64_t next_sides(const struct section *section, int width, size_t *first)
{
	int room = width - LABEL_COLUMNS - BASE_COLUMNS;
	size_t fit = room / SIDE_COLUMNS > 1 ? (size_t)(room / SIDE_COLUMNS) : 1;
	uint64_t sides = 0;

	for (; *first < section->document->sides.count && (!width || fit); ++*first) {
		bool present = !width || section->document->sides.count == 2;
		for (size_t r = 0; r < section->count; r++)
			present |= section->rows[r]->cells.items[*first].status != WORD_NULL;
		sides |= present ? UINT64_C(1) << *first : 0;
		fit -= present;
	}
	return sides;
}

/* Whether the rows are missing on the shipped devices only because of their size. */
static bool is_only_unlike(const struct section *section)
{
	bool unlike = false;

	for (size_t r = 0; r < section->count; r++) {
		const struct comparison_row *row = section->rows[r];
		unlike |= row->unlike;
		for (size_t i = 1; i < row->cells.count; i++) {
			const struct cell_record *cell = &row->cells.items[i];
			bool absent =
				cell->verdict == VERDICT_MISSING || cell->verdict == WORD_NULL;
			if (!section->document->sides.items[i].shipped ||
				(!cell->problem.count && !absent))
				return false;
		}
	}
	return unlike;
}

static void put_text(FILE *out, const struct section *section, const char *problem,
	const struct page_style *style)
{
	uint64_t sides;

	if (is_only_unlike(section))
		return;
	fprintf(out, "\n%s%s  %s%s\n", style_code(style->colour, STYLE_BOLD),
		text_or_empty(section->rows[0]->family), problem,
		style_code(style->colour, STYLE_PLAIN));
	for (size_t first = 1; (sides = next_sides(section, style->width, &first));) {
		struct table table;
		section_table(section, sides | 1, &table);
		table_put(&table, out, style);
		table_finish(&table);
	}
}

static void put_markdown(FILE *out, const struct section *section, const char *problem)
{
	struct table table;

	fputs("\n**", out);
	markdown_text(out, text_or_empty(section->rows[0]->family));
	fputs("** ", out);
	markdown_text(out, problem);
	fputs("\n\n", out);
	section_table(section, UINT64_MAX, &table);
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
	flag_marks_put(out, "  ", put_sections(out, document, style), "\n");
}

/* ---- Markdown ------------------------------------------------------------------------------ */

/* "- base: NAME; cuda; driver 580.159.04" */
static void put_markdown_sides(FILE *out, const struct comparison_document *document)
{
	for (size_t i = 0; i < document->sides.count; i++) {
		const struct side_record *side = &document->sides.items[i];
		const struct text_list *const lists[] = {&side->backends, &side->drivers};

		fprintf(out, "- %s: ", side->letter);
		markdown_text(out, text_or_empty(side->name));
		for (size_t l = 0; l < 2; l++)
			for (size_t k = 0; k < lists[l]->count; k++) {
				fputs(k ? " and " : l ? "; driver " : "; ", out);
				markdown_text(out, lists[l]->items[k]);
			}
		fputc('\n', out);
	}
	fprintf(out, "\nRatio: %s\n",
		document->per_roof ? "share of the roof, base / side."
				   : "time of the side / time of the base.");
}

char *export_comparison_markdown(const struct comparison_document *document)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	put_markdown_sides(out, document);
	flag_marks_markdown(out, put_sections(out, document, NULL));
	fclose(out);
	return text;
}
