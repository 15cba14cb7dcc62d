/*
 * Twins: the kernels of a variant in CUDA and in OpenCL access memory in the same way. Both run on
 * the emulator with all blocks, and each launch has the same counts on both sides. The table of
 * docs/parity.md has all counts that differ, each with its reason.
 */
#include "host/suite/suite.h"
#include "tests/kernels/session.h"

#include <errno.h>

#define DOCUMENT PMPP_SOURCE_ROOT "/docs/parity.md"
#define TITLES "\n| variant | launch | counts | reason |\n"
#define EQUAL_SHARE 0.95
#define MAX_VALUES 64
#define MAX_DIFFERENCES 256

enum side {
	SIDE_CUDA,
	SIDE_OPENCL,
	SIDE_COUNT
};

static struct session sessions[SIDE_COUNT];

/* Of the rows that ran. A count that is 0 on both sides is left out. */
static struct {
	size_t rows, count, equal;
} total;

static size_t twin_count; /* variants with twins */

/* ---- Counts ---------------------------------------------------------------------------------- */

/* Values of one count of a launch: one, or one for each line with an access, in the order of the
 * source. */
struct values {
	uint64_t value[MAX_VALUES];
	size_t count;
};

struct count {
	const char *name;
	struct values (*of)(const struct trace *trace, const struct count *count);
	enum trace_space space;
	enum trace_kind kind;
	size_t offset; /* sum_of(): in struct access_record; of_lines(): in struct line_record */
};

static uint64_t member(const void *record, size_t offset)
{
	uint64_t value;

	memcpy(&value, (const char *)record + offset, sizeof value);
	return value;
}

static struct values sum_of(const struct trace *trace, const struct count *count)
{
	struct values values = {.count = 1};

	for (size_t i = 0; i < trace->access_count; i++) {
		const struct access_record *access = &trace->accesses[i];
		if (access->space == (int)count->space && access->kind == (int)count->kind)
			values.value[0] += member(access, count->offset);
	}
	return values;
}

static bool has_access(const struct trace *trace, int line)
{
	for (size_t i = 0; i < trace->access_count; i++)
		if (trace->accesses[i].line == line)
			return true;
	return false;
}

static struct values of_lines(const struct trace *trace, const struct count *count)
{
	struct values values = {.count = 0};

	for (size_t i = 0; i < trace->line_count; i++) {
		if (!has_access(trace, trace->lines[i].line))
			continue;
		if (values.count == MAX_VALUES)
			test_fail("more than %d lines with accesses", MAX_VALUES);
		values.value[values.count++] = member(&trace->lines[i], count->offset);
	}
	return values;
}

static struct values divergent_executions(const struct trace *trace, const struct count *count)
{
	struct values values = {.count = 1};

	(void)count;
	for (size_t i = 0; i < trace->branch_count; i++)
		values.value[0] += trace->branches[i].divergent;
	return values;
}

static struct values divergent_warps(const struct trace *trace, const struct count *count)
{
	(void)count;
	return (struct values){.value = {trace->divergent_warps}, .count = 1};
}

#define SUM(name, space, kind, member)                                                            \
	{                                                                                         \
		name, sum_of, TRACE_##space, TRACE_##kind, offsetof(struct access_record, member) \
	}
#define GLOBAL(word, kind)                                                   \
	SUM("global " word " requests", GLOBAL, kind, requests),             \
		SUM("global " word " bytes", GLOBAL, kind, bytes_requested), \
		SUM("global " word " sectors", GLOBAL, kind, sectors),       \
		SUM("global " word " lines", GLOBAL, kind, lines)
#define SHARED(word, kind)                                                   \
	SUM("shared " word " requests", SHARED, kind, requests),             \
		SUM("shared " word " bytes", SHARED, kind, bytes_requested), \
		SUM("shared " word " wavefronts", SHARED, kind, wavefronts)

static const struct count counts[] = {
	GLOBAL("load", LOAD),
	GLOBAL("store", STORE),
	GLOBAL("atomic", ATOMIC),
	SHARED("load", LOAD),
	SHARED("store", STORE),
	SHARED("atomic", ATOMIC),
	SHARED("copy", COPY),
	{"warp-executions", of_lines, .offset = offsetof(struct line_record, warp_executions)},
	{"lanes", of_lines, .offset = offsetof(struct line_record, lanes)},
	{"divergent executions", divergent_executions},
	{"divergent warps", divergent_warps},
};

#define COUNTS (sizeof counts / sizeof *counts)

static bool is_zero(const struct values *values)
{
	for (size_t i = 0; i < values->count; i++)
		if (values->value[i] != 0)
			return false;
	return true;
}

static bool are_equal(const struct values *a, const struct values *b)
{
	return a->count == b->count && memcmp(a->value, b->value, a->count * sizeof *a->value) == 0;
}

