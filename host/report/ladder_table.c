#include "host/report/ladder_table.h"

#include "common/family.h"
#include "host/report/flag_marks.h"
#include "host/report/format.h"
#include "host/report/roofs_text.h"
#include "host/report/wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Columns ------------------------------------------------------------------------------- */

enum column {
	COL_LABEL,
	COL_TECHNIQUE,
	COL_CHECK,
	COL_ULPS,
	COL_MEDIAN,
	COL_MARKS,
	COL_HALF_WIDTH,
	COL_RATE,
	COL_METRIC,
	COL_ROOF,
	COL_LIMIT,
	COL_PEER,
	COL_PEER_INTERVAL,
	COL_STEP,
	COL_TOTAL,
	COL_CLAIM,
	COLUMN_COUNT
};

/* LABEL and TECHNIQUE are as wide as their longest text. */
static const struct table_column ladder_columns[COLUMN_COUNT] = {
	[COL_LABEL] = {"variant", 7, 0, 0, false},
	[COL_TECHNIQUE] = {"technique", 9, 2, 11, false},
	[COL_CHECK] = {"check", 7, 2, 0, false},
	[COL_ULPS] = {"ulp", -6, 2, 9, true},
	[COL_MEDIAN] = {"median", -8, 2, 0, false},
	[COL_MARKS] = {"", 3, 0, 0, false},
	[COL_HALF_WIDTH] = {"±", -5, 2, 10, false},
	[COL_RATE] = {"GFLOP/s", -7, 2, 5, false},
	[COL_METRIC] = {"", -7, 2, 4, true},
	[COL_ROOF] = {"%roof", -6, 2, 6, false},
	[COL_LIMIT] = {"limited by", 10, 2, 8, false},
	[COL_PEER] = {"x peer", -6, 2, 1, false},
	[COL_PEER_INTERVAL] = {"95 %", 14, 2, 2, false},
	[COL_STEP] = {"step", -6, 2, 3, false},
	[COL_TOTAL] = {"total", -6, 2, 12, false},
	[COL_CLAIM] = {"claim", 13, 2, 7, false},
};

#define CLAIM_PRIORITY_ON_CPU 13 /* the last column to add: claims do not apply to CPUs */
#define LONG_LIMIT 23            /* "latency (memory 4.8 %)" */

enum parity_column {
	SIDES_LABEL,
	SIDES_FIRST,
	SIDES_FIRST_MARKS,
	SIDES_SECOND,
	SIDES_SECOND_MARKS,
	SIDES_RATIO,
	SIDES_INTERVAL,
	SIDES_TOLERANCE,
	SIDES_VERDICT,
	SIDES_BITS,
	SIDES_COUNT
};

static const struct table_column parity_columns[SIDES_COUNT] = {
	[SIDES_LABEL] = {"variant", 7, 0, 0, false},
	[SIDES_FIRST] = {"opencl", -8, 2, 0, false},
	[SIDES_FIRST_MARKS] = {"", 3, 0, 0, false},
	[SIDES_SECOND] = {"cuda", -8, 2, 0, false},
	[SIDES_SECOND_MARKS] = {"", 3, 0, 0, false},
	[SIDES_RATIO] = {"ratio", -6, 2, 0, false},
	[SIDES_INTERVAL] = {"95 %", 14, 2, 2, false},
	[SIDES_TOLERANCE] = {"tolerance", -9, 2, 4, false},
	[SIDES_VERDICT] = {"verdict", 7, 2, 1, false},
	[SIDES_BITS] = {"bits", 9, 2, 3, false},
};

_Static_assert(COLUMN_COUNT <= LADDER_MAX_COLUMNS, "room for all columns");
_Static_assert(SIDES_COUNT <= LADDER_MAX_COLUMNS, "room for all columns");

/* The column of labels takes at most 1/3 of the width, but may always have LABEL_MIN columns. */
#define LABEL_PART 3
#define LABEL_MIN 26

typedef char cell_text[64];

