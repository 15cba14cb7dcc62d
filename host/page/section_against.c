#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/page/problems.h"
#include "host/page/rate.h"
#include "host/report/format.h"

/* Above this ratio of the largest to the smallest rate the axis is logarithmic. */
#define LINEAR_RATIO 30

#define LETTER_BYTES 8

/* The fastest variant of a family on one side. */
struct winner {
	const struct comparison_row *row; /* NULL = none is timed */
	size_t section;                   /* of page->problems */
	struct rate rate;
	const char *figure; /* name of the rate; of a row */
};

/* One family. */
struct race {
	struct page *page;
	const char *family;
	struct winner *winners; /* one for each side; owned */
	size_t count;           /* sides with a winner */
	struct rate_kind kind;  /* of the common problem */
	size_t common;          /* section of the problem that most sides have */
};

static void side_letter(size_t side, char ret_letter[LETTER_BYTES])
{
	if (side < 26)
		snprintf(ret_letter, LETTER_BYTES, "%c", (int)('A' + side));
	else
		snprintf(ret_letter, LETTER_BYTES, "S%u", (unsigned)(side + 1) % 1000);
}

/* ---- Winners --------------------------------------------------------------------------------- */

/* How many rows of a problem are timed on a side. */
static size_t count_on(const struct page *page, const struct page_problem *problem, size_t side)
{
	size_t count = 0;

	for (size_t i = 0; i < problem->count; i++)
		count += page_is_timed(page_problem_row(page, problem, i), side);
	return count;
}

/* Takes the fastest row of the problem, if the problem has more rows of the side than all problems
 * before. */
static void race_side(struct race *race, const struct page_problem *problem, size_t section,
	size_t side, size_t *max)
{
	const struct page *page = race->page;
	size_t count = count_on(page, problem, side);
	struct winner winner = {.section = section};

	if (count <= *max)
		return;
	struct rate_kind kind = rate_kind_of(page, problem->order, problem->count);
	for (size_t i = 0; i < problem->count; i++) {
		const struct comparison_row *row = page_problem_row(page, problem, i);
		struct rate rate = rate_of(page, &kind, row, side);
		bool better = kind.less_is_better ? rate.value < winner.rate.value
						  : rate.value > winner.rate.value;
		if (isfinite(rate.value) && (!winner.row || better)) {
			winner.row = row;
			winner.rate = rate;
		}
	}
	if (!winner.row)
		return;
	winner.figure = kind.name;
	race->count += !race->winners[side].row;
	race->winners[side] = winner;
	race->kind = kind;
	*max = count;
}

/* The most rows that each side has at one problem of the family. malloc'ed; NULL for lack of
 * memory.
 */
static size_t *largest_counts(const struct page *page, const char *family)
{
	size_t *largest = calloc(page->side_count + 1, sizeof *largest);
	struct page_problem problem;

	for (size_t s = 0; s < page->problems.count && largest; s++) {
		if (strcmp(page_problem_family(page, s), family) != 0 ||
			!page_problem_make(page, s, &problem))
			continue;
		for (size_t side = 0; side < page->side_count; side++) {
			size_t count = count_on(page, &problem, side);
			if (count > largest[side])
				largest[side] = count;
		}
		page_problem_finish(&problem);
	}
	return largest;
}

/* Whether a side has its ladder at a problem, and not only a few variants of a sweep. */
static bool has_ladder(size_t count, size_t largest)
{
	return count > 0 && 2 * count >= largest;
}

/* The problem at which most sides have their ladder is tried first; a side without it takes its
 * own.
 */
static size_t common_problem(const struct page *page, const char *family, const size_t *largest)
{
	size_t best = page->problems.count, max = 0, max_cells = 0;
	struct page_problem problem;

	for (size_t s = 0; s < page->problems.count; s++) {
		size_t sides = 0;
		if (strcmp(page_problem_family(page, s), family) != 0 ||
			!page_problem_make(page, s, &problem))
			continue;
		for (size_t side = 0; side < page->side_count; side++)
			sides += has_ladder(count_on(page, &problem, side), largest[side]);
		if (sides > max || (sides == max && problem.cells > max_cells)) {
			best = s;
			max = sides;
			max_cells = problem.cells;
		}
		page_problem_finish(&problem);
	}
	return best;
}

