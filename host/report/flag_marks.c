#include "host/report/flag_marks.h"

/* ASCII characters that Markdown does not interpret if a cell has each of them only once. */
const struct flag_mark flag_marks[FLAG_MARK_COUNT] = {
	{"^", "one run is too short for the timer; the time is the mean of a batch of runs"},
	{"!", "the device was slower than usual during some samples"},
	{"@", "measured with the host clock, because the device has no timer or its timer disagrees"},
	{"~", "the 95 % interval of the median is wider than ±0.5 %, or unknown"},
	{"*", "the cache was not flushed completely before each sample"},
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
	return row->timing.record.present ? row->timing.flags : 0;
}

void flag_marks_legend(FILE *out, unsigned flags)
{
	for (unsigned i = 0; i < FLAG_MARK_COUNT; i++)
		if (flags >> i & 1)
			fprintf(out, "  %s %s: %s\n", flag_marks[i].mark, timing_flag_words[i],
				flag_marks[i].meaning);
}

void flag_marks_counts(FILE *out, const struct result_list *rows)
{
	for (unsigned i = 0; i < FLAG_MARK_COUNT; i++) {
		size_t count = 0;

		for (size_t r = 0; r < rows->count; r++)
			count += flag_marks_of_row(&rows->items[r]) >> i & 1;
		if (count)
			fprintf(out, "  %s %s (%zu row%s): %s\n", flag_marks[i].mark,
				timing_flag_words[i], count, count == 1 ? "" : "s",
				flag_marks[i].meaning);
	}
}
