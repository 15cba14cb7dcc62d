/*
 * Converts counts by address of the code to counts by line of the source.
 *
 * The number of warp-executions of a line is the count of its most executed access: the compiler
 * keeps accesses in their basic block. A condition without an access has the count of its most
 * executed branch, which is the first branch of `a && b`. Another line has the count of the basic
 * block with most of its code. Other blocks may have a constant or invariant part of the line, which
 * the compiler has moved. The counts of a function that is inlined at several places are added.
 */
#include "host/gpu/emu/watch.h"

#include "common/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* If this share of the requests has one pattern, the report gives this pattern for the access. */
#define MAJORITY 0.75

/* ---- Lines ----------------------------------------------------------------------------------- */

enum evidence {
	NO_EVIDENCE,
	IN_BLOCK,
	HAS_BRANCH,
	HAS_ACCESS
};

/* The count of a line at one place, from one access, or from the branch or the code of one basic
 * block. A place is a line, and the calls where its function is inlined. */
struct line_count {
	struct emu_place place;
	enum evidence evidence;
	size_t number; /* of the access or basic block */
	size_t bytes;  /* of code */
	uint64_t executions, lanes;
};

/* An address whose line is queried, and its counts. */
struct query {
	const char *pc;
	enum evidence evidence;
	size_t number; /* of the access or block */
	uint64_t executions, lanes;
};

struct queries {
	struct query *items;
	size_t count, capacity;
	bool out_of_memory;
};

static void add_query(struct queries *queries, struct query query)
{
	if (array_reserve(&queries->items, &queries->capacity, queries->count, sizeof query))
		queries->items[queries->count++] = query;
	else
		queries->out_of_memory = true;
}

/* Adds the jump at the end of a block. A block without one has its last byte as a place. */
static void add_branch(const struct watch *watch, size_t number, struct queries *queries)
{
	const struct block_site *site = &watch->blocks[number];
	const char *jump = emu_jump_find(watch->object, site->pc, site->ways, site->way_count);

	if (!jump)
		jump = emu_jump_last(watch->object, site->pc);
	add_query(queries,
		jump ? (struct query){jump, HAS_BRANCH, number, site->executions, site->lanes}
		     : (struct query){emu_block_end(watch->object, site->pc) - 1, NO_EVIDENCE});
}

