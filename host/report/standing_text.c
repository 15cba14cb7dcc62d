#include "host/report/standing_text.h"

#include <string.h>

#include "host/report/format.h"

#define SHOWN_FIRST 3

static const char *ordinal_suffix(size_t number)
{
	static const char *const suffixes[] = {"th", "st", "nd", "rd"};
	bool teen = number % 100 >= 11 && number % 100 <= 13;

	return suffixes[!teen && number % 10 < 4 ? number % 10 : 0];
}

static void put_entry(const struct standing_entry *entry, FILE *out)
{
	char time[32];

	format_ns(result_row_median_ns(entry->row), time, sizeof time);
	fprintf(out, "%s %s %s", entry->name ? entry->name : "this device",
		text_or_empty(entry->row->variant), time);
}

static bool is_shown(const struct standing *standing, size_t index)
{
	return index < SHOWN_FIRST ||
	       (index + 1 >= standing->place && index <= standing->place + 1);
}

static void put_standing(const struct standing *standing, int width, FILE *out)
{
	const struct result_row *row = standing->entries[standing->place].row;
	char sizes[160];
	bool gap = false;

	fputs("    ", out);
	format_put_padded(out, text_or_empty(row->family), width);
	fputs("  ", out);
	format_sizes(&row->problem, sizes, sizeof sizes);
	fprintf(out, "%s  %zu%s of %zu: ", sizes, standing->place + 1,
		ordinal_suffix(standing->place + 1), standing->count);
	for (size_t i = 0; i < standing->count; i++) {
		if (!is_shown(standing, i)) {
			fputs(gap ? "" : ", ...", out);
			gap = true;
			continue;
		}
		fputs(i ? ", " : "", out);
		put_entry(&standing->entries[i], out);
		gap = false;
	}
	fputc('\n', out);
}

void standing_text_put(FILE *out, const struct standings *standings)
{
	int width = 0;

	if (standings->count == 0)
		return;
	for (size_t i = 0; i < standings->count; i++) {
		const char *family = text_or_empty(standings->items[i].entries[0].row->family);
		width = (int)strlen(family) > width ? (int)strlen(family) : width;
	}
	fputs("among the devices that ship with pmpp (fastest variant; docs/comparing.md):\n", out);
	for (size_t i = 0; i < standings->count; i++)
		put_standing(&standings->items[i], width, out);
}
