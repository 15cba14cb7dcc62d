/* The summary of a fleet, and the names of its files. */
#include "host/report/fleet_table.h"
#include "host/run/fleet.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

/* ---- Summary ------------------------------------------------------------------------------- */

/* A rank with one row of vecadd/fine. The half-width of its interval is 0.1 %. */
struct rank {
	const char *device, *uuid;
	int64_t exit_code;
	const char *message;
	enum outcome_status status;
	double median_ns; /* 0: no times */
	int64_t n;        /* the problem; 0: no row */
	double noise_sd;  /* measured floor of noise; 0: the default of a GPU */
	double repeat_ns; /* --repeat=2: median of the other run; 0: one run */
};

static void set_samples(struct timing_record *timing, double median_ns)
{
	timing->record.present = timing->cold.record.present = true;
	timing->primary = TIMING_COLD;
	timing->cold.median = median_ns;
	timing->cold.ci95[0] = 0.999 * median_ns;
	timing->cold.ci95[1] = 1.001 * median_ns;
	timing->cold.half_width = 0.001;
}

static void set_times(struct result_row *row, const struct rank *rank)
{
	const double medians[] = {rank->median_ns, rank->repeat_ns};

	set_samples(&row->timing, rank->median_ns);
	if (rank->repeat_ns == 0)
		return;
	row->repetitions.record.present = true;
	for (size_t i = 0; i < 2; i++) {
		struct timing_record *run = record_list_add(&timing_type, &row->repetitions.runs);
		assert_non_null(run);
		set_samples(run, medians[i]);
	}
}

static void add_device(struct result_document *document, const struct rank *rank)
{
	struct device_record *device = record_list_add(&device_type, &document->devices);

	assert_non_null(device);
	text_set(&device->key, rank->uuid);
	text_set(&device->name, rank->device);
	text_set(&device->uuid, rank->uuid);
	text_set(&device->type, "gpu");
	if (rank->noise_sd == 0)
		return;
	struct noise_record *noise = record_list_add(&noise_type, &device->noise);
	assert_non_null(noise);
	text_set(&noise->backend, "cuda");
	text_set(&noise->family, "vecadd");
	named_list_add(&noise->problem, "n", rank->n);
	noise->sd = rank->noise_sd;
	noise->dof = 30;
}

static void add_row(struct fleet_report *report, const struct rank *rank)
{
	struct result_document document;
	struct pmpp_error error = PMPP_ERROR_INIT;

	record_init(&result_document_type, &document);
	add_device(&document, rank);
	struct result_row *row = record_list_add(&result_row_type, &document.results);
	assert_non_null(row);
	text_set(&row->family, "vecadd");
	text_set(&row->variant, "fine");
	text_set(&row->backend, "cuda");
	text_set(&row->device, rank->uuid);
	row->status = (int)rank->status;
	named_list_add(&row->problem, "n", rank->n);
	if (rank->median_ns > 0)
		set_times(row, rank);
	test_ok(stragglers_add_times(&document, report, &error), &error);
	record_finish(&result_document_type, &document);
	report->ok = rank->status == OUTCOME_OK;
	report->failed = rank->status == OUTCOME_FAILED;
	report->skipped = rank->status == OUTCOME_SKIPPED;
}

#define STRAGGLERS                                                            \
	"stragglers: SLOW against the median rank with this model of device " \
	"(ratio of the times, 95 % interval)\n"

