#include "host/page/page.h"

#include <jansson.h>
#include <math.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#include "common/clean_text.h"
#include "common/family.h"
#include "common/model/access.h"
#include "common/model/last_level_cache.h"
#include "common/model/parity.h"
#include "common/model/verdict.h"
#include "common/text.h"
#include "host/compare/compare.h"
#include "host/io/sources.h"
#include "host/page/assets.h"
#include "host/record/identity.h"
#include "host/record/provenance.h"
#include "host/report/explain_page.h"
#include "host/report/explain_table.h"
#include "host/report/flag_marks.h"
#include "host/report/html.h"
#include "host/report/table.h"

/* ---- Data ------------------------------------------------------------------------------------ */

/* One device through one backend. It has the same index as in page->comparison.sides. */
struct page_side {
	char *name;        /* "NVIDIA H200, CUDA"; unique */
	char *device_name; /* "NVIDIA H200"; with a number if two devices have the same name */
	char *identity;    /* of the device */
	size_t device;     /* equal on all sides of the device; the devices are numbered from 0 */
	const char *backend, *backend_name; /* "cuda", "CUDA" */
	const struct device_record *record; /* NULL: no file describes the device */
	const struct view_record *view;     /* through this backend; NULL: the file has none */
	const struct roofs_record *roofs;   /* of the view, else of the device; NULL: unknown */
};

struct page_family {
	const char *name;
	size_t first, end;                 /* its rows have the indexes first to end - 1 */
	size_t first_problem, end_problem; /* its problems */
};

/* One family and size. */
struct page_problem {
	size_t family; /* index among the families */
	char *text;    /* "f32 m=n=k=2048" */
	const char *dtype;
	size_t first, end;               /* its rows */
	size_t timed[COMPARE_MAX_SIDES]; /* number of rows with a time, for each side */
};

/* A variant at one problem on one side. */
struct page_row {
	const struct comparison_row *compared;
	const struct cell_record *cell;
	const struct result_row *result; /* the run that the page shows */
	size_t side, problem;
	char *label; /* "tiled", or "tiled TILE=32" if the problem has it with several macro values */
	bool timed;
	bool fastest; /* main row that solves the problem of the family fastest on its device */
	/* The charts show this problem for the family and side. It is the problem with the most timed ladder
	 * rows of all sides; f16 only if there is no other type. A side has a ladder at a problem if it timed
	 * at least half as many variants there as at its best problem. A side without a ladder there shows
	 * its own best problem. */
	bool main;
	double rate;      /* the family's own figure, else GFLOP/s or GB/s; NAN: unknown */
	const char *unit; /* "GB/s" */
	bool less_is_better;
	double share; /* largest floor / time; NAN: unknown */
};

/* A variant on one device through two backends. */
struct page_pair {
	const struct page_row *row, *other; /* both have a time; OpenCL is first */
	double ratio;                       /* time of `row` / time of `other`; > 0 */
	double ci95[2];                     /* NAN: unknown */
	double tolerance;
	enum verdict verdict;   /* of `row`: SAME, FAST, SLOW or AMBG */
	enum record_truth bits; /* whether the results have identical bits */
	bool in_turn;           /* from a parity row: both were timed in turn */
};

struct page {
	const struct result_files *input;
	FILE *out;
	struct comparison_document comparison;
	struct page_side *sides;
	size_t side_count, device_count;
	struct page_family *families; /* in the order of the program; unknown families are last */
	size_t family_count;
	struct page_problem *problems; /* by family */
	size_t problem_count;
	struct page_row *rows; /* by problem, in ladder order, then by side */
	size_t row_count;
	struct page_pair *pairs; /* in the order of the rows */
	size_t pair_count;
	json_t *figures; /* of the charts: the JSON object below */
	bool failed;     /* there was no memory */
};

/* The place of a chart, for html_format(): `draw` names the function of page.js, and the attributes are its
 * options: PAGE_CHART("sweep", " data-side=\"%zu\""). The script removes a chart that has nothing to show. */
#define PAGE_CHART(draw, options) \
	"<figure class=\"chart\" data-draw=\"" draw "\"" options "></figure>\n"

/* ---- Data ------------------------------------------------------------------------------------ */

/* The number of a row's device, and the name of the device of a number. */
static size_t page_device(const struct page *page, const struct page_row *row)
{
	return page->sides[row->side].device;
}

static const char *page_device_name(const struct page *page, size_t device)
{
	size_t side = 0;

	while (page->sides[side].device != device)
		side++;
	return page->sides[side].device_name;
}

static const char *page_family(const struct page *page, const struct page_row *row)
{
	return page->families[page->problems[row->problem].family].name;
}

/* Returns the name of the variant that the row improves; NULL: none, or the family is not known. */
static const char *page_step_base(const struct page *page, const struct page_row *row)
{
	const struct family *family = family_find(page_family(page, row));
	const struct variant *variant =
		family ? variant_find(family, text_or_empty(row->compared->variant)) : NULL;

	return variant ? variant->base : NULL;
}

/* Returns the verdict about the claim of a row with a time; CLAIM_NOT_APPLICABLE: there is none. */
static enum claim_verdict page_claim(const struct page_row *row)
{
	const struct claim_record *claim = &row->result->claim;

	return row->timed && claim->record.present && claim->text ? claim_record_verdict(claim)
								  : CLAIM_NOT_APPLICABLE;
}

/* ---- Parts of the page ----------------------------------------------------------------------- */

/* Adds a cell with a number above 0 and its unit; an empty cell if the number is unknown. */
static void page_table_number(struct table *table, double value, const char *unit)
{
	char text[32];

	format_number(value, text, sizeof text);
	if (!(value > 0) || isinf(value)) {
		table_text(table, "");
		return;
	}
	table_format(table, "%s%s%s", text, *unit ? " " : "", unit)->value = value;
}

/* Writes the table, unless it has no rows, and frees it. folded: inside of a closed <details>. */
static void page_put_table(struct page *page, struct table *table, const char *caption, bool folded)
{
	page->failed |= table->failed;
	if (table->row_count && folded)
		html_format(page->out, "<details><summary>Table: %.300s</summary>\n", caption);
	if (table->row_count)
		table_put_html(table, page->out, caption);
	html_markup(page->out, table->row_count && folded ? "</details>\n" : "");
	table_finish(table);
}

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
	const struct device_record *device =
		device_list_find(&cell->shown_in->devices, cell->shown->device);
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

static void page_finish(struct page *page)
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

#define NEAR_RATIO 0.05
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
	const struct device_record *device = device_list_find(&document->devices, row->device);

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

/* Counts the pairs of a device; near: only those whose ratio is within 5 %. */
static size_t page_count_pairs(const struct page *page, size_t device, bool near)
{
	size_t count = 0;

	for (size_t i = 0; i < page->pair_count; i++)
		count += page_device(page, page->pairs[i].row) == device &&
			 (!near || fabs(log(page->pairs[i].ratio)) <= log(1 + NEAR_RATIO));
	return count;
}

/* Makes page->sides, rows and pairs from page->comparison. Returns false if there is no memory. */
static bool page_fill(struct page *page)
{
	return make_sides(page) && make_rows(page) && make_pairs(page);
}

/* ---- Figures of the charts ------------------------------------------------------------------- */

/*
 * The figures of the charts: the JSON object in <script id="data">. page.js draws from it.
 *
 *     schema     "pmpp-page/1"
 *     devices    names of the devices
 *     sides      {name, device, backend, type, roofs: {copy, read: GB/s; the types of operations:
 *                GFLOP/s}, cache: bytes of the last level; 0: unknown}; device: an index
 *     families   names of the families
 *     problems   {family, text}; family: an index
 *     columns    names of the values of a row
 *     rows       arrays of values: each variant, problem and side. Times are in ns, rates in `unit`,
 *                flops and bytes are the operations and the compulsory bytes. Unknown values are
 *                null. The index is that of the table row #rINDEX
 *     parity     arrays [row, other row, ratio, low, high, tolerance, verdict, bits]; ratio: time of
 *                `row` (OpenCL) / time of `other row`
 *     overview   arrays [group, row, other row]: the fastest rows of a family on two devices
 *     drawings   requests of warps (data_add_request(), data_add_split())
 *
 * The object has no samples and no sources.
 */

static json_t *text_of(const char *text)
{
	char *clean = text ? html_clean(text) : NULL;
	json_t *value = clean ? json_string(clean) : json_null();

	free(clean);
	return value;
}

static json_t *index_of(size_t value)
{
	return json_integer((json_int_t)value);
}

