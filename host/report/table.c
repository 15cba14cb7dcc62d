#include "host/report/table.h"

#include "common/clean_text.h"
#include "host/record/document.h"
#include "host/report/html.h"
#include "host/report/wrap.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GAP 2

/* ---- Columns and rows ---------------------------------------------------------------------- */

/* Returns a larger array with a new zeroed item at its end. */
static void *grow(struct table *table, void *items, size_t count, size_t size)
{
	bool full = (count & (count - 1)) == 0; /* the room is a power of two, or 0 */
	char *larger = table->failed ? NULL
		       : full        ? realloc(items, (count ? 2 * count : 1) * size)
				     : items;

	if (larger)
		memset(larger + count * size, 0, size);
	table->failed |= !larger;
	return larger;
}

static void add_column(struct table *table, const struct table_column *column)
{
	struct table_column *columns =
		grow(table, table->columns, table->column_count, sizeof *columns);
	char *title = strdup(column->title);

	table->failed |= !title;
	if (!columns) {
		free(title);
		return;
	}
	table->columns = columns;
	columns += table->column_count++;
	*columns = *column;
	columns->title = title;
}

void table_init(struct table *table, const struct table_column *columns, size_t count)
{
	*table = (struct table){0};
	for (size_t i = 0; i < count; i++)
		add_column(table, &columns[i]);
}

void table_drop_rows(struct table *table)
{
	for (size_t r = 0; r < table->row_count; r++) {
		for (size_t i = 0; i < table->rows[r].count; i++)
			free(table->rows[r].cells[i].text);
		free(table->rows[r].cells);
		free(table->rows[r].below);
	}
	free(table->rows);
	table->rows = NULL;
	table->row_count = 0;
}

void table_finish(struct table *table)
{
	table_drop_rows(table);
	for (size_t i = 0; i < table->column_count; i++)
		free((void *)(uintptr_t)table->columns[i].title);
	free(table->columns);
	free(table->widths);
	free(table->marks);
	*table = (struct table){0};
}

struct table_row *table_row(struct table *table, enum style style)
{
	static struct table_row none;
	struct table_row *rows = grow(table, table->rows, table->row_count, sizeof *rows);

	if (!rows)
		return &none;
	table->rows = rows;
	rows += table->row_count++;
	rows->cells = calloc(table->column_count + 1, sizeof *rows->cells);
	rows->style = style;
	table->failed |= !rows->cells;
	return rows;
}

/* text: owned by the cell from now on */
static struct table_cell *add_cell(struct table *table, char *text)
{
	static struct table_cell none;
	struct table_row *row = table->row_count ? &table->rows[table->row_count - 1] : NULL;

	table->failed |= !text;
	if (table->failed || !row || row->count == table->column_count) {
		free(text);
		return &none;
	}
	row->cells[row->count] = (struct table_cell){.text = text, .value = NAN};
	return &row->cells[row->count++];
}

struct table_cell *table_text(struct table *table, const char *text)
{
	text = text_or_empty(text);
	return add_cell(table, clean_text_copy(text, strlen(text), CLEAN_LINE));
}

struct table_cell *table_format(struct table *table, const char *format, ...)
{
	va_list arguments;
	char *text = NULL;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	struct table_cell *cell = table_text(table, text);
	table->failed |= !text;
	free(text);
	return cell;
}

struct table_cell *table_number(struct table *table, format_fn *format, double value)
{
	char text[64];

	format(value, text, sizeof text);
	struct table_cell *cell = table_text(table, text);
	cell->value = value;
	return cell;
}

struct table_cell *table_field(
	struct table *table, const struct record_type *type, const void *record, const char *field)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out && record)
		record_put_value(type, record, field, out);
	if (out)
		fclose(out);
	struct table_cell *cell = table_text(table, text);
	table->failed |= !text;
	free(text);
	return cell;
}

struct table_cell *table_span(struct table *table, const char *text)
{
	struct table_cell *cell = table_text(table, text);

	cell->span = true;
	return cell;
}

void table_below(struct table *table, const char *text)
{
	if (table->row_count && !table->rows[table->row_count - 1].below && *text)
		table->rows[table->row_count - 1].below =
			clean_text_copy(text, strlen(text), CLEAN_LINE);
}

static const struct table_cell *cell_at(const struct table_row *row, size_t column)
{
	static char none[] = "";
	static const struct table_cell empty = {.text = none, .value = NAN};

	return column < row->count ? &row->cells[column] : &empty;
}

