#include "host/report/ladder_table.h"

#include "common/family.h"
#include "host/report/flag_marks.h"
#include "host/report/roofs_text.h"
#include "host/report/wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Ladders ------------------------------------------------------------------------------- */

enum {
	LADDER_LABEL,
	LADDER_TECHNIQUE,
	LADDER_ULPS = 3,
	LADDER_MEDIAN,
	LADDER_RATE = 6,
	LADDER_METRIC,
	LADDER_PEER = 10,
	LADDER_CLAIM = 15
};

/* The order of ladder_table_row(). 80 columns have the columns with the smallest priorities. */
static const struct table_column ladder_columns[] = {
	{.key = "variant", .title = "variant"},
	{.key = "technique", .title = "technique", .priority = 1, .cut = 12},
	{.key = "check", .title = "check", .width = 7},
	TABLE_NUMBER("ulps", "ulp", NULL, 10, 6),
	TABLE_NUMBER("median", "median", "ns", 0, 8),
	TABLE_NUMBER("half_width", "±", "%", 11, 5),
	TABLE_NUMBER("gflops", "GFLOP/s", "GFLOP/s", 7, 7),
	TABLE_NUMBER("metric", "", NULL, 6, 7),
	TABLE_NUMBER("pct_roof", "%roof", "%", 8, 6),
	{.key = "limited_by", .title = "limited by", .priority = 9, .width = 23, .cut = 10},
	TABLE_NUMBER("peer_ratio", "x peer", "1", 3, 6),
	{.key = "peer_ci95", .title = "95 %", .priority = 5, .width = 14},
	{.key = "peer", .title = "peer", .priority = 14, .width = 12},
	TABLE_NUMBER("step", "step", "1", 4, 6),
	TABLE_NUMBER("total", "total", "1", 12, 6),
	{.key = "claim", .title = "claim", .priority = 2, .width = 13},
};

#define CLAIM_PRIORITY_ON_CPU 15 /* the last column to add: claims do not apply to CPUs */

static bool is_about_memory(const char *name)
{
	const struct family *family = family_find(text_or_empty(name));

	return family && family_is_about_memory(family);
}

static void ladder_init(struct table *table, const struct group_record *group)
{
	const struct family *family = family_find(text_or_empty(group->family));
	struct table_column columns[ARRAY_COUNT(ladder_columns)];

	memcpy(columns, ladder_columns, sizeof columns);
	columns[LADDER_ULPS].absent = !family || !family->shows_ulps;
	columns[LADDER_METRIC].absent = !family || !family->metric.name;
	if (family && family->metric.name)
		columns[LADDER_METRIC].title = family->metric.name;
	if (is_about_memory(group->family)) {
		columns[LADDER_RATE].key = "gbps";
		columns[LADDER_RATE].title = columns[LADDER_RATE].unit = "GB/s";
	}
	for (size_t i = 0; i < 3; i++)
		columns[LADDER_PEER + i].absent = !group->peers;
	if (!group->gpu)
		columns[LADDER_CLAIM].priority = CLAIM_PRIORITY_ON_CPU;
	table_init(table, columns, ARRAY_COUNT(columns));
}

/* The status and the reason: "skipped: needs inline PTX". */
static void add_status(struct table *table, const struct result_row *row)
{
	char words[32];
	char *text = NULL;

	format_status(row->status, words, sizeof words);
	text_format(&text, "%s%s%s", words, row->reason ? ": " : "", text_or_empty(row->reason));
	table_span(table, text);
	free(text);
}

static void add_median(struct table *table, const struct result_row *row)
{
	flag_marks_format(flag_marks_of_row(row),
		table_number(table, format_ns, result_row_median_ns(row))->marks);
}

/* "[0.981, 0.995]"; empty if the interval is unknown. */
static void add_interval(struct table *table, const double ci95[2])
{
	if (isfinite(ci95[0]) && isfinite(ci95[1]))
		table_format(table, "[%.3f, %.3f]", ci95[0], ci95[1]);
	else
		table_text(table, "");
}

/* The ratio to the fastest peer. */
static void add_peer(struct table *table, const struct result_row *row)
{
	static const double unknown[2] = {NAN, NAN};
	const struct peer_record *peer = peer_list_fastest(&row->peers);

	if (peer)
		table_number(table, format_ratio, peer->ratio);
	else
		table_text(table, row->peer ? "" : "-");
	add_interval(table, peer ? peer->ci95 : unknown);
	table_text(table, peer ? peer->variant : NULL);
}