/* The digits that charts can show. */
static json_t *number_of(double value)
{
	char text[40];

	if (!isfinite(value) || fabs(value) > 1e30 || (value != 0 && fabs(value) < 1e-30))
		return json_null();
	snprintf(text, sizeof text, "%.5g", value);
	value = strtod(text, NULL);
	return fabs(value) < 1e15 && value == floor(value) ? json_integer((json_int_t)value)
							   : json_real(value);
}

static json_t *lanes_of(uint64_t lanes)
{
	json_t *list = json_array();

	for (int lane = 0; lane < MAX_LANES; lane++)
		if (lanes >> lane & 1)
			json_array_append_new(list, json_integer(lane));
	return list;
}

static size_t append(struct page *page, const char *list, json_t *value)
{
	json_t *array = json_object_get(page->figures, list);

	page->failed |= json_array_append_new(array, value) != 0;
	return json_array_size(array) - 1;
}

/* ---- Sides ----------------------------------------------------------------------------------- */

static json_t *roofs_of(const struct roofs_record *roofs)
{
	json_t *object = json_object();

	if (!roofs)
		return object;
	const struct {
		const char *name;
		double rate;
	} rates[] = {{"copy", roofs->copy_gbps}, {"read", roofs->read_gbps},
		{"f32", roofs->fma_gflops.f32}, {"f16", roofs->fma_gflops.f16},
		{"f64", roofs->fma_gflops.f64}, {"tensor-f16", roofs->tensor_gflops.f16},
		{"tensor-tf32", roofs->tensor_gflops.tf32}, {"integer", roofs->integer_gops},
		{"special", roofs->special_gops}};
	for (size_t i = 0; i < ARRAY_COUNT(rates); i++)
		if (rates[i].rate > 0)
			json_object_set_new(object, rates[i].name, number_of(rates[i].rate));
	return object;
}

/* The last-level cache from the table of known GPUs, else the size that the driver reports. */
static double cache_of(const struct page_side *side)
{
	const struct device_record *device = side->record;
	const struct cache_facts facts = {.vendor = text_or_empty(device ? device->vendor : NULL),
		.name = text_or_empty(device ? device->name : NULL),
		.is_gpu = device && text_equal(device->type, "gpu")};
	const struct limits_record *limits = device ? &device->limits : NULL;

	if (side->view && side->view->limits.record.present)
		limits = &side->view->limits;
	return fmax((double)last_level_cache_bytes(&facts),
		limits && limits->record.present ? (double)limits->cache_bytes : 0);
}

