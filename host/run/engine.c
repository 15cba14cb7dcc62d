#include "host/run/engine.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/integers.h"
#include "common/text.h"
#include "host/io/os.h"

/* ---- Oclgrind ------------------------------------------------------------------------------- */

/* `verify --engine=oclgrind`: Oclgrind interprets the OpenCL kernels, hundreds of times slower than
 * a CPU device. It reports accesses outside a buffer, data races, barriers that not all work-items
 * reach, and reads of uninitialised memory. Oclgrind is an OpenCL device, so results are compared
 * as on every device. This module handles the differences:
 *
 *   - Only Oclgrind is loaded, instead of the installed OpenCL drivers. It is not registered as an
 *     ICD.
 *   - Its reports go to a log. The log is read after every row, and a report makes the row fail.
 *   - The sizes are few and small. */

#define LOG_BYTES ((size_t)1 << 18)

struct oclgrind {
	char library[PATH_MAX]; /* its ICD */
	int log;                /* file without a name, shared with forked processes; -1 = none */
	char log_path[OS_MEMORY_PATH_BYTES];
};

/* ---- Finding it ---------------------------------------------------------------------------- */

/* Finds the program `oclgrind` in the PATH. ret_path has no symbolic links. */
static bool find_program(char ret_path[PATH_MAX])
{
	FILE *shell = popen("command -v oclgrind", "re");
	char path[PATH_MAX] = "";

	if (!shell)
		return false;
	bool found = fgets(path, sizeof path, shell) && *path == '/';
	pclose(shell);
	path[strcspn(path, "\n")] = '\0';
	return found && realpath(path, ret_path);
}

/* Finds the ICD relative to the folder of the program: the folder of Debian, then those of other
 * distributions and of Oclgrind's own installation. */
static bool find_library(const char *program, char ret_path[PATH_MAX])
{
	static const char *const places[] = {"../lib/oclgrind", "../lib", "../lib64"};
	int folder = (int)(strrchr(program, '/') - program);

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		char path[PATH_MAX];
		int used = snprintf(path, sizeof path, "%.*s/%s/liboclgrind-rt-icd.so", folder,
			program, places[i]);
		if ((size_t)used < sizeof path && realpath(path, ret_path))
			return true;
	}
	return false;
}

static void destroy(void *state)
{
	struct oclgrind *oclgrind = state;

	if (oclgrind && oclgrind->log >= 0)
		close(oclgrind->log);
	free(oclgrind);
}

static enum pmpp_status create(void **ret_state, struct pmpp_error *error)
{
	struct oclgrind *oclgrind = calloc(1, sizeof *oclgrind);
	char program[PATH_MAX];
	enum pmpp_status status = PMPP_OK;

	if (!oclgrind)
		return PMPP_NO_MEMORY(error, "--engine=oclgrind");
	oclgrind->log = -1;
	if (!find_program(program))
		status = PMPP_FAIL(error, PMPP_UNAVAILABLE,
			"--engine=oclgrind: no oclgrind in PATH: install the package oclgrind");
	else if (!find_library(program, oclgrind->library))
		status = PMPP_FAIL(error, PMPP_UNAVAILABLE,
			"--engine=oclgrind: no liboclgrind-rt-icd.so for %s: install the package "
			"oclgrind again",
			program);
	else if ((oclgrind->log = os_memory_file("oclgrind-log", oclgrind->log_path)) < 0)
		status = PMPP_FAIL(
			error, PMPP_INTERNAL, "no file for the reports: %s", strerror(errno));
	/* Oclgrind writes to stderr if it cannot open the log: its reports would be lost. */
	else if (access(oclgrind->log_path, R_OK | W_OK) != 0)
		status = PMPP_FAIL(error, PMPP_UNAVAILABLE,
			"--engine=oclgrind: %s cannot be opened (%s): it needs /proc",
			oclgrind->log_path, strerror(errno));
	if (status == PMPP_OK)
		*ret_state = oclgrind;
	else
		destroy(oclgrind);
	return status;
}

static enum pmpp_status check_device(
	const void *state, const struct gpu_device_info *info, struct pmpp_error *error)
{
	const struct oclgrind *oclgrind = state;

	if (info && info->engine == GPU_ENGINE_INTERPRETER)
		return PMPP_OK;
	return PMPP_FAIL(error, PMPP_UNAVAILABLE,
		"--engine=oclgrind: the OpenCL loader cannot load %s: check it with `ldd`, or "
		"install the package oclgrind again",
		oclgrind->library);
}

/* ---- Environment --------------------------------------------------------------------------- */

