/* Tables of Markdown: what a person pastes. */
#include "host/report/console.h"
#include "host/report/export.h"
#include "host/report/format.h"
#include "host/report/table.h"
#include "tests/support/records.h"
#include "tests/support/result_example.h"
#include "tests/support/test.h"

/* ---- Documents ----------------------------------------------------------------------------- */

static struct result_row *add_row(
	struct result_document *document, const char *variant, int64_t n, int status)
{
	struct result_row *row = record_list_add(&result_row_type, &document->results);

	SOME(row);
	text_set(&row->family, "vecadd");
	text_set(&row->variant, variant);
	text_set(&row->technique, "coarsening");
	text_set(&row->backend, "cuda");
	text_set(&row->device, "uuid:1");
	text_set(&row->dtype, "f32");
	text_set(&row->data, "random");
	IS(named_list_add(&row->problem, "n", n));
	row->status = status;
	row->verify.max_ratio = 0.25;
	text_set(&row->verify.coverage, "all elements");
	pmpp_error_clear(&test_error);
	return row;
}

static void set_time(struct result_row *row, double ns, unsigned flags)
{
	row->timing.record.present = row->timing.cold.record.present = true;
	row->timing.cold.median = ns;
	row->timing.flags = flags;
	row->derived.gbps = 3430;
}

static void begin(struct result_document *document)
{
	record_init(&result_document_type, document);
	struct device_record *device = record_list_add(&device_type, &document->devices);
	SOME(device);
	struct view_record *view = record_list_add(&view_type, &device->views);
	SOME(view);
	text_set(&device->key, "uuid:1");
	text_set(&device->name, "GPU | one");
	text_set(&view->backend, "cuda");
	text_set(&view->driver, "580.1, CUDA 13.0");
}

/* ---- Tests --------------------------------------------------------------------------------- */

/* The device, marks with a legend, a row without a time. */
TEST(ladder, "Markdown: a ladder")
{
	TEST_DOCUMENT document;

	begin(&document);
	set_time(add_row(&document, "fine", 8, OUTCOME_OK), 235000, 0);
	set_time(add_row(&document, "coarse2", 8, OUTCOME_OK), 1500, TIMING_NOISY);
	text_set(&add_row(&document, "vector4", 8, OUTCOME_SKIPPED)->reason, "needs a|b");
	set_time(add_row(&document, "fine", 9, OUTCOME_OK), 470000, 0);
	FREED char *text = export_markdown(&document);
	SOME(text);
	HAS(text,
		"vecadd  C = A + B  f32  n=8      cuda GPU \\| one (580.1):\n\n"
		"| variant | technique | check | median | ± | GB/s |",
		"| fine | coarsening | ok 0.25 | 235 µs | - | 3430 | ",
		"| coarse2 | coarsening | ok 0.25 | 1.50 µs ~ | - | 3430 | ",
		"| vector4 | coarsening | skipped: needs a\\|b |  |  |",
		"\n\nvecadd  C = A + B  f32  n=9  ", "\n\n- \\~ noisy: ");
	LACKS(text, "throttled");
	free(text);
	/* Other programs use the CPU: one line above the table, in place of a mark of each row. */
	struct result_row *row = &document.results.items[0];
	row->timing.flags = TIMING_THROTTLED;
	record_init(&device_state_type, &row->device_state);
	row->device_state.load_average = 10.4;
	row->device_state.cpu_cores = 2;
	text = export_markdown(&document);
	SOME(text);
	HAS(text, "other programs use this CPU (load 10.4 on 2 cores)\n\nvecadd  C = A + B");
	LACKS(text, "throttled");
}

/* No text ends its cell or has HTML; the signs of claims stay as they are. */
TEST(hostile, "Markdown: hostile texts")
{
	static const struct {
		const char *text, *want;
	} texts[] = {
		{"a\\|b", "| a\\\\\\|b |"},
		{"end\\", "| end\\\\ |"},
		{"<img src=x>", "| \\<img src=x> |"},
		{"</td><!--", "| \\</td>\\<!-- |"},
		{"&lt;b `c`", "| \\&lt;b \\`c\\` |"},
		{"a <= 2 x b < c", "| a <= 2 x b < c |"},
	};
	const struct table_column columns[] = {{.title = "<b>|"}};
	FINISHED(table_finish) struct table table;

	table_init(&table, columns, 1);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		table_row(&table, STYLE_PLAIN);
		table_text(&table, texts[i].text);
	}
	const char *text =
		WRITTEN(out, table_put(&table, out, &(struct page_style){.markdown = true});
			markdown_text(out, "a\nb"));
	HAS(text, "| \\<b>\\| |\n|---|\n");
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		HAS(text, texts[i].want);
	HAS(text, "a\\\\x0ab");
}