static void add_claim(struct table *table, const struct claim_record *claim)
{
	const enum claim_verdict verdict = claim_record_verdict(claim);
	const char *word = claim_verdict_name(verdict);
	struct table_cell *cell = table_text(table, !claim->record.present ? ""
						    : word                 ? word
									   : "n/a");

	if (claim->record.present && word)
		cell->style = verdict == CLAIM_HOLDS ? STYLE_GREEN : STYLE_YELLOW;
}

void ladder_table_row(struct table *table, const char *label, const struct result_row *row)
{
	const struct derived_record *derived = &row->derived;
	char limit[64];
	bool ok = row->status == OUTCOME_OK;

	table_row(table, ok ? STYLE_PLAIN : format_status_style(row->status));
	table_text(table, label);
	table_text(table, row->technique);
	if (!ok) {
		add_status(table, row);
		return;
	}
	table_format(table, "ok %.2f", row->verify.max_ratio)->value = row->verify.max_ratio;
	table_number(table, format_number, row->verify.max_ulps);
	add_median(table, row);
	table_number(table, format_percent, 100 * result_row_half_width(row));
	table_number(table, format_number,
		is_about_memory(row->family) ? derived->gbps : derived->gflops);
	table_number(table, format_number, derived->metric);
	table_number(table, format_percent, derived->pct_roof);
	format_limit(derived, limit, sizeof limit);
	table_text(table, limit);
	add_peer(table, row);
	table_number(table, format_factor, derived->step);
	table_number(table, format_factor, derived->total);
	add_claim(table, &row->claim);
	table_below(table, text_or_empty(row->fallback));
}

void ladder_label(const struct result_row *row, const struct result_row *rows, size_t count,
	char *ret_text, size_t size)
{
	size_t same = 0;

	snprintf(ret_text, size, "%s", text_or_empty(row->variant));
	for (size_t i = 0; i < count; i++)
		same += text_equal(rows[i].variant, row->variant);
	if (same > 1)
		format_macros(&row->macros, ret_text, size);
}

/* ---- Parity -------------------------------------------------------------------------------- */

static const struct table_column parity_columns[] = {
	{.title = "variant"},
	TABLE_NUMBER(NULL, "opencl", "ns", 0, 8),
	TABLE_NUMBER(NULL, "cuda", "ns", 0, 8),
	TABLE_NUMBER(NULL, "ratio", "1", 0, 6),
	{.key = "ci95", .title = "95 %", .priority = 2, .width = 14},
	TABLE_NUMBER(NULL, "tolerance", "%", 4, 0),
	{.title = "verdict", .priority = 1},
	{.title = "bits", .priority = 3, .width = 9},
};

/* A column of times has the name of its backend: "opencl" of "opencl:0.0 NAME". */
static void parity_init(struct table *table, const struct group_record *group)
{
	const char *const devices[2] = {
		text_or_empty(group->device), group->other ? group->other : "cuda"};
	struct table_column columns[ARRAY_COUNT(parity_columns)];
	char backends[2][32];

	memcpy(columns, parity_columns, sizeof columns);
	for (size_t i = 0; i < 2; i++) {
		snprintf(backends[i], sizeof backends[i], "%.*s", (int)strcspn(devices[i], ": "),
			devices[i]);
		columns[1 + i].title = backends[i];
	}
	for (size_t i = 1; i + 1 < ARRAY_COUNT(columns); i++)
		columns[i].absent = group->results_only;
	table_init(table, columns, ARRAY_COUNT(columns));
}

/* "opencl ok; cuda skipped: REASON" */
static void add_sides(struct table *table, const struct result_row *const rows[2])
{
	char *text = NULL, words[32];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < 2 && out; i++) {
		bool ok = rows[i]->status == OUTCOME_OK;
		format_status(rows[i]->status, words, sizeof words);
		fprintf(out, "%s%s %s%s%s", i ? "; " : "", text_or_empty(rows[i]->backend), words,
			!ok && rows[i]->reason ? ": " : "",
			ok ? "" : text_or_empty(rows[i]->reason));
	}
	if (out)
		fclose(out);
	table_span(table, text)->style =
		format_status_style(rows[rows[0]->status == OUTCOME_OK]->status);
	free(text);
}

