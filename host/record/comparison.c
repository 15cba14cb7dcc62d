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

/* Returns the first row with the family and the problem of a row: the row itself, or an earlier one. */
static size_t first_of(
	const struct comparison_document *document, char *const *problems, size_t index)
{
	const struct comparison_row *rows = document->rows.items;
	size_t first = 0;

	while (!text_equal(rows[first].family, rows[index].family) ||
		strcmp(problems[first], problems[index]) != 0)
		first++;
	return first;
}

struct comparison_sections comparison_sections_make(const struct comparison_document *document)
{
	size_t count = document->rows.count, placed = 0;
	char **problems = calloc(count + 1, sizeof *problems);
	size_t *firsts = calloc(count + 1, sizeof *firsts);
	struct comparison_sections sections = {.order = calloc(count + 1, sizeof(size_t)),
		.starts = calloc(count + 2, sizeof(size_t))};
	bool ok = problems && firsts && sections.order && sections.starts;

	for (size_t i = 0; i < count && ok; i++) {
		problems[i] = comparison_row_problem(&document->rows.items[i]);
		ok = problems[i] != NULL;
		firsts[i] = ok ? first_of(document, problems, i) : 0;
	}
	for (size_t i = 0; i < count && ok; i++) {
		if (firsts[i] != i)
			continue;
		sections.starts[sections.count++] = placed;
		for (size_t k = i; k < count; k++)
			if (firsts[k] == i)
				sections.order[placed++] = k;
	}
	if (ok)
		sections.starts[sections.count] = count;
	else
		comparison_sections_finish(&sections);
	for (size_t i = 0; i < count && problems; i++)
		free(problems[i]);
	free(problems);
	free(firsts);
	return sections;
}

void comparison_sections_finish(struct comparison_sections *sections)
{
	free(sections->order);
	free(sections->starts);
	*sections = (struct comparison_sections){0};
}
