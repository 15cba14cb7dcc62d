/* The table of `compare --fleet`; ranks of a fleet and the names of their files. */
#include "host/cli/command_job.c"
#include "host/report/fleet_table.h"
#include "tests/support/test.h"

/* ---- Summary ------------------------------------------------------------------------------- */

/* A rank with one row of vecadd/fine. The half-width of its interval is 0.1 %. */
struct given_rank {
	const char *device, *uuid;
	int64_t number; /* of the rank; of 4 ranks */
	enum outcome_status status;
	double median_ns; /* 0: no times */
	int64_t n;        /* the problem; 0: no row */
	bool cpu;         /* its floor of noise is 25 times that of a GPU */
	double repeat_ns; /* --repeat=2: median of the other run; 0: one run */
	int64_t others;   /* number of other problems, which take 100 ns */
	bool interrupted;
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

static void set_times(struct result_row *row, const struct given_rank *rank)
{
	const double medians[] = {rank->median_ns, rank->repeat_ns};

	set_samples(&row->timing, rank->median_ns);
	if (rank->repeat_ns == 0)
		return;
	row->repetitions.record.present = true;
	for (size_t i = 0; i < 2; i++) {
		struct timing_record *run = record_list_add(&timing_type, &row->repetitions.runs);
		SOME(run);
		set_samples(run, medians[i]);
	}
}

static void add_device(struct result_document *document, const struct given_rank *rank)
{
	struct device_record *device = record_list_add(&device_type, &document->devices);

	SOME(device);
	text_set(&device->key, rank->uuid);
	text_set(&device->name, rank->device);
	text_set(&device->uuid, rank->uuid);
	text_set(&device->type, rank->cpu ? "cpu" : "gpu");
}

static void add_row(struct result_document *document, const struct given_rank *rank)
{
	struct result_row *row = record_list_add(&result_row_type, &document->results);

	SOME(row);
	text_set(&row->family, "vecadd");
	text_set(&row->variant, "fine");
	text_set(&row->backend, "cuda");
	text_set(&row->device, rank->uuid);
	row->status = (int)rank->status;
	if (rank->status == OUTCOME_FAILED)
		text_set(&row->reason, "wrong");
	named_list_add(&row->problem, "n", rank->n);
	if (rank->median_ns > 0)
		set_times(row, rank);
}

#define STRAGGLERS                                                            \
	"stragglers: SLOW against the median rank with this model of device " \
	"(ratio of the times, 95 % interval)\n"

#define NOT_SLOW(ranks, times) \
	"no rank is slow: " ranks " ranks, " times " compared with the median rank\n"

#define NOT_JUDGED \
	"no rank is judged: no row has times of two ranks with the same model of device\n"

#define NO_FILE(ranks) \
	"ranks without a file: " ranks " (killed, without a device, or not in the list of files)\n"

/* A rank of the model "H" that ran a problem of n = 5. */
#define RAN(uuid, number, ns)                        \
	{                                            \
		"H", uuid, number, OUTCOME_OK, ns, 5 \
	}
/* The same of a CPU with times of other problems. */
#define CPU_RAN(uuid, number, ns, count)                                             \
	{                                                                            \
		"H", uuid, number, OUTCOME_OK, ns, 5, .cpu = true, .others = (count) \
	}

static const struct summary {
	const char *name;
	struct given_rank ranks[4]; /* up to a rank without a device */
	const char *lines;          /* below the table */
	int code;
} summaries[] = {
	{"alike", {RAN("a", 0, 100), RAN("b", 1, 100.5), RAN("c", 2, 100), RAN("d", 3, 100)},
		NOT_SLOW("4", "3 times")},
	{"cards of one model that run at once", {RAN("a", 0, 100), RAN("b", 1, 101.5)},
		NOT_SLOW("2", "1 time") NO_FILE("2 to 3"), 5},
	{"a straggler", {RAN("a", 0, 100), RAN("b", 1, 125), RAN("c", 2, 100), RAN("d", 3, 100)},
		STRAGGLERS "    rank 1, b: vecadd/fine (cuda, n=5)  1.250  [1.243, 1.257]\n", 4},
	{"the floor of noise of a CPU is larger",
		{CPU_RAN("a", 0, 100, 0), CPU_RAN("b", 1, 125, 0), CPU_RAN("c", 2, 100, 0),
			CPU_RAN("d", 3, 100, 0)},
		NOT_SLOW("4", "3 times")},
	{"one slow run of two",
		{{"H", "a", 0, OUTCOME_OK, 100, 5, .repeat_ns = 100},
			{"H", "b", 1, OUTCOME_OK, 125, 5, .repeat_ns = 100},
			{"I", "c", 2, OUTCOME_OK, 100, 5}, {"I", "d", 3, OUTCOME_OK, 100, 5}},
		NOT_SLOW("4", "2 times")},
	{"SLOW by a little: confirmed among 3 times",
		{CPU_RAN("a", 0, 100, 0), CPU_RAN("b", 1, 100, 0), CPU_RAN("c", 2, 170, 0),
			CPU_RAN("d", 3, 100, 0)},
		STRAGGLERS "    rank 2, c: vecadd/fine (cuda, n=5)  1.700  [1.397, 2.069]\n", 4},
	{"SLOW by a little: not confirmed among 63 times",
		{CPU_RAN("a", 0, 100, 20), CPU_RAN("b", 1, 100, 20), CPU_RAN("c", 2, 170, 20),
			CPU_RAN("d", 3, 100, 20)},
		STRAGGLERS "    rank 2, c: vecadd/fine (cuda, n=5)  1.700  [1.397, 2.069], not "
			   "confirmed\n"},
	{"two stragglers, by rank",
		{RAN("a", 0, 125), {"I", "b", 1, OUTCOME_OK, 100, 6}, RAN("c", 2, 100),
			{"I", "d", 3, OUTCOME_OK, 125, 6}},
		STRAGGLERS "    rank 0, a: vecadd/fine (cuda, n=5)  1.250  [1.243, 1.257]\n"
			   "    rank 3, d: vecadd/fine (cuda, n=6)  1.250  [1.243, 1.257]\n",
		4},
	{"another model",
		{RAN("a", 0, 100), {"I", "b", 1, OUTCOME_OK, 125, 5},
			{"J", "c", 2, OUTCOME_OK, 150, 5}, {"K", "d", 3, OUTCOME_OK, 175, 5}},
		NOT_JUDGED},
	{"another problem",
		{RAN("a", 0, 100), {"H", "b", 1, OUTCOME_OK, 125, 6},
			{"H", "c", 2, OUTCOME_OK, 150, 7}, {"H", "d", 3, OUTCOME_OK, 175, 8}},
		NOT_JUDGED},
	{"no times", {RAN("a", 0, 100), RAN("b", 1, 0), RAN("c", 2, 100), RAN("d", 3, 100)},
		NOT_SLOW("4", "2 times")},
	{"a rank that failed, a straggler, and a rank without a file",
		{RAN("a", 0, 100), {"H", "b", 2, OUTCOME_FAILED, 0, 5}, RAN("c", 3, 125)},
		STRAGGLERS
		"    rank 3, c: vecadd/fine (cuda, n=5)  1.250  [1.243, 1.257]\n"
		"rank 2 failed: 1 of 1 rows; the first: vecadd/fine (cuda, n=5): wrong\n" NO_FILE(
			"1"),
		3},
	{"the first and the last rank have no file", {RAN("b", 2, 100)},
		NOT_JUDGED NO_FILE("0 to 1, 3"), 5},
	{"a rank without rows",
		{RAN("a", 0, 100), {"H", "b", 1, OUTCOME_OK}, RAN("c", 2, 100), RAN("d", 3, 100)},
		NOT_SLOW("4", "2 times") "rank 1 failed: it was interrupted after 0 rows\n", 5},
	{"a rank that was interrupted",
		{RAN("a", 0, 100), {"H", "b", 1, OUTCOME_OK, 100, 5, .interrupted = true},
			RAN("c", 2, 100), RAN("d", 3, 100)},
		NOT_SLOW("4", "3 times") "rank 1 failed: it was interrupted after 1 rows\n", 5},
	{"ranks that skip everything",
		{{"H", "a", 0, OUTCOME_SKIPPED, 0, 5}, {"H", "b", 1, OUTCOME_SKIPPED, 0, 5},
			{"H", "c", 2, OUTCOME_SKIPPED, 0, 5}, {"H", "d", 3, OUTCOME_SKIPPED, 0, 5}},
		NOT_JUDGED, 77},
	{"a rank that skips everything has not failed",
		{RAN("a", 0, 100), {"H", "b", 1, OUTCOME_SKIPPED, 0, 5}, RAN("c", 2, 100),
			RAN("d", 3, 100)},
		NOT_SLOW("4", "2 times")},
};

static size_t fill(const struct summary *row, struct compared_file *files)
{
	size_t count = 0;

	for (; count < 4 && row->ranks[count].device; count++) {
		struct result_document *document = &files[count].document;
		files[count] = (struct compared_file){.path = row->ranks[count].uuid};
		record_init(&result_document_type, document);
		text_set(&document->run.fleet, "job");
		text_set(&document->run.host_id, "vm");
		document->run.rank = row->ranks[count].number;
		document->run.ranks = 4;
		document->run.interrupted = row->ranks[count].interrupted;
		add_device(document, &row->ranks[count]);
		if (row->ranks[count].n)
			add_row(document, &row->ranks[count]);
		for (int64_t i = 0; i < row->ranks[count].others; i++) {
			struct given_rank other = row->ranks[count];
			other.median_ns = 100;
			other.n = 1000 + i;
			add_row(document, &other);
		}
	}
	return count;
}

static void drop(struct compared_file *files, size_t count)
{
	for (size_t i = 0; i < count; i++)
		record_finish(&result_document_type, &files[i].document);
}

/* The summary. The files are given in reverse order. */
static char *summary_of(const struct summary *row, int width, int *ret_code)
{
	struct compared_file files[4], other;
	size_t count = fill(row, files);

	for (size_t i = 0; i < count / 2; i++) {
		other = files[i];
		files[i] = files[count - 1 - i];
		files[count - 1 - i] = other;
	}
	char *text = WRITTEN(
		out, test_ok(fleet_table_put(out, files, count, width, ret_code, &test_error)));
	drop(files, count);
	return text;
}

TEST_ROWS(summary, summaries, "summary: %s", row->name)
{
	int code;
	char *text = summary_of(row, 0, &code);
	const char *below = strchr(text, '\n') + 1;

	for (size_t i = 0; i < 4 && row->ranks[i].device; i++)
		below = strchr(below, '\n') + 1;
	CHECK(STRING(below, row->lines), EQUAL(code, row->code));
}

TEST(table, "the table")
{
	static const struct summary row = {"",
		{{"Long", "u", 0, OUTCOME_OK, 1, 1}, {"B", "v", 1, OUTCOME_FAILED, 0, 1},
			{"C", "w", 2, OUTCOME_OK, 0, 0}, {"D", "x", 3, OUTCOME_SKIPPED, 0, 1}},
		"", 0};
	int code;
	char *text = summary_of(&row, 0, &code);

	STRING(text, "rank  host  device  UUID or address     ok  failed  skipped\n"
		     "   0  vm    Long    u                    1       0        0\n"
		     "   1  vm    B       v                    0       1        0\n"
		     "   2  vm    C       w                    0       0        0\n"
		     "   3  vm    D       x                    0       0        1\n" NOT_JUDGED
		     "rank 1 failed: 1 of 1 rows; the first: vecadd/fine (cuda, n=1): wrong\n"
		     "rank 2 failed: it was interrupted after 0 rows\n");
}

/* The host is left out first, then the UUID. The other lines are broken. */
TEST(narrow, "narrow")
{
	static const struct summary row = {
		"", {{"NVIDIA H200 NVL 141GB", "GPU-00000000-1111", 1, OUTCOME_OK, 1, 1}}, "", 0};
	int code;
	char *text = summary_of(&row, 72, &code);

	STRING(text, "rank  device                 UUID or address       ok  failed  skipped\n"
		     "   1  NVIDIA H200 NVL 141GB  GPU-00000000-1111      1       0        0\n"
		     "columns left out: host\n"
		     "no rank is judged: no row has times of two ranks with the same model of\n"
		     "    device\n"
		     "ranks without a file: 0, 2 to 3 (killed, without a device, or not in the\n"
		     "    list of files)\n");
	text = summary_of(&row, 52, &code);
	IS(strncmp(text, "rank  device                    ok", 34) == 0);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static const struct refusal {
	const char *name;
	const char *fleet; /* of the second file */
	int64_t rank, ranks;
	const char *part; /* of the message */
} refusals[] = {
	{"a file without a fleet", NULL, 1, 4, "b is not a file of `run --fleet`"},
	{"another job", "yesterday", 1, 4, "a (run job, 4 ranks) and b (run yesterday, 4 ranks)"},
	{"another number of ranks", "job", 1, 8, "b (run job, 8 ranks) are files of two fleets"},
	{"too many ranks", "job", 1, INT64_MAX, "b is not a file of `run --fleet`"},
	{"a rank twice", "job", 0, 4, "a and b are both of rank 0"},
};

TEST_ROWS(refusal, refusals, "refused: %s", row->name)
{
	static const struct summary two = {
		"", {{"H", "a", 0, OUTCOME_OK, 1, 1}, {"H", "b", 1, OUTCOME_OK, 1, 1}}, "", 0};
	struct compared_file files[4];
	size_t count = fill(&two, files);
	int code;

	text_set(&files[1].document.run.fleet, row->fleet);
	files[1].document.run.rank = row->rank;
	files[1].document.run.ranks = row->ranks;
	test_refused(fleet_table_put(stdout, files, count, 0, &code, &test_error), PMPP_USAGE,
		row->part);
	drop(files, count);
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

/* Variables of all launchers; each row sets some of them. */
static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
	"OMPI_COMM_WORLD_LOCAL_RANK", "PMIX_NAMESPACE", "PMI_RANK", "PMI_SIZE", "PMI_JOBID",
	"MPI_LOCALRANKID", "RANK", "WORLD_SIZE", "LOCAL_RANK", "TORCHELASTIC_RUN_ID",
	"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_JOB_ID", "SLURM_STEP_ID"};

static const struct found {
	const char *name;
	const char *set[10]; /* NAME=VALUE */
	const char *option, *label;
	const char *want; /* "rank/ranks local id", or a part of the message */
} founds[] = {
	{"Open MPI",
		{"OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=8", "OMPI_COMM_WORLD_LOCAL_RANK=1",
			"PMIX_NAMESPACE=77"},
		NULL, "l", "3/8 1 77"},
	{"MPICH", {"PMI_RANK=2", "PMI_SIZE=4", "MPI_LOCALRANKID=0"}, NULL, "l", "2/4 0 l"},
	{"MPICH without a label", {"PMI_RANK=2", "PMI_SIZE=4"}, NULL, NULL, "--label"},
	{"Slurm with PMI-2",
		{"PMI_RANK=2", "PMI_SIZE=4", "PMI_JOBID=5.0", "SLURM_PROCID=2", "SLURM_LOCALID=1"},
		NULL, NULL, "2/4 1 5.0"},
	{"Slurm",
		{"SLURM_PROCID=7", "SLURM_STEP_NUM_TASKS=8", "SLURM_LOCALID=3", "SLURM_JOB_ID=5",
			"SLURM_STEP_ID=2"},
		NULL, NULL, "7/8 3 5.2"},
	{"a batch script of Slurm is no rank", {"SLURM_PROCID=0", "SLURM_JOB_ID=5"}, NULL, "l",
		"no launcher has set a rank"},
	{"mpirun in a job of Slurm",
		{"SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=1", "OMPI_COMM_WORLD_RANK=3",
			"OMPI_COMM_WORLD_SIZE=8", "PMIX_NAMESPACE=77"},
		NULL, NULL, "3/8 3 77"},
	{"torchrun", {"RANK=1", "WORLD_SIZE=2", "LOCAL_RANK=0", "TORCHELASTIC_RUN_ID=abc"}, NULL,
		NULL, "1/2 0 abc"},
	{"torchrun without an id", {"RANK=1", "WORLD_SIZE=2", "TORCHELASTIC_RUN_ID=none"}, NULL,
		"l", "1/2 1 l"},
	{"the option replaces a launcher", {"RANK=1", "WORLD_SIZE=2", "TORCHELASTIC_RUN_ID=abc"},
		"0/3", "l", "0/3 0 l"},
	{"the option without a label", {NULL}, "0/3", NULL, "--label"},
	{"nothing", {NULL}, NULL, "l", "no launcher has set a rank"},
	{"an empty variable", {"RANK=", "WORLD_SIZE=2"}, NULL, "l", "no launcher has set a rank"},
	{"a rank that is too large", {"RANK=2", "WORLD_SIZE=2"}, NULL, "l", "RANK=2"},
	{"no number", {"RANK=x", "WORLD_SIZE=2"}, NULL, "l", "RANK=x"},
	{"option: too large", {NULL}, "3/3", "l", "--rank=3/3"},
	{"option: negative", {NULL}, "-1/3", "l", "--rank=-1/3"},
	{"option: one number", {NULL}, "1", "l", "--rank=1"},
	{"option: text", {NULL}, "1/3x", "l", "--rank=1/3x"},
	{"option: long", {NULL}, "000000000000000000000000000000000000001/3", "l", "--rank=0000"},
	{"option: overflow", {NULL}, "1/99999999999999999999", "l", "--rank=1/9999"},
};

TEST_ROWS(find_rank, founds, "rank: %s", row->name)
{
	struct fleet_rank rank;
	char text[300];

	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		test_variable(variables[i], NULL);
	for (size_t i = 0; i < 10 && row->set[i]; i++)
		putenv((char *)row->set[i]);
	if (fleet_rank_find(row->option, row->label, &rank, &test_error) == PMPP_OK) {
		snprintf(text, sizeof text, "%lld/%lld %lld %s", (long long)rank.rank,
			(long long)rank.ranks, (long long)rank.local, rank.id);
		STRING(text, row->want);
	} else {
		test_refused(test_error.status, PMPP_USAGE, row->want);
	}
}

/* ---- Names --------------------------------------------------------------------------------- */

static const struct path {
	const char *path, *numbered;
} paths[] = {
	{"out.json", "out.3.json"},
	{"out", "out.3"},
	{"a.b/out", "a.b/out.3"},
	{"a.b/.out", "a.b/.out.3"},
	{"/x/a.b.json", "/x/a.b.3.json"},
};

TEST_ROWS(path, paths, "path: %s", row->path)
{
	char text[100];

	fleet_path(row->path, 3, text, sizeof text);
	STRING(text, row->numbered);
}