/* Rows without times: one line for each variant. */
TEST(verification, "Markdown: verification")
{
	TEST_DOCUMENT document;

	begin(&document);
	add_row(&document, "fine", 1, OUTCOME_OK);
	add_row(&document, "fine", 7, OUTCOME_OK)->verify.max_ratio = 0.5;
	add_row(&document, "coarse2", 1, OUTCOME_OK);
	text_set(&add_row(&document, "coarse2", 7, OUTCOME_FAILED)->reason, "3 wrong elements");
	FREED char *text = export_markdown(&document);
	SOME(text);
	HAS(text, "| cuda GPU \\| one | vecadd/fine | 2 | 0.50 | all elements |\n",
		"| cuda GPU \\| one | vecadd/coarse2 | 1 of 2 | 0.25 | failed at n=7 f32 random: "
		"3 wrong elements |\n");
}

/* Where a line would be too long, the part behind the semicolon is left out. */
TEST(verify_lines, "lines of verify")
{
	static const struct {
		int width;
		const char *fallback, *want;
	} lines[] = {
		{0, NULL,
			"cuda:0        vecadd/fine                           1   0.25  all elements; all on "
			"integers\n"},
		{80, NULL,
			"cuda:0        vecadd/fine                           1   0.25  all elements\n"},
		{0, "TILE=16 instead of 32: a limit",
			"  all elements; all on integers; TILE=16 instead of 32: a limit\n"},
	};
	TEST_DOCUMENT document;

	begin(&document);
	struct result_row *row = add_row(&document, "fine", 1, OUTCOME_OK);
	text_set(&row->verify.coverage, "all elements; all on integers");
	TEST_RECORD(group_type, struct group_record, group);
	group.action = GROUP_VERIFY;
	text_set(&group.family, "vecadd");
	text_set(&group.device, "cuda:0");
	struct group_row *shown = record_list_add(&group_row_type, &group.rows);
	SOME(shown);
	text_set(&shown->label, "fine");
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct console console;
		FREED char *text = NULL;
		console_init(&console, &(struct terminal_options){.progress = WHEN_NO}, false);
		console.terminal.out = test_stream(&text);
		console.terminal.style = (struct page_style){.width = lines[i].width};
		text_set(&row->fallback, lines[i].fallback);
		console_group(&console, &group);
		console_row(&console, "fine", row);
		console_group_end(&console);
		fclose(console.terminal.out);
		console.terminal.out = NULL;
		console_finish(&console);
		HAS(text, lines[i].want);
	}
}

/* Two devices of one name are told apart by their labels; one device has no line. */
TEST(devices, "totals of devices")
{
	FREED char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	SOME(out);
	TEST_RECORD(result_document_type, struct result_document, document);
	add_row(&document, "coarse", 1, OUTCOME_OK);
	device_summary_put(out, &document, false);
	fflush(out);
	EQUAL(size, 0);
	for (int i = 1; i <= 2; i++) {
		struct device_record *device = record_list_add(&device_type, &document.devices);
		SOME(device);
		text_format(&device->key, "uuid:%d", i);
		struct view_record *view = record_list_add(&view_type, &device->views);
		SOME(view);
		text_set(&view->backend, "cuda");
		text_set(&view->name, "A GPU");
		text_format(&view->index, "%d", i - 1);
	}
	text_set(&add_row(&document, "coarse", 1, OUTCOME_OK)->device, "uuid:2");
	text_set(&add_row(&document, "coarse", 1, OUTCOME_SKIPPED)->device, "uuid:2");
	device_summary_put(out, &document, false);
	fclose(out);
	STRING(text, "    cuda:0 A GPU: 1 ok\n    cuda:1 A GPU: 1 ok, 1 skipped\n");
}

static const struct driver_row {
	const char *driver, *want, *platform;
} driver_rows[] = {
	{"3.1+debian, OpenCL 3.0 PoCL 3.1+debian  Linux, RELOC", "PoCL 3.1+debian"},
	{"580.159.04, OpenCL 3.0 CUDA 13.0.98", "580.159.04"},
	{"580.159.04, CUDA 13.0", "580.159.04"},
	{"2026.22.10.0.01_160000, OpenCL 3.1 LINUX", "2026.22.10.0.01_160000"},
	{"22.3.6, OpenCL 3.0", "22.3.6"},
	{"", ""},
	{"3.1+debian, OpenCL 3.0 PoCL 3.1+debian  Linux", "PoCL 3.1+debian", "PoCL"},
	{"22.3.6, OpenCL 3.0", "rusticl 22.3.6", "rusticl"},
	{"2026.22.10.0.01_160000, OpenCL 3.1 LINUX", "Intel(R) OpenCL 2026.22.10.0.01_160000",
		"Intel(R) OpenCL"},
};

TEST_ROWS(driver, driver_rows, "driver: %s%s", row->driver, row->platform ? row->platform : "")
{
	char text[64];

	format_driver(row->platform, row->driver, text, sizeof text);
	STRING(text, row->want);
}
