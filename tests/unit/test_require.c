/* Conditions: how they are read, refused and decided. */
#include "common/require.h"

#include <math.h>

#include "tests/support/test.h"

static const char *const operands[] = {"A", "B", "C"};
static const char *const rungs[] = {"naive", "naive-uncoalesced", "tiled16"};
static const struct require_names names = {operands, rungs, 3, 3};

/* The figures of a kernel. */
static void find(
	void *context, const struct require_figure *figure, struct require_value *ret_value)
{
	static const double values[FIGURE_COUNT] = {[FIGURE_CORRECT] = 1,
		[FIGURE_DEFECTS] = 2,
		[FIGURE_SECTORS] = 4,
		[FIGURE_BANK_WAYS] = 2,
		[FIGURE_OCCUPANCY] = 0.5,
		[FIGURE_REGISTERS] = 64,
		[FIGURE_SHARED_BYTES] = 4096,
		[FIGURE_DIVERGENCE] = 0.1,
		[FIGURE_BARRIERS] = 16,
		[FIGURE_FLOOR] = 100};

	(void)context;
	*ret_value = (struct require_value){.value = values[figure->id], .line = 7};
	if (figure->id == FIGURE_SECTORS && strcmp(figure->argument, "B") == 0)
		ret_value->value = 32;
	if (figure->id == FIGURE_FLOOR && *figure->argument)
		ret_value->value = strcmp(figure->argument, "naive-uncoalesced") == 0 ? 1000 : 200;
	if (figure->id == FIGURE_STEP || figure->id == FIGURE_SPILLED_BYTES) {
		ret_value->value = NAN;
		ret_value->skipped = figure->id == FIGURE_STEP;
		snprintf(ret_value->reason, sizeof ret_value->reason, "not known");
	}
}

static const struct {
	const char *text;
	enum require_state state;
} decisions[] = {
	{"correct", REQUIRE_HOLDS},
	{"no defects", REQUIRE_FAILS},
	{"defects == 2", REQUIRE_HOLDS},
	{"sectors(A) <= 4", REQUIRE_HOLDS},
	{"sectors( B )<=4", REQUIRE_FAILS},
	{"sectors <= 4", REQUIRE_HOLDS},
	{"bank_ways <= 1", REQUIRE_FAILS},
	{"bank_ways < 3", REQUIRE_HOLDS},
	{"occupancy >= 50 %", REQUIRE_HOLDS},
	{"occupancy > 50%", REQUIRE_FAILS},
	{"100 % > occupancy", REQUIRE_HOLDS},
	{"registers <= 64", REQUIRE_HOLDS},
	{"registers != 64", REQUIRE_FAILS},
	{"shared_bytes <= 4 * 1024", REQUIRE_HOLDS},
	{"divergence <= 10 %", REQUIRE_HOLDS},
	{"barriers <= 2 * 8", REQUIRE_HOLDS},
	{"floor <= 0.5 * floor(naive)", REQUIRE_HOLDS},
	{"floor <= 1 / 2 * floor(naive)", REQUIRE_HOLDS},
	{"floor <= 0.1 * floor(naive-uncoalesced)", REQUIRE_HOLDS},
	{"floor < 0.1 * floor(naive-uncoalesced)", REQUIRE_FAILS},
	{"max(sectors(A), sectors(B)) == 32", REQUIRE_HOLDS},
	{"step(naive) >= 1.5", REQUIRE_SKIPPED},
	{"spilled_bytes <= 0", REQUIRE_FAILS},
};

TEST_ROWS(decide, decisions, "%s", row->text)
{
	static struct require_list list;
	struct require_value value;
	FINISHED(pmpp_error_clear) struct pmpp_error error = PMPP_ERROR_INIT;

	list.count = 0;
	EQUAL(require_add("--require", row->text, &names, &list, &error), PMPP_OK);
	EQUAL(list.count, 1);
	STRING(list.items[0].text, row->text);
	EQUAL(require_decide(&list.items[0], find, NULL, &value), row->state);
	EQUAL(value.line, 7);
}

