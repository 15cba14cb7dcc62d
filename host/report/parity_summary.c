#include "host/report/parity_summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/parity.h"
#include "host/report/format.h"

#define MAX_NAMES 6        /* names of rows without times, for each reason */
#define MAX_INSTRUCTIONS 4 /* kinds of PTX instructions, for each row */

/* A pair of results, or a result that has no other side. */
struct item {
	const struct result_row *rows;   /* two, or one without a parity row */
	const struct parity_row *parity; /* NULL = none */
	char untimed[160];               /* why there are no times; "" if there are times */
};

struct summary {
	const struct result_document *document;
	struct item *items;          /* owned */
	struct parity_score *scores; /* one for each item; owned */
	size_t count;
};

/* ---- Items --------------------------------------------------------------------------------- */

static bool is_pair(const struct parity_row *parity, const struct result_row rows[2])
{
	for (size_t i = 0; i < 2; i++)
		if (parity->backends.count != 2 ||
			!text_equal(parity->backends.items[i], rows[i].backend) ||
			!text_equal(parity->family, rows[i].family) ||
			!text_equal(parity->variant, rows[i].variant) ||
			!named_list_equal(&parity->problem, &rows[i].problem) ||
			!named_list_equal(&parity->macros, &rows[i].macros))
			return false;
	return true;
}

/* Sets item->untimed: "opencl skipped, cuda failed" for sides that did not pass. */
static void set_untimed(struct item *item)
{
	const struct result_row *rows = item->rows;
	size_t size = sizeof item->untimed;
	char words[2][32];
	bool ok[2];

	for (size_t i = 0; i < 2; i++) {
		const struct result_row *row = &rows[item->parity ? i : 0];
		ok[i] = row->status == OUTCOME_OK;
		format_status(row->status, words[i], sizeof words[i]);
	}
	if (ok[0] && ok[1])
		snprintf(item->untimed, size, "%s",
			rows[0].reason ? rows[0].reason : "results only");
	else if (!item->parity)
		snprintf(item->untimed, size, "%s", words[0]);
	else if (rows[0].status == rows[1].status)
		snprintf(item->untimed, size, "both sides %s", words[0]);
	else if (ok[0] || ok[1])
		snprintf(item->untimed, size, "%s %s", rows[ok[0]].backend, words[ok[0]]);
	else
		snprintf(item->untimed, size, "%s %s, %s %s", rows[0].backend, words[0],
			rows[1].backend, words[1]);
}

/* Returns false for lack of memory. */
static bool find_items(const struct result_document *document, struct summary *ret_summary)
{
	const struct result_row_list *results = &document->results;
	const struct parity_row_list *parity = &document->parity;
	struct summary summary = {.document = document,
		.items = calloc(results->count, sizeof *summary.items),
		.scores = calloc(results->count, sizeof *summary.scores)};
	size_t next = 0;

	*ret_summary = summary;
	if (!summary.items || !summary.scores)
		return false;
	for (size_t i = 0; i < results->count; i++) {
		struct item *item = &summary.items[summary.count];
		struct parity_score *score = &summary.scores[summary.count++];

		item->rows = &results->items[i];
		score->verdict = PARITY_RESULTS_ONLY;
		if (next < parity->count && i + 1 < results->count &&
			is_pair(&parity->items[next], item->rows)) {
			item->parity = &parity->items[next++];
			score->verdict = item->parity->verdict;
			score->ratio = isfinite(item->parity->round_ratio)
					       ? item->parity->round_ratio
					       : item->parity->ratio;
			i++;
		}
		if (!parity_is_timed(score->verdict))
			set_untimed(item);
	}
	ret_summary->count = summary.count;
	return true;
}

/* ---- Names --------------------------------------------------------------------------------- */

/* Prints " n=50": the values that differ between rows of the variant. */
static void put_differing(FILE *out, const struct result_row_list *results,
	const struct result_row *row, size_t offset)
{
	const struct named_list *list = (const void *)((const char *)row + offset);

	for (size_t i = 0; i < list->count; i++) {
		const struct named_value *value = &list->items[i];
		bool differs = false;

		for (size_t r = 0; r < results->count && !differs; r++) {
			const struct result_row *other = &results->items[r];
			const struct named_list *values =
				(const void *)((const char *)other + offset);
			differs = text_equal(other->family, row->family) &&
				  text_equal(other->variant, row->variant) &&
				  named_list_get(values, value->name, value->value) != value->value;
		}
		if (differs)
			fprintf(out, " %s=%" PRId64, value->name, value->value);
	}
}

