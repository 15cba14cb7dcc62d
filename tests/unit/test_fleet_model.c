/* Ranks and devices of a fleet; ranks that are slower than the others. */
#include "common/model/fleet.h"
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

/* ---- Devices ------------------------------------------------------------------------------- */

/* The devices of a rank as letters. The result: a letter for each rank, upper case if it shares its
 * device. */
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

static const struct judged {
	const char *name;
	struct fleet_time times[4]; /* up to the first zero */
	const char *result;         /* a letter for each rank: S for a straggler */
	double ratio;               /* of rank 0 */
} judged[] = {
	{"one rank", {{100, {99, 101}}}, "-", NAN},
	{"two alike", {{100, {99, 101}}, {101, {100, 102}}}, "--", 100.0 / 101},
	{"two, one slower", {{110, {109, 111}}, {100, {99, 101}}}, "S-", 1.1},
	{"outside, but within 1 %", {{100.9, {100.8, 101}}, {100, {99.9, 100.1}}}, "--", 1.009},
	{"above 1 %, but inside", {{105, {98, 112}}, {100, {97, 103}}}, "--", 1.05},
	{"a faster rank is no straggler", {{50, {49, 51}}, {100, {99, 101}}, {100, {99, 101}}},
		"---", 0.5},
	{"one of four", {{100, {99, 101}}, {100, {99, 101}}, {120, {119, 121}}, {99, {98, 100}}},
		"--S-", 1},
	{"two of four", {{120, {119, 121}}, {100, {99, 101}}, {120, {119, 121}}, {100, {99, 101}}},
		"S-S-", 1.2},
	{"no interval", {{120, {NAN, NAN}}, {100, {99, 101}}}, "--", 1.2},
	{"no interval of the others", {{120, {119, 121}}, {100, {NAN, NAN}}}, "--", 1.2},
};

static void judge(const void *context)
{
	const struct judged *row = context;
	struct fleet_time scratch[4];
	size_t count = strlen(row->result);
	double ratio;

	for (size_t i = 0; i < count; i++)
		assert_int_equal(fleet_is_straggler(row->times, count, i, scratch, &ratio),
			row->result[i] == 'S');
	fleet_is_straggler(row->times, count, 0, scratch, &ratio);
	if (isnan(row->ratio))
		assert_true(isnan(ratio));
	else
		test_near(ratio, row->ratio, 1e-12);
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
