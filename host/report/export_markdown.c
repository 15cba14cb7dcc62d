#include "host/report/export.h"

#include "common/family.h"
#include "common/model/parity.h"
#include "host/report/flag_marks.h"
#include "host/report/format.h"
#include "host/report/markdown.h"
#include "host/report/verify_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef char cell_text[200];

/* The text in progress. */
struct page {
	FILE *out;
	const struct result_document *document;
	unsigned flags; /* of the printed times */
};

/* ---- Groups -------------------------------------------------------------------------------- */

/* Whether two rows belong in one ladder. */
static bool same_group(const struct result_row *a, const struct result_row *b)
{
	return text_equal(a->family, b->family) && text_equal(a->backend, b->backend) &&
	       text_equal(a->device, b->device) && text_equal(a->dtype, b->dtype) &&
	       text_equal(a->op, b->op) && text_equal(a->data, b->data) &&
	       named_list_equal(&a->problem, &b->problem);
}

/* The rows of a group, from `first` to before `end`. */
struct group {
	const struct result_row *rows;
	size_t first, end;
};

static struct group group_at(const struct result_list *results, size_t first)
{
	struct group group = {results->items, first, first + 1};

	while (group.end < results->count &&
		same_group(&results->items[first], &results->items[group.end]))
		group.end++;
	return group;
}

/* "tiled16", with the values of its macros if the group has several rows of the variant. */
static void format_label(const struct group *group, const struct result_row *row, cell_text text)
{
	size_t used = (size_t)snprintf(text, sizeof(cell_text), "%s", text_or_empty(row->variant));
	size_t same = 0;

	for (size_t i = group->first; i < group->end; i++)
		same += text_equal(group->rows[i].variant, row->variant);
	for (size_t i = 0; same > 1 && i < row->macros.count && used < sizeof(cell_text); i++)
		used += (size_t)snprintf(text + used, sizeof(cell_text) - used, " %s=%" PRId64,
			row->macros.items[i].name, row->macros.items[i].value);
}

/* ---- Headings ------------------------------------------------------------------------------ */

static const struct view_record *view_of(const struct page *page, const char *key,
	const char *backend, const struct device_record **ret_device)
{
	const struct device_list *devices = &page->document->devices;

	*ret_device = NULL;
	for (size_t i = 0; i < devices->count; i++) {
		const struct device_record *device = &devices->items[i];
		if (!text_equal(device->key, key))
			continue;
		*ret_device = device;
		for (size_t v = 0; v < device->views.count; v++)
			if (text_equal(device->views.items[v].backend, backend))
				return &device->views.items[v];
	}
	return NULL;
}

/* "NVIDIA H200, cuda (580.159.04)" */
static void put_device(const struct page *page, const char *key, const char *backend)
{
	char driver[128];
	const struct device_record *device;
	const struct view_record *view = view_of(page, key, backend, &device);

	format_driver(view ? view->platform : NULL, view ? text_or_empty(view->driver) : "", driver,
		sizeof driver);
	markdown_text(page->out, text_or_empty(device ? device->name : key));
	markdown_text(page->out, ", ");
	markdown_text(page->out, text_or_empty(backend));
	if (*driver) {
		markdown_text(page->out, " (");
		markdown_text(page->out, driver);
		markdown_text(page->out, ")");
	}
}

/* "**matmul** C = A B, f32, m=n=k=512. " */
static void put_problem(const struct page *page, const struct result_row *row)
{
	const struct family *family = family_find(text_or_empty(row->family));
	const bool plain = text_equal(row->data, "random");
	const char *const choices[] = {row->dtype, row->op, plain ? NULL : row->data};
	char sizes[160];

	format_sizes(&row->problem, sizes, sizeof sizes);
	fputs("**", page->out);
	markdown_text(page->out, text_or_empty(row->family));
	fprintf(page->out, "** %s", family ? family->title : "");
	for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
		if (choices[i] && *choices[i]) {
			fputs(", ", page->out);
			markdown_text(page->out, choices[i]);
		}
	fputs(", ", page->out);
	markdown_text(page->out, sizes);
	fputs(". ", page->out);
}

static void begin_table(const struct page *page, bool first)
{
	if (!first)
		fputc('\n', page->out);
}

/* ---- Ladders ------------------------------------------------------------------------------- */

enum {
	COL_VARIANT,
	COL_TECHNIQUE,
	COL_CHECK,
	COL_ULPS,
	COL_MEDIAN,
	COL_HALF_WIDTH,
	COL_RATE,
	COL_METRIC,
	COL_ROOF,
	COL_LIMIT,
	COL_PEER,
	COL_STEP,
	COL_TOTAL,
	COL_CLAIM,
	COLUMN_COUNT
};

