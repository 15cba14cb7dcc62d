/* Change points: a table of exact series, and simulated series with a known change. */
#include "common/model/change_points.h"
#include "tests/support/simulate.h"
#include "tests/support/test.h"

#define MAX_VALUES 200
#define SEED 7

/* ---- Exact series -------------------------------------------------------------------------- */

static const struct table_row {
	const char *name;
	double sd, medians[16];
	size_t n;
	size_t changes[4]; /* indices */
	double ratios[4];
	size_t count;
} table[] = {
	{"no value", 0.003},
	{"three values", 0.003, {1, 1, 2}, 3},
	{"constant", 0.003, {1, 1, 1, 1, 1, 1}, 6},
	{"a step up", 0.003, {1, 1, 1, 1.1, 1.1, 1.1}, 6, {3}, {1.1}, 1},
	{"a step down", 0.003, {2, 2, 2, 2, 1, 1}, 6, {4}, {0.5}, 1},
	{"up and back", 0.003, {1, 1, 1, 1, 1.2, 1.2, 1.2, 1, 1, 1}, 10, {4, 7}, {1.2, 1 / 1.2}, 2},
	{"three steps", 0.003, {1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8}, 12, {3, 6, 9}, {2, 2, 2}, 3},
	{"one value is no change", 0.003, {1, 1, 1, 1, 1, 1, 1, 1.5}, 8},
	{"an outlier", 0.003, {1, 1, 1, 1, 1.5, 1, 1, 1, 1, 1}, 10},
	{"below 1 %, however certain", 1e-6, {1, 1, 1, 1, 1.0098, 1.0098, 1.0098, 1.0098}, 8},
	{"above 1 %", 1e-6, {1, 1, 1, 1, 1.0102, 1.0102, 1.0102, 1.0102}, 8, {4}, {1.0102}, 1},
	{"within the floor", 0.05, {1, 1, 1, 1, 1.1, 1.1, 1.1, 1.1}, 8},
};

TEST_ROWS(exact, table, "%s", row->name)
{
	struct change_point changes[MAX_VALUES];
	double logs[MAX_VALUES], sd[MAX_VALUES], scratch[MAX_VALUES];

	for (size_t i = 0; i < row->n; i++) {
		logs[i] = log(row->medians[i]);
		sd[i] = row->sd;
	}
	EQUAL(change_points_find(logs, sd, row->n, scratch, changes), row->count);
	for (size_t i = 0; i < row->count; i++) {
		EQUAL(changes[i].index, row->changes[i]);
		test_near(changes[i].ratio, row->ratios[i], 1e-9);
	}
}

/* One value with a large deviation of its own does not count as much as the others. */
TEST(uncertain_values, "values with a deviation of their own")
{
	const double logs[] = {0, 0, 0, 0, 0.1, 0.1};
	const double certain[] = {0.003, 0.003, 0.003, 0.003, 0.003, 0.003};
	const double uncertain[] = {0.003, 0.003, 0.003, 0.003, 0.1, 0.1};
	struct change_point changes[6];
	double scratch[6];

	EQUAL(change_points_find(logs, certain, 6, scratch, changes), 1);
	EQUAL(change_points_find(logs, uncertain, 6, scratch, changes), 0);
}

/* ---- Simulated series ---------------------------------------------------------------------- */

static const struct simulated_row {
	const char *name;
	double noise, floor, step; /* step: of the logarithm */
	size_t n, at;              /* the first value after the step; 0 = no step */
	unsigned series;
	double min, max; /* of the fraction of series with exactly the expected changes */
} simulated[] = {
	/* False alarms: at most 1 % of the series. */
	{"30 values, noise at the floor", 0.003, 0.003, 0, 30, 0, 4000, 0.99, 1},
	{"30 values, noise of 4 floors", 0.012, 0.003, 0, 30, 0, 4000, 0.99, 1},
	{"4 values, noise of 10 floors", 0.03, 0.003, 0, 4, 0, 4000, 0.99, 1},
	{"8 values, noise of 10 floors", 0.03, 0.003, 0, 8, 0, 4000, 0.99, 1},
	{"200 values, noise of 10 floors", 0.03, 0.003, 0, 200, 0, 1000, 0.99, 1},
	/* A step of 3 %, noise of 0.3 %: found in at least 99 %, at the right place. */
	{"3 % in the middle of 30", 0.003, 0.003, 0.02956, 30, 15, 2000, 0.99, 1},
	{"3 % at the third of 30", 0.003, 0.003, 0.02956, 30, 3, 2000, 0.98, 1},
	{"3 % at the last but one of 30", 0.003, 0.003, 0.02956, 30, 28, 2000, 0.98, 1},
	{"20 % in the middle of 30 on a CPU", 0.05, 0.05, 0.18232, 30, 15, 1000, 0.7, 1},
};

/* Whether the series has exactly the expected change. A step is found if the change lies within
 * one value of it: noise can move it. */
static bool is_right(const struct simulated_row *row, unsigned stream)
{
	struct change_point changes[MAX_VALUES];
	double logs[MAX_VALUES], sd[MAX_VALUES], scratch[MAX_VALUES];

	for (size_t i = 0; i < row->n; i++) {
		double level = row->at && i >= row->at ? row->step : 0;
		logs[i] = level + row->noise * simulate_normal(SEED, stream, i);
		sd[i] = row->floor;
	}
	size_t count = change_points_find(logs, sd, row->n, scratch, changes);
	if (!row->at)
		return count == 0;
	return count == 1 && changes[0].index + 1 >= row->at && changes[0].index <= row->at + 1;
}

TEST_ROWS(simulate, simulated, "simulated: %s", row->name)
{
	unsigned right = 0;

	for (unsigned i = 0; i < row->series; i++)
		right += is_right(row, i);
	double fraction = (double)right / row->series;
	test_note("%.2f %% of %u series are right", 100 * fraction, row->series);
	IS(fraction >= row->min && fraction <= row->max);
}
