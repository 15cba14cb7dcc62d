#include "host/compare/stragglers.h"

#include <stdlib.h>
#include <string.h>

#include "common/model/fleet.h"
#include "common/model/verdict.h"
#include "host/compare/fields.h"
#include "host/record/identity.h"
#include "host/record/json.h"

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

/* The time of a row. */
struct entry {
	struct straggler straggler;
	char *key; /* times with equal keys are compared; owned */
	const char *device_type;
	struct repetition_estimate estimate;
	size_t order;
};

struct entries {
	struct entry *items; /* owned */
	size_t count;
	struct repetition_estimate *estimates; /* space for one estimate per entry; owned */
};

static void entries_finish(struct entries *entries)
{
	for (size_t i = 0; i < entries->count; i++)
		free(entries->items[i].key);
	free(entries->items);
	free(entries->estimates);
}

/* The identity of a row, with the model of its device in place of its UUID. malloc'ed; NULL if there
 * is no memory. */
static char *key_of(struct compared_row *row)
{
	const char *device = text_or_empty(row->device ? row->device->name : row->row->device);
	char *key = NULL;

	if (compared_row_set_texts(row) && compared_row_set_key(row, COMPARE_BIT(ROW_DEVICE)))
		text_format(&key, "%s%s\n%s", row->key, device,
			word_text(timing_primary_words, row->row->timing.primary));
	compared_row_finish(row);
	return key;
}

/* Appends the number of earlier rows of the rank with this key. Returns false if there is no memory. */
static bool add_number(char **key, struct row_numbers *numbers)
{
	size_t again;

	if (!*key || !row_numbers_add(numbers, *key, &again))
		return false;
	text_format(key, "%s\n%zu", *key, again);
	return *key != NULL;
}

/* Adds the row if it has a time. numbers: keys of the earlier rows of the file. Returns false if there is
 * no memory. */
static bool add_row(const struct compared_file *file, const struct result_row *row,
	struct row_numbers *numbers, struct entries *entries)
{
	struct compared_row compared = {.row = row, .document = &file->document};
	struct entry *entry = &entries->items[entries->count];
	double *medians = NULL;
	bool measured;
	char *key;

	compared.device = device_of_key(&file->document, row->device);
	key = key_of(&compared);
	if (!add_number(&key, numbers)) {
		free(key);
		return false;
	}
	size_t count = row->status == OUTCOME_OK ? result_row_medians(row, &medians) : 0;
	if (count == 0) {
		free(key);
		return true;
	}
	const struct repetitions runs = {.medians_ns = medians,
		.count = count,
		.half_width = result_row_run_half_width(row),
		.floor = result_row_noise(row, compared.device, &measured)};
	*entry = (struct entry){.straggler = {.file = file, .row = row},
		.key = key,
		.device_type = compared.device ? compared.device->type : NULL,
		.estimate = repetition_estimate_of(&runs),
		.order = entries->count};
	free(medians);
	entries->count++;
	return true;
}

static bool entries_fill(const struct compared_file *files, size_t count, struct entries *entries)
{
	size_t total = 0;
	bool ok = true;

	for (size_t f = 0; f < count; f++)
		total += files[f].document.results.count;
	entries->items = calloc(total + 1, sizeof *entries->items);
	entries->estimates = calloc(total + 1, sizeof *entries->estimates);
	if (!entries->items || !entries->estimates)
		return false;
	for (size_t f = 0; f < count; f++) {
		const struct result_row_list *rows = &files[f].document.results;
		struct row_numbers numbers = {0};
		for (size_t i = 0; i < rows->count && ok; i++)
			ok = add_row(&files[f], &rows->items[i], &numbers, entries);
		row_numbers_finish(&numbers);
	}
	return ok;
}

/* ---- Judgement ------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = strcmp(x->key, y->key);

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
	size_t x = ((const struct entry *)a)->order, y = ((const struct entry *)b)->order;

	return (x > y) - (x < y);
}

/* Judges the times of all ranks for one variant. Sets `order` to SIZE_MAX where the rank is no
 * straggler. */
static void judge(struct entry *items, size_t count, struct repetition_estimate *estimates)
{
	for (size_t i = 0; i < count; i++)
		estimates[i] = items[i].estimate;
	for (size_t i = 0; i < count; i++) {
		struct straggler *straggler = &items[i].straggler;
		if (!fleet_is_straggler(estimates, count, i, items[i].device_type,
			    &straggler->ratio, &straggler->p))
			items[i].order = SIZE_MAX;
	}
}

/* Judges all times, and moves the stragglers to the front, in the order of the files. Returns their
 * number. *ret_tests: number of judged times. */
static size_t judge_all(struct entries *entries, size_t *ret_tests)
{
	size_t count = 0, end, tests = 0;
	bool confirmed = true;

	qsort(entries->items, entries->count, sizeof *entries->items, by_key);
	for (size_t first = 0; first < entries->count; first = end) {
		end = first + 1;
		while (end < entries->count &&
			strcmp(entries->items[end].key, entries->items[first].key) == 0)
			end++;
		judge(&entries->items[first], end - first, entries->estimates);
		tests += end - first - 1; /* the median rank is not judged */
	}
	*ret_tests = tests;
	qsort(entries->items, entries->count, sizeof *entries->items, by_p);
	for (size_t k = 0; k < tests; k++) {
		confirmed &= entries->items[k].straggler.p <= verdict_p_limit(k, tests);
		entries->items[k].straggler.confirmed = confirmed;
	}
	qsort(entries->items, entries->count, sizeof *entries->items, by_order);
	while (count < entries->count && entries->items[count].order != SIZE_MAX)
		count++;
	return count;
}

enum pmpp_status stragglers_find(const struct compared_file *files, size_t count,
	struct straggler_list *ret_list, struct pmpp_error *error)
{
	struct entries entries = {0};
	struct straggler_list list = {0};

	if (entries_fill(files, count, &entries)) {
		list.count = judge_all(&entries, &list.judged);
		list.items = calloc(list.count + 1, sizeof *list.items);
	}
	for (size_t i = 0; i < list.count && list.items; i++)
		list.items[i] = entries.items[i].straggler;
	entries_finish(&entries);
	if (!list.items)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the stragglers");
	*ret_list = list;
	return PMPP_OK;
}
