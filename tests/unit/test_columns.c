/* Text and tables that fit the columns of a terminal, and the marks of flags. */
#include "common/family.h"
#include "host/report/console.c"
#include "host/report/flag_marks.h"
#include "host/report/wrap.h"
#include "tests/support/records.h"
#include "tests/support/result_example.h"
#include "tests/support/test.h"

/* ---- Lines --------------------------------------------------------------------------------- */

static const struct wrap_row {
	const char *name;
	int width;
	const char *text, *want;
} wrap_rows[] = {
	{"a short line", 20, "a short line\n", "a short line\n"},
	{"no limit", 0, "one two three four five six seven\n",
		"one two three four five six seven\n"},
	{"exactly the width", 24, "12345678901234567890 234\n", "12345678901234567890 234\n"},
	{"at a blank", 24, "one two three four five six seven\n",
		"one two three four five\n    six seven\n"},
	{"the indentation stays", 26, "  one two three four five six seven\n",
		"  one two three four five\n      six seven\n"},
	{"a long word", 24, "12345678901234567890123456\n", "123456789012345678901234\n    56\n"},
	{"columns, not bytes", 24, "µs µs µs µs µs µs µs µs µs µs\n",
		"µs µs µs µs µs µs µs µs\n    µs µs\n"},
	{"colours take no columns", 24, "\033[31mone two three four\033[0m five six\n",
		"\033[31mone two three four\033[0m five\n    six\n"},
	{"an empty line", 24, "one\n\ntwo\n", "one\n\ntwo\n"},
	{"no line end", 24, "one", "one\n"},
	{"no line end and no limit", 0, "one", "one\n"},
	{"blanks at the ends", 0, "one  \n two \n", "one\n two\n"},
	{"blanks at the end of a line that fits", 24, "one  \n", "one\n"},
	{"blanks beyond the width", 24, "12345678901234567890     \n", "12345678901234567890\n"},
	{"blanks before the end of a colour", 0, "\033[1mone  \033[0m\n", "\033[1mone\033[0m\n"},
};

TEST_ROWS(wraps, wrap_rows, "line: %s", row->name)
{
	struct wrap wrap;

	STRING(WRITTEN(out, fputs(row->text, wrap_begin(&wrap, out, row->width)); wrap_end(&wrap)),
		row->want);
}

/* ---- Tables -------------------------------------------------------------------------------- */

static char *written(struct table *table, const char *kind, int width)
{
	const struct page_style style = {.width = width};
	char *text = NULL;
	FILE *out = test_stream(&text);

	if (strcmp(kind, "terminal") == 0)
		table_put(table, out, &style);
	else if (strcmp(kind, "markdown") == 0)
		table_put(table, out, &(struct page_style){.markdown = true});
	else if (strcmp(kind, "csv") == 0)
		table_put_csv(table, out);
	else
		table_put_html(table, out, "A <table>");
	fclose(out);
	return text;
}

static const struct writer_row {
	const char *name, *kind;
	int width;
	const char *want;
} writer_rows[] = {
	{"no limit", "terminal", 0,
		"name  technique             time    rate  note\n"
		"a|b   one pass for both  1.50 µs!  2.00x  =1+1, \"x\"\n"
		"名前  \\x1b[2J<i>&\\x0a          -          a note that is rather long\n"
		"c     skipped: the device has no f16\n"
		"    below c\n"},
	{"left out and cut", "terminal", 44,
		"name  technique      time   note\n"
		"a|b   one pass …  1.50 µs!  =1+1, \"x\"\n"
		"名前  \\x1b[2J<i…        -   a note that is\n"
		"    rather long\n"
		"c     skipped: the device has no f16\n"
		"    below c\n"
		"columns left out: rate\n"},
	{"Markdown", "markdown", 0,
		"| name | technique | time | rate | note |\n"
		"|---|---|---:|---:|---|\n"
		"| a\\|b | one pass for both | 1.50 µs ! | 2.00x | =1+1, \"x\" |\n"
		"| 名前 | \\\\x1b[2J\\<i>\\&\\\\x0a | - |  | a note that is rather long |\n"
		"| c | skipped: the device has no f16 |  |  |  |\n"},
	{"CSV", "csv", 0,
		"name,technique,median_ns,rate,note\n"
		"a|b,one pass for both,1500,2,\"=1+1, \"\"x\"\"\"\n"
		"名前,\\x1b[2J<i>&\\x0a,-,,a note that is rather long\n"
		"c,skipped: the device has no f16,,,\n"},
	{"HTML", "html", 0,
		"<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"A &lt;table&gt;\">"
		"<table><caption>A &lt;table&gt;</caption>\n<thead><tr>"
		"<th scope=\"col\" data-key=\"name\">name</th>"
		"<th scope=\"col\" data-key=\"technique\">technique</th>"
		"<th scope=\"col\" class=\"number\" data-key=\"median_ns\" data-unit=\"ns\">time</th>"
		"<th scope=\"col\" class=\"number\" data-key=\"rate\">rate</th>"
		"<th scope=\"col\" data-key=\"note\">note</th></tr></thead>\n<tbody>\n"
		"<tr><th scope=\"row\"><bdi>a|b</bdi></th><td><bdi>one pass for both</bdi></td>"
		"<td class=\"number\" data-value=\"1500\">1.50 µs!</td>"
		"<td class=\"number\" data-value=\"2\">2.00x</td>"
		"<td><bdi>=1+1, &quot;x&quot;</bdi></td></tr>\n"
		"<tr><th scope=\"row\"><bdi>名前</bdi></th>"
		"<td><bdi>\\x1b[2J&lt;i&gt;&amp;\\x0a</bdi></td>"
		"<td class=\"number\"><bdi>-</bdi></td><td class=\"number\"><bdi></bdi></td>"
		"<td><bdi>a note that is rather long</bdi></td></tr>\n"
		"<tr><th scope=\"row\"><bdi>c</bdi></th>"
		"<td colspan=\"4\"><bdi>skipped: the device has no f16</bdi></td></tr>\n"
		"</tbody></table></div>\n"},
};