static bool has_failed(const struct table *table, FILE *out)
{
	if (table->failed)
		fputs("no memory for this table\n", out);
	return table->failed;
}

/* ---- Markdown ------------------------------------------------------------------------------ */

void markdown_text(FILE *out, const char *text)
{
	char *clean = clean_text_copy(text, strlen(text), CLEAN_LINE);

	for (const char *next = clean; next && *next; next++) {
		/* "<" before a blank, "=" or a digit begins no tag. Claims have such texts. */
		if (strchr("\\|`&", *next) ||
			(*next == '<' && next[1] && !strchr(" =0123456789", next[1])))
			fputc('\\', out);
		fputc(*next, out);
	}
	free(clean);
}

static void put_markdown_cell(FILE *out, const char *text, const char *marks)
{
	fputs("| ", out);
	markdown_text(out, text);
	fprintf(out, "%s%s ", *marks ? " " : "", marks);
}

static void put_markdown_row(const struct table *table, FILE *out, const struct table_row *row)
{
	for (size_t i = 0; i < table->column_count; i++) {
		const struct table_cell *cell = cell_at(row, i);
		if (table->columns[i].absent)
			continue;
		put_markdown_cell(out, cell->text, cell->marks);
	}
	fputs("|\n", out);
}

static void put_markdown_titles(const struct table *table, FILE *out)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (!table->columns[i].absent)
			put_markdown_cell(out, table->columns[i].title, "");
	fputs("|\n", out);
	for (size_t i = 0; i < table->column_count; i++)
		if (!table->columns[i].absent)
			fputs(table->columns[i].align == TABLE_RIGHT ? "|---:" : "|---", out);
	fputs("|\n", out);
}

/* ---- Terminal: widths ---------------------------------------------------------------------- */

/* The first column takes at most 1/3 of the terminal, but may always have LABEL_MIN columns. */
#define LABEL_PART 3
#define LABEL_MIN 26

static int larger(int a, int b)
{
	return a > b ? a : b;
}

/* Sets the widths of all columns, from the titles and the rows so far. */
static void measure(struct table *table)
{
	int most = larger(table->style.width / LABEL_PART, LABEL_MIN);

	for (size_t i = 0; i < table->column_count; i++) {
		const struct table_column *column = &table->columns[i];
		int *width = &table->widths[i];
		*width = larger(column->width, wrap_columns(column->title));
		for (size_t r = 0; r < table->row_count && column->align != TABLE_REST; r++) {
			const struct table_cell *cell = cell_at(&table->rows[r], i);
			int columns = wrap_columns(cell->text);
			table->marks[i] = larger(table->marks[i], (int)strlen(cell->marks));
			if (!cell->span && (i || !table->style.width || columns <= most))
				*width = larger(*width, columns);
		}
	}
}

/* The columns of the terminal that a column takes, with the gap before it. least: if it is cut. */
static int room_of(const struct table *table, size_t column, bool least)
{
	int width = table->widths[column], cut = table->columns[column].cut;

	return (least && cut && cut < width ? cut : width) + table->marks[column] +
	       (column ? GAP : 0);
}

/* Gives the columns that may be cut the room that is left. */
static void cut_columns(struct table *table, int room)
{
	for (size_t i = 0; i < table->column_count; i++) {
		int *width = &table->widths[i], cut = table->columns[i].cut;
		if (*width < 0 || !cut || cut >= *width)
			continue;
		int more = *width - cut < room ? *width - cut : room;
		*width = cut + more;
		room -= more;
	}
}

/* Columns without a width are left out. */
static void choose_columns(struct table *table)
{
	const bool all = !table->style.width;
	int room = table->style.width - table->indent, least_room = room;

	for (int priority = 0; priority <= TABLE_LAST_PRIORITY; priority++)
		for (size_t i = 0; i < table->column_count; i++) {
			bool essential = priority <= TABLE_ESSENTIAL;
			int least = room_of(table, i, true), whole = room_of(table, i, !essential);
			if (table->columns[i].priority != priority)
				continue;
			if (table->columns[i].absent ||
				(!all && priority && least > (essential ? least_room : room))) {
				table->widths[i] = -1;
				continue;
			}
			least_room -= least;
			room -= whole;
		}
	if (!all)
		cut_columns(table, larger(least_room, 0));
}

/* ---- Terminal: lines ----------------------------------------------------------------------- */

