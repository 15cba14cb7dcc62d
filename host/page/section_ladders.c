#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/family.h"
#include "host/page/problems.h"
#include "host/page/rate.h"
#include "host/report/flag_marks.h"
#include "host/report/format.h"

/* The axis is logarithmic if largest rate / smallest rate is above this limit. */
#define LINEAR_RATIO 30

struct ladder {
	struct page *page;
	struct page_problem problem;
	struct rate_kind kind;
	char *title; /* "matmul, f32 m=2048 n=2048 k=2048"; owned */
};

/* ---- Chart ----------------------------------------------------------------------------------- */

/* Returns the lane of the side's device. Each device with a time in the ladder has a lane, in the
 * order of the sides. */
static size_t lane_of(const struct ladder *ladder, size_t side, size_t *ret_lanes)
{
	const struct page *page = ladder->page;
	size_t lanes = 0, lane = 0;

	for (size_t i = 0; i < page->side_count; i++) {
		bool timed = false, first = true;
		for (size_t r = 0; r < ladder->problem.count; r++)
			timed |= page_is_timed(page_problem_row(page, &ladder->problem, r), i);
		for (size_t j = 0; j < i; j++)
			first &= page->sides[i].device_index != page->sides[j].device_index;
		if (page->sides[i].device_index == page->sides[side].device_index && first)
			lane = lanes;
		lanes += first && timed;
	}
	*ret_lanes = lanes;
	return lane;
}

/* Returns whether the range of the rates is above LINEAR_RATIO. */
static bool needs_log(const struct ladder *ladder)
{
	const struct page *page = ladder->page;
	double low = INFINITY, high = 0;

	for (size_t r = 0; r < ladder->problem.count; r++)
		for (size_t side = 0; side < page->side_count; side++) {
			struct rate rate = rate_of(page, &ladder->kind,
				page_problem_row(page, &ladder->problem, r), side);
			low = fmin(low, rate.value);
			high = fmax(high, rate.value);
		}
	return high > LINEAR_RATIO * low;
}

/* Returns whether the chart has the row: its variant is timed on a side. */
static bool is_charted(const struct ladder *ladder, size_t index)
{
	const struct comparison_row *row = page_problem_row(ladder->page, &ladder->problem, index);
	bool timed = false;

	for (size_t side = 0; side < ladder->page->side_count; side++)
		timed |= page_is_timed(row, side);
	return timed;
}

static bool add_side(const struct ladder *ladder, struct chart *chart, size_t side)
{
	const struct page_side *of = &ladder->page->sides[side];
	struct chart_series *series = NULL;
	size_t lanes = 1, charted = 0;
	double lane = (double)lane_of(ladder, side, &lanes);
	double offset = (lane - 0.5 * ((double)lanes - 1)) * 0.7 / (double)(lanes ? lanes : 1);

	for (size_t r = 0; r < ladder->problem.count; r++) {
		if (!is_charted(ladder, r))
			continue;
		double y = (double)charted++ + offset;
		struct rate rate = rate_of(ladder->page, &ladder->kind,
			page_problem_row(ladder->page, &ladder->problem, r), side);
		if (isnan(rate.value))
			continue;
		if (!series)
			series =
				chart_add_series(chart, of->name, of->tint, of->mark, CHART_POINTS);
		if (!series || !chart_add_point(series, rate.value, y, rate.low, rate.high, NULL))
			return false;
	}
	return true;
}

static bool fill_chart(const struct ladder *ladder, struct chart *chart)
{
	char *axis = rate_axis_name(&ladder->kind), *description = NULL;
	bool ok = axis != NULL;

	text_format(&description,
		"Rates of the variants of %s, one row for each variant in the order of the ladder, one "
		"mark for each device and backend.",
		ladder->title);
	ok = ok && chart_set_titles(chart, ladder->title, description) &&
	     chart_set_axis(&chart->x, axis, needs_log(ladder));
	for (size_t r = 0; r < ladder->problem.count && ok; r++) {
		if (!is_charted(ladder, r))
			continue;
		char *label = page_row_label(ladder->page, &ladder->problem, r);
		ok = label && chart_add_row(chart, label);
		free(label);
	}
	for (size_t side = 0; side < ladder->page->side_count && ok; side++)
		ok = add_side(ladder, chart, side);
	free(axis);
	free(description);
	return ok;
}

