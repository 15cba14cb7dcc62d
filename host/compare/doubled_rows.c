#include <stdlib.h>
#include <string.h>

#include "host/compare/compare.h"
#include "host/compare/fields.h"

/* Fewer runs say too little about the noise between runs: with two the interval of a mean is 13
 * standard errors wide on each side (Student's t). */
#define ENOUGH_RUNS 4

/* A file while its rows are looked at. */
struct looked_file {
	struct result_document *document; /* not owned */
	struct text_list identities;      /* of its devices, in their order */
	bool *left;                       /* for each row: another file has a better one; owned */
};

static const char *identity_of(const struct looked_file *file, const struct result_row *row)
{
	const struct device_list *devices = &file->document->devices;

	for (size_t d = 0; d < devices->count && row->device; d++)
		if (text_equal(devices->items[d].key, row->device))
			return file->identities.items[d];
	return NULL;
}

static bool same_row(const struct result_row *a, const struct result_row *b)
{
	return text_equal(a->variant, b->variant) && text_equal(a->family, b->family) &&
	       text_equal(a->backend, b->backend) && text_equal(a->dtype, b->dtype) &&
	       text_equal(a->op, b->op) && text_equal(a->data, b->data) &&
	       named_list_equal(&a->problem, &b->problem) &&
	       named_list_equal(&a->macros, &b->macros);
}

static int64_t samples_of(const struct result_row *row)
{
	return result_row_median_ns(row) > 0 ? timing_record_primary(&row->timing)->n : 0;
}

/* The timed row of a file that is the same as `row` of another file; NULL: none. */
static const struct result_row *find_row(
	const struct looked_file *file, const char *identity, const struct result_row *row)
{
	const struct result_list *rows = &file->document->results;

	for (size_t i = 0; i < rows->count; i++) {
		const struct result_row *other = &rows->items[i];
		if (same_row(other, row) && samples_of(other) &&
			text_equal(identity_of(file, other), identity))
			return other;
	}
	return NULL;
}

/* Whether a few other files have the row, and one of them has it with more samples. */
static bool is_left(
	const struct looked_file *files, size_t count, size_t file, const struct result_row *row)
{
	const char *identity = identity_of(&files[file], row);
	bool parity = files[file].document->parity.count > 0, left = false;
	size_t runs = 1;

	for (size_t i = 0; i < count && identity; i++) {
		const struct result_row *other =
			i == file ? NULL : find_row(&files[i], identity, row);
		if (!other)
			continue;
		bool other_parity = files[i].document->parity.count > 0;
		int64_t more = samples_of(other) - samples_of(row);
		runs++;
		left |= parity == other_parity ? more > 0 || (more == 0 && i < file) : parity;
	}
	return left && runs < ENOUGH_RUNS;
}

static void remove_left(struct looked_file *file)
{
	struct result_list *rows = &file->document->results;
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++)
		if (file->left[i])
			record_finish(&result_row_type, &rows->items[i]);
		else
			rows->items[kept++] = rows->items[i];
	rows->count = kept;
}

static bool look_at(struct result_document *document, struct looked_file *file)
{
	bool ok = true;

	*file = (struct looked_file){.document = document,
		.left = calloc(document->results.count + 1, sizeof *file->left)};
	for (size_t d = 0; d < document->devices.count && ok; d++) {
		char *text = device_identity_on_host(&document->devices.items[d], document);
		ok = text && text_list_add(&file->identities, text);
		free(text);
	}
	return ok && file->left;
}

bool compared_files_leave_doubled_rows(struct compared_file *files, size_t count)
{
	struct looked_file *looked = calloc(count + 1, sizeof *looked);
	bool ok = looked != NULL;

	for (size_t f = 0; f < count && ok; f++)
		ok = look_at(&files[f].document, &looked[f]);
	for (size_t f = 0; f < count && ok; f++)
		for (size_t i = 0; i < files[f].document.results.count; i++)
			looked[f].left[i] =
				is_left(looked, count, f, &files[f].document.results.items[i]);
	for (size_t f = 0; f < count && looked; f++) {
		size_t before = files[f].document.results.count;
		if (ok)
			remove_left(&looked[f]);
		files[f].has_lost_rows = files[f].document.results.count < before;
		text_list_finish(&looked[f].identities);
		free(looked[f].left);
	}
	free(looked);
	return ok;
}