static const struct summary {
	const char *name;
	struct rank ranks[4]; /* up to a rank without a device */
	const char *lines;    /* below the table */
} summaries[] = {
	{"alike",
		{{"H", "uuid:a", 0, NULL, OUTCOME_OK, 100, 5},
			{"H", "uuid:b", 0, NULL, OUTCOME_OK, 100.5, 5}},
		""},
	{"cards of one model that run at once",
		{{"H", "uuid:a", 0, NULL, OUTCOME_OK, 100, 5},
			{"H", "uuid:b", 0, NULL, OUTCOME_OK, 101.5, 5}},
		""},
	{"a straggler",
		{{"H", "uuid:a", 0, NULL, OUTCOME_OK, 100, 5},
			{"H", "uuid:b", 0, NULL, OUTCOME_OK, 125, 5},
			{"H", "uuid:c", 0, NULL, OUTCOME_OK, 100, 5}},
		STRAGGLERS "    rank 1, vm, uuid:b: cuda vecadd/fine n=5  1.250  [1.243, 1.257]\n"},
	{"the measured floor of noise is larger",
		{{"H", "uuid:a", 0, NULL, OUTCOME_OK, 100, 5, .noise_sd = 0.1},
			{"H", "uuid:b", 0, NULL, OUTCOME_OK, 125, 5, .noise_sd = 0.1}},
		""},
	{"one slow run of two",
		{{"H", "uuid:a", 0, NULL, OUTCOME_OK, 100, 5, .repeat_ns = 100},
			{"H", "uuid:b", 0, NULL, OUTCOME_OK, 125, 5, .repeat_ns = 100}},
		""},
	{"two stragglers, by rank",
		{{"H", "uuid:a", 0, NULL, OUTCOME_OK, 125, 5},
			{"I", "uuid:b", 0, NULL, OUTCOME_OK, 100, 6},
			{"H", "uuid:c", 0, NULL, OUTCOME_OK, 100, 5},
			{"I", "uuid:d", 0, NULL, OUTCOME_OK, 125, 6}},
		STRAGGLERS "    rank 0, vm, uuid:a: cuda vecadd/fine n=5  1.250  [1.243, 1.257]\n"
			   "    rank 3, vm, uuid:d: cuda vecadd/fine n=6  1.250  [1.243, 1.257]\n"},
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
	{"a rank that skipped everything has not failed",
		{{"H", "uuid:a", 77, NULL, OUTCOME_SKIPPED, 0, 5},
			{"H", "uuid:b", 0, NULL, OUTCOME_OK, 100, 5}},
		""},
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

/* The summary, owned by the caller. */
static char *summary_of(const struct summary *row, int width)
{
	struct fleet_report_list list = {0};
	struct straggler_list stragglers = {0};
	struct pmpp_error error = PMPP_ERROR_INIT;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	fill(row, &list);
	test_ok(stragglers_find(&list, &stragglers, &error), &error);
	fleet_table_put(out, &list, &stragglers, width);
	fclose(out);
	free(stragglers.items);
	fleet_report_list_finish(&list);
	return text;
}

static void summary(const void *context)
{
	const struct summary *row = context;
	char *text = summary_of(row, 0);
	const char *below = strchr(text, '\n') + 1;

	for (size_t i = 0; i < 4 && row->ranks[i].device; i++)
		below = strchr(below, '\n') + 1;
	assert_string_equal(below, row->lines);
	free(text);
}

static void table(const void *context)
{
	static const struct summary row = {"",
		{{"Long", "u", 0, NULL, OUTCOME_OK, 1, 1}, {"B", "v", -1, "killed", 0, 0, 0}}, ""};
	char *text = summary_of(&row, 0);

	(void)context;
	assert_string_equal(text,
		"rank  host  device  UUID or address     ok  failed  skipped  exit\n"
		"   0  vm    Long    u                    1       0        0     0\n"
		"   1  vm    B       v                    -       -        -     -\n"
		"ranks that failed: 1 (killed)\n");
	free(text);
}

/* A device is cut before a UUID. The other lines are wrapped. */
static void narrow(const void *context)
{
	static const struct summary row = {"",
		{{"NVIDIA H200 NVL 141GB", "GPU-00000000-1111-2222-3333-444444444444", 0, NULL,
			 OUTCOME_OK, 1, 1},
			{"B", "v", -1,
				"the worker of this rank was killed by signal 9, and then again", 0,
				0, 0}},
		""};
	char *text = summary_of(&row, 80);

	(void)context;
	assert_string_equal(text,
		"rank  host  device            UUID or address          ok  failed  skipped  exit\n"
		"   0  vm    NVIDIA H200 NVL…  GPU-00000000-1111-2…      1       0        0     0\n"
		"   1  vm    B                 v                         -       -        -     -\n"
		"ranks that failed: 1 (the worker of this rank was killed by signal 9, and then\n"
		"    again)\n");
	free(text);
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
	test_add(&list, narrow, NULL, "80 columns");
	for (size_t i = 0; i < sizeof summaries / sizeof *summaries; i++)
		test_add(&list, summary, &summaries[i], "summary: %s", summaries[i].name);
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		test_add(&list, path, &paths[i], "path: %s", paths[i].path);
	return test_run(&list, argc, argv);
}