static bool put_chart(const struct ladder *ladder)
{
	struct chart chart;

	chart_init(&chart);
	bool ok = fill_chart(ladder, &chart) && page_chart(ladder->page, &chart);
	chart_finish(&chart);
	return ok;
}

/* ---- Table ----------------------------------------------------------------------------------- */

static bool has_rows(const struct ladder *ladder, size_t side)
{
	for (size_t r = 0; r < ladder->problem.count; r++)
		if (page_problem_row(ladder->page, &ladder->problem, r)->cells.items[side].status !=
			WORD_NULL)
			return true;
	return false;
}

/* Returns whether a row of the side is compared with a library. */
static bool has_peers(const struct ladder *ladder, size_t side)
{
	for (size_t r = 0; r < ladder->problem.count; r++) {
		const struct result_row *result = page_row(
			ladder->page, page_problem_row(ladder->page, &ladder->problem, r), side);
		if (result && peer_list_fastest(&result->peers))
			return true;
	}
	return false;
}

/* The marks of a time, with the one of a fallback. */
static unsigned marks_of(const struct ladder *ladder, const struct comparison_row *row, size_t side)
{
	const struct result_row *result = page_row(ladder->page, row, side);

	return flag_marks_of_cell(&row->cells.items[side]) |
	       (result ? flag_marks_of_row(result) & FLAG_MARK_FALLBACK : 0);
}

/* Returns the flags of all times in the table. */
static unsigned flags_of(const struct ladder *ladder)
{
	unsigned flags = 0;

	for (size_t r = 0; r < ladder->problem.count; r++)
		for (size_t side = 0; side < ladder->page->side_count; side++) {
			const struct comparison_row *row =
				page_problem_row(ladder->page, &ladder->problem, r);
			if (page_is_timed(row, side))
				flags |= marks_of(ladder, row, side);
		}
	return flags;
}

static void put_cells(const struct ladder *ladder, struct html_table *table,
	const struct comparison_row *row, size_t side)
{
	const struct cell_record *cell = &row->cells.items[side];
	const struct result_row *result = page_row(ladder->page, row, side);
	char time[32], width[32], rate[32], limit[64], marks[FLAG_MARKS_BYTES];

	if (!page_is_timed(row, side)) {
		format_status(cell->status, limit, sizeof limit);
		html_cell(table, cell->status == WORD_NULL ? "-" : limit);
		html_cell(table, "-");
		html_cell(table, "-");
		return;
	}
	format_ns(cell->median_ns, time, sizeof time);
	format_percent(
		50 * (cell->ci95_ns[1] - cell->ci95_ns[0]) / cell->median_ns, width, sizeof width);
	format_number(rate_of(ladder->page, &ladder->kind, row, side).value, rate, sizeof rate);
	flag_marks_format(marks_of(ladder, row, side), marks);
	html_cell_format(table, "%s%s ± %s", time, marks, width);
	html_cell(table, rate);
	limit[0] = '\0';
	if (result && result->derived.record.present)
		format_limit(&result->derived, limit, sizeof limit);
	html_cell(table, limit);
}

static const char *technique_of(const struct ladder *ladder, const struct comparison_row *row)
{
	const char *technique = NULL;

	for (size_t side = 0; side < ladder->page->side_count && !technique; side++) {
		const struct result_row *result = page_row(ladder->page, row, side);
		technique = result ? result->technique : NULL;
	}
	return technique;
}

