/* The columns of a table of rows, and what -v adds to it. */
#include "host/report/console.c"
#include "tests/support/records.h"
#include "tests/support/result_example.h"
#include "tests/support/test.h"

/* ---- Helpers ------------------------------------------------------------------------------- */

static void fill(struct result_row *row)
{
	record_init(&result_row_type, row);
	row->status = OUTCOME_OK;
	text_set(&row->technique, "tiling");
	row->build.record.present = true;
	row->build.compile_ms = 7;
	text_set(&row->build.options, "-DTILE=16");
	text_set(&row->build.cache, "none");
	row->resources.registers = 32;
	row->resources.shared_bytes = 0;
	row->resources.spill_bytes = -1;
	row->verify.max_ratio = 0.5;
	text_set(&row->verify.coverage, "all elements");
	row->timing.record.present = true;
	row->timing.primary = TIMING_COLD;
	row->timing.flushed_bytes = 260000000;
	row->timing.cold.record.present = true;
	row->timing.cold.n = 1;
	row->timing.cold.median = 1234567;
}

static int width_of(const char *line)
{
	int width = 0;

	for (; *line && *line != '\n'; line++)
		width += (*line & 0xc0) != 0x80;
	return width;
}

/* ---- Columns ------------------------------------------------------------------------------- */

/* With each possible text of the column, the later columns stay below their titles. */
TEST(limit_column, "column: limited by")
{
	static const double shares[] = {
		0.0001, 0.002, 0.0949, 0.0951, 0.0994, 0.0996, 0.0999, 0.1, 0.38, 0.4949, 0.4999};
	struct table table;
	FINISHED(result_row_finish) struct result_row row;

	TEST_RECORD(roofs_type, struct roofs_record, roofs);
	TEST_RECORD(group_type, struct group_record, group);
	text_set(&group.family, "matmul");
	text_set(&group.driver, "1");
	fill(&row);
	row.derived.step = row.derived.total = 2;
	row.derived.floor.record.present = true;
	for (int limit = LIMITED_BY_UNKNOWN; limit < LIMITED_BY_COUNT; limit++)
		for (int floor = 0; floor < FLOOR_COUNT; floor++)
			for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
				row.derived.limited_by = limit;
				row.derived.floor.resource = floor;
				row.derived.floor.share = shares[s];
				const char *text = WRITTEN(
					out,
					put_heading(out, &(struct page_style){0}, &group, &roofs);
					begin_ladder(&table, out, &(struct page_style){0}, &group);
					add_ladder_row(&table, "tiled", &row); table_flush(&table);
					table_finish(&table));
				const char *titles = strchr(text, '\n') + 1;
				const char *line = strchr(titles, '\n') + 1;
				int claim = width_of("  claim");
				if (width_of(line) != width_of(titles) - claim)
					test_fail("not below the titles:\n%s", titles);
			}
}

/* Rows of a table: throttled, with this load. */
static const struct load_row {
	const char *name;
	int64_t cores; /* -1: not a CPU */
	double loads[3];
	const char *text; /* of the whole table: "!" = a marked row, "-" = a plain row */
} load_rows[] = {
	{"a busy CPU", 2, {10.4, 10.2, 9.8}, "load 10.4 on 2 cores, table, -, -, -"},
	{"a quiet CPU", 2, {0.3, 2.1, 3}, "table, !, !, !"},
	{"a CPU that becomes busy", 2, {2.1, 3.2, 4}, "table, !, load 3.2 on 2 cores, -, -"},
	{"one core", 1, {2.5, 2.5, 2.5}, "load 2.5 on 1 core, table, -, -, -"},
	{"an unknown load", 2, {NAN, NAN, NAN}, "table, !, !, !"},
	{"a GPU", -1, {10.4, 10.2, 9.8}, "table, !, !, !"},
};

/* Returns "load 10.4 on 2 cores, table, -": what each line is. */
static void describe_lines(char *text, char *ret_text, size_t size)
{
	static const char load[] = "other programs use this CPU (";
	size_t used = 0;

	*ret_text = '\0';
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		const char *what = NULL;
		char words[40];
		if (strncmp(line, load, strlen(load)) == 0) {
			snprintf(words, sizeof words, "%.*s", (int)strlen(line + strlen(load)) - 1,
				line + strlen(load));
			what = words;
		} else if (strncmp(line, "variant", 7) == 0) {
			what = "table";
		} else if (strncmp(line, "naive", 5) == 0) {
			what = strchr(line, '!') ? "!" : "-";
		}
		if (what)
			used += (size_t)snprintf(
				ret_text + used, size - used, "%s%s", used ? ", " : "", what);
	}
}

/* Other programs use the CPU: one line, in place of a mark of each row. */
TEST_ROWS(load, load_rows, "load: %s", row->name)
{
	const struct terminal_options options = {.quiet = true};
	FINISHED(console_finish) struct console console;
	char *text, lines[200];

	console_init(&console, &options, false);
	console.terminal.out = test_stream(&text);
	SOME(console.terminal.out);
	TEST_RECORD(group_type, struct group_record, group);
	text_set(&group.family, "matmul");
	text_set(&group.driver, "1");
	console_group(&console, &group);
	for (size_t i = 0; i < 3; i++) {
		FINISHED(result_row_finish) struct result_row result;
		fill(&result);
		result.timing.record.present = true;
		result.timing.flags = TIMING_THROTTLED;
		record_init(&device_state_type, &result.device_state);
		result.device_state.load_average = row->loads[i];
		result.device_state.cpu_cores = row->cores;
		console_row(&console, "naive", &result);
	}
	fclose(console.terminal.out);
	console.terminal.out = NULL;
	test_note("%s", text);
	describe_lines(text, lines, sizeof lines);
	STRING(lines, row->text);
	free(text);
}

