#include "host/report/compare_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/report/compare_shipped.h"
#include "host/report/compare_summary.h"
#include "host/report/format.h"

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
	put_padded(out, side->name, width);
	fputs("  ", out);
	put_texts(out, &side->backends, "no backend");
	fputs(", driver ", out);
	put_texts(out, &side->drivers, "unknown");
	fputs("; ", out);
	put_days(out, &side->started_utc);
	fprintf(out, ", %zu file%s, %lld timed rows", side->files.count,
		side->files.count == 1 ? "" : "s", (long long)side->rows);
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

/* The first line says what is compared. */
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
	for (size_t i = 0; i < sides->count; i++)
		width = (int)fmax(width, (double)strlen(sides->items[i].name));
	for (size_t i = 0; i < sides->count; i++) {
		char letter[COMPARE_LETTER_BYTES];
		compare_letter(i, sides->count, letter);
		put_side(out, &sides->items[i], letter, width);
	}
	fprintf(out,
		document->per_roof
			? "ratio: share of the roof, base / new: above 1 is slower for its roofs\n"
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
	put_padded(out, word_text(verdict_words, cell->verdict), width);
	fputs(style_code(colour, STYLE_PLAIN), out);
}

/* A wider interval says less than the order of magnitude of the ratio. */
#define WIDEST 10

static bool is_interval_known(const struct cell_record *cell)
{
	return cell->ci95[0] >= cell->ratio / WIDEST && cell->ci95[1] <= cell->ratio * WIDEST;
}

/* ---- Two sides ------------------------------------------------------------------------------- */

#define PAIR_RATIO 9
#define PAIR_INTERVAL 21

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

static void pair_title(FILE *out, const struct comparison_document *document, int width)
{
	(void)document;
	put_padded(out, "variant", width);
	fputs("       base        new    ratio  ", out);
	put_padded(out, "95 %", PAIR_INTERVAL);
	fputs("verdict\n", out);
}

static void pair_row(FILE *out, const struct comparison_document *document,
	const struct comparison_row *row, const char *label, int width, bool colour)
{
	const struct cell_record *base = &row->cells.items[0], *cell = &row->cells.items[1];
	char text[64];

	put_padded(out, label, width);
	cell_time(document, base, text, sizeof text);
	put_padded(out, text, -11);
	cell_time(document, cell, text, sizeof text);
	put_padded(out, text, -11);
	if (cell->ratio > 0) {
		format_ratio(cell->ratio, text, sizeof text);
		put_padded(out, text, -PAIR_RATIO);
		fputs("  ", out);
		format_interval(cell, text, sizeof text);
		put_padded(out, text, PAIR_INTERVAL);
	} else {
		put_padded(out, "", PAIR_RATIO + 2 + PAIR_INTERVAL);
	}
	put_verdict(out, cell, 0, colour);
	if (cell->reason && *cell->reason)
		fprintf(out, "  %s", cell->reason);
	fputc('\n', out);
}

/* ---- A matrix -------------------------------------------------------------------------------- */

#define MATRIX_TIME 10
#define MATRIX_RATIO 17
#define MATRIX_VERDICT 8

static void matrix_title(FILE *out, const struct comparison_document *document, int width)
{
	put_padded(out, "variant", width);
	for (size_t i = 0; i < document->sides.count; i++) {
		char letter[COMPARE_LETTER_BYTES];
		compare_letter(i, document->sides.count, letter);
		put_padded(out, letter, -MATRIX_TIME);
		if (i)
			put_padded(out, "", MATRIX_RATIO + MATRIX_VERDICT);
	}
	fputc('\n', out);
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

static void matrix_row(FILE *out, const struct comparison_document *document,
	const struct comparison_row *row, const char *label, int width, bool colour)
{
	char text[64];

	put_padded(out, label, width);
	for (size_t i = 0; i < row->cells.count; i++) {
		const struct cell_record *cell = &row->cells.items[i];
		cell_time(document, cell, text, sizeof text);
		put_padded(out, text, -MATRIX_TIME);
		if (i == 0)
			continue;
		*text = '\0';
		if (cell->ratio > 0)
			format_cell_ratio(cell, text, sizeof text);
		put_padded(out, text, MATRIX_RATIO);
		put_verdict(out, cell, i + 1 < row->cells.count ? MATRIX_VERDICT : 0, colour);
	}
	fputc('\n', out);
}

/* ---- Table ----------------------------------------------------------------------------------- */

static const struct layout {
	void (*title)(FILE *out, const struct comparison_document *document, int width);
	void (*row)(FILE *out, const struct comparison_document *document,
		const struct comparison_row *row, const char *label, int width, bool colour);
} layouts[] = {{pair_title, pair_row}, {matrix_title, matrix_row}};

/* "tiled16", with the macros' values where rows of the section have the same variant. */
static void label_of(const struct comparison_row *row, bool with_macros, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "%s", text_or_empty(row->variant));

	for (size_t i = 0; with_macros && i < row->macros.count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, " %s=%lld",
			row->macros.items[i].name, (long long)row->macros.items[i].value);
}

/* Why cells of a matrix have no verdict about times. */
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

/* Rows of one section, in their order; rows that no side has timed are left out. */
static void put_section(FILE *out, const struct comparison_document *document,
	const struct comparison_row **rows, size_t count, bool colour)
{
	const struct layout *layout = &layouts[document->sides.count > 2];
	char *problem = comparison_row_problem(rows[0]);
	bool repeated = false;
	int width = 8;
	char label[160];

	for (size_t i = 1; i < count; i++)
		repeated |= text_equal(rows[i]->variant, rows[i - 1]->variant);
	for (size_t i = 0; i < count; i++) {
		label_of(rows[i], repeated, label, sizeof label);
		width = (int)fmax(width, (double)strlen(label) + 1);
	}
	fprintf(out, "\n%s%s  %s%s\n", style_code(colour, STYLE_BOLD),
		text_or_empty(rows[0]->family), problem ? problem : "",
		style_code(colour, STYLE_PLAIN));
	layout->title(out, document, width);
	for (size_t i = 0; i < count; i++) {
		label_of(rows[i], repeated, label, sizeof label);
		layout->row(out, document, rows[i], label, width, colour);
	}
	if (document->sides.count > 2)
		put_notes(out, document, rows, count);
	free(problem);
}

static void put_table(FILE *out, const struct comparison_document *document, bool colour)
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
			put_section(out, document, rows, count, colour);
	}
	comparison_sections_finish(&sections);
	free(rows);
}

void compare_text_put(FILE *out, const struct comparison_document *document, bool colour)
{
	put_head(out, document);
	put_table(out, document, colour);
	compare_shipped_put(out, document);
	compare_summary_put(out, document, colour);
}
