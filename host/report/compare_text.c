#include "host/report/compare_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/compare/compare.h"
#include "host/report/compare_rows.h"
#include "host/report/flag_marks.h"
#include "host/report/wrap.h"

/* ---- The answer ------------------------------------------------------------------------------ */

/* The rows that the base and another side have, without peers. */
struct shared {
	size_t rows;
	double low, high; /* of the ratios */
};

static struct shared shared_of(const struct comparison_document *document, size_t side)
{
	struct shared shared = {0, INFINITY, 0};

	for (size_t r = 0; r < document->rows.count; r++) {
		const struct comparison_row *row = &document->rows.items[r];
		double ratio = row->peer ? 0 : row->cells.items[side].ratio;
		if (!(ratio > 0))
			continue;
		shared.rows++;
		shared.low = fmin(shared.low, ratio);
		shared.high = fmax(shared.high, ratio);
	}
	return shared;
}

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
	const struct verdict_counts_record *counts, size_t sides)
{
	char letter[COMPARE_LETTER_BYTES], base[COMPARE_LETTER_BYTES];
	struct shared shared = shared_of(document, (size_t)counts->side);
	double ratio = counts->mean_ratio;
	bool slower = ratio > 1;
	const char *words[2][2] = {
		{"faster", "slower"}, {"better at using its roofs", "worse at using its roofs"}};

	compare_letter(0, sides, base);
	compare_letter((size_t)counts->side, sides, letter);
	fprintf(out, "%s", letter);
	if (!(ratio > 0)) {
		fprintf(out, " has no row with a time that is comparable with %s\n", base);
		return;
	}
	double factor = slower ? ratio : 1 / ratio;
	double low = slower ? shared.low : 1 / shared.high;
	double high = slower ? shared.high : 1 / shared.low;
	if (factor < 1.005) {
		fprintf(out, " is as fast as %s", base);
	} else {
		put_factor(out, " is ", factor);
		fprintf(out, " x %s%s%s", words[document->per_roof][slower],
			sides > 2 ? " than " : "", sides > 2 ? base : "");
	}
	fprintf(out, ": geometric mean of %zu row%s that both have", shared.rows,
		shared.rows == 1 ? "" : "s");
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
		put_answer(out, document, &document->counts.items[i], document->sides.count);
}

/* ---- Sides ----------------------------------------------------------------------------------- */

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

static void put_texts(FILE *out, const struct text_list *list, const char *none)
{
	for (size_t i = 0; i < list->count; i++)
		fprintf(out, "%s%s", i ? "; " : "", list->items[i]);
	if (list->count == 0)
		fputs(none, out);
}

