#include "host/record/comparison.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct record_field side_fields[] = {
	MEMBER(struct side_record, name, TEXT, 0, NULL, "0.1", "name of the side"),
	MEMBER(struct side_record, files, TEXTS, 0, NULL, "0.1",
		"files that have rows of the side"),
	MEMBER(struct side_record, devices, TEXTS, 0, NULL, "0.1", "names of the devices"),
	MEMBER(struct side_record, backends, TEXTS, 0, NULL, "0.1", "the backends"),
	MEMBER(struct side_record, drivers, TEXTS, 0, NULL, "0.1", "the drivers"),
	MEMBER(struct side_record, hosts, TEXTS, 0, NULL, "0.1",
		"anonymous identities of the machines"),
	MEMBER(struct side_record, started_utc, TEXTS, 0, NULL, "0.1", "starts of the runs"),
	MEMBER(struct side_record, type, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"type of the first device"),
	MEMBER(struct side_record, noise, TEXTS, 0, NULL, "0.1",
		"origin of the floors of noise: default, or measured by `compare --aa`"),
	MEMBER(struct side_record, load, TEXT, FIELD_OMITTED, NULL, "0.1",
		"other programs used the CPU in a timed row: the load of the machine. Such rows do not "
		"have the flag `throttled`"),
	MEMBER(struct side_record, interrupted, BOOL, FIELD_OMITTED, NULL, "0.1",
		"true: run.interrupted of a file"),
	MEMBER(struct side_record, shipped, BOOL, 0, NULL, "0.1",
		"true: all rows are from devices that ship with the program"),
	MEMBER(struct side_record, rows, INTEGER, 0, NULL, "0.1", "number of timed rows"),
	MEMBER(struct side_record, doubled, INTEGER, 0, NULL, "0.1",
		"number of rows that are ignored, because another file of the side has the "
		"same run"),
	MEMBER(struct side_record, spread_sd, NUMBER, FIELD_OMITTED, "1", "0.1",
		"typical standard deviation of the logarithm of a run's median, between runs; "
		"absent: fewer than 4 rows have several runs"),
	MEMBER(struct side_record, raised, INTEGER, 0, NULL, "0.1",
		"number of rows whose floor of noise is raised to spread_sd"),
};

const struct record_type side_type = {"side", "the rows with one value of the compared field",
	sizeof(struct side_record), side_fields, MEMBER_COUNT(side_fields), 0};

