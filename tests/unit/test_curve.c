/* Curves of characters: every value and mark is drawn, for all widths. */
#include "common/number_text.h"
#include "host/report/curve.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_VALUES 2000

static const struct row {
	const char *name;
	size_t count;
	double first, last; /* values in equal steps; the odd ones are missing if gaps is set */
	bool gaps;
	size_t mark; /* 0 = none */
	int width;
	size_t lines, points, crosses; /* expected; points 0: at least 1 */
	int top;                       /* line of the last value, -1: not checked */
} rows[] = {
	{"rising", 7, 1, 7, false, 0, 80, CURVE_ROWS, 7, 0, 0},
	{"falling", 7, 7, 1, false, 0, 80, CURVE_ROWS, 7, 0, CURVE_ROWS - 1},
	{"constant: in the middle", 9, 5, 5, false, 0, 80, CURVE_ROWS, 9, 0, CURVE_ROWS / 2},
	{"within 1 %: in the middle", 2, 1000, 1001, false, 0, 80, CURVE_ROWS, 2, 0,
		CURVE_ROWS / 2},
	{"zeros", 3, 0, 0, false, 0, 80, CURVE_ROWS, 3, 0, CURVE_ROWS / 2},
	{"one value", 1, 1, 1, false, 0, 80, CURVE_ROWS, 1, 0, CURVE_ROWS / 2},
	{"gaps", 7, 1, 7, true, 0, 80, CURVE_ROWS, 4, 3, 0},
	{"only gaps", 3, NAN, NAN, false, 0, 80, 0, 0, 0, -1},
	{"a mark", 20, 1, 20, false, 10, 80, CURVE_ROWS, 20, 0, 0},
	{"as many values as columns", 69, 1, 1, false, 30, 80, CURVE_ROWS, 69, 0, -1},
	{"more values than columns", MAX_VALUES, 1, 1, false, 1000, 80, CURVE_ROWS, 69, 0, -1},
	{"a wide terminal", MAX_VALUES, 1, 1, false, 1000, 100000, CURVE_ROWS, 400, 0, -1},
	{"a narrow terminal", 30, 1, 1, false, 20, 1, CURVE_ROWS, 10, 0, -1},
};

static size_t count_of(const char *text, char letter)
{
	size_t count = 0;

	for (; *text; text++)
		count += *text == letter;
	return count;
}

/* The number of the line of the rightmost point. */
static int line_of_last(const char *text)
{
	int best = -1;
	size_t column = 0;
	int line = 0;

	for (const char *next = text; *next; line++) {
		size_t length = strcspn(next, "\n");
		for (size_t i = 0; i < length; i++)
			if (next[i] == '*' && (best < 0 || i > column)) {
				column = i;
				best = line;
			}
		next += length + (next[length] == '\n');
	}
	return best;
}

static char *draw(const struct row *row)
{
	static struct curve_value values[MAX_VALUES];
	const struct curve curve = {
		.values = values, .count = row->count, .format = format_ns, .width = row->width};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; i < row->count; i++) {
		double part = row->count > 1 ? (double)i / (double)(row->count - 1) : 0;
		bool gap = row->gaps && i % 2 == 1;
		values[i] = (struct curve_value){
			.value = gap ? NAN : row->first + part * (row->last - row->first),
			.mark = row->mark && i == row->mark};
	}
	curve_put(out, &curve);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void curve(const void *context)
{
	const struct row *row = context;
	char *text = draw(row);

	assert_int_equal(count_of(text, '\n'), row->lines);
	assert_int_equal(count_of(text, '*'), row->points);
	assert_int_equal(count_of(text, 'x'), row->crosses);
	if (row->top >= 0)
		assert_int_equal(line_of_last(text), row->top);
	/* Each line has the axis. A point may cover a part of the mark. */
	size_t bars = count_of(text, '|');
	assert_true(row->mark ? bars > row->lines : bars == row->lines);
	free(text);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		test_add(&list, curve, &rows[i], "%s", rows[i].name);
	return test_run(&list, argc, argv);
}
