#include "host/report/columns.h"

#include <stdlib.h>

static int columns_of(const struct table_column *column)
{
	return abs(column->width) + column->gap;
}

/* The column with the smallest priority above `after`; count = none. */
static size_t next_column(const struct table_column *columns, size_t count, int after)
{
	size_t next = count;

	for (size_t i = 0; i < count; i++)
		if (columns[i].priority > after &&
			(next == count || columns[i].priority < columns[next].priority))
			next = i;
	return next;
}

int columns_choose(const struct table_column *columns, size_t count, int width, bool *ret_shown)
{
	int used = 0;

	for (size_t i = 0; i < count; i++) {
		ret_shown[i] = columns[i].priority == 0 && !columns[i].absent;
		used += ret_shown[i] ? columns_of(&columns[i]) : 0;
	}
	for (size_t i = next_column(columns, count, 0); i < count;
		i = next_column(columns, count, columns[i].priority)) {
		if (columns[i].absent || (width && used + columns_of(&columns[i]) > width))
			continue;
		ret_shown[i] = true;
		used += columns_of(&columns[i]);
	}
	return used;
}
