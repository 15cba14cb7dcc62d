#include "common/line_diff.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* edits: the lines of the diff, each with its mark before it and a bar after it. */
static const struct row {
	const char *first, *second;
	const char *edits;
} rows[] = {
	{"", "", ""},
	{"a\n", "", "-a|"},
	{"", "a\n", "+a|"},
	{"a\nb\nc\n", "a\nb\nc\n", " a| b| c|"},
	{"a\nb\nc\n", "a\nc\n", " a|-b| c|"},
	{"a\nc\n", "a\nb\nc\n", " a|+b| c|"},
	{"a\nb\nc\n", "a\nx\nc\n", " a|-b|+x| c|"},
	{"a\nb\n", "x\ny\n", "-a|-b|+x|+y|"},
	{"a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n", "-a|-b| c|-a| b|+a| b| a|+c|"},
	{"a\n\nb\n", "a\nb\n", " a|-| b|"},
	{"a\nb", "a\nb\n", " a| b|"},
	{"b\n", "bb\n", "-b|+bb|"},
	{"a \n", "a\n", "-a |+a|"},
};

static void compares(const void *context)
{
	static const char marks[] = {[DIFF_BOTH] = ' ', [DIFF_FIRST] = '-', [DIFF_SECOND] = '+'};
	const struct row *row = context;
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct line_diff diff = {0};
	char got[100] = "";
	size_t used = 0;

	test_ok(line_diff_make(row->first, row->second, &diff, &error), &error);
	for (size_t i = 0; i < diff.count; i++)
		used += (size_t)snprintf(got + used, sizeof got - used, "%c%.*s|",
			marks[diff.lines[i].side], diff.lines[i].length, diff.lines[i].text);
	if (strcmp(got, row->edits) != 0)
		test_fail("got '%s', want '%s'", got, row->edits);
	line_diff_finish(&diff);
}

/* Random texts with few different lines. Both texts can be restored from the diff. The diff has as
 * many common lines as the longest common subsequence, whose length a recursion computes. */
#define MAX_RANDOM 12

static size_t common_length(const char *a, const char *b)
{
	if (!*a || !*b)
		return 0;
	if (*a == *b)
		return 1 + common_length(a + 1, b + 1);
	size_t left = common_length(a + 1, b);
	size_t right = common_length(a, b + 1);
	return left > right ? left : right;
}

static void random_text(unsigned *state, char letters[MAX_RANDOM + 1], char *text)
{
	size_t count = (*state = *state * 1103515245 + 12345) >> 16 & 0xffff;

	count %= MAX_RANDOM + 1;
	for (size_t i = 0; i < count; i++) {
		*state = *state * 1103515245 + 12345;
		letters[i] = (char)('a' + (*state >> 16) % 3);
		text[2 * i] = letters[i];
		text[2 * i + 1] = '\n';
	}
	letters[count] = '\0';
	text[2 * count] = '\0';
}

static void gives_both_back(const void *context)
{
	unsigned state = 1;

	(void)context;
	for (int round = 0; round < 300; round++) {
		char letters[2][MAX_RANDOM + 1], texts[2][2 * MAX_RANDOM + 1];
		char back[2][MAX_RANDOM + 1] = {"", ""};
		struct pmpp_error error = PMPP_ERROR_INIT;
		struct line_diff diff = {0};
		size_t common = 0;

		random_text(&state, letters[0], texts[0]);
		random_text(&state, letters[1], texts[1]);
		test_ok(line_diff_make(texts[0], texts[1], &diff, &error), &error);
		for (size_t i = 0; i < diff.count; i++) {
			enum diff_side side = diff.lines[i].side;

			assert_int_equal(diff.lines[i].length, 1);
			common += side == DIFF_BOTH;
			if (side != DIFF_SECOND)
				strncat(back[0], diff.lines[i].text, 1);
			if (side != DIFF_FIRST)
				strncat(back[1], diff.lines[i].text, 1);
		}
		assert_string_equal(back[0], letters[0]);
		assert_string_equal(back[1], letters[1]);
		assert_int_equal(diff.first_count, strlen(letters[0]));
		assert_int_equal(diff.second_count, strlen(letters[1]));
		assert_int_equal(common, common_length(letters[0], letters[1]));
		line_diff_finish(&diff);
	}
}

static void longest(const void *context)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct line_diff diff = {0};
	char text[LINE_DIFF_MAX_LINES + 2];

	(void)context;
	memset(text, '\n', sizeof text);
	text[LINE_DIFF_MAX_LINES] = '\0';
	test_ok(line_diff_make(text, text, &diff, &error), &error);
	assert_int_equal(diff.count, LINE_DIFF_MAX_LINES);
	line_diff_finish(&diff);
	text[LINE_DIFF_MAX_LINES] = '\n';
	text[LINE_DIFF_MAX_LINES + 1] = '\0';
	test_refused(line_diff_make("a\n", text, &diff, &error), PMPP_USAGE, &error, "4097 lines");
	assert_null(diff.lines);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		test_add(&list, compares, &rows[i], "diff %s", rows[i].edits);
	test_add(&list, gives_both_back, NULL, "random texts");
	test_add(&list, longest, NULL, "the longest text, and one line more");
	return test_run(&list, argc, argv);
}
