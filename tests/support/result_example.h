/* A result file of docs/results as a record, for tests that need real rows. */
#ifndef PMPP_TESTS_SUPPORT_RESULT_EXAMPLE_H
#define PMPP_TESTS_SUPPORT_RESULT_EXAMPLE_H

#include "host/record/result.h"

/* Reads docs/results/pocl/matmul.json. Call record_finish() afterwards. */
void result_example(struct result_document *ret_document);

/* document_load() of a result file. */
enum pmpp_status result_example_load(
	const char *path, struct result_document *ret_document, struct pmpp_error *error);

/* Makes a document of run `run` with only the first row. `number` makes its identity unique. */
void result_example_row(struct result_document *ret_document, const char *run, int64_t number);

/* For FINISHED. */
static inline void result_document_finish(struct result_document *document)
{
	record_finish(&result_document_type, document);
}

/* A document that is finished at the end of its scope. */
#define TEST_DOCUMENT FINISHED(result_document_finish) struct result_document

static inline void result_row_finish(struct result_row *row)
{
	record_finish(&result_row_type, row);
}

/* Repeats the times of the row as the times of this many runs (--repeat). */
void result_example_repeat(struct result_row *row, size_t runs);

#endif
