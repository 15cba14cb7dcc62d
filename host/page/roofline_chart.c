#include "host/page/roofline_chart.h"

#include "common/family.h"
#include "common/number_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tint of roofs and floors. It is not the tint of a limit. */
#define ROOF_TINT (CHART_TINTS - 1)
#define FLOOR_MARK 4 /* a plus: looks like a tick on a vertical line */

/* ---- Limits ---------------------------------------------------------------------------------- */

const struct limit_group limit_groups[LIMIT_GROUPS] = {
	{"limited by memory", 1 << LIMITED_BY_MEMORY},
	{"limited by arithmetic", 1 << LIMITED_BY_COMPUTE | 1 << LIMITED_BY_TENSOR},
	{"limited by shared memory or L1", 1 << LIMITED_BY_SHARED | 1 << LIMITED_BY_L1},
	{"limited by L2", 1 << LIMITED_BY_L2},
	{"faster than memory (cache)", 1 << LIMITED_BY_CACHE},
	{"limited by latency or launch", 1 << LIMITED_BY_LATENCY | 1 << LIMITED_BY_LAUNCH},
	{"limit unknown", 0},
};

/* Marks by group. The colours of the groups also differ. */
static const unsigned group_marks[LIMIT_GROUPS] = {0, 1, 2, 3, 5, 3, 5};

size_t limit_group_of(const struct result_row *row)
{
	int limit = row->derived.limited_by;

	for (size_t i = 0; i < LIMIT_GROUPS && limit >= 0; i++)
		if (limit_groups[i].limits & 1u << limit)
			return i;
	return LIMIT_GROUPS - 1;
}

/* ---- Figures --------------------------------------------------------------------------------- */

static bool is_positive(double value)
{
	return value > 0 && isfinite(value);
}

double roofline_chart_intensity(const struct result_row *row)
{
	const struct work_record *work = &row->work;

	return work->record.present && work->bytes_compulsory > 0
		       ? work->flops / work->bytes_compulsory
		       : NAN;
}

static double floor_ns(const struct side_row *row)
{
	const struct floor_record *floor = &row->row->derived.floor;

	return floor->record.present && is_positive(floor->ns) ? floor->ns : NAN;
}

double roofline_chart_share(const struct side_row *row)
{
	return floor_ns(row) / row->ns;
}

bool roofline_chart_has(const struct side_row *row, size_t side)
{
	return row->side == side && row->main && row->ns > 0 &&
	       is_positive(roofline_chart_intensity(row->row)) &&
	       is_positive(side_row_rate(row, false));
}

static bool solves_family(const struct side_row *row)
{
	return variant_solves_family(
		text_or_empty(row->row->family), text_or_empty(row->row->variant));
}

static bool is_better(const struct side_row *row, const struct side_row *than)
{
	if (solves_family(row) != solves_family(than))
		return solves_family(row);
	return row->ns < than->ns;
}

/* Returns whether a row is the fastest of its family on its side. Rows that do not solve the
 * family's problem at full precision count only if there is no other row. accept: selects the rows;
 * NULL: all rows. */
static bool is_fastest(const struct side_rows *rows, size_t index,
	bool (*accept)(const struct side_row *row, size_t side))
{
	const struct side_row *own = &rows->items[index];

	for (size_t i = 0; i < rows->count; i++) {
		const struct side_row *row = &rows->items[i];
		if (i == index || row->side != own->side || !row->main || !(row->ns > 0) ||
			!text_equal(row->row->family, own->row->family) ||
			(accept && !accept(row, own->side)))
			continue;
		if (is_better(row, own) || (i < index && !is_better(own, row)))
			return false;
	}
	return true;
}

/* ---- Roofs ----------------------------------------------------------------------------------- */

