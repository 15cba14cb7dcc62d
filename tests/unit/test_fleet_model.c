/* Ranks of a fleet that are slower than the others. */
#include "common/model/verdict.h"
#include "tests/support/test.h"

/* ---- Stragglers ---------------------------------------------------------------------------- */

/* Times of the ranks in ascending order, each of one run with a 95 % interval of 0.1 %. */
static const struct judged {
	const char *name;
	const char *type;   /* of the device */
	double floor_sd;    /* dof 30 */
	double times[4];    /* up to the first zero */
	const char *result; /* a letter for each rank: S for a straggler */
	double ratio;       /* of the last rank */
} judged[] = {
	{"one rank", "gpu", 0.002, {100}, "-", 1},
	{"two alike", "gpu", 0.002, {100, 100.1}, "--", 1.001},
	{"two cards of one model", "gpu", 0.002, {100, 101.5}, "--", 1.015},
	{"above the limit of a GPU, but not for certain", "gpu", 0.002, {100, 102}, "--", 1.02},
	{"two, one slower", "gpu", 0.002, {100, 110}, "-S", 1.1},
	{"a fast rank is not typical", "gpu", 0.002, {50, 100, 100}, "---", 1},
	{"one of four", "gpu", 0.002, {99.5, 100, 100, 120}, "---S", 1.2},
	{"two of four", "gpu", 0.002, {100, 100, 120, 120}, "--SS", 1.2},
	{"three of four: one is fast", "gpu", 0.002, {100, 120, 120, 120}, "----", 1},
	{"within the noise of the row", "gpu", 0.03, {100, 105}, "--", 1.05},
	{"within the noise of a CPU", "cpu", 0.05, {100, 112}, "--", 1.12},
	{"a slow CPU", "cpu", 0.05, {100, 150}, "-S", 1.5},
	{"an unknown type is a CPU", NULL, 0.05, {100, 112}, "--", 1.12},
};

TEST_ROWS(judge, judged, "stragglers: %s", row->name)
{
	struct repetition_estimate estimates[4];
	size_t count = strlen(row->result);
	struct repetition_ratio ratio;
	double chance;

	for (size_t i = 0; i < count; i++) {
		const struct repetitions run = {.medians_ns = &row->times[i],
			.count = 1,
			.half_width = 0.001,
			.floor = {.sd = row->floor_sd, .dof = 30}};
		estimates[i] = repetition_estimate_of(&run);
	}
	for (size_t i = 0; i < count; i++) {
		bool slow = row->result[i] == 'S';
		EQUAL(fleet_is_straggler(estimates, count, i, row->type, &ratio, &chance), slow);
		/* A 99 % interval beyond the limit has less than 0.5 % on each side. */
		CHECK(EQUAL(chance < 0.005, slow), IS(i != (count - 1) / 2 || chance == 1));
	}
	test_near(ratio.ratio, row->ratio, 1e-12);
}
