#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/family.h"
#include "host/page/problems.h"
#include "host/page/rate.h"
#include "host/report/format.h"

/* The axis is logarithmic if largest rate / smallest rate is above this limit. */
#define LINEAR_RATIO 30

#define LETTER_BYTES 8

/* The fastest variant of a family on one side: it solves the family's problem at full precision. */
struct fastest {
	const struct comparison_row *row; /* NULL = none is timed */
	size_t section;                   /* section of page->problems */
	struct rate rate;
	const char *figure; /* name of the rate; belongs to a row */
};

/* The fastest variants of one family. */
struct family_best {
	struct page *page;
	const char *family;
	struct fastest *fastest; /* one for each side; owned */
	size_t count;            /* number of sides with a timed variant */
	struct rate_kind kind;   /* kind of rate of the common problem */
	size_t common;           /* section of the problem that most sides have */
};

static void side_letter(size_t side, char ret_letter[LETTER_BYTES])
{
	if (side < 26)
		snprintf(ret_letter, LETTER_BYTES, "%c", (int)('A' + side));
	else
		snprintf(ret_letter, LETTER_BYTES, "S%u", (unsigned)(side + 1) % 1000);
}

/* ---- Fastest variants ------------------------------------------------------------------------ */

/* Counts the rows of a problem that are timed on a side. */
static size_t count_on(const struct page *page, const struct page_problem *problem, size_t side)
{
	size_t count = 0;

	for (size_t i = 0; i < problem->count; i++)
		count += page_is_timed(page_problem_row(page, problem, i), side);
	return count;
}

static bool solves_family(const struct comparison_row *row)
{
	return !row->peer &&
	       variant_solves_family(text_or_empty(row->family), text_or_empty(row->variant));
}

/* Uses the fastest row of the problem, if the problem has more rows of the side than all problems
 * before. */
static void use_fastest_of(struct family_best *best, const struct page_problem *problem,
	size_t section, size_t side, size_t *max)
{
	const struct page *page = best->page;
	size_t count = count_on(page, problem, side);
	struct fastest found = {.section = section};

	if (count <= *max)
		return;
	struct rate_kind kind = rate_kind_of(page, problem->order, problem->count);
	for (size_t i = 0; i < problem->count; i++) {
		const struct comparison_row *row = page_problem_row(page, problem, i);
		struct rate rate = rate_of(page, &kind, row, side);
		bool better = kind.less_is_better ? rate.value < found.rate.value
						  : rate.value > found.rate.value;
		if (solves_family(row) && isfinite(rate.value) && (!found.row || better)) {
			found.row = row;
			found.rate = rate;
		}
	}
	if (!found.row)
		return;
	found.figure = kind.name;
	best->count += !best->fastest[side].row;
	best->fastest[side] = found;
	best->kind = kind;
	*max = count;
}

/* Returns for each side the maximum number of rows at one problem of the family. malloc'ed; NULL
 * for lack of memory. */
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

/* Returns whether a side has its ladder at a problem, not only a few variants of a sweep. */
static bool has_ladder(size_t count, size_t largest)
{
	return count > 0 && 2 * count >= largest;
}

/* Returns whether two problems have the same type, operation and data. */
static bool same_choices(const struct comparison_row *a, const struct comparison_row *b)
{
	return text_equal(a->dtype, b->dtype) && text_equal(a->op, b->op) &&
	       text_equal(a->data, b->data);
}

static bool is_f16(const struct comparison_row *row)
{
	return text_equal(row->dtype, dtype_info(DTYPE_F16)->name);
}

/* Returns the first row of a section of page->problems. */
static const struct comparison_row *first_row(const struct page *page, size_t section)
{
	const struct comparison_sections *problems = &page->problems;

	return &page->comparison.rows.items[problems->order[problems->starts[section]]];
}

/* Returns the problem at which most sides have their ladder; a problem in f16 only if there is no
 * other. It is tried first. A side without a ladder there uses its own problem of the same type,
 * operation and data. Returns the number of problems if no row of the family is timed. */
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
		if (sides && !is_f16(first_row(page, s)))
			sides += page->side_count;
		if (sides > max || (sides == max && problem.cells > max_cells)) {
			best = s;
			max = sides;
			max_cells = problem.cells;
		}
		page_problem_finish(&problem);
	}
	return best;
}

