/* The typical request of an access and the typical divergent execution of a branch. */
#include "common/model/trace.h"
#include "tests/support/test.h"

#define ALL 0xffffffffu
#define HALF 0x0000ffffu
#define ODD 0xaaaaaaaau

/* ---- Requests -------------------------------------------------------------------------------- */

enum {
	MAX_MADE = 8
};

/* One request. `times` requests like it follow each other. */
struct made {
	int stride; /* in words: 0: all lanes at one address */
	uint32_t lanes;
	uint64_t block;
	bool middle;
	int times;
};

static struct warp_access make(const struct made *made)
{
	struct warp_access access = {
		.model = access_model_default(), .lanes = made->lanes, .width_bytes = 4};

	for (int lane = 0; lane < WARP_THREADS; lane++)
		access.address[lane] = made->block * 4096 + (uint64_t)(lane * made->stride) * 4;
	return access;
}

static void vote(struct request_votes *votes, const struct made *made)
{
	struct warp_access access = make(made);
	struct access_pattern pattern = access_pattern(&access);
	struct warp_place place = {.block = made->block, .warp = 3, .middle = made->middle};

	for (int i = 0; i < made->times; i++)
		typical_vote_request(votes, &access, &pattern, &place);
}

static const struct choice_row {
	const char *name;
	struct made made[MAX_MADE];
	uint64_t requests;
	size_t example; /* index of made */
} choice_rows[] = {
	{"one request", {{1, ALL, 0, true, 1}}, 1},
	{"the most common pattern", {{1, ALL, 0, true, 2}, {32, ALL, 0, true, 3}}, 3, 1},
	{"equally common: the first", {{2, ALL, 0, true, 2}, {1, ALL, 0, true, 2}}, 2},
	{"the most active lanes first", {{1, HALF, 1, true, 5}, {1, ALL, 0, false, 1}}, 6, 1},
	{"the middle block", {{1, ALL, 0, false, 5}, {1, ALL, 1, true, 1}, {1, ALL, 2, false, 9}},
		15, 1},
	{"the first of the middle block",
		{{1, ALL, 0, false, 1}, {1, ALL, 1, true, 1}, {1, ALL, 5, true, 1}}, 3, 1},
	{"no request in the middle block", {{1, ALL, 4, false, 1}, {1, ALL, 5, false, 1}}, 2},
	{"fewer lanes in the middle block", {{1, ALL, 4, false, 1}, {1, ODD, 5, true, 1}}, 2},
	{"inactive lanes make no other pattern", {{4, ALL, 0, true, 1}, {4, ODD, 0, true, 2}}, 3},
	{"one lane", {{1, 1u << 7, 0, true, 4}, {1, ALL, 0, true, 1}}, 4},
	{"broadcast", {{0, ALL, 0, true, 3}, {1, ALL, 0, true, 2}}, 3},
	{"the fourth pattern",
		{{1, ALL, 0, true, 1}, {2, ALL, 0, true, 1}, {3, ALL, 0, true, 1},
			{4, ALL, 0, true, 2}},
		2, 3},
	{"a fifth pattern is not counted",
		{{1, ALL, 0, true, 2}, {2, ALL, 0, true, 1}, {3, ALL, 0, true, 1},
			{4, ALL, 0, true, 1}, {5, ALL, 0, true, 9}},
		2},
};

TEST_ROWS(choose, choice_rows, "typical request: %s", row->name)
{
	struct request_votes votes = {0};

	for (size_t i = 0; i < MAX_MADE; i++)
		vote(&votes, &row->made[i]);
	const struct pattern_votes *typical = typical_request(&votes);
	const struct made *want = &row->made[row->example];
	struct warp_access access = make(want);
	CHECK(EQUAL(typical->requests, row->requests), EQUAL(typical->place.block, want->block),
		EQUAL(typical->place.warp, 3), EQUAL(typical->place.middle, want->middle));
	assert_memory_equal(&typical->example, &access, sizeof access);
}

TEST(no_request, "typical request: none")
{
	struct request_votes votes = {0};

	EQUAL(typical_request(&votes)->requests, 0);
}

/* One access at two places of the code. The second place is added to the first. */
static const struct sum_row {
	const char *name;
	struct made to, from;
	uint64_t requests;
	bool second; /* the example of the second place is kept */
} sum_rows[] = {
	{"one pattern", {1, ALL, 0, true, 2}, {1, ALL, 1, true, 3}, 5, false},
	{"more lanes", {1, ODD, 0, true, 2}, {1, ALL, 1, false, 3}, 5, true},
	{"the middle block", {1, ALL, 0, false, 2}, {1, ALL, 1, true, 1}, 3, true},
	{"the more common pattern", {1, ALL, 0, true, 2}, {8, ALL, 1, false, 3}, 3, true},
	{"the less common pattern", {1, ALL, 0, true, 2}, {8, ALL, 1, true, 1}, 2, false},
	{"nothing to add", {1, ALL, 0, true, 2}, {0}, 2, false},
	{"nothing before", {0}, {1, ALL, 1, true, 2}, 2, true},
};

TEST_ROWS(add, sum_rows, "two places of the code: %s", row->name)
{
	struct request_votes to = {0};
	struct request_votes from = {0};
	struct warp_access access = make(row->second ? &row->from : &row->to);

	vote(&to, &row->to);
	vote(&from, &row->from);
	pattern_votes_add(&to.patterns[0], typical_request(&from));
	EQUAL(to.patterns[0].requests, row->requests);
	assert_memory_equal(&to.patterns[0].example, &access, sizeof access);
}

/* ---- Branches -------------------------------------------------------------------------------- */

TEST(split, "typical divergent execution")
{
	struct split_votes votes = {0};

	typical_vote_split(&votes, HALF, 1, &(struct warp_place){.block = 1, .middle = true});
	typical_vote_split(&votes, ALL, 3, &(struct warp_place){.block = 2});
	typical_vote_split(
		&votes, ALL, ODD, &(struct warp_place){.block = 3, .warp = 5, .middle = true});
	typical_vote_split(
		&votes, ALL, 7, &(struct warp_place){.block = 3, .warp = 6, .middle = true});
	CHECK(EQUAL(votes.executions, 4), EQUAL(votes.lanes, 16 + 3 * 32),
		EQUAL(votes.first_lanes, 1 + 2 + 16 + 3), EQUAL(votes.example, ALL),
		EQUAL(votes.first, ODD), EQUAL(votes.place.block, 3), EQUAL(votes.place.warp, 5));
}