static void set_environment(const void *state, bool sharded)
{
	const struct oclgrind *oclgrind = state;
	const char *const variables[][2] = {
		/* ocl-icd accepts a library here. Khronos's loader accepts only a folder: it finds
		 * no driver here, and loads the library of the next variable. */
		{"OCL_ICD_VENDORS", oclgrind->library},
		{"OCL_ICD_FILENAMES", oclgrind->library},
		{"OCLGRIND_LOG", oclgrind->log_path},
		{"OCLGRIND_DATA_RACES", "1"},
		{"OCLGRIND_UNINITIALIZED", "1"},
		/* Optimised code has instructions that Oclgrind does not support (freeze), and
		 * calls functions that it lacks (saturating subtraction). */
		{"OCLGRIND_BUILD_OPTIONS", "-O0"},
		/* In bytes. With at least the local memory of PoCL no row is skipped for its tile.
		 */
		{"OCLGRIND_LOCAL_MEM_SIZE", "1048576"},
		{"OCLGRIND_MAX_ERRORS", "100"},
	};

	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		setenv(variables[i][0], variables[i][1], 1);
	if (sharded)
		setenv("OCLGRIND_NUM_THREADS", "1", 0);
	unsetenv("OPENCL_VENDOR_PATH");
}

/* ---- Exceptions: false reports of Oclgrind 21.10 --------------------------------------------- */

static bool is_for_cpus(const struct variant *variant)
{
	return variant->needs & PMPP_CAP_OPENCL_CPU;
}

static bool has_blocks_that_meet(const struct variant *variant)
{
	return variant->blocks_meet;
}

static const struct exception {
	bool (*is_of)(const struct variant *variant);
	const char *variable; /* of the check that is switched off; NULL: none */
	const char *report;   /* reports that begin with this text are ignored; NULL: none */
	const char *text;
} exceptions[] = {
	/* Oclgrind copies the bytes of the whole vector for one half of it (v.lo). */
	{is_for_cpus, "OCLGRIND_UNINITIALIZED", NULL,
		"not checked for uninitialised data: the variant is for CPUs, and Oclgrind's check "
		"reports parts of vectors by mistake"},
	/* Oclgrind orders accesses only by barriers, not by a fence and an atomic counter. */
	{has_blocks_that_meet, NULL, "read-write data race at global memory",
		"not checked for races in global memory: its blocks pass values through a fence "
		"and an atomic counter, which Oclgrind reports as a race"},
};

#define EXCEPTION_COUNT (sizeof exceptions / sizeof *exceptions)

static void set_checks(const struct variant *variant, char *ret_note, size_t size)
{
	*ret_note = '\0';
	for (size_t i = 0; i < EXCEPTION_COUNT; i++) {
		bool applies = exceptions[i].is_of(variant);
		if (applies)
			snprintf(ret_note, size, "%s/%s: %s", variant_family(variant)->name,
				variant->name, exceptions[i].text);
		if (exceptions[i].variable && applies)
			unsetenv(exceptions[i].variable);
		else if (exceptions[i].variable)
			setenv(exceptions[i].variable, "1", 1);
	}
}

static bool is_valid_report(const struct variant *variant, const char *what)
{
	for (size_t i = 0; i < EXCEPTION_COUNT; i++)
		if (exceptions[i].report && exceptions[i].is_of(variant) &&
			strncmp(what, exceptions[i].report, strlen(exceptions[i].report)) == 0)
			return false;
	return true;
}

/* ---- Reports ------------------------------------------------------------------------------- */

#define MAX_REPORTS 4
#define MAX_LINES 2 /* a race has two */

struct report {
	char what[96];
	long lines[MAX_LINES];
	size_t line_count;
};

struct reports {
	struct report items[MAX_REPORTS]; /* without duplicates, in the order of the log */
	size_t count;
	bool more;
	char gave_up[96]; /* why Oclgrind stopped early; "" = it did not */
};

static void add_report(
	struct reports *reports, const struct variant *variant, const struct report *report)
{
	if (!is_valid_report(variant, report->what))
		return;
	for (size_t i = 0; i < reports->count; i++)
		if (memcmp(&reports->items[i], report, sizeof *report) == 0)
			return;
	if (reports->count == MAX_REPORTS)
		reports->more = true;
	else
		reports->items[reports->count++] = *report;
}

/* Copies a line such as "Invalid read of size 4 at global memory address 0x2000000000258". The
 * address is removed, because it differs from one report to the next. */
static void set_what(struct report *report, const char *line, size_t length)
{
	static const char address[] = " address 0x";
	const char *end = memmem(line, length, address, strlen(address));

	*report = (struct report){0};
	snprintf(report->what, sizeof report->what, "%.*s", (int)(end ? end - line : (long)length),
		line);
	if (report->what[0] >= 'A' && report->what[0] <= 'Z')
		report->what[0] += 'a' - 'A';
}

/*
 * A report starts with an unindented line that names the defect. Indented lines follow;
 * "At line 38 (column 3) of input.cl:" has the place. If Oclgrind itself fails, the unindented line
 * is "OCLGRIND FATAL ERROR (...)", and the next line has the reason.
 */
