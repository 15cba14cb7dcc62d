#include "host/compare/stragglers.h"

#include <stdlib.h>
#include <string.h>

#include "common/model/fleet.h"
#include "common/model/verdict.h"
#include "host/compare/fields.h"
#include "host/record/row_numbers.h"

/* ---- Files ----------------------------------------------------------------------------------- */

static int by_rank(const void *a, const void *b)
{
	int64_t x = ((const struct compared_file *)a)->document.run.rank;
	int64_t y = ((const struct compared_file *)b)->document.run.rank;

	return (x > y) - (x < y);
}

enum pmpp_status fleet_files_sort(
	struct compared_file *files, size_t count, struct pmpp_error *error)
{
	for (size_t i = 0; i < count; i++) {
		const struct run_record *run = &files[i].document.run;
		const struct run_record *first = &files[0].document.run;
		if (!run->fleet || run->rank < 0 || run->rank >= run->ranks ||
			run->ranks > FLEET_MAX_RANKS)
			return PMPP_FAIL(error, PMPP_USAGE,
				"%s is not a file of `run --fleet` or `verify --fleet`",
				files[i].path);
		if (!text_equal(run->fleet, first->fleet) || run->ranks != first->ranks)
			return PMPP_FAIL(error, PMPP_USAGE,
				"%s (run %s, %lld ranks) and %s (run %s, %lld ranks) are files of two "
				"fleets: leave out one of them",
				files[0].path, first->fleet, (long long)first->ranks, files[i].path,
				run->fleet, (long long)run->ranks);
	}
	qsort(files, count, sizeof *files, by_rank);
	for (size_t i = 1; i < count; i++)
		if (files[i].document.run.rank == files[i - 1].document.run.rank)
			return PMPP_FAIL(error, PMPP_USAGE,
				"%s and %s are both of rank %lld: leave out one of them",
				files[i - 1].path, files[i].path,
				(long long)files[i].document.run.rank);
	return PMPP_OK;
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* The time of a row. Times with equal keys are compared. */
struct entry {
	const struct compared_row *row;
	const char *device_type;
	struct repetition_estimate estimate;
	struct straggler straggler;
	bool is_straggler;
};

/* Sets the key: the identity of the row with the model of its device in place of its UUID, and the number of
 * earlier rows of the rank with this identity. Returns false if there is no memory. */
static bool set_key(struct compared_row *row, struct row_numbers *numbers)
{
	const char *device = text_or_empty(row->device ? row->device->name : row->row->device);

	if (!compared_row_set_key(row, COMPARE_BIT(ROW_DEVICE)))
		return false;
	text_format(&row->key, "%s%s\n%s", row->key, device,
		word_text(timing_primary_words, row->row->timing.primary));
	if (!row->key || !row_numbers_add(numbers, row->key))
		return false;
	text_format(&row->key, "%s\n%zu", row->key, numbers->items[numbers->count - 1].again);
	return row->key != NULL;
}

/* Sets the time. Returns false if the row has none. */
static bool entry_fill(struct entry *entry, const struct compared_row *row)
{
	double *medians = NULL;
	size_t count = row->row->status == OUTCOME_OK ? result_row_medians(row->row, &medians) : 0;
	const char *type = row->device ? row->device->type : NULL;
	const struct repetitions runs = {.medians_ns = medians,
		.count = count,
		.half_width = result_row_run_half_width(row->row),
		.floor = noise_floor_default(type)};

	if (count)
		*entry = (struct entry){.row = row,
			.device_type = type,
			.estimate = repetition_estimate_of(&runs),
			.straggler = {.file = row->of, .row = row->row}};
	free(medians);
	return count > 0;
}

/* Sets the keys, and adds the rows that have a time. Returns false if there is no memory. */
static bool entries_fill(struct compared_rows *rows, struct entry *entries, size_t *ret_count)
{
	struct row_numbers numbers = {0}; /* of the rank */
	size_t count = 0;
	bool ok = true;

	for (size_t i = 0; i < rows->count && ok; i++) {
		if (i && rows->items[i].file != rows->items[i - 1].file)
			row_numbers_finish(&numbers);
		ok = set_key(&rows->items[i], &numbers);
		count += ok && entry_fill(&entries[count], &rows->items[i]);
	}
	row_numbers_finish(&numbers);
	*ret_count = count;
	return ok;
}

/* ---- Judgement ------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = strcmp(x->row->key, y->row->key);

	if (order != 0)
		return order;
	return (x->estimate.log_ns > y->estimate.log_ns) -
	       (x->estimate.log_ns < y->estimate.log_ns);
}

static int by_p(const void *a, const void *b)
{
	double x = ((const struct entry *)a)->straggler.p;
	double y = ((const struct entry *)b)->straggler.p;

	return (x > y) - (x < y);
}

static int by_order(const void *a, const void *b)
{
	size_t x = ((const struct entry *)a)->row->order;
	size_t y = ((const struct entry *)b)->row->order;

	return (x > y) - (x < y);
}

/* Judges all times, and sorts them by the order of the files. estimates: room for all times. Returns the
 * number of judged times. */
static size_t judge(struct entry *entries, size_t count, struct repetition_estimate *estimates)
{
	size_t tests = 0;
	bool confirmed = true;

	qsort(entries, count, sizeof *entries, by_key);
	for (size_t i = 0; i < count; i++)
		estimates[i] = entries[i].estimate;
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1;
			end < count && strcmp(entries[end].row->key, entries[first].row->key) == 0;)
			end++;
		for (size_t i = first; i < end; i++)
			entries[i].is_straggler = fleet_is_straggler(&estimates[first], end - first,
				i - first, entries[i].device_type, &entries[i].straggler.ratio,
				&entries[i].straggler.p);
		tests += end - first - 1; /* the median rank is not judged */
	}
	qsort(entries, count, sizeof *entries, by_p);
	for (size_t k = 0; k < tests; k++) {
		confirmed &= entries[k].straggler.p <= verdict_p_limit(k, tests);
		entries[k].straggler.confirmed = confirmed;
	}
	qsort(entries, count, sizeof *entries, by_order);
	return tests;
}

enum pmpp_status stragglers_find(const struct compared_file *files, size_t count,
	struct straggler_list *ret_list, struct pmpp_error *error)
{
	struct compared_rows rows;
	bool ok = compared_rows_make(files, count, false, &rows);
	struct entry *entries = calloc(rows.count + 1, sizeof *entries);
	struct repetition_estimate *estimates = calloc(rows.count + 1, sizeof *estimates);
	struct straggler_list list = {.items = calloc(rows.count + 1, sizeof *list.items)};
	size_t entry_count = 0;

	ok = ok && entries && estimates && list.items && entries_fill(&rows, entries, &entry_count);
	if (ok)
		list.judged = judge(entries, entry_count, estimates);
	for (size_t i = 0; i < entry_count && ok; i++)
		if (entries[i].is_straggler)
			list.items[list.count++] = entries[i].straggler;
	compared_rows_finish(&rows);
	free(entries);
	free(estimates);
	if (ok)
		*ret_list = list;
	else
		free(list.items);
	return ok ? PMPP_OK : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the stragglers");
}