/* Copies a text that is too wide. The part in parentheses is left out, or the text is cut. */
static void cut_text(const char *text, int width, char *ret_text, size_t size)
{
	const char *part = strstr(text, " (");

	snprintf(ret_text, size, "%.*s", part ? (int)(part - text) : 0, text);
	if (!part || wrap_columns(ret_text) > width)
		wrap_cut(text, width, ret_text, size);
}

static void put_cell(const struct table *table, FILE *out, size_t column,
	const struct table_cell *cell, int *spilled)
{
	const struct table_column *of = &table->columns[column];
	int width = table->widths[column];
	char cut[512];
	const char *text = cell->text;

	if (of->cut && !cell->span && table->style.width && wrap_columns(text) > width) {
		cut_text(text, width, cut, sizeof cut);
		text = cut;
	}
	int used = wrap_columns(text), gap = column ? GAP : 0;
	/* A text that is too wide uses the blanks before the next column. */
	fprintf(out, "%*s", gap > *spilled ? gap - *spilled : 0, "");
	fputs(style_code(table->style.colour, cell->style), out);
	format_put_padded(out, text, of->align == TABLE_RIGHT && !cell->span ? -width : width);
	format_put_padded(out, cell->marks, table->marks[column]);
	if (cell->style != STYLE_PLAIN)
		fputs(style_code(table->style.colour, STYLE_PLAIN), out);
	*spilled = larger(used - width, 0) +
		   larger((int)strlen(cell->marks) - table->marks[column], 0);
}

/* A first cell that is too wide has a line of its own. */
static bool put_label(const struct table *table, FILE *out, const struct table_row *row)
{
	bool wide = row->count && table->style.width &&
		    wrap_columns(row->cells[0].text) > table->widths[0];

	if (wide)
		fprintf(out, "%*s%s\n", table->indent, "", row->cells[0].text);
	return wide;
}

static void put_row(const struct table *table, FILE *out, const struct table_row *row)
{
	static const struct table_row empty;
	int spilled = 0;

	if (row->style != STYLE_PLAIN)
		fputs(style_code(table->style.colour, row->style), out);
	bool labelled = put_label(table, out, row);
	fprintf(out, "%*s", table->indent, "");
	for (size_t i = 0; i < table->column_count; i++) {
		const struct table_cell *cell = cell_at(row, i);
		if (table->widths[i] >= 0 || cell->span)
			put_cell(table, out, i, i == 0 && labelled ? cell_at(&empty, 0) : cell,
				&spilled);
		if (cell->span)
			break;
	}
	if (row->style != STYLE_PLAIN)
		fputs(style_code(table->style.colour, STYLE_PLAIN), out);
	fputc('\n', out);
	if (row->below)
		fprintf(out, "%*s%s\n", table->indent + 4, "", row->below);
}

static void put_titles(const struct table *table, FILE *out)
{
	int spilled = 0;

	fprintf(out, "%s%*s", style_code(table->style.colour, STYLE_BOLD), table->indent, "");
	for (size_t i = 0; i < table->column_count; i++) {
		const struct table_cell title = {
			.text = (char *)(uintptr_t)table->columns[i].title};
		if (table->widths[i] >= 0)
			put_cell(table, out, i, &title, &spilled);
	}
	fprintf(out, "%s\n", style_code(table->style.colour, STYLE_PLAIN));
}

void table_begin(struct table *table, FILE *out, const struct page_style *style)
{
	table->out = out;
	table->style = *style;
	free(table->widths);
	free(table->marks);
	table->widths = calloc(table->column_count + 1, sizeof *table->widths);
	table->marks = calloc(table->column_count + 1, sizeof *table->marks);
	table->failed |= !table->widths || !table->marks;
	if (table->failed)
		return;
	measure(table);
	choose_columns(table);
}

void table_flush(struct table *table)
{
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, table->out, table->style.width);

	if (!has_failed(table, out)) {
		if (!table->untitled)
			(table->style.markdown ? put_markdown_titles : put_titles)(table, out);
		table->untitled = true;
		for (size_t r = 0; r < table->row_count; r++)
			(table->style.markdown ? put_markdown_row : put_row)(
				table, out, &table->rows[r]);
	}
	wrap_end(&wrap);
	table_drop_rows(table);
}

