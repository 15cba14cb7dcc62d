#include "host/report/fleet_table.h"

#include <stdlib.h>
#include <string.h>

#include "common/model/exit_code.h"
#include "common/model/verdict.h"
#include "host/compare/compare.h"
#include "host/record/identity.h"
#include "host/report/table.h"
#include "host/report/wrap.h"

/* ---- Files ----------------------------------------------------------------------------------- */

static int by_rank(const void *a, const void *b)
{
	int64_t x = ((const struct compared_file *)a)->document.run.rank;
	int64_t y = ((const struct compared_file *)b)->document.run.rank;

	return (x > y) - (x < y);
}

/* Sorts the files by rank. PMPP_USAGE with the reason: a file without a rank, files of two fleets,
 * two files of one rank. */
static enum pmpp_status sort_files(
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
	struct repetition_ratio ratio; /* its time / the time of the median rank */
	double p;                      /* p-value of "not slower" */
	bool is_straggler;
	bool confirmed; /* verdict_p_limit(), over all judged times of the fleet */
};

/* Sets the key: the identity of the row with the model of its device in place of its UUID, and the number of
 * earlier rows of the rank with this identity. Returns false if there is no memory. */
static bool set_key(struct compared_row *row, struct row_numbers *numbers)
{
	const char *device = text_or_empty(row->device ? row->device->name : row->row->device);
	size_t again;

	if (!compared_row_set_key(row, COMPARE_BIT(ROW_DEVICE)))
		return false;
	text_format(&row->key, "%s%s\n%s", row->key, device,
		word_text(timing_primary_words, row->row->timing.primary));
	if (!row->key || !row_numbers_add(numbers, row->key, &again))
		return false;
	text_format(&row->key, "%s\n%zu", row->key, again);
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
		*entry = (struct entry){
			.row = row, .device_type = type, .estimate = repetition_estimate_of(&runs)};
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

/* The most certain first. */
static int by_p(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->p != y->p ? (x->p > y->p) - (x->p < y->p)
			    : (x->row->order > y->row->order) - (x->row->order < y->row->order);
}

/* Judges the times of one variant, problem and model of device (common/model/verdict.h), and sorts them by
 * certainty. estimates: room for all times. Returns the number of judged times. */
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
			entries[i].is_straggler =
				fleet_is_straggler(&estimates[first], end - first, i - first,
					entries[i].device_type, &entries[i].ratio, &entries[i].p);
		tests += end - first - 1; /* the median rank is not judged */
	}
	qsort(entries, count, sizeof *entries, by_p);
	for (size_t k = 0; k < tests; k++) {
		confirmed &= entries[k].p <= verdict_p_limit(k, tests);
		entries[k].confirmed = confirmed;
	}
	return tests;
}

/* ---- Ranks --------------------------------------------------------------------------------- */

/* The host is left out first. */
static const struct table_column columns[] = {
	{.title = "rank", .align = TABLE_RIGHT},
	{.title = "host", .priority = TABLE_ESSENTIAL + 2},
	{.title = "device"},
	{.title = "UUID or address", .priority = TABLE_ESSENTIAL + 1},
	{.title = "ok", .align = TABLE_RIGHT, .width = 5},
	{.title = "failed", .align = TABLE_RIGHT},
	{.title = "skipped", .align = TABLE_RIGHT},
};

static const char *or_dash(const char *text)
{
	return text && *text ? text : "-";
}

/* The device of the rank; a rank of `verify` on a CPU has several. */
static const char *device_of(const struct compared_file *file, bool name)
{
	const struct device_list *devices = &file->document.devices;
	const struct device_record *device = devices->count ? &devices->items[0] : NULL;

	if (!device)
		return "-";
	return or_dash(name ? device->name : device->uuid ? device->uuid : device->pci);
}

/* Adds the line of a rank, and its rows to the counts. */
static void add_line(
	struct table *table, const struct compared_file *file, struct exit_counts *counts)
{
	const struct result_row_list *rows = &file->document.results;
	size_t of[OUTCOME_CLASS_COUNT] = {0};

	for (size_t i = 0; i < rows->count; i++) {
		enum outcome_class class = result_row_class(&rows->items[i]);
		of[class]++;
		counts->of_class[class]++;
	}
	table_row(table, STYLE_PLAIN);
	table_format(table, "%lld", (long long)file->document.run.rank);
	table_text(table, or_dash(file->document.run.host_id));
	table_text(table, device_of(file, true));
	table_text(table, device_of(file, false));
	table_format(table, "%zu", of[OUTCOME_CLASS_OK]);
	table_format(table, "%zu", of[OUTCOME_CLASS_FAILED] + of[OUTCOME_CLASS_BROKEN]);
	table_format(table, "%zu", of[OUTCOME_CLASS_SKIPPED] + of[OUTCOME_CLASS_UNVERIFIED]);
}

/* ---- Lines below the table ----------------------------------------------------------------- */

