/* Ranks and devices of a fleet; ranks that are slower than the others. */
#include "common/model/fleet.h"
#include "tests/support/test.h"

#include <string.h>

/* ---- Devices ------------------------------------------------------------------------------- */

/* Each letter is a device that a rank sees. The result is the device of each rank, in upper case if
 * ranks share it. */
static const struct assigned {
	const char *name;
	const char *ranks[5];
	const char *result;
} assigned[] = {
	{"one rank, one device", {"a"}, "a"},
	{"as many ranks as devices", {"abcd", "abcd", "abcd", "abcd"}, "abcd"},
	{"fewer ranks than devices", {"abcd", "abcd"}, "ab"},
	{"one device for two", {"a", "a"}, "AA"},
	{"three ranks, two devices", {"ab", "ab", "ab"}, "AbA"},
	{"five ranks, two devices", {"ab", "ab", "ab", "ab", "ab"}, "ABABA"},
	{"each rank sees one device", {"b", "a", "c"}, "bac"},
	{"the first rank takes its other device", {"ab", "a"}, "ba"},
	{"three ranks take their other devices", {"ab", "bc", "a", "b"}, NULL},
	{"a rank without a device", {"a", ""}, "a-"},
};

static size_t fill(const struct assigned *row, struct fleet_seat *seats)
{
	size_t count = 0;

	for (; count < 5 && row->ranks[count]; count++)
		for (const char *letter = row->ranks[count]; *letter; letter++)
			seats[count].devices[seats[count].device_count++] = (size_t)(*letter - 'a');
	return count;
}

static void assign(const void *context)
{
	const struct assigned *row = context;
	struct fleet_seat seats[5] = {0};
	char text[6] = "";
	size_t count = fill(row, seats);
	size_t alone = 0;

	fleet_assign(seats, count);
	for (size_t i = 0; i < count; i++) {
		size_t device = seats[i].devices[seats[i].choice];
		char first = seats[i].rank_count > 1 ? 'A' : 'a';
		text[i] = seats[i].device_count ? (char)(first + (int)device) : '-';
		alone += seats[i].rank_count == 1;
	}
	if (row->result)
		assert_string_equal(text, row->result);
	else /* three devices for four ranks: two ranks are alone */
		assert_int_equal(alone, 2);
}

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

static void judge(const void *context)
{
	const struct judged *row = context;
	struct repetition_estimate estimates[4];
	size_t count = strlen(row->result);
	struct repetition_ratio ratio;

	for (size_t i = 0; i < count; i++) {
		const struct repetitions run = {.medians_ns = &row->times[i],
			.count = 1,
			.half_width = 0.001,
			.floor = {.sd = row->floor_sd, .dof = 30}};
		estimates[i] = repetition_estimate_of(&run);
	}
	for (size_t i = 0; i < count; i++)
		assert_int_equal(fleet_is_straggler(estimates, count, i, row->type, &ratio),
			row->result[i] == 'S');
	test_near(ratio.ratio, row->ratio, 1e-12);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof assigned / sizeof *assigned; i++)
		test_add(&list, assign, &assigned[i], "devices: %s", assigned[i].name);
	for (size_t i = 0; i < sizeof judged / sizeof *judged; i++)
		test_add(&list, judge, &judged[i], "stragglers: %s", judged[i].name);
	return test_run(&list, argc, argv);
}