/* The heading names the device of each side. The second column names its backend. */
TEST(sides, "the sides of parity")
{
	FINISHED(table_finish) struct table table;
	FREED char *text;
	FILE *out = test_stream(&text);

	TEST_RECORD(roofs_type, struct roofs_record, roofs);
	TEST_RECORD(group_type, struct group_record, group);
	group.action = GROUP_PARITY;
	text_set(&group.family, "matmul");
	text_set(&group.choices, "f32");
	text_set(&group.problem, "m=8");
	text_set(&group.device, "opencl:0.0");
	text_set(&group.device_name, "A CPU");
	text_set(&group.driver, "1.2");
	text_set(&group.other, "cuda-emu:0 An emulator");
	put_heading(out, &(struct page_style){0}, &group, &roofs);
	begin_ladder(&table, out, &(struct page_style){0}, &group);
	table_flush(&table);
	fclose(out);
	CHECK(HAS(text, "      opencl:0.0 A CPU (1.2) against cuda-emu:0 An emulator\n"),
		HAS(text, "variant    opencl     cuda-emu      ratio  95 %"));
}

/* ---- Details of a row ---------------------------------------------------------------------- */

static char *details_of(const struct result_row *row)
{
	return WRITTEN(out, put_details(out, row));
}

static const struct details_row {
	const char *name;
	unsigned flags;
	int64_t flushed_bytes;
	double step, interval[2];
	enum record_truth paired;
	double at_least, at_most, observed;
	int verdict; /* CLAIM_VERDICT_COUNT: no claim */
	const char *want;
} details_rows[] = {
	{"step, claim and flags", TIMING_THROTTLED | TIMING_NOISY, 260000000, 0.98, {0.55, 1.37},
		TRUTH_YES, 0.95, NAN, 0.98, CLAIM_UNDECIDED,
		"    timing: primary cold, flushed_bytes 260000000, flags throttled noisy\n"
		"    derived: step 0.98, step_ci95 0.550 to 1.370, step_paired true\n"
		"    claim: expected 0.95, verdict undecided, observed 0.98\n"
		"    samples: n 1, median 1234567\n"},
	{"a step alone", 0, 0, 2, {NAN, NAN}, TRUTH_NO, NAN, NAN, NAN, CLAIM_VERDICT_COUNT,
		"    timing: primary cold, flushed_bytes 0\n"
		"    derived: step 2, step_paired false\n"
		"    samples: n 1, median 1234567\n"},
	{"a claim about another variant", 0, -1, 2, {1.9, 2.1}, TRUTH_UNKNOWN, 0.9, 1.1, 1.05,
		CLAIM_HOLDS,
		"    timing: primary cold\n"
		"    derived: step 2, step_ci95 1.900 to 2.100\n"
		"    claim: expected 0.9, at_most 1.1, verdict holds, observed 1.05\n"
		"    samples: n 1, median 1234567\n"},
	{"neither", 0, -1, NAN, {NAN, NAN}, TRUTH_UNKNOWN, NAN, NAN, NAN, CLAIM_VERDICT_COUNT,
		"    timing: primary cold\n"
		"    samples: n 1, median 1234567\n"},
};

TEST_ROWS(details, details_rows, "details: %s", row->name)
{
	static const char first[] = "    build: options -DTILE=16, compile_ms 7, cache none\n"
				    "    resources: registers 32, shared_bytes 0\n"
				    "    verify: coverage all elements\n";
	FINISHED(result_row_finish) struct result_row result;

	fill(&result);
	result.resources.record.present = result.verify.record.present = true;
	result.derived.record.present = true;
	result.timing.flags = row->flags;
	result.timing.flushed_bytes = row->flushed_bytes;
	result.derived.step = row->step;
	memcpy(result.derived.step_ci95, row->interval, sizeof row->interval);
	result.derived.step_paired = row->paired;
	result.claim.record.present = row->verdict != CLAIM_VERDICT_COUNT;
	result.claim.expected = row->at_least;
	result.claim.at_most = row->at_most;
	result.claim.observed = row->observed;
	result.claim.verdict = row->verdict;
	char *text = details_of(&result);
	EQUAL(strncmp(text, first, strlen(first)), 0);
	STRING(text + strlen(first), row->want);
}

TEST(state, "details: the state of the device")
{
	FINISHED(result_row_finish) struct result_row row;

	fill(&row);
	record_init(&device_state_type, &row.device_state);
	row.device_state.sm_clock_mhz = 1980;
	row.device_state.load_average = 0.519;
	IS(text_list_add(&row.device_state.throttle_reasons, "sw_power_cap"));
	IS(text_list_add(&row.device_state.throttle_reasons, "hw_slowdown"));
	char *text = details_of(&row);
	HAS(text, "    device_state: sm_clock_mhz 1980, throttle_reasons sw_power_cap hw_slowdown, "
		  "load_average 0.519\n");
}

TEST(fallback, "details: a smaller tile")
{
	FINISHED(result_row_finish) struct result_row row;

	fill(&row);
	text_set(&row.fallback, "TILE=16 instead of 32: a limit");
	char *text = details_of(&row);
	HAS(text, "    row: fallback TILE=16 instead of 32: a limit\n");
}