static const struct markdown_column ladder_columns[COLUMN_COUNT] = {
	[COL_VARIANT] = {"variant", false},
	[COL_TECHNIQUE] = {"technique", false},
	[COL_CHECK] = {"check (error / bound)", false},
	[COL_ULPS] = {"error (ulp)", true},
	[COL_MEDIAN] = {"median (µs)", true},
	[COL_HALF_WIDTH] = {"± (%)", true},
	[COL_RATE] = {"GFLOP/s", true},
	[COL_METRIC] = {"", true},
	[COL_ROOF] = {"roof (%)", true},
	[COL_LIMIT] = {"limited by", false},
	[COL_PEER] = {"peer (x)", false},
	[COL_STEP] = {"step (x)", true},
	[COL_TOTAL] = {"total (x)", true},
	[COL_CLAIM] = {"claim", false},
};

/* "12.3 !~" */
static void format_us(double ns, unsigned flags, cell_text text)
{
	char marks[FLAG_MARKS_BYTES];
	char number[32];

	flag_marks_format(flags, marks);
	format_number(ns / 1000, number, sizeof number);
	snprintf(text, sizeof(cell_text), "%s%s%s", number, *marks ? " " : "", marks);
}

/* "1.08 [1.07, 1.09] x cublas-f32" */
static void format_peer(const struct result_row *row, cell_text text)
{
	const struct peer_record *peer = peer_list_fastest(&row->peers);
	char interval[48] = "";

	if (!peer)
		return;
	if (isfinite(peer->ci95[0]) && isfinite(peer->ci95[1]))
		snprintf(interval, sizeof interval, " [%.3f, %.3f]", peer->ci95[0], peer->ci95[1]);
	snprintf(text, sizeof(cell_text), "%.3f%s x %s", peer->ratio, interval,
		text_or_empty(peer->variant));
}

static void fill_ladder(const struct result_row *row, bool bandwidth, cell_text cells[COLUMN_COUNT])
{
	const struct derived_record *derived = &row->derived;
	const char *claim = claim_verdict_name(claim_record_verdict(&row->claim));
	size_t size = sizeof *cells;

	snprintf(cells[COL_CHECK], size, "ok %.2f", row->verify.max_ratio);
	format_number(row->verify.max_ulps, cells[COL_ULPS], size);
	format_us(result_row_median_ns(row), flag_marks_of_row(row), cells[COL_MEDIAN]);
	format_number(100 * result_row_half_width(row), cells[COL_HALF_WIDTH], size);
	format_number(bandwidth ? derived->gbps : derived->gflops, cells[COL_RATE], size);
	format_number(derived->metric, cells[COL_METRIC], size);
	format_number(derived->pct_roof, cells[COL_ROOF], size);
	format_limit(derived, cells[COL_LIMIT], size);
	format_peer(row, cells[COL_PEER]);
	format_number(derived->step, cells[COL_STEP], size);
	format_number(derived->total, cells[COL_TOTAL], size);
	if (row->claim.record.present)
		snprintf(cells[COL_CLAIM], size, "%s", claim ? claim : "n/a");
}

/* The status and the reason: "skipped: needs inline PTX". */
static void format_reason(const struct result_row *row, cell_text text)
{
	char words[32];

	format_status(row->status, words, sizeof words);
	snprintf(text, sizeof(cell_text), "%s%s%s", words, row->reason ? ": " : "",
		text_or_empty(row->reason));
}

/* Which columns a group has: the metric and the peer may be absent. */
struct shown {
	bool column[COLUMN_COUNT];
};

static struct shown shown_of(const struct group *group, const struct family *family)
{
	struct shown shown;

	for (size_t i = 0; i < COLUMN_COUNT; i++)
		shown.column[i] = true;
	shown.column[COL_ULPS] = family && family->shows_ulps;
	shown.column[COL_METRIC] = family && family->metric.name;
	shown.column[COL_PEER] = false;
	for (size_t i = group->first; i < group->end; i++)
		shown.column[COL_PEER] |= group->rows[i].peers.count > 0;
	return shown;
}

static void put_ladder_row(struct page *page, const struct group *group, size_t index,
	const struct family *family, const struct shown *shown)
{
	const struct result_row *row = &group->rows[index];
	cell_text cells[COLUMN_COUNT] = {{0}};
	const char *texts[COLUMN_COUNT];
	size_t count = 0;

	format_label(group, row, cells[COL_VARIANT]);
	snprintf(cells[COL_TECHNIQUE], sizeof *cells, "%s", text_or_empty(row->technique));
	if (row->status == OUTCOME_OK) {
		fill_ladder(row, family && family_is_about_memory(family), cells);
		page->flags |= flag_marks_of_row(row);
	} else {
		format_reason(row, cells[COL_CHECK]);
	}
	for (size_t i = 0; i < COLUMN_COUNT; i++)
		if (shown->column[i])
			texts[count++] = cells[i];
	markdown_row(page->out, texts, count);
}

