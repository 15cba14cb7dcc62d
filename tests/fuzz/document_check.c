#include "tests/fuzz/document_check.h"

#include "host/compare/compare.h"
#include "host/record/document.c"
#include "host/record/event.h"
#include "host/record/explanation.h"
#include "host/record/result.h"
#include "host/report/compare_text.h"
#include "host/report/export.h"
#include "tools/schema.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a text becomes a record. */
struct kind {
	const struct record_type *type;
	const char *schema; /* NULL: a part of a file */
};

static enum pmpp_status parse_text(const struct kind *kind, const char *text, size_t length,
	void *ret_record, struct pmpp_error *error)
{
	const struct document_kind document = {kind->type, kind->schema, ret_record};
	size_t only;

	return kind->schema ? parse_kind(&document, 1, "fuzz", text, length, &only, error)
			    : record_read(kind->type, text, length, "fuzz", ret_record, error);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

/* NaN (unknown), or finite and at least `least`. */
static bool in_range(double value, double min)
{
	return isnan(value) || (isfinite(value) && value >= min);
}

static const char *check_medians(const struct result_row *row)
{
	double *medians = NULL;
	size_t count = result_row_medians(row, &medians);
	bool good = (count > 0) == (medians != NULL);

	for (size_t i = 0; i < count; i++)
		good = good && isfinite(medians[i]) && medians[i] > 0;
	free(medians);
	return good ? NULL : "the medians of the runs are positive";
}

static const char *check_row(const struct result_row *row)
{
	double interval[2];
	double median = result_row_median_ns(row);

	result_row_interval_ns(row, interval);
	if (!in_range(median, 0) || median == 0)
		return "a median is positive or unknown";
	if (isnan(interval[0]) != isnan(interval[1]) || !in_range(interval[0], 0) ||
		interval[0] > interval[1] || isinf(interval[1]))
		return "an interval is ascending or unknown";
	if (!in_range(result_row_half_width(row), 0))
		return "a half-width is at least 0 or unknown";
	enum claim_verdict verdict = claim_record_verdict(&row->claim);
	if (row->claim.record.present &&
		!(verdict >= CLAIM_NOT_APPLICABLE && verdict < CLAIM_VERDICT_COUNT))
		return "a claim has a verdict";
	(void)result_row_is_too_large(row);
	(void)verify_record_passed(&row->verify);
	return check_medians(row);
}

/* Removes the members that depend on other rows, and ends the row: both work for every row. */
static const char *change_row(const struct result_row *row)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct result_row copy;
	char *text = NULL;

	if (record_copy(&result_row_type, row, &copy, &error) != PMPP_OK)
		return "a row can be copied";
	result_row_drop_comparisons(&copy);
	result_row_keep_comparisons(&copy);
	result_row_end(&copy, OUTCOME_CRASHED, "fuzz");
	enum pmpp_status status =
		record_write(&result_row_type, &copy, RECORD_ONE_LINE, &text, &error);
	free(text);
	pmpp_error_clear(&error);
	record_finish(&result_row_type, &copy);
	return status == PMPP_OK ? NULL : "a row that was changed can be written";
}

static const char *check_devices(const struct result_document *document)
{
	struct result_document merged;
	struct pmpp_error error = PMPP_ERROR_INIT;
	enum pmpp_status status = PMPP_OK;

	record_init(&result_document_type, &merged);
	for (size_t i = 0; i < document->devices.count && status == PMPP_OK; i++)
		status = result_document_add_device(&merged, &document->devices.items[i], &error);
	bool fewer = merged.devices.count <= document->devices.count;
	record_finish(&result_document_type, &merged);
	pmpp_error_clear(&error);
	return status == PMPP_OK && fewer ? NULL : "devices of a file can be merged";
}

/* Rows of Markdown tables: lines that begin with a cell, less the titles of each table. */
static size_t count_table_rows(const char *text)
{
	size_t rows = 0;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		rows += strncmp(line, "| ", 2) == 0;
		rows -= strncmp(line, "|--", 3) == 0;
	}
	return rows;
}

