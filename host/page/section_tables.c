/* Sections that are tables: claims, rows without a time, devices and files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/page/section.h"

/* ---- Claims ---------------------------------------------------------------------------------- */

static bool is_open_claim(const struct page_row *row)
{
	return row->main && page_claim(row) > CLAIM_HOLDS;
}

/* Writes "NVIDIA H200, CUDA: 71 hold, 3 do not hold, 2 undecided" for each side with a verdict, and a
 * table of the claims that do not hold or are undecided. */
void section_claims(struct page *page)
{
	struct table table;

	for (size_t side = 0; side < page->side_count; side++) {
		size_t counts[CLAIM_UNDECIDED + 1] = {0};
		for (size_t i = 0; i < page->row_count; i++) {
			enum claim_verdict verdict = page_claim(&page->rows[i]);
			if (page->rows[i].side == side && page->rows[i].main &&
				verdict != CLAIM_NOT_APPLICABLE)
				counts[verdict]++;
		}
		if (counts[CLAIM_HOLDS] + counts[CLAIM_FAILS] + counts[CLAIM_UNDECIDED])
			html_format(page->out,
				"<p>%s: %zu hold, %zu do not hold, %zu undecided.</p>\n",
				page->sides[side].name, counts[CLAIM_HOLDS], counts[CLAIM_FAILS],
				counts[CLAIM_UNDECIDED]);
	}
	page_rows_table(page, &table, 0, page->row_count, is_open_claim, false);
	page_put_table(page, &table, "Claims that do not hold or are undecided", false);
}

/* ---- Rows without a time --------------------------------------------------------------------- */

static bool is_untimed(const struct page_row *row)
{
	return !row->timed;
}

void section_skipped(struct page *page)
{
	struct table table;

	page_rows_table(page, &table, 0, page->row_count, is_untimed, false);
	if (table.row_count)
		html_format(page->out, "<p>%zu of %zu rows have no time.</p>\n", table.row_count,
			page->row_count);
	page_put_table(page, &table, "variants without a time, and the reasons", true);
}

/* ---- Devices --------------------------------------------------------------------------------- */

static double launch_of(const struct page_side *side)
{
	if (side->view && side->view->timer.record.present)
		return side->view->timer.empty_launch_ns;
	return side->record ? side->record->timer.empty_launch_ns : NAN;
}

static void put_side(struct table *table, const struct page *page, size_t index)
{
	const struct page_side *side = &page->sides[index];
	const struct roofs_record *roofs = side->roofs;
	size_t timed = 0;
	char driver[128] = "";

	if (side->view)
		format_driver(side->view->platform, side->view->driver, driver, sizeof driver);
	for (size_t p = 0; p < page->problem_count; p++)
		timed += page->problems[p].timed[index];
	table_row(table, STYLE_PLAIN);
	table_text(table, side->name);
	table_field(table, &device_type, side->record, "type");
	table_field(table, &device_type, side->record, "vendor");
	table_text(table, driver);
	table_format(table, "%zu", timed);
	page_table_number(table, roofs ? roofs->copy_gbps : NAN, "GB/s");
	page_table_number(table, roofs ? roofs->read_gbps : NAN, "GB/s");
	page_table_number(table, roofs ? roofs->l2_gbps : NAN, "GB/s");
	page_table_number(table, roofs ? roofs->fma_gflops.f32 : NAN, "GFLOP/s");
	table_number(table, format_ns, launch_of(side));
	table_field(table, &roofs_type, roofs, "flags");
}

static void put_devices(struct page *page)
{
	static const struct table_column columns[] = {{.title = "device"}, {.title = "type"},
		{.title = "vendor"}, {.title = "driver"},
		{.title = "timed variants", .align = TABLE_RIGHT},
		{.title = "copy", .align = TABLE_RIGHT}, {.title = "read", .align = TABLE_RIGHT},
		{.title = "L2 cache", .align = TABLE_RIGHT},
		{.title = "FMA f32", .align = TABLE_RIGHT},
		{.title = "empty launch", .align = TABLE_RIGHT}, {.title = "flags"}};
	struct table table;

	table_init(&table, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; i < page->side_count; i++)
		put_side(&table, page, i);
	page_put_table(page, &table, "Devices, and their measured limits", false);
	html_format(page->out,
		"<p class=\"note\">Copy, read and L2 cache are the largest measured bandwidths. FMA "
		"f32 is the largest measured rate of multiply-adds. An empty launch is the time of a kernel without work. "
		"An empty cell is an unknown figure. Flags are warnings about the samples of some of "
		"these figures.</p>\n");
	for (size_t i = 0; i < page->side_count; i++)
		if (page->comparison.sides.items[i].load)
			html_format(page->out, "<p class=\"note\">%s: %s.</p>\n",
				page->sides[i].name, page->comparison.sides.items[i].load);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void put_file(struct table *table, const char *path, const char *run,
	const struct tool_record *tool, const char *started, size_t rows, size_t hidden)
{
	const char *slash = strrchr(path, '/');

	table_row(table, STYLE_PLAIN);
	table_text(table, slash ? slash + 1 : path);
	table_text(table, run);
	table_format(table, "%.10s", text_or_empty(started));
	table_format(table, "%zu", rows);
	table_format(table, "%zu", hidden);
	table_field(table, &tool_type, tool, "version");
	table_field(table, &tool_type, tool, "git");
}

void section_devices(struct page *page)
{
	static const struct table_column columns[] = {{.title = "file"}, {.title = "run"},
		{.title = "date", .align = TABLE_RIGHT}, {.title = "rows", .align = TABLE_RIGHT},
		{.title = "hidden rows", .align = TABLE_RIGHT}, {.title = "version"},
		{.title = "revision"}};
	const struct result_files *input = page->input;
	struct table table;
	size_t hidden = 0;

	if (page->side_count)
		put_devices(page);
	table_init(&table, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; i < input->count; i++) {
		const struct compared_file *file = &input->items[i];
		put_file(&table, file->path, file->name ? file->name : file->document.run.label,
			&file->document.tool, file->document.run.started_utc,
			file->document.results.count, file->dropped);
		hidden += file->dropped;
	}
	for (size_t i = 0; i < input->explanation_count; i++)
		put_file(&table, "explanation", NULL, &input->explanations[i].tool, NULL,
			input->explanations[i].explanations.count, 0);
	if (hidden)
		html_format(page->out,
			"<p class=\"note\">Rows of the files that are hidden: %zu. A better file has the "
			"same row. Order of preference: (1) a file with at least half as many times as the fullest file of "
			"the ladder, (2) a file of `run` before a file of `parity`, (3) the newest file, "
			"(4) the first file. "
			"`pmpp-run compare A.json B.json` shows what changed between two runs.</p>\n",
			hidden);
	page_put_table(page, &table, "files, and the program that wrote them", true);
}
