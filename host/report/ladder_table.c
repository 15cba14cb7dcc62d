#include "host/report/ladder_table.h"

#include "common/family.h"
#include "host/report/format.h"
#include "host/report/roofs_text.h"

#include <math.h>
#include <string.h>

/* Negative widths are right-aligned. LABEL and TECHNIQUE are as wide as their longest text. */
static const struct {
	const char *title;
	int width;
} columns[COLUMN_COUNT] = {
	[COL_LABEL] = {"variant", 7},
	[COL_TECHNIQUE] = {"technique", 9},
	[COL_CHECK] = {"check", 7},
	[COL_MEDIAN] = {"median", -8},
	[COL_HALF_WIDTH] = {"±", -5},
	[COL_RATE] = {"GFLOP/s", -7},
	[COL_METRIC] = {"", 0},
	[COL_ROOF] = {"%roof", -6},
	[COL_LIMIT] = {"limited by", 23},
	[COL_STEP] = {"step", -6},
	[COL_TOTAL] = {"total", -6},
	[COL_CLAIM] = {"claim", 0},
};

enum {
	PARITY_COLUMNS = 7
};

static const struct {
	const char *title;
	int width;
} parity_columns[PARITY_COLUMNS] = {{"opencl", -8}, {"cuda", -8}, {"ratio", -6}, {"95 %", 14},
	{"tolerance", -9}, {"verdict", 8}, {"bits", 0}};

typedef char cell_text[64];

static int longer(int width, const char *text)
{
	return (int)strlen(text) > width ? (int)strlen(text) : width;
}

static void put_style(const struct ladder_table *table, enum style style)
{
	fputs(style_code(table->colour, style), table->out);
}

/* ---- Header -------------------------------------------------------------------------------- */

static void put_roofs(FILE *out, const struct roofs_record *roofs)
{
	char copy[32];
	char fma[32];

	if (!isfinite(roofs->fma_gflops.f32) && !isfinite(roofs->copy_gbps))
		return;
	format_number(roofs->copy_gbps, copy, sizeof copy);
	format_number(roofs->fma_gflops.f32, fma, sizeof fma);
	fprintf(out, "      roofs: %s GB/s copy, %s GFLOP/s fma (", copy, fma);
	roofs_put_age(out, roofs);
	for (size_t i = 0; timing_flag_words[i]; i++)
		if (roofs->flags & 1u << i)
			fprintf(out, ", %s", timing_flag_words[i]);
	fputc(')', out);
}

/* This column exists only for families with a metric. */
static bool has_column(const struct ladder_table *table, int column)
{
	return column != COL_METRIC || *table->metric_name;
}

static const char *title_of(const struct ladder_table *table, int column)
{
	if (column == COL_METRIC)
		return table->metric_name;
	return column == COL_RATE && table->bandwidth ? "GB/s" : columns[column].title;
}

/* other: the device of the second column of parity, "cuda-emu:0 ..."; NULL for a ladder. */
static void put_titles(const struct ladder_table *table, bool parity, const char *other)
{
	char backend[32];
	FILE *out = table->out;

	snprintf(backend, sizeof backend, "%.*s", (int)strcspn(text_or_empty(other), ":"),
		text_or_empty(other));

	put_style(table, STYLE_BOLD);
	put_padded(out, columns[COL_LABEL].title, table->widths[COL_LABEL]);
	for (size_t i = 0; parity && i < PARITY_COLUMNS; i++) {
		fputs("  ", out);
		put_padded(out, i == 1 && *backend ? backend : parity_columns[i].title,
			parity_columns[i].width);
	}
	for (int i = COL_TECHNIQUE; !parity && i < COLUMN_COUNT; i++) {
		if (!has_column(table, i))
			continue;
		fputs("  ", out);
		put_padded(out, title_of(table, i), table->widths[i]);
	}
	put_style(table, STYLE_PLAIN);
	fputc('\n', out);
}

static void set_widths(struct ladder_table *table, const struct group_record *group)
{
	int *widths = table->widths;

	for (int c = 0; c < COLUMN_COUNT; c++)
		widths[c] = columns[c].width;
	widths[COL_METRIC] = -longer(7, table->metric_name);
	for (size_t i = 0; i < group->rows.count; i++) {
		const struct group_row *row = &group->rows.items[i];
		widths[COL_LABEL] = longer(widths[COL_LABEL], row->label);
		widths[COL_TECHNIQUE] = longer(widths[COL_TECHNIQUE], row->technique);
	}
}