static void put_name(FILE *out, const struct summary *summary, const struct item *item)
{
	const struct result_row_list *results = &summary->document->results;
	const struct result_row *row = &item->rows[0];

	fprintf(out, "%s/%s", row->family, row->variant);
	put_differing(out, results, row, offsetof(struct result_row, problem));
	put_differing(out, results, row, offsetof(struct result_row, macros));
}

/* ---- Counts -------------------------------------------------------------------------------- */

/* "parity: 109 of 113 SAME, 2 SLOW, 1 FAST, 1 AMBG; bits identical in 113 of 113". Returns the
 * number of timed rows. */
static size_t put_counts(FILE *out, const struct summary *summary)
{
	static const enum parity_verdict others[] = {PARITY_SLOW, PARITY_FAST, PARITY_AMBG};
	size_t verdicts[PARITY_VERDICT_COUNT] = {0};
	size_t timed = 0, identical = 0, compared = 0;

	for (size_t i = 0; i < summary->count; i++) {
		const struct item *item = &summary->items[i];

		if (parity_is_timed(summary->scores[i].verdict)) {
			verdicts[summary->scores[i].verdict]++;
			timed++;
		}
		if (!item->parity)
			continue;
		compared += item->parity->bit_identical != TRUTH_UNKNOWN;
		identical += item->parity->bit_identical == TRUTH_YES;
	}
	if (timed)
		fprintf(out, "parity: %zu of %zu %s", verdicts[PARITY_SAME], timed,
			parity_verdict_name(PARITY_SAME));
	else
		fputs("parity: no times", out);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (verdicts[others[i]])
			fprintf(out, ", %zu %s", verdicts[others[i]],
				parity_verdict_name(others[i]));
	if (compared)
		fprintf(out, "; bits identical in %zu of %zu", identical, compared);
	fputc('\n', out);
	return timed;
}

/* Prints the rows with the same reason as item `first`. */
static void put_reason(FILE *out, const struct summary *summary, size_t first)
{
	const char *reason = summary->items[first].untimed;
	const char *separator = "";
	size_t count = 0, named = 0;

	for (size_t i = first; i < summary->count; i++)
		count += strcmp(summary->items[i].untimed, reason) == 0;
	fprintf(out, "not timed, %s: %zu (", reason, count);
	for (size_t i = first; i < summary->count && named < MAX_NAMES; i++) {
		if (strcmp(summary->items[i].untimed, reason) != 0)
			continue;
		fputs(separator, out);
		put_name(out, summary, &summary->items[i]);
		separator = ", ";
		named++;
	}
	if (count > named)
		fprintf(out, ", and %zu more", count - named);
	fputs(")\n", out);
}

static void put_untimed(FILE *out, const struct summary *summary)
{
	for (size_t i = 0; i < summary->count; i++) {
		const char *reason = summary->items[i].untimed;
		bool first = *reason != '\0';

		for (size_t j = 0; j < i && first; j++)
			first = strcmp(summary->items[j].untimed, reason) != 0;
		if (first)
			put_reason(out, summary, i);
	}
}

/* ---- Builds -------------------------------------------------------------------------------- */

/* A negative value is unknown. */
static void put_value(FILE *out, int64_t value)
{
	if (value >= 0)
		fprintf(out, "%" PRId64, value);
	else
		fputs("unknown", out);
}

/* Prints "registers 152 / 126, spilled bytes 0": one value if both sides have the same value. */
static void put_resources(FILE *out, const struct result_row rows[2])
{
	static const struct {
		const char *what;
		size_t offset;
	} resources[] = {{"registers", offsetof(struct resources_record, registers)},
		{"spilled bytes", offsetof(struct resources_record, spill_bytes)},
		{"shared bytes", offsetof(struct resources_record, shared_bytes)},
		{"largest block", offsetof(struct resources_record, max_block)}};
	const char *separator = "    ";

	for (size_t r = 0; r < sizeof resources / sizeof *resources; r++) {
		int64_t values[2];

		for (size_t i = 0; i < 2; i++)
			memcpy(&values[i], (const char *)&rows[i].resources + resources[r].offset,
				sizeof values[i]);
		fprintf(out, "%s%s ", separator, resources[r].what);
		put_value(out, values[0]);
		if (values[0] != values[1]) {
			fputs(" / ", out);
			put_value(out, values[1]);
		}
		separator = ", ";
	}
	fputc('\n', out);
}

/* The count of a side; 0 if the file has no count. */
static int64_t count_of(const struct integer_list *counts, size_t side)
{
	return side < counts->count ? counts->items[side] : 0;
}

static int64_t difference_of(const struct instruction_record *instruction)
{
	int64_t difference = count_of(&instruction->counts, 0) - count_of(&instruction->counts, 1);

	return difference < 0 ? -difference : difference;
}

