#include "host/report/parity_summary.h"

#include <math.h>
#include <stdlib.h>

#include "common/model/parity.h"
#include "host/report/ladder_table.h"
#include "host/report/row_details.h"

struct summary {
	const struct result_document *document;
	struct parity_score *scores; /* one for each parity row; owned */
};

/* Returns "matmul/tiled", with sizes and macros if the variant has several rows; malloc'ed. */
static char *name_of(const struct summary *summary, const struct result_row *row)
{
	const struct result_row_list *results = &summary->document->results;
	char sizes[160], macros[160] = "", *text = NULL;
	size_t same = 0;

	for (size_t i = 0; i < results->count; i++)
		same += text_equal(results->items[i].family, row->family) &&
			text_equal(results->items[i].variant, row->variant) &&
			text_equal(results->items[i].backend, row->backend);
	format_sizes(&row->problem, sizes, sizeof sizes);
	format_macros(&row->macros, macros, sizeof macros);
	text_format(&text, "%s/%s%s%s%s", text_or_empty(row->family), text_or_empty(row->variant),
		same > 1 ? " " : "", same > 1 ? sizes : "", same > 1 ? macros : "");
	return text;
}

/* ---- Counts -------------------------------------------------------------------------------- */

/* "parity: 109 of 113 SAME, 2 SLOW, 1 FAST, 1 AMBG; bits identical in 113 of 113; 2 not timed". Sets
 * the scores. Returns the number of timed rows. */
static size_t put_counts(FILE *out, const struct summary *summary)
{
	static const enum parity_verdict others[] = {PARITY_SLOW, PARITY_FAST, PARITY_AMBG};
	const struct parity_row_list *list = &summary->document->parity;
	size_t verdicts[PARITY_VERDICT_COUNT] = {0};
	size_t timed = 0, identical = 0, compared = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct parity_row *row = &list->items[i];
		summary->scores[i] = (struct parity_score){.verdict = row->verdict,
			.ratio = isfinite(row->round_ratio) ? row->round_ratio : row->ratio};
		compared += row->bit_identical != TRUTH_UNKNOWN;
		identical += row->bit_identical == TRUTH_YES;
		if (!parity_is_timed(row->verdict))
			continue;
		verdicts[row->verdict]++;
		timed++;
	}
	if (timed)
		fprintf(out, "parity: %zu of %zu %s", verdicts[PARITY_SAME], timed,
			parity_verdict_name(PARITY_SAME));
	else
		fputs("parity: no times", out);
	for (size_t i = 0; i < ARRAY_COUNT(others); i++)
		if (verdicts[others[i]])
			fprintf(out, ", %zu %s", verdicts[others[i]],
				parity_verdict_name(others[i]));
	if (compared)
		fprintf(out, "; bits identical in %zu of %zu", identical, compared);
	if (timed && timed < list->count)
		fprintf(out, "; %zu not timed", list->count - timed);
	fputc('\n', out);
	return timed;
}

/* ---- Builds -------------------------------------------------------------------------------- */

/* The count of a side; 0 if the file has no count. */
static long long count_of(const struct integer_list *counts, size_t side)
{
	return side < counts->count ? counts->items[side] : 0;
}

static void put_ptx(FILE *out, const struct ptx_record *ptx)
{
	if (!ptx->record.present)
		return;
	if (ptx->totals.count != 2) {
		fprintf(out, "    PTX instructions not counted: %s\n", text_or_empty(ptx->reason));
		return;
	}
	fprintf(out, "    PTX instructions %lld / %lld", count_of(&ptx->totals, 0),
		count_of(&ptx->totals, 1));
	for (size_t i = 0; i < ptx->instructions.count; i++) {
		const struct instruction_record *instruction = &ptx->instructions.items[i];
		fprintf(out, "%s%s %lld / %lld", i ? ", " : ": ", text_or_empty(instruction->name),
			count_of(&instruction->counts, 0), count_of(&instruction->counts, 1));
	}
	fputs(ptx->instructions.count ? "\n" : ": equal counts\n", out);
}

/* ---- The largest differences --------------------------------------------------------------- */

/* "matmul/f16 SLOW 1.202 [1.198, 1.206]", and the builds. */
static void put_difference(FILE *out, const struct summary *summary, size_t index)
{
	const struct parity_row *parity = &summary->document->parity.items[index];
	const struct result_row *const rows[] = {parity_side_row(summary->document, parity, 0),
		parity_side_row(summary->document, parity, 1)};

	if (!rows[0] || !rows[1])
		return;
	char *name = name_of(summary, rows[0]);
	fprintf(out, "  %s %s %.3f", text_or_empty(name),
		parity_verdict_name((enum parity_verdict)parity->verdict),
		summary->scores[index].ratio);
	if (isfinite(parity->ci95[0]))
		fprintf(out, " [%.3f, %.3f]", parity->ci95[0], parity->ci95[1]);
	fputc('\n', out);
	for (size_t i = 0; i < 2; i++)
		row_details_line(out, rows[i]->backend, &resources_type, &rows[i]->resources,
			"registers spill_bytes shared_bytes max_block");
	put_ptx(out, &parity->ptx);
	free(name);
}

static void put_worst(FILE *out, const struct summary *summary)
{
	const struct parity_row_list *list = &summary->document->parity;
	size_t worst[PARITY_SUMMARY_WORST];
	size_t count = parity_worst(summary->scores, list->count, PARITY_SUMMARY_WORST, worst);

	if (count == 0)
		fputs("largest differences: none\n", out);
	else
		fprintf(out, "largest differences, %s / %s:\n",
			list->items[worst[0]].backends.items[0],
			list->items[worst[0]].backends.items[1]);
	for (size_t i = 0; i < count; i++)
		put_difference(out, summary, worst[i]);
}

void parity_summary_put(FILE *out, const struct result_document *document)
{
	struct summary summary = {.document = document,
		.scores = calloc(document->parity.count + 1, sizeof *summary.scores)};

	if (!document->results.count || !summary.scores)
		fputs(summary.scores ? "" : "parity: no memory for the summary\n", out);
	else if (fputc('\n', out) && put_counts(out, &summary))
		put_worst(out, &summary);
	free(summary.scores);
}