static bool family_best_make(struct page *page, const char *family, struct family_best *ret_best)
{
	size_t *largest = largest_counts(page, family);
	struct family_best best = {.page = page,
		.family = family,
		.common = largest ? common_problem(page, family, largest) : 0,
		.fastest = calloc(page->side_count + 1, sizeof *best.fastest)};
	size_t *max = calloc(page->side_count + 1, sizeof *max);
	struct rate_kind kind = {0};
	bool ok = best.fastest && max && largest;

	for (size_t pass = 0; pass < 2 && ok; pass++)
		for (size_t s = 0; s < page->problems.count && ok; s++) {
			struct page_problem problem;
			if (best.common == page->problems.count ||
				strcmp(page_problem_family(page, s), family) != 0 ||
				(s == best.common) != (pass == 0) ||
				!same_choices(first_row(page, s), first_row(page, best.common)))
				continue;
			ok = page_problem_make(page, s, &problem);
			for (size_t side = 0; side < page->side_count && ok; side++)
				if (pass == 0 ? has_ladder(count_on(page, &problem, side),
							largest[side])
					      : !best.fastest[side].row ||
							best.fastest[side].section != best.common)
					use_fastest_of(&best, &problem, s, side, &max[side]);
			if (pass == 0)
				kind = best.kind;
			if (ok)
				page_problem_finish(&problem);
		}
	free(max);
	free(largest);
	best.kind = kind;
	*ret_best = best;
	return ok;
}

/* ---- Chart ----------------------------------------------------------------------------------- */

/* Returns whether the chart can show the side: its figure is of the same kind as the others. */
static bool is_shown(const struct family_best *best, size_t side)
{
	return best->fastest[side].row && text_equal(best->fastest[side].figure, best->kind.name);
}

static size_t count_shown(const struct family_best *best)
{
	size_t count = 0;

	for (size_t side = 0; side < best->page->side_count; side++)
		count += is_shown(best, side);
	return count;
}

static bool needs_log(const struct family_best *best)
{
	double low = INFINITY, high = 0;

	for (size_t side = 0; side < best->page->side_count; side++)
		if (is_shown(best, side)) {
			low = fmin(low, best->fastest[side].rate.value);
			high = fmax(high, best->fastest[side].rate.value);
		}
	return high > LINEAR_RATIO * low;
}

/* Returns whether the side has another problem size than the common one. */
static bool is_other_size(const struct family_best *best, size_t side)
{
	return best->fastest[side].section != best->common;
}

static const char *own_words(const struct comparison_row *row, size_t side)
{
	return row->cells.items[side].own_kernel ? " (your kernel)" : "";
}

/* Returns "vector4", or "vector4, n=65536" for another size. malloc'ed; NULL if there is no
 * memory. */
static char *fastest_name(const struct family_best *best, size_t side)
{
	const struct comparison_row *row = best->fastest[side].row;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "%s%s", text_or_empty(row->variant), own_words(row, side));
	for (size_t i = 0; i < row->problem.count && is_other_size(best, side); i++)
		fprintf(out, "%s%s=%" PRId64, i ? " " : ", ", row->problem.items[i].name,
			row->problem.items[i].value);
	fclose(out);
	return text;
}

/* Adds the row of a side. The letter also marks another size, because a name beside a point is
 * omitted if it has no space. */
static bool add_fastest(const struct family_best *best, struct chart *chart, size_t side)
{
	const struct page_side *of = &best->page->sides[side];
	const struct rate *rate = &best->fastest[side].rate;
	char *name = fastest_name(best, side);
	char letter[LETTER_BYTES + 1];

	side_letter(side, letter);
	if (is_other_size(best, side))
		strcat(letter, "*");
	struct chart_series *series =
		chart_add_series(chart, NULL, of->tint, of->mark, CHART_POINTS);
	bool ok = name && series && chart_add_row(chart, letter) &&
		  chart_add_point(series, rate->value, (double)(chart->row_count - 1), rate->low,
			  rate->high, name);
	free(name);
	return ok;
}