static const struct record_field cell_fields[] = {
	MEMBER(struct cell_record, side, INTEGER, 0, NULL, "0.1", "index into sides"),
	MEMBER_IN(struct cell_record, status, WORD, FIELD_NULLABLE, outcome_status_words, "0.1",
		"outcome of the row; null: the side has no such row"),
	MEMBER(struct cell_record, reason, TEXT, FIELD_OMITTED, NULL, "0.1",
		"why there is no time, or why the times are not compared"),
	MEMBER(struct cell_record, problem, NAMED, FIELD_OMITTED, NULL, "0.1",
		"size of each dimension on this side, if the size is the only difference from "
		"the base"),
	MEMBER(struct cell_record, median_ns, NUMBER, FIELD_NULLABLE, "ns", "0.1",
		"geometric mean of the medians of all runs; 5 or more runs: without the "
		"smallest and the largest fifth; null: not timed"),
	MEMBER(struct cell_record, ci95_ns, INTERVAL, FIELD_NULLABLE, "ns", "0.1",
		"95 % interval of median_ns; it includes the floor of noise"),
	MEMBER(struct cell_record, runs, INTEGER, 0, NULL, "0.1", "number of runs"),
	MEMBER(struct cell_record, samples, INTEGER, 0, NULL, "0.1", "fewest samples of a run"),
	MEMBER(struct cell_record, noise_sd, NUMBER, FIELD_NULLABLE, "1", "0.1",
		"floor of noise: standard deviation of the logarithm of a run's median"),
	MEMBER(struct cell_record, pct_roof, NUMBER, FIELD_NULLABLE, "%", "0.1",
		"100 * the largest floor of the first run / median_ns; null: unknown"),
	MEMBER_IN(struct cell_record, limited_by, WORD, FIELD_NULLABLE, limited_by_words, "0.1",
		"limited_by of the first run"),
	MEMBER_IN(struct cell_record, flags, WORDS, 0, timing_flag_words, "0.1",
		"warnings about the times of any run"),
	MEMBER(struct cell_record, own_kernel, BOOL, FIELD_OMITTED, NULL, "0.1",
		"true: own_kernel of the row of a run"),
	MEMBER(struct cell_record, ratio, NUMBER, FIELD_OMITTED, "1", "0.1",
		"time of this side / time of the base; per_roof: share of the roof on the base "
		"/ share on this side"),
	MEMBER(struct cell_record, ci95, INTERVAL, FIELD_OMITTED, "1", "0.1",
		"95 % interval of `ratio`"),
	MEMBER(struct cell_record, ci99, INTERVAL, FIELD_OMITTED, "1", "0.1",
		"99 % interval of `ratio`; used for FAST and SLOW"),
	MEMBER(struct cell_record, tolerance, NUMBER, FIELD_OMITTED, "1", "0.1",
		"largest difference that counts as the same speed"),
	MEMBER_IN(struct cell_record, verdict, WORD, FIELD_OMITTED, verdict_words, "0.1",
		"comparison with the base (docs/comparing.md)"),
	MEMBER(struct cell_record, p_slow, NUMBER, FIELD_OMITTED, "1", "0.1",
		"one-sided p-value: probability of such a ratio if the row is not slower than "
		"the limit of SLOW"),
	MEMBER(struct cell_record, confirmed, TRUTH, FIELD_OMITTED, NULL, "0.1",
		"true: the SLOW row is a confirmed regression. With 95 % probability, no "
		"confirmed row of this side is SLOW by chance (Holm's method)"),
};

const struct record_type cell_type = {"cell", "one variant on one side", sizeof(struct cell_record),
	cell_fields, MEMBER_COUNT(cell_fields), 0};

static const struct record_field row_fields[] = {
	MEMBER(struct comparison_row, family, TEXT, 0, NULL, "0.1", "name of the family"),
	MEMBER(struct comparison_row, variant, TEXT, 0, NULL, "0.1", "name of the variant"),
	MEMBER(struct comparison_row, backend, TEXT, FIELD_OMITTED, NULL, "0.1",
		"backend; absent: the compared field"),
	MEMBER(struct comparison_row, device, TEXT, FIELD_OMITTED, NULL, "0.1",
		"name of the device; absent: the compared field"),
	MEMBER(struct comparison_row, dtype, TEXT, 0, NULL, "0.1", "element type"),
	MEMBER(struct comparison_row, op, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"operation; null: the family has only one"),
	MEMBER(struct comparison_row, data, TEXT, 0, NULL, "0.1", "kind of input data"),
	MEMBER(struct comparison_row, problem, NAMED, 0, NULL, "0.1", "size of each dimension"),
	MEMBER(struct comparison_row, macros, NAMED, 0, NULL, "0.1",
		"values of the kernel's macros"),
	MEMBER(struct comparison_row, math, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"value of --math; null: unknown, or the compared field"),
	MEMBER(struct comparison_row, contract, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"timing contract; null: not timed"),
	MEMBER(struct comparison_row, peer, TEXT, FIELD_OMITTED, NULL, "0.1",
		"library that computed the results of the first file that has them; absent: a "
		"kernel of this project"),
	MEMBER(struct comparison_row, claim, TEXT, FIELD_OMITTED, NULL, "0.1",
		"claim of the book; absent: none"),
	MEMBER(struct comparison_row, claims, TEXTS, FIELD_OMITTED, NULL, "0.1",
		"verdict about the claim on each side; empty text: unknown"),
	MEMBER(struct comparison_row, also_differ, TEXTS, FIELD_OMITTED, NULL, "0.1",
		"further differences between the sides: source, driver, seed, library"),
	MEMBER_OF(struct comparison_row, cells, OBJECTS, 0, cell_type, "0.1",
		"one cell for each side, in the order of `sides`; the first cell is the base"),
};