static void put_ladder(struct page *page, const struct group *group)
{
	const struct result_row *row = &group->rows[group->first];
	const struct family *family = family_find(text_or_empty(row->family));
	const char *metric = family ? text_or_empty(family->metric.name) : "";
	const struct shown shown = shown_of(group, family);
	struct markdown_column columns[COLUMN_COUNT];
	size_t count = 0;

	put_problem(page, row);
	put_device(page, row->device, row->backend);
	fputs(":\n\n", page->out);
	for (size_t i = 0; i < COLUMN_COUNT; i++) {
		if (!shown.column[i])
			continue;
		columns[count] = ladder_columns[i];
		if (i == COL_RATE && family && family_is_about_memory(family))
			columns[count].title = "GB/s";
		if (i == COL_METRIC)
			columns[count].title = metric;
		count++;
	}
	for (size_t i = group->first; i < group->end; i++)
		if (flag_marks_put_load(page->out, &group->rows[i])) {
			fputc('\n', page->out);
			break;
		}
	markdown_titles(page->out, columns, count);
	for (size_t i = group->first; i < group->end; i++)
		put_ladder_row(page, group, i, family, &shown);
}

static void put_ladders(struct page *page)
{
	const struct result_list *results = &page->document->results;

	for (size_t i = 0; i < results->count;) {
		struct group group = group_at(results, i);
		begin_table(page, i == 0);
		put_ladder(page, &group);
		i = group.end;
	}
}

/* ---- Parity -------------------------------------------------------------------------------- */

static const char *backend_of(const struct parity_row *parity, size_t side)
{
	return side < parity->backends.count ? parity->backends.items[side] : "";
}

/* The result row of a side; NULL if the file does not have it. */
static const struct result_row *side_of(
	const struct page *page, const struct parity_row *parity, size_t side)
{
	const struct result_list *results = &page->document->results;

	for (size_t i = 0; i < results->count; i++) {
		const struct result_row *row = &results->items[i];
		if (text_equal(row->family, parity->family) &&
			text_equal(row->variant, parity->variant) &&
			text_equal(row->backend, backend_of(parity, side)) &&
			named_list_equal(&row->problem, &parity->problem) &&
			named_list_equal(&row->macros, &parity->macros))
			return row;
	}
	return NULL;
}

/* "123 ~", or the status of a side that did not pass. */
static void format_side(struct page *page, const struct result_row *row, cell_text text)
{
	if (!row || row->status != OUTCOME_OK) {
		format_status(row ? row->status : -1, text, sizeof(cell_text));
		return;
	}
	format_us(result_row_median_ns(row), flag_marks_of_row(row), text);
	page->flags |= flag_marks_of_row(row);
}

static void put_parity_row(struct page *page, const struct parity_row *parity)
{
	const struct group one = {side_of(page, parity, 0), 0, 1};
	cell_text cells[8] = {{0}};
	const char *texts[8];
	size_t size = sizeof *cells;

	for (size_t i = 0; i < 8; i++)
		texts[i] = cells[i];
	snprintf(cells[0], size, "%s", text_or_empty(parity->variant));
	if (one.rows)
		format_label(&one, one.rows, cells[0]);
	for (size_t side = 0; side < 2; side++)
		format_side(page, side_of(page, parity, side), cells[1 + side]);
	if (isfinite(parity->round_ratio)) {
		format_ratio(parity->round_ratio, cells[3], size);
		if (isfinite(parity->ci95[0]) && isfinite(parity->ci95[1]))
			snprintf(cells[4], size, "%.3f to %.3f", parity->ci95[0], parity->ci95[1]);
		format_number(100 * parity->tolerance, cells[5], size);
		snprintf(cells[6], size, "%s",
			parity_verdict_name((enum parity_verdict)parity->verdict));
	}
	if (parity->bit_identical != TRUTH_UNKNOWN)
		snprintf(cells[7], size, "%s",
			parity->bit_identical == TRUTH_YES ? "identical" : "differ");
	markdown_row(page->out, texts, 8);
}

