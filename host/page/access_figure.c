#include "host/page/access_figure.h"

#include "host/page/html.h"
#include "host/page/lane_drawing.h"
#include "host/record/trace_example.h"

#include <math.h>
#include <string.h>

#define SAME 0.05 /* figures that differ by less are printed as equal */

/* ---- Pieces ---------------------------------------------------------------------------------- */

static const char *plural(uint64_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

/* Writes one decimal unless it is zero. */
static void put_short(FILE *out, double value)
{
	html_format(out, fabs(value - round(value)) < SAME ? "%.0f" : "%.1f", value);
}

static void begin_details(FILE *out, bool open, unsigned times)
{
	html_markup(out, open ? "<details class=\"access finding\" open><summary>"
			      : "<details class=\"access\"><summary>");
	if (times > 1)
		html_format(out, "%u times: ", times);
}

static void begin_figure(FILE *out)
{
	html_markup(out, "</summary>\n<figure>\n");
}

static void end_figure(FILE *out)
{
	html_markup(out, "</p></figcaption>\n</figure></details>\n");
}

static void begin_caption(FILE *out)
{
	html_markup(out, "<figcaption><p>");
}

static void put_place(FILE *out, int64_t block, int64_t warp)
{
	html_format(out, "The drawing shows warp %lld of block %lld. ", (long long)warp,
		(long long)block);
}

/* ---- Accesses -------------------------------------------------------------------------------- */

static bool is_finding(const struct access_record *access)
{
	return access->coalescing == ACCESS_UNCOALESCED || access->ways > 1 ||
	       access->multiplicity > 1;
}

static void put_summary(FILE *out, const struct access_record *access)
{
	html_markup(out, "<strong>");
	if (access->space == TRACE_SHARED) {
		html_format(out, "shared memory, %s:", word_text(trace_kind_words, access->kind));
		html_markup(out, "</strong> ");
		if (access->ways > 1)
			html_format(
				out, "bank conflict of up to %lld ways", (long long)access->ways);
		else if (access->ways < 0)
			html_text(out, "bank conflicts unknown");
		else
			html_text(out, "no bank conflict");
	} else {
		html_format(out, "global memory, %s ", word_text(trace_kind_words, access->kind));
		html_name(out, access->operand);
		html_markup(out, ":</strong> ");
		put_short(out, access->sectors_per_request);
		html_format(out, " sector%s per request; %s",
			fabs(access->sectors_per_request - 1) < SAME ? "" : "s",
			word_text(access_coalescing_words, access->coalescing));
	}
	html_text(out, "; pattern: ");
	html_name(out, access->pattern);
	if (access->multiplicity > 1) {
		html_text(out, "; ");
		put_short(out, access->multiplicity);
		html_text(out, " lanes on one address");
	}
}

static void put_sector_caption(
	FILE *out, const struct warp_access *request, const struct sector_map *map)
{
	const struct access_model *model = request->model;
	struct global_cost cost = access_global(request);
	uint32_t lanes = (uint32_t)__builtin_popcountll(request->lanes);
	uint32_t moved = map->sectors * model->sector_bytes;

	html_format(out,
		"%u active %s %u different %s. %s %u %s of %u bytes in %zu %s of %u bytes: "
		"%u bytes are transferred, %.1f %% of them requested. ",
		lanes, plural(lanes, "lane requests", "lanes request"), cost.bytes_unique,
		plural(cost.bytes_unique, "byte", "bytes"),
		plural(lanes, "It touches", "They touch"), map->sectors,
		plural(map->sectors, "sector", "sectors"), model->sector_bytes, map->line_count,
		plural(map->line_count, "line", "lines"), model->line_bytes, moved,
		100.0 * cost.bytes_unique / moved);
}

static void put_bank_caption(
	FILE *out, const struct warp_access *request, const struct bank_map *map)
{
	const struct access_model *model = request->model;
	struct shared_cost cost = access_shared(request);
	uint32_t lanes = (uint32_t)__builtin_popcountll(request->lanes);
	uint32_t busy = 0;
	unsigned words = 0;

	for (size_t i = 0; i < map->pass_count; i++)
		for (int bank = 0; bank < MAX_BANKS; bank++) {
			words += map->passes[i].lanes[bank] != 0;
			busy |= (uint32_t)(map->passes[i].lanes[bank] != 0) << bank;
		}
	html_format(out, "%u active %s %u %s of %u bytes from %d %s. ", lanes,
		plural(lanes, "lane requests", "lanes request"), words,
		plural(words, "word", "words"), model->bank_bytes, __builtin_popcount(busy),
		plural((uint64_t)__builtin_popcount(busy), "bank", "banks"));
	if (map->phase_lanes < (int)model->lanes)
		html_format(out, "At %u bytes per lane, %d lanes are served at a time. ",
			request->width_bytes, map->phase_lanes);
	if (cost.ways > 1)
		html_format(out,
			"A bank serves one word per pass. One bank has %u words, so the request takes "
			"%u passes instead of %u. ",
			cost.ways, cost.wavefronts, cost.phases);
	else
		html_format(out, "No bank has two words: the request takes %u %s. ",
			cost.wavefronts, plural(cost.wavefronts, "pass", "passes"));
}

/* Compares the drawn request with all requests of the access. */
static void put_others(FILE *out, const struct access_record *access, double lanes, double cost)
{
	const struct request_record *request = &access->request;
	const bool shared = access->space == TRACE_SHARED;
	double mean = shared ? access->wavefronts_per_request : access->sectors_per_request;

	put_place(out, request->block, request->warp);
	if (request->requests == access->requests) {
		html_format(out, "All %lld requests have its pattern", (long long)access->requests);
	} else {
		html_format(out, "%lld of %lld requests have its pattern (",
			(long long)request->requests, (long long)access->requests);
		html_name(out, request->pattern);
		html_text(out, ")");
	}
	if (fabs(mean - cost) >= SAME || fabs(access->active_lanes - lanes) >= SAME) {
		html_text(out, "; the mean of all requests is ");
		put_short(out, access->active_lanes);
		html_text(out, " active lanes and ");
		put_short(out, mean);
		html_format(out, " %s%s", shared ? "pass" : "sector",
			fabs(mean - 1) < SAME ? ""
			: shared              ? "es"
					      : "s");
	}
	html_text(out, ".");
}

static void put_drawing(FILE *out, const struct access_record *access,
	const struct warp_access *request, unsigned number)
{
	double lanes = __builtin_popcountll(request->lanes);

	if (access->space == TRACE_SHARED) {
		struct bank_map map;
		request_map_banks(request, &map);
		lane_drawing_banks(out, number, request, &map);
		begin_caption(out);
		put_bank_caption(out, request, &map);
		put_others(out, access, lanes, (double)map.pass_count);
		if (access->ways > (int64_t)access_shared(request).ways)
			html_format(out,
				" The worst request, a conflict of %lld ways, is not drawn.",
				(long long)access->ways);
	} else {
		struct sector_map map;
		request_map_sectors(request, &map);
		lane_drawing_sectors(out, number, request, &map);
		begin_caption(out);
		put_sector_caption(out, request, &map);
		put_others(out, access, lanes, map.sectors);
	}
}

static void put_no_drawing(FILE *out, const char *reason)
{
	begin_caption(out);
	html_format(out, "No drawing: %s", reason);
}

static const char *invalid_reason(bool present)
{
	return present ? "the example in the file is not valid."
		       : "the version that wrote this file kept no example. Run explain again.";
}

void access_figure(FILE *out, const struct access_record *access, const struct access_model *model,
	unsigned times, unsigned *drawings)
{
	struct warp_access request;

	begin_details(out, is_finding(access), times);
	put_summary(out, access);
	begin_figure(out);
	if (model && !model->banks && access->space == TRACE_SHARED)
		put_no_drawing(out, "the banks of the model are unknown.");
	else if (model && request_record_read(access, model, &request))
		put_drawing(out, access, &request, ++*drawings);
	else
		put_no_drawing(out, invalid_reason(access->request.record.present));
	end_figure(out);
}

bool access_figure_equal(const struct access_record *a, const struct access_record *b)
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

/* ---- Branches -------------------------------------------------------------------------------- */

void access_figure_branch(FILE *out, const struct branch_sum *sum, const struct access_model *model,
	unsigned *drawings)
{
	const struct split_record *split = &sum->shown->split;
	uint64_t lanes, first;

	begin_details(out, true, 1);
	html_markup(out, "<strong>");
	if (sum->count == 1)
		html_text(out, "branch:");
	else
		html_format(out, "%u branches:", sum->count);
	html_markup(out, "</strong>");
	html_format(out, " lanes of one warp diverge in %.0f of %.0f executions", sum->divergent,
		sum->executions);
	begin_figure(out);
	if (model && split_record_read(split, model, &lanes, &first)) {
		lane_drawing_split(out, ++*drawings, model, lanes, first);
		begin_caption(out);
		html_format(out, "%d of %d active lanes run first, and the others wait for them. ",
			__builtin_popcountll(first), __builtin_popcountll(lanes));
		put_place(out, split->block, split->warp);
		if (split->lanes > 0)
			html_format(out,
				"Over all divergent executions%s, %.1f %% of the active lanes run first.",
				sum->count == 1 ? "" : " of this branch",
				100.0 * (double)split->first_lanes / (double)split->lanes);
	} else {
		put_no_drawing(out, invalid_reason(split->record.present));
	}
	end_figure(out);
}
