#include "host/record/comparison.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_TYPES
#define RECORDS "host/record/comparison.def"
#include "host/record/records.inc"

void compare_letter(size_t side, size_t side_count, char ret_letter[COMPARE_LETTER_BYTES])
{
	if (side_count == 2)
		snprintf(ret_letter, COMPARE_LETTER_BYTES, "%s", side ? "new" : "base");
	else if (side < 26)
		snprintf(ret_letter, COMPARE_LETTER_BYTES, "%c", (int)('A' + side));
	else
		snprintf(ret_letter, COMPARE_LETTER_BYTES, "S%zu", side + 1);
}

int64_t *verdict_counts_at(struct verdict_counts_record *counts, enum verdict verdict)
{
	int64_t *const places[VERDICT_COUNT] = {
		[VERDICT_SAME] = &counts->same,
		[VERDICT_FAST] = &counts->fast,
		[VERDICT_SLOW] = &counts->slow,
		[VERDICT_AMBG] = &counts->ambg,
		[VERDICT_MISSING] = &counts->missing,
		[VERDICT_NOCOMP] = &counts->nocomp,
	};

	return places[verdict];
}

/* ---- Sections -------------------------------------------------------------------------------- */

char *comparison_row_problem(const struct comparison_row *row)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(text_or_empty(row->dtype), out);
	if (row->op)
		fprintf(out, " %s", row->op);
	if (!text_equal(row->data, "random"))
		fprintf(out, " %s", text_or_empty(row->data));
	for (size_t i = 0; i < row->problem.count; i++)
		fprintf(out, " %s=%lld", row->problem.items[i].name,
			(long long)row->problem.items[i].value);
	if (row->math && strcmp(row->math, "default") != 0)
		fprintf(out, " math=%s", row->math);
	if (row->backend)
		fprintf(out, " %s", row->backend);
	if (row->device)
		fprintf(out, " %s", row->device);
	fclose(out);
	return text;
}

struct keyed_row {
	char *key;           /* family and problem; owned */
	size_t index, first; /* first row of the section */
};

static int by_key(const void *a, const void *b)
{
	const struct keyed_row *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int by_section(const void *a, const void *b)
{
	const struct keyed_row *x = a, *y = b;

	return x->first != y->first ? (x->first > y->first) - (x->first < y->first)
				    : (x->index > y->index) - (x->index < y->index);
}

static char *section_key(const struct comparison_row *row)
{
	char *problem = comparison_row_problem(row);
	char *key = NULL;

	if (problem && asprintf(&key, "%s %s", text_or_empty(row->family), problem) < 0)
		key = NULL;
	free(problem);
	return key;
}

/* Sorts the rows by section. Returns false if there is no memory. */
static bool sort_rows(const struct comparison_document *document, struct keyed_row *rows)
{
	size_t count = document->rows.count;

	for (size_t i = 0; i < count; i++) {
		rows[i] = (struct keyed_row){section_key(&document->rows.items[i]), i, 0};
		if (!rows[i].key)
			return false;
	}
	qsort(rows, count, sizeof *rows, by_key);
	for (size_t i = 0; i < count; i++)
		rows[i].first = i && strcmp(rows[i].key, rows[i - 1].key) == 0 ? rows[i - 1].first
									       : rows[i].index;
	qsort(rows, count, sizeof *rows, by_section);
	return true;
}

struct comparison_sections comparison_sections_make(const struct comparison_document *document)
{
	size_t count = document->rows.count;
	struct keyed_row *rows = calloc(count + 1, sizeof *rows);
	struct comparison_sections sections = {.order = calloc(count + 1, sizeof(size_t)),
		.starts = calloc(count + 2, sizeof(size_t))};

	if (!rows || !sections.order || !sections.starts || !sort_rows(document, rows)) {
		comparison_sections_finish(&sections);
	} else {
		for (size_t i = 0; i < count; i++) {
			sections.order[i] = rows[i].index;
			if (i == 0 || rows[i].first != rows[i - 1].first)
				sections.starts[sections.count++] = i;
		}
		sections.starts[sections.count] = count;
	}
	for (size_t i = 0; rows && i < count; i++)
		free(rows[i].key);
	free(rows);
	return sections;
}

void comparison_sections_finish(struct comparison_sections *sections)
{
	free(sections->order);
	free(sections->starts);
	*sections = (struct comparison_sections){0};
}