static bool is_timed(const struct result_document *document)
{
	for (size_t i = 0; i < document->results.count; i++)
		if (document->results.items[i].timing.record.present)
			return true;
	return false;
}

/* Whether rows of a verification have one line: they differ only in their problems. */
static bool is_same_line(const struct result_row *a, const struct result_row *b)
{
	return text_equal(a->family, b->family) && text_equal(a->variant, b->variant) &&
	       text_equal(a->backend, b->backend) && text_equal(a->device, b->device) &&
	       named_list_equal(&a->macros, &b->macros);
}

/* The number of lines of a document's Markdown tables. Neighbouring rows of a verification share
 * lines. */
static size_t count_lines(const struct result_document *document)
{
	const struct result_row_list *results = &document->results;
	size_t lines = 0;

	if (document->parity.count)
		return document->parity.count;
	if (is_timed(document))
		return results->count;
	for (size_t i = 0; i < results->count; i++)
		lines += i == 0 || !is_same_line(&results->items[i - 1], &results->items[i]);
	return lines;
}

static const char *check_tables(const struct result_document *document)
{
	char *csv = export_csv(document);
	char *markdown = export_markdown(document);
	const char *problem = NULL;

	if (!csv || !markdown)
		problem = "tables can be made";
	else if (count_table_rows(markdown) != count_lines(document))
		problem = "a Markdown table has one line for each row or verified variant";
	free(csv);
	free(markdown);
	return problem;
}

/* ---- Comparisons --------------------------------------------------------------------------- */

/* Whether a text has "nan" or "inf" as a word of its own. */
static bool has_bad_number(const char *text)
{
	static const char *const words[] = {"nan", "inf"};

	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		for (const char *found = strcasestr(text, words[i]); found;
			found = strcasestr(found + 1, words[i]))
			if ((found == text || !isalnum((unsigned char)found[-1])) &&
				!isalnum((unsigned char)found[3]))
				return true;
	return false;
}

static const char *check_comparison(const struct comparison_document *comparison, bool plain)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	char *csv = export_comparison_csv(comparison);
	char *markdown = export_comparison_markdown(comparison);

	compare_text_put(out, comparison, &(struct page_style){.width = 80});
	fclose(out);
	bool bad =
		plain && (has_bad_number(text) || has_bad_number(csv) || has_bad_number(markdown));
	free(text);
	free(csv);
	free(markdown);
	return bad ? "a table of a comparison has no number that is not finite" : NULL;
}

/* Compares a file with itself. plain: its text has no word that looks like such a number. */
static const char *check_compare(
	const struct result_document *document, const struct compare_options *options, bool plain)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct compared_file files[2] = {{.path = "a"}, {.path = "b"}};
	struct comparison_document comparison;
	const char *problem = NULL;
	char *text = NULL;

	for (size_t i = 0; i < 2; i++)
		record_copy(&result_document_type, document, &files[i].document, &error);
	enum pmpp_status status = compare_files(files, 2, options, &comparison, &error);
	if (status == PMPP_OK) {
		problem = check_comparison(&comparison, plain);
		text_set(&comparison.tool.name, "fuzz");
		text_set(&comparison.tool.version, "");
		text_set(&comparison.tool.git, "");
		text_set(&comparison.tool.compiler, "");
		comparison.tool.record.present = true;
		if (!problem && record_write(&comparison_document_type, &comparison,
					RECORD_ONE_LINE, &text, &error) != PMPP_OK)
			problem = "a comparison can be written";
		record_finish(&comparison_document_type, &comparison);
	} else if (status != PMPP_USAGE) {
		problem = "files that cannot be compared are a usage error";
	}
	free(text);
	for (size_t i = 0; i < 2; i++)
		record_finish(&result_document_type, &files[i].document);
	pmpp_error_clear(&error);
	return problem;
}