/* One table with hostile texts, East Asian characters, marks and a row without figures. */
TEST_ROWS(writers, writer_rows, "table: %s", row->name)
{
	static const struct table_column columns[] = {{.title = "name"},
		{.title = "technique", .priority = 1, .cut = 8},
		{.key = "median_ns", .title = "time", .unit = "ns", .align = TABLE_RIGHT},
		{.title = "rate", .align = TABLE_RIGHT, .priority = 2},
		{.title = "absent", .absent = true},
		{.title = "note", .align = TABLE_REST, .width = 16}};
	FINISHED(table_finish) struct table table;

	table_init(&table, columns, 6);
	table_row(&table, STYLE_PLAIN);
	table_text(&table, "a|b");
	table_text(&table, "one pass for both");
	strcpy(table_number(&table, format_ns, 1500)->marks, "!");
	table_number(&table, format_factor, 2);
	table_text(&table, "absent");
	table_text(&table, "=1+1, \"x\"");
	table_row(&table, STYLE_DIM);
	table_text(&table, "名前");
	table_text(&table, "\033[2J<i>&\n");
	table_number(&table, format_ns, NAN);
	table_text(&table, NULL);
	table_text(&table, "absent");
	table_format(&table, "a note that is %s long", "rather");
	table_row(&table, STYLE_PLAIN);
	table_text(&table, "c");
	table_span(&table, "skipped: the device has no f16");
	table_below(&table, "below c");
	FREED char *text = written(&table, row->kind, row->width);
	STRING(text, row->want);
}

/* ---- Marks --------------------------------------------------------------------------------- */

TEST(marks, "marks")
{
	char text[FLAG_MARKS_BYTES];

	for (size_t i = 0; i < FLAG_MARK_COUNT; i++) {
		const char *name = 1u << i == FLAG_MARK_FALLBACK ? "fallback"
				   : 1u << i == FLAG_MARK_OWN    ? "your kernel"
								 : timing_flag_words[i];

		CHECK(STRING(flag_marks[i].name, name), EQUAL(strlen(flag_marks[i].mark), 1));
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(flag_marks[i].mark, flag_marks[j].mark);
	}
	NIL(timing_flag_words[FLAG_MARK_COUNT - 2]);
	flag_marks_format(0, text);
	STRING(text, "");
	flag_marks_format(TIMING_NOISY | TIMING_THROTTLED, text);
	STRING(text, "!~");
	flag_marks_format(~0u, text);
	STRING(text, "^!@~*+=");
}

