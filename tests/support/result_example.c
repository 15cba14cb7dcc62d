#include "tests/support/result_example.h"

#include "host/record/document.h"
#include "tests/support/test.h"

void result_example(struct result_document *ret_document)
{
	test_ok(result_example_load(
		PMPP_SOURCE_ROOT "/docs/results/pocl/matmul.json", ret_document, &test_error));
}

enum pmpp_status result_example_load(
	const char *path, struct result_document *ret_document, struct pmpp_error *error)
{
	const struct document_kind kind = {
		.type = &result_document_type, .schema = RESULT_SCHEMA, .ret_record = ret_document};
	size_t ignored, bytes;

	return document_load(&kind, 1, path, &ignored, &bytes, error);
}

void result_example_row(struct result_document *ret_document, const char *run, int64_t number)
{
	result_example(ret_document);
	struct result_row_list *results = &ret_document->results;
	while (results->count > 1)
		record_finish(&result_row_type, &results->items[--results->count]);
	results->items[0].problem.items[0].value = number;
	text_set(&ret_document->run.id, run);
}

void result_example_repeat(struct result_row *row, size_t runs)
{
	while (row->repetitions.runs.count < runs) {
		struct timing_record *run = record_list_add(&timing_type, &row->repetitions.runs);
		SOME(run);
		test_ok(record_copy(&timing_type, &row->timing, run, &test_error));
	}
	row->repetitions.record.present = true;
}
