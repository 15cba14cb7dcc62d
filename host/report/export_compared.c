#include "host/report/export.h"

#include "host/report/flag_marks.h"
#include "host/report/format.h"
#include "host/report/markdown.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef char cell_text[200];

/* Columns: the variant, the time of the base, CELLS_OF_SIDE columns for each other side (time,
 * ratio, interval, verdict), and a note. */
#define CELLS_OF_SIDE 4
#define COUNT_OF(side_count) (2 + ((side_count)-1) * CELLS_OF_SIDE + 1)

struct table {
	const struct comparison_document *document;
	FILE *out;
	size_t count;       /* of columns */
	cell_text *cells;   /* owned */
	const char **texts; /* of a row; owned; point to cells or to texts of the document */
	unsigned flags;     /* of the printed times */
};

/* ---- Cells --------------------------------------------------------------------------------- */

/* "12.3 ~": microseconds, or percent of the roof. */
static void format_time(struct table *table, const struct cell_record *cell, cell_text text)
{
	bool roof = table->document->per_roof;
	char marks[FLAG_MARKS_BYTES], number[32];

	if (!(cell->median_ns > 0)) {
		snprintf(text, sizeof(cell_text), "-");
		return;
	}
	flag_marks_format(flag_marks_of_cell(cell), marks);
	table->flags |= flag_marks_of_cell(cell);
	format_number(roof ? cell->pct_roof : cell->median_ns / 1000, number, sizeof number);
	snprintf(text, sizeof(cell_text), "%s%s%s", number, *marks ? " " : "", marks);
}

static void format_side(struct table *table, const struct cell_record *cell, cell_text *texts)
{
	char low[24], high[24];

	format_time(table, cell, texts[0]);
	snprintf(texts[3], sizeof *texts, "%s", word_text(verdict_words, cell->verdict));
	if (!(cell->ratio > 0))
		return;
	format_ratio(cell->ratio, texts[1], sizeof *texts);
	format_ratio(cell->ci95[0], low, sizeof low);
	format_ratio(cell->ci95[1], high, sizeof high);
	if (cell->ci95[0] > 0)
		snprintf(texts[2], sizeof *texts, "%s to %s", low, high);
}

static void format_label(const struct comparison_row *row, bool with_macros, cell_text text)
{
	size_t used = (size_t)snprintf(text, sizeof(cell_text), "%s", text_or_empty(row->variant));

	for (size_t i = 0; with_macros && i < row->macros.count && used < sizeof(cell_text); i++)
		used += (size_t)snprintf(text + used, sizeof(cell_text) - used, " %s=%" PRId64,
			row->macros.items[i].name, row->macros.items[i].value);
}

/* The first reason in the cells of the row; "" = none. */
static const char *note_of(const struct comparison_row *row)
{
	for (size_t i = 1; i < row->cells.count; i++)
		if (row->cells.items[i].reason && *row->cells.items[i].reason)
			return row->cells.items[i].reason;
	return "";
}

/* ---- Tables -------------------------------------------------------------------------------- */

static void put_titles(struct table *table)
{
	const char *unit = table->document->per_roof ? "% of the roof" : "µs";
	struct markdown_column *columns = calloc(table->count, sizeof *columns);
	size_t sides = table->document->sides.count;

	if (!columns)
		return;
	for (size_t side = 0; side < sides; side++) {
		static const char *const parts[] = {"", " ratio", " 95 % interval", " verdict"};
		char letter[COMPARE_LETTER_BYTES];
		size_t first = side ? 2 + (side - 1) * CELLS_OF_SIDE : 1;

		compare_letter(side, sides, letter);
		for (size_t i = 0; i < (side ? CELLS_OF_SIDE : 1); i++) {
			snprintf(table->cells[first + i], sizeof *table->cells, "%s%s%s%s%s",
				letter, parts[i], i ? "" : " (", i ? "" : unit, i ? "" : ")");
			columns[first + i] =
				(struct markdown_column){table->cells[first + i], i < 2};
		}
	}
	columns[0].title = "variant";
	columns[table->count - 1].title = "note";
	markdown_titles(table->out, columns, table->count);
	free(columns);
}

static void put_row(struct table *table, const struct comparison_row *row, bool with_macros)
{
	memset(table->cells, 0, table->count * sizeof *table->cells);
	format_label(row, with_macros, table->cells[0]);
	for (size_t i = 0; i < row->cells.count && i < table->document->sides.count; i++) {
		const struct cell_record *cell = &row->cells.items[i];
		if (i == 0)
			format_time(table, cell, table->cells[1]);
		else
			format_side(table, cell, &table->cells[2 + (i - 1) * CELLS_OF_SIDE]);
	}
	table->texts[table->count - 1] = note_of(row);
	markdown_row(table->out, table->texts, table->count);
}

static void put_section(
	struct table *table, const struct comparison_sections *sections, size_t section)
{
	const struct comparison_row *rows = table->document->rows.items;
	size_t first = sections->starts[section], end = sections->starts[section + 1];
	const struct comparison_row *head = &rows[sections->order[first]];
	char *problem = comparison_row_problem(head);
	bool repeated = false;

	for (size_t i = first + 1; i < end; i++)
		repeated |= text_equal(
			rows[sections->order[i]].variant, rows[sections->order[i - 1]].variant);
	fputs("\n**", table->out);
	markdown_text(table->out, text_or_empty(head->family));
	fputs("** ", table->out);
	markdown_text(table->out, text_or_empty(problem));
	fputs("\n\n", table->out);
	put_titles(table);
	for (size_t i = first; i < end; i++)
		put_row(table, &rows[sections->order[i]], repeated);
	free(problem);
}

/* "- base: NAME; cuda; driver 580.159.04" */
static void put_sides(struct table *table)
{
	const struct side_list *sides = &table->document->sides;

	for (size_t i = 0; i < sides->count; i++) {
		const struct side_record *side = &sides->items[i];
		const struct text_list *const lists[] = {&side->backends, &side->drivers};
		char letter[COMPARE_LETTER_BYTES];

		compare_letter(i, sides->count, letter);
		fprintf(table->out, "- %s: ", letter);
		markdown_text(table->out, text_or_empty(side->name));
		for (size_t l = 0; l < 2; l++)
			for (size_t k = 0; k < lists[l]->count; k++) {
				fputs(k ? " and " : l ? "; driver " : "; ", table->out);
				markdown_text(table->out, lists[l]->items[k]);
			}
		fputc('\n', table->out);
	}
	fprintf(table->out, "\nRatio: %s\n",
		table->document->per_roof ? "share of the roof, base / side."
					  : "time of the side / time of the base.");
}

char *export_comparison_markdown(const struct comparison_document *document)
{
	struct comparison_sections sections = comparison_sections_make(document);
	struct table table = {.document = document, .count = COUNT_OF(document->sides.count)};
	char *text = NULL;
	size_t size;

	table.cells = calloc(table.count, sizeof *table.cells);
	table.texts = calloc(table.count, sizeof *table.texts);
	table.out = table.cells && table.texts ? open_memstream(&text, &size) : NULL;
	if (table.out) {
		for (size_t i = 0; i < table.count; i++)
			table.texts[i] = table.cells[i];
		put_sides(&table);
		for (size_t s = 0; s < sections.count; s++)
			put_section(&table, &sections, s);
		markdown_legend(table.out, table.flags);
		fclose(table.out);
	}
	free(table.cells);
	free(table.texts);
	comparison_sections_finish(&sections);
	return text;
}