/* "1.08 [1.07, 1.09] x cublas-f32" */
static void put_peer(const struct ladder *ladder, struct html_table *table,
	const struct comparison_row *row, size_t side)
{
	const struct result_row *result = page_row(ladder->page, row, side);
	const struct peer_record *peer = result ? peer_list_fastest(&result->peers) : NULL;

	if (!peer)
		html_cell(table, "-");
	else if (isfinite(peer->ci95[0]) && isfinite(peer->ci95[1]))
		html_cell_format(table, "%.3f [%.3f, %.3f] x %s", peer->ratio, peer->ci95[0],
			peer->ci95[1], text_or_empty(peer->variant));
	else
		html_cell_format(table, "%.3f x %s", peer->ratio, text_or_empty(peer->variant));
}

#define SIDE_COLUMNS 4

/* Makes the columns of each side, with the side in the title. The column of the peer is absent if no
 * row has one. The caller owns the titles. */
static bool make_columns(
	const struct ladder *ladder, struct html_column *columns, size_t *ret_count)
{
	const struct page *page = ladder->page;
	size_t count = 0;
	bool ok = true;

	columns[count++] = (struct html_column){strdup("variant"), HTML_LEFT};
	columns[count++] = (struct html_column){strdup("technique"), HTML_LEFT};
	for (size_t side = 0; side < page->side_count; side++) {
		const char *const parts[SIDE_COLUMNS] = {
			"time", ladder->kind.name, "limit", "peer"};
		size_t max = has_peers(ladder, side)  ? SIDE_COLUMNS
			     : has_rows(ladder, side) ? SIDE_COLUMNS - 1
						      : 0;
		for (size_t i = 0; i < max; i++) {
			char *title = NULL;
			text_format(&title, "%s: %s", page->sides[side].name, parts[i]);
			columns[count++] =
				(struct html_column){title, i >= 2 ? HTML_LEFT : HTML_RIGHT};
		}
	}
	for (size_t i = 0; i < count; i++)
		ok &= columns[i].title != NULL;
	*ret_count = count;
	return ok;
}

static bool put_row(const struct ladder *ladder, struct html_table *table, size_t index)
{
	const struct comparison_row *row = page_problem_row(ladder->page, &ladder->problem, index);
	char *label = page_row_label(ladder->page, &ladder->problem, index);

	if (!label)
		return false;
	html_row_begin(table);
	html_cell_name(table, label);
	html_cell_name(table, technique_of(ladder, row));
	for (size_t side = 0; side < ladder->page->side_count; side++) {
		if (has_rows(ladder, side))
			put_cells(ladder, table, row, side);
		if (has_peers(ladder, side))
			put_peer(ladder, table, row, side);
	}
	html_row_end(table);
	free(label);
	return true;
}

/* Lists the rows of the table that have the mark of a fallback. */
static void put_fallbacks(const struct ladder *ladder)
{
	const struct page *page = ladder->page;

	for (size_t r = 0; r < ladder->problem.count; r++)
		for (size_t side = 0; side < page->side_count; side++) {
			const struct comparison_row *row =
				page_problem_row(page, &ladder->problem, r);
			const struct result_row *result = page_row(page, row, side);
			if (!page_is_timed(row, side) || !result || !result->fallback)
				continue;
			html_markup(page->out, "<br>");
			html_text(page->out, page->sides[side].name);
			html_text(page->out, ", ");
			html_text(page->out, row->variant);
			html_text(page->out, ": ");
			html_text(page->out, result->fallback);
		}
}

/* Names the libraries of the rows of peers: "cublas-f32: cuBLAS 13.0.2". */
static void put_libraries(const struct ladder *ladder)
{
	const struct page *page = ladder->page;
	const char *separator = "<p class=\"note\">Libraries timed in turn with the variants; "
				"a ratio is the time of the library / the time of the variant. ";
	bool any = false;

	for (size_t r = 0; r < ladder->problem.count; r++)
		for (size_t side = 0; side < page->side_count; side++) {
			const struct comparison_row *row =
				page_problem_row(page, &ladder->problem, r);
			const struct result_row *result = page_row(page, row, side);
			if (!page_is_timed(row, side) || !result || !result->peer)
				continue;
			html_markup(page->out, any ? "; " : separator);
			html_text(page->out, page->sides[side].name);
			html_text(page->out, ", ");
			html_text(page->out, row->variant);
			html_text(page->out, ": ");
			html_text(page->out, result->peer);
			any = true;
		}
	if (any)
		html_markup(page->out, ".</p>\n");
}

