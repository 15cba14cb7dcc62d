#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/page/sections.h"
#include "host/report/format.h"

/* ---- Devices --------------------------------------------------------------------------------- */

/* Returns the day of the newest run. Starts are in ISO 8601, so their texts can be compared. */
static const char *newest(const struct text_list *starts)
{
	const char *start = "";

	for (size_t i = 0; i < starts->count; i++)
		if (strcmp(starts->items[i], start) > 0)
			start = starts->items[i];
	return start;
}

static double launch_of(const struct page_side *side)
{
	if (side->view && side->view->timer.record.present)
		return side->view->timer.empty_launch_ns;
	return side->record ? side->record->timer.empty_launch_ns : NAN;
}

/* Writes "NVIDIA CUDA, 580.159.04, OpenCL 3.0 CUDA 13.0". Cuts build options, which follow two
 * blanks. */
static void put_driver(struct table *table, const struct page_side *side)
{
	const char *driver = side->view ? text_or_empty(side->view->driver) : "";
	const char *platform = side->view ? text_or_empty(side->view->platform) : "";
	const char *blanks = strstr(driver, "  ");

	table_format(table, "%s%s%.*s", platform, *platform ? ", " : "",
		(int)(blanks ? (size_t)(blanks - driver) : strlen(driver)), driver);
}

/* Counts a variant in several files once, as in the charts. */
static size_t count_timed(const struct page *page, size_t side)
{
	size_t count = 0;

	for (size_t i = 0; i < page->row_count; i++)
		count += page->rows[i].side == side && page->rows[i].timed;
	return count;
}

static void put_side(struct table *table, const struct page *page, size_t index)
{
	const struct page_side *side = &page->sides[index];
	const struct side_record *record = &page->comparison.sides.items[index];
	const struct roofs_record *roofs = side->roofs;
	char flags[PAGE_FLAGS_BYTES];

	page_format_flags(roofs ? roofs->flags : 0, flags);
	table_row(table, STYLE_PLAIN);
	table_text(table, side->name);
	table_format(table, "%s, %s", side->record ? text_or_empty(side->record->type) : "unknown",
		side->record ? text_or_empty(side->record->vendor) : "unknown");
	put_driver(table, side);
	table_format(table, "%.10s", newest(&record->started_utc));
	table_format(table, "%zu", count_timed(page, index));
	page_table_number(table, roofs ? roofs->copy_gbps : NAN, "GB/s");
	page_table_number(table, roofs ? roofs->read_gbps : NAN, "GB/s");
	page_table_number(table, roofs ? roofs->l2_gbps : NAN, "GB/s");
	page_table_number(table, roofs ? roofs->fma_gflops.f32 : NAN, "GFLOP/s");
	table_number(table, format_ns, launch_of(side));
	table_text(table, flags);
}

static void put_devices(struct page *page)
{
	static const struct table_column columns[] = {{.title = "device"},
		{.title = "type and vendor"}, {.title = "driver"},
		{.title = "date", .align = TABLE_RIGHT},
		{.title = "timed variants", .align = TABLE_RIGHT},
		{.title = "copy", .align = TABLE_RIGHT}, {.title = "read", .align = TABLE_RIGHT},
		{.title = "L2 cache", .align = TABLE_RIGHT},
		{.title = "FMA f32", .align = TABLE_RIGHT},
		{.title = "empty launch", .align = TABLE_RIGHT}, {.title = "flags"}};
	struct table table;

	table_init(&table, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < page->side_count; i++)
		put_side(&table, page, i);
	page_put_table(page, &table, "Devices, and their measured limits");
	html_markup(page->out,
		"<p class=\"note\">Copy, read and L2 cache are the largest measured bandwidths. FMA f32 "
		"is the largest measured rate of multiply-adds. An empty launch is the time of a "
		"kernel without work. An empty cell is an unknown figure. Flags are warnings "
		"about the samples of some of these figures.</p>\n");
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void put_file(struct table *table, const char *path, const char *run,
	const struct tool_record *tool, const char *started, size_t rows, size_t hidden)
{
	const char *slash = strrchr(path, '/');

	table_row(table, STYLE_PLAIN);
	table_text(table, slash ? slash + 1 : path);
	table_text(table, text_or_empty(run));
	table_format(table, "%.10s", text_or_empty(started));
	table_format(table, "%zu", rows);
	table_format(table, "%zu", hidden);
	table_format(table, "%.40s %.40s", text_or_empty(tool->name), text_or_empty(tool->version));
	table_format(table, "%.40s", text_or_empty(tool->git));
}

/* Prints the number of hidden rows, and the reason. */
static void put_hidden(const struct page *page)
{
	const struct page_input *input = page->input;
	size_t rows = 0;

	for (size_t i = 0; i < input->file_count; i++)
		rows += input->files[i].dropped;
	if (rows == 0)
		return;
	html_markup(page->out, "<p class=\"note\">");
	html_format(page->out, "%zu row%s of the files %s hidden", rows, rows == 1 ? "" : "s",
		rows == 1 ? "is" : "are");
	html_markup(page->out,
		": the ladder of the same device, backend and problem is from another file. All rows of "
		"a ladder are from one file. Candidates are the files with at least half as many times "
		"as the file with the most times. Order of preference: a file of <code>run</code> "
		"before a file of <code>parity</code>, then the newest file, then the first file. "
		"The column \"hidden rows\" has the number for each file. To see what changed between "
		"two runs, use <code>pmpp-run compare A.json B.json</code>.</p>\n");
}

static void put_files(struct page *page)
{
	static const struct table_column columns[] = {{.title = "file"}, {.title = "run"},
		{.title = "date", .align = TABLE_RIGHT}, {.title = "rows", .align = TABLE_RIGHT},
		{.title = "hidden rows", .align = TABLE_RIGHT}, {.title = "program"},
		{.title = "revision"}};
	const struct page_input *input = page->input;
	struct table table;

	table_init(&table, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < input->file_count; i++) {
		const struct result_document *document = &input->files[i].document;
		put_file(&table, input->files[i].path,
			input->files[i].name ? input->files[i].name : document->run.label,
			&document->tool, document->run.started_utc, document->results.count,
			input->files[i].dropped);
	}
	for (size_t i = 0; i < input->explanation_count; i++) {
		const struct explain_document *document = &input->explanations[i];
		put_file(&table, "explanation", NULL, &document->tool, NULL,
			document->explanations.count, 0);
	}
	page_table_begin(page, "Files of this page");
	page_put_table(page, &table, "Files, and the program that wrote them");
	page_table_end(page);
}

void section_devices(struct page *page)
{
	if (page->side_count)
		put_devices(page);
	put_hidden(page);
	put_files(page);
}