static json_t *side_of(const struct page *page, size_t index)
{
	const struct page_side *side = &page->sides[index];

	return json_pack("{so so so so so so}", "name", text_of(side->name), "device",
		index_of(side->device), "backend", text_of(side->backend_name), "type",
		text_of(page->comparison.sides.items[index].type), "roofs", roofs_of(side->roofs),
		"cache", number_of(cache_of(side)));
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static const char *const value_names[] = {"problem", "side", "name", "technique", "main", "ns",
	"low", "high", "rate", "unit", "less", "flops", "bytes", "operations", "limit", "share",
	"step", "base", "verdict", "observed", "expected", "solves"};

static json_t *row_of(const struct page *page, const struct page_row *row)
{
	const struct derived_record *derived = &row->result->derived;
	const struct work_record *work = &row->result->work;
	const struct claim_record *claim = &row->result->claim;
	const bool worked = work->record.present;
	const char *variant = text_or_empty(row->compared->variant);
	json_t *values[] = {index_of(row->problem), index_of(row->side), text_of(row->label),
		text_of(row->result->technique), index_of(row->main),
		number_of(row->cell->median_ns), number_of(row->cell->ci95_ns[0]),
		number_of(row->cell->ci95_ns[1]), number_of(row->rate), text_of(row->unit),
		index_of(row->less_is_better), number_of(worked ? work->flops : NAN),
		number_of(worked ? work->bytes_compulsory : NAN),
		text_of(worked ? word_text(operations_words, work->operations) : NULL),
		text_of(limited_by_name((enum limited_by)derived->limited_by)),
		number_of(row->share), number_of(derived->step), text_of(page_step_base(page, row)),
		text_of(claim_verdict_name(page_claim(row))), number_of(claim->observed),
		number_of(claim->expected),
		index_of(variant_solves_family(page_family(page, row), variant))};
	json_t *list = json_array();

	_Static_assert(ARRAY_COUNT(values) == ARRAY_COUNT(value_names), "a value for each column");
	for (size_t i = 0; i < ARRAY_COUNT(values); i++)
		json_array_append_new(list, values[i]);
	return list;
}

static json_t *pair_of(const struct page *page, const struct page_pair *pair)
{
	static const char *const bits[] = {
		[TRUTH_UNKNOWN] = "unknown", [TRUTH_NO] = "differ", [TRUTH_YES] = "identical"};

	return json_pack("[ooooooss]", index_of((size_t)(pair->row - page->rows)),
		index_of((size_t)(pair->other - page->rows)), number_of(pair->ratio),
		number_of(pair->ci95[0]), number_of(pair->ci95[1]), number_of(pair->tolerance),
		verdict_words[pair->verdict], bits[pair->bits]);
}

/* Appends the fastest rows of a family on two devices to `overview`. */
static void data_add_overview(struct page *page, const char *group, const struct page_row *row,
	const struct page_row *other)
{
	append(page, "overview",
		json_pack("[soo]", group, index_of((size_t)(row - page->rows)),
			index_of((size_t)(other - page->rows))));
}

/* ---- Drawings -------------------------------------------------------------------------------- */

static json_t *passes_of(const struct warp_access *request)
{
	json_t *list = json_array();
	struct bank_map map;

	request_map_banks(request, &map);
	for (size_t i = 0; i < map.pass_count; i++) {
		json_t *banks = json_array();
		for (size_t bank = 0; bank < request->model->banks; bank++)
			json_array_append_new(banks, lanes_of(map.passes[i].lanes[bank]));
		bool first = i == 0 || map.passes[i].phase != map.passes[i - 1].phase;
		json_array_append_new(
			list, json_pack("{sb so}", "first", (int)first, "banks", banks));
	}
	return list;
}

/* Append a drawing and return its index. Global memory: {lanes, active, width, line, sector,
 * address: by active lane}. Shared memory: `passes` in place of line, sector and address, each an
 * array with the lanes of each bank, and `first`: whether the pass is the first one of its phase.
 * Branch: {lanes, active, first}: `first` has the lanes that run first. */
static size_t data_add_request(struct page *page, const struct warp_access *request, bool shared)
{
	const struct access_model *model = request->model;
	json_t *addresses = json_array();

	for (size_t lane = 0; lane < model->lanes; lane++)
		if (request->lanes >> lane & 1)
			json_array_append_new(addresses, index_of(request->address[lane]));
	json_t *drawing = json_pack("{so so so so so so}", "lanes", index_of(model->lanes),
		"active", lanes_of(request->lanes), "width", index_of(request->width_bytes),
		"address", addresses, "line", index_of(model->line_bytes), "sector",
		index_of(model->sector_bytes));
	if (shared)
		json_object_set_new(drawing, "passes", passes_of(request));
	return append(page, "drawings", drawing);
}

static size_t data_add_split(
	struct page *page, const struct access_model *model, uint64_t lanes, uint64_t first)
{
	return append(page, "drawings",
		json_pack("{so so so}", "lanes", index_of(model->lanes), "active", lanes_of(lanes),
			"first", lanes_of(first)));
}

/* ---- Public ---------------------------------------------------------------------------------- */

static void data_free(struct page *page)
{
	json_decref(page->figures);
}

/* Makes page->figures from the rows. Returns false if there is no memory. */
static bool data_make(struct page *page)
{
	page->figures = json_pack("{ss s[] s[] s[] s[] s[] s[] s[] s[] s[]}", "schema",
		"pmpp-page/1", "devices", "sides", "families", "problems", "columns", "rows",
		"parity", "overview", "drawings");
	if (!page->figures)
		return false;
	for (size_t i = 0; i < page->device_count; i++)
		append(page, "devices", text_of(page_device_name(page, i)));
	for (size_t i = 0; i < page->side_count; i++)
		append(page, "sides", side_of(page, i));
	for (size_t i = 0; i < page->family_count; i++)
		append(page, "families", text_of(page->families[i].name));
	for (size_t i = 0; i < page->problem_count; i++)
		append(page, "problems",
			json_pack("{so so}", "family", index_of(page->problems[i].family), "text",
				text_of(page->problems[i].text)));
	for (size_t i = 0; i < ARRAY_COUNT(value_names); i++)
		append(page, "columns", json_string(value_names[i]));
	for (size_t i = 0; i < page->row_count; i++)
		append(page, "rows", row_of(page, &page->rows[i]));
	for (size_t i = 0; i < page->pair_count; i++)
		append(page, "parity", pair_of(page, &page->pairs[i]));
	return !page->failed;
}

/* Writes the object. No text in it can end the <script>. */
static bool data_put(const struct page *page, FILE *out)
{
	char *text = json_dumps(
		page->figures, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6));

	/* In JSON, '<' and '>' are only inside of strings. */
	for (const char *next = text; next && *next; next++)
		if (*next == '<' || *next == '>' || *next == '&')
			fprintf(out, "\\u%04x", (unsigned)*next);
		else
			fputc(*next, out);
	free(text);
	return text != NULL;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* The marks of a time, with the one of a fallback. */
static unsigned marks_of(const struct page_row *row)
{
	return flag_marks_of_cell(row->cell) |
	       (row->timed ? flag_marks_of_row(row->result) & FLAG_MARK_FALLBACK : 0);
}

/* The technique, and what is special about the row: smaller tiles, or a library. */
static void put_technique(struct table *table, const struct page_row *row)
{
	const struct result_row *result = row->result;
	const char *more = !row->timed ? NULL : result->fallback ? result->fallback : result->peer;
	const char *technique = text_or_empty(result->technique);

	if (more)
		table_format(table, "%s%s%s", technique, *technique ? "; " : "", more);
	else
		table_text(table, technique);
}

static void put_time(struct table *table, const struct page_row *row)
{
	const struct cell_record *cell = row->cell;
	char time[32], width[32], marks[FLAG_MARKS_BYTES];

	if (!row->timed) {
		table_text(table, cell->status == OUTCOME_OK ? "not timed"
							     : format_status(cell->status).text);
		return;
	}
	format_ns(cell->median_ns, time, sizeof time);
	format_percent(
		50 * (cell->ci95_ns[1] - cell->ci95_ns[0]) / cell->median_ns, width, sizeof width);
	flag_marks_format(marks_of(row), marks);
	table_format(table, "%s%s ± %s", time, marks, width)->value = cell->median_ns;
}

/* "tiled >= 1.2 x naive: holds, 5.591 [5.584, 5.594] x of naive": without what is unknown. */
static void put_claim(
	struct table *table, const struct page_row *row, const struct variant *variant)
{
	const struct claim_record *claim = &row->result->claim;
	const char *verdict = claim_verdict_name(page_claim(row));
	const char *base = !variant              ? NULL
			   : variant->claim.over ? variant->claim.over
						 : variant->base;
	char text[200] = "";

	if (verdict)
		text_append(text, sizeof text, "%s: %s", claim->text, verdict);
	if (verdict && isfinite(claim->observed)) {
		text_append(text, sizeof text, ", %.4g", claim->observed);
		if (isfinite(claim->ci95[0]) && isfinite(claim->ci95[1]))
			text_append(
				text, sizeof text, " [%.4g, %.4g]", claim->ci95[0], claim->ci95[1]);
		if (base)
			text_append(text, sizeof text, " x of %s", base);
	}
	table_text(table, text);
}

/* "1.08 [1.07, 1.09] x cublas-f32" */
static void put_peer(struct table *table, const struct page_row *row)
{
	const struct peer_record *peer = row->timed ? peer_list_fastest(&row->result->peers) : NULL;
	char interval[64] = "";

	if (peer && isfinite(peer->ci95[0]) && isfinite(peer->ci95[1]))
		snprintf(interval, sizeof interval, " [%.3f, %.3f]", peer->ci95[0], peer->ci95[1]);
	if (peer)
		table_format(
			table, "%.3f%s x %s", peer->ratio, interval, text_or_empty(peer->variant));
	else
		table_text(table, "");
}

/* "h200.json", or "5 runs (median)" */
static void put_file_name(const struct page *page, struct table *table, const struct page_row *row)
{
	const struct cell_record *cell = row->cell;
	const struct result_files *input = page->input;
	size_t i = 0;

	while (&input->items[i].document != cell->shown_in)
		i++;
	const char *name = input->items[i].name, *path = input->items[i].path;
	if (cell->runs > 1 && cell->runs > (int64_t)row->result->repetitions.runs.count)
		table_format(table, "%lld runs (median)", (long long)cell->runs);
	else
		table_text(table, name ? name : path_name(path));
}

/* ladder: the table is of one ladder, and charts link to its rows. */
static void put_row(struct page *page, struct table *table, const struct page_row *row, bool ladder)
{
	const struct derived_record *derived = &row->result->derived;
	const struct family *family = family_find(page_family(page, row));
	const struct variant *variant =
		family ? variant_find(family, text_or_empty(row->compared->variant)) : NULL;
	bool known = row->timed && derived->record.present, of_chart = ladder && row->main;
	char limit[64] = "", step[80] = "x";

	if (known)
		format_limit(derived, limit, sizeof limit);
	if (page_step_base(page, row))
		snprintf(step, sizeof step, "x of %s", page_step_base(page, row));
	struct table_row *made = table_row(table, STYLE_PLAIN);
	if (ladder)
		snprintf(made->id, sizeof made->id, "r%zu", (size_t)(row - page->rows));
	table_format(table, "%s%s%s", ladder ? "" : page_family(page, row), ladder ? "" : "/",
		row->label);
	put_technique(table, row);
	table_text(table, ladder && page->side_count == 1 ? NULL : page->sides[row->side].name);
	table_text(table, of_chart ? NULL : page->problems[row->problem].text);
	put_time(table, row);
	table_text(table, ladder || row->timed ? NULL : row->cell->reason);
	page_table_number(table, row->rate, row->unit);
	page_table_number(table, known ? derived->step : NAN, step);
	put_claim(table, row, variant);
	table_text(table, limit);
	page_table_number(table, 100 * row->share, "%");
	page_table_number(table, known ? derived->intensity : NAN, "");
	put_peer(table, row);
	if (ladder && page->comparison.sides.items[row->side].files.count > 1)
		put_file_name(page, table, row);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static const struct table_column row_columns[] = {{.title = "variant"}, {.title = "technique"},
	{.title = "device"}, {.title = "problem"}, {.title = "time", .align = TABLE_RIGHT},
	{.title = "reason"}, {.title = "rate", .align = TABLE_RIGHT},
	{.title = "step", .align = TABLE_RIGHT}, {.title = "claim"}, {.title = "limited by"},
	{.title = "floor", .align = TABLE_RIGHT}, {.title = "FLOP/byte", .align = TABLE_RIGHT},
	{.title = "library"}, {.title = "file"}};

/* Leaves out columns without a text. */
static void drop_columns(struct table *table)
{
	for (size_t c = 0; c < table->column_count; c++) {
		bool empty = true;
		for (size_t r = 0; r < table->row_count && empty; r++)
			empty = c >= table->rows[r].count ||
				text_equal(table->rows[r].cells[c].text, "");
		table->columns[c].absent = empty;
	}
}

/* Makes a table of the rows from first to end - 1 that the filter accepts, without empty columns. ladder:
 * charts link to these rows, which are of one family. */
typedef bool page_row_filter(const struct page_row *row);

static void page_rows_table(struct page *page, struct table *table, size_t first, size_t end,
	page_row_filter *is_shown, bool ladder)
{
	table_init(table, row_columns, ARRAY_COUNT(row_columns));
	for (size_t i = first; i < end; i++)
		if (is_shown(&page->rows[i]))
			put_row(page, table, &page->rows[i], ladder);
	drop_columns(table);
}

static bool is_main(const struct page_row *row)
{
	return row->main;
}

static bool is_other(const struct page_row *row)
{
	return !row->main;
}

/* ---- Section --------------------------------------------------------------------------------- */

static void put_family(struct page *page, const struct page_family *family)
{
	const struct family *known = family_find(family->name);
	struct table table;
	char *caption = NULL;

	html_format(page->out, "<h3><bdi>%.200s</bdi><span class=\"title\"> %s</span></h3>\n",
		family->name, known ? known->title : "");
	for (size_t p = family->first_problem; p < family->end_problem; p++) {
		const struct page_problem *problem = &page->problems[p];
		bool timed = false;
		page_rows_table(page, &table, problem->first, problem->end, is_main, true);
		for (size_t i = problem->first; i < problem->end; i++)
			timed |= page->rows[i].main && page->rows[i].timed;
		if (timed)
			html_format(page->out, PAGE_CHART("ladder", " data-problem=\"%zu\""), p);
		text_format(&caption, "%s, %s", family->name, problem->text);
		page_put_table(page, &table, text_or_empty(caption), false);
	}
	text_format(&caption, "%s at other sizes", family->name);
	page_rows_table(page, &table, family->first, family->end, is_other, true);
	page_put_table(page, &table, text_or_empty(caption), true);
	free(caption);
}

static void section_ladders(struct page *page)
{
	unsigned marks = 0;

	for (size_t i = 0; i < page->row_count; i++)
		marks |= marks_of(&page->rows[i]);
	flag_marks_put(page->out, "<p class=\"note\">", marks, ".</p>\n");
	for (size_t i = 0; i < page->family_count; i++)
		put_family(page, &page->families[i]);
}

/* Pages of more devices only compare the devices. */
#define FEW_DEVICES 2

/* Returns the fastest row that solves the family's problem at full precision
 * (variant_solves_family()), among the main rows of a family on a device; NULL: none. */
static const struct page_row *fastest(const struct page *page, size_t family, size_t device)
{
	const struct page_row *best = NULL;

	for (size_t i = page->families[family].first; i < page->families[family].end; i++) {
		const struct page_row *row = &page->rows[i];
		if (row->main && row->timed && page_device(page, row) == device &&
			!row->compared->peer &&
			variant_solves_family(page->families[family].name,
				text_or_empty(row->compared->variant)) &&
			(!best || row->cell->median_ns < best->cell->median_ns))
			best = row;
	}
	return best;
}

/* ---- Two devices ----------------------------------------------------------------------------- */

/* Families by the limit of their fastest variant on the first device. The last group has all other
 * families. */
static const struct {
	const char *name;
	unsigned limits; /* set of 1 << enum limited_by */
} groups[] = {
	{"memory-bound", 1 << LIMITED_BY_MEMORY | 1 << LIMITED_BY_CACHE},
	{"compute-bound", 1 << LIMITED_BY_COMPUTE | 1 << LIMITED_BY_TENSOR},
	{"other", 0},
};

#define GROUPS ARRAY_COUNT(groups)

static size_t group_of(const struct page_row *row)
{
	int limit = row->result->derived.limited_by;
	size_t i = 0;

	while (i < GROUPS - 1 && !(limit >= 0 && groups[i].limits & 1u << limit))
		i++;
	return i;
}

/* Compares the fastest variants of the families that both devices ran at the same problem: adds them to
 * the chart, and writes the geometric means. Returns whether there are any. */
static bool put_gains(struct page *page, size_t first, size_t other)
{
	double log_sum[GROUPS] = {0};
	size_t count[GROUPS] = {0};
	char factor[32], text[200] = "";

	for (size_t f = 0; f < page->family_count; f++) {
		const struct page_row *a = fastest(page, f, first);
		const struct page_row *b = fastest(page, f, other);
		if (!a || !b || a->problem != b->problem)
			continue;
		size_t group = group_of(a);
		log_sum[group] += log(b->cell->median_ns / a->cell->median_ns);
		count[group]++;
		data_add_overview(page, groups[group].name, a, b);
	}
	for (size_t i = 0; i < GROUPS; i++) {
		if (!count[i])
			continue;
		format_factor(exp(log_sum[i] / (double)count[i]), factor, sizeof factor);
		text_append(text, sizeof text, "%s%s as fast in %zu %s families", *text ? ", " : "",
			factor, count[i], groups[i].name);
	}
	if (*text)
		html_format(page->out, "<li>%s against %s: %s.</li>\n",
			page_device_name(page, first), page_device_name(page, other), text);
	return *text != '\0';
}

/* Compares each device with the first device that ran the same problems. Returns whether there is a
 * pair. */
static bool put_comparisons(struct page *page)
{
	bool any = false;

	for (size_t other = 1; other < page->device_count; other++) {
		size_t first = 0;
		while (first < other && !put_gains(page, first, other))
			first++;
		any |= first < other;
	}
	return any;
}

/* ---- One device ------------------------------------------------------------------------------ */

/* Writes "NVIDIA H200: the fastest variant is limited by memory in 12, compute in 2 of 16 families." */
static void put_limits(struct page *page, size_t device)
{
	size_t counts[LIMITED_BY_COUNT + 1] = {0}, all = 0;
	const char *name = page_device_name(page, device);
	char text[400] = "";

	for (size_t f = 0; f < page->family_count; f++) {
		const struct page_row *row = fastest(page, f, device);
		int limit = row ? row->result->derived.limited_by : -1;
		all += row != NULL;
		if (row)
			counts[limit >= 0 && limit < LIMITED_BY_COUNT ? limit : LIMITED_BY_COUNT]++;
	}
	for (int i = 0; i <= LIMITED_BY_COUNT; i++) {
		const char *limit = limited_by_name((enum limited_by)i);
		if (counts[i])
			text_append(text, sizeof text, "%s%s in %zu", *text ? ", " : "",
				limit ? limit : "an unknown resource", counts[i]);
	}
	if (all)
		html_format(page->out,
			"<li>%s: the fastest variant is limited by %s of %zu families.</li>\n",
			name, text, all);
	else
		html_format(page->out,
			"<li>%s: no timed variant solves the problem of its family.</li>\n", name);
}

static void put_backends(struct page *page, size_t device)
{
	size_t count = page_count_pairs(page, device, false);

	if (count)
		html_format(page->out,
			"<li>OpenCL against CUDA on %s: %zu of %zu variants within 5 %%.</li>\n",
			page_device_name(page, device), page_count_pairs(page, device, true),
			count);
}

/* ---- Table ----------------------------------------------------------------------------------- */

static bool is_fastest(const struct page_row *row)
{
	return row->fastest;
}

static void put_table(struct page *page)
{
	struct table table;

	for (size_t f = 0; f < page->family_count; f++)
		for (size_t d = 0; d < page->device_count; d++)
			if (fastest(page, f, d))
				page->rows[fastest(page, f, d) - page->rows].fastest = true;
	page_rows_table(page, &table, 0, page->row_count, is_fastest, false);
	page_put_table(page, &table, "the fastest variant of each family on each device", true);
}

static void section_overview(struct page *page)
{
	bool timed = false, floors = false;

	for (size_t i = 0; i < page->row_count; i++) {
		timed |= page->rows[i].timed;
		floors |= page->rows[i].share > 0;
	}
	if (!timed)
		return;
	html_markup(page->out, "<ul class=\"answers\">\n");
	bool several = put_comparisons(page);
	for (size_t d = 0; d < page->device_count && page->device_count <= FEW_DEVICES; d++)
		put_limits(page, d);
	for (size_t d = 0; d < page->device_count; d++)
		put_backends(page, d);
	html_markup(page->out, "</ul>\n");
	if (several) {
		html_format(page->out,
			"<p>A mark right of 1 means that the first device is faster. Each row is a "
			"family: the fastest variants of both devices that solve the same problem, at the "
			"same size and at full precision. Families that the devices ran at different "
			"sizes are left out. A factor of several families is their geometric mean. A family "
			"is memory-bound or compute-bound if its fastest variant on the first device "
			"is.</p>\n");
		html_markup(page->out, PAGE_CHART("overview", ""));
	} else if (floors) {
		html_format(page->out,
			"<p>Each mark is the fastest variant of a family. Its position is the largest "
			"floor / the time. A floor is the least time that one resource needs for "
			"the work. At 100 %% the variant is as fast as the measured rates allow.</p>\n");
		for (size_t d = 0; d < page->device_count; d++)
			html_format(page->out, PAGE_CHART("limits", " data-device=\"%zu\""), d);
	}
	put_table(page);
}

static void section_rooflines(struct page *page)
{
	for (size_t side = 0; side < page->side_count; side++) {
		if (page->comparison.sides.items[side].rows == 0)
			continue;
		html_format(page->out,
			"<div class=\"pair\">\n" PAGE_CHART("roofline", " data-side=\"%zu\"")
				PAGE_CHART("shares", " data-side=\"%zu\"") "</div>\n",
			side, side);
	}
}

/* Minimum number of sizes of a sweep. page.js has the same number, for each variant. */
#define SWEEP_SIZES 3

static void section_sweeps(struct page *page)
{
	bool any = false;

	for (size_t f = 0; f < page->family_count; f++)
		for (size_t side = 0; side < page->side_count; side++) {
			size_t problems = 0;
			for (size_t p = page->families[f].first_problem;
				p < page->families[f].end_problem; p++)
				problems += page->problems[p].timed[side] > 0;
			if (problems < SWEEP_SIZES)
				continue;
			html_markup(page->out, any ? "" : "<div class=\"pair\">\n");
			any = true;
			html_format(page->out,
				PAGE_CHART("sweep", " data-family=\"%zu\" data-side=\"%zu\""), f,
				side);
		}
	html_markup(page->out, any ? "</div>\n" : "");
}

/* ---- Parity ---------------------------------------------------------------------------------- */

static void put_pair(struct page *page, struct table *table, const struct page_pair *pair)
{
	static const char *const bits[] = {
		[TRUTH_UNKNOWN] = "", [TRUTH_NO] = "differ", [TRUTH_YES] = "identical"};

	table_row(table, STYLE_PLAIN);
	table_format(table, "%s/%s", page_family(page, pair->row), pair->row->label);
	table_text(table, page->problems[pair->row->problem].text);
	table_number(table, format_ratio, pair->ratio);
	if (isfinite(pair->ci95[0]) && isfinite(pair->ci95[1]))
		table_format(table, "%.3f to %.3f", pair->ci95[0], pair->ci95[1]);
	else
		table_text(table, "unknown");
	table_number(table, format_percent, 100 * pair->tolerance);
	table_text(table, verdict_words[pair->verdict]);
	table_text(table, bits[pair->bits]);
	table_text(table, pair->in_turn ? "in turn" : "in separate runs");
}

/* Writes "NVIDIA H200: 95 of 127 variants are SAME, 8 FAST, 16 SLOW, 8 AMBG; ...", the charts and the
 * table. */
static void put_pairs(struct page *page, size_t device, size_t all)
{
	static const struct table_column columns[] = {{.title = "variant"}, {.title = "problem"},
		{.title = "ratio", .align = TABLE_RIGHT},
		{.title = "95 % interval", .align = TABLE_RIGHT},
		{.title = "tolerance", .align = TABLE_RIGHT}, {.title = "verdict"},
		{.title = "bits"}, {.title = "measured"}};
	size_t counts[VERDICT_COUNT] = {0};
	struct table table;
	char text[200] = "";

	table_init(&table, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; i < page->pair_count; i++)
		if (page_device(page, page->pairs[i].row) == device) {
			put_pair(page, &table, &page->pairs[i]);
			counts[page->pairs[i].verdict]++;
		}
	for (int v = VERDICT_FAST; v <= VERDICT_AMBG; v++)
		if (counts[v])
			text_append(text, sizeof text, ", %zu %s", counts[v], verdict_words[v]);
	html_format(page->out,
		"<p>%s: %zu of %zu variants are SAME%s; %zu of %zu are within 5 %%.</p>\n",
		page_device_name(page, device), counts[VERDICT_SAME], all, text,
		page_count_pairs(page, device, true), all);
	html_format(page->out,
		"<div class=\"pair\">\n" PAGE_CHART("parity", " data-device=\"%zu\"")
			PAGE_CHART("differences", " data-device=\"%zu\"") "</div>\n",
		device, device);
	snprintf(text, sizeof text, "all ratios, %s", page_device_name(page, device));
	page_put_table(page, &table, text, true);
}

static void section_parity(struct page *page)
{
	for (size_t d = 0; d < page->device_count; d++)
		if (page_count_pairs(page, d, false))
			put_pairs(page, d, page_count_pairs(page, d, false));
}

/* ---- Claims ---------------------------------------------------------------------------------- */

static bool is_open_claim(const struct page_row *row)
{
	return row->main && page_claim(row) > CLAIM_HOLDS;
}

/* Writes "NVIDIA H200, CUDA: 71 hold, 3 do not hold, 2 undecided" for each side with a verdict, and a
 * table of the claims that do not hold or are undecided. */
static void section_claims(struct page *page)
{
	struct table table;

	for (size_t side = 0; side < page->side_count; side++) {
		size_t counts[CLAIM_UNDECIDED + 1] = {0};
		for (size_t i = 0; i < page->row_count; i++) {
			enum claim_verdict verdict = page_claim(&page->rows[i]);
			if (page->rows[i].side == side && page->rows[i].main &&
				verdict != CLAIM_NOT_APPLICABLE)
				counts[verdict]++;
		}
		if (counts[CLAIM_HOLDS] + counts[CLAIM_FAILS] + counts[CLAIM_UNDECIDED])
			html_format(page->out,
				"<p>%s: %zu hold, %zu do not hold, %zu undecided.</p>\n",
				page->sides[side].name, counts[CLAIM_HOLDS], counts[CLAIM_FAILS],
				counts[CLAIM_UNDECIDED]);
	}
	page_rows_table(page, &table, 0, page->row_count, is_open_claim, false);
	page_put_table(page, &table, "Claims that do not hold or are undecided", false);
}

/* ---- Rows without a time --------------------------------------------------------------------- */

static bool is_untimed(const struct page_row *row)
{
	return !row->timed;
}

/* Writes "vecadd/mine: grid too small: no block writes the last elements, line 20". */
static void put_mistake(struct page *page, const struct page_row *row)
{
	const struct mistake_record *mistake = &row->result->mistake;

	html_format(page->out, "<p>%s/%s: %s: %s", page_family(page, row), row->label,
		mistake->name ? mistake->name : "mistake not known", text_or_empty(mistake->text));
	if (mistake->line > 0)
		html_format(page->out, ", line %lld", (long long)mistake->line);
	if (mistake->other_line > 0)
		html_format(page->out, ", line %lld", (long long)mistake->other_line);
	if (mistake->advice)
		html_format(page->out, ": %s", mistake->advice);
	html_format(page->out, "</p>\n");
}

static void section_skipped(struct page *page)
{
	struct table table;

	for (size_t i = 0; i < page->row_count; i++)
		if (page->rows[i].result && page->rows[i].result->mistake.record.present)
			put_mistake(page, &page->rows[i]);
	page_rows_table(page, &table, 0, page->row_count, is_untimed, false);
	if (table.row_count)
		html_format(page->out, "<p>%zu of %zu rows have no time.</p>\n", table.row_count,
			page->row_count);
	page_put_table(page, &table, "variants without a time, and the reasons", true);
}

/* ---- Devices --------------------------------------------------------------------------------- */

static double launch_of(const struct page_side *side)
{
	if (side->view && side->view->timer.record.present)
		return side->view->timer.empty_launch_ns;
	return side->record ? side->record->timer.empty_launch_ns : NAN;
}

static void add_side(struct table *table, const struct page *page, size_t index)
{
	const struct page_side *side = &page->sides[index];
	const struct roofs_record *roofs = side->roofs;
	size_t timed = 0;
	char driver[128] = "";

	if (side->view)
		format_driver(side->view->platform, side->view->driver, driver, sizeof driver);
	for (size_t p = 0; p < page->problem_count; p++)
		timed += page->problems[p].timed[index];
	table_row(table, STYLE_PLAIN);
	table_text(table, side->name);
	table_field(table, &device_type, side->record, "type");
	table_field(table, &device_type, side->record, "vendor");
	table_text(table, driver);
	table_format(table, "%zu", timed);
	page_table_number(table, roofs ? roofs->copy_gbps : NAN, "GB/s");
	page_table_number(table, roofs ? roofs->read_gbps : NAN, "GB/s");
	page_table_number(table, roofs ? roofs->l2_gbps : NAN, "GB/s");
	page_table_number(table, roofs ? roofs->fma_gflops.f32 : NAN, "GFLOP/s");
	table_number(table, format_ns, launch_of(side));
	table_field(table, &roofs_type, roofs, "flags");
}

static void put_device_table(struct page *page)
{
	static const struct table_column columns[] = {{.title = "device"}, {.title = "type"},
		{.title = "vendor"}, {.title = "driver"},
		{.title = "timed variants", .align = TABLE_RIGHT},
		{.title = "copy", .align = TABLE_RIGHT}, {.title = "read", .align = TABLE_RIGHT},
		{.title = "L2 cache", .align = TABLE_RIGHT},
		{.title = "FMA f32", .align = TABLE_RIGHT},
		{.title = "empty launch", .align = TABLE_RIGHT}, {.title = "flags"}};
	struct table table;

	table_init(&table, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; i < page->side_count; i++)
		add_side(&table, page, i);
	page_put_table(page, &table, "Devices, and their measured limits", false);
	html_format(page->out,
		"<p class=\"note\">Copy, read and L2 cache are the largest measured bandwidths. FMA "
		"f32 is the largest measured rate of multiply-adds. An empty launch is the time of a kernel without work. "
		"An empty cell is an unknown figure. Flags are warnings about the samples of some of "
		"these figures.</p>\n");
	for (size_t i = 0; i < page->side_count; i++)
		if (page->comparison.sides.items[i].load)
			html_format(page->out, "<p class=\"note\">%s: %s.</p>\n",
				page->sides[i].name, page->comparison.sides.items[i].load);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void add_file(struct table *table, const char *path, const char *run,
	const struct tool_record *tool, const char *started, size_t rows, size_t hidden)
{
	table_row(table, STYLE_PLAIN);
	table_text(table, path_name(path));
	table_text(table, run);
	table_format(table, "%.10s", text_or_empty(started));
	table_format(table, "%zu", rows);
	table_format(table, "%zu", hidden);
	table_field(table, &tool_type, tool, "version");
	table_field(table, &tool_type, tool, "git");
}

static void section_devices(struct page *page)
{
	static const struct table_column columns[] = {{.title = "file"}, {.title = "run"},
		{.title = "date", .align = TABLE_RIGHT}, {.title = "rows", .align = TABLE_RIGHT},
		{.title = "hidden rows", .align = TABLE_RIGHT}, {.title = "version"},
		{.title = "revision"}};
	const struct result_files *input = page->input;
	struct table table;
	size_t hidden = 0;

	if (page->side_count)
		put_device_table(page);
	table_init(&table, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; i < input->count; i++) {
		const struct compared_file *file = &input->items[i];
		add_file(&table, file->path, file->name ? file->name : file->document.run.label,
			&file->document.tool, file->document.run.started_utc,
			file->document.results.count, file->dropped);
		hidden += file->dropped;
	}
	for (size_t i = 0; i < input->explanations.count; i++)
		add_file(&table, "explanation", NULL, &input->explanations.items[i].tool, NULL,
			input->explanations.items[i].explanations.count, 0);
	if (hidden)
		html_format(page->out,
			"<p class=\"note\">Rows of the files that are hidden: %zu. A better file has the "
			"same row. Order of preference: (1) a file with at least half as many times as the fullest file of "
			"the ladder, (2) a file of `run` before a file of `parity`, (3) the newest file, "
			"(4) the first file. "
			"`pmpp-run compare A.json B.json` shows what changed between two runs.</p>\n",
			hidden);
	page_put_table(page, &table, "files, and the program that wrote them", true);
}

/* ---- Examples of a trace ----------------------------------------------------------------------- */

#define MAX_OFFSET ((int64_t)1 << 48)
#define MAX_WIDTH_BYTES 16
#define MIN_SECTOR_BYTES 16
#define MIN_BANKS 8 /* >= 5: no two words of an unaligned 16-byte access in one bank */

/* Convert a record to an example. Return false if the record is not present, or has impossible values: a
 * wrong number of lanes, no active lane, an offset or a width out of range, a way other than 0 and 1. model:
 * of the trace; it must stay valid as long as *ret_access. */
static bool request_record_read(const struct access_record *access,
	const struct access_model *model, struct warp_access *ret_access)
{
	const struct request_record *record = &access->request;
	struct warp_access read = {.model = model};

	if (!record->record.present || record->offsets.count != model->lanes ||
		access->width_bytes < 1 || access->width_bytes > MAX_WIDTH_BYTES)
		return false;
	read.width_bytes = (uint32_t)access->width_bytes;
	for (uint32_t lane = 0; lane < model->lanes; lane++) {
		int64_t offset = record->offsets.items[lane];
		if (offset < LANE_INACTIVE || offset > MAX_OFFSET)
			return false;
		if (offset == LANE_INACTIVE)
			continue;
		read.address[lane] = (uint64_t)offset;
		read.lanes |= (uint64_t)1 << lane;
	}
	if (!read.lanes)
		return false;
	*ret_access = read;
	return true;
}

static bool split_record_read(const struct split_record *record, const struct access_model *model,
	uint64_t *ret_lanes, uint64_t *ret_first)
{
	uint64_t lanes = 0;
	uint64_t first = 0;

	if (!record->record.present || record->ways.count != model->lanes)
		return false;
	for (uint32_t lane = 0; lane < model->lanes; lane++) {
		int64_t way = record->ways.items[lane];
		if (way < LANE_INACTIVE || way > 1)
			return false;
		lanes |= (uint64_t)(way != LANE_INACTIVE) << lane;
		first |= (uint64_t)(way == 0) << lane;
	}
	if (!lanes)
		return false;
	*ret_lanes = lanes;
	*ret_first = first;
	return true;
}

static bool is_power(int64_t value, int64_t min, int64_t max)
{
	return value >= min && value <= max && (value & (value - 1)) == 0;
}

static bool has_valid_banks(const struct access_model_record *record)
{
	bool unknown = record->banks == 0 && record->bank_bytes == 0;

	return unknown ||
	       (is_power(record->banks, MIN_BANKS, MAX_BANKS) && record->bank_bytes == BANK_BYTES);
}

/* Returns the model of an entry: the default model, or *ret_model, which has the values of the
 * record and refers to its name. NULL: the record has impossible values. */
static const struct access_model *access_model_record_read(
	const struct access_model_record *record, struct access_model *ret_model)
{
	if (!record->record.present)
		return access_model_default();
	if (!is_power(record->width, MIN_LANES, MAX_LANES) ||
		!is_power(record->line_bytes, MIN_SECTOR_BYTES, MAX_LINE_BYTES) ||
		!is_power(record->sector_bytes, MIN_SECTOR_BYTES, record->line_bytes) ||
		!has_valid_banks(record))
		return NULL;
	const struct access_model *known = access_model_find(text_or_empty(record->name));

	*ret_model = (struct access_model){.name = text_or_empty(record->name),
		.lanes = (uint32_t)record->width,
		.sector_bytes = (uint32_t)record->sector_bytes,
		.line_bytes = (uint32_t)record->line_bytes,
		.banks = (uint32_t)record->banks,
		.bank_bytes = (uint32_t)record->bank_bytes,
		.joins_pairs = known && known->joins_pairs};
	return ret_model;
}

/* ---- Listings of explained kernels -------------------------------------------------------------- */

struct listing {
	struct page *page;
	const struct access_model *model; /* NULL: the file has impossible values */
	struct explain_notes notes;
	size_t next; /* index of the first note of the lines to come */
};

/* Returns the text of the traced kernel file; NULL if this program has no such file, or another
 * version of it. */
static const char *source_of(const struct explanation_record *entry)
{
	const char *text = entry->file ? sources_embedded(entry->file) : NULL;
	char hash[SHA256_DIGEST_STRING_LENGTH];

	if (!text || !entry->source_sha256)
		return NULL;
	SHA256Data((const uint8_t *)text, strlen(text), hash);
	return strcmp(hash, entry->source_sha256) == 0 ? text : NULL;
}

/* ---- Accesses and branches ------------------------------------------------------------------- */

#define DRAWING "</p>\n" PAGE_CHART("lanes", " data-drawing=\"%zu\"")

static void put_no_drawing(struct page *page, bool present)
{
	html_format(page->out, "No drawing: %s.</p>",
		present ? "the file has no usable example"
			: "the file has no example. Run explain again");
}

static void put_access(
	struct page *page, const struct explain_note *note, const struct access_model *model)
{
	const struct request_record *record = &note->access->request;
	bool shared = note->access->space == TRACE_SHARED;
	struct warp_access request;

	if (model && !model->banks && shared) {
		html_markup(page->out, "No drawing: the banks of the model are unknown.</p>");
	} else if (model && request_record_read(note->access, model, &request)) {
		html_format(page->out,
			"Drawn: warp %lld of block %lld; %lld of %lld requests have its pattern "
			"(<bdi>%.200s</bdi>). %s",
			(long long)record->warp, (long long)record->block,
			(long long)record->requests, (long long)note->access->requests,
			record->pattern, note->detail);
		html_format(page->out, DRAWING, data_add_request(page, &request, shared));
	} else {
		put_no_drawing(page, record->record.present);
	}
}

static void put_branch(
	struct page *page, const struct split_record *split, const struct access_model *model)
{
	uint64_t lanes, first;

	if (!model || !split_record_read(split, model, &lanes, &first)) {
		put_no_drawing(page, split->record.present);
		return;
	}
	html_format(page->out,
		"Drawn: warp %lld of block %lld. %d of %d active lanes run first, and the others wait "
		"for them.",
		(long long)split->warp, (long long)split->block, __builtin_popcountll(first),
		__builtin_popcountll(lanes));
	if (split->lanes > 0)
		html_format(page->out,
			" Over all divergent executions, %.1f %% of the active lanes run first.",
			100.0 * (double)split->first_lanes / (double)split->lanes);
	html_format(page->out, DRAWING, data_add_split(page, model, lanes, first));
}

/* Writes a line of text that opens to show a caption and a drawing. A finding is open. */
static void put_note(const struct listing *listing, const struct explain_note *note)
{
	FILE *out = listing->page->out;

	html_markup(out, note->weight == NOTE_BAD
				 ? "<details class=\"access finding\" open><summary>"
				 : "<details class=\"access\"><summary>");
	if (note->times > 1)
		html_format(out, "%u times: ", note->times);
	html_format(out, "<strong>%s</strong>, <bdi>%.200s</bdi>%s</summary>\n<p>",
		note->branch                          ? "branch"
		: note->access->space == TRACE_SHARED ? "shared memory"
						      : "global memory",
		note->text, note->branch ? " executions" : "");
	if (note->branch)
		put_branch(listing->page, &note->branch->split, listing->model);
	else
		put_access(listing->page, note, listing->model);
	html_markup(out, "</details>\n");
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static void put_counts(FILE *out, const struct line_record *line)
{
	if (!line || line->warp_executions < 0 || !(line->simt >= 0 && line->simt <= 1))
		html_markup(out, "<td></td><td></td>");
	else
		html_format(out,
			"<td class=\"number\">%lld</td><td class=\"number share\">%.1f %% <meter "
			"max=\"100\" value=\"%.1f\" aria-hidden=\"true\"></meter></td>",
			(long long)line->warp_executions, 100 * line->simt, 100 * line->simt);
}

/* Writes a source line with its counts, then its notes. */
static void put_source_line(struct listing *listing, int64_t number, const char *text)
{
	FILE *out = listing->page->out;
	const struct explain_note *first = &listing->notes.items[listing->next];
	const struct explain_note *end = &listing->notes.items[listing->notes.count], *note;
	const struct line_record *executed = NULL;
	const char *begin = "<tr class=\"notes\"><td colspan=\"4\">\n";

	for (note = first; note < end && note->line <= number; note++)
		executed = note->executed ? note->executed : executed;
	end = note;
	listing->next += (size_t)(end - first);
	html_markup(out, executed ? "<tr>" : "<tr class=\"quiet\">");
	html_format(out, "<th scope=\"row\" class=\"number\">%lld</th>", (long long)number);
	put_counts(out, executed);
	html_format(out, "<td><code><bdi>%.200s</bdi></code></td></tr>\n", text);
	for (note = first; note < end; note++) {
		if (note->executed)
			continue;
		html_markup(out, begin);
		put_note(listing, note);
		begin = "";
	}
	html_markup(out, *begin ? "" : "</td></tr>\n");
}

/* Writes the file up to the end of the function that has the last note. Other kernels may follow. */
static void put_source(struct listing *listing, const char *text)
{
	bool over = false;

	for (int64_t number = 1; *text && !over; number++) {
		size_t length = strcspn(text, "\n");
		char *line = strndup(text, length);
		put_source_line(listing, number, line);
		over = *text == '}' && listing->next == listing->notes.count;
		text += length + (text[length] == '\n');
		listing->page->failed |= !line;
		free(line);
	}
}

/* Writes the listing (explain_writer.put_notes). If this program does not have the traced file (SHA-256 in
 * the explanation), the listing has only the lines of the explanation. page: a struct page */
static void annotated_source(void *context, const struct explanation_record *entry)
{
	struct page *page = context;
	const char *text = source_of(entry);
	struct access_model model;
	struct listing listing = {page, access_model_record_read(&entry->model, &model),
		explain_notes_make(entry, true), 0};

	page->failed |= !listing.notes.items;
	if (!listing.notes.count) {
		explain_notes_finish(&listing.notes);
		return;
	}
	char *file = explain_text(explain_put_file, entry);
	html_format(page->out,
		/* Names must be different, because screen readers list tables by their names. */
		"<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"%.60s/%.60s, "
		"launch %lld: annotated source\"><table class=\"source\"><caption><bdi>%.200s</bdi>%s</caption>\n<thead><tr>"
		"<th scope=\"col\">Line</th><th scope=\"col\">Warp executions</th>"
		"<th scope=\"col\">Active lanes</th><th scope=\"col\">Source</th></tr></thead>\n"
		"<tbody>\n",
		entry->family, entry->variant,
		entry->launch.record.present ? (long long)entry->launch.index : 1, file,
		text ? ""
		     : ": only the counted lines, because this program does not have the file that "
		       "was traced");
	if (text)
		put_source(&listing, text);
	while (!text && listing.next < listing.notes.count) {
		const struct explain_note *note = &listing.notes.items[listing.next];
		put_source_line(&listing, note->line, note->source);
	}
	html_markup(page->out, "</tbody></table></div>\n");
	explain_notes_finish(&listing.notes);
	free(file);
}

/* ---- Introduction ---------------------------------------------------------------------------- */

static void put_key(FILE *out)
{
	html_markup(out,
		"<ul class=\"marks\">\n"
		"<li><span class=\"key requested\"></span> An active lane, and the memory that it requests. "
		"The number is that of the lane; \"4\u00d7\" means four lanes at the same place.</li>\n"
		"<li><span class=\"key inactive\"></span> An inactive lane, or memory that is not "
		"transferred.</li>\n"
		"<li><span class=\"key sector\"></span> Global memory: the rest of a sector. It is "
		"transferred, but no lane requests it.</li>\n"
		"<li><span class=\"key extra\"></span> Shared memory: an additional pass, because another "
		"word of the same bank is served first.</li>\n"
		"<li><span class=\"key waits\"></span> Divergent branch: the lane waits while the other "
		"lanes run.</li>\n</ul>\n");
}

/* Writes a link for each variant; their numbers begin at 1. */
static void put_links(struct page *page)
{
	unsigned number = 0;

	html_markup(page->out, "<ul>\n");
	for (size_t d = 0; d < page->input->explanations.count; d++) {
		const struct explanation_list *list =
			&page->input->explanations.items[d].explanations;
		for (size_t i = 0; i < list->count;
			i = explain_variant_end(list->items, list->count, i)) {
			char *name = explain_text(explain_put_name, &list->items[i]);
			html_format(page->out,
				"<li><a href=\"#explained-%u\"><bdi>%.200s</bdi></a></li>\n",
				++number, name);
			free(name);
		}
	}
	html_markup(page->out, "</ul>\n");
}

static void put_introduction(struct page *page)
{
	const struct access_model *model = access_model_default();

	html_format(page->out,
		"<p>An emulator ran each kernel with its warps in lockstep. The threads of a warp are its "
		"<em>lanes</em>. A warp has %u lanes, a line of global memory %u bytes, a sector %u "
		"bytes, and shared memory %u banks of %u bytes, unless the line &quot;model&quot; of a "
		"kernel has other numbers. Beside each source line are the number of times that a warp "
		"executed it, and the average share of its lanes that were active. Below a line are its "
		"memory accesses and divergent branches. Entries that cost more than necessary are open. "
		"A drawing shows one request: one access by one warp. For global memory, a row is a line "
		"with its sectors. For shared memory, a column is a bank and a row is a pass, in which "
		"each bank serves one word. Open items of the checklist of optimisations can still "
		"help.</p>\n",
		model->lanes, model->line_bytes, model->sector_bytes, model->banks,
		model->bank_bytes);
	put_key(page->out);
	put_links(page);
}

/* ---- Variants -------------------------------------------------------------------------------- */

static void put_fact(void *context, const char *name, const char *text, enum style style)
{
	const struct page *page = context;

	if (*name || *text)
		html_format(page->out, "<p class=\"%s\"><strong>%s%s</strong>%s</p>\n",
			style == STYLE_RED ? "defect" : "fact", name, *name ? ": " : "", text);
}

static void put_variant(
	struct page *page, const struct explanation_record *entries, size_t count, unsigned number)
{
	const struct explain_writer writer = {page, put_fact, annotated_source};
	char *name = explain_text(explain_put_name, entries);
	char *problem = explain_text(explain_put_problem, entries);

	html_format(page->out,
		"<article class=\"explained\">\n<h3 id=\"explained-%u\"><bdi>%.200s</bdi></h3>\n"
		"<p>%s</p>\n",
		number, name, problem);
	explain_put(&writer, entries, count, true);
	html_markup(page->out, "</article>\n");
	free(name);
	free(problem);
}

static void section_explained(struct page *page)
{
	unsigned number = 0;

	for (size_t d = 0; d < page->input->explanations.count; d++) {
		const struct explanation_list *list =
			&page->input->explanations.items[d].explanations;
		for (size_t i = 0, end; i < list->count; i = end) {
			end = explain_variant_end(list->items, list->count, i);
			if (!number)
				put_introduction(page);
			put_variant(page, &list->items[i], end - i, ++number);
		}
	}
}

/* ---- The page -------------------------------------------------------------------------------- */

/* Writes the content of a section to page->out; nothing if there is no data. */
typedef void section_fn(struct page *page);

/* The sections in their order. section_devices is also on a page with explanations only. */
static const struct {
	section_fn *write;
	const char *id, *heading, *introduction; /* HTML */
} sections[] = {
	{section_overview, "overview", "Overview",
		"<p>Each problem (a <em>family</em>) is solved by several kernels (<em>variants</em>); each "
		"variant adds one technique. All results of a timed variant were checked against a reference. "
		"A time is the median of the samples; a thin line through a mark is its 95&nbsp;% interval. "
		"Point at a mark, tap it, or move to it with the arrow keys, to read its figures.</p>\n"},
	{section_ladders, "ladders", "Ladders",
		"<p>Read a chart from top to bottom: each variant adds the technique behind its name. A bar is "
		"the rate on one device. The factor after the rate is the step: the time of the variant that this "
		"one improves / its own time. The small triangle is the rate that the book's claim promises. "
		"The claim holds (&#10003;), does not hold (&#10007;), or is undecided (?), because its interval "
		"contains the limit or the samples are noisy. A factor after <em>claim</em> is the ratio of the "
		"claim, if it differs from the step. "
		"<em>Another problem</em>: the variant rounds its inputs or has another layout, so it is no "
		"answer to the problem of the family. Variants without a time have a section of their "
		"own.</p>\n"
		"<p>Tables: click a title to sort. The interval after &plusmn; includes the noise between "
		"runs. A step and a claim have less noise, because their two variants were timed in turn. "
		"<em>floor</em>: the least time that the busiest resource needs for the work, at the measured "
		"rates, in percent of the time; slightly more than 100&nbsp;% is a measurement error of the rates. "
		"<em>limited by</em>: this resource if it needs at least half of the time; else cache, latency or unknown. "
		"<em>library</em>: time of a library / time of the variant.</p>\n"},
	{section_rooflines, "rooflines", "Rooflines",
		"<p>Higher is faster. A point near a line uses most of what the device can do: the sloping line "
		"is the measured bandwidth of its memory, a horizontal line its measured rate of one type of "
		"operations. Farther right means more operations per byte of compulsory traffic (each input "
		"read once, each output written once). The name of a family is at its fastest variant. The "
		"dash above such a point is its <em>floor</em>: the rate if the variant took only the time "
		"that its busiest resource needs. The second chart has the same floors as a part of the time, "
		"for all variants.</p>\n"},
	{section_parity, "parity", "OpenCL against CUDA",
		"<p>Each kernel exists in OpenCL and in CUDA, as the same algorithm. A mark is the time of "
		"OpenCL divided by the time of CUDA on one device: right of 1, OpenCL is slower. SAME: the "
		"whole 95&nbsp;% interval is within the tolerance. FAST or SLOW: OpenCL differs by more than "
		"the tolerance. AMBG: the interval contains a limit of the tolerance. Ratios from separate "
		"runs are less exact than those of <code>pmpp-run parity</code>, which times both backends in "
		"turn.</p>\n"},
	{section_sweeps, "sweeps", "Rate by problem size",
		"<p>How the rate of a variant depends on the size of its operands. Each line is a variant. "
		"Small problems are slow, because a launch takes some time and the device has too little "
		"work. Left of a dashed line all operands fit in the cache.</p>\n"},
	{section_claims, "claims", "Claims of the book",
		"<p>The book <em>Programming Massively Parallel Processors</em> and this program state what each "
		"technique gains, for example &ldquo;tiled &gt;= 1.2 x naive&rdquo;. The ratio is the time of "
		"the variant that the claim compares with (naive) divided by the time of the variant (tiled). "
		"A claim holds if the whole 95&nbsp;% interval of the ratio is within its limits, and does "
		"not hold if the whole interval is outside. Otherwise, or if the samples are noisy, it is "
		"undecided. The tables of the ladders have all claims. Claims are about GPUs, so CPUs are "
		"left out.</p>\n"},
	{section_explained, "explained", "Explained kernels",
		"<p>This section explains why kernels are fast or slow: which memory their threads access, "
		"line by line.</p>\n"},
	{section_skipped, "skipped", "Without a time",
		"<p>A variant has a time only if the device can run it and its result is correct. "
		"&ldquo;Skipped&rdquo; and &ldquo;unsupported&rdquo; are not errors: the device lacks "
		"something that the variant needs, or the problem does not fit. &ldquo;Not timed&rdquo; means "
		"that the variant was only checked. All other statuses are errors.</p>\n"},
	{section_devices, "devices", "Devices and files", ""},
};

/* ---- Head ------------------------------------------------------------------------------------ */

/* "Kernels: NVIDIA H200, NVIDIA H100", or "Kernels: 5 devices". */
static void put_title(const struct page *page, FILE *out)
{
	html_markup(out, page->side_count ? "Kernels: " : "Kernels explained");
	if (page->device_count > 3)
		html_format(out, "%zu devices", page->device_count);
	for (size_t i = 0; i < page->device_count && page->device_count <= 3; i++) {
		html_markup(out, i ? ", " : "");
		html_text(out, page_device_name(page, i));
	}
}

static void put_head(const struct page *page, FILE *out)
{
	fprintf(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src 'sha256-%s'; script-src 'sha256-%s'; base-uri 'none'; form-action 'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<meta name=\"referrer\" content=\"no-referrer\">\n<title>",
		page_style_hash, page_script_hash);
	put_title(page, out);
	fprintf(out, "</title>\n<style>%s</style>\n</head>\n<body>\n", page_style);
	html_markup(
		out, "<a class=\"skip\" href=\"#content\">Skip to the results</a>\n<header>\n<h1>");
	put_title(page, out);
	html_markup(out,
		"</h1>\n<noscript><p class=\"note\">Charts need the script of this page. The tables have "
		"the same figures.</p></noscript>\n</header>\n");
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* Writes the sections that have data, and links to them. */
static void write_sections(struct page *page, FILE *contents, FILE *out)
{
	for (size_t i = 0; i < ARRAY_COUNT(sections); i++) {
		char *body = NULL;
		size_t size = 0;
		page->out = open_memstream(&body, &size);
		if (page->out) {
			sections[i].write(page);
			page->failed |= fclose(page->out) != 0;
		}
		page->failed |= !page->out;
		if (size > 0) {
			fprintf(contents, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].id,
				sections[i].heading);
			fprintf(out, "<section id=\"%s\">\n<h2>%s</h2>\n%s%s</section>\n",
				sections[i].id, sections[i].heading, sections[i].introduction,
				text_or_empty(body));
		}
		free(body);
	}
}

static void assemble(struct page *page, FILE *out)
{
	char *contents = NULL, *text = NULL;
	size_t sizes[2];
	FILE *streams[] = {open_memstream(&contents, &sizes[0]), open_memstream(&text, &sizes[1])};

	if (streams[0] && streams[1])
		write_sections(page, streams[0], streams[1]);
	for (size_t i = 0; i < 2; i++)
		page->failed |= !streams[i] || fclose(streams[i]) != 0;
	put_head(page, out);
	fprintf(out, "<nav aria-label=\"Contents\">\n<ul>\n%s</ul>\n</nav>\n",
		text_or_empty(contents));
	fprintf(out, "<main id=\"content\">\n%s</main>\n<footer>\n<p>Made by ",
		text_or_empty(text));
	html_text(out, tool_version_text());
	html_markup(out, "</p>\n</footer>\n<script type=\"application/json\" id=\"data\">");
	page->failed |= !data_put(page, out);
	fprintf(out, "</script>\n<script>%s</script>\n</body>\n</html>\n", page_script);
	free(contents);
	free(text);
}

/* A page with only explanations has no rows. */
enum pmpp_status page_make(const struct result_files *input, char **ret_text, size_t *ret_length,
	struct pmpp_error *error)
{
	const struct compare_options options = {
		.by = "device,backend", .tolerance = NAN, .separate = true};
	struct page page = {.input = input};
	enum pmpp_status status = PMPP_OK;
	FILE *out = NULL;

	*ret_text = NULL;
	record_init(&comparison_document_type, &page.comparison);
	if (input->count)
		status = compare_files(
			input->items, input->count, &options, &page.comparison, error);
	if (status == PMPP_OK && page_fill(&page) && data_make(&page))
		out = open_memstream(ret_text, ret_length);
	if (out) {
		assemble(&page, out);
		page.failed |= ferror(out) != 0;
		page.failed |= fclose(out) != 0;
	}
	if (status == PMPP_OK && (!out || page.failed)) {
		free(*ret_text);
		*ret_text = NULL;
		status = PMPP_NO_MEMORY(error, "the page");
	}
	data_free(&page);
	page_finish(&page);
	record_finish(&comparison_document_type, &page.comparison);
	return status;
}
