#include <stdlib.h>

#include "common/family.h"
#include "host/compare/fields.h"
#include "host/contribute/contribute.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Returns whether a row takes part. Kernels of the user do not. */
static bool is_timed(const struct result_row *row)
{
	return row->status == OUTCOME_OK && !row->own_kernel && result_row_median_ns(row) > 0;
}

static bool same_problem(const struct result_row *a, const struct result_row *b)
{
	return text_equal(a->family, b->family) && text_equal(a->dtype, b->dtype) &&
	       text_equal(a->op, b->op) && text_equal(a->data, b->data) &&
	       named_list_equal(&a->problem, &b->problem);
}

static bool same_conditions(const struct result_row *a, const struct result_row *b)
{
	return text_equal(a->build.math, b->build.math) &&
	       text_equal(a->timing.contract, b->timing.contract);
}

/* Returns whether a document has a row of this problem and variant with the project's kernel, timed or
 * not. */
static bool has_variant(const struct result_document *document, const struct result_row *row)
{
	for (size_t i = 0; i < document->results.count; i++)
		if (!document->results.items[i].own_kernel &&
			text_equal(document->results.items[i].variant, row->variant) &&
			same_problem(&document->results.items[i], row))
			return true;
	return false;
}

/* Returns the fastest row that solves a problem, without peers; NULL = none. own: uses only its
 * variants. */
static const struct result_row *fastest(const struct result_document *document,
	const struct result_row *problem, const struct result_document *own)
{
	const struct result_row *best = NULL;

	for (size_t i = 0; i < document->results.count; i++) {
		const struct result_row *row = &document->results.items[i];
		if (is_timed(row) && !row->peer && same_problem(row, problem) &&
			same_conditions(row, problem) &&
			variant_solves_family(
				text_or_empty(row->family), text_or_empty(row->variant)) &&
			(!best || result_row_median_ns(row) < result_row_median_ns(best)) &&
			has_variant(own, row))
			best = row;
	}
	return best;
}

/* ---- Devices --------------------------------------------------------------------------------- */

/* Returns the device of all rows; NULL: several, or none. */
static const struct device_record *only_device(const struct result_document *document)
{
	const struct result_row_list *rows = &document->results;

	for (size_t i = 1; i < rows->count; i++)
		if (!text_equal(rows->items[i].device, rows->items[0].device))
			return NULL;
	return rows->count ? device_of_key(document, rows->items[0].device) : NULL;
}

/* ---- Standings ------------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	double x = result_row_median_ns(((const struct standing_entry *)a)->row);
	double y = result_row_median_ns(((const struct standing_entry *)b)->row);

	return (x > y) - (x < y);
}

/* Returns false if there is no memory. */
static bool fill_standing(const struct result_document *own, const struct device_record *device,
	const struct result_row *problem, const struct compared_file *others, size_t count,
	struct standing *standing)
{
	*standing = (struct standing){.entries = calloc(count + 1, sizeof *standing->entries)};
	if (!standing->entries)
		return false;
	standing->entries[0].row = fastest(own, problem, own);
	standing->count = standing->entries[0].row != NULL;
	for (size_t i = 0; i < count && standing->count; i++) {
		const struct result_document *other = &others[i].document;
		const struct device_record *theirs = only_device(other);
		const struct result_row *row =
			theirs && !contribution_same_device(own, device, other, theirs)
				? fastest(other, problem, own)
				: NULL;
		if (row)
			standing->entries[standing->count++] =
				(struct standing_entry){others[i].name, row};
	}
	qsort(standing->entries, standing->count, sizeof *standing->entries, by_time);
	while (standing->place < standing->count && standing->entries[standing->place].name)
		standing->place++;
	return true;
}

enum pmpp_status standings_make(const struct result_document *own,
	const struct compared_file *others, size_t count, struct standings *ret_standings,
	struct pmpp_error *error)
{
	const struct result_row_list *rows = &own->results;
	const struct device_record *device = only_device(own);
	struct standings standings = {calloc(rows->count + 1, sizeof *standings.items), 0};
	bool ok = standings.items != NULL;

	for (size_t i = 0; device && i < rows->count && ok; i++) {
		struct standing *standing = &standings.items[standings.count];
		bool known = !is_timed(&rows->items[i]);
		for (size_t k = 0; k < i && !known; k++)
			known = is_timed(&rows->items[k]) &&
				same_problem(&rows->items[k], &rows->items[i]);
		if (known)
			continue;
		ok = fill_standing(own, device, &rows->items[i], others, count, standing);
		if (ok && standing->count < 2)
			free(standing->entries);
		else
			standings.count += ok;
	}
	if (!ok) {
		standings_finish(&standings);
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the shipped devices");
	}
	*ret_standings = standings;
	return PMPP_OK;
}

void standings_finish(struct standings *standings)
{
	for (size_t i = 0; i < standings->count; i++)
		free(standings->items[i].entries);
	free(standings->items);
	*standings = (struct standings){0};
}
