#include "host/report/compare_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/compare/compare.h"
#include "host/report/compare_shipped.h"
#include "host/report/compare_summary.h"
#include "host/report/flag_marks.h"
#include "host/report/format.h"
#include "host/report/wrap.h"

/* ---- Head ------------------------------------------------------------------------------------ */

static void put_texts(FILE *out, const struct text_list *list, const char *none)
{
	for (size_t i = 0; i < list->count; i++)
		fprintf(out, "%s%s", i ? "; " : "", list->items[i]);
	if (list->count == 0)
		fputs(none, out);
}

/* "2026-11-22", or the first and the last day. */
static void put_days(FILE *out, const struct text_list *started)
{
	const char *first = started->count ? started->items[0] : "";
	const char *last = first;

	for (size_t i = 1; i < started->count; i++) {
		if (strcmp(started->items[i], first) < 0)
			first = started->items[i];
		if (strcmp(started->items[i], last) > 0)
			last = started->items[i];
	}
	fprintf(out, "%.10s", first);
	if (strncmp(first, last, 10) != 0)
		fprintf(out, " to %.10s", last);
}

static void put_side(FILE *out, const struct side_record *side, const char *letter, int width)
{
	const struct noise_floor floor = noise_floor_default(side->type);

	fprintf(out, "  %-5s", letter);
	format_put_padded(out, side->name, width);
	fputs("  ", out);
	put_texts(out, &side->backends, "no backend");
	fputs(", driver ", out);
	put_texts(out, &side->drivers, "unknown");
	fputs("; ", out);
	put_days(out, &side->started_utc);
	fprintf(out, ", %zu file%s, %lld timed row%s", side->files.count,
		side->files.count == 1 ? "" : "s", (long long)side->rows,
		side->rows == 1 ? "" : "s");
	bool is_default = false;
	for (size_t i = 0; i < side->noise.count; i++) {
		bool this_default = strcmp(side->noise.items[i], "default") == 0;
		is_default |= this_default;
		fprintf(out, "%s%s", i ? ", " : "; floor of noise ", side->noise.items[i]);
	}
	if (is_default)
		fprintf(out, " (%g %%, %s)", 100 * floor.sd,
			text_equal(side->type, "gpu") ? "GPU" : "CPU");
	if (side->raised)
		fprintf(out, ", raised to %.2g %% in %lld rows by the spread of its runs",
			100 * side->spread_sd, (long long)side->raised);
	if (side->doubled)
		fprintf(out, "; %lld rows left out: their run is in two files",
			(long long)side->doubled);
	fputc('\n', out);
}

/* Names that are longer than this do not widen the column of names. */
#define NAME_MAX_COLUMNS 32

/* The first line names the compared field and the sides. */
static void put_head(FILE *out, const struct comparison_document *document)
{
	const struct side_list *sides = &document->sides;
	int width = 0;

	fputs("compare by ", out);
	for (size_t i = 0; i < document->by.count; i++)
		fprintf(out, "%s%s", i ? " and " : "", document->by.items[i]);
	fprintf(out, ": %s (base)", sides->items[0].name);
	for (size_t i = 1; i < sides->count; i++)
		fprintf(out, ", %s", sides->items[i].name);
	fputc('\n', out);
	for (size_t i = 0; i < sides->count; i++) {
		int columns = wrap_columns(sides->items[i].name);
		width = columns > width && columns <= NAME_MAX_COLUMNS ? columns : width;
	}
	for (size_t i = 0; i < sides->count; i++) {
		char letter[COMPARE_LETTER_BYTES];
		compare_letter(i, sides->count, letter);
		put_side(out, &sides->items[i], letter, width);
		if (sides->items[i].load)
			fprintf(out, "        %s\n", sides->items[i].load);
	}
	fprintf(out,
		document->per_roof
			? "ratio: roof share of base / roof share of new; above 1: new uses its roofs "
			  "less\n"
			: "ratio: time new / time base: above 1 is slower\n");
}

/* ---- Cells ----------------------------------------------------------------------------------- */

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

static void cell_time(const struct comparison_document *document, const struct cell_record *cell,
	char *text, size_t size)
{
	if (!(cell->median_ns > 0))
		snprintf(text, size, "-");
	else if (document->per_roof)
		format_percent(cell->pct_roof, text, size);
	else
		format_ns(cell->median_ns, text, size);
}

static void put_verdict(FILE *out, const struct cell_record *cell, int width, bool colour)
{
	fputs(style_code(colour, verdict_style(cell->verdict)), out);
	format_put_padded(out, word_text(verdict_words, cell->verdict), width);
	fputs(style_code(colour, STYLE_PLAIN), out);
}

/* An interval that is wider does not even give the order of magnitude of the ratio. */
#define INTERVAL_MAX_FACTOR 10