static int longer(int width, const char *text)
{
	int columns = wrap_columns(text);

	return columns > width ? columns : width;
}

/* Maximum columns of a label in the table. A longer label is printed on a separate line. 0: no
 * limit. */
static int label_max_columns(int width)
{
	if (width == 0)
		return 0;
	return width / LABEL_PART > LABEL_MIN ? width / LABEL_PART : LABEL_MIN;
}

static void set_label_width(struct ladder_table *table, const struct group_record *group)
{
	int *width = &table->columns[COL_LABEL].width;
	int max = label_max_columns(table->style.width);

	for (size_t i = 0; i < group->rows.count; i++) {
		int columns = longer(*width, group->rows.items[i].label);
		*width = max && columns > max ? *width : columns;
	}
}

static void set_ladder_columns(struct ladder_table *table, const struct group_record *group)
{
	const struct family *family = family_find(group->family);
	const char *metric = family ? text_or_empty(family->metric.name) : "";
	struct table_column *columns = table->columns;

	table->bandwidth = family && family_is_about_memory(family);
	table->column_count = COLUMN_COUNT;
	memcpy(columns, ladder_columns, sizeof ladder_columns);
	if (table->bandwidth)
		columns[COL_RATE].title = "GB/s";
	columns[COL_ULPS].absent = !family || !family->shows_ulps;
	columns[COL_METRIC].absent = !*metric;
	columns[COL_METRIC].title = metric;
	columns[COL_METRIC].width = -longer(7, metric);
	columns[COL_PEER].absent = columns[COL_PEER_INTERVAL].absent = !group->peers;
	if (!group->gpu)
		columns[COL_CLAIM].priority = CLAIM_PRIORITY_ON_CPU;
	for (size_t i = 0; i < group->rows.count; i++)
		columns[COL_TECHNIQUE].width = longer(columns[COL_TECHNIQUE].width,
			text_or_empty(group->rows.items[i].technique));
}

static void set_parity_columns(struct ladder_table *table, const struct group_record *group)
{
	const char *other = text_or_empty(group->other);
	struct table_column *columns = table->columns;

	snprintf(table->second, sizeof table->second, "%.*s", (int)strcspn(other, ":"), other);
	table->column_count = SIDES_COUNT;
	memcpy(columns, parity_columns, sizeof parity_columns);
	if (*table->second)
		columns[SIDES_SECOND].title = table->second;
	for (size_t i = SIDES_FIRST; i < SIDES_BITS; i++)
		columns[i].absent = group->results_only;
}

static void choose_columns(struct ladder_table *table, const struct group_record *group)
{
	int width = table->style.width;

	if (group->action == GROUP_PARITY)
		set_parity_columns(table, group);
	else
		set_ladder_columns(table, group);
	set_label_width(table, group);
	int used = columns_choose(table->columns, table->column_count, width, table->shown);
	if (group->action == GROUP_PARITY || !table->shown[COL_LIMIT])
		return;
	int more = LONG_LIMIT - table->columns[COL_LIMIT].width;
	table->long_limit = width == 0 || used + more <= width;
	if (table->long_limit)
		table->columns[COL_LIMIT].width = LONG_LIMIT;
}

static void put_style(const struct ladder_table *table, enum style style)
{
	fputs(style_code(table->style.colour, style), table->out);
}

/* Prints the blanks before a column, then the text. Marks may be wider than their column: they use
 * the blanks of the next column. spilled: columns that the cell before used in this way. Returns
 * the columns that this cell uses. last: no blanks after the text. */
static int put_cell(
	const struct ladder_table *table, size_t column, const char *text, int spilled, bool last)
{
	const struct table_column *shown = &table->columns[column];
	int width = last && shown->width > 0 ? 0 : shown->width;
	int more = wrap_columns(text) - abs(shown->width);

	fprintf(table->out, "%*s", spilled < shown->gap ? shown->gap - spilled : 0, "");
	format_put_padded(table->out, text, width);
	return more > 0 ? more : 0;
}

/* Prints the shown cells from `first` on, without blanks at the end of the line. texts: one for
 * each column. */
