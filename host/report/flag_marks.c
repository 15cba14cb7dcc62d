#include "host/report/flag_marks.h"

#include <stdlib.h>

/* ASCII characters that Markdown does not interpret if a cell has each of them only once. */
const struct flag_mark flag_marks[FLAG_MARK_COUNT] = {
	{"^", "below_resolution",
		"one run is too short for the timer; the time is the mean of a batch of runs"},
	{"!", "throttled", "the device was slower than usual during some samples"},
	{"@", "host_clock",
		"measured with the host clock, because the device has no timer or its timer "
		"disagrees"},
	{"~", "noisy", "the 95 % interval of the median is wider than ±0.5 %, or unknown"},
	{"*", "unflushed", "the cache was not flushed completely before each sample"},
	{"+", "fallback", "the default tile does not fit this device; the row has a smaller one"},
	{"=", "your kernel",
		"a kernel of yours in place of, or beside, those of pmpp; the row has no floors and no "
		"claim"},
};

void flag_marks_format(unsigned flags, char ret_text[FLAG_MARKS_BYTES])
{
	size_t used = 0;

	for (unsigned i = 0; i < FLAG_MARK_COUNT; i++)
		if (flags >> i & 1)
			ret_text[used++] = flag_marks[i].mark[0];
	ret_text[used] = '\0';
}

unsigned flag_marks_of_row(const struct result_row *row)
{
	const unsigned own = row->own_kernel ? FLAG_MARK_OWN : 0u;

	if (!row->timing.record.present)
		return own;
	return (result_row_flags(row) & (FLAG_MARK_FALLBACK - 1)) |
	       (row->fallback ? FLAG_MARK_FALLBACK : 0u) | own;
}

unsigned flag_marks_of_cell(const struct cell_record *cell)
{
	if (!(cell->median_ns > 0))
		return 0;
	return (cell->flags & (FLAG_MARK_FALLBACK - 1)) | (cell->own_kernel ? FLAG_MARK_OWN : 0u);
}

void flag_marks_put(FILE *out, const char *before, unsigned flags, const char *after)
{
	for (unsigned i = 0; i < FLAG_MARK_COUNT; i++)
		if (flags >> i & 1)
			fprintf(out, "%s%s %s: %s%s", before, flag_marks[i].mark,
				flag_marks[i].name, flag_marks[i].meaning, after);
}

void flag_marks_markdown(FILE *out, unsigned flags)
{
	fputs(flags ? "\n" : "", out);
	/* "\*" is no list item. */
	flag_marks_put(out, "- \\", flags, "\n");
}
