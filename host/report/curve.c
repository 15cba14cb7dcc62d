#include "host/report/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/report/format.h"

#define LABEL_WIDTH 9
#define MAX_COLUMNS 400
#define MAX_STEP 4     /* columns between two values */
#define MIN_RANGE 0.02 /* of the middle of the range */

enum cell {
	CELL_BLANK,
	CELL_MARK,
	CELL_VALUE,
	CELL_NONE,
	CELL_AXIS,
	CELL_COUNT
};

static const char *const drawings[2][CELL_COUNT] = {
	{" ", "|", "*", "x", "|"},
	{" ", "┆", "●", "×", "│"},
};

struct range {
	double min, max;
};

static bool range_of(const struct curve *curve, struct range *ret_range)
{
	struct range range = {INFINITY, -INFINITY};

	for (size_t i = 0; i < curve->count; i++)
		if (isfinite(curve->values[i].value)) {
			range.min = fmin(range.min, curve->values[i].value);
			range.max = fmax(range.max, curve->values[i].value);
		}
	if (range.min > range.max)
		return false;
	double middle = (range.min + range.max) / 2;
	double min = MIN_RANGE * fabs(middle);
	if (range.max - range.min < min)
		range = (struct range){middle - min / 2, middle + min / 2};
	*ret_range = range;
	return true;
}

static size_t column_of(const struct curve *curve, size_t index, size_t columns)
{
	size_t step = columns / curve->count;

	if (step == 0)
		return index * columns / curve->count;
	return index * (step < MAX_STEP ? step : MAX_STEP);
}

/* The row, counted from the top. The range is empty only if all values are 0: then the middle row.
 */
static size_t row_of(const struct range *range, double value)
{
	double height = range->max - range->min;
	double part = height > 0 ? (range->max - value) / height : 0.5;

	return (size_t)lround(part * (CURVE_ROWS - 1));
}

static void draw(const struct curve *curve, const struct range *range, size_t columns,
	unsigned char cells[CURVE_ROWS][MAX_COLUMNS])
{
	for (size_t i = 0; i < curve->count; i++) {
		const struct curve_value *value = &curve->values[i];
		size_t column = column_of(curve, i, columns);
		size_t beside = column > 0 && columns / curve->count > 1 ? column - 1 : column;
		for (size_t row = 0; row < CURVE_ROWS && value->mark; row++)
			if (cells[row][beside] == CELL_BLANK)
				cells[row][beside] = CELL_MARK;
		if (isfinite(value->value))
			cells[row_of(range, value->value)][column] = CELL_VALUE;
		else
			cells[CURVE_ROWS - 1][column] = CELL_NONE;
	}
}

static void put_row(FILE *out, const struct curve *curve, const struct range *range, size_t row,
	const unsigned char *cells, size_t columns)
{
	const char *const *drawing = drawings[curve->unicode];
	char label[32] = "";
	size_t used = columns;

	if (row % (CURVE_ROWS / 2) == 0)
		curve->format(
			range->max - (range->max - range->min) * (double)row / (CURVE_ROWS - 1),
			label, sizeof label);
	format_put_padded(out, label, -LABEL_WIDTH);
	fprintf(out, " %s", drawing[CELL_AXIS]);
	while (used > 0 && cells[used - 1] == CELL_BLANK)
		used--;
	for (size_t i = 0; i < used; i++)
		fputs(drawing[cells[i]], out);
	fputc('\n', out);
}

void curve_put(FILE *out, const struct curve *curve)
{
	unsigned char cells[CURVE_ROWS][MAX_COLUMNS] = {{0}};
	struct range range;
	int width = curve->width - LABEL_WIDTH - 2;
	size_t columns = width < 10 ? 10 : width > MAX_COLUMNS ? MAX_COLUMNS : (size_t)width;

	if (!range_of(curve, &range))
		return;
	draw(curve, &range, columns, cells);
	for (size_t row = 0; row < CURVE_ROWS; row++)
		put_row(out, curve, &range, row, cells[row], columns);
}