static void put_cells(const struct ladder_table *table, size_t first, const char *const *texts)
{
	size_t last = table->column_count;
	int spilled = 0;

	while (last > first && (!table->shown[last - 1] || !*texts[last - 1]))
		last--;
	for (size_t i = first; i < last; i++)
		if (table->shown[i])
			spilled = put_cell(table, i, texts[i], spilled, i + 1 == last);
	fputc('\n', table->out);
}

/* ---- Header -------------------------------------------------------------------------------- */

/* Age and warnings of one roof. Older files have only those of all roofs together. */
static void format_roof(
	const struct roofs_record *roofs, double age_s, unsigned flags, char *ret_text, size_t size)
{
	FILE *out = fmemopen(ret_text, size, "w");

	if (!roofs->roof_flags.record.present)
		flags = roofs->flags;
	*ret_text = '\0';
	if (!out)
		return;
	roofs_text_put_age(out, isnan(age_s) ? roofs->age_s : age_s);
	for (size_t i = 0; timing_flag_words[i]; i++)
		if (flags & 1u << i)
			fprintf(out, ", %s", timing_flag_words[i]);
	fclose(out);
}

/* Both roofs share one text if they have the same age and warnings. */
static void put_roofs(FILE *out, const struct roofs_record *roofs)
{
	double copy_gbps = roofs->copy_gbps, fma_gflops = roofs->fma_gflops.f32;
	char copy[32], fma[32], of_copy[128], of_fma[128];

	if (!isfinite(fma_gflops) && !isfinite(copy_gbps))
		return;
	format_number(copy_gbps, copy, sizeof copy);
	format_number(fma_gflops, fma, sizeof fma);
	format_roof(roofs, roofs->ages_s.copy, roofs->roof_flags.copy, of_copy, sizeof of_copy);
	format_roof(roofs, roofs->ages_s.fma_f32, roofs->roof_flags.fma_f32, of_fma, sizeof of_fma);
	bool one = !isfinite(copy_gbps) || strcmp(of_copy, of_fma) == 0;

	fprintf(out, "roofs: %s GB/s copy", copy);
	if (!one)
		fprintf(out, " (%s)", of_copy);
	fprintf(out, ", %s GFLOP/s fma (%s)", fma, isfinite(fma_gflops) ? of_fma : of_copy);
}

static void put_device(FILE *out, const struct group_record *group)
{
	char driver[128];

	format_driver(group->platform, group->driver, driver, sizeof driver);
	fprintf(out, "%s %s (%s)", group->device, group->device_name, driver);
	if (group->other)
		fprintf(out, " against %s", group->other);
}

static void put_problem(FILE *out, const struct group_record *group)
{
	const struct family *family = family_find(group->family);

	fprintf(out, "%s  %s  %s  %s", group->family, family ? family->title : "", group->choices,
		group->problem);
}

/* Prints the problem, the device and the roofs: in one line if it fits, else in a line for each. */
static void put_heading(const struct ladder_table *table, const struct group_record *group,
	const struct roofs_record *roofs)
{
	char *parts[3] = {NULL};
	size_t sizes[3];
	int width = table->style.width, columns = 0;

	for (size_t i = 0; i < 3; i++) {
		FILE *part = open_memstream(&parts[i], &sizes[i]);
		if (!part)
			continue;
		if (i == 0)
			put_problem(part, group);
		else if (i == 1)
			put_device(part, group);
		else
			put_roofs(part, roofs);
		fclose(part);
		columns += wrap_columns(text_or_empty(parts[i])) + (i ? 6 : 0);
	}
	bool one_line = width == 0 || columns <= width;
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, table->out, width);
	for (size_t i = 0; i < 3; i++) {
		if (parts[i] && *parts[i])
			fprintf(out, "%s%s", i == 0 ? "" : one_line ? "      " : "\n  ", parts[i]);
		free(parts[i]);
	}
	fputc('\n', out);
	wrap_end(&wrap);
}

