/*
 * random_passes() against cases that can be counted by hand, and against draws of random words
 * whose passes access_shared() counts.
 */
#include "common/data.h"
#include "common/model/access.h"
#include "common/model/passes.h"
#include "tests/support/test.h"

#include <stdint.h>

#define DRAWS 20000
#define SIMULATED_WITHIN 0.01

static const struct passes_row {
	const char *name;
	int lanes, banks;
	int64_t words;
	int groups;
	double passes; /* 0: simulated, groups = 1 */
} passes_rows[] = {
	{"a lane", 1, 32, 256, 1, 1},
	{"a word", 32, 32, 1, 1, 1},
	{"as many words as banks", 32, 32, 32, 1, 1},
	/* The second lane uses the bank of the first lane in 1 of 32 cases, with another word in
	 * half of these cases. */
	{"two lanes", 2, 32, 64, 1, 1 + 1.0 / 64},
	/* Two of three words are in bank 0: {0, 2} and {2, 0} of nine pairs conflict. */
	{"words that do not fill the banks", 2, 2, 3, 1, 1 + 2.0 / 9},
	{"two groups", 2, 2, 3, 2, 2 - (7.0 / 9) * (7.0 / 9)},
	/* One bank: the expected number of different words of 3 in 4 draws, 3 - 3 (2 / 3)^4. */
	{"a bank", 4, 1, 3, 1, 3 - 3 * 16.0 / 81},
	{"a lane for each copy", 1, 1, 256, 32, 1},
	{"256 counters", 32, 32, 256, 1, 0},
	{"37 counters", 32, 32, 37, 1, 0},
	{"12288 counters", 32, 32, 12288, 1, 0},
	{"few lanes", 7, 32, 100, 1, 0},
};

static double simulated(const struct passes_row *row)
{
	double passes = 0;

	CHECK(EQUAL(row->groups, 1), EQUAL(row->banks, BANKS));
	for (uint64_t draw = 0; draw < DRAWS; draw++) {
		struct warp_access access = {
			.model = access_model_default(), .width_bytes = BANK_BYTES};

		for (int lane = 0; lane < row->lanes; lane++) {
			uint64_t bits = data_bits(1, draw, (uint64_t)lane) >> 32;

			access.lanes |= UINT32_C(1) << lane;
			access.address[lane] = bits * (uint64_t)row->words >> 32 << 2;
		}
		passes += access_shared(&access).wavefronts;
	}
	return passes / DRAWS;
}

TEST_ROWS(passes, passes_rows, "%s", row->name)
{
	double got = random_passes(row->lanes, row->banks, row->words, row->groups);

	if (row->passes > 0) {
		test_near(got, row->passes, 1e-8);
		return;
	}
	double want = simulated(row);

	test_note("%.4f, simulated %.4f", got, want);
	test_near(got, want, SIMULATED_WITHIN * want);
}
