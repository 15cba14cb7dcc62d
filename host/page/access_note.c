#include "host/page/access_note.h"

#include <math.h>
#include <string.h>

#include "common/model/access.h"
#include "host/page/data.h"
#include "host/record/explanation.h"
#include "host/report/explain_lines.h"
#include "host/report/format.h"

#define SAME 0.05 /* figures that differ by less are printed as equal */

static void begin(struct page *page, bool open, unsigned times)
{
	html_markup(page->out, open ? "<details class=\"access finding\" open><summary>"
				    : "<details class=\"access\"><summary>");
	if (times > 1)
		html_format(page->out, "%u times: ", times);
}

static void put_drawing(struct page *page, size_t drawing)
{
	page_chart(page, "lanes", "drawing", drawing, NULL, 0);
}

/* Writes why there is no drawing. */
static void put_reason(struct page *page, bool present)
{
	html_text(page->out, present ? "No drawing: the file has no usable example."
				     : "No drawing: the file has no example. Run explain again.");
}

static void put_short(FILE *out, double value)
{
	char text[32];

	format_short(value, text, sizeof text);
	html_text(out, text);
}

static const char *ending(uint64_t count, const char *plural)
{
	return count == 1 ? "" : plural;
}

/* Writes the figures of the drawn request, and returns its sectors or passes. */
static double put_request(FILE *out, const struct warp_access *request, bool shared)
{
	const struct access_model *model = request->model;
	unsigned lanes = (unsigned)__builtin_popcountll(request->lanes);

	html_format(out, "%u active lane%s, %u byte%s each: ", lanes, ending(lanes, "s"),
		request->width_bytes, ending(request->width_bytes, "s"));
	if (shared) {
		struct shared_cost cost = access_shared(request);
		html_format(out, "%u pass%s", cost.wavefronts, ending(cost.wavefronts, "es"));
		if (cost.ways > 1)
			html_format(out,
				" instead of %u, because one bank has %u words and serves "
				"one per pass",
				cost.phases, cost.ways);
		if (access_phase_lanes(model, request->width_bytes) < (int)model->lanes)
			html_format(out, "; %d lanes are served at a time",
				access_phase_lanes(model, request->width_bytes));
		html_text(out, ". ");
		return cost.wavefronts;
	}
	struct global_cost cost = access_global(request);
	unsigned moved = cost.sectors * model->sector_bytes;
	html_format(out,
		"%u sector%s of %u bytes in %u line%s; %u bytes are transferred, %.1f %% of "
		"them requested. ",
		cost.sectors, ending(cost.sectors, "s"), model->sector_bytes, cost.lines,
		ending(cost.lines, "s"), moved, 100.0 * cost.bytes_unique / moved);
	return cost.sectors;
}

/* Compares the drawn request with all requests of the access. */
static void put_others(
	FILE *out, const struct access_record *access, const struct warp_access *drawn, double cost)
{
	const struct request_record *request = &access->request;
	bool shared = access->space == TRACE_SHARED;
	double mean = shared ? access->wavefronts_per_request : access->sectors_per_request;
	int64_t ways = shared ? (int64_t)access_shared(drawn).ways : 0;

	html_format(out, "Drawn: warp %lld of block %lld; %lld of %lld requests have its pattern (",
		(long long)request->warp, (long long)request->block, (long long)request->requests,
		(long long)access->requests);
	html_name(out, request->pattern);
	html_text(out, ")");
	if (fabs(mean - cost) >= SAME) {
		html_text(out, "; the mean of all requests is ");
		put_short(out, mean);
		html_text(out, shared ? " passes" : " sectors");
	}
	html_text(out, ".");
	if (shared && access->ways > ways)
		html_format(out, " The worst request, a conflict of %lld ways, is not drawn.",
			(long long)access->ways);
}

void access_note(struct page *page, const struct access_record *access,
	const struct access_model *model, unsigned times)
{
	bool shared = access->space == TRACE_SHARED;
	struct warp_access request;
	char text[160];

	begin(page, explain_lines_access(access, text, sizeof text), times);
	html_markup(page->out,
		shared ? "<strong>shared memory</strong>, " : "<strong>global memory</strong>, ");
	html_name(page->out, text);
	html_markup(page->out, "</summary>\n<p>");
	if (model && !model->banks && shared) {
		html_text(page->out, "No drawing: the banks of the model are unknown.");
		html_markup(page->out, "</p>");
	} else if (model && request_record_read(access, model, &request)) {
		put_others(page->out, access, &request, put_request(page->out, &request, shared));
		html_markup(page->out, "</p>\n");
		put_drawing(page, data_add_request(page, &request, shared));
	} else {
		put_reason(page, access->request.record.present);
		html_markup(page->out, "</p>");
	}
	html_markup(page->out, "</details>\n");
}

bool access_note_equal(const struct access_record *a, const struct access_record *b)
{
	const struct integer_list *first = &a->request.offsets;
	const struct integer_list *second = &b->request.offsets;

	return a->line == b->line && a->space == b->space && a->kind == b->kind &&
	       a->width_bytes == b->width_bytes && text_equal(a->operand, b->operand) &&
	       text_equal(a->pattern, b->pattern) && a->requests == b->requests &&
	       a->request.requests == b->request.requests && first->count == second->count &&
	       (!first->count || memcmp(first->items, second->items,
					 first->count * sizeof *first->items) == 0);
}

void access_note_branch(
	struct page *page, const struct branch_sum *sum, const struct access_model *model)
{
	const struct split_record *split = &sum->shown->split;
	uint64_t lanes, first;

	begin(page, true, 1);
	html_markup(page->out, "<strong>");
	html_format(page->out, sum->count == 1 ? "branch:" : "%u branches:", sum->count);
	html_markup(page->out, "</strong>");
	html_format(page->out, " lanes of one warp diverge in %.0f of %.0f executions",
		sum->divergent, sum->executions);
	html_markup(page->out, "</summary>\n<p>");
	if (model && split_record_read(split, model, &lanes, &first)) {
		html_format(page->out,
			"Drawn: warp %lld of block %lld. %d of %d active lanes run first, and the "
			"others wait for them.",
			(long long)split->warp, (long long)split->block,
			__builtin_popcountll(first), __builtin_popcountll(lanes));
		if (split->lanes > 0)
			html_format(page->out,
				" Over all divergent executions, %.1f %% of the active lanes run first.",
				100.0 * (double)split->first_lanes / (double)split->lanes);
		html_markup(page->out, "</p>\n");
		put_drawing(page, data_add_split(page, model, lanes, first));
	} else {
		put_reason(page, split->record.present);
		html_markup(page->out, "</p>");
	}
	html_markup(page->out, "</details>\n");
}