static void read_reports(
	const char *log, const struct variant *variant, struct reports *ret_reports)
{
	static const char fatal[] = "OCLGRIND FATAL ERROR";
	static const char closing[] = "Oclgrind: "; /* "100 errors generated - suppressing ..." */
	struct report report = {0};
	bool is_open = false; /* a report whose lines may follow */
	bool is_reason = false;

	*ret_reports = (struct reports){0};
	for (size_t length; *log; log += length + (log[length] == '\n')) {
		int line = 0;
		length = strcspn(log, "\n");
		if (log[0] == '\t') {
			if (report.line_count < MAX_LINES &&
				sscanf(log, "\tAt line %d", &line) == 1)
				report.lines[report.line_count++] = line;
			continue;
		}
		if (length == 0 || strncmp(log, closing, strlen(closing)) == 0)
			continue;
		if (is_open)
			add_report(ret_reports, variant, &report);
		set_what(&report, log, length);
		if (is_reason)
			memcpy(ret_reports->gave_up, report.what, sizeof report.what);
		is_open = !is_reason && strncmp(log, fatal, strlen(fatal)) != 0;
		is_reason = !is_reason && !is_open;
	}
	if (is_open)
		add_report(ret_reports, variant, &report);
}

/* Summarises a log: "Oclgrind: read-write data race at local memory at
 * cl_kernels/reduce/tree.cl:74 and :59; ...". Equal reports of the same lines appear once. Returns
 * false if there is no report. *ret_gave_up: Oclgrind stopped early, and there is no other
 * report. */
static bool oclgrind_describe(const char *log, const struct variant *variant, char *ret_text,
	size_t size, bool *ret_gave_up)
{
	struct reports reports;
	FILE *out = fmemopen(ret_text, size, "w");

	*ret_gave_up = false;
	if (!out) {
		snprintf(ret_text, size, "Oclgrind: there are reports, but no memory to read them");
		return true;
	}
	read_reports(log, variant, &reports);
	fputs("Oclgrind", out);
	for (size_t i = 0; i < reports.count; i++) {
		const struct report *report = &reports.items[i];
		fprintf(out, "%s %s", i ? ";" : ":", report->what);
		for (size_t j = 0; j < report->line_count; j++)
			if (j == 0)
				fprintf(out, " at %s/%s/%s%s:%ld",
					gpu_backend_kernel_folder(GPU_BACKEND_OPENCL),
					variant_family(variant)->name, variant->file,
					gpu_backend_kernel_extension(GPU_BACKEND_OPENCL),
					report->lines[j]);
			else if (report->lines[j] != report->lines[0])
				fprintf(out, " and :%ld", report->lines[j]);
	}
	if (reports.more)
		fputs("; and others", out);
	if (*reports.gave_up)
		fprintf(out, "%s gave up: %s", reports.count ? ";" : "", reports.gave_up);
	fclose(out);
	*ret_gave_up = reports.count == 0;
	return reports.count > 0 || *reports.gave_up;
}

static bool judge(const void *state, struct outcome *outcome)
{
	const struct oclgrind *oclgrind = state;
	struct result_row *row = &outcome->row;
	char text[600] = "";
	static char log[LOG_BYTES + 1];
	bool gave_up = false;
	/* Oclgrind repeats its reports: the first part of the log is enough. */
	ssize_t bytes = pread(oclgrind->log, log, LOG_BYTES, 0);

	if (bytes <= 0)
		return false;
	log[bytes] = '\0';
	if (oclgrind_describe(log, outcome->config.variant, text, sizeof text, &gave_up)) {
		if (row->status != OUTCOME_OK) /* the result is wrong, too */
			text_append(text, sizeof text, "; %.200s", text_or_empty(row->reason));
		text_set(&row->reason, text);
		row->status = gave_up ? OUTCOME_LAUNCH_ERROR : OUTCOME_FAILED;
	}
	return true;
}

/* ---- Sizes --------------------------------------------------------------------------------- */

#define OCLGRIND_MAX_SIZES 6

/* Maximum config_work() of an optional size, which takes Oclgrind about half a second. */
#define CHEAP_WORK 0x1p13

/* The work of whole tiles, because Oclgrind interprets idle work-items too. */
static double cost_of(const struct config *config, const struct problem *problem)
{
	const struct family *family = problem->family;
	struct problem whole = *problem;

	for (size_t d = 0; d < family->dim_count; d++)
		if (config_tile(config, d) > 1)
			whole.dim[d] = round_up(whole.dim[d], config_tile(config, d));
	return config_work(config, &whole);
}

static bool has_several_blocks(const struct config *config, const struct problem *problem)
{
	const struct plan_launch *launch;
	struct plan plan;

	config_plan(config, problem, &plan);
	for (size_t s = 0; (launch = plan_launch_from(&plan, &s)); s++)
		if (plan_launch_groups(launch) > 1)
			return true;
	return false;
}

