#include "host/report/compare_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/family.h"
#include "common/model/noise_floor.h"
#include "common/text.h"
#include "host/compare/compare.h"
#include "host/report/export.h"
#include "host/report/flag_marks.h"
#include "host/report/table.h"
#include "host/report/wrap.h"

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

static const struct table_column row_columns[] = {
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

	table_init(table, row_columns, ARRAY_COUNT(row_columns));
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

static const struct page_style markdown_style = {.markdown = true};

static void put_markdown(FILE *out, const struct section *section, const char *problem)
{
	struct table table;

	fputs("\n**", out);
	markdown_text(out, text_or_empty(section->rows[0]->family));
	fputs("** ", out);
	markdown_text(out, problem);
	fputs("\n\n", out);
	section_table(section, &table);
	table_put(&table, out, &markdown_style);
	table_finish(&table);
}

/* Returns the index after the last row of the section of row `first`. A section has the rows of one family
 * and problem. */
static size_t section_end(const struct comparison_document *document, size_t first)
{
	const struct comparison_row_list *rows = &document->rows;
	size_t end = first + 1;

	while (end < rows->count && rows->items[end].section == rows->items[first].section)
		end++;
	return end;
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
		end = section_end(document, first);
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

/* Prints the tables of the shown rows, and the meanings of their marks. style: of a terminal; NULL:
 * Markdown, with all rows. With more than two sides, a row has a line for each side that has the row.
 * Tables without a row that a shipped device has at this size are left out. */
static void put_tables(
	FILE *out, const struct comparison_document *document, const struct page_style *style)
{
	unsigned flags = put_sections(out, document, style);

	if (style)
		flag_marks_put(out, "  ", flags, "\n");
	else
		flag_marks_markdown(out, flags);
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/* ---- The answer ------------------------------------------------------------------------------ */

/* "2.8", "105": two decimals at most, no exponent. */
static void put_factor(FILE *out, const char *before, double factor)
{
	char text[32];

	format_number(factor, text, sizeof text);
	if (factor < 10)
		snprintf(text, sizeof text, "%.3g", factor);
	fprintf(out, "%s%s", before, text);
}

/* "new is 2.8 x faster: geometric mean of 45 rows that both have; 1.1 to 9.4" */
static void put_answer(FILE *out, const struct comparison_document *document,
	const struct verdict_counts_record *counts)
{
	const struct side_record *sides = document->sides.items;
	const char *base = sides[0].letter;
	bool slower = counts->mean_ratio > 1;
	double factor = slower ? counts->mean_ratio : 1 / counts->mean_ratio;
	double low = INFINITY, high = 0;
	size_t shared = 0;

	fputs(sides[counts->side].letter, out);
	if (!(counts->mean_ratio > 0)) {
		fprintf(out, " has no row with a time that is comparable with %s\n", base);
		return;
	}
	for (size_t r = 0; r < document->rows.count; r++) {
		const struct comparison_row *row = &document->rows.items[r];
		double ratio = row->cells.items[counts->side].ratio;
		if (row->peer || !(ratio > 0))
			continue;
		shared++;
		low = fmin(low, slower ? ratio : 1 / ratio);
		high = fmax(high, slower ? ratio : 1 / ratio);
	}
	if (factor < 1.005) {
		fprintf(out, " is as fast as %s", base);
	} else {
		put_factor(out, " is ", factor);
		fprintf(out, " x %s%s%s", slower ? "slower" : "faster",
			document->sides.count > 2 ? " than " : "",
			document->sides.count > 2 ? base : "");
	}
	fprintf(out, ": geometric mean of %zu row%s that both have", shared, plural(shared));
	put_factor(out, "; ", low);
	put_factor(out, " to ", high);
	fputc('\n', out);
}

static void put_answers(FILE *out, const struct comparison_document *document)
{
	bool compared = false;

	for (size_t i = 0; i < document->counts.count; i++)
		compared |= document->counts.items[i].mean_ratio > 0;
	if (!compared)
		fputs("nothing was compared: no row has comparable times on two sides\n", out);
	for (size_t i = 0; i < document->counts.count && compared; i++)
		put_answer(out, document, &document->counts.items[i]);
}

/* ---- Sides ----------------------------------------------------------------------------------- */

/* "2026-11-22", or the first and the last day. */
static void put_days(FILE *out, const struct text_list *started)
{
	const char *first = "", *last = "";

	for (size_t i = 0; i < started->count; i++) {
		const char *text = started->items[i];
		first = i == 0 || strcmp(text, first) < 0 ? text : first;
		last = strcmp(text, last) > 0 ? text : last;
	}
	fprintf(out, "%.10s", first);
	if (strncmp(first, last, 10) != 0)
		fprintf(out, " to %.10s", last);
}

static void put_texts(
	FILE *out, const struct text_list *list, const char *separator, const char *none)
{
	for (size_t i = 0; i < list->count; i++)
		fprintf(out, "%s%s", i ? separator : "", list->items[i]);
	if (list->count == 0)
		fputs(none, out);
}

static void put_side(FILE *out, const struct side_record *side)
{
	put_texts(out, &side->backends, "; ", "no backend");
	fputs(", driver ", out);
	put_texts(out, &side->drivers, "; ", "unknown");
	fputs("; ", out);
	put_days(out, &side->started_utc);
	fprintf(out, ", %zu file%s, %lld timed row%s", side->files.count, plural(side->files.count),
		(long long)side->rows, plural((size_t)side->rows));
	if (side->rows)
		fprintf(out, "; floor of noise default (%g %%, %s)",
			100 * noise_floor_default(side->type).sd,
			text_equal(side->type, "gpu") ? "GPU" : "CPU");
	if (side->raised)
		fprintf(out, ", raised to %.2g %% in %lld rows by the spread of its runs",
			100 * side->spread_sd, (long long)side->raised);
	if (side->interrupted)
		fputs("; interrupted: rows are missing", out);
	if (side->doubled)
		fprintf(out, "; %lld rows left out: their run is in two files",
			(long long)side->doubled);
}

static void sides_table(const struct comparison_document *document, struct table *table)
{
	static const struct table_column columns[] = {{.title = "side"},
		{.title = "name", .cut = 32}, {.title = "from", .align = TABLE_REST}};
	const struct side_list *sides = &document->sides;

	table_init(table, columns, ARRAY_COUNT(columns));
	table->indent = 2;
	table->untitled = true;
	for (size_t i = 0; i < sides->count; i++) {
		const struct side_record *side = &sides->items[i];
		char *text = NULL;
		size_t size;
		FILE *from = open_memstream(&text, &size);
		if (from) {
			put_side(from, side);
			fclose(from);
		}
		table_row(table, STYLE_PLAIN);
		table_text(table, side->letter);
		table_text(table, side->name);
		table_text(table, text);
		table_below(table, text_or_empty(side->load));
		free(text);
	}
}

/* The compared field, and the table of the sides. */
static void put_sides(
	FILE *out, const struct comparison_document *document, const struct page_style *style)
{
	struct table table;

	sides_table(document, &table);
	fputs("compare by ", out);
	put_texts(out, &document->by, " and ", "");
	for (size_t i = 0; i < document->sides.count; i++)
		fprintf(out, i ? ", %s" : ": %s (base)", document->sides.items[i].name);
	fputc('\n', out);
	table_put(&table, out, style);
	table_finish(&table);
	fputs("ratio: time new / time base: above 1 is slower\n", out);
}

/* ---- Hints ----------------------------------------------------------------------------------- */

#define WIDE 0.1 /* half of an interval / time */

/* Prints the number of wide intervals of a side. Returns whether there are any. */
static bool put_wide(FILE *out, const struct comparison_document *document, size_t side)
{
	size_t wide = 0, timed = 0;

	for (size_t r = 0; r < document->rows.count; r++) {
		const struct cell_record *cell = &document->rows.items[r].cells.items[side];
		timed += cell->median_ns > 0;
		wide += cell->ci95_ns[1] - cell->ci95_ns[0] > 2 * WIDE * cell->median_ns;
	}
	if (wide)
		fprintf(out,
			"  %s: the 95 %% intervals of %zu of %zu times are wider than ±10 %%\n",
			document->sides.items[side].letter, wide, timed);
	return wide > 0;
}

static void put_hints(FILE *out, const struct comparison_document *document)
{
	bool ambiguous = false, wide = false;

	for (size_t i = 0; i < document->counts.count; i++)
		ambiguous |= document->counts.items[i].ambg > 0;
	if (ambiguous)
		fputs("  AMBG ambiguous: the interval of the ratio contains a limit of SAME, FAST or "
		      "SLOW. The interval includes the floors of noise of both sides\n",
			out);
	for (size_t i = 0; i < document->sides.count; i++)
		wide |= put_wide(out, document, i);
	if (ambiguous || wide)
		fputs("  For narrower intervals, run with --repeat\n", out);
}

/* ---- Shipped devices ------------------------------------------------------------------------- */

/* Whether a side has times of these families that only shipped devices have. */
static bool has_more(
	const struct comparison_document *document, const struct text_list *names, size_t side)
{
	bool more = false;

	for (size_t r = 0; r < document->rows.count; r++) {
		const struct comparison_row *row = &document->rows.items[r];
		more |= !row->own && row->cells.items[side].median_ns > 0 &&
			text_list_has(names, row->family);
	}
	return more;
}

#define MAX_FAMILIES 4 /* in a command; more are "all" */

/* The rows that shipped devices have at other sizes only, and the commands that run these sizes. */
static void put_unlike(FILE *out, const struct comparison_document *document)
{
	const char *separator = "; to compare, run ";
	struct text_list names = {0};
	size_t rows = 0;

	for (size_t r = 0; r < document->rows.count; r++) {
		const struct comparison_row *row = &document->rows.items[r];
		rows += row->unlike;
		if (row->unlike && !text_list_has(&names, row->family))
			text_list_add(&names, row->family);
	}
	if (rows) {
		fprintf(out,
			"\nnot compared, because the shipped devices have other sizes: %zu row%s of ",
			rows, plural(rows));
		put_texts(out, &names, ", ", "");
	}
	for (size_t i = 0; i < document->sides.count && rows; i++) {
		const struct side_record *side = &document->sides.items[i];
		if (!side->shipped || !has_more(document, &names, i))
			continue;
		const char *name = path_name(side->files.items[0]);
		fprintf(out, "%s`pmpp-run ", separator);
		if (names.count > MAX_FAMILIES)
			fputs("all", out);
		else
			put_texts(out, &names, " ", "");
		fprintf(out, " --like=%.*s --json=FILE`", (int)strcspn(name, "."), name);
		if (document->sides.count > 2)
			fprintf(out, " (%s)", side->letter);
		separator = " or ";
	}
	fputs(rows ? "\n" : "", out);
	text_list_finish(&names);
}

static void put_left_out(FILE *out, const struct comparison_document *document)
{
	size_t rows = 0;

	for (size_t r = 0; r < document->rows.count; r++) {
		const struct comparison_row *row = &document->rows.items[r];
		bool timed = false;
		for (size_t i = 0; i < row->cells.count; i++)
			timed |= row->cells.items[i].median_ns > 0;
		rows += timed && !row->own;
	}
	if (rows)
		fprintf(out,
			"\nleft out: %zu row%s that only shipped devices have; --json writes all rows\n",
			rows, plural(rows));
}

/* ---- Counts ---------------------------------------------------------------------------------- */

static void put_counts(FILE *out, const struct comparison_document *document, bool colour)
{
	fputc('\n', out);
	for (size_t i = 0; i < document->counts.count; i++) {
		struct verdict_counts_record *counts = &document->counts.items[i];
		const char *separator = "";

		fprintf(out, "%s%s%s  ", style_code(colour, STYLE_BOLD),
			document->sides.items[counts->side].letter,
			style_code(colour, STYLE_PLAIN));
		for (int v = 0; v < VERDICT_COUNT; v++) {
			int64_t count = *verdict_counts_at(counts, (enum verdict)v);
			if (count == 0)
				continue;
			fprintf(out, "%s%lld %s", separator, (long long)count, verdict_words[v]);
			if (v == VERDICT_SLOW)
				fprintf(out, " (%lld confirmed)", (long long)counts->confirmed);
			separator = ", ";
		}
		fputs(*separator ? "\n" : "no row is timed on both sides\n", out);
	}
}

/* ---- The fastest variants -------------------------------------------------------------------- */

/* Whether a row has a time of a variant that solves the problem, on a side. */
static bool is_solution(const struct comparison_row *row, size_t side)
{
	return row->cells.items[side].median_ns > 0 && !row->peer &&
	       variant_solves_family(text_or_empty(row->family), text_or_empty(row->variant));
}

/* The fastest row of a section on a side; NULL: fewer than two rows solve the problem. */
static const struct comparison_row *fastest_of(
	const struct comparison_row *rows, size_t count, size_t side)
{
	const struct comparison_row *best = NULL;
	size_t solutions = 0;

	for (size_t i = 0; i < count; i++) {
		if (!is_solution(&rows[i], side))
			continue;
		solutions++;
		if (!best ||
			rows[i].cells.items[side].median_ns < best->cells.items[side].median_ns)
			best = &rows[i];
	}
	return solutions > 1 ? best : NULL;
}

/* Whether a row is not known to be slower than the fastest row of a side. */
static bool is_winner(
	const struct comparison_row *row, const struct comparison_row *fastest, size_t side)
{
	return is_solution(row, side) &&
	       row->cells.items[side].ci95_ns[0] <= fastest->cells.items[side].ci95_ns[1];
}

/* "A registers; B coarse8= and 1 more" */
static void put_winners(FILE *out, const struct comparison_document *document,
	const struct comparison_row *rows, size_t count,
	const struct comparison_row *const *fastest)
{
	char *problem = comparison_row_problem(rows);
	const char *separator = "";

	fprintf(out, "  %s  %s: ", text_or_empty(rows->family), text_or_empty(problem));
	free(problem);
	for (size_t side = 0; side < document->sides.count; side++) {
		size_t others = 0;
		if (!fastest[side])
			continue;
		for (size_t i = 0; i < count; i++)
			others += &rows[i] != fastest[side] &&
				  is_winner(&rows[i], fastest[side], side);
		fprintf(out, "%s%s %s%s", separator, document->sides.items[side].letter,
			fastest[side]->variant,
			fastest[side]->cells.items[side].own_kernel
				? flag_marks[FLAG_MARK_OWN_INDEX].mark
				: "");
		if (others)
			fprintf(out, " and %zu more", others);
		separator = "; ";
	}
	fputc('\n', out);
}

/* Prints the problems in which no variant is among the fastest on all sides, and the number of the others. */
static void put_best(FILE *out, const struct comparison_document *document)
{
	const struct comparison_row *fastest[COMPARE_MAX_SIDES];
	size_t same = 0, different = 0, end;

	for (size_t first = 0; first < document->rows.count; first = end) {
		const struct comparison_row *rows = &document->rows.items[first];
		size_t sides = 0, everywhere = 0;
		bool own = false;
		end = section_end(document, first);
		for (size_t s = 0; s < document->sides.count; s++) {
			fastest[s] = fastest_of(rows, end - first, s);
			sides += fastest[s] != NULL;
			own |= fastest[s] && !(document->mixed && document->sides.items[s].shipped);
		}
		for (size_t i = 0; i < end - first; i++) {
			size_t won = 0;
			for (size_t s = 0; s < document->sides.count; s++)
				won += fastest[s] && is_winner(&rows[i], fastest[s], s);
			everywhere += won == sides;
		}
		if (sides < 2 || !own)
			continue;
		same += everywhere > 0;
		if (!everywhere && different++ == 0)
			fputs("the fastest variant differs:\n", out);
		if (!everywhere)
			put_winners(out, document, rows, end - first, fastest);
	}
	if (same)
		fprintf(out, "the fastest variant is the same in %zu of %zu problems\n", same,
			same + different);
}

/* ---- Claims ---------------------------------------------------------------------------------- */

/* Number of sides with this verdict on the claim of a row. */
static size_t claim_count(const struct comparison_row *row, enum claim_verdict verdict)
{
	size_t count = 0;

	for (size_t i = 0; i < row->cells.count; i++)
		count += row->cells.items[i].claim == (int)verdict;
	return count;
}

/* "matmul/f16  half2 >= 1.1 x f32: base holds; new does not hold" */
static void put_claim(
	FILE *out, const struct comparison_document *document, const struct comparison_row *row)
{
	fprintf(out, "  %s/%s  %s:", row->family, row->variant, row->claim);
	for (size_t i = 0; i < row->cells.count; i++) {
		const char *word = word_text(claim_verdict_words, row->cells.items[i].claim);
		fprintf(out, "%s %s %s", i ? ";" : "", document->sides.items[i].letter,
			*word ? word : "unknown");
	}
	fputc('\n', out);
}

static void put_claims(FILE *out, const struct comparison_document *document)
{
	size_t holds = 0, fails = 0, differ = 0, open = 0;

	for (size_t r = 0; r < document->rows.count; r++) {
		const struct comparison_row *row = &document->rows.items[r];
		size_t yes = claim_count(row, CLAIM_HOLDS), no = claim_count(row, CLAIM_FAILS);
		if (!row->own || !row->claim)
			continue;
		if (yes && no) {
			if (differ++ == 0)
				fputs("claims (speed) with different verdicts:\n", out);
			put_claim(out, document, row);
		} else if (yes && yes == row->cells.count) {
			holds++;
		} else if (no && no == row->cells.count) {
			fails++;
		} else {
			open += yes || no || claim_count(row, CLAIM_UNDECIDED);
		}
	}
	if (holds + fails + differ + open)
		fprintf(out,
			"claims: %zu hold on all sides, %zu on no side, %zu differ, %zu are "
			"undecided or unknown on a side\n",
			holds, fails, differ, open);
}

/* ---- Other differences ----------------------------------------------------------------------- */

static void put_also(FILE *out, const struct comparison_document *document)
{
	static const char *const names[] = {"source", "driver", "seed", "library"};

	for (size_t n = 0; n < ARRAY_COUNT(names); n++) {
		size_t count = 0;
		for (size_t r = 0; r < document->rows.count; r++) {
			const struct comparison_row *row = &document->rows.items[r];
			if (!row->own || !text_list_has(&row->also_differ, names[n]))
				continue;
			if (count++ == 0)
				fprintf(out, "also different: the %s in", names[n]);
			if (count <= 3)
				fprintf(out, "%s %s/%s", count > 1 ? "," : "", row->family,
					row->variant);
		}
		if (count > 3)
			fprintf(out, " and %zu more rows", count - 3);
		fputs(count ? "\n" : "", out);
	}
}

void compare_text_put(
	FILE *stream, const struct comparison_document *document, const struct page_style *style)
{
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, stream, style->width);

	put_answers(out, document);
	put_sides(out, document, style);
	put_tables(out, document, style);
	put_hints(out, document);
	if (document->mixed) {
		put_unlike(out, document);
		put_left_out(out, document);
	}
	put_counts(out, document, style->colour);
	put_best(out, document);
	put_claims(out, document);
	put_also(out, document);
	wrap_end(&wrap);
}

char *export_comparison_markdown(const struct comparison_document *document)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct table table;

	if (!out)
		return NULL;
	sides_table(document, &table);
	table.untitled = false;
	table_put(&table, out, &markdown_style);
	table_finish(&table);
	fputs("\nRatio: time of the side / time of the base.\n", out);
	put_tables(out, document, NULL);
	fclose(out);
	return text;
}