static const struct {
	enum operations operations;
	const char *name;
	size_t offset; /* offset of the rate */
} rate_roofs[] = {
	{OPERATIONS_TENSOR_F16, "tensor f16", offsetof(struct roofs_record, tensor_gflops.f16)},
	{OPERATIONS_TENSOR_TF32, "TF32", offsetof(struct roofs_record, tensor_gflops.tf32)},
	{OPERATIONS_F16, "f16", offsetof(struct roofs_record, fma_gflops.f16)},
	{OPERATIONS_F32, "f32", offsetof(struct roofs_record, fma_gflops.f32)},
	{OPERATIONS_F64, "f64", offsetof(struct roofs_record, fma_gflops.f64)},
	{OPERATIONS_INTEGER, "int", offsetof(struct roofs_record, integer_gops)},
};

#define RATE_ROOFS (sizeof rate_roofs / sizeof *rate_roofs)

/* Roofs with a smaller ratio share one text, because there is no space for two. */
#define ROOFS_APART 1.75

/* The part of the width to the right of the points that the names of the roofs take. */
#define NAME_SPACE 0.55

struct roof {
	const char *name;
	double gflops;
};

struct frame {
	double low, high;   /* range of the points' intensities */
	double end;         /* intensity at the end of the lines */
	double memory_gbps; /* slope; NAN: unknown */
	const char *memory_name;
	struct roof roofs[RATE_ROOFS]; /* the fastest first */
	size_t roof_count;
};

static bool uses(const struct side_rows *rows, size_t side, enum operations operations)
{
	for (size_t i = 0; i < rows->count; i++)
		if (roofline_chart_has(&rows->items[i], side) &&
			rows->items[i].row->work.operations == (int)operations)
			return true;
	return false;
}

static int by_rate(const void *a, const void *b)
{
	const struct roof *x = a, *y = b;

	return (x->gflops < y->gflops) - (x->gflops > y->gflops);
}

/* Finds the roofs of f32, and of the types that the points use. */
static void find_roofs(const struct roofs_record *roofs, const struct side_rows *rows, size_t side,
	struct frame *frame)
{
	bool has_copy = is_positive(roofs->copy_gbps);

	frame->memory_gbps = has_copy ? roofs->copy_gbps : roofs->read_gbps;
	frame->memory_name = has_copy ? "memory bandwidth (copy)" : "memory bandwidth (read)";
	if (!is_positive(frame->memory_gbps))
		frame->memory_gbps = NAN;
	for (size_t i = 0; i < RATE_ROOFS; i++) {
		double rate;
		memcpy(&rate, (const char *)roofs + rate_roofs[i].offset, sizeof rate);
		if (is_positive(rate) && (rate_roofs[i].operations == OPERATIONS_F32 ||
						 uses(rows, side, rate_roofs[i].operations)))
			frame->roofs[frame->roof_count++] = (struct roof){rate_roofs[i].name, rate};
	}
	qsort(frame->roofs, frame->roof_count, sizeof *frame->roofs, by_rate);
}

/* Returns false if no row has operations, or if no roof is known. */
static bool make_frame(
	const struct page *page, const struct side_rows *rows, size_t side, struct frame *ret_frame)
{
	struct frame frame = {.low = NAN, .high = NAN};

	if (!page->sides[side].roofs)
		return false;
	for (size_t i = 0; i < rows->count; i++) {
		if (!roofline_chart_has(&rows->items[i], side))
			continue;
		double intensity = roofline_chart_intensity(rows->items[i].row);
		frame.low = fmin(frame.low, intensity); /* fmin ignores NAN */
		frame.high = fmax(frame.high, intensity);
	}
	find_roofs(page->sides[side].roofs, rows, side, &frame);
	frame.end = 1.6 * frame.high;
	if (frame.roof_count)
		frame.end = fmax(frame.end, 4 * frame.roofs[0].gflops / frame.memory_gbps);
	frame.low /= 2;
	*ret_frame = frame;
	return frame.low > 0 && (frame.roof_count || frame.memory_gbps > 0);
}

/* Adds the slope. Its name is in the legend, because there is no space beside the slope. */
static bool add_slope(struct chart *chart, const struct frame *frame)
{
	double end = frame->roof_count ? frame->roofs[0].gflops / frame->memory_gbps : frame->end;
	char number[32];
	char *name = NULL;

	if (!(frame->memory_gbps > 0))
		return true;
	format_number(frame->memory_gbps, number, sizeof number);
	text_format(&name, "%s: %s GB/s", frame->memory_name, number);
	struct chart_series *series =
		name ? chart_add_series(chart, name, ROOF_TINT, 0, CHART_LINE_NO_POINTS) : NULL;
	bool ok = series &&
		  chart_add_point(
			  series, frame->low, frame->low * frame->memory_gbps, NAN, NAN, NULL) &&
		  chart_add_point(series, end, end * frame->memory_gbps, NAN, NAN, NULL);
	free(name);
	return ok;
}