/* Names the sides whose CPU other programs used. */
static void put_loads(const struct page *page)
{
	for (size_t i = 0; i < page->side_count; i++) {
		const char *load = page->comparison.sides.items[i].load;
		if (!load)
			continue;
		html_markup(page->out, "<p class=\"note\">");
		html_text(page->out, page->sides[i].name);
		html_text(page->out, ": ");
		html_text(page->out, load);
		html_markup(page->out, ".</p>\n");
	}
}

/* Explains the marks in the table. */
static void put_legend(const struct ladder *ladder)
{
	FILE *out = ladder->page->out;
	unsigned flags = flags_of(ladder);
	const char *separator = "";

	if (!flags)
		return;
	html_markup(out, "<p class=\"note\">");
	for (unsigned i = 0; i < FLAG_MARK_COUNT; i++) {
		if (!(flags >> i & 1))
			continue;
		html_text(out, separator);
		html_text(out, flag_marks[i].mark);
		html_text(out, " ");
		html_text(out, flag_marks[i].name);
		html_text(out, ": ");
		html_text(out, flag_marks[i].meaning);
		separator = "; ";
	}
	html_markup(out, ".");
	put_fallbacks(ladder);
	html_markup(out, "</p>\n");
}

static bool put_table(const struct ladder *ladder)
{
	struct html_column *columns =
		calloc(2 + SIDE_COLUMNS * ladder->page->side_count, sizeof *columns);
	struct html_table table = {0};
	size_t count = 0;
	bool ok = columns && make_columns(ladder, columns, &count);

	if (ok) {
		html_table_begin(&table, ladder->page->out, ladder->title, columns, count);
		for (size_t r = 0; r < ladder->problem.count && ok; r++)
			ok = put_row(ladder, &table, r);
		html_table_end(&table);
		put_loads(ladder->page);
		put_legend(ladder);
		put_libraries(ladder);
	}
	for (size_t i = 0; i < count; i++)
		free((void *)(uintptr_t)columns[i].title);
	free(columns);
	return ok;
}

/* ---- Problems -------------------------------------------------------------------------------- */

static bool ladder_make(struct page *page, size_t section, struct ladder *ret_ladder)
{
	struct ladder ladder = {.page = page};

	if (!page_problem_make(page, section, &ladder.problem))
		return false;
	ladder.kind = rate_kind_of(page, ladder.problem.order, ladder.problem.count);
	char *problem = comparison_row_problem(page_problem_row(page, &ladder.problem, 0));
	if (problem)
		text_format(&ladder.title, "%s, %s", page_problem_family(page, section), problem);
	free(problem);
	if (!ladder.title)
		page_problem_finish(&ladder.problem);
	*ret_ladder = ladder;
	return ladder.title != NULL;
}

static void ladder_finish(struct ladder *ladder)
{
	page_problem_finish(&ladder->problem);
	free(ladder->title);
}

/* charted: write a chart, and its table in a <details>; otherwise write only the table. */
static bool put_ladder(struct page *page, size_t section, bool charted)
{
	struct ladder ladder;
	char *summary = NULL;

	if (!ladder_make(page, section, &ladder))
		return false;
	text_format(&summary, "Figures of %s", ladder.title);
	bool ok = summary && (!charted || put_chart(&ladder));
	if (ok && charted)
		page_table_begin(page, summary);
	ok = ok && put_table(&ladder);
	if (ok && charted)
		page_table_end(page);
	free(summary);
	ladder_finish(&ladder);
	return ok;
}

/* ---- Families -------------------------------------------------------------------------------- */

