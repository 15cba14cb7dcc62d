#include "host/report/compare_shipped.h"

#include <stdlib.h>
#include <string.h>

#include "host/compare/compare.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

bool compare_is_mixed(const struct comparison_document *document)
{
	size_t shipped = 0;

	for (size_t i = 0; i < document->sides.count; i++)
		shipped += document->sides.items[i].shipped;
	return shipped > 0 && shipped < document->sides.count;
}

static bool has_row(
	const struct comparison_document *document, const struct comparison_row *row, bool shipped)
{
	for (size_t i = 0; i < row->cells.count; i++)
		if (document->sides.items[i].shipped == shipped &&
			row->cells.items[i].status != WORD_NULL)
			return true;
	return false;
}

bool compare_row_is_own(
	const struct comparison_document *document, const struct comparison_row *row)
{
	return !compare_is_mixed(document) || has_row(document, row, false);
}

static bool is_timed(const struct comparison_row *row)
{
	for (size_t i = 0; i < row->cells.count; i++)
		if (row->cells.items[i].median_ns > 0)
			return true;
	return false;
}

bool compare_row_is_shown(
	const struct comparison_document *document, const struct comparison_row *row)
{
	return is_timed(row) && compare_row_is_own(document, row);
}

bool compare_cell_is_other_size(
	const struct comparison_document *document, const struct cell_record *cell)
{
	return cell->problem.count && document->sides.items[cell->side].shipped &&
	       compare_is_mixed(document);
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

#define MAX_SIZES 4 /* in one line */
#define SIZE_BYTES 160

/* The sizes of a family on the shipped devices. */
struct shipped_sizes {
	struct {
		char text[SIZE_BYTES]; /* "m=64,n=64,k=64", a value of --size */
		uint64_t sides;        /* bit i: side i has the size */
		bool own;              /* a side that is not shipped also has the size */
	} items[MAX_SIZES];
	size_t count;
	bool more; /* there are more than MAX_SIZES */
};

_Static_assert(COMPARE_MAX_SIDES <= 64, "a bit for each side");

static void size_text(const struct named_list *problem, char ret_text[SIZE_BYTES])
{
	size_t used = 0;

	ret_text[0] = '\0';
	for (size_t i = 0; i < problem->count && used < SIZE_BYTES; i++)
		used += (size_t)snprintf(ret_text + used, SIZE_BYTES - used, "%s%s=%lld",
			i ? "," : "", problem->items[i].name, (long long)problem->items[i].value);
}

static void add_size(struct shipped_sizes *sizes, const struct named_list *problem, size_t side)
{
	char text[SIZE_BYTES];
	size_t i = 0;

	size_text(problem, text);
	while (i < sizes->count && strcmp(sizes->items[i].text, text) != 0)
		i++;
	if (i == MAX_SIZES) {
		sizes->more = true;
		return;
	}
	if (i == sizes->count) {
		sizes->count++;
		sizes->items[i].sides = 0;
		sizes->items[i].own = false;
		memcpy(sizes->items[i].text, text, sizeof text);
	}
	sizes->items[i].sides |= UINT64_C(1) << side;
}

/* Sets `own` of the sizes that a side which is not shipped also has. */
static void mark_own(
	const struct comparison_document *document, const char *family, struct shipped_sizes *sizes)
{
	char text[SIZE_BYTES];

	for (size_t r = 0; r < document->rows.count; r++) {
		const struct comparison_row *row = &document->rows.items[r];
		if (!text_equal(row->family, family) || !has_row(document, row, false))
			continue;
		size_text(&row->problem, text);
		for (size_t i = 0; i < sizes->count; i++)
			sizes->items[i].own |= strcmp(sizes->items[i].text, text) == 0;
	}
}

static void find_sizes(const struct comparison_document *document, const char *family,
	struct shipped_sizes *ret_sizes)
{
	ret_sizes->count = 0;
	ret_sizes->more = false;
	for (size_t r = 0; r < document->rows.count; r++) {
		const struct comparison_row *row = &document->rows.items[r];
		for (size_t i = 0; i < row->cells.count; i++) {
			const struct cell_record *cell = &row->cells.items[i];
			if (document->sides.items[i].shipped && cell->status != WORD_NULL &&
				text_equal(row->family, family))
				add_size(ret_sizes,
					cell->problem.count ? &cell->problem : &row->problem, i);
		}
	}
	mark_own(document, family, ret_sizes);
}

/* Whether a shipped device has the row at the same size, or the row is missing for another reason
 * than its size. */
static bool has_other_reason(
	const struct comparison_document *document, const struct comparison_row *row)
{
	for (size_t i = 1; i < row->cells.count; i++) {
		const struct cell_record *cell = &row->cells.items[i];
		bool absent = cell->verdict == VERDICT_MISSING || cell->verdict == WORD_NULL;
		if (!document->sides.items[i].shipped || (!cell->problem.count && !absent))
			return true;
	}
	return false;
}

bool compare_is_other_size(const struct comparison_document *document,
	const struct comparison_row *const *rows, size_t count)
{
	struct shipped_sizes sizes;
	char text[SIZE_BYTES];

	if (!compare_is_mixed(document))
		return false;
	for (size_t i = 0; i < count; i++)
		if (has_other_reason(document, rows[i]))
			return false;
	find_sizes(document, rows[0]->family, &sizes);
	size_text(&rows[0]->problem, text);
	for (size_t i = 0; i < sizes.count; i++)
		if (strcmp(sizes.items[i].text, text) == 0)
			return false;
	return sizes.count > 0;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* The number of rows of one family. */
struct family_rows {
	const char *family;
	size_t rows;
	bool own; /* compare_row_is_own() for at least one row of the family */
};

struct family_list {
	struct family_rows *items; /* room for all rows of the comparison; owned */
	size_t count;
};

static struct family_rows *family_at(struct family_list *list, const char *family)
{
	size_t i = 0;

	while (i < list->count && !text_equal(list->items[i].family, family))
		i++;
	if (i == list->count)
		list->items[list->count++] = (struct family_rows){.family = family};
	return &list->items[i];
}

static bool has_other_size(
	const struct comparison_document *document, const struct comparison_row *row)
{
	for (size_t i = 1; i < row->cells.count; i++)
		if (compare_cell_is_other_size(document, &row->cells.items[i]))
			return true;
	return false;
}

/* Counts the rows of a section. rows: room for all of them. */
static void count_section(const struct comparison_document *document,
	const struct comparison_sections *sections, size_t section,
	const struct comparison_row **rows, struct family_list *list)
{
	size_t shown = 0, other = 0;

	for (size_t i = sections->starts[section]; i < sections->starts[section + 1]; i++) {
		const struct comparison_row *row = &document->rows.items[sections->order[i]];
		if (!compare_row_is_shown(document, row))
			continue;
		rows[shown++] = row;
		other += has_other_size(document, row);
	}
	if (shown && compare_is_other_size(document, rows, shown))
		other = shown;
	if (other)
		family_at(list, rows[0]->family)->rows += other;
}

/* " (B, C)", unless there are only two sides. */
static void put_sides(FILE *out, const struct comparison_document *document, uint64_t sides)
{
	const char *separator = " (";
	size_t count = document->sides.count;

	for (size_t i = 0; i < count && count > 2; i++) {
		char letter[COMPARE_LETTER_BYTES];
		if (!(sides >> i & 1))
			continue;
		compare_letter(i, count, letter);
		fprintf(out, "%s%s", separator, letter);
		separator = ", ";
	}
	fputs(count > 2 ? ")" : "", out);
}

static void put_family(FILE *out, const struct comparison_document *document,
	const struct family_rows *found, int width)
{
	struct shipped_sizes sizes;
	const char *separator = ": `pmpp-run ";

	find_sizes(document, found->family, &sizes);
	fprintf(out, "  %-*s  %zu row%s", width, found->family, found->rows,
		found->rows == 1 ? "" : "s");
	for (size_t i = 0; i < sizes.count; i++) {
		if (sizes.items[i].own)
			continue;
		fprintf(out, "%s%s --size=%s --json=FILE`", separator, found->family,
			sizes.items[i].text);
		put_sides(out, document, sizes.items[i].sides);
		separator = " or `pmpp-run ";
	}
	if (sizes.more)
		fputs(", and more sizes", out);
	fputc('\n', out);
}

static void put_other_sizes(
	FILE *out, const struct comparison_document *document, struct family_list *list)
{
	struct comparison_sections sections = comparison_sections_make(document);
	const struct comparison_row **rows = calloc(document->rows.count + 1, sizeof *rows);
	int width = 0;

	for (size_t s = 0; rows && s < sections.count; s++)
		count_section(document, &sections, s, rows, list);
	for (size_t i = 0; i < list->count; i++)
		if ((int)strlen(list->items[i].family) > width)
			width = (int)strlen(list->items[i].family);
	if (list->count)
		fputs("\nnot compared, because the shipped devices have other sizes; to compare, "
		      "run:\n",
			out);
	for (size_t i = 0; i < list->count; i++)
		put_family(out, document, &list->items[i], width);
	comparison_sections_finish(&sections);
	free(rows);
}

static void put_left_out(
	FILE *out, const struct comparison_document *document, struct family_list *list)
{
	size_t left = 0, families = 0;

	for (size_t r = 0; r < document->rows.count; r++) {
		const struct comparison_row *row = &document->rows.items[r];
		struct family_rows *family = family_at(list, row->family);
		bool own = compare_row_is_own(document, row);
		family->own |= own;
		family->rows += is_timed(row) && !own;
	}
	for (size_t i = 0; i < list->count; i++) {
		left += list->items[i].rows;
		families += list->items[i].rows && !list->items[i].own;
	}
	if (left == 0)
		return;
	fprintf(out, "\nleft out: %zu row%s that only shipped devices have", left,
		left == 1 ? "" : "s");
	if (families)
		fprintf(out, " (%zu famil%s completely)", families, families == 1 ? "y" : "ies");
	fputs("; --json writes all rows\n", out);
}

void compare_shipped_put(FILE *out, const struct comparison_document *document)
{
	struct family_list other = {calloc(document->rows.count + 1, sizeof *other.items), 0};
	struct family_list left = {calloc(document->rows.count + 1, sizeof *left.items), 0};

	if (other.items && left.items && compare_is_mixed(document)) {
		put_other_sizes(out, document, &other);
		put_left_out(out, document, &left);
	}
	free(other.items);
	free(left.items);
}