static bool fill_chart(const struct family_best *best, struct chart *chart)
{
	const struct page *page = best->page;
	char *axis = rate_axis_name(&best->kind), *description = NULL;

	text_format(&description,
		"Rate of the fastest variant of %s on each device, through each backend.",
		best->family);
	bool ok = axis && chart_set_titles(chart, best->family, description) &&
		  chart_set_axis(&chart->x, axis, needs_log(best));
	chart->small = true;
	for (size_t side = 0; side < page->side_count && ok; side++)
		ok = !is_shown(best, side) || add_fastest(best, chart, side);
	free(axis);
	free(description);
	return ok;
}

static bool put_chart(const struct family_best *best)
{
	struct chart chart;

	chart_init(&chart);
	bool ok = fill_chart(best, &chart) && page_chart(best->page, &chart);
	chart_finish(&chart);
	return ok;
}

/* ---- Table ----------------------------------------------------------------------------------- */

static void put_rows(const struct family_best *best, struct html_table *table)
{
	const struct page *page = best->page;

	for (size_t side = 0; side < page->side_count; side++) {
		const struct fastest *found = &best->fastest[side];
		char rate[32], time[32];
		if (!found->row)
			continue;
		char *problem = comparison_row_problem(found->row);
		format_number(found->rate.value, rate, sizeof rate);
		format_ns(found->row->cells.items[side].median_ns, time, sizeof time);
		html_row_begin(table);
		html_cell_name(table, best->family);
		html_cell_name(table, page->sides[side].name);
		html_cell_format(table, "%s%s", text_or_empty(found->row->variant),
			own_words(found->row, side));
		html_cell_format(table, "%s %s", rate, found->figure);
		html_cell(table, time);
		html_cell_name(table, problem);
		html_row_end(table);
		free(problem);
	}
}

/* Calls `use` for each family that several sides have. */
static bool each_family(struct page *page,
	bool (*use)(const struct family_best *best, void *context), void *context)
{
	bool ok = true;

	for (size_t s = 0; s < page->problems.count && ok; s++) {
		struct family_best best;
		if (page_problem_is_later(page, s))
			continue;
		ok = family_best_make(page, page_problem_family(page, s), &best) &&
		     (count_shown(&best) < 2 || use(&best, context));
		free(best.fastest);
	}
	return ok;
}

static bool use_chart(const struct family_best *best, void *context)
{
	(void)context;
	return put_chart(best);
}

static bool use_rows(const struct family_best *best, void *context)
{
	put_rows(best, context);
	return true;
}

static bool use_count(const struct family_best *best, void *context)
{
	(void)best;
	++*(size_t *)context;
	return true;
}

/* ---- Section --------------------------------------------------------------------------------- */

/* Writes the letters of the sides, for all charts of the section. */
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

	if (!each_family(page, use_count, &races))
		return false;
	if (races == 0)
		return true;
	page_section_begin(page, "devices-compared", "Device against device");
	html_markup(page->out,
		"<p>Each small chart is one family. It shows the rate of the fastest variant on each "
		"device, and the name of that variant. Only variants that solve the problem of the "
		"family at full precision count: a copy is no transpose, and a product in f16 is no "
		"product in f32. A chart has the problem size that most devices "
		"ran. A star beside a letter means that the device ran another size. That size is "
		"beside the variant where there is space. Do not compare rates of different sizes. The "
		"table has all sizes.</p>\n");
	put_key(page);
	html_markup(page->out, "<div class=\"grid\">\n");
	bool ok = each_family(page, use_chart, NULL);
	html_markup(page->out, "</div>\n");
	page_table_begin(page, "Figures of all families");
	html_table_begin(&table, page->out, "The fastest variants", columns,
		sizeof columns / sizeof *columns);
	ok = ok && each_family(page, use_rows, &table);
	html_table_end(&table);
	page_table_end(page);
	page_section_end(page);
	return ok;
}