static void put_heading(const struct page *page, size_t section)
{
	const char *name = page_problem_family(page, section);
	const struct family *family = family_find(name);

	html_markup(page->out, "<h3>");
	html_name(page->out, name);
	if (family) {
		html_markup(page->out, " <span class=\"title\">");
		html_text(page->out, family->title);
		html_markup(page->out, "</span>");
	}
	html_markup(page->out, "</h3>\n");
}

/* The problem with the most timed rows of a side. */
struct choice {
	size_t section, rows, cells; /* rows: timed rows of the side; cells: of all sides */
};

static void choose(const struct page *page, const struct page_problem *problem, size_t section,
	struct choice *choices)
{
	for (size_t side = 0; side < page->side_count; side++) {
		struct choice *choice = &choices[side];
		size_t rows = 0;
		for (size_t r = 0; r < problem->count; r++)
			rows += page_is_timed(page_problem_row(page, problem, r), side);
		if (rows > choice->rows ||
			(rows && rows == choice->rows && problem->cells > choice->cells))
			*choice = (struct choice){section, rows, problem->cells};
	}
}

/* Sets whether each problem of the family has a chart, so that each side is in one chart. All other
 * problems belong to a sweep, which has its own section. *ret_others: the number of other
 * problems. */
static bool choose_charts(
	const struct page *page, size_t first, bool *ret_charted, size_t *ret_others)
{
	struct choice *choices = calloc(page->side_count + 1, sizeof *choices);
	bool ok = choices != NULL;

	*ret_others = 0;
	for (size_t i = first; i < page->problems.count && ok; i++) {
		struct page_problem problem;
		if (strcmp(page_problem_family(page, i), page_problem_family(page, first)) != 0)
			continue;
		ok = page_problem_make(page, i, &problem);
		if (ok) {
			choose(page, &problem, i, choices);
			page_problem_finish(&problem);
			++*ret_others;
		}
	}
	for (size_t side = 0; side < page->side_count && ok; side++)
		if (choices[side].rows && !ret_charted[choices[side].section]) {
			ret_charted[choices[side].section] = true;
			--*ret_others;
		}
	free(choices);
	return ok;
}

static bool put_problems(struct page *page, size_t first, const bool *charted, bool with_chart)
{
	bool ok = true;

	for (size_t i = first; i < page->problems.count && ok; i++)
		if (charted[i] == with_chart &&
			strcmp(page_problem_family(page, i), page_problem_family(page, first)) == 0)
			ok = put_ladder(page, i, with_chart);
	return ok;
}

static bool put_family(struct page *page, size_t first)
{
	bool *charted = calloc(page->problems.count + 1, sizeof *charted);
	char *summary = NULL;
	size_t others = 0;

	put_heading(page, first);
	bool ok = charted && choose_charts(page, first, charted, &others) &&
		  put_problems(page, first, charted, true);
	if (ok && others) {
		text_format(&summary, "Figures of %s, %zu other size%s",
			page_problem_family(page, first), others, others == 1 ? "" : "s");
		page_table_begin(page, text_or_empty(summary));
		ok = put_problems(page, first, charted, false);
		page_table_end(page);
	}
	free(summary);
	free(charted);
	return ok;
}

bool section_ladders(struct page *page)
{
	bool ok = true;

	if (page->comparison.rows.count == 0)
		return true;
	page_section_begin(page, "ladders", "Ladders");
	html_markup(page->out,
		"<p>Each chart is one family and problem size. Each row is a variant. The first variant is "
		"at the top, and each variant adds a technique to an earlier variant. Compare the marks "
		"from top to bottom to see what a technique gains. Compare the marks within a row to see "
		"how devices differ. Variants without a time are in the tables.</p>\n"
		"<p>The title of a chart has the type of the elements (f32: 32-bit floating point), "
		"the kind of input data if the family has several, and the problem size. Devices with "
		"different sizes have different charts.</p>\n");
	for (size_t i = 0; i < page->problems.count && ok; i++)
		if (!page_problem_is_later(page, i))
			ok = put_family(page, i);
	page_section_end(page);
	return ok;
}
