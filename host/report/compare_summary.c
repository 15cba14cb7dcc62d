#include "host/report/compare_summary.h"

#include <string.h>

#include "host/report/compare_shipped.h"
#include "host/report/flag_marks.h"
#include "host/report/format.h"

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
		if (counts->mean_ratio > 0) {
			char ratio[32];
			format_ratio(counts->mean_ratio, ratio, sizeof ratio);
			fprintf(out, "; geometric mean of the ratios %s", ratio);
		}
		fputc('\n', out);
	}
}

/* ---- The fastest variants -------------------------------------------------------------------- */

static bool has_text(const struct text_list *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i], text) == 0)
			return true;
	return false;
}

/* Whether at least one variant is among the fastest on all sides. */
static bool has_common_winner(const struct best_record *best, size_t count)
{
	for (size_t v = 0; v < best[0].variants.count; v++) {
		bool everywhere = true;
		for (size_t i = 1; i < count; i++)
			everywhere &= has_text(&best[i].variants, best[0].variants.items[v]);
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
				has_text(&best[i].own_kernels, best[i].variants.items[v])
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
			if (!has_text(&rows->items[r].also_differ, names[n]) ||
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

void compare_summary_put(FILE *out, const struct comparison_document *document, bool colour)
{
	put_counts(out, document, colour);
	put_best(out, document);
	put_claims(out, document);
	put_also(out, document);
}