static void print(const struct values *values, char *ret_text, size_t size)
{
	size_t length = 0;

	*ret_text = '\0';
	for (size_t i = 0; i < values->count && length < size; i++)
		length += (size_t)snprintf(ret_text + length, size - length, "%s%llu", i ? " " : "",
			(unsigned long long)values->value[i]);
}

/* ---- The table of docs/parity.md ------------------------------------------------------------- */

/* A row of the table. The texts are in `document`. */
struct difference {
	char *variant, *counts, *reason;
	unsigned long launch;
};

static char *document;
static struct difference differences[MAX_DIFFERENCES];
static size_t difference_count;

static void read_document(void)
{
	FILE *file = fopen(DOCUMENT, "r");
	size_t size = 0;

	if (!file || getdelim(&document, &size, '\0', file) < 0) {
		fprintf(stderr, "%s: %s\n", DOCUMENT, strerror(errno));
		exit(EXIT_FAILURE);
	}
	fclose(file);
}

/* Returns the next cell of a row, without blanks and backquotes around it. NULL: there is none. */
static char *next_cell(char **row)
{
	char *cell = strsep(row, "|");

	if (!cell)
		return NULL;
	cell += strspn(cell, " `");
	for (size_t length = strlen(cell); length > 0 && strchr(" `", cell[length - 1]); length--)
		cell[length - 1] = '\0';
	return cell;
}

static void read_table(void)
{
	char *found = strstr(document, TITLES);
	char *text = found ? found + sizeof TITLES - 1 : NULL;

	strsep(&text, "\n"); /* the line below the titles */
	for (char *row; text && *text == '|' && difference_count < MAX_DIFFERENCES;) {
		struct difference *difference = &differences[difference_count++];
		row = strsep(&text, "\n") + 1;
		difference->variant = next_cell(&row);
		const char *launch = next_cell(&row);
		difference->launch = launch ? strtoul(launch, NULL, 10) : 0;
		difference->counts = next_cell(&row);
		difference->reason = next_cell(&row);
	}
}

/* Whether a list of names, separated by ", ", has a name. */
static bool has_name(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += length) {
		bool starts = at == list || (at - list >= 2 && strncmp(at - 2, ", ", 2) == 0);
		if (starts && (at[length] == '\0' || at[length] == ','))
			return true;
	}
	return false;
}

static bool is_listed(const char *variant, size_t launch, const char *count)
{
	for (size_t i = 0; i < difference_count; i++)
		if (strcmp(differences[i].variant, variant) == 0 &&
			differences[i].launch == launch && has_name(differences[i].counts, count))
			return true;
	return false;
}

/* Number of rows of a variant for launches after the first `launches`: there are none. */
static size_t rows_beyond(const char *variant, size_t launches)
{
	size_t count = 0;

	for (size_t i = 0; i < difference_count; i++)
		count += strcmp(differences[i].variant, variant) == 0 &&
			 differences[i].launch > launches;
	return count;
}

/* ---- Twins ----------------------------------------------------------------------------------- */

static struct suite_trace trace_of(enum side side, const struct variant *variant)
{
	const struct config config = config_default(variant);
	struct problem problem = problem_default(variant_family(variant));

	problem_default_size(&problem, DEVICE_CLASS_EMULATED);
	session_choose_inside(&config, &problem);
	return session_trace(&sessions[side], &config, &problem);
}

/* Returns the number of errors: counts that differ without being listed, and the reverse. */
static size_t compare_launch(
	const struct trace *const traces[SIDE_COUNT], const char *variant, size_t launch)
{
	size_t errors = 0;

	for (const struct count *count = counts; count < counts + COUNTS; count++) {
		const struct values cuda = count->of(traces[SIDE_CUDA], count);
		const struct values opencl = count->of(traces[SIDE_OPENCL], count);
		bool equal = are_equal(&cuda, &opencl);
		bool listed = is_listed(variant, launch, count->name);
		char texts[SIDE_COUNT][400];

		if (!equal || !is_zero(&cuda)) {
			total.count++;
			total.equal += equal;
		}
		if (equal && !listed)
			continue;
		errors += equal == listed;
		print(&cuda, texts[SIDE_CUDA], sizeof *texts);
		print(&opencl, texts[SIDE_OPENCL], sizeof *texts);
		test_note("launch %zu, %s: CUDA %s; OpenCL %s%s", launch, count->name,
			texts[SIDE_CUDA], texts[SIDE_OPENCL],
			equal == listed ? equal ? " (equal, but in docs/parity.md)"
						: " (not in docs/parity.md)"
					: "");
	}
	return errors;
}