void ladder_table_begin(struct ladder_table *table, FILE *out, bool colour,
	const struct group_record *group, const struct roofs_record *roofs)
{
	const struct family *family = family_find(group->family);
	const char *metric_name = family ? family->metric.name : NULL;
	char driver[64];

	*table = (struct ladder_table){.out = out,
		.colour = colour,
		.bandwidth = family && family_is_about_memory(family),
		.metric_name = text_or_empty(metric_name)};
	set_widths(table, group);
	format_driver(group->driver, driver, sizeof driver);
	fprintf(out, "%s  %s  %s  %s      %s %s (%s)", group->family, family ? family->title : "",
		group->choices, group->problem, group->device, group->device_name, driver);
	if (group->other)
		fprintf(out, " against %s", group->other);
	put_roofs(out, roofs);
	fputc('\n', out);
	put_titles(table, group->action == GROUP_PARITY, group->other);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static void format_claim(
	const struct ladder_table *table, const struct claim_record *claim, char *text, size_t size)
{
	const enum claim_verdict verdict = claim_record_verdict(claim);
	const char *word = claim_verdict_name(verdict);

	if (!claim->record.present)
		snprintf(text, size, "%s", "");
	else if (!word)
		snprintf(text, size, "n/a");
	else
		snprintf(text, size, "%s%s%s",
			style_code(
				table->colour, verdict == CLAIM_HOLDS ? STYLE_GREEN : STYLE_YELLOW),
			word, style_code(table->colour, STYLE_PLAIN));
}

static void fill_cells(const struct ladder_table *table, const struct result_row *row,
	cell_text cells[COLUMN_COUNT])
{
	const struct derived_record *derived = &row->derived;
	size_t size = sizeof(cell_text);

	snprintf(cells[COL_CHECK], size, "ok %.2f", row->verify.max_ratio);
	format_ns(result_row_median_ns(row), cells[COL_MEDIAN], size);
	format_percent(100 * result_row_half_width(row), cells[COL_HALF_WIDTH], size);
	format_number(table->bandwidth ? derived->gbps : derived->gflops, cells[COL_RATE], size);
	format_number(derived->metric, cells[COL_METRIC], size);
	format_percent(derived->pct_roof, cells[COL_ROOF], size);
	format_limit(derived, cells[COL_LIMIT], size);
	format_factor(derived->step, cells[COL_STEP], size);
	format_factor(derived->total, cells[COL_TOTAL], size);
	format_claim(table, &row->claim, cells[COL_CLAIM], size);
}

static void put_status(const struct ladder_table *table, const struct result_row *row)
{
	char words[32];

	format_status(row->status, words, sizeof words);
	fputs(words, table->out);
	if (row->status != OUTCOME_OK && row->reason)
		fprintf(table->out, ": %s", row->reason);
}

void ladder_table_row(
	const struct ladder_table *table, const char *label, const struct result_row *row)
{
	cell_text cells[COLUMN_COUNT] = {{0}};
	bool ok = row->status == OUTCOME_OK;
	FILE *out = table->out;

	if (!ok)
		put_style(table, status_style(row->status));
	put_padded(out, label, table->widths[COL_LABEL]);
	fputs("  ", out);
	put_padded(out, row->technique, table->widths[COL_TECHNIQUE]);
	fputs("  ", out);
	if (!ok) {
		put_status(table, row);
		put_style(table, STYLE_PLAIN);
		fputc('\n', out);
		return;
	}
	fill_cells(table, row, cells);
	/* The last column with text is not padded: no blanks at the end of a line. */
	int last = COLUMN_COUNT - 1;
	while (!cells[last][0])
		last--;
	for (int i = COL_CHECK; i <= last; i++) {
		if (!has_column(table, i))
			continue;
		fputs(i == COL_CHECK ? "" : "  ", out);
		put_padded(out, cells[i], i == last && table->widths[i] > 0 ? 0 : table->widths[i]);
	}
	fputc('\n', out);
}

/* ---- Parity -------------------------------------------------------------------------------- */

static void put_sides(const struct ladder_table *table, const struct result_row rows[2])
{
	for (size_t i = 0; i < 2; i++) {
		fprintf(table->out, "%s%s ", i ? "; " : "  ", rows[i].backend);
		put_style(table, status_style(rows[i].status));
		put_status(table, &rows[i]);
		put_style(table, STYLE_PLAIN);
	}
	fputc('\n', table->out);
}

void ladder_table_parity(const struct ladder_table *table, const char *label,
	const struct parity_row *parity, const struct result_row rows[2])
{
	cell_text cells[PARITY_COLUMNS] = {{0}};
	bool timed = isfinite(parity->round_ratio);

	put_padded(table->out, label, table->widths[COL_LABEL]);
	if (rows[0].status != OUTCOME_OK || rows[1].status != OUTCOME_OK) {
		put_sides(table, rows);
		return;
	}
	for (size_t i = 2; i < PARITY_COLUMNS - 1; i++)
		snprintf(cells[i], sizeof *cells, "-");
	format_ns(result_row_median_ns(&rows[0]), cells[0], sizeof *cells);
	format_ns(result_row_median_ns(&rows[1]), cells[1], sizeof *cells);
	if (timed) {
		snprintf(cells[2], sizeof *cells, "%.3f", parity->round_ratio);
		if (isfinite(parity->ci95[0]))
			snprintf(cells[3], sizeof *cells, "[%.3f, %.3f]", parity->ci95[0],
				parity->ci95[1]);
		format_percent(100 * parity->tolerance, cells[4], sizeof *cells);
		snprintf(cells[5], sizeof *cells, "%s",
			parity_verdict_name((enum parity_verdict)parity->verdict));
	}
	snprintf(cells[6], sizeof *cells, "%s",
		parity->bit_identical == TRUTH_YES ? "identical" : "differ");
	for (size_t i = 0; i < PARITY_COLUMNS; i++) {
		fputs("  ", table->out);
		put_padded(table->out, cells[i], parity_columns[i].width);
	}
	fputc('\n', table->out);
}
