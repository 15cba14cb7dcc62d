/* Expressions of grids and blocks: values, and reasons why there is none. */
#include "common/expression.h"
#include "tests/support/test.h"

/* n is 100, half is 2.5; a and b have no value. */
static bool find(void *context, const char *name, size_t length, struct number *ret_number)
{
	(void)context;
	if (length == 1 && *name == 'n')
		*ret_number = (struct number){100, false};
	else if (length == 4 && memcmp(name, "half", 4) == 0)
		*ret_number = (struct number){2.5, true};
	else
		return false;
	return true;
}

static const struct {
	const char *text;
	bool exact;
	double value;
} values[] = {
	{"7", false, 7},
	{" n ", false, 100},
	{"(n + 15) / 16", false, 7},
	{"(n+15)/16*16", false, 112},
	{"n / 16", false, 6},
	{"n / 16", true, 6},
	{"ceil(n / 16)", false, 6},
	{"ceil(n / 16)", true, 7},
	{"ceil(n / 16.0)", false, 7},
	{"ceil((float)n / 16)", false, 7},
	{"ceilf(n / 16.f)", false, 7},
	{"(int)ceil(n / 16.0)", false, 7},
	{"(unsigned int)7.9 + (size_t) 1", false, 8},
	{"floor(n / 16)", true, 6},
	{"min(n, 7) + max(1, 2)", false, 9},
	{"CEIL_DIV(n, 16)", false, 7},
	{"divUp(n, 16) * cdiv(n, 50)", false, 14},
	{"std::min(n, 3)", false, 3},
	{"1 << 20", false, 1048576},
	{"1 + 1 << 3", false, 16},
	{"n >> 3", false, 12},
	{"n % 16", false, 4},
	{"-n + 101", false, 1},
	{"n * sizeof(float)", false, 400},
	{"sizeof( unsigned char )", false, 1},
	{"1 << (0 - 8)", false, 1},
	{"0x10 + 16u", false, 32},
	{"1e3", false, 1000},
	{"half * 2", false, 5},
	{"2 * (3 + (4))", false, 14},
};

TEST_ROWS(value, values, "%s%s", row->text, row->exact ? ", exact" : "")
{
	const struct expression_names names = {find, NULL, row->exact};
	char problem[EXPRESSION_PROBLEM_BYTES];
	struct number number = {0, false};

	EQUAL(expression_value(row->text, strlen(row->text), &names, &number, problem), true);
	test_near(number.value, row->value, 0);
}

static const struct {
	const char *name, *text, *problem;
} wrong[] = {
	{"a name", "a + 1", "no value for 'a'"},
	{"a function", "sin(1)", "no value for 'sin'"},
	{"nothing", "", "a value is missing at the end of ''"},
	{"an operator at the end", "n +", "a value is missing at the end of ''"},
	{"text after it", "n n", "unexpected text 'n'"},
	{"an open bracket", "(n", "unexpected text ''"},
	{"one argument", "min(n)", "unexpected text ')'"},
	{"a division by 0", "n / 0", "too large, or divided by 0, before ''"},
	{"a rest of 0", "n % 0", "too large, or divided by 0, before ''"},
	{"a large number", "1 << 70", "too large, or divided by 0, before ''"},
	{"a large literal", "1e400", "too large: '1e400'"},
	{"the size of a name", "sizeof(x)", "unexpected text '(x)'"},
	{"not a number", "12abc", "not a number: '12abc'"},
	{"many brackets",
		"((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))",
		"unexpected text '1)))))))))))))))))))))))))))))))))))))))'"},
};

TEST_ROWS(problem, wrong, "%s", row->name)
{
	const struct expression_names names = {find, NULL, false};
	char problem[EXPRESSION_PROBLEM_BYTES];
	struct number number = {42, true};

	EQUAL(expression_value(row->text, strlen(row->text), &names, &number, problem), false);
	assert_string_equal(problem, row->problem);
	test_near(number.value, 42, 0);
}

int main(int argc, char **argv)
{
	return test_run(argc, argv);
}