/* Returns the number of errors. */
static size_t compare_traces(const struct suite_trace sides[SIDE_COUNT], const char *variant)
{
	size_t errors = 0, launch = 0;

	for (size_t s = 0; s < sides->plan.step_count; s++) {
		const struct trace *traces[SIDE_COUNT];

		if (sides->plan.steps[s].kind == PLAN_FILL)
			continue;
		launch++;
		for (int side = 0; side < SIDE_COUNT; side++) {
			traces[side] = &sides[side].traces[s];
			if (traces[side]->defect.kind == TRACE_NO_DEFECT)
				continue;
			test_note("launch %zu, %s: line %d: %s", launch, sessions[side].engine.name,
				traces[side]->defect.line, traces[side]->defect.text);
			errors++;
		}
		errors += compare_launch(traces, variant, launch);
	}
	if (rows_beyond(variant, launch) > 0) {
		test_note("docs/parity.md has rows for more than %zu launches", launch);
		errors++;
	}
	return errors;
}

static void twins(const void *context)
{
	const struct variant *variant = context;
	struct suite_trace sides[SIDE_COUNT];
	char name[100], reason[sizeof sides->reason] = "";
	size_t errors = 0;

	snprintf(name, sizeof name, "%s/%s", variant_family(variant)->name, variant->name);
	for (int side = 0; side < SIDE_COUNT; side++) {
		sides[side] = trace_of(side, variant);
		if (sides[side].reason[0])
			snprintf(reason, sizeof reason, "%s", sides[side].reason);
	}
	if (!reason[0])
		errors = compare_traces(sides, name);
	for (int side = 0; side < SIDE_COUNT; side++)
		suite_trace_finish(&sides[side]);
	total.rows++;
	if (reason[0] && rows_beyond(name, 0) > 0)
		test_fail("in docs/parity.md, but not traced: %s", reason);
	if (reason[0])
		test_skip("%s", reason);
	if (errors > 0)
		test_fail("%zu errors", errors);
}

/* ---- All rows -------------------------------------------------------------------------------- */

/* A count of a row that is not a name of counts[] is an error too. */
static void must_have_counts(const struct difference *difference)
{
	FREED char *list = strdup(difference->counts);

	for (char *rest = list, *name; (name = strsep(&rest, ","));) {
		size_t i = 0;
		name += strspn(name, " ");
		while (i < COUNTS && strcmp(counts[i].name, name) != 0)
			i++;
		if (i == COUNTS)
			test_fail("%s: no count has the name %s", difference->variant, name);
	}
}

/* Each row of the table is complete, and its variant has twins. */
TEST(table, "the table of docs/parity.md")
{
	IS(difference_count > 0 && difference_count < MAX_DIFFERENCES);
	for (size_t i = 0; i < difference_count; i++) {
		const struct difference *difference = &differences[i];

		if (!difference->reason || !*difference->reason || difference->launch == 0)
			test_fail("%s: the row is not complete", difference->variant);
		must_have_counts(difference);
		const struct variant *variant = session_variant(difference->variant);
		if (!variant || variant->one_sided || variant->cuda_only)
			test_fail("%s: no twins", difference->variant);
	}
}

TEST_LONG(share, "equal counts")
{
	if (total.rows < twin_count)
		test_skip("%zu of %zu variants were compared", total.rows, twin_count);
	test_note("%zu of %zu counts are equal: %.1f %%", total.equal, total.count,
		100.0 * (double)total.equal / (double)total.count);
	if ((double)total.equal < EQUAL_SHARE * (double)total.count)
		test_fail("less than %.0f %% are equal", 100 * EQUAL_SHARE);
}

/* The short form has variants of each kind of access. */
static bool is_in_short_form(const char *name)
{
	static const char names[] =
		"coalesce/contiguous, coalesce/stride2, divergence/branchy, histogram/private, "
		"matmul/tiled16, reduce/sequential, softmax/online, transpose/padded";

	return has_name(names, name);
}

static void add_variant(const struct variant *variant)
{
	char name[100];

	if (variant->one_sided || variant->cuda_only)
		return;
	snprintf(name, sizeof name, "%s/%s", variant_family(variant)->name, variant->name);
	test_add(twins, variant, "%s", name);
	twin_count++;
	if (!is_in_short_form(name))
		test_mark_long();
}

int main(int argc, char **argv)
{
	static const char *const backends[SIDE_COUNT] = {"cuda-emu", "opencl-emu"};

	for (int side = 0; side < SIDE_COUNT; side++)
		sessions[side].engine = engine_first(backends[side]);
	read_document();
	read_table();
	EACH_VARIANT (variant)
		add_variant(variant);
	int code = test_run(argc, argv);
	for (int side = 0; side < SIDE_COUNT; side++)
		session_close(&sessions[side]);
	free(document);
	return code;
}