static bool is_interval_known(const struct cell_record *cell)
{
	return cell->ci95[0] >= cell->ratio / INTERVAL_MAX_FACTOR &&
	       cell->ci95[1] <= cell->ratio * INTERVAL_MAX_FACTOR;
}

/* How a section of the table is printed. */
struct table_layout {
	FILE *out;
	const struct comparison_document *document;
	bool colour;
	int width;          /* columns of the terminal; 0 = no limit */
	int label, marks;   /* columns of the labels, and of the marks after each time */
	int interval;       /* columns of the intervals of two sides */
	uint64_t present;   /* bit i: side i has a row of the section */
	uint64_t shown;     /* sides of this part of a matrix */
	size_t first, last; /* range of the sides, without the base, that this part may show */
};

#define GAP 2
#define TIME 8

static void put_time(const struct table_layout *layout, const struct cell_record *cell, int width)
{
	char marks[FLAG_MARKS_BYTES], text[64];

	cell_time(layout->document, cell, text, sizeof text);
	format_put_padded(layout->out, text, -width);
	flag_marks_format(flag_marks_of_cell(cell), marks);
	format_put_padded(layout->out, marks, layout->marks);
}

/* ---- Two sides ------------------------------------------------------------------------------- */

#define PAIR_TIME (3 + TIME)
#define PAIR_RATIO 9
#define PAIR_INTERVAL 21
#define PAIR_SHORT_INTERVAL 16 /* "[0.981, 0.995]" */
#define PAIR_VERDICT 7

/* "[0.981, 0.995]" */
static void format_interval(const struct cell_record *cell, char *text, size_t size)
{
	char low[24], high[24];

	format_ratio(cell->ci95[0], low, sizeof low);
	format_ratio(cell->ci95[1], high, sizeof high);
	if (is_interval_known(cell))
		snprintf(text, size, "[%s, %s]", low, high);
	else
		snprintf(text, size, "unknown");
}

static void pair_begin(struct table_layout *layout)
{
	int used = layout->label + 2 * (PAIR_TIME + layout->marks) + PAIR_RATIO + GAP +
		   PAIR_INTERVAL + PAIR_VERDICT;

	layout->shown = 1 << 1;
	layout->interval =
		layout->width && used > layout->width ? PAIR_SHORT_INTERVAL : PAIR_INTERVAL;
}

static void pair_title(const struct table_layout *layout)
{
	format_put_padded(layout->out, "variant", layout->label);
	format_put_padded(layout->out, "base", -PAIR_TIME);
	format_put_padded(layout->out, "new", -(PAIR_TIME + layout->marks));
	format_put_padded(layout->out, "ratio", -(PAIR_RATIO + layout->marks));
	fprintf(layout->out, "%*s", GAP, "");
	format_put_padded(layout->out, "95 %", layout->interval);
	fputs("verdict\n", layout->out);
}

static void pair_row(
	const struct table_layout *layout, const struct comparison_row *row, const char *label)
{
	const struct cell_record *cell = &row->cells.items[1];
	FILE *out = layout->out;
	char text[64];

	format_put_padded(out, label, layout->label);
	put_time(layout, &row->cells.items[0], PAIR_TIME);
	put_time(layout, cell, PAIR_TIME);
	if (cell->ratio > 0) {
		format_ratio(cell->ratio, text, sizeof text);
		format_put_padded(out, text, -PAIR_RATIO);
		fprintf(out, "%*s", GAP, "");
		format_interval(cell, text, sizeof text);
		format_put_padded(out, text, layout->interval);
	} else {
		format_put_padded(out, "", PAIR_RATIO + GAP + layout->interval);
	}
	put_verdict(out, cell, 0, layout->colour);
	if (cell->reason && *cell->reason)
		fprintf(out, "  %s", cell->reason);
	fputc('\n', out);
}

/* ---- A matrix -------------------------------------------------------------------------------- */

#define MATRIX_TIME (GAP + TIME)
#define MATRIX_RATIO 17
#define MATRIX_VERDICT 8

/* Chooses the sides of this part: those from `first` on that fit in the line after the base, at
 * least one. A limited width leaves out sides without rows in the section. */
static void matrix_begin(struct table_layout *layout)
{
	int side = MATRIX_TIME + layout->marks + MATRIX_RATIO + MATRIX_VERDICT;
	int room = layout->width - layout->label - MATRIX_TIME - layout->marks;
	size_t count = layout->document->sides.count;
	size_t fit = room / side > 1 ? (size_t)(room / side) : 1;

	layout->shown = 0;
	for (size_t i = layout->first; i < count; i++) {
		if (layout->width && !(layout->present >> i & 1))
			continue;
		if (layout->width && fit-- == 0)
			return;
		layout->shown |= UINT64_C(1) << i;
		layout->last = i;
	}
	layout->last = count - 1;
}

