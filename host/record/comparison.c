#include "host/record/comparison.h"

#include <stdio.h>
#include <string.h>

const char *const count_effect_words[] = {"better", "worse", NULL};

#define RECORD_TYPES
#define RECORDS "host/record/comparison.def"
#include "common/records.inc"

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
