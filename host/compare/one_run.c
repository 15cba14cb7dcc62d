#include <stdlib.h>
#include <string.h>

#include "host/compare/compare.h"
#include "host/compare/fields.h"

/* Fewer runs do not show the noise between runs: the interval of a mean of two runs is 13 standard
 * errors wide on each side (Student's t). */
#define ENOUGH_RUNS 4

/* The fields in which the rows of one ladder can differ. */
#define IN_LADDER                                                                     \
	(COMPARE_BIT(ROW_VARIANT) | COMPARE_BIT(ROW_MACROS) | COMPARE_BIT(ROW_MATH) | \
		COMPARE_BIT(ROW_CONTRACT))

/* The rows of one file in a ladder. */
struct part {
	const struct compared_file *file;
	size_t timed; /* rows with a time */
};

static int by_ladder(const void *a, const void *b)
{
	const struct compared_row *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* Returns whether a part is preferred to another one. largest: most times in one part. */
static bool is_better(const struct part *part, const struct part *than, size_t largest)
{
	const struct result_document *document = &part->file->document;
	const struct result_document *other = &than->file->document;
	int order = strcmp(
		text_or_empty(document->run.started_utc), text_or_empty(other->run.started_utc));

	if ((2 * part->timed >= largest) != (2 * than->timed >= largest))
		return 2 * part->timed >= largest;
	if (!document->parity.count != !other->parity.count)
		return !document->parity.count;
	return order ? order > 0 : part->file < than->file;
}

static bool is_same_variant(const struct compared_row *a, const struct compared_row *b)
{
	return text_equal(a->texts[ROW_VARIANT], b->texts[ROW_VARIANT]) &&
	       text_equal(a->texts[ROW_MACROS], b->texts[ROW_MACROS]);
}

/* Marks the rows of a ladder that a better file also has in `dropped`, which has a flag for each row of
 * all files. parts: one for each file */
static void choose(struct compared_row *rows, size_t count, const struct compared_file *files,
	struct part *parts, bool *dropped)
{
	size_t timed_parts = 0, largest = 0;

	for (size_t i = 0; i < count; i++) {
		struct part *part = &parts[rows[i].file];
		if (i == 0 || rows[i].file != rows[i - 1].file)
			*part = (struct part){.file = &files[rows[i].file]};
		if (result_row_median_ns(rows[i].row) > 0 && part->timed++ == 0)
			timed_parts++;
		largest = part->timed > largest ? part->timed : largest;
	}
	for (size_t i = 0; i < count && timed_parts < ENOUGH_RUNS; i++)
		for (size_t j = 0; j < count && !dropped[rows[i].order]; j++)
			dropped[rows[i].order] =
				rows[j].file != rows[i].file &&
				is_better(&parts[rows[j].file], &parts[rows[i].file], largest) &&
				is_same_variant(&rows[i], &rows[j]);
}

/* Sets the keys of the ladders, and sorts by them. Rows of unknown devices have no ladder. */
static bool add_rows(
	struct compared_file *files, size_t count, struct compared_row *rows, size_t *n)
{
	size_t order = 0;

	for (size_t f = 0; f < count; f++)
		for (size_t r = 0; r < files[f].document.results.count; r++, order++) {
			struct compared_row *row = &rows[*n];
			*row = (struct compared_row){.row = &files[f].document.results.items[r],
				.document = &files[f].document,
				.path = files[f].path,
				.file = f,
				.hosts_apart = true,
				.order = order};
			row->device = device_of_key(row->document, row->row->device);
			if (!row->device)
				continue;
			++*n;
			if (!compared_row_set_texts(row) || !compared_row_set_key(row, IN_LADDER))
				return false;
		}
	qsort(rows, *n, sizeof *rows, by_ladder);
	return true;
}

struct kept_rows {
	const struct result_row *first; /* of the file */
	const bool *dropped;            /* one flag for each row of the file */
};

static bool is_kept(void *context, const void *row)
{
	const struct kept_rows *rows = context;

	return !rows->dropped[(const struct result_row *)row - rows->first];
}

/* Removes the dropped rows. dropped: one flag for each row of the file */
static void drop_rows(struct compared_file *file, const bool *dropped)
{
	struct result_row_list *rows = &file->document.results;
	struct kept_rows kept = {rows->items, dropped};
	size_t count = rows->count;

	record_list_keep(&result_row_type, rows, is_kept, &kept);
	file->dropped = count - rows->count;
	file->has_lost_rows |= file->dropped > 0;
}

bool compared_files_choose_runs(struct compared_file *files, size_t count)
{
	size_t total = 0, known = 0, next;

	for (size_t f = 0; f < count; f++)
		total += files[f].document.results.count;
	struct compared_row *rows = calloc(total + 1, sizeof *rows);
	struct part *parts = calloc(count + 1, sizeof *parts);
	bool *dropped = calloc(total + 1, sizeof *dropped);
	bool ok = rows && parts && dropped && add_rows(files, count, rows, &known);
	for (size_t i = 0; ok && i < known; i = next) {
		for (next = i + 1; next < known && strcmp(rows[i].key, rows[next].key) == 0;)
			next++;
		choose(&rows[i], next - i, files, parts, dropped);
	}
	for (size_t i = 0; rows && i < known; i++)
		compared_row_finish(&rows[i]);
	for (size_t f = 0, first = 0; ok && f < count; f++) {
		size_t own = files[f].document.results.count;
		drop_rows(&files[f], &dropped[first]);
		first += own;
	}
	free(rows);
	free(parts);
	free(dropped);
	return ok;
}