/* Whether the part of the matrix shows a side. The base is in each part. */
static bool matrix_has(const struct table_layout *layout, size_t side)
{
	return side == 0 || layout->shown >> side & 1;
}

/* Whether the part shows another side after this one. */
static bool matrix_has_more(const struct table_layout *layout, size_t side)
{
	return layout->shown >> side > 1;
}

static void matrix_title(const struct table_layout *layout)
{
	size_t count = layout->document->sides.count;

	format_put_padded(layout->out, "variant", layout->label);
	for (size_t i = 0; i < count; i++) {
		char letter[COMPARE_LETTER_BYTES];
		if (!matrix_has(layout, i))
			continue;
		compare_letter(i, count, letter);
		format_put_padded(layout->out, letter, -MATRIX_TIME);
		if (matrix_has_more(layout, i))
			format_put_padded(layout->out, "",
				layout->marks + (i ? MATRIX_RATIO + MATRIX_VERDICT : 0));
	}
	fputc('\n', layout->out);
}

/* " 0.988 ±0.6%": the ratio, and half of the interval with 95 %. */
static void format_cell_ratio(const struct cell_record *cell, char *text, size_t size)
{
	char ratio[24], half[24];

	format_ratio(cell->ratio, ratio, sizeof ratio);
	format_percent(50 * (cell->ci95[1] - cell->ci95[0]) / cell->ratio, half, sizeof half);
	if (is_interval_known(cell))
		snprintf(text, size, " %6s ±%s", ratio, half);
	else
		snprintf(text, size, " %6s unknown", ratio);
}

static void matrix_row(
	const struct table_layout *layout, const struct comparison_row *row, const char *label)
{
	char text[64];

	format_put_padded(layout->out, label, layout->label);
	for (size_t i = 0; i < row->cells.count; i++) {
		const struct cell_record *cell = &row->cells.items[i];
		if (!matrix_has(layout, i))
			continue;
		put_time(layout, cell, MATRIX_TIME);
		if (i == 0)
			continue;
		*text = '\0';
		if (cell->ratio > 0)
			format_cell_ratio(cell, text, sizeof text);
		format_put_padded(layout->out, text, MATRIX_RATIO);
		put_verdict(layout->out, cell, matrix_has_more(layout, i) ? MATRIX_VERDICT : 0,
			layout->colour);
	}
	fputc('\n', layout->out);
}

/* ---- Table ----------------------------------------------------------------------------------- */

static const struct form {
	void (*begin)(struct table_layout *layout);
	void (*title)(const struct table_layout *layout);
	void (*row)(const struct table_layout *layout, const struct comparison_row *row,
		const char *label);
} forms[] = {{pair_begin, pair_title, pair_row}, {matrix_begin, matrix_title, matrix_row}};

/* "tiled16", with the values of the macros if the section has several rows of a variant. */
static void label_of(const struct comparison_row *row, bool with_macros, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "%s", text_or_empty(row->variant));

	for (size_t i = 0; with_macros && i < row->macros.count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, " %s=%lld",
			row->macros.items[i].name, (long long)row->macros.items[i].value);
}

/* Prints the reasons why cells of a matrix have no comparison of times. */
static void put_notes(FILE *out, const struct comparison_document *document,
	const struct comparison_row **rows, size_t count)
{
	for (size_t r = 0; r < count; r++)
		for (size_t i = 1; i < rows[r]->cells.count; i++) {
			const struct cell_record *cell = &rows[r]->cells.items[i];
			char letter[COMPARE_LETTER_BYTES];
			if (!cell->reason || !*cell->reason || cell->verdict < 0 ||
				compare_cell_is_other_size(document, cell))
				continue;
			compare_letter(i, document->sides.count, letter);
			fprintf(out, "  %s, %s: %s\n", text_or_empty(rows[r]->variant), letter,
				cell->reason);
		}
}

/* The largest number of marks of a time in these rows. */
static int marks_of(const struct comparison_row **rows, size_t count)
{
	char marks[FLAG_MARKS_BYTES];
	int most = 0;

	for (size_t r = 0; r < count; r++)
		for (size_t i = 0; i < rows[r]->cells.count; i++) {
			const struct cell_record *cell = &rows[r]->cells.items[i];
			flag_marks_format(flag_marks_of_cell(cell), marks);
			most = (int)strlen(marks) > most ? (int)strlen(marks) : most;
		}
	return most;
}

/* Bit i: side i has one of the rows. */
static uint64_t sides_of(const struct comparison_row **rows, size_t count)
{
	uint64_t sides = 0;

	for (size_t r = 0; r < count; r++)
		for (size_t i = 0; i < rows[r]->cells.count; i++)
			if (rows[r]->cells.items[i].status != WORD_NULL)
				sides |= UINT64_C(1) << i;
	return sides;
}