static void put_side(FILE *out, const struct side_record *side)
{
	const struct noise_floor floor = noise_floor_default(side->type);
	bool is_default = false;

	put_texts(out, &side->backends, "no backend");
	fputs(", driver ", out);
	put_texts(out, &side->drivers, "unknown");
	fputs("; ", out);
	put_days(out, &side->started_utc);
	fprintf(out, ", %zu file%s, %lld timed row%s", side->files.count,
		side->files.count == 1 ? "" : "s", (long long)side->rows,
		side->rows == 1 ? "" : "s");
	for (size_t i = 0; i < side->noise.count; i++) {
		is_default |= strcmp(side->noise.items[i], "default") == 0;
		fprintf(out, "%s%s", i ? ", " : "; floor of noise ", side->noise.items[i]);
	}
	if (is_default)
		fprintf(out, " (%g %%, %s)", 100 * floor.sd,
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

/* The compared field, and the table of the sides. */
static void put_sides(
	FILE *out, const struct comparison_document *document, const struct page_style *style)
{
	static const struct table_column columns[] = {{.title = "side"},
		{.title = "name", .cut = 32}, {.title = "from", .align = TABLE_REST}};
	const struct side_list *sides = &document->sides;
	struct table table;

	table_init(&table, columns, 3);
	table.indent = 2;
	table.untitled = true;
	fputs("compare by ", out);
	for (size_t i = 0; i < document->by.count; i++)
		fprintf(out, "%s%s", i ? " and " : "", document->by.items[i]);
	fprintf(out, ": %s (base)", sides->items[0].name);
	for (size_t i = 1; i < sides->count; i++)
		fprintf(out, ", %s", sides->items[i].name);
	fputc('\n', out);
	for (size_t i = 0; i < sides->count; i++) {
		char letter[COMPARE_LETTER_BYTES], *text = NULL;
		size_t size;
		FILE *from = open_memstream(&text, &size);
		compare_letter(i, sides->count, letter);
		if (from) {
			put_side(from, &sides->items[i]);
			fclose(from);
		}
		table_row(&table, STYLE_PLAIN);
		table_text(&table, letter);
		table_text(&table, sides->items[i].name);
		table_text(&table, text);
		table_below(&table, text_or_empty(sides->items[i].load));
		free(text);
	}
	table_put(&table, out, style);
	table_finish(&table);
	fprintf(out,
		document->per_roof
			? "ratio: roof share of base / roof share of new; above 1: new uses its roofs "
			  "less\n"
			: "ratio: time new / time base: above 1 is slower\n");
}

/* ---- Hints ----------------------------------------------------------------------------------- */

#define WIDE 0.1       /* half of an interval / time */
#define FEW_SAMPLES 30 /* the interval of their median spans 11 of 30 sorted samples (binomial) */

/* The rows of a side whose time is uncertain. */
struct wide {
	size_t rows, timed;
	int64_t samples[2]; /* fewest and most samples of a wide row */
	bool one_run;
};

static struct wide wide_of(const struct comparison_document *document, size_t side)
{
	struct wide wide = {.samples = {INT64_MAX, 0}};

	for (size_t r = 0; r < document->rows.count; r++) {
		const struct cell_record *cell = &document->rows.items[r].cells.items[side];
		if (!(cell->median_ns > 0))
			continue;
		wide.timed++;
		if (!((cell->ci95_ns[1] - cell->ci95_ns[0]) / 2 > WIDE * cell->median_ns))
			continue;
		wide.rows++;
		wide.one_run |= cell->runs == 1;
		wide.samples[0] = cell->samples < wide.samples[0] ? cell->samples : wide.samples[0];
		wide.samples[1] = cell->samples > wide.samples[1] ? cell->samples : wide.samples[1];
	}
	return wide;
}

/* Prints why intervals of a side can be wide. Returns whether the side has wide intervals. */
static bool put_wide(FILE *out, const struct comparison_document *document, size_t side)
{
	const struct side_record *of = &document->sides.items[side];
	const struct wide wide = wide_of(document, side);
	const char *separator = ": ";
	char letter[COMPARE_LETTER_BYTES];

	if (!wide.rows)
		return false;
	compare_letter(side, document->sides.count, letter);
	fprintf(out, "  %s: the 95 %% intervals of %zu of %zu times are wider than ±10 %%", letter,
		wide.rows, wide.timed);
	if (wide.one_run) {
		fprintf(out, "%sone run of a row, so its floor of noise counts in full", separator);
		separator = "; ";
	}
	if (wide.samples[0] < FEW_SAMPLES) {
		fprintf(out, "%sfew samples (%lld to %lld in a row)", separator,
			(long long)wide.samples[0], (long long)wide.samples[1]);
		separator = "; ";
	}
	if (of->load)
		fprintf(out, "%s%s", separator, of->load);
	fputc('\n', out);
	return true;
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
		fprintf(out, "  For narrower intervals, run with --repeat%s\n",
			ambiguous ? ", or measure the floors with compare --aa" : "");
}

/* ---- Shipped devices ------------------------------------------------------------------------- */

static const struct named_list *size_of(
	const struct comparison_row *row, const struct cell_record *cell)
{
	return cell->problem.count ? &cell->problem : &row->problem;
}

/* Whether the shipped device of a side has a row that the other sides have only at other sizes. */
static bool has_more_sizes(
	const struct comparison_document *document, const char *family, size_t side)
{
	for (size_t r = 0; r < document->rows.count; r++) {
		const struct comparison_row *row = &document->rows.items[r];
		const struct cell_record *cell = &row->cells.items[side];
		bool variant = false, size = false;
		if (!(cell->median_ns > 0) || !text_equal(row->family, family))
			continue;
		for (size_t i = 0; i < document->rows.count; i++) {
			const struct comparison_row *own = &document->rows.items[i];
			if (!compare_row_is_own(document, own) ||
				!text_equal(own->family, family) ||
				!text_equal(own->variant, row->variant))
				continue;
			variant = true;
			size |= named_list_equal(&own->problem, size_of(row, cell));
		}
		if (variant && !size)
			return true;
	}
	return false;
}

/* The families of the rows that shipped devices have at other sizes only. */
static struct text_list unlike_families(
	const struct comparison_document *document, size_t *ret_rows)
{
	struct text_list families = {0};

	*ret_rows = 0;
	for (size_t r = 0; r < document->rows.count; r++) {
		const struct comparison_row *row = &document->rows.items[r];
		if (!compare_row_is_unlike(document, row))
			continue;
		++*ret_rows;
		if (!text_list_has(&families, row->family))
			text_list_add(&families, row->family);
	}
	return families;
}

#define MAX_FAMILIES 4 /* in a command; more are "all" */

/* The command that runs the sizes of the shipped device of a side. */
static void put_command(FILE *out, const struct comparison_document *document,
	const struct text_list *families, size_t side, const char *separator)
{
	const char *path = document->sides.items[side].files.items[0];
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	size_t count = document->sides.count;
	char letter[COMPARE_LETTER_BYTES];

	fprintf(out, "%s`pmpp-run", separator);
	for (size_t i = 0; i < families->count && families->count <= MAX_FAMILIES; i++)
		if (has_more_sizes(document, families->items[i], side))
			fprintf(out, " %s", families->items[i]);
	fprintf(out, "%s --like=%.*s --json=FILE`", families->count > MAX_FAMILIES ? " all" : "",
		(int)strcspn(name, "."), name);
	compare_letter(side, count, letter);
	if (count > 2)
		fprintf(out, " (%s)", letter);
}

static void put_unlike(FILE *out, const struct comparison_document *document)
{
	size_t rows;
	struct text_list families = unlike_families(document, &rows);
	const char *separator = "; to compare, run ";

	if (rows) {
		fprintf(out,
			"\nnot compared, because the shipped devices have other sizes: %zu row%s of",
			rows, rows == 1 ? "" : "s");
		for (size_t i = 0; i < families.count; i++)
			fprintf(out, "%s %s", i ? "," : "", families.items[i]);
		for (size_t i = 0; i < document->sides.count; i++) {
			bool more = false;
			for (size_t f = 0; f < families.count; f++)
				more |= document->sides.items[i].shipped &&
					has_more_sizes(document, families.items[f], i);
			if (!more)
				continue;
			put_command(out, document, &families, i, separator);
			separator = " or ";
		}
		fputc('\n', out);
	}
	text_list_finish(&families);
}

static void put_left_out(FILE *out, const struct comparison_document *document)
{
	struct text_list left = {0}, own = {0};
	size_t rows = 0, complete = 0;

	for (size_t r = 0; r < document->rows.count; r++) {
		const struct comparison_row *row = &document->rows.items[r];
		bool is_own = compare_row_is_own(document, row), timed = false;
		struct text_list *families = is_own ? &own : &left;
		for (size_t i = 0; i < row->cells.count; i++)
			timed |= row->cells.items[i].median_ns > 0;
		rows += timed && !is_own;
		if ((timed || is_own) && !text_list_has(families, row->family))
			text_list_add(families, row->family);
	}
	for (size_t i = 0; i < left.count; i++)
		complete += !text_list_has(&own, left.items[i]);
	if (rows)
		fprintf(out, "\nleft out: %zu row%s that only shipped devices have", rows,
			rows == 1 ? "" : "s");
	if (rows && complete)
		fprintf(out, " (%zu famil%s completely)", complete, complete == 1 ? "y" : "ies");
	fputs(rows ? "; --json writes all rows\n" : "", out);
	text_list_finish(&left);
	text_list_finish(&own);
}

/* ---- Counts ---------------------------------------------------------------------------------- */

static void put_counts(FILE *out, const struct comparison_document *document, bool colour)
{
	fputc('\n', out);
	for (size_t i = 0; i < document->counts.count; i++) {
		struct verdict_counts_record *counts = &document->counts.items[i];
		char letter[COMPARE_LETTER_BYTES];
		const char *separator = "";

		compare_letter((size_t)counts->side, document->sides.count, letter);
		fprintf(out, "%s%s%s  ", style_code(colour, STYLE_BOLD), letter,
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
		if (!*separator)
			fputs("no row is timed on both sides", out);
		fputc('\n', out);
	}
}

/* ---- The fastest variants -------------------------------------------------------------------- */

/* Whether at least one variant is among the fastest on all sides. */
static bool has_common_winner(const struct best_record *best, size_t count)
{
	for (size_t v = 0; v < best[0].variants.count; v++) {
		bool everywhere = true;
		for (size_t i = 1; i < count; i++)
			everywhere &= text_list_has(&best[i].variants, best[0].variants.items[v]);
		if (everywhere)
			return true;
	}
	return false;
}

/* "A registers; B coarse8=, coarse4" */
static void put_winners(FILE *out, const struct comparison_document *document,
	const struct best_record *best, size_t count)
{
	fprintf(out, "  %s  %s: ", text_or_empty(best[0].family), text_or_empty(best[0].problem));
	for (size_t i = 0; i < count; i++) {
		char letter[COMPARE_LETTER_BYTES];
		compare_letter((size_t)best[i].side, document->sides.count, letter);
		fprintf(out, "%s%s ", i ? "; " : "", letter);
		for (size_t v = 0; v < best[i].variants.count && v < 3; v++)
			fprintf(out, "%s%s%s", v ? ", " : "", best[i].variants.items[v],
				text_list_has(&best[i].own_kernels, best[i].variants.items[v])
					? flag_marks[FLAG_MARK_OWN_INDEX].mark
					: "");
		if (best[i].variants.count > 3)
			fprintf(out, " and %zu more", best[i].variants.count - 3);
	}
	fputc('\n', out);
}

/* The number of consecutive entries with the problem of entry `first`. */
static size_t same_problem(const struct best_list *list, size_t first)
{
	size_t end = first + 1;

	while (end < list->count &&
		text_equal(list->items[end].family, list->items[first].family) &&
		text_equal(list->items[end].problem, list->items[first].problem))
		end++;
	return end - first;
}

/* Whether a side that is not a shipped device has the problem, as compare_row_is_own(). */
static bool is_own(
	const struct comparison_document *document, const struct best_record *best, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!document->sides.items[best[i].side].shipped)
			return true;
	return !compare_is_mixed(document);
}

static void put_best(FILE *out, const struct comparison_document *document)
{
	const struct best_list *list = &document->best;
	size_t same = 0, different = 0, count;

	for (size_t i = 0; i < list->count; i += count) {
		count = same_problem(list, i);
		if (count < 2 || !is_own(document, &list->items[i], count))
			continue;
		if (has_common_winner(&list->items[i], count)) {
			same++;
			continue;
		}
		if (different++ == 0)
			fputs("the fastest variant differs:\n", out);
		put_winners(out, document, &list->items[i], count);
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

	for (size_t i = 0; i < row->claims.count; i++)
		count += strcmp(row->claims.items[i], claim_verdict_name(verdict)) == 0;
	return count;
}

/* "matmul/f16  half2 >= 1.1 x f32: base holds; new does not hold" */
static void put_claim(
	FILE *out, const struct comparison_document *document, const struct comparison_row *row)
{
	fprintf(out, "  %s/%s  %s:", row->family, row->variant, row->claim);
	for (size_t i = 0; i < row->claims.count; i++) {
		char letter[COMPARE_LETTER_BYTES];
		compare_letter(i, document->sides.count, letter);
		fprintf(out, "%s %s %s", i ? ";" : "", letter,
			*row->claims.items[i] ? row->claims.items[i] : "unknown");
	}
	fputc('\n', out);
}

static void put_claims(FILE *out, const struct comparison_document *document)
{
	const struct comparison_row_list *rows = &document->rows;
	size_t holds = 0, fails = 0, differ = 0, open = 0;

	for (size_t r = 0; r < rows->count; r++) {
		const struct comparison_row *row = &rows->items[r];
		size_t yes = claim_count(row, CLAIM_HOLDS), no = claim_count(row, CLAIM_FAILS);
		if (!compare_row_is_own(document, row))
			continue;
		if (yes && no) {
			if (differ++ == 0)
				fputs("claims (speed) with different verdicts:\n", out);
			put_claim(out, document, row);
		} else if (yes && yes == row->claims.count) {
			holds++;
		} else if (no && no == row->claims.count) {
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
	const struct comparison_row_list *rows = &document->rows;

	for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
		size_t count = 0;
		for (size_t r = 0; r < rows->count; r++) {
			if (!text_list_has(&rows->items[r].also_differ, names[n]) ||
				!compare_row_is_own(document, &rows->items[r]))
				continue;
			if (count++ == 0)
				fprintf(out, "also different: the %s in", names[n]);
			if (count <= 3)
				fprintf(out, "%s %s/%s", count > 1 ? "," : "",
					rows->items[r].family, rows->items[r].variant);
		}
		if (count > 3)
			fprintf(out, " and %zu more rows", count - 3);
		if (count)
			fputc('\n', out);
	}
}

void compare_text_put(
	FILE *stream, const struct comparison_document *document, const struct page_style *style)
{
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, stream, style->width);

	put_answers(out, document);
	put_sides(out, document, style);
	compare_rows_put(out, document, style);
	flag_marks_legend(out, compare_rows_flags(document));
	put_hints(out, document);
	if (compare_is_mixed(document)) {
		put_unlike(out, document);
		put_left_out(out, document);
	}
	put_counts(out, document, style->colour);
	put_best(out, document);
	put_claims(out, document);
	put_also(out, document);
	wrap_end(&wrap);
}