static void put_titles(const struct ladder_table *table)
{
	const char *titles[LADDER_MAX_COLUMNS];

	for (size_t i = 0; i < table->column_count; i++)
		titles[i] = table->columns[i].title;
	put_style(table, STYLE_BOLD);
	put_cells(table, 0, titles);
	put_style(table, STYLE_PLAIN);
}

void ladder_table_begin(struct ladder_table *table, FILE *out, const struct page_style *style,
	const struct group_record *group, const struct roofs_record *roofs)
{
	*table = (struct ladder_table){.out = out, .style = *style};
	choose_columns(table, group);
	put_heading(table, group, roofs);
	put_titles(table);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

/* A label that is wider than its column is printed on a separate line. */
static void put_label(const struct ladder_table *table, const char *label)
{
	int width = table->columns[COL_LABEL].width;

	if (table->style.width && wrap_columns(label) > width) {
		wrap_put(table->out, table->style.width, label);
		label = "";
	}
	format_put_padded(table->out, label, width);
}

static void format_claim(
	const struct ladder_table *table, const struct claim_record *claim, char *text, size_t size)
{
	const enum claim_verdict verdict = claim_record_verdict(claim);
	const char *word = claim_verdict_name(verdict);
	bool colour = table->style.colour;

	if (!claim->record.present)
		snprintf(text, size, "%s", "");
	else if (!word)
		snprintf(text, size, "n/a");
	else
		snprintf(text, size, "%s%s%s",
			style_code(colour, verdict == CLAIM_HOLDS ? STYLE_GREEN : STYLE_YELLOW),
			word, style_code(colour, STYLE_PLAIN));
}

#define MAX_MARKS 5

/* The columns of marks have room for all flags of a time. If a time has more marks, the last ones are
 * only in the list below the tables. */
static void format_marks(const struct result_row *row, cell_text text)
{
	flag_marks_format(flag_marks_of_row(row), text);
	text[MAX_MARKS] = '\0';
}

/* The ratio to the fastest peer, with its interval. */
static void format_peer(const struct result_row *row, cell_text ratio, cell_text interval)
{
	const struct peer_record *peer = peer_list_fastest(&row->peers);

	snprintf(ratio, sizeof(cell_text), "%s", row->peer ? "" : "-");
	if (!peer)
		return;
	snprintf(ratio, sizeof(cell_text), "%.3f", peer->ratio);
	if (isfinite(peer->ci95[0]) && isfinite(peer->ci95[1]))
		snprintf(interval, sizeof(cell_text), "[%.3f, %.3f]", peer->ci95[0], peer->ci95[1]);
}

static void fill_cells(const struct ladder_table *table, const struct result_row *row,
	cell_text cells[COLUMN_COUNT])
{
	const struct derived_record *derived = &row->derived;
	const char *limit = limited_by_name((enum limited_by)derived->limited_by);
	size_t size = sizeof(cell_text);

	snprintf(cells[COL_TECHNIQUE], size, "%s", text_or_empty(row->technique));
	snprintf(cells[COL_CHECK], size, "ok %.2f", row->verify.max_ratio);
	format_number(row->verify.max_ulps, cells[COL_ULPS], size);
	format_ns(result_row_median_ns(row), cells[COL_MEDIAN], size);
	format_marks(row, cells[COL_MARKS]);
	format_percent(100 * result_row_half_width(row), cells[COL_HALF_WIDTH], size);
	format_number(table->bandwidth ? derived->gbps : derived->gflops, cells[COL_RATE], size);
	format_number(derived->metric, cells[COL_METRIC], size);
	format_percent(derived->pct_roof, cells[COL_ROOF], size);
	if (table->long_limit)
		format_limit(derived, cells[COL_LIMIT], size);
	else
		snprintf(cells[COL_LIMIT], size, "%s", limit ? limit : "-");
	format_peer(row, cells[COL_PEER], cells[COL_PEER_INTERVAL]);
	format_factor(derived->step, cells[COL_STEP], size);
	format_factor(derived->total, cells[COL_TOTAL], size);
	format_claim(table, &row->claim, cells[COL_CLAIM], size);
}

static void put_status(FILE *out, const struct ladder_table *table, const struct result_row *row)
{
	char words[32];

	format_status(row->status, words, sizeof words);
	fprintf(out, "%s%s", style_code(table->style.colour, format_status_style(row->status)),
		words);
	if (row->status != OUTCOME_OK && row->reason)
		fprintf(out, ": %s", row->reason);
	fputs(style_code(table->style.colour, STYLE_PLAIN), out);
}

static void put_bad_row(
	const struct ladder_table *table, const char *label, const struct result_row *row)
{
	const struct table_column *technique = &table->columns[COL_TECHNIQUE];
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, table->out, table->style.width);

	fputs(style_code(table->style.colour, format_status_style(row->status)), out);
	format_put_padded(out, label, table->columns[COL_LABEL].width);
	fputs("  ", out);
	if (table->shown[COL_TECHNIQUE]) {
		format_put_padded(out, text_or_empty(row->technique), technique->width);
		fputs("  ", out);
	}
	put_status(out, table, row);
	fputc('\n', out);
	wrap_end(&wrap);
}