/* Returns the name of a roof and of a roof that is close below it: "f64 32.8, int 19.8 TFLOP/s".
 * NULL: the roof is part of the name above it, or there is no memory. */
static char *roof_name(const struct frame *frame, size_t index)
{
	char *text = NULL;
	size_t size, first = index;
	bool tera = frame->roofs[index].gflops >= 1000;

	while (first > 0 &&
		frame->roofs[first - 1].gflops < ROOFS_APART * frame->roofs[first].gflops)
		first--;
	/* Several close neighbours share names in pairs, counted from the first one. */
	if ((index - first) % 2)
		return NULL;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	for (size_t i = index; i < frame->roof_count && i < index + 2; i++) {
		char number[32];
		if (i > index && frame->roofs[i - 1].gflops >= ROOFS_APART * frame->roofs[i].gflops)
			break;
		format_number(frame->roofs[i].gflops / (tera ? 1000 : 1), number, sizeof number);
		fprintf(out, "%s%s %s", i > index ? ", " : "", frame->roofs[i].name, number);
	}
	fprintf(out, " %sFLOP/s", tera ? "T" : "G");
	fclose(out);
	return text;
}

static bool add_roofs(struct chart *chart, const struct frame *frame)
{
	bool ok = add_slope(chart, frame);

	for (size_t i = 0; i < frame->roof_count && ok; i++) {
		struct chart_series *series =
			chart_add_series(chart, NULL, ROOF_TINT, 0, CHART_LINE_NO_POINTS);
		double rate = frame->roofs[i].gflops;
		double knee = frame->memory_gbps > 0 ? rate / frame->memory_gbps : frame->low;
		char *name = roof_name(frame, i);
		ok = series && chart_add_point(series, knee, rate, NAN, NAN, NULL) &&
		     chart_add_point(series, frame->end, rate, NAN, NAN, name);
		free(name);
	}
	return ok;
}

/* ---- Points ---------------------------------------------------------------------------------- */

/* Adds a mark at the rate that the floor allows, joined with the measured rate. */
static bool add_floors(struct chart *chart, const struct side_rows *rows, size_t side)
{
	struct chart_series *series = chart_add_series(
		chart, "rate that the floor allows", ROOF_TINT, FLOOR_MARK, CHART_POINTS);
	bool ok = series != NULL;

	for (size_t i = 0; i < rows->count && ok; i++) {
		const struct side_row *row = &rows->items[i];
		double share = roofline_chart_share(row);
		if (!roofline_chart_has(row, side) || !is_positive(share))
			continue;
		double rate = side_row_rate(row, false), allowed = rate / share;
		ok = chart_add_point(series, roofline_chart_intensity(row->row), allowed,
			fmin(rate, allowed), fmax(rate, allowed), NULL);
	}
	return ok;
}

/* Adds the points of a group of limits, as one series. */
static bool add_points(struct chart *chart, const struct side_rows *rows, size_t side, size_t group)
{
	struct chart_series *series = NULL;
	bool ok = true;

	for (size_t i = 0; i < rows->count && ok; i++) {
		const struct side_row *row = &rows->items[i];
		if (!roofline_chart_has(row, side) || limit_group_of(row->row) != group)
			continue;
		if (!series)
			series = chart_add_series(chart, limit_groups[group].name, (unsigned)group,
				group_marks[group], CHART_POINTS);
		const char *name =
			is_fastest(rows, i, roofline_chart_has) ? row->row->family : NULL;
		ok = series && chart_add_point(series, roofline_chart_intensity(row->row),
				       side_row_rate(row, false), NAN, NAN, name);
	}
	return ok;
}

