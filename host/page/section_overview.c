#include <math.h>

#include "common/family.h"
#include "host/page/data.h"
#include "host/page/section.h"

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
static bool put_devices(struct page *page)
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

void section_overview(struct page *page)
{
	bool timed = false, floors = false;

	for (size_t i = 0; i < page->row_count; i++) {
		timed |= page->rows[i].timed;
		floors |= page->rows[i].share > 0;
	}
	if (!timed)
		return;
	html_markup(page->out, "<ul class=\"answers\">\n");
	bool several = put_devices(page);
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