static const struct {
	const char *text, *message;
} refusals[] = {
	{"sector(A) <= 4",
		"no figure 'sector' (did you mean sectors?): give one of correct, defects, sectors"},
	{"sectors(D) <= 4", "no operand 'D' (did you mean A, B, C?): give one of A, B, C"},
	{"floor <= floor(tiled)", "no variant 'tiled' (did you mean tiled16?)"},
	{"step >= 2", "no variant ''"},
	{"registers(A) <= 4", "'registers' has no argument"},
	{"correct please", "is no condition: give 'correct', 'no defects' or a comparison"},
	{"sectors(A) <=", "a value is missing"},
	{"registers <= 4 4", "unexpected text"},
	{"registers + <= 4", "a value is missing"},
	{"1 <= 2", "has no figure"},
	{"registers+registers+registers+registers+registers < 9", "has more than 4 figures"},
};

TEST_ROWS(refuse, refusals, "%s", row->text)
{
	static struct require_list list;
	FINISHED(pmpp_error_clear) struct pmpp_error error = PMPP_ERROR_INIT;

	list.count = 0;
	EQUAL(require_add("mine.cu", row->text, &names, &list, &error), PMPP_USAGE);
	HAS(error.message, row->message);
	HAS(error.message, "mine.cu: '");
}

TEST(right_side, "the value of the right side")
{
	static struct require_list list;
	struct require_value value;
	FINISHED(pmpp_error_clear) struct pmpp_error error = PMPP_ERROR_INIT;

	EQUAL(require_add("--require", "floor <= 25 % * floor(naive) + 0; occupancy >= 60 %",
		      &names, &list, &error),
		PMPP_USAGE);
	list.count = 0;
	EQUAL(require_add("--require", "floor <= 0.25 * floor(naive); occupancy >= 60 %", &names,
		      &list, &error),
		PMPP_OK);
	EQUAL(require_decide(&list.items[0], find, NULL, &value), REQUIRE_FAILS);
	NEAR(value.right, 50, 1e-9);
	EQUAL(require_decide(&list.items[1], find, NULL, &value), REQUIRE_FAILS);
	NEAR(value.right, 0.6, 1e-9);
}

TEST(lists, "several lines, points and comments")
{
	static struct require_list list;
	FINISHED(pmpp_error_clear) struct pmpp_error error = PMPP_ERROR_INIT;
	static const char text[] = "# half of the grade\n4 points: correct\r\n\n"
				   "1 point: registers <= 64; ;no defects # the last\n";

	EQUAL(require_add("--require", text, &names, &list, &error), PMPP_OK);
	EQUAL(list.count, 3);
	EQUAL(list.items[0].points, 4);
	STRING(list.items[0].text, "correct");
	EQUAL(list.items[1].points, 1);
	EQUAL(list.items[2].points, 0);
	STRING(list.items[2].text, "no defects");
	IS(require_uses(&list.items[1], FIGURE_REGISTERS));
	NOT(require_uses(&list.items[1], FIGURE_FLOOR));
}

TEST(any_name, "arguments without names")
{
	static struct require_list list;
	FINISHED(pmpp_error_clear) struct pmpp_error error = PMPP_ERROR_INIT;

	EQUAL(require_add("--require", "sectors(D) <= 4; step(fast) > 1", NULL, &list, &error),
		PMPP_OK);
	EQUAL(list.count, 2);
	STRING(list.items[1].figures[0].argument, "fast");
	EQUAL(require_add("--require", "registers(D) <= 4", NULL, &list, &error), PMPP_USAGE);
}

TEST(comments, "comments of a source")
{
	static const char source[] =
		"//pmpp: problem = matmul\n  // pmpp: require = correct; registers < 9\n"
		"x = 1; //pmpp: require = no\n//pmpp:require=no defects";
	FREED char *text = require_comments(source);

	STRING(text, " correct; registers < 9\nno defects\n");
}

int main(int argc, char **argv)
{
	return test_run(argc, argv);
}