/* Adds the accesses first, then the branch of each block, then each byte of code of the blocks. */
static void add_queries(const struct watch *watch, struct queries *queries)
{
	for (size_t i = 0; i < watch->access_count; i++) {
		const struct access_site *site = &watch->accesses[i];
		add_query(queries, (struct query){site->pc, HAS_ACCESS, i, site->counts.requests,
					   site->counts.lanes});
	}
	for (size_t i = 0; i < watch->block_count; i++)
		add_branch(watch, i, queries);
	for (size_t i = 0; i < watch->block_count; i++) {
		const struct block_site *site = &watch->blocks[i];
		const char *end = emu_block_end(watch->object, site->pc);
		for (const char *pc = site->pc - 1; pc < end; pc++)
			add_query(queries,
				(struct query){pc, IN_BLOCK, i, site->executions, site->lanes});
	}
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_places(const struct emu_place *a, const struct emu_place *b)
{
	int lines = compare_numbers((uint64_t)a->line, (uint64_t)b->line);

	return lines ? lines : compare_numbers(a->inlined_at, b->inlined_at);
}

static int compare_counts(const void *a, const void *b)
{
	const struct line_count *first = a;
	const struct line_count *second = b;
	int places = compare_places(&first->place, &second->place);

	if (places)
		return places;
	if (first->evidence != second->evidence)
		return compare_numbers(first->evidence, second->evidence);
	return compare_numbers(first->number, second->number);
}

/* Whether count a is preferred to count b of the same place: an access before a branch, a branch
 * before code, the access or branch with more executions, the block with more code. g++ 14 copies
 * code after an `if` to both of its ways: of blocks with as much code, the one with more executions,
 * so that the width of a warp does not decide. */
static bool is_better_count(const struct line_count *a, const struct line_count *b)
{
	if (a->evidence != b->evidence)
		return a->evidence > b->evidence;
	if (a->evidence == IN_BLOCK && a->bytes != b->bytes)
		return a->bytes > b->bytes;
	if (a->executions != b->executions)
		return a->executions > b->executions;
	return a->lanes > b->lanes;
}

/* Merges the entries of one access or block: there is one entry per byte of code. Then keeps the
 * best count of each place. counts is sorted. Returns the number of remaining counts. */
static size_t best_of_places(struct line_count *counts, size_t count)
{
	size_t parts = 0;
	size_t places = 0;

	for (size_t i = 0; i < count; i++)
		if (parts > 0 && compare_counts(&counts[parts - 1], &counts[i]) == 0)
			counts[parts - 1].bytes++;
		else
			counts[parts++] = counts[i];
	for (size_t i = 0; i < parts; i++)
		if (places == 0 || compare_places(&counts[places - 1].place, &counts[i].place) != 0)
			counts[places++] = counts[i];
		else if (is_better_count(&counts[i], &counts[places - 1]))
			counts[places - 1] = counts[i];
	return places;
}

static bool report_lines(
	const struct queries *queries, const struct emu_place *places, struct trace *trace)
{
	struct line_count *counts = calloc(queries->count + 1, sizeof *counts);
	size_t count = 0;

	trace->lines = calloc(queries->count + 1, sizeof *trace->lines);
	if (!counts || !trace->lines) {
		free(counts);
		return false;
	}
	for (size_t i = 0; i < queries->count; i++) {
		const struct query *query = &queries->items[i];
		if (places[i].line > 0 && query->evidence != NO_EVIDENCE)
			counts[count++] = (struct line_count){places[i], query->evidence,
				query->number, 1, query->executions, query->lanes};
	}
	qsort(counts, count, sizeof *counts, compare_counts);
	count = best_of_places(counts, count);
	for (size_t i = 0; i < count; i++) {
		struct line_record *line = &trace->lines[trace->line_count];
		if (trace->line_count > 0 && line[-1].line == counts[i].place.line)
			line--;
		else
			trace->line_count++;
		line->line = counts[i].place.line;
		line->warp_executions += counts[i].executions;
		line->lanes += counts[i].lanes;
	}
	free(counts);
	return true;
}

/* ---- Accesses -------------------------------------------------------------------------------- */

static struct access_pattern pattern_of(
	const struct access_site *site, const struct access_model *model)
{
	const struct pattern_votes *max = typical_request(&site->votes);

	if ((double)max->requests >= MAJORITY * (double)site->counts.requests)
		return max->pattern;
	return (struct access_pattern){.kind = PATTERN_MIXED, .run = (int32_t)model->lanes};
}

static bool same_access(const struct access_record *a, const struct access_record *b)
{
	return a->line == b->line && a->space == b->space && a->kind == b->kind &&
	       a->width_bytes == b->width_bytes && a->argument == b->argument &&
	       memcmp(&a->lane_pattern, &b->lane_pattern, sizeof a->lane_pattern) == 0;
}

static void add_access(struct access_record *to, const struct access_record *from)
{
	to->requests += from->requests;
	to->lanes += from->lanes;
	to->bytes_requested += from->bytes_requested;
	to->bytes_unique += from->bytes_unique;
	to->sectors += from->sectors;
	to->lines += from->lines;
	to->passes += from->passes;
	to->wavefronts += from->wavefronts;
	to->phases += from->phases;
	to->ways = from->ways > to->ways ? from->ways : to->ways;
	to->same_address += from->same_address;
	if (from->alignment_bytes < to->alignment_bytes)
		to->alignment_bytes = from->alignment_bytes;
	pattern_votes_add(&to->typical, &from->typical);
}

static int compare_accesses(const void *a, const void *b)
{
	const struct access_site *first = a;
	const struct access_site *second = b;

	if (first->counts.line != second->counts.line)
		return (int)(first->counts.line - second->counts.line);
	return (first->pc > second->pc) - (first->pc < second->pc);
}

static bool report_accesses(
	const struct watch *watch, const struct emu_place *places, struct trace *trace)
{
	size_t count = watch->access_count;
	struct access_site *sites = calloc(count + 1, sizeof *sites);

	trace->accesses = calloc(count + 1, sizeof *trace->accesses);
	if (!sites || !trace->accesses) {
		free(sites);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		sites[i] = watch->accesses[i];
		sites[i].counts.line = places[i].line;
		sites[i].counts.lane_pattern = pattern_of(&sites[i], watch->model);
		sites[i].counts.typical = *typical_request(&sites[i].votes);
	}
	qsort(sites, count, sizeof *sites, compare_accesses);
	for (size_t i = 0; i < count; i++) {
		size_t k = 0;
		while (k < trace->access_count &&
			!same_access(&trace->accesses[k], &sites[i].counts))
			k++;
		if (k < trace->access_count)
			add_access(&trace->accesses[k], &sites[i].counts);
		else
			trace->accesses[trace->access_count++] = sites[i].counts;
	}
	free(sites);
	return true;
}

/* ---- Branches -------------------------------------------------------------------------------- */

static int compare_branches(const void *a, const void *b)
{
	return (int)(((const struct branch_record *)a)->line -
		     ((const struct branch_record *)b)->line);
}

/* Several conditions on one line are several branches. */
static bool report_branches(
	const struct watch *watch, const struct emu_place *places, struct trace *trace)
{
	trace->branches = calloc(watch->block_count + 1, sizeof *trace->branches);
	if (!trace->branches)
		return false;
	for (size_t i = 0; i < watch->block_count; i++) {
		const struct block_site *site = &watch->blocks[i];
		if (site->way_count > 1 && places[i].line > 0)
			trace->branches[trace->branch_count++] =
				(struct branch_record){.line = places[i].line,
					.executions = site->left,
					.divergent = site->split.executions,
					.votes = site->split};
	}
	qsort(trace->branches, trace->branch_count, sizeof *trace->branches, compare_branches);
	return true;
}

enum pmpp_status watch_report(const struct watch *watch, const struct emu_program *program,
	struct trace *ret_trace, struct pmpp_error *error)
{
	struct queries queries = {.out_of_memory = watch->out_of_memory};
	struct trace trace = {.model = watch->model,
		.warps = watch->warps,
		.divergent_warps = watch->divergent_warps,
		.steps = watch->steps};
	const char **pcs = NULL;
	struct emu_place *places = NULL;
	bool done = false;

	if (watch->broken)
		return PMPP_FAIL(error, PMPP_UNSUPPORTED,
			"%s: the lanes of a warp make different accesses in one basic block, so they "
			"cannot be counted: the compiler has rearranged the code",
			program->name);
	add_queries(watch, &queries);
	pcs = calloc(queries.count + 1, sizeof *pcs);
	places = calloc(queries.count + 1, sizeof *places);
	if (pcs && places && !queries.out_of_memory) {
		for (size_t i = 0; i < queries.count; i++)
			pcs[i] = queries.items[i].pc;
		emu_places(program, watch->object, pcs, queries.count, places);
		done = report_accesses(watch, places, &trace) &&
		       report_branches(watch, places + watch->access_count, &trace) &&
		       report_lines(&queries, places, &trace);
	}
	free(queries.items);
	free(pcs);
	free(places);
	if (!done) {
		trace_finish(&trace);
		return PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "no memory for the counts of %s", program->name);
	}
	*ret_trace = trace;
	return PMPP_OK;
}
