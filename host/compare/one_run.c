#include <stdlib.h>
#include <string.h>

#include "host/compare/compare.h"

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
	/* The first row, with a time if there is one: rows without a time have no contract. */
	const struct compared_row *first;
};

static int compare_variants(const struct compared_row *a, const struct compared_row *b)
{
	int order =
		strcmp(text_or_empty(a->texts[ROW_VARIANT]), text_or_empty(b->texts[ROW_VARIANT]));

	return order ? order
		     : strcmp(text_or_empty(a->texts[ROW_MACROS]),
			       text_or_empty(b->texts[ROW_MACROS]));
}

/* The rows of a variant are neighbours. */
static int by_ladder(const void *a, const void *b)
{
	const struct compared_row *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	if (order == 0)
		order = compare_variants(x, y);
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

/* Whether two rows have the same floating-point mode and timing contract. */
static bool is_comparable(const struct compared_row *a, const struct compared_row *b)
{
	return text_equal(a->texts[ROW_MATH], b->texts[ROW_MATH]) &&
	       text_equal(a->texts[ROW_CONTRACT], b->texts[ROW_CONTRACT]);
}

/* Whether the page shows the row: it is comparable with the best file, and no better file has the variant.
 * A row without a time takes no other's place. rows: all rows of the variant. */
static bool is_shown(const struct compared_row *row, const struct compared_row *rows, size_t count,
	const struct part *parts, const struct part *best, size_t largest)
{
	bool shown = row->of == best->file || is_comparable(row, best->first);

	for (size_t i = 0; i < count && shown; i++)
		shown = rows[i].file == row->file ||
			!is_better(&parts[rows[i].file], &parts[row->file], largest) ||
			(result_row_median_ns(row->row) > 0 &&
				!(result_row_median_ns(rows[i].row) > 0));
	return shown;
}

/* Marks the rows of a ladder that the page does not show: `present` is false. parts: one for each file */
static void choose(struct compared_file *files, const struct compared_row *rows, size_t count,
	struct part *parts)
{
	size_t timed_parts = 0, largest = 0;
	const struct part *best = &parts[rows[0].file];

	for (size_t i = 0; i < count; i++)
		parts[rows[i].file] = (struct part){.file = rows[i].of, .first = &rows[i]};
	for (size_t i = 0; i < count; i++) {
		struct part *part = &parts[rows[i].file];
		if (result_row_median_ns(rows[i].row) > 0 && part->timed++ == 0) {
			part->first = &rows[i];
			timed_parts++;
		}
		largest = part->timed > largest ? part->timed : largest;
	}
	for (size_t i = 1; i < count; i++)
		if (is_better(&parts[rows[i].file], best, largest))
			best = &parts[rows[i].file];
	for (size_t i = 0, end; i < count && timed_parts < ENOUGH_RUNS; i = end) {
		for (end = i + 1; end < count && compare_variants(&rows[i], &rows[end]) == 0;)
			end++;
		for (size_t r = i; r < end; r++) {
			struct result_row_list *all = &files[rows[r].file].document.results;
			/* Rows of unknown devices have no ladder. */
			if (rows[r].device &&
				!is_shown(&rows[r], &rows[i], end - i, parts, best, largest))
				all->items[rows[r].row - all->items].record.present = false;
		}
	}
}

/* A record_keep_fn. */
static bool is_present(void *context, const void *row)
{
	(void)context;
	return ((const struct result_row *)row)->record.present;
}

bool compared_files_choose_runs(struct compared_file *files, size_t count)
{
	struct compared_rows rows;
	bool ok = compared_rows_make(files, count, true, &rows);
	struct part *parts = calloc(count + 1, sizeof *parts);

	ok = ok && parts;
	for (size_t i = 0; i < rows.count && ok; i++)
		ok = compared_row_set_key(&rows.items[i], IN_LADDER);
	if (ok)
		qsort(rows.items, rows.count, sizeof *rows.items, by_ladder);
	for (size_t i = 0, next; ok && i < rows.count; i = next) {
		for (next = i + 1;
			next < rows.count && strcmp(rows.items[i].key, rows.items[next].key) == 0;)
			next++;
		choose(files, &rows.items[i], next - i, parts);
	}
	compared_rows_finish(&rows);
	free(parts);
	for (size_t f = 0; ok && f < count; f++) {
		struct result_row_list *own = &files[f].document.results;
		size_t before = own->count;
		record_list_keep(&result_row_type, own, is_present, NULL);
		files[f].dropped = before - own->count;
		files[f].has_lost_rows |= files[f].dropped > 0;
	}
	return ok;
}

/* ---- Models ---------------------------------------------------------------------------------- */

bool compared_files_join_models(struct compared_file *files, size_t count)
{
	bool ok = true;

	for (size_t f = 0; f < count; f++)
		for (size_t d = 0; d < files[f].document.devices.count; d++) {
			struct device_record *device = &files[f].document.devices.items[d];
			if (!text_equal(device->type, "gpu"))
				continue;
			text_format(&device->uuid, "model:%s", text_or_empty(device->name));
			text_set(&device->pci, NULL);
			ok &= device->uuid != NULL;
		}
	return ok;
}