void parity_table_row(struct table *table, const char *label, const struct parity_row *parity,
	const struct result_row *const rows[2])
{
	table_row(table, STYLE_PLAIN);
	table_text(table, label);
	if (rows[0]->status != OUTCOME_OK || rows[1]->status != OUTCOME_OK) {
		add_sides(table, rows);
		return;
	}
	add_median(table, rows[0]);
	add_median(table, rows[1]);
	if (isfinite(parity->round_ratio)) {
		table_number(table, format_ratio, parity->round_ratio);
		add_interval(table, parity->ci95);
		table_number(table, format_percent, 100 * parity->tolerance);
		table_text(table, parity_verdict_name((enum parity_verdict)parity->verdict));
	} else {
		for (size_t i = 0; i < 4; i++)
			table_text(table, "-");
	}
	table_text(table, parity->bit_identical == TRUTH_YES  ? "identical"
			  : parity->bit_identical == TRUTH_NO ? "differ"
							      : "");
}

const struct result_row *parity_side_row(
	const struct result_document *document, const struct parity_row *parity, size_t side)
{
	for (size_t i = 0; i < document->results.count && side < parity->backends.count; i++) {
		const struct result_row *row = &document->results.items[i];
		if (text_equal(row->backend, parity->backends.items[side]) &&
			text_equal(row->family, parity->family) &&
			text_equal(row->variant, parity->variant) &&
			named_list_equal(&row->problem, &parity->problem) &&
			named_list_equal(&row->macros, &parity->macros))
			return row;
	}
	return NULL;
}

/* ---- Heading ------------------------------------------------------------------------------- */

/* Files of earlier versions have the age and the warnings of all roofs together. */
static void put_roofs(FILE *out, const struct roofs_record *roofs)
{
	double age_s = fmax(roofs->ages_s.copy, roofs->ages_s.fma_f32);
	unsigned flags = roofs->flags;

	if (!isfinite(roofs->fma_gflops.f32) && !isfinite(roofs->copy_gbps))
		return;
	if (roofs->roof_flags.record.present)
		flags = roofs->roof_flags.copy | roofs->roof_flags.fma_f32;
	fprintf(out, "      roofs: %s GB/s copy, %s GFLOP/s fma (",
		as_text(format_number, roofs->copy_gbps).text,
		as_text(format_number, roofs->fma_gflops.f32).text);
	roofs_text_put_age(out, isnan(age_s) ? roofs->age_s : age_s);
	for (size_t i = 0; timing_flag_words[i]; i++)
		if (flags & 1u << i)
			fprintf(out, ", %s", timing_flag_words[i]);
	fputc(')', out);
}

/* "matmul  C = A B  f32  m=n=k=512      cuda:0 NVIDIA H200 (580.1)" */
static void put_group(FILE *out, const struct group_record *group)
{
	const struct family *family = family_find(text_or_empty(group->family));
	char driver[128];

	format_driver(group->platform, text_or_empty(group->driver), driver, sizeof driver);
	fprintf(out, "%s  %s  %s  %s      %s %s (%s)", text_or_empty(group->family),
		family ? family->title : "", text_or_empty(group->choices),
		text_or_empty(group->problem), text_or_empty(group->device),
		text_or_empty(group->device_name), driver);
	if (group->other)
		fprintf(out, " against %s", group->other);
}

void ladder_put_heading(FILE *stream, const struct page_style *style,
	const struct group_record *group, const struct roofs_record *roofs)
{
	struct wrap wrap;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	put_group(out, group);
	put_roofs(out, roofs);
	fclose(out);
	if (style->markdown) {
		markdown_text(stream, text_or_empty(text));
		fputs(":\n\n", stream);
	} else {
		fprintf(wrap_begin(&wrap, stream, style->width), "%s\n", text_or_empty(text));
		wrap_end(&wrap);
	}
	free(text);
}

/* ---- Groups -------------------------------------------------------------------------------- */

/* Three marks have room after the times of a table that is printed row by row. */
#define USUAL_MARKS (TIMING_BELOW_RESOLUTION | TIMING_THROTTLED | TIMING_NOISY)

void ladder_table_begin(struct table *table, FILE *out, const struct page_style *style,
	const struct group_record *group)
{
	bool ladder = group->action != GROUP_PARITY;

	(ladder ? ladder_init : parity_init)(table, group);
	/* Rows that are as wide as those of the group. */
	for (size_t i = 0; i <= group->rows.count; i++) {
		const struct group_row *row = i ? &group->rows.items[i - 1] : NULL;
		table_row(table, STYLE_PLAIN);
		table_text(table, row ? row->label : "");
		for (size_t c = 1; c <= (ladder ? LADDER_MEDIAN : 2); c++) {
			struct table_cell *cell = table_text(table,
				row && ladder && c == LADDER_TECHNIQUE ? row->technique : "");
			if (!ladder || c == LADDER_MEDIAN)
				flag_marks_format(USUAL_MARKS, cell->marks);
		}
	}
	table_begin(table, out, style);
	table_drop_rows(table);
}