const struct record_type comparison_row_type = {"comparison row", "one variant on all sides",
	sizeof(struct comparison_row), row_fields, MEMBER_COUNT(row_fields), 0};

static const struct record_field best_fields[] = {
	MEMBER(struct best_record, family, TEXT, 0, NULL, "0.1", "name of the family"),
	MEMBER(struct best_record, problem, TEXT, 0, NULL, "0.1", "type, operation, data and size"),
	MEMBER(struct best_record, side, INTEGER, 0, NULL, "0.1", "index into sides"),
	MEMBER(struct best_record, variants, TEXTS, 0, NULL, "0.1",
		"the fastest variant, then the variants that are not known to be slower"),
	MEMBER(struct best_record, own_kernels, TEXTS, FIELD_OMITTED, NULL, "0.1",
		"those of `variants` that have an own kernel (own_kernel of the cell)"),
};

const struct record_type best_type = {"best",
	"the fastest variants of a problem on one side. They solve the problem at full precision",
	sizeof(struct best_record), best_fields, MEMBER_COUNT(best_fields), 0};

static const struct record_field counts_fields[] = {
	MEMBER(struct verdict_counts_record, side, INTEGER, 0, NULL, "0.1", "index into sides"),
	MEMBER(struct verdict_counts_record, same, INTEGER, 0, NULL, "0.1", "rows that are SAME"),
	MEMBER(struct verdict_counts_record, fast, INTEGER, 0, NULL, "0.1", "rows that are FAST"),
	MEMBER(struct verdict_counts_record, slow, INTEGER, 0, NULL, "0.1", "rows that are SLOW"),
	MEMBER(struct verdict_counts_record, ambg, INTEGER, 0, NULL, "0.1", "rows that are AMBG"),
	MEMBER(struct verdict_counts_record, missing, INTEGER, 0, NULL, "0.1",
		"rows that are MISSING"),
	MEMBER(struct verdict_counts_record, nocomp, INTEGER, 0, NULL, "0.1",
		"rows that are NOCOMP"),
	MEMBER(struct verdict_counts_record, confirmed, INTEGER, 0, NULL, "0.1",
		"rows that are SLOW and confirmed"),
	MEMBER(struct verdict_counts_record, mean_ratio, NUMBER, FIELD_NULLABLE, "1", "0.1",
		"geometric mean of the ratios; null: no row is timed on both sides"),
};

const struct record_type counts_type = {"verdict counts", "verdicts of one side",
	sizeof(struct verdict_counts_record), counts_fields, MEMBER_COUNT(counts_fields), 0};

static const struct record_field document_fields[] = {
	MEMBER(struct comparison_document, schema, TEXT, 0, NULL, "0.1", COMPARISON_SCHEMA),
	MEMBER_OF(struct comparison_document, tool, OBJECT, 0, tool_type, "0.1",
		"the program that wrote the file"),
	MEMBER(struct comparison_document, by, TEXTS, 0, NULL, "0.1", "the compared fields"),
	MEMBER(struct comparison_document, per_roof, BOOL, 0, NULL, "0.1",
		"true: the ratios compare shares of the roofs, not times"),
	MEMBER_OF(struct comparison_document, sides, OBJECTS, 0, side_type, "0.1",
		"the compared sides; the first side is the base"),
	MEMBER_OF(struct comparison_document, rows, OBJECTS, 0, comparison_row_type, "0.1",
		"one row for each variant and problem"),
	MEMBER_OF(struct comparison_document, best, OBJECTS, 0, best_type, "0.1",
		"the fastest variants of each problem on each side"),
	MEMBER_OF(struct comparison_document, counts, OBJECTS, 0, counts_type, "0.1",
		"verdicts of each side except the base"),
};

const struct record_type comparison_document_type = {"comparison", "a comparison of result files",
	sizeof(struct comparison_document), document_fields, MEMBER_COUNT(document_fields), 0};

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