static const char *check_comparisons(const struct result_document *document)
{
	static const struct compare_options options[] = {
		{.by = NULL, .tolerance = NAN},
		{.by = "run", .tolerance = NAN},
		{.by = "device,backend", .tolerance = 0.01},
	};
	struct pmpp_error error = PMPP_ERROR_INIT;
	char *text = NULL;
	const char *problem = NULL;

	record_write(&result_document_type, document, RECORD_INDENTED, &text, &error);
	bool plain = !has_bad_number(text);
	free(text);
	for (size_t i = 0; i < ARRAY_COUNT(options) && !problem; i++)
		problem = check_compare(document, &options[i], plain);
	return problem;
}

static const char *check_rows(const struct result_document *document)
{
	const char *problem = NULL;

	for (size_t i = 0; i < document->results.count && !problem; i++) {
		problem = check_row(&document->results.items[i]);
		if (!problem)
			problem = change_row(&document->results.items[i]);
	}
	if (!problem)
		problem = check_devices(document);
	if (!problem)
		problem = check_tables(document);
	return problem ? problem : check_comparisons(document);
}

/* ---- Unknown members ----------------------------------------------------------------------- */

static const char newer[] = "newer_than_all";

static size_t add_newer(const struct record_type *type, json_t *object);

/* The same for the records of a list or of an object of objects. */
static size_t add_newer_each(const struct record_type *type, json_t *list)
{
	size_t count = 0;
	const char *name;
	json_t *item;
	size_t index;

	json_array_foreach (list, index, item)
		count += add_newer(type, item);
	if (json_is_object(list))
		json_object_foreach (list, name, item)
			count += add_newer(type, item);
	return count;
}

/* Adds an unknown member to each object that is a record, and an unknown word to each list of
 * words, and replaces each word by an unknown one. Returns the number of additions. */
static size_t add_newer(const struct record_type *type, json_t *object)
{
	size_t count = 1;

	for (size_t i = 0; type->fields()[i].name; i++) {
		const struct record_field *field = &type->fields()[i];
		json_t *value = json_object_get(object, field->name);

		if (field->kind == FIELD_OBJECT && json_is_object(value))
			count += add_newer(field->type, value);
		else if (field->kind == FIELD_OBJECTS || field->kind == FIELD_KEYED)
			count += add_newer_each(field->type, value);
		else if (field->kind == FIELD_WORDS && json_is_array(value))
			count += json_array_append_new(value, json_string(newer)) == 0;
		else if (field->kind == FIELD_WORD && json_is_string(value))
			count += json_string_set(value, newer) == 0;
	}
	json_object_set_new(object, newer, json_pack("{s:[s,n]}", "a", newer));
	return count;
}

/* The number of texts that add_newer() has added. */
static size_t count_newer(json_t *value)
{
	size_t count = json_is_string(value) && strcmp(json_string_value(value), newer) == 0;
	const char *name;
	json_t *item;
	size_t index;

	json_array_foreach (value, index, item)
		count += count_newer(item);
	if (json_is_object(value))
		json_object_foreach (value, name, item)
			count += count_newer(item);
	return count;
}

/* text: what record_write made. */
static const char *check_newer(const struct kind *kind, const char *text)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	json_t *tree = json_loads(text, 0, NULL);
	size_t added = tree ? add_newer(kind->type, tree) : 0;
	/* More than were added if the text itself had some. */
	size_t all = tree ? count_newer(tree) : 0;
	char *wider = tree ? json_dumps(tree, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
	void *record = malloc(kind->type->size);
	char *again = NULL;
	const char *problem = "a text with unknown members is read and written";

	json_decref(tree);
	tree = NULL;
	if (wider && parse_text(kind, wider, strlen(wider), record, &error) == PMPP_OK) {
		if (record_write(kind->type, record, RECORD_ONE_LINE, &again, &error) == PMPP_OK)
			tree = json_loads(again, 0, NULL);
		record_finish(kind->type, record);
	}
	if (tree)
		problem = added > 0 && count_newer(tree) == all
				  ? NULL
				  : "unknown members and words survive in each object";
	pmpp_error_clear(&error);
	json_decref(tree);
	free(record);
	free(again);
	free(wider);
	return problem;
}