static void put_parity_heading(const struct page *page, const struct parity_row *parity)
{
	const char *const sides[] = {backend_of(parity, 0), backend_of(parity, 1)};
	char titles[2][64];
	const struct markdown_column columns[] = {{"variant", false}, {titles[0], true},
		{titles[1], true}, {"ratio", true}, {"95 % interval", false},
		{"tolerance (%)", true}, {"verdict", false}, {"bits", false}};

	for (size_t side = 0; side < 2; side++) {
		const struct result_row *row = side_of(page, parity, side);
		snprintf(titles[side], sizeof titles[side], "%.40s (µs)", sides[side]);
		if (row && side == 0)
			put_problem(page, row);
		if (side == 1)
			fputs(" against ", page->out);
		put_device(page, row ? row->device : parity->device, sides[side]);
	}
	fputs(":\n\n", page->out);
	markdown_titles(page->out, columns, sizeof columns / sizeof *columns);
}

static void put_parity(struct page *page)
{
	const struct parity_list *list = &page->document->parity;

	for (size_t i = 0; i < list->count; i++) {
		const struct parity_row *parity = &list->items[i];
		const struct parity_row *before = i ? &list->items[i - 1] : NULL;
		if (!before || !text_equal(before->family, parity->family) ||
			!text_equal(before->device, parity->device) ||
			!named_list_equal(&before->problem, &parity->problem)) {
			begin_table(page, i == 0);
			put_parity_heading(page, parity);
		}
		put_parity_row(page, parity);
	}
}

/* ---- Verification -------------------------------------------------------------------------- */

static bool same_line(const struct result_row *a, const struct result_row *b)
{
	return text_equal(a->family, b->family) && text_equal(a->variant, b->variant) &&
	       text_equal(a->backend, b->backend) && text_equal(a->device, b->device) &&
	       named_list_equal(&a->macros, &b->macros);
}

/* Prints one line for the rows from `first` to before `end`, which differ in their problems only.
 */
static void put_verified(struct page *page, size_t first, size_t end)
{
	const struct result_row *rows = page->document->results.items;
	const struct result_row *row = &rows[first];
	char name[160], sizes[VERIFY_CELL_BYTES], error[VERIFY_CELL_BYTES];
	struct verify_line line = {0};
	char *checked = NULL;
	size_t checked_bytes;
	const struct device_record *device;
	view_of(page, row->device, row->backend, &device);
	char *title = device ? device_record_title(device) : NULL;
	for (size_t i = first; i < end; i++)
		verify_line_add(&line, &rows[i]);
	verify_line_format(&line, sizes, error);
	FILE *out = open_memstream(&checked, &checked_bytes);
	if (out) {
		verify_line_put_checked(&line, out, &(struct page_style){0});
		fclose(out);
	}
	snprintf(name, sizeof name, "%s/%s", text_or_empty(row->family),
		text_or_empty(row->variant));
	const char *const texts[] = {title ? title : text_or_empty(row->device), row->backend, name,
		sizes, error, checked};
	markdown_row(page->out, texts, sizeof texts / sizeof *texts);
	free(checked);
	free(title);
	verify_line_finish(&line);
}

static void put_verification(struct page *page)
{
	static const struct markdown_column columns[] = {{"device", false}, {"backend", false},
		{"variant", false}, {"sizes ok", true}, {"largest error / bound", true},
		{"checked", false}};
	const struct result_list *results = &page->document->results;

	markdown_titles(page->out, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0, end; i < results->count; i = end) {
		for (end = i + 1; end < results->count; end++)
			if (!same_line(&results->items[i], &results->items[end]))
				break;
		put_verified(page, i, end);
	}
}

/* Lists the rows that have the mark of a fallback. */
static void put_fallbacks(const struct page *page)
{
	const struct result_list *results = &page->document->results;

	fputs(page->flags & FLAG_MARK_FALLBACK ? "\n" : "", page->out);
	for (size_t i = 0; i < results->count; i++) {
		const struct result_row *row = &results->items[i];
		if (!(flag_marks_of_row(row) & FLAG_MARK_FALLBACK))
			continue;
		fputs("- ", page->out);
		markdown_text(page->out, text_or_empty(row->family));
		fputc('/', page->out);
		markdown_text(page->out, text_or_empty(row->variant));
		fputs(": ", page->out);
		markdown_text(page->out, row->fallback);
		fputc('\n', page->out);
	}
}

/* ---- Public -------------------------------------------------------------------------------- */

static bool is_timed(const struct result_document *document)
{
	for (size_t i = 0; i < document->results.count; i++)
		if (document->results.items[i].timing.record.present)
			return true;
	return false;
}

char *export_markdown(const struct result_document *document)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct page page = {.out = out, .document = document};

	if (!out)
		return NULL;
	if (document->parity.count)
		put_parity(&page);
	else if (is_timed(document))
		put_ladders(&page);
	else
		put_verification(&page);
	markdown_legend(out, page.flags);
	put_fallbacks(&page);
	fclose(out);
	return text;
}
