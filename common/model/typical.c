#include "common/model/typical.h"

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
