#include "host/report/explain_table.h"

#include <math.h>
#include <stdlib.h>

#include "host/report/explain_page.h"
#include "host/report/table.h"
#include "host/report/wrap.h"

static const struct table_column columns[] = {
	{.title = "variant"},
	TABLE_NUMBER(NULL, "loads", NULL, 0, 5),
	TABLE_NUMBER(NULL, "stores", NULL, 0, 6),
	TABLE_NUMBER(NULL, "passes", NULL, 0, 6),
	TABLE_NUMBER(NULL, "diverge", "%", 0, 7),
	TABLE_NUMBER(NULL, "lanes", "%", 3, 6),
	TABLE_NUMBER(NULL, "occupancy", "%", 1, 6),
	TABLE_NUMBER(NULL, "floor", "ns", 2, 8),
	{.title = "limit"},
};

/* The sums over the launches of a variant. */
struct counts {
	double sectors[2], requests[2]; /* of loads and stores of global memory */
	double passes, shared_requests;
	double warps, divergent;
	double occupancy, simt; /* the lowest of a launch; NaN = unknown */
};

size_t explain_variant_end(const struct explanation_record *entries, size_t count, size_t first)
{
	size_t end = first + 1;

	while (end < count && entries[end].launch.index > entries[end - 1].launch.index &&
		text_equal(entries[end].family, entries[first].family) &&
		text_equal(entries[end].variant, entries[first].variant))
		end++;
	return end;
}

static void add_access(struct counts *counts, const struct access_record *access)
{
	double requests = (double)access->requests;
	bool store = access->kind == TRACE_STORE;

	if (access->space == TRACE_SHARED && isfinite(access->wavefronts_per_request)) {
		counts->passes += requests * access->wavefronts_per_request;
		counts->shared_requests += requests;
	} else if (access->space != TRACE_SHARED && (store || access->kind == TRACE_LOAD)) {
		counts->sectors[store] += requests * access->sectors_per_request;
		counts->requests[store] += requests;
	}
}

static struct counts count_variant(const struct explanation_record *entries, size_t count)
{
	struct counts counts = {.occupancy = NAN, .simt = NAN};

	for (size_t i = 0; i < count; i++) {
		const struct explanation_record *entry = &entries[i];
		for (size_t a = 0; a < entry->accesses.count; a++)
			add_access(&counts, &entry->accesses.items[a]);
		if (entry->warps > 0) {
			counts.warps += (double)entry->warps;
			counts.divergent += (double)entry->divergent_warps;
		}
		counts.simt = fmin(counts.simt, entry->simt_efficiency);
		if (entry->occupancy.record.present)
			counts.occupancy = fmin(counts.occupancy, entry->occupancy.ratio);
	}
	return counts;
}

/* "4.0"; "-" for NaN. */
static void format_mean(double value, char *text, size_t size)
{
	snprintf(text, size, isfinite(value) ? "%.1f" : "-", value);
}

/* Variants that have several rows differ in their sizes, macros or languages. */
static void add_name(struct table *table, const struct explanation_record *entries, size_t count,
	const struct explanation_record *entry)
{
	char macros[160] = "";
	size_t same = 0;

	for (size_t i = 0; i < count; i++)
		same += entries[i].launch.index <= 1 &&
			text_equal(entries[i].variant, entry->variant);
	format_macros(&entry->macros, macros, sizeof macros);
	if (same > 1)
		table_format(table, "%s, %s,%s, %s", entry->variant,
			text_or_empty(entry->problem_text), macros, text_or_empty(entry->traced));
	else
		table_text(table, entry->variant);
}

static void add_counts(struct table *table, const struct explanation_record *entries, size_t count)
{
	const struct counts counts = count_variant(entries, count);
	const char *limit = limited_by_name((enum limited_by)entries->limited_by);

	for (size_t i = 0; i < 2; i++)
		table_number(table, format_mean, counts.sectors[i] / counts.requests[i]);
	table_number(table, format_mean, counts.passes / counts.shared_requests);
	table_number(table, format_percent, 100 * counts.divergent / counts.warps);
	table_number(table, format_percent, 100 * counts.simt);
	table_number(table, format_percent, 100 * counts.occupancy);
	table_number(table, format_ns, floors_largest_ns(&entries->floors));
	table_text(table, limit ? limit : "unknown");
}

/* "reduce  B = A[0] + ... + A[n-1], n=4096, f32 sum; floor and limit: predicted for n=134217728 on NVIDIA H200" */
static void put_heading(FILE *out, const struct explanation_record *entry)
{
	const struct floors_record *floors = &entry->floors;

	fprintf(out, "%s  %s, %s, %s", text_or_empty(entry->family), text_or_empty(entry->title),
		text_or_empty(entry->problem_text), text_or_empty(entry->choices));
	if (floors->record.present)
		fprintf(out, "; floor and limit: %s%s on %s",
			entry->limit_predicted ? "predicted for " : "",
			text_or_empty(floors->problem_text), text_or_empty(floors->device));
	fputc('\n', out);
}

void explain_table_put(FILE *out, const struct explanation_record *entries, size_t count,
	const struct page_style *style)
{
	struct table table;
	struct wrap wrap;

	put_heading(wrap_begin(&wrap, out, style->width), entries);
	wrap_end(&wrap);
	table_init(&table, columns, ARRAY_COUNT(columns));
	for (size_t i = 0, end; i < count; i = end) {
		const struct explanation_record *entry = &entries[i];
		end = explain_variant_end(entries, count, i);
		table_row(&table, entry->defects.count ? STYLE_RED : STYLE_PLAIN);
		add_name(&table, entries, count, entry);
		if (entry->status >= 0)
			table_span(&table, format_status(entry->status).text);
		else if (entry->defects.count)
			table_span(&table, "DEFECT");
		else if (!explanation_has_warps(entry))
			table_span(&table, "a kernel for CPUs has no warps");
		else
			add_counts(&table, entry, end - i);
	}
	table_put(&table, out, style);
	table_finish(&table);
	fputs("loads, stores: sectors per request; passes: per request of shared memory; diverge: share of the warps\n",
		wrap_begin(&wrap, out, style->width));
	wrap_end(&wrap);
}