void ladder_table_row(
	const struct ladder_table *table, const char *label, const struct result_row *row)
{
	cell_text cells[COLUMN_COUNT] = {{0}};
	const char *texts[COLUMN_COUNT];

	if (row->status != OUTCOME_OK) {
		put_bad_row(table, label, row);
		return;
	}
	fill_cells(table, row, cells);
	for (size_t i = 0; i < COLUMN_COUNT; i++)
		texts[i] = cells[i];
	put_label(table, label);
	put_cells(table, COL_LABEL + 1, texts);
}

/* ---- Parity -------------------------------------------------------------------------------- */

static void put_sides(
	const struct ladder_table *table, const char *label, const struct result_row rows[2])
{
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, table->out, table->style.width);

	format_put_padded(out, label, table->columns[SIDES_LABEL].width);
	for (size_t i = 0; i < 2; i++) {
		fprintf(out, "%s%s ", i ? "; " : "  ", rows[i].backend);
		put_status(out, table, &rows[i]);
	}
	fputc('\n', out);
	wrap_end(&wrap);
}

void ladder_table_parity(const struct ladder_table *table, const char *label,
	const struct parity_row *parity, const struct result_row rows[2])
{
	cell_text cells[SIDES_COUNT] = {{0}};
	const char *texts[SIDES_COUNT];
	size_t size = sizeof *cells;

	if (rows[0].status != OUTCOME_OK || rows[1].status != OUTCOME_OK) {
		put_sides(table, label, rows);
		return;
	}
	for (size_t i = SIDES_RATIO; i < SIDES_BITS; i++)
		snprintf(cells[i], size, "-");
	format_ns(result_row_median_ns(&rows[0]), cells[SIDES_FIRST], size);
	format_ns(result_row_median_ns(&rows[1]), cells[SIDES_SECOND], size);
	format_marks(&rows[0], cells[SIDES_FIRST_MARKS]);
	format_marks(&rows[1], cells[SIDES_SECOND_MARKS]);
	if (isfinite(parity->round_ratio)) {
		snprintf(cells[SIDES_RATIO], size, "%.3f", parity->round_ratio);
		if (isfinite(parity->ci95[0]))
			snprintf(cells[SIDES_INTERVAL], size, "[%.3f, %.3f]", parity->ci95[0],
				parity->ci95[1]);
		format_percent(100 * parity->tolerance, cells[SIDES_TOLERANCE], size);
		snprintf(cells[SIDES_VERDICT], size, "%s",
			parity_verdict_name((enum parity_verdict)parity->verdict));
	}
	snprintf(cells[SIDES_BITS], size, "%s",
		parity->bit_identical == TRUTH_YES ? "identical" : "differ");
	for (size_t i = 0; i < SIDES_COUNT; i++)
		texts[i] = cells[i];
	put_label(table, label);
	put_cells(table, SIDES_LABEL + 1, texts);
}