/* Position of an instruction in the order of the differences, the largest first. */
static size_t rank_of(const struct instruction_list *list, size_t index)
{
	int64_t own = difference_of(&list->items[index]);
	size_t rank = 0;

	for (size_t i = 0; i < list->count; i++) {
		int64_t other = difference_of(&list->items[i]);
		rank += other > own || (other == own && i < index);
	}
	return rank;
}

static void put_instructions(FILE *out, const struct instruction_list *list)
{
	size_t shown = list->count < MAX_INSTRUCTIONS ? list->count : MAX_INSTRUCTIONS;

	for (size_t rank = 0; rank < shown; rank++)
		for (size_t i = 0; i < list->count; i++)
			if (rank_of(list, i) == rank)
				fprintf(out, "%s%s %" PRId64 " / %" PRId64, rank ? ", " : ": ",
					text_or_empty(list->items[i].name),
					count_of(&list->items[i].counts, 0),
					count_of(&list->items[i].counts, 1));
	if (list->count > shown)
		fprintf(out, ", and %zu more", list->count - shown);
	fputs(list->count ? "\n" : ": equal counts\n", out);
}

static void put_ptx(FILE *out, const struct ptx_record *ptx)
{
	if (!ptx->record.present)
		return;
	if (ptx->totals.count != 2) {
		fprintf(out, "    PTX instructions not counted: %s\n", text_or_empty(ptx->reason));
		return;
	}
	fprintf(out, "    PTX instructions %" PRId64 " / %" PRId64, ptx->totals.items[0],
		ptx->totals.items[1]);
	put_instructions(out, &ptx->instructions);
}

/* Returns "opencl: options -cl-std=CL1.2, compiler 580.1", malloc'ed; NULL for lack of memory.
 * Macros are left out, because both sides have the same macros. */
static char *compiler_text(const struct result_row *row)
{
	const char *options = text_or_empty(row->build.options);
	const char *separator = " options ";
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "%s:", text_or_empty(row->backend));
	while (*options) {
		size_t length = strcspn(options, " ");

		if (length && strncmp(options, "-D", 2) != 0) {
			fprintf(out, "%s%.*s", separator, (int)length, options);
			separator = " ";
		}
		options += length + (options[length] == ' ');
	}
	fprintf(out, "%s compiler %s", separator[1] ? "" : ",",
		row->build.compiler ? row->build.compiler : "unknown");
	fclose(out);
	return text;
}

/* Most rows have the same compilers and options, so these are printed only when they change. */
static void put_compilers(FILE *out, const struct result_row rows[2], char *last[2])
{
	for (size_t i = 0; i < 2; i++) {
		char *text = compiler_text(&rows[i]);

		if (!text_equal(text, last[i]))
			fprintf(out, "    %s\n", text_or_empty(text));
		free(last[i]);
		last[i] = text;
	}
}

/* ---- The largest differences --------------------------------------------------------------- */

/* "matmul/f16 SLOW 1.202 [1.198, 1.206]" */
static void put_ratio(FILE *out, const struct summary *summary, size_t index)
{
	const struct item *item = &summary->items[index];

	put_name(out, summary, item);
	fprintf(out, " %s %.3f", parity_verdict_name((enum parity_verdict)item->parity->verdict),
		summary->scores[index].ratio);
	if (isfinite(item->parity->ci95[0]))
		fprintf(out, " [%.3f, %.3f]", item->parity->ci95[0], item->parity->ci95[1]);
	fputc('\n', out);
}

static void put_worst(FILE *out, const struct summary *summary)
{
	size_t worst[PARITY_SUMMARY_WORST];
	size_t count = parity_worst(summary->scores, summary->count, PARITY_SUMMARY_WORST, worst);
	char *last[2] = {NULL, NULL};

	if (count == 0)
		fputs("largest differences: none\n", out);
	for (size_t i = 0; i < count; i++) {
		const struct item *item = &summary->items[worst[i]];

		if (i == 0)
			fprintf(out, "largest differences, %s / %s:\n",
				item->parity->backends.items[0], item->parity->backends.items[1]);
		fputs("  ", out);
		put_ratio(out, summary, worst[i]);
		put_resources(out, item->rows);
		put_ptx(out, &item->parity->ptx);
		put_compilers(out, item->rows, last);
	}
	free(last[0]);
	free(last[1]);
}

void parity_summary_put(FILE *out, const struct result_document *document)
{
	struct summary summary;

	if (document->results.count == 0)
		return;
	fputc('\n', out);
	if (find_items(document, &summary)) {
		size_t timed = put_counts(out, &summary);
		put_untimed(out, &summary);
		if (timed)
			put_worst(out, &summary);
	} else {
		fputs("parity: no memory for the summary\n", out);
	}
	free(summary.items);
	free(summary.scores);
}