void table_end(struct table *table)
{
	struct wrap wrap;
	const char *separator = "columns left out: ";

	table_flush(table);
	FILE *out = wrap_begin(&wrap, table->out, table->style.width);
	for (size_t i = 0; i < table->column_count && !table->failed; i++) {
		if (table->columns[i].absent || table->widths[i] >= 0)
			continue;
		fprintf(out, "%s%s", separator, table->columns[i].title);
		separator = ", ";
	}
	fputs(*separator == ',' ? "\n" : "", out);
	wrap_end(&wrap);
}

void table_put(struct table *table, FILE *out, const struct page_style *style)
{
	table_begin(table, out, style);
	table_end(table);
}

/* ---- CSV ----------------------------------------------------------------------------------- */

static void put_csv_text(FILE *out, const char *text)
{
	bool quoted = strpbrk(text, ",\"\r\n") != NULL;

	fputs(quoted ? "\"" : "", out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputs(quoted ? "\"" : "", out);
}

static const char *key_of(const struct table_column *column)
{
	return column->key ? column->key : column->title;
}

static void put_csv_row(const struct table *table, FILE *out, const struct table_row *row)
{
	const char *separator = "";

	for (size_t i = 0; i < table->column_count; i++) {
		const struct table_cell *cell = row ? cell_at(row, i) : NULL;
		if (table->columns[i].absent)
			continue;
		fputs(separator, out);
		if (cell && isfinite(cell->value))
			fprintf(out, "%.9g", cell->value);
		else
			put_csv_text(out, cell ? cell->text : key_of(&table->columns[i]));
		separator = ",";
	}
	fputc('\n', out);
}

void table_put_csv(const struct table *table, FILE *out)
{
	if (has_failed(table, out))
		return;
	put_csv_row(table, out, NULL);
	for (size_t r = 0; r < table->row_count; r++)
		put_csv_row(table, out, &table->rows[r]);
}

/* ---- HTML ---------------------------------------------------------------------------------- */

static const char *class_of(const struct table_column *column)
{
	return column->align == TABLE_RIGHT ? " class=\"number\"" : "";
}

static void put_html_cell(FILE *out, const struct table_column *column,
	const struct table_cell *cell, bool heading, size_t span, const char *link)
{
	fprintf(out, "<%s%s", heading ? "th scope=\"row\"" : "td", class_of(column));
	if (isfinite(cell->value))
		fprintf(out, " data-value=\"%.9g\"", cell->value);
	if (span > 1)
		fprintf(out, " colspan=\"%zu\"", span);
	html_markup(out, ">");
	if (*link)
		html_format(out, "<a href=\"#%s\">", link);
	html_format(out, isfinite(cell->value) ? "%s" : "<bdi>%.200s</bdi>", cell->text);
	html_text(out, cell->marks);
	html_markup(out, *link ? "</a>" : "");
	html_markup(out, heading ? "</th>" : "</td>");
}

static void put_html_row(const struct table *table, FILE *out, const struct table_row *row)
{
	size_t left = 0;

	for (size_t i = 0; i < table->column_count; i++)
		left += !table->columns[i].absent;
	html_format(out, *row->id ? "<tr id=\"%s\">" : "<tr>%s", row->id);
	for (size_t i = 0; i < table->column_count && left; i++) {
		const struct table_cell *cell = cell_at(row, i);
		if (table->columns[i].absent)
			continue;
		put_html_cell(out, &table->columns[i], cell, i == 0, cell->span ? left : 1,
			i == 0 ? row->id : "");
		left = cell->span ? 0 : left - 1;
	}
	html_markup(out, "</tr>\n");
}

void table_put_html(const struct table *table, FILE *out, const char *caption)
{
	if (has_failed(table, out))
		return;
	html_format(out,
		"<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"%.300s\">"
		"<table><caption>%.300s</caption>\n<thead><tr>",
		caption, caption);
	for (size_t i = 0; i < table->column_count; i++) {
		const struct table_column *column = &table->columns[i];
		if (column->absent)
			continue;
		fprintf(out, "<th scope=\"col\"%s", class_of(column));
		html_format(out, " data-key=\"%.300s\"", key_of(column));
		if (column->unit)
			html_format(out, " data-unit=\"%s\"", column->unit);
		html_format(out, ">%.300s</th>", column->title);
	}
	html_markup(out, "</tr></thead>\n<tbody>\n");
	for (size_t r = 0; r < table->row_count; r++)
		put_html_row(table, out, &table->rows[r]);
	html_markup(out, "</tbody></table></div>\n");
}
