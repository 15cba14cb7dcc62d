#include "host/report/peer_summary.h"

/* Returns the name of the fastest peer of a row; NULL: none. */
static const char *name_of(const struct result_row *row)
{
	const struct peer_record *peer = peer_list_fastest(&row->peers);

	return peer ? peer->variant : NULL;
}

/* Whether no row before this one has its peer. */
static bool is_first(const struct result_list *rows, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (text_equal(name_of(&rows->items[i]), name_of(&rows->items[index])))
			return false;
	return true;
}

static size_t count_rows(const struct result_list *rows, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++)
		count += name_of(&rows->items[i]) && text_equal(name_of(&rows->items[i]), name);
	return count;
}

void peer_summary_put(FILE *out, const struct result_list *rows)
{
	bool any = false;

	for (size_t i = 0; i < rows->count; i++) {
		const char *name = name_of(&rows->items[i]);

		if (!name || !is_first(rows, i))
			continue;
		size_t count = count_rows(rows, name);
		fprintf(out, "%s%s (%zu row%s)",
			any ? ", " : "x peer = time of the library / time of the variant: ", name,
			count, count == 1 ? "" : "s");
		any = true;
	}
	if (any)
		fputc('\n', out);
}
