#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/clean_text.h"
#include "common/family.h"
#include "common/model/parity.h"
#include "host/compare/compare.h"
#include "host/page/section.h"
#include <math.h>

static const char *backend_name(const char *backend)
{
	static const struct {
		const char *word, *name;
	} names[] = {{"cuda", "CUDA"}, {"opencl", "OpenCL"}, {"cuda-emu", "CUDA emulator"},
		{"opencl-emu", "OpenCL emulator"}};

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (text_equal(names[i].word, backend))
			return names[i].name;
	return text_or_empty(backend);
}

/* ---- Devices --------------------------------------------------------------------------------- */

/* Sets record, view and roofs from the file of a cell, unless an earlier cell has them. */
static void describe(struct page_side *side, const struct cell_record *cell)
{
	const struct device_record *device = device_of_key(cell->shown_in, cell->shown->device);
	const struct view_record *view = device_view(device, cell->shown->backend);

	if (!side->record) {
		side->record = device;
		side->view = view;
	}
	if (!side->roofs && view && view->roofs.record.present)
		side->roofs = &view->roofs;
	else if (!side->roofs && device && device->roofs.record.present)
		side->roofs = &device->roofs;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Maximum size of a device's name, in bytes. */
#define NAME_BYTES 120

/* Returns whether another device before `end` has the name. */
static bool is_taken(const struct page *page, size_t end, const char *name)
{
	for (size_t i = 0; i < end; i++)
		if (text_equal(page->sides[i].device_name, name))
			return true;
	return false;
}

/* Names a new device: without "(R)" and "(TM)", cut to NAME_BYTES, with a number if the name is taken. */
static void name_device(struct page *page, size_t index, const char *title)
{
	static const char *const noise[] = {"(R)", "(TM)"};
	struct page_side *side = &page->sides[index];
	char plain[NAME_BYTES], *found;
	size_t length = clean_text(title, strlen(title), CLEAN_LINE, plain, sizeof plain);
	const char *end = length < sizeof plain ? "" : "...";

	for (size_t i = 0; i < ARRAY_COUNT(noise); i++)
		while ((found = strstr(plain, noise[i]))) {
			const char *rest = found + strlen(noise[i]);
			memmove(found, rest, strlen(rest) + 1);
		}
	text_format(&side->device_name, "%s%s", plain, end);
	for (size_t n = 2; side->device_name && is_taken(page, index, side->device_name); n++)
		text_format(&side->device_name, "%s%s #%zu", plain, end, n);
	side->device = page->device_count++;
}

/* Fills a side from its first cell. The first side of a device names the device. */
static bool fill_side(struct page *page, size_t index, const struct cell_record *cell)
{
	struct page_side *side = &page->sides[index], *twin = page->sides;
	const char *key = text_or_empty(cell->shown->device);

	side->backend = text_or_empty(cell->shown->backend);
	side->backend_name = backend_name(side->backend);
	side->identity =
		side->record ? device_identity_on_host(side->record, cell->shown_in) : strdup(key);
	if (!side->identity)
		return false;
	while (!text_equal(twin->identity, side->identity))
		twin++;
	if (twin < side) {
		side->device = twin->device;
		text_set(&side->device_name, twin->device_name);
	} else {
		char *title = side->record && side->record->name ? device_record_title(side->record)
								 : NULL;
		name_device(page, index, title ? title : key);
		free(title);
	}
	text_format(&side->name, "%s, %.*s", text_or_empty(side->device_name), NAME_BYTES,
		side->backend_name);
	return side->device_name && side->name;
}

static bool make_sides(struct page *page)
{
	const struct comparison_document *comparison = &page->comparison;
	bool ok = true;

	page->sides = calloc(comparison->sides.count + 1, sizeof *page->sides);
	if (!page->sides)
		return false;
	page->side_count = comparison->sides.count;
	for (size_t i = 0; i < page->side_count && ok; i++)
		for (size_t r = 0; r < comparison->rows.count && ok; r++) {
			const struct cell_record *cell = &comparison->rows.items[r].cells.items[i];
			if (!cell->shown)
				continue;
			describe(&page->sides[i], cell);
			ok = page->sides[i].name || fill_side(page, i, cell);
		}
	return ok;
}

/* ---- Rates ----------------------------------------------------------------------------------- */

static double known(double value)
{
	return isfinite(value) && value > 0 ? value : NAN;
}

/* Sets the figure that `run` prints: the family's own, else GB/s or GFLOP/s. The cell has the median
 * of all runs, and the figure is from one run. */
static void set_rate(struct page_row *row)
{
	const struct derived_record *derived = &row->result->derived;
	const struct family *family = family_find(text_or_empty(row->compared->family));
	double median = result_row_median_ns(row->result);
	bool own = derived->metric_name && known(derived->metric) > 0;
	bool flops =
		!own && known(derived->gflops) > 0 && !(family && family_is_about_memory(family));
	double figure = own ? derived->metric : flops ? derived->gflops : derived->gbps;

	row->rate = row->share = NAN;
	row->unit = own ? derived->metric_name : flops ? "GFLOP/s" : "GB/s";
	row->less_is_better = own && (family ? family->metric.kind == METRIC_NS_EACH
					     : strncmp(row->unit, "ns", 2) == 0);
	if (row->timed && derived->floor.record.present)
		row->share = known(derived->floor.ns) / row->cell->median_ns;
	if (row->timed && derived->record.present && known(figure) > 0 && isfinite(median)) {
		double change = row->cell->median_ns / median;
		row->rate = known(row->less_is_better ? figure * change : figure / change);
	}
}

/* ---- Order ----------------------------------------------------------------------------------- */

/* The sections of families that this program does not know begin here. */
#define UNKNOWN_FAMILY (SIZE_MAX / 2)

/* Adds the places of the family and of the variant in its ladder to the order of the comparison. Unknown
 * families and variants are last. */
static void add_place(struct comparison_row *row, size_t row_count)
{
	size_t f = 0, rank = 0;

	while (f < family_count && !text_equal(families[f]->name, row->family))
		f++;
	const struct family *family = f < family_count ? families[f] : NULL;
	while (family && rank < family->variant_count &&
		!text_equal(family->variants[rank].name, row->variant))
		rank++;
	row->section += family ? f * row_count : UNKNOWN_FAMILY;
	row->order += rank * row_count;
}

static int by_place(const void *a, const void *b)
{
	const struct comparison_row *x = a, *y = b;
	int order = x->section >= UNKNOWN_FAMILY && y->section >= UNKNOWN_FAMILY
			    ? strcmp(text_or_empty(x->family), text_or_empty(y->family))
			    : 0;

	if (order)
		return order;
	return x->section != y->section ? (x->section > y->section) - (x->section < y->section)
					: (x->order > y->order) - (x->order < y->order);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Begins a family or a problem if the row has another one than the row before it. */
static void begin_groups(struct page *page, const struct comparison_row *row, bool first)
{
	if (first || !text_equal(row[-1].family, row->family))
		page->families[page->family_count++] =
			(struct page_family){.name = text_or_empty(row->family),
				.first = page->row_count,
				.first_problem = page->problem_count};
	if (!first && row[-1].section == row->section)
		return;
	struct page_problem *problem = &page->problems[page->problem_count++];
	problem->family = page->family_count - 1;
	problem->text = comparison_row_problem(row);
	problem->dtype = row->dtype;
	problem->first = page->row_count;
	page->families[problem->family].end_problem = page->problem_count;
	page->failed |= !problem->text;
}

/* Returns whether the problem has the variant with other macros. The rows are neighbours. */
static bool is_twin(const struct comparison_row *row, const struct comparison_row *other)
{
	return other->section == row->section && text_equal(other->variant, row->variant) &&
	       !named_list_equal(&other->macros, &row->macros);
}

/* Adds the rows of all sides of one row of the comparison. macros: as a part of their names */
static void add_rows(struct page *page, const struct comparison_row *compared, const char *macros)
{
	for (size_t side = 0; side < page->side_count; side++) {
		const struct cell_record *cell = &compared->cells.items[side];
		if (!cell->shown)
			continue;
		struct page_row *row = &page->rows[page->row_count++];
		*row = (struct page_row){.compared = compared,
			.cell = cell,
			.result = cell->shown,
			.side = side,
			.problem = page->problem_count - 1,
			.timed = cell->median_ns > 0};
		text_format(&row->label, "%s%s", text_or_empty(compared->variant), macros);
		page->failed |= !row->label;
		set_rate(row);
		page->problems[row->problem].timed[side] += row->timed;
	}
	page->families[page->family_count - 1].end = page->row_count;
	page->problems[page->problem_count - 1].end = page->row_count;
}

/* ---- Main problems --------------------------------------------------------------------------- */

/* Returns whether a side has its ladder at a problem, not only a few variants of a sweep. most: the
 * most timed rows of the side at one problem of the family */
static bool has_ladder(const struct page_problem *problem, const size_t *most, size_t side)
{
	return problem->timed[side] > 0 && 2 * problem->timed[side] >= most[side];
}

/* Returns the problem with the most timed rows of ladders. */
static size_t common_problem(
	const struct page *page, const struct page_family *family, const size_t *most)
{
	size_t best = family->first_problem;
	double most_rows = 0;

	for (size_t p = best; p < family->end_problem; p++) {
		const struct page_problem *problem = &page->problems[p];
		bool half = text_equal(problem->dtype, dtype_info(DTYPE_F16)->name);
		double rows = 0;
		for (size_t side = 0; side < page->side_count; side++)
			if (has_ladder(problem, most, side))
				rows += (double)problem->timed[side] * (half ? 1e-6 : 1);
		if (rows > most_rows) {
			most_rows = rows;
			best = p;
		}
	}
	return best;
}

static void mark_main_rows(struct page *page, const struct page_family *family)
{
	size_t most[COMPARE_MAX_SIDES] = {0}, own[COMPARE_MAX_SIDES];

	for (size_t p = family->first_problem; p < family->end_problem; p++)
		for (size_t side = 0; side < page->side_count; side++)
			if (page->problems[p].timed[side] > most[side]) {
				most[side] = page->problems[p].timed[side];
				own[side] = p;
			}
	size_t common = common_problem(page, family, most);
	for (size_t side = 0; side < page->side_count; side++)
		if (most[side] == 0 || has_ladder(&page->problems[common], most, side))
			own[side] = common;
	for (size_t i = family->first; i < family->end; i++)
		page->rows[i].main = page->rows[i].problem == own[page->rows[i].side];
}

/* ---- Public ---------------------------------------------------------------------------------- */

static bool make_rows(struct page *page)
{
	struct comparison_row *rows = page->comparison.rows.items;
	size_t count = page->comparison.rows.count;

	for (size_t i = 0; i < count; i++)
		add_place(&rows[i], count);
	if (count)
		qsort(rows, count, sizeof *rows, by_place);
	page->families = calloc(count + 1, sizeof *page->families);
	page->problems = calloc(count + 1, sizeof *page->problems);
	page->rows = calloc(count * page->side_count + 1, sizeof *page->rows);
	bool ok = page->families && page->problems && page->rows;
	for (size_t i = 0; i < count && ok; i++) {
		char macros[200] = "";
		if ((i > 0 && is_twin(&rows[i], &rows[i - 1])) ||
			(i + 1 < count && is_twin(&rows[i], &rows[i + 1])))
			format_macros(&rows[i].macros, macros, sizeof macros);
		begin_groups(page, &rows[i], i == 0);
		add_rows(page, &rows[i], macros);
	}
	for (size_t f = 0; ok && f < page->family_count; f++)
		mark_main_rows(page, &page->families[f]);
	return ok && !page->failed;
}

void page_finish(struct page *page)
{
	for (size_t i = 0; i < page->side_count; i++) {
		free(page->sides[i].name);
		free(page->sides[i].device_name);
		free(page->sides[i].identity);
	}
	for (size_t i = 0; i < page->problem_count; i++)
		free(page->problems[i].text);
	for (size_t i = 0; i < page->row_count; i++)
		free(page->rows[i].label);
	free(page->sides);
	free(page->families);
	free(page->problems);
	free(page->rows);
	free(page->pairs);
}

#define NEAR 0.05
/* Half-width of a 99 % interval / half-width of a 95 % interval, for a normal distribution. */
#define WIDTH_99 1.314

/* The verdicts of parity, SAME to AMBG, are verdicts. */
_Static_assert((int)PARITY_AMBG == (int)VERDICT_AMBG, "same order of verdicts");

/* ---- Parity rows ----------------------------------------------------------------------------- */

static double ratio_of(const struct parity_row *row)
{
	return row->round_ratio > 0 && isfinite(row->round_ratio) ? row->round_ratio : row->ratio;
}

/* Returns whether a parity row has times of both rows of a pair. */
static bool is_of(const struct page *page, const struct page_pair *pair,
	const struct result_document *document, const struct parity_row *row)
{
	const struct comparison_row *of = pair->row->compared;
	const struct page_side *side = &page->sides[pair->row->side];
	const struct device_record *device = device_of_key(document, row->device);

	if (!text_equal(row->variant, of->variant) || !text_equal(row->family, of->family) ||
		!named_list_equal(&row->problem, &of->problem) ||
		!named_list_equal(&row->macros, &of->macros) || !row->same_device ||
		!parity_is_timed(row->verdict) || !(ratio_of(row) > 0) || isinf(ratio_of(row)) ||
		row->backends.count != 2 || !text_equal(row->backends.items[0], side->backend) ||
		!text_equal(row->backends.items[1], page->sides[pair->other->side].backend))
		return false;
	char *identity = device ? device_identity_on_host(device, document)
				: strdup(text_or_empty(row->device));
	bool same = identity && strcmp(identity, side->identity) == 0;
	free(identity);
	return same;
}

/* Finds the parity row with the most samples; NULL: none. */
static const struct parity_row *find_row(const struct page *page, const struct page_pair *pair)
{
	const struct parity_row *best = NULL;

	for (size_t f = 0; f < page->input->count; f++) {
		const struct result_document *document = &page->input->items[f].document;
		for (size_t i = 0; i < document->parity.count; i++) {
			const struct parity_row *row = &document->parity.items[i];
			if (is_of(page, pair, document, row) && (!best || row->n > best->n))
				best = row;
		}
	}
	return best;
}

static void use_row(struct page_pair *pair, const struct parity_row *row)
{
	bool bounded = row->ci95[0] > 0 && row->ci95[1] >= row->ci95[0] && isfinite(row->ci95[1]);

	pair->ratio = ratio_of(row);
	pair->ci95[0] = bounded ? row->ci95[0] : NAN;
	pair->ci95[1] = bounded ? row->ci95[1] : NAN;
	pair->tolerance = row->tolerance;
	pair->verdict = (enum verdict)row->verdict;
	pair->bits = row->bit_identical;
	pair->in_turn = true;
}

/* ---- Two times ------------------------------------------------------------------------------- */

/* The times were not measured in turn. The errors of both are independent, so the squares of their
 * relative half-widths add up. */
static void divide_times(const struct page *page, struct page_pair *pair)
{
	const struct cell_record *a = pair->row->cell, *b = pair->other->cell;
	const char *type = page->comparison.sides.items[pair->row->side].type;
	const struct verdict_limits limits = verdict_limits_of(type);
	double width = hypot(
		log(a->ci95_ns[1] / a->ci95_ns[0]) / 2, log(b->ci95_ns[1] / b->ci95_ns[0]) / 2);
	double ratio = a->median_ns / b->median_ns;
	const double ci99[] = {ratio * exp(-WIDTH_99 * width), ratio * exp(WIDTH_99 * width)};

	pair->ratio = ratio;
	pair->ci95[0] = ratio * exp(-width);
	pair->ci95[1] = ratio * exp(width);
	pair->tolerance = limits.same;
	pair->verdict = verdict_of(pair->ci95, ci99, &limits);
}

/* ---- Public ---------------------------------------------------------------------------------- */

/* Returns the next row of another backend of the device. The rows of all sides are neighbours. */
static const struct page_row *partner_of(const struct page *page, const struct page_row *row)
{
	const struct page_row *other = row + 1, *end = page->rows + page->row_count;

	for (; other < end && other->compared == row->compared; other++)
		if (other->timed && page_device(page, other) == page_device(page, row))
			return other;
	return NULL;
}

static bool make_pairs(struct page *page)
{
	page->pairs = calloc(page->row_count + 1, sizeof *page->pairs);
	for (size_t i = 0; page->pairs && i < page->row_count; i++) {
		const struct page_row *row = &page->rows[i], *other = partner_of(page, row);
		if (!row->timed || !other)
			continue;
		bool swap = text_equal(page->sides[other->side].backend, "opencl");
		struct page_pair *pair = &page->pairs[page->pair_count++];
		pair->row = swap ? other : row;
		pair->other = swap ? row : other;
		const struct parity_row *parity = find_row(page, pair);
		if (parity)
			use_row(pair, parity);
		else
			divide_times(page, pair);
	}
	return page->pairs != NULL;
}

size_t page_count_pairs(const struct page *page, size_t device, bool near)
{
	size_t count = 0;

	for (size_t i = 0; i < page->pair_count; i++)
		count += page_device(page, page->pairs[i].row) == device &&
			 (!near || fabs(log(page->pairs[i].ratio)) <= log(1 + NEAR));
	return count;
}

bool page_fill(struct page *page)
{
	return make_sides(page) && make_rows(page) && make_pairs(page);
}
