#include <stdlib.h>
#include <string.h>

#include "host/compare/compare.h"
#include "host/compare/fields.h"

/* Fewer runs do not show the noise between runs: the interval of a mean of two runs is 13 standard
 * errors wide on each side (Student's t). */
#define ENOUGH_RUNS 4

/* A file and its doubled rows. */
struct file_rows {
	struct result_document *document; /* not owned */
	struct text_list identities;      /* of its devices, in their order */
	bool *dropped;                    /* for each row: another file has a better one; owned */
};

static const char *identity_of(const struct file_rows *file, const struct result_row *row)
{
	const struct device_list *devices = &file->document->devices;

	for (size_t d = 0; d < devices->count && row->device; d++)
		if (text_equal(devices->items[d].key, row->device))
			return file->identities.items[d];
	return NULL;
}

static bool same_row(const struct result_row *a, const struct result_row *b)
{
	return a->own_kernel == b->own_kernel && text_equal(a->variant, b->variant) &&
	       text_equal(a->family, b->family) && text_equal(a->backend, b->backend) &&
	       text_equal(a->dtype, b->dtype) && text_equal(a->op, b->op) &&
	       text_equal(a->data, b->data) && named_list_equal(&a->problem, &b->problem) &&
	       named_list_equal(&a->macros, &b->macros);
}

static int64_t samples_of(const struct result_row *row)
{
	return result_row_median_ns(row) > 0 ? timing_record_primary(&row->timing)->n : 0;
}

/* The timed row of a file that is the same as `row` of another file; NULL: none. */
static const struct result_row *find_row(
	const struct file_rows *file, const char *identity, const struct result_row *row)
{
	const struct result_row_list *rows = &file->document->results;

	for (size_t i = 0; i < rows->count; i++) {
		const struct result_row *other = &rows->items[i];
		if (same_row(other, row) && samples_of(other) &&
			text_equal(identity_of(file, other), identity))
			return other;
	}
	return NULL;
}

/* Returns whether a few other files have the row, and one of these rows has more samples. */
static bool is_dropped(
	const struct file_rows *files, size_t count, size_t file, const struct result_row *row)
{
	const char *identity = identity_of(&files[file], row);
	bool parity = files[file].document->parity.count > 0, dropped = false;
	size_t runs = 1;

	for (size_t i = 0; i < count && identity; i++) {
		const struct result_row *other =
			i == file ? NULL : find_row(&files[i], identity, row);
		if (!other)
			continue;
		bool other_parity = files[i].document->parity.count > 0;
		int64_t more = samples_of(other) - samples_of(row);
		runs++;
		dropped |= parity == other_parity ? more > 0 || (more == 0 && i < file) : parity;
	}
	return dropped && runs < ENOUGH_RUNS;
}

static bool is_kept(void *context, const void *row)
{
	const struct file_rows *file = context;

	return !file->dropped[(const struct result_row *)row - file->document->results.items];
}

static bool file_rows_init(struct result_document *document, struct file_rows *file)
{
	bool ok = true;

	*file = (struct file_rows){.document = document,
		.dropped = calloc(document->results.count + 1, sizeof *file->dropped)};
	for (size_t d = 0; d < document->devices.count && ok; d++) {
		char *text = device_identity_on_host(&document->devices.items[d], document);
		ok = text && text_list_add(&file->identities, text);
		free(text);
	}
	return ok && file->dropped;
}

bool compared_files_drop_doubled_rows(struct compared_file *files, size_t count)
{
	struct file_rows *all = calloc(count + 1, sizeof *all);
	bool ok = all != NULL;

	for (size_t f = 0; f < count && ok; f++)
		ok = file_rows_init(&files[f].document, &all[f]);
	for (size_t f = 0; f < count && ok; f++)
		for (size_t i = 0; i < files[f].document.results.count; i++)
			all[f].dropped[i] =
				is_dropped(all, count, f, &files[f].document.results.items[i]);
	for (size_t f = 0; f < count && all; f++) {
		size_t before = files[f].document.results.count;
		if (ok)
			record_list_keep(
				&result_row_type, &files[f].document.results, is_kept, &all[f]);
		files[f].dropped = before - files[f].document.results.count;
		files[f].has_lost_rows |= files[f].dropped > 0;
		text_list_finish(&all[f].identities);
		free(all[f].dropped);
	}
	free(all);
	return ok;
}