/* Prints the stragglers. Returns whether one is confirmed. tests: number of judged times */
static bool put_stragglers(
	FILE *out, const struct entry *entries, size_t count, size_t tests, size_t ranks)
{
	size_t slow = 0;
	bool confirmed = false;

	for (size_t i = 0; i < count; i++)
		slow += entries[i].is_straggler;
	if (!tests)
		fputs("no rank is judged: no row has times of two ranks with the same model of "
		      "device\n",
			out);
	else if (!slow)
		fprintf(out,
			"no rank is slow: %zu ranks, %zu time%s compared with the median rank\n",
			ranks, tests, tests == 1 ? "" : "s");
	else
		fputs("stragglers: SLOW against the median rank with this model of device "
		      "(ratio of the times, 95 % interval)\n",
			out);
	for (size_t i = 0; i < count; i++) {
		const struct entry *entry = &entries[i];
		if (!entry->is_straggler)
			continue;
		confirmed |= entry->confirmed;
		fprintf(out, "    rank %lld, %s: ", (long long)entry->row->document->run.rank,
			device_of(entry->row->of, false));
		result_row_put_name(entry->row->row, out, "");
		fprintf(out, "  %.3f  [%.3f, %.3f]%s\n", entry->ratio.ratio, entry->ratio.ci95[0],
			entry->ratio.ci95[1], entry->confirmed ? "" : ", not confirmed");
	}
	return confirmed;
}

/* Prints whether the rank was interrupted, its number of failed rows, and the first one. Returns whether the
 * rank was interrupted. */
static bool put_failed(FILE *out, const struct compared_file *file)
{
	const struct result_row_list *rows = &file->document.results;
	const long long rank = (long long)file->document.run.rank;
	const bool interrupted = rows->count == 0 || file->document.run.interrupted;
	const struct result_row *first = NULL;
	size_t failed = 0;

	if (interrupted)
		fprintf(out, "rank %lld failed: it was interrupted after %zu rows\n", rank,
			rows->count);
	for (size_t i = 0; i < rows->count; i++) {
		enum outcome_class class = result_row_class(&rows->items[i]);
		if (class != OUTCOME_CLASS_FAILED && class != OUTCOME_CLASS_BROKEN)
			continue;
		first = failed++ ? first : &rows->items[i];
	}
	if (first) {
		fprintf(out, "rank %lld failed: %zu of %zu rows; the first: ", rank, failed,
			rows->count);
		result_row_put_name(first, out, ": ");
		fprintf(out, "%s\n", or_dash(first->reason));
	}
	return interrupted;
}

/* Prints the ranks without a file: "3, 5 to 7". Returns their number. */
static int64_t put_missing(FILE *out, const struct compared_file *files, size_t count)
{
	const int64_t ranks = files[0].document.run.ranks;
	const int64_t missing = ranks - (int64_t)count;
	const char *separator = "ranks without a file: ";
	int64_t next = 0;

	for (size_t i = 0; i <= count && missing; i++) {
		int64_t end = i < count ? files[i].document.run.rank : ranks;
		if (next < end)
			fprintf(out, "%s%lld", separator, (long long)next);
		if (next + 1 < end)
			fprintf(out, " to %lld", (long long)end - 1);
		if (next < end)
			separator = ", ";
		next = end + 1;
	}
	if (missing)
		fputs(" (killed, without a device, or not in the list of files)\n", out);
	return missing;
}

/* Prints all. Returns the exit code. */
static enum exit_code put_all(FILE *out, const struct compared_file *files, size_t count,
	const struct entry *entries, size_t entry_count, size_t tests, int width)
{
	struct exit_counts counts = {.needs_rows = true};
	struct table table;
	struct wrap wrap;

	table_init(&table, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; i < count; i++)
		add_line(&table, &files[i], &counts);
	table_put(&table, out, &(struct page_style){.width = width});
	table_finish(&table);
	out = wrap_begin(&wrap, out, width);
	bool slow = put_stragglers(out, entries, entry_count, tests, count);
	for (size_t i = 0; i < count; i++)
		counts.of_class[OUTCOME_CLASS_BROKEN] += put_failed(out, &files[i]);
	enum exit_code code = exit_code_of_counts(&counts);
	if (put_missing(out, files, count))
		code = exit_code_worst(code, EXIT_CODE_BROKEN);
	wrap_end(&wrap);
	return slow ? exit_code_worst(code, EXIT_CODE_REGRESSION) : code;
}

enum pmpp_status fleet_table_put(FILE *out, struct compared_file *files, size_t count, int width,
	int *ret_exit, struct pmpp_error *error)
{
	struct compared_rows rows = {0};
	enum pmpp_status status = sort_files(files, count, error);

	if (status != PMPP_OK)
		return status;
	bool ok = compared_rows_make(files, count, false, &rows);
	struct entry *entries = calloc(rows.count + 1, sizeof *entries);
	struct repetition_estimate *estimates = calloc(rows.count + 1, sizeof *estimates);
	size_t entry_count = 0;
	if (ok && entries && estimates && entries_fill(&rows, entries, &entry_count)) {
		size_t tests = judge(entries, entry_count, estimates);
		*ret_exit = put_all(out, files, count, entries, entry_count, tests, width);
	} else {
		status = PMPP_NO_MEMORY(error, "the stragglers");
	}
	compared_rows_finish(&rows);
	free(entries);
	free(estimates);
	return status;
}