_Static_assert(COMPARE_MAX_SIDES <= 64, "a bit for each side");

/* Prints the columns of a section. A matrix that is wider than the terminal has several parts. */
static void put_parts(struct table_layout *layout, const struct comparison_row **rows, size_t count,
	bool repeated)
{
	size_t sides = layout->document->sides.count;
	const struct form *form = &forms[sides > 2];
	char label[160];

	for (layout->first = 1; layout->first < sides; layout->first = layout->last + 1) {
		layout->last = sides - 1;
		form->begin(layout);
		if (layout->shown)
			form->title(layout);
		for (size_t i = 0; i < count && layout->shown; i++) {
			label_of(rows[i], repeated, label, sizeof label);
			form->row(layout, rows[i], label);
		}
	}
}

/* Prints the rows of one section in the given order. All of them are shown rows. */
static void put_section(FILE *out, const struct comparison_document *document,
	const struct comparison_row **rows, size_t count, const struct page_style *style)
{
	struct table_layout layout = {.out = out,
		.document = document,
		.colour = style->colour,
		.width = style->width,
		.label = 8,
		.marks = marks_of(rows, count),
		.present = sides_of(rows, count)};
	char *problem = comparison_row_problem(rows[0]);
	bool repeated = false;
	char label[160];

	for (size_t i = 1; i < count; i++)
		repeated |= text_equal(rows[i]->variant, rows[i - 1]->variant);
	for (size_t i = 0; i < count; i++) {
		label_of(rows[i], repeated, label, sizeof label);
		layout.label = (int)fmax(layout.label, (double)strlen(label) + 1);
	}
	fprintf(out, "\n%s%s  %s%s\n", style_code(style->colour, STYLE_BOLD),
		text_or_empty(rows[0]->family), problem ? problem : "",
		style_code(style->colour, STYLE_PLAIN));
	put_parts(&layout, rows, count, repeated);
	if (document->sides.count > 2)
		put_notes(out, document, rows, count);
	free(problem);
}

static void put_table(
	FILE *out, const struct comparison_document *document, const struct page_style *style)
{
	struct comparison_sections sections = comparison_sections_make(document);
	const struct comparison_row **rows = calloc(document->rows.count + 1, sizeof *rows);

	for (size_t s = 0; rows && s < sections.count; s++) {
		size_t count = 0;
		for (size_t i = sections.starts[s]; i < sections.starts[s + 1]; i++) {
			const struct comparison_row *row = &document->rows.items[sections.order[i]];
			if (compare_row_is_shown(document, row))
				rows[count++] = row;
		}
		if (count && !compare_is_other_size(document, rows, count))
			put_section(out, document, rows, count, style);
	}
	comparison_sections_finish(&sections);
	free(rows);
}

/* The flags of all times in the table. */
static unsigned flags_of(const struct comparison_document *document)
{
	unsigned flags = 0;

	for (size_t r = 0; r < document->rows.count; r++) {
		const struct comparison_row *row = &document->rows.items[r];
		for (size_t i = 0; i < row->cells.count && compare_row_is_shown(document, row); i++)
			flags |= flag_marks_of_cell(&row->cells.items[i]);
	}
	return flags;
}

static size_t count_verdict(const struct comparison_document *document, enum verdict verdict)
{
	size_t count = 0;

	for (size_t r = 0; r < document->rows.count; r++) {
		const struct comparison_row *row = &document->rows.items[r];
		for (size_t i = 1; i < row->cells.count; i++)
			count += row->cells.items[i].verdict == (int)verdict;
	}
	return count;
}

static void put_hints(FILE *out, const struct comparison_document *document)
{
	size_t ambiguous = count_verdict(document, VERDICT_AMBG);
	size_t compared = ambiguous + count_verdict(document, VERDICT_SAME) +
			  count_verdict(document, VERDICT_FAST) +
			  count_verdict(document, VERDICT_SLOW);

	if (ambiguous)
		fputs("  AMBG ambiguous: the interval of the ratio contains a limit of SAME, FAST or "
		      "SLOW. The interval includes the floors of noise of both sides. Run with "
		      "--repeat, or measure the floors with compare --aa\n",
			out);
	if (!compared && document->rows.count)
		fputs("nothing was compared: no row has comparable times on two sides\n", out);
}

void compare_text_put(
	FILE *out, const struct comparison_document *document, const struct page_style *style)
{
	struct wrap wrap;
	FILE *lines = wrap_begin(&wrap, out, style->width);

	put_head(lines, document);
	put_table(lines, document, style);
	flag_marks_legend(lines, flags_of(document));
	put_hints(lines, document);
	compare_shipped_put(lines, document);
	compare_summary_put(lines, document, style->colour);
	wrap_end(&wrap);
}
