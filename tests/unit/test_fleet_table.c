/* The summary of a fleet, and the names of its files. */
#include "host/report/fleet_table.h"
#include "host/run/fleet.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

/* ---- Summary ------------------------------------------------------------------------------- */

/* A rank with one row of vecadd/fine; median_ns 0: no times. */
struct rank {
	const char *device, *uuid;
	int64_t exit_code;
	const char *message;
	enum outcome_status status;
	double median_ns;
	int64_t n; /* the problem */
};

static void add_row(struct fleet_report *report, const struct rank *rank)
{
	struct result_row *row = record_list_add(&result_row_type, &report->document.results);

	assert_non_null(row);
	report->document.record.present = true;
	text_set(&row->family, "vecadd");
	text_set(&row->variant, "fine");
	text_set(&row->backend, "cuda");
	row->status = (int)rank->status;
	named_list_add(&row->problem, "n", rank->n);
	if (rank->median_ns == 0)
		return;
	row->timing.record.present = row->timing.cold.record.present = true;
	row->timing.primary = TIMING_COLD;
	row->timing.cold.median = rank->median_ns;
	row->timing.cold.ci95[0] = 0.999 * rank->median_ns;
	row->timing.cold.ci95[1] = 1.001 * rank->median_ns;
}

static const struct summary {
	const char *name;
	struct rank ranks[4]; /* up to a rank without a device */
	const char *lines;    /* below the table */
} summaries[] = {
	{"alike",
		{{"H", "uuid:a", 0, NULL, OUTCOME_OK, 100, 5},
			{"H", "uuid:b", 0, NULL, OUTCOME_OK, 100.5, 5}},
		""},
	{"a straggler",
		{{"H", "uuid:a", 0, NULL, OUTCOME_OK, 100, 5},
			{"H", "uuid:b", 0, NULL, OUTCOME_OK, 125, 5},
			{"H", "uuid:c", 0, NULL, OUTCOME_OK, 100, 5}},
		"stragglers: slower than the other ranks with such a device\n"
		"    rank 1, vm, uuid:b: cuda vecadd/fine n=5 takes 1.250 times the median of the "
		"other ranks\n"},
	{"another model",
		{{"H", "uuid:a", 0, NULL, OUTCOME_OK, 100, 5},
			{"I", "uuid:b", 0, NULL, OUTCOME_OK, 125, 5}},
		""},
	{"another problem",
		{{"H", "uuid:a", 0, NULL, OUTCOME_OK, 100, 5},
			{"H", "uuid:b", 0, NULL, OUTCOME_OK, 125, 6}},
		""},
	{"no times",
		{{"H", "uuid:a", 0, NULL, OUTCOME_OK, 100, 5},
			{"H", "uuid:b", 0, NULL, OUTCOME_OK, 0, 5}},
		""},
	{"ranks that failed",
		{{"H", "uuid:a", 3, NULL, OUTCOME_FAILED, 0, 5},
			{"H", "uuid:b", 0, NULL, OUTCOME_OK, 100, 5},
			{"H", "uuid:c", -1, "killed", OUTCOME_OK, 0, 0}},
		"ranks that failed: 0 (exit 3), 2 (killed)\n"},
};

static void fill(const struct summary *row, struct fleet_report_list *list)
{
	for (size_t i = 0; i < 4 && row->ranks[i].device; i++) {
		struct fleet_report *report = record_list_add(&fleet_report_type, list);
		assert_non_null(report);
		report->rank = (int64_t)i;
		report->exit_code = row->ranks[i].exit_code;
		text_set(&report->host, "vm");
		text_set(&report->device, row->ranks[i].device);
		text_set(&report->uuid, row->ranks[i].uuid);
		text_set(&report->message, row->ranks[i].message);
		if (row->ranks[i].n)
			add_row(report, &row->ranks[i]);
	}
}

static void summary(const void *context)
{
	const struct summary *row = context;
	struct fleet_report_list list = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	fill(row, &list);
	fleet_table_put(out, &list);
	fclose(out);
	const char *below = text;
	for (size_t i = 0; i < list.count + 1; i++)
		below = strchr(below, '\n') + 1;
	assert_string_equal(below, row->lines);
	free(text);
	fleet_report_list_finish(&list);
}

static void table(const void *context)
{
	static const struct summary row = {"",
		{{"Long", "u", 0, NULL, OUTCOME_OK, 1, 1}, {"B", "v", -1, "killed", 0, 0, 0}}, ""};
	struct fleet_report_list list = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)context;
	fill(&row, &list);
	fleet_table_put(out, &list);
	fclose(out);
	assert_string_equal(text,
		"rank  host  device  UUID or address     ok  failed  skipped  exit\n"
		"   0  vm    Long    u                    1       0        0     0\n"
		"   1  vm    B       v                    -       -        -     -  killed\n"
		"ranks that failed: 1 (killed)\n");
	free(text);
	fleet_report_list_finish(&list);
}

/* ---- Names --------------------------------------------------------------------------------- */

static const struct path {
	const char *path, *numbered;
} paths[] = {
	{"out.json", "out.rank3.json"},
	{"out", "out.rank3"},
	{"a.b/out", "a.b/out.rank3"},
	{"a.b/.out", "a.b/.out.rank3"},
	{"/x/a.b.json", "/x/a.b.rank3.json"},
};

static void path(const void *context)
{
	const struct path *row = context;
	char text[100];

	fleet_path(row->path, 3, text, sizeof text);
	assert_string_equal(text, row->numbered);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	test_add(&list, table, NULL, "the table");
	for (size_t i = 0; i < sizeof summaries / sizeof *summaries; i++)
		test_add(&list, summary, &summaries[i], "summary: %s", summaries[i].name);
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		test_add(&list, path, &paths[i], "path: %s", paths[i].path);
	return test_run(&list, argc, argv);
}
