#include "common/model/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Words --------------------------------------------------------------------------------- */

const char *const trace_space_words[] = {
	[TRACE_GLOBAL] = "global", [TRACE_SHARED] = "shared", NULL};

const char *const trace_kind_words[] = {[TRACE_LOAD] = "load",
	[TRACE_STORE] = "store",
	[TRACE_ATOMIC] = "atomic",
	[TRACE_COPY] = "copy",
	NULL};

const char *const access_coalescing_words[] = {
	[ACCESS_COALESCED] = "coalesced",
	[ACCESS_UNCOALESCED] = "uncoalesced",
	[ACCESS_SHARED] = "n/a (shared)",
	[ACCESS_COALESCING_COUNT] = NULL,
};

const char *const trace_defect_words[] = {
#define XX(name, word, class) word,
	TRACE_DEFECT_MAP(XX)
#undef XX
		NULL,
};

/* ---- Judgements ---------------------------------------------------------------------------- */

/* Number of separate pieces of memory that a request accesses: runs of 16 lanes are two pieces. If
 * the runs are shorter than two sectors, all of them count as one piece. Each piece may begin inside of
 * a sector and so touch one more. Lanes with gaps between them have no such allowance: where a sector is
 * half as large as the bytes of a warp, it would hide a stride of 2. */
static int pieces_of(const struct access_record *access, const struct access_model *model)
{
	const struct access_pattern *pattern = &access->lane_pattern;

	if (pattern->kind == PATTERN_STRIDE && abs(pattern->stride) > 1)
		return 0;
	if (pattern->kind != PATTERN_CONTIGUOUS ||
		pattern->run * (int64_t)access->width_bytes < 2 * (int64_t)model->sector_bytes)
		return 1;
	return (int)model->lanes / pattern->run;
}

enum access_coalescing trace_access_coalescing(
	const struct access_record *access, const struct access_model *model)
{
	double requests = (double)access->requests;
	double bytes = (double)access->lanes / requests * access->width_bytes;
	double max = ceil(bytes / model->sector_bytes) + pieces_of(access, model);

	if (access->space == TRACE_SHARED)
		return ACCESS_SHARED;
	return (double)access->sectors / requests <= max ? ACCESS_COALESCED : ACCESS_UNCOALESCED;
}

enum outcome_class trace_defect_class(enum trace_defect_kind kind)
{
	static const enum outcome_class classes[TRACE_DEFECT_COUNT] = {
#define XX(name, word, class) OUTCOME_CLASS_##class,
		TRACE_DEFECT_MAP(XX)
#undef XX
	};

	return classes[kind];
}

/* ---- Sums ---------------------------------------------------------------------------------- */

void trace_finish(struct trace *trace)
{
	free(trace->accesses);
	free(trace->lines);
	free(trace->branches);
	free(trace->barriers);
	*trace = (struct trace){0};
}

double trace_estimate(const struct trace *trace, int64_t count)
{
	if (!trace->estimated || trace->sampled_blocks == 0)
		return (double)count;
	double blocks = (double)trace->total_blocks / (double)trace->sampled_blocks;

	return (double)count * blocks *
	       (trace->steps ? 1 + (double)trace->unwatched_steps / (double)trace->steps : 1);
}

int64_t trace_sum(const struct trace *trace, size_t count, enum trace_space space, unsigned kinds)
{
	int64_t sum = 0, value;

	for (size_t i = 0; i < trace->access_count; i++) {
		const struct access_record *access = &trace->accesses[i];
		memcpy(&value, (const char *)access + count, sizeof value);
		if (access->space == (int)space && kinds & TRACE_BIT(access->kind))
			sum += value;
	}
	return sum;
}

void trace_sum_lines(const struct trace *trace, int64_t *ret_executions, int64_t *ret_lanes)
{
	*ret_executions = *ret_lanes = 0;
	for (size_t i = 0; i < trace->line_count; i++) {
		*ret_executions += trace->lines[i].warp_executions;
		*ret_lanes += trace->lines[i].lanes;
	}
}

double trace_simt_efficiency(const struct trace *trace)
{
	int64_t executions, lanes;

	trace_sum_lines(trace, &executions, &lanes);
	return executions ? (double)lanes / ((double)executions * trace->model->lanes) : NAN;
}

/* ---- Examples for drawings ------------------------------------------------------------------ */

static int lane_count(uint64_t lanes)
{
	return __builtin_popcountll(lanes);
}

/* Whether the lanes at a place are a better example than the other lanes. */
static bool is_better(uint64_t lanes, const struct warp_place *place, uint64_t other_lanes,
	const struct warp_place *other_place)
{
	int difference = lane_count(lanes) - lane_count(other_lanes);

	return difference ? difference > 0 : place->middle && !other_place->middle;
}

/* ---- Requests -------------------------------------------------------------------------------- */

static bool same_pattern(const struct access_pattern *a, const struct access_pattern *b)
{
	return a->kind == b->kind && a->stride == b->stride && a->run == b->run;
}

void typical_vote_request(struct request_votes *votes, const struct warp_access *access,
	const struct access_pattern *pattern, const struct warp_place *place)
{
	for (size_t i = 0; i < TYPICAL_PATTERNS; i++) {
		struct pattern_votes *of = &votes->patterns[i];
		if (of->requests && !same_pattern(&of->pattern, pattern))
			continue;
		if (!of->requests ||
			is_better(access->lanes, place, of->example.lanes, &of->place)) {
			of->pattern = *pattern;
			of->example = *access;
			of->place = *place;
		}
		of->requests++;
		return;
	}
}

const struct pattern_votes *typical_request(const struct request_votes *votes)
{
	const struct pattern_votes *max = &votes->patterns[0];

	for (size_t i = 1; i < TYPICAL_PATTERNS; i++)
		if (votes->patterns[i].requests > max->requests)
			max = &votes->patterns[i];
	return max;
}

void pattern_votes_add(struct pattern_votes *to, const struct pattern_votes *from)
{
	uint64_t requests = to->requests + from->requests;

	if (!from->requests)
		return;
	if (!to->requests || !same_pattern(&to->pattern, &from->pattern)) {
		if (from->requests > to->requests)
			*to = *from;
		return;
	}
	if (is_better(from->example.lanes, &from->place, to->example.lanes, &to->place))
		*to = *from;
	to->requests = requests;
}

/* ---- Branches -------------------------------------------------------------------------------- */

void typical_vote_split(
	struct split_votes *votes, uint64_t lanes, uint64_t first, const struct warp_place *place)
{
	if (!votes->executions || is_better(lanes, place, votes->example, &votes->place)) {
		votes->example = lanes;
		votes->first = first;
		votes->place = *place;
	}
	votes->executions++;
	votes->lanes += (uint64_t)lane_count(lanes);
	votes->first_lanes += (uint64_t)lane_count(first);
}
