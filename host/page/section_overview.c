#include <math.h>

#include "host/page/data.h"
#include "host/page/parity.h"
#include "host/page/sections.h"
#include "host/report/format.h"

/* Pages of more devices only compare the devices. */
#define FEW_DEVICES 2

/* ---- Groups ---------------------------------------------------------------------------------- */

/* Families by the limit of their fastest variant on the first device. */
enum group {
	GROUP_MEMORY,
	GROUP_COMPUTE,
	GROUP_OTHER,
	GROUP_COUNT
};

static const struct {
	const char *name, *several;
	unsigned limits; /* set of 1 << enum limited_by */
} groups[GROUP_COUNT] = {
	{"memory-bound", "memory-bound families", 1 << LIMITED_BY_MEMORY | 1 << LIMITED_BY_CACHE},
	{"compute-bound", "compute-bound ones", 1 << LIMITED_BY_COMPUTE | 1 << LIMITED_BY_TENSOR},
	{"other", "others", 0},
};

static enum group group_of(const struct page_row *row)
{
	int limit = row->result->derived.limited_by;

	for (int i = 0; limit >= 0 && i < GROUP_OTHER; i++)
		if (groups[i].limits & 1u << limit)
			return (enum group)i;
	return GROUP_OTHER;
}

/* ---- Two devices ----------------------------------------------------------------------------- */

/* Geometric means of time of the other device / time of the first device. */
struct gains {
	double log_sum[GROUP_COUNT];
	size_t count[GROUP_COUNT];
};

static size_t total(const struct gains *gains)
{
	size_t count = 0;

	for (int i = 0; i < GROUP_COUNT; i++)
		count += gains->count[i];
	return count;
}

/* Compares the fastest variants of the families that both devices ran at the same problem. data: add
 * each family to the chart. */
static struct gains compare_devices(struct page *page, size_t first, size_t other, bool data)
{
	struct gains gains = {0};

	for (size_t f = 0; f < page->family_count; f++) {
		const struct page_row *a = page_fastest(page, f, first);
		const struct page_row *b = page_fastest(page, f, other);
		if (!a || !b || a->problem != b->problem)
			continue;
		enum group group = group_of(a);
		double ratio = b->cell->median_ns / a->cell->median_ns;
		gains.log_sum[group] += log(ratio);
		gains.count[group]++;
		if (data)
			data_add_overview(page, f, groups[group].name, (size_t)(a - page->rows),
				(size_t)(b - page->rows), ratio);
	}
	return gains;
}

static void put_gains(struct page *page, size_t first, size_t other, const struct gains *gains)
{
	const char *separator = ": ";
	char factor[32];

	html_markup(page->out, "<li><strong>");
	html_name(page->out, page_device_name(page, first));
	html_markup(page->out, "</strong> against ");
	html_name(page->out, page_device_name(page, other));
	for (int i = 0; i < GROUP_COUNT; i++) {
		if (!gains->count[i])
			continue;
		format_factor(
			exp(gains->log_sum[i] / (double)gains->count[i]), factor, sizeof factor);
		html_format(page->out, "%s%s as fast in %zu %s", separator, factor, gains->count[i],
			groups[i].several);
		separator = ", ";
	}
	html_markup(page->out, ".</li>\n");
}

/* Compares each device with the first device that ran the same problems. Returns whether there is a
 * pair. */
static bool put_devices(struct page *page)
{
	bool any = false;

	for (size_t other = 1; other < page->device_count; other++)
		for (size_t first = 0; first < other; first++) {
			struct gains gains = compare_devices(page, first, other, false);
			if (!total(&gains))
				continue;
			compare_devices(page, first, other, true);
			put_gains(page, first, other, &gains);
			any = true;
			break;
		}
	return any;
}

/* ---- One device ------------------------------------------------------------------------------ */

/* Writes "NVIDIA H200: the fastest variant is limited by memory in 12, compute in 2 of 16 families." */
static void put_limits(struct page *page, size_t device)
{
	size_t counts[LIMITED_BY_COUNT + 1] = {0}, families = 0;
	const char *separator = ": the fastest variant is limited by ";

	for (size_t f = 0; f < page->family_count; f++) {
		const struct page_row *row = page_fastest(page, f, device);
		int limit = row ? row->result->derived.limited_by : -1;
		families += row != NULL;
		if (row)
			counts[limit >= 0 && limit < LIMITED_BY_COUNT ? limit : LIMITED_BY_COUNT]++;
	}
	html_markup(page->out, "<li><strong>");
	html_name(page->out, page_device_name(page, device));
	html_markup(page->out, "</strong>");
	for (int i = 0; i <= LIMITED_BY_COUNT; i++) {
		const char *name = limited_by_name((enum limited_by)i);
		if (!counts[i])
			continue;
		html_format(page->out, "%s%s in %zu", separator,
			name ? name : "an unknown resource", counts[i]);
		separator = ", ";
	}
	if (families)
		html_format(page->out, " of %zu families.", families);
	else
		html_text(page->out, ": no timed variant solves the problem of its family.");
	html_markup(page->out, "</li>\n");
}