TEST(legend, "marks: the legend")
{
	struct result_row rows[3];
	unsigned flags = 0;
	FREED char *text = NULL;
	FILE *out = test_stream(&text);

	for (size_t i = 0; i < 3; i++) {
		record_init(&result_row_type, &rows[i]);
		rows[i].own_kernel = i != 1;
		rows[i].timing.record.present = i != 2;
		rows[i].timing.flags = i == 0 ? TIMING_NOISY | TIMING_UNFLUSHED : TIMING_NOISY;
	}
	/* A row without times has only the mark of a kernel of the user. */
	for (size_t i = 0; i < 3; i++) {
		text_set(&rows[i].family, "matmul");
		text_set(&rows[i].variant, "tiled32");
		text_set(&rows[i].fallback, "TILE=16 instead of 32: a limit");
		flags |= flag_marks_of_row(&rows[i]);
	}
	flag_marks_put(out, "  ", flags, "\n");
	fclose(out);
	CHECK(HAS(text, "  ~ noisy: "), HAS(text, "  * unflushed: "), LACKS(text, "throttled"),
		LACKS(text, "host_clock"), HAS(text, "  + fallback: "),
		HAS(text, "  = your kernel: a kernel of yours in place of"));
	for (size_t i = 0; i < 3; i++)
		record_finish(&result_row_type, &rows[i]);
}

/* ---- Ladders ------------------------------------------------------------------------------- */

static int widest(const char *text)
{
	int most = 0;

	while (*text) {
		size_t length = strcspn(text, "\n");
		FREED char *line = strndup(text, length);
		SOME(line);
		most = wrap_columns(line) > most ? wrap_columns(line) : most;
		text += length + (text[length] == '\n');
	}
	return most;
}

/* The heading, the titles and rows of a family with its longest texts, on a GPU. */
static char *ladder_of(const struct family *family, int width, unsigned flags)
{
	struct table table;
	char *text = NULL;
	FILE *out = test_stream(&text);

	TEST_RECORD(group_type, struct group_record, group);
	TEST_RECORD(roofs_type, struct roofs_record, roofs);
	text_set(&group.family, family->name);
	text_set(&group.choices, "f32");
	text_set(&group.problem, "rows=2147483647 columns=2147483647");
	text_set(&group.device, "opencl:0.0");
	text_set(&group.device_name, "cpu-skylake-avx512-Intel(R) Xeon(R) Processor @ 2.10GHz");
	text_set(&group.driver, "580.159.04");
	group.gpu = true;
	roofs.copy_gbps = 4321;
	roofs.fma_gflops.f32 = 65432;
	for (size_t v = 0; v < family->variant_count; v++) {
		struct group_row *row = record_list_add(&group_row_type, &group.rows);
		SOME(row);
		text_set(&row->label, family->variants[v].name);
		text_set(&row->technique, family->variants[v].technique);
	}
	const struct page_style style = {.width = width};
	put_heading(out, &style, &group, &roofs);
	begin_ladder(&table, out, &style, &group);
	for (size_t v = 0; v < family->variant_count; v++) {
		TEST_RECORD(result_row_type, struct result_row, row);
		row.status = v ? OUTCOME_OK : OUTCOME_SKIPPED;
		text_set(&row.technique, family->variants[v].technique);
		text_set(&row.reason, v ? NULL
					: "the device has 48 KiB of shared memory for each "
					  "block, and the variant needs 96 KiB");
		row.verify.max_ratio = 0.25;
		row.timing.record.present = row.timing.cold.record.present = true;
		row.timing.cold.median = 123456;
		row.timing.flags = flags;
		row.derived.gflops = row.derived.gbps = row.derived.metric = 10234;
		row.derived.step = row.derived.total = 10.2;
		row.derived.pct_roof = 100;
		row.claim.record.present = true;
		row.claim.verdict = CLAIM_FAILS;
		add_ladder_row(&table, family->variants[v].name, &row);
		table_flush(&table);
	}
	table_end(&table);
	table_finish(&table);
	fclose(out);
	return text;
}

/* No line is wider than the terminal, with all marks or without. The columns that matter most are
 * always there, and a wide terminal has all columns. */
TEST_LIST(ladders_fit, families, family_count, "ladder: %s", (*row)->name)
{
	const struct family *family = *row;
	static const int widths[] = {80, 100, 120, 160};
	static const unsigned flags[] = {0, ~0u};
	static const char *const always[] = {"technique", "median", "step", "claim"};
	static const char *const wide[] = {"check", "limited by", "total", "%roof"};

	for (size_t w = 0; w < 4; w++)
		for (size_t f = 0; f < 2; f++) {
			FREED char *text = ladder_of(family, widths[w], flags[f]);
			if (widest(text) > widths[w])
				test_fail("%d columns:\n%s", widest(text), text);
			for (size_t i = 0; i < 4; i++)
				if (!strstr(text, always[i]) ||
					(widths[w] == 160 && !strstr(text, wide[i])))
					test_fail("a column is missing:\n%s", text);
		}
}
