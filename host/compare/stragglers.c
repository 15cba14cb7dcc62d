#include "host/compare/stragglers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/fleet.h"
#include "host/compare/fields.h"
#include "host/record/text.h"

/* ---- Times of a rank ------------------------------------------------------------------------- */

/* Sets the key and the label. Returns false if there is no memory. */
static bool name_time(const struct compared_row *row, struct fleet_time *time)
{
	const char *samples = word_text(timing_primary_words, row->row->timing.primary);
	size_t size;
	FILE *label = open_memstream(&time->label, &size);

	text_format(&time->key, "%s%s\n%s", row->key,
		row->device ? text_or_empty(row->device->name) : text_or_empty(row->row->device),
		samples);
	if (!label)
		return false;
	fprintf(label, "%s %s/%s ", row->row->backend, row->row->family, row->row->variant);
	record_put_value(&result_row_type, row->row, "problem", label);
	return fclose(label) == 0 && time->label && time->key;
}

static bool add_time(const struct compared_row *row, struct fleet_report *report)
{
	double *medians = NULL;
	bool measured;
	size_t count = row->row->status == OUTCOME_OK ? result_row_medians(row->row, &medians) : 0;

	if (count == 0)
		return true;
	struct fleet_time *time = record_list_add(&fleet_time_type, &report->times);
	if (!time) {
		free(medians);
		return false;
	}
	const struct noise_floor noise = result_row_noise(row->row, row->device, &measured);
	time->medians_ns = (struct number_list){medians, count};
	time->half_width = result_row_run_half_width(row->row);
	time->noise_sd = noise.sd;
	time->noise_dof = noise.dof;
	text_set(&time->device_type, row->device ? row->device->type : NULL);
	return name_time(row, time);
}

enum pmpp_status stragglers_add_times(const struct result_document *document,
	struct fleet_report *report, struct pmpp_error *error)
{
	bool ok = true;

	for (size_t i = 0; i < document->results.count && ok; i++) {
		struct compared_row row = {
			.row = &document->results.items[i], .document = document};
		row.device = device_of_key(document, row.row->device);
		ok = compared_row_set_texts(&row) &&
		     compared_row_set_key(&row, COMPARE_BIT(ROW_DEVICE)) && add_time(&row, report);
		compared_row_finish(&row);
	}
	return ok ? PMPP_OK
		  : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the report of a rank");
}

/* ---- Judgement ------------------------------------------------------------------------------- */

/* A time and its position in the reports. */
struct entry {
	struct straggler straggler;
	struct repetition_estimate estimate;
	size_t order;
};

struct entries {
	struct entry *items; /* owned */
	size_t count;
	struct repetition_estimate *estimates; /* space for one estimate per entry; owned */
};

static bool is_valid(const struct fleet_time *time)
{
	return time->medians_ns.count > 0 && time->noise_sd > 0 && time->noise_dof >= 1;
}

static struct repetition_estimate estimate_of(const struct fleet_time *time)
{
	const struct repetitions runs = {.medians_ns = time->medians_ns.items,
		.count = time->medians_ns.count,
		.half_width = time->half_width,
		.floor = {.sd = time->noise_sd, .dof = time->noise_dof}};

	return repetition_estimate_of(&runs);
}

/* Sorts by key, then by time. */
static int by_key(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = strcmp(x->straggler.time->key, y->straggler.time->key);

	if (order != 0)
		return order;
	return (x->estimate.log_ns > y->estimate.log_ns) -
	       (x->estimate.log_ns < y->estimate.log_ns);
}

static int by_order(const void *a, const void *b)
{
	size_t x = ((const struct entry *)a)->order, y = ((const struct entry *)b)->order;

	return (x > y) - (x < y);
}

static bool entries_fill(const struct fleet_report_list *reports, struct entries *entries)
{
	size_t total = 0;

	for (size_t i = 0; i < reports->count; i++)
		total += reports->items[i].times.count;
	entries->items = calloc(total + 1, sizeof *entries->items);
	entries->estimates = calloc(total + 1, sizeof *entries->estimates);
	if (!entries->items || !entries->estimates)
		return false;
	for (size_t i = 0; i < reports->count; i++) {
		const struct fleet_report *report = &reports->items[i];
		for (size_t t = 0; t < report->times.count; t++) {
			const struct fleet_time *time = &report->times.items[t];
			if (!is_valid(time))
				continue;
			entries->items[entries->count] =
				(struct entry){.straggler = {.report = report, .time = time},
					.estimate = estimate_of(time),
					.order = entries->count};
			entries->count++;
		}
	}
	return true;
}

/* Judges the entries from `first` to `end` - 1, which have the same key. Moves the stragglers to
 * the front of the list, over entries that are already judged. *count: number of stragglers. */
static void judge(struct entries *entries, size_t first, size_t end, size_t *count)
{
	for (size_t i = first; i < end; i++)
		entries->estimates[i - first] = entries->items[i].estimate;
	for (size_t i = first; i < end; i++) {
		struct entry entry = entries->items[i];
		if (!fleet_is_straggler(entries->estimates, end - first, i - first,
			    entry.straggler.time->device_type, &entry.straggler.ratio))
			continue;
		entries->items[(*count)++] = entry;
	}
}

enum pmpp_status stragglers_find(const struct fleet_report_list *reports,
	struct straggler_list *ret_list, struct pmpp_error *error)
{
	struct entries entries = {0};
	size_t count = 0, end;
	bool ok = entries_fill(reports, &entries);
	struct straggler *items = NULL;

	if (ok)
		qsort(entries.items, entries.count, sizeof *entries.items, by_key);
	for (size_t first = 0; first < entries.count; first = end) {
		const char *key = entries.items[first].straggler.time->key;
		end = first + 1;
		while (end < entries.count &&
			strcmp(entries.items[end].straggler.time->key, key) == 0)
			end++;
		judge(&entries, first, end, &count);
	}
	items = ok ? calloc(count + 1, sizeof *items) : NULL;
	if (items) {
		qsort(entries.items, count, sizeof *entries.items, by_order);
		for (size_t i = 0; i < count; i++)
			items[i] = entries.items[i].straggler;
		*ret_list = (struct straggler_list){items, count};
	}
	free(entries.items);
	free(entries.estimates);
	return items ? PMPP_OK
		     : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the stragglers");
}