/* Bit d is set if dimension d is larger than a tile of more than one element. */
static unsigned dims_beyond_tile(const struct config *config, const struct problem *problem)
{
	unsigned dims = 0;

	for (size_t d = 0; d < problem->family->dim_count; d++)
		if (config_tile(config, d) > 1 && problem->dim[d] > config_tile(config, d))
			dims |= 1u << d;
	return dims;
}

struct candidate {
	int64_t dim[PMPP_MAX_DIMS];
	double cost, bytes;
	unsigned covers; /* dims_beyond_tile(), and a bit for several blocks */
	bool kept;       /* false to begin with */
};

#define COVERS_BLOCKS (1u << PMPP_MAX_DIMS)

/* Sorts by cost, then by the size of the data. */
static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left;
	const struct candidate *b = right;

	return a->cost != b->cost ? (a->cost > b->cost) - (a->cost < b->cost)
				  : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static struct candidate candidate_of(const struct config *config, const struct problem *problem)
{
	struct candidate candidate = {.cost = cost_of(config, problem),
		.bytes = problem_bytes_compulsory(problem),
		.covers = dims_beyond_tile(config, problem)};

	memcpy(candidate.dim, problem->dim, sizeof candidate.dim);
	if (has_several_blocks(config, problem))
		candidate.covers |= COVERS_BLOCKS;
	return candidate;
}

/* The union of `covers` of the kept candidates, except candidate `without` (count: no exception).
 */
static unsigned covered_without(const struct candidate *candidates, size_t count, size_t without)
{
	unsigned covered = 0;

	for (size_t i = 0; i < count; i++)
		if (candidates[i].kept && i != without)
			covered |= candidates[i].covers;
	return covered;
}

/* Keeps the smallest candidate and candidates that together cover every case, then cheap ones. */
static void keep_candidates(struct candidate *candidates, size_t count)
{
	size_t smallest = 0;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (candidates[i].bytes < candidates[smallest].bytes)
			smallest = i;
	for (size_t i = 0; i < count; i++)
		candidates[i].kept =
			i == smallest ||
			(candidates[i].covers & ~covered_without(candidates, count, count));
	/* Later candidates may cover all cases of an earlier one. */
	for (size_t i = count; i-- > 0;)
		if (candidates[i].kept && i != smallest &&
			!(candidates[i].covers & ~covered_without(candidates, count, i)))
			candidates[i].kept = false;
	for (size_t i = 0; i < count; i++)
		kept += candidates[i].kept;
	for (size_t i = 0; i < count && kept < OCLGRIND_MAX_SIZES; i++)
		if (!candidates[i].kept && candidates[i].cost <= CHEAP_WORK) {
			candidates[i].kept = true;
			kept++;
		}
}

/* Keeps some of a variant's check sizes and returns their number. problem->dim is not used. Keeps
 * the smallest size, one with several blocks, and one larger than a tile along each dimension. Adds
 * cheap sizes up to OCLGRIND_MAX_SIZES. */
static size_t oclgrind_choose_sizes(const struct config *config, const struct problem *problem,
	int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS], size_t count)
{
	struct candidate candidates[PMPP_MAX_CHECK_SIZES] = {0};
	struct problem sized = *problem;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		memcpy(sized.dim, sizes[i], sizeof sized.dim);
		candidates[i] = candidate_of(config, &sized);
	}
	qsort(candidates, count, sizeof *candidates, compare_candidates);
	keep_candidates(candidates, count);
	for (size_t i = 0; i < count; i++)
		if (candidates[i].kept)
			memcpy(sizes[kept++], candidates[i].dim, sizeof sizes[i]);
	return kept;
}

/* ---- The engine ---------------------------------------------------------------------------- */

static const struct engine engine_oclgrind = {
	.name = "oclgrind",
	.backend = "opencl",
	.unguarded = true,
	.reopens = true,
	.renews = true,
	.create = create,
	.destroy = destroy,
	.set_environment = set_environment,
	.check_device = check_device,
	.begin_group = set_checks,
	.choose_sizes = oclgrind_choose_sizes,
	.judge = judge,
};

/* PoCL reads these variables when it creates its devices. They divide the cores among shards. */
static void share_cores(const void *state, bool sharded)
{
	(void)state;
	if (sharded) {
		setenv("POCL_MAX_PTHREAD_COUNT", "1", 0);
		setenv("POCL_AFFINITY", "0", 0);
	}
}

static const struct engine engine_devices = {
	.name = "devices",
	.set_environment = share_cores,
};

const struct engine *const engines[] = {&engine_devices, &engine_oclgrind};
const char *const engine_words[] = {"devices", "oclgrind", NULL};