/* ---- Records ------------------------------------------------------------------------------- */

/* Whether a copy of the record, or (record NULL) what is read from the text, is written as the text. */
static bool is_written_alike(const struct kind *kind, const void *record, const char *text)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	void *other = malloc(kind->type->size);
	char *again = NULL;
	enum pmpp_status status = record ? record_copy(kind->type, record, other, &error)
					 : parse_text(kind, text, strlen(text), other, &error);

	if (status == PMPP_OK) {
		record_write(kind->type, other, RECORD_INDENTED, &again, &error);
		record_finish(kind->type, other);
	}
	bool same = again && strcmp(text, again) == 0;
	pmpp_error_clear(&error);
	free(other);
	free(again);
	return same;
}

static const char *check_record(const struct kind *kind, const void *record)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	char *text = NULL;
	const char *problem = NULL;

	if (record_write(kind->type, record, RECORD_INDENTED, &text, &error) != PMPP_OK)
		problem = "what is read can be written";
	if (!problem && !is_written_alike(kind, NULL, text))
		problem = "what is written is read and written alike";
	if (!problem && !is_written_alike(kind, record, text))
		problem = "a copy is written as its original";
	if (!problem)
		problem = check_newer(kind, text);
	if (!problem && kind->type == &result_document_type)
		problem = check_rows(record);
	if (!problem && kind->type == &result_row_type)
		problem = check_row(record);
	pmpp_error_clear(&error);
	free(text);
	return problem;
}

static const char *check_refusal(const struct kind *kind, const struct pmpp_error *error,
	enum pmpp_status status, const unsigned char *record)
{
	if (status != PMPP_USAGE || error->status != status || !*error->message)
		return "a refusal is a usage error with a message";
	if (strchr(error->message, '\n'))
		return "a message is one line";
	for (size_t i = 0; i < kind->type->size; i++)
		if (record[i] != 0x5a)
			return "a refusal leaves the record untouched";
	return NULL;
}

static const char *check_kind(
	const struct kind *kind, const char *text, size_t length, bool *ret_read)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	void *record = malloc(kind->type->size);
	const char *problem;

	memset(record, 0x5a, kind->type->size);
	enum pmpp_status status = parse_text(kind, text, length, record, &error);
	if (status == PMPP_OK) {
		*ret_read = true;
		problem = check_record(kind, record);
		record_finish(kind->type, record);
	} else {
		problem = check_refusal(kind, &error, status, record);
	}
	pmpp_error_clear(&error);
	free(record);
	return problem;
}

/* The kind of file that the text names; the first kind if the name is unknown. If the text names no
 * schema, the member schema is NULL. */
static struct kind kind_for(const char *text, size_t length)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct json_tree tree = {.root = NULL};
	struct kind kind = {NULL, NULL};
	const char *schema = NULL;

	if (json_tree_create(&tree, text, length, "fuzz", &error) == PMPP_OK &&
		json_tree_text(&tree, "schema", &schema, &error) == PMPP_OK)
		kind = (struct kind){document_types[0].type, document_types[0].schema};
	for (size_t i = 0; schema && i < document_type_count; i++)
		if (strcmp(schema, document_types[i].schema) == 0)
			kind = (struct kind){document_types[i].type, document_types[i].schema};
	json_tree_destroy(&tree);
	pmpp_error_clear(&error);
	return kind;
}

const char *document_check(const char *text, size_t length, bool *ret_read)
{
	const struct kind parts[] = {
		{&result_row_type, NULL},
		{&parity_row_type, NULL},
		{&device_type, NULL},
		{&event_type, NULL},
		{&explanation_type, NULL},
		{&result_document_type, RESULT_SCHEMA},
	};
	const struct kind whole = kind_for(text, length);
	const char *problem = NULL;

	*ret_read = false;
	if (whole.schema)
		return check_kind(&whole, text, length, ret_read);
	for (size_t i = 0; i < sizeof parts / sizeof *parts && !problem; i++)
		problem = check_kind(&parts[i], text, length, ret_read);
	return problem;
}
