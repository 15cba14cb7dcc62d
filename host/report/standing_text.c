#include "host/report/standing_text.h"

#include <stdlib.h>
#include <string.h>

#include "host/report/table.h"

#define SHOWN_FIRST 3

static const char *ordinal_suffix(size_t number)
{
	static const char *const suffixes[] = {"th", "st", "nd", "rd"};
	bool teen = number % 100 >= 11 && number % 100 <= 13;

	return suffixes[!teen && number % 10 < 4 ? number % 10 : 0];
}

static bool is_shown(const struct standing *standing, size_t index)
{
	return index < SHOWN_FIRST ||
	       (index + 1 >= standing->place && index <= standing->place + 1);
}

/* "2nd of 3: NAME fine 1.66 ms, this device coarse 3.21 ms" */
static void add_standing(struct table *table, const struct standing *standing)
{
	const struct result_row *row = standing->entries[standing->place].row;
	char sizes[160], time[32];
	char *text = NULL;
	size_t size;
	const char *separator = ": ";
	FILE *out = open_memstream(&text, &size);

	if (out)
		fprintf(out, "%zu%s of %zu", standing->place + 1,
			ordinal_suffix(standing->place + 1), standing->count);
	for (size_t i = 0; i < standing->count && out; i++) {
		const struct standing_entry *entry = &standing->entries[i];
		if (is_shown(standing, i)) {
			format_ns(result_row_median_ns(entry->row), time, sizeof time);
			fprintf(out, "%s%s %s %s", separator,
				entry->name ? entry->name : "this device",
				text_or_empty(entry->row->variant), time);
			separator = ", ";
		} else if (separator[1] == ' ') {
			separator = ", ..., ";
		}
	}
	if (out)
		fputs(strlen(separator) > 2 ? ", ..." : "", out);
	if (out)
		fclose(out);
	format_sizes(&row->problem, sizes, sizeof sizes);
	table_row(table, STYLE_PLAIN);
	table_text(table, row->family);
	table_text(table, sizes);
	table_text(table, text);
	free(text);
}

void standing_text_put(FILE *out, const struct standings *standings)
{
	static const struct table_column columns[] = {
		{.title = ""}, {.title = ""}, {.title = "", .align = TABLE_REST}};
	struct table table;

	if (standings->count == 0)
		return;
	table_init(&table, columns, 3);
	table.indent = 4;
	table.untitled = true;
	for (size_t i = 0; i < standings->count; i++)
		add_standing(&table, &standings->items[i]);
	fputs("among the devices that ship with pmpp (fastest variant; docs/comparing.md):\n", out);
	table_put(&table, out, &(struct page_style){0});
	table_finish(&table);
}