static void put_backends(struct page *page, size_t device)
{
	const struct parity_pairs *pairs = &page->pairs[device];

	if (!pairs->count)
		return;
	html_markup(page->out, "<li>");
	html_text(page->out, page->sides[pairs->sides[0]].backend_name);
	html_markup(page->out, " against ");
	html_text(page->out, page->sides[pairs->sides[1]].backend_name);
	html_markup(page->out, " on <strong>");
	html_name(page->out, page_device_name(page, device));
	html_markup(page->out, "</strong>");
	html_format(page->out, ": %zu of %zu variants within 5 %%.", parity_pairs_near(pairs),
		pairs->count);
	html_markup(page->out, "</li>\n");
}

/* ---- Table ----------------------------------------------------------------------------------- */

static void put_row(struct page *page, struct table *table, size_t family, size_t device)
{
	const struct page_row *row = page_fastest(page, family, device);
	char text[64] = "";

	if (!row)
		return;
	table_row(table, STYLE_PLAIN);
	table_text(table, page->families[family].name);
	table_text(table, page->sides[row->side].name);
	table_format(table, "%s%s", text_or_empty(row->label),
		row->cell->own_kernel ? " (your kernel)" : "");
	page_table_number(table, row->rate, row->unit);
	table_number(table, format_ns, row->cell->median_ns);
	if (row->result->derived.record.present)
		format_limit(&row->result->derived, text, sizeof text);
	table_text(table, text);
	table_text(table, page->problems[row->problem].text);
}

static void put_table(struct page *page)
{
	static const struct table_column columns[] = {{.title = "family"}, {.title = "device"},
		{.title = "fastest variant"}, {.title = "rate", .align = TABLE_RIGHT},
		{.title = "time", .align = TABLE_RIGHT}, {.title = "limited by"},
		{.title = "problem"}};
	struct table table;

	table_init(&table, columns, sizeof columns / sizeof *columns);
	for (size_t f = 0; f < page->family_count; f++)
		for (size_t d = 0; d < page->device_count; d++)
			put_row(page, &table, f, d);
	page_table_begin(page, "Table: the fastest variant of each family on each device");
	page_put_table(page, &table, "The fastest variants");
	page_table_end(page);
}

static bool any_floor(const struct page *page, size_t device)
{
	for (size_t i = 0; i < page->row_count; i++)
		if (page->rows[i].main && page->rows[i].share > 0 &&
			page->sides[page->rows[i].side].device == device)
			return true;
	return false;
}

/* Writes a chart for each device. */
static void put_floors(struct page *page)
{
	bool begun = false;

	for (size_t d = 0; d < page->device_count; d++) {
		if (!any_floor(page, d))
			continue;
		if (!begun)
			html_markup(page->out,
				"<p>Each bar is for the fastest variant of a family. It shows the part of the "
				"time that the largest floor explains. A <em>floor</em> is the least time that one "
				"resource needs for the work of the variant. At 100&nbsp;% the variant is as fast as the "
				"measured rates allow.</p>\n");
		begun = true;
		page_heading(page, page_device_name(page, d));
		page_chart(page, "limits", "device", d, NULL, 0);
	}
}

static bool any_time(const struct page *page)
{
	for (size_t i = 0; i < page->row_count; i++)
		if (page->rows[i].timed)
			return true;
	return false;
}

void section_overview(struct page *page)
{
	if (!any_time(page))
		return;
	html_markup(page->out, "<ul class=\"answers\">\n");
	bool several = put_devices(page);
	for (size_t d = 0; d < page->device_count && page->device_count <= FEW_DEVICES; d++)
		put_limits(page, d);
	for (size_t d = 0; d < page->device_count; d++)
		put_backends(page, d);
	html_markup(page->out, "</ul>\n");
	if (several) {
		html_markup(page->out,
			"<p>A mark right of 1 means that the first device is faster. Each row is a "
			"family: the fastest variants of both devices that solve the same problem, at the "
			"same size and at full precision. Families that the devices ran at different "
			"sizes are left out.</p>\n");
		page_chart(page, "overview", NULL, 0, NULL, 0);
	} else {
		put_floors(page);
	}
	put_table(page);
}