static bool race_make(struct page *page, const char *family, struct race *ret_race)
{
	size_t *largest = largest_counts(page, family);
	struct race race = {.page = page,
		.family = family,
		.common = largest ? common_problem(page, family, largest) : 0,
		.winners = calloc(page->side_count + 1, sizeof *race.winners)};
	size_t *max = calloc(page->side_count + 1, sizeof *max);
	struct rate_kind kind = {0};
	bool ok = race.winners && max && largest;

	for (size_t pass = 0; pass < 2 && ok; pass++)
		for (size_t s = 0; s < page->problems.count && ok; s++) {
			struct page_problem problem;
			if (strcmp(page_problem_family(page, s), family) != 0 ||
				(s == race.common) != (pass == 0))
				continue;
			ok = page_problem_make(page, s, &problem);
			for (size_t side = 0; side < page->side_count && ok; side++)
				if (pass == 0 ? has_ladder(count_on(page, &problem, side),
							largest[side])
					      : !race.winners[side].row ||
							race.winners[side].section != race.common)
					race_side(&race, &problem, s, side, &max[side]);
			if (pass == 0)
				kind = race.kind;
			if (ok)
				page_problem_finish(&problem);
		}
	free(max);
	free(largest);
	race.kind = kind;
	*ret_race = race;
	return ok;
}

/* ---- Chart ----------------------------------------------------------------------------------- */

/* Whether the side's figure can stand in the chart: it is of the same kind as the others'. */
static bool is_shown(const struct race *race, size_t side)
{
	return race->winners[side].row && text_equal(race->winners[side].figure, race->kind.name);
}

static size_t count_shown(const struct race *race)
{
	size_t count = 0;

	for (size_t side = 0; side < race->page->side_count; side++)
		count += is_shown(race, side);
	return count;
}

static bool wants_log(const struct race *race)
{
	double low = INFINITY, high = 0;

	for (size_t side = 0; side < race->page->side_count; side++)
		if (is_shown(race, side)) {
			low = fmin(low, race->winners[side].rate.value);
			high = fmax(high, race->winners[side].rate.value);
		}
	return high > LINEAR_RATIO * low;
}

/* Whether the side has another problem size than the others. */
static bool is_other_size(const struct race *race, size_t side)
{
	return race->winners[side].section != race->common;
}

/* "vector4", or "vector4, n=65536" for another size. malloc'ed; NULL for lack of memory. */
static char *winner_name(const struct race *race, size_t side)
{
	const struct comparison_row *row = race->winners[side].row;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(text_or_empty(row->variant), out);
	for (size_t i = 0; i < row->problem.count && is_other_size(race, side); i++)
		fprintf(out, "%s%s=%" PRId64, i ? " " : ", ", row->problem.items[i].name,
			row->problem.items[i].value);
	fclose(out);
	return text;
}

/* Adds the row of a side. A name beside a point is left out where it has no space, so another size
 * has a sign in the letter too. */
static bool add_winner(const struct race *race, struct chart *chart, size_t side)
{
	const struct page_side *of = &race->page->sides[side];
	const struct rate *rate = &race->winners[side].rate;
	char *name = winner_name(race, side);
	char letter[LETTER_BYTES + 1];

	side_letter(side, letter);
	if (is_other_size(race, side))
		strcat(letter, "*");
	struct chart_series *series =
		chart_add_series(chart, NULL, of->tint, of->mark, CHART_POINTS);
	bool ok = name && series && chart_add_row(chart, letter) &&
		  chart_add_point(series, rate->value, (double)(chart->row_count - 1), rate->low,
			  rate->high, name);
	free(name);
	return ok;
}

static bool fill_chart(const struct race *race, struct chart *chart)
{
	const struct page *page = race->page;
	char *axis = rate_axis_name(&race->kind), *description = NULL;

	text_format(&description,
		"Rate of the fastest variant of %s on each device, through each backend.",
		race->family);
	bool ok = axis && chart_set_titles(chart, race->family, description) &&
		  chart_set_axis(&chart->x, axis, wants_log(race));
	chart->small = true;
	for (size_t side = 0; side < page->side_count && ok; side++)
		ok = !is_shown(race, side) || add_winner(race, chart, side);
	free(axis);
	free(description);
	return ok;
}

