#include "host/report/fleet_table.h"

#include "common/model/exit_code.h"
#include "host/record/text.h"
#include "host/report/device_summary.h"
#include "host/report/table.h"
#include "host/report/wrap.h"

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

static void put_row_name(FILE *out, const struct result_row *row)
{
	fprintf(out, "%s %s/%s ", text_or_empty(row->backend), text_or_empty(row->family),
		text_or_empty(row->variant));
	record_put_value(&result_row_type, row, "problem", out);
}

static void put_stragglers(FILE *out, const struct straggler_list *stragglers, size_t ranks)
{
	if (!stragglers->judged)
		fputs("no rank is judged: no row has times of two ranks with the same model of "
		      "device\n",
			out);
	else if (!stragglers->count)
		fprintf(out,
			"no rank is slow: %zu ranks, %zu time%s compared with the median rank\n",
			ranks, stragglers->judged, stragglers->judged == 1 ? "" : "s");
	else
		fputs("stragglers: SLOW against the median rank with this model of device "
		      "(ratio of the times, 95 % interval)\n",
			out);
	for (size_t i = 0; i < stragglers->count; i++) {
		const struct straggler *straggler = &stragglers->items[i];
		fprintf(out, "    rank %lld, %s: ", (long long)straggler->file->document.run.rank,
			device_of(straggler->file, false));
		put_row_name(out, straggler->row);
		fprintf(out, "  %.3f  [%.3f, %.3f]%s\n", straggler->ratio.ratio,
			straggler->ratio.ci95[0], straggler->ratio.ci95[1],
			straggler->confirmed ? "" : ", not confirmed");
	}
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
		put_row_name(out, first);
		fprintf(out, ": %s\n", or_dash(first->reason));
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

int fleet_table_put(FILE *out, const struct compared_file *files, size_t count,
	const struct straggler_list *stragglers, int width)
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
	put_stragglers(out, stragglers, count);
	for (size_t i = 0; i < count; i++)
		counts.of_class[OUTCOME_CLASS_BROKEN] += put_failed(out, &files[i]);
	enum exit_code code = exit_code_of_counts(&counts);
	if (put_missing(out, files, count))
		code = exit_code_worst(code, EXIT_CODE_BROKEN);
	for (size_t i = 0; i < stragglers->count; i++)
		if (stragglers->items[i].confirmed)
			code = exit_code_worst(code, EXIT_CODE_REGRESSION);
	wrap_end(&wrap);
	return code;
}