static bool set_texts(struct chart *chart, const struct page *page, size_t side, const char *what,
	const char *description)
{
	char *title = NULL;

	text_format(&title, "%s: %s", page->sides[side].name, what);
	bool ok = title && chart_set_titles(chart, title, description);
	free(title);
	return ok;
}

bool roofline_chart(
	const struct page *page, const struct side_rows *rows, size_t side, struct chart *ret_chart)
{
	struct frame frame;
	struct chart chart;

	chart_init(ret_chart);
	if (!make_frame(page, rows, side, &frame))
		return true;
	chart_init(&chart);
	bool ok =
		set_texts(&chart, page, side, "roofline",
			"Rate against arithmetic intensity. Lines are the measured roofs of the "
			"device. Points are variants; each is joined with the rate that its largest "
			"floor allows.") &&
		chart_set_axis(&chart.x, "FLOP per byte", true) &&
		chart_set_axis(&chart.y, "GFLOP/s", true) && add_roofs(&chart, &frame);
	chart.x.low = frame.low;
	chart.x.high = frame.end * pow(frame.end / frame.low, NAME_SPACE);
	/* The points are drawn over the ticks. */
	ok = ok && add_floors(&chart, rows, side);
	for (size_t group = 0; group < LIMIT_GROUPS && ok; group++)
		ok = add_points(&chart, rows, side, group);
	if (ok)
		*ret_chart = chart;
	else
		chart_finish(&chart);
	return ok;
}

/* ---- Shares ---------------------------------------------------------------------------------- */

static bool has_share(const struct side_row *row, size_t side)
{
	return row->side == side && row->main && row->ns > 0 &&
	       is_positive(roofline_chart_share(row));
}

/* Finds the chart row of a family; adds it if it is new. Returns false if there is no memory. */
static bool find_row(struct chart *chart, const char *family, size_t *ret_row)
{
	size_t row = 0;

	while (row < chart->row_count && strcmp(chart->rows[row], family) != 0)
		row++;
	*ret_row = row;
	return row < chart->row_count || chart_add_row(chart, family);
}

static bool add_shares(struct chart *chart, const struct side_rows *rows, size_t side, size_t group)
{
	struct chart_series *series = NULL;
	bool ok = true;

	for (size_t i = 0; i < rows->count && ok; i++) {
		const struct side_row *row = &rows->items[i];
		const char *name = is_fastest(rows, i, NULL) ? row->row->variant : NULL;
		size_t line;
		if (!has_share(row, side) || limit_group_of(row->row) != group)
			continue;
		if (!series)
			series = chart_add_series(chart, limit_groups[group].name, (unsigned)group,
				group_marks[group], CHART_POINTS);
		ok = series && find_row(chart, text_or_empty(row->row->family), &line) &&
		     chart_add_point(
			     series, 100 * roofline_chart_share(row), (double)line, NAN, NAN, name);
	}
	return ok;
}

/* Adds the families in the order of the ladders. */
static bool add_families(struct chart *chart, const struct side_rows *rows, size_t side)
{
	bool ok = true;
	size_t line;

	for (size_t i = 0; i < rows->count && ok; i++)
		if (has_share(&rows->items[i], side))
			ok = find_row(chart, text_or_empty(rows->items[i].row->family), &line);
	return ok;
}

bool roofline_chart_shares(
	const struct page *page, const struct side_rows *rows, size_t side, struct chart *ret_chart)
{
	struct chart chart;

	chart_init(&chart);
	chart_init(ret_chart);
	bool ok = set_texts(&chart, page, side, "share of the time that the largest floor explains",
			  "One row for each family, one point for each variant: its largest floor "
			  "as a percentage of its time.") &&
		  chart_set_axis(&chart.x, "largest floor, % of time", false) &&
		  add_families(&chart, rows, side);
	for (size_t group = 0; group < LIMIT_GROUPS && ok; group++)
		ok = add_shares(&chart, rows, side, group);
	ok = ok && chart_add_rule(&chart, true, 100, "100 %: as fast as the floor");
	if (!ok || !chart.row_count)
		chart_finish(&chart);
	if (ok)
		*ret_chart = chart;
	return ok;
}