static bool put_chart(const struct race *race)
{
	struct chart chart;

	chart_init(&chart);
	bool ok = fill_chart(race, &chart) && page_chart(race->page, &chart);
	chart_finish(&chart);
	return ok;
}

/* ---- Table ----------------------------------------------------------------------------------- */

static void put_rows(const struct race *race, struct html_table *table)
{
	const struct page *page = race->page;

	for (size_t side = 0; side < page->side_count; side++) {
		const struct winner *winner = &race->winners[side];
		char rate[32], time[32];
		if (!winner->row)
			continue;
		char *problem = comparison_row_problem(winner->row);
		format_number(winner->rate.value, rate, sizeof rate);
		format_ns(winner->row->cells.items[side].median_ns, time, sizeof time);
		html_row_begin(table);
		html_cell_name(table, race->family);
		html_cell_name(table, page->sides[side].name);
		html_cell_name(table, winner->row->variant);
		html_cell_format(table, "%s %s", rate, winner->figure);
		html_cell(table, time);
		html_cell_name(table, problem);
		html_row_end(table);
		free(problem);
	}
}

/* Calls a function for each family that several sides have. */
static bool each_race(
	struct page *page, bool (*use)(const struct race *race, void *context), void *context)
{
	bool ok = true;

	for (size_t s = 0; s < page->problems.count && ok; s++) {
		struct race race;
		if (page_problem_is_later(page, s))
			continue;
		ok = race_make(page, page_problem_family(page, s), &race) &&
		     (count_shown(&race) < 2 || use(&race, context));
		free(race.winners);
	}
	return ok;
}

static bool use_chart(const struct race *race, void *context)
{
	(void)context;
	return put_chart(race);
}

static bool use_rows(const struct race *race, void *context)
{
	put_rows(race, context);
	return true;
}

static bool use_count(const struct race *race, void *context)
{
	(void)race;
	++*(size_t *)context;
	return true;
}

/* ---- Section --------------------------------------------------------------------------------- */

/* The letters of the sides, for all charts of the section. */
static void put_key(const struct page *page)
{
	html_markup(page->out, "<ul class=\"legend\">\n");
	for (size_t side = 0; side < page->side_count; side++) {
		char letter[LETTER_BYTES];
		side_letter(side, letter);
		html_markup(page->out, "<li><b>");
		html_text(page->out, letter);
		html_markup(page->out, "</b> ");
		page_put_sign(page, side);
		html_name(page->out, page->sides[side].name);
		html_markup(page->out, "</li>\n");
	}
	html_markup(page->out, "</ul>\n");
}

bool section_against(struct page *page)
{
	static const struct html_column columns[] = {{"family", HTML_LEFT}, {"device", HTML_LEFT},
		{"fastest variant", HTML_LEFT}, {"rate", HTML_RIGHT}, {"time", HTML_RIGHT},
		{"problem", HTML_LEFT}};
	struct html_table table = {0};
	size_t races = 0;

	if (!each_race(page, use_count, &races))
		return false;
	if (races == 0)
		return true;
	page_section_begin(page, "devices-compared", "Device against device");
	html_markup(page->out,
		"<p>Each small chart is one family. It shows the rate of the fastest variant on each "
		"device, and the name of that variant. A chart has the problem size that most devices "
		"ran. A star beside a letter means that the device ran another size. That size is "
		"beside the variant where there is space. Do not compare rates of different sizes. The "
		"table has all sizes.</p>\n");
	put_key(page);
	html_markup(page->out, "<div class=\"grid\">\n");
	bool ok = each_race(page, use_chart, NULL);
	html_markup(page->out, "</div>\n");
	page_table_begin(page, "Figures of all families");
	html_table_begin(&table, page->out, "The fastest variants", columns,
		sizeof columns / sizeof *columns);
	ok = ok && each_race(page, use_rows, &table);
	html_table_end(&table);
	page_table_end(page);
	page_section_end(page);
	return ok;
}
