/* Rows of a run in progress, and the numbers of rows with the same identity. */
#include "host/record/store.h"
#include "tests/support/result_example.h"
#include "tests/support/test.h"

#include <stdio.h>

#define WAIT_MS 1000

static enum pmpp_status count_rows(
	void *context, struct result_document *document, struct pmpp_error *error)
{
	(void)error;
	*(size_t *)context += document->results.count;
	return PMPP_OK;
}

/* The later rows of a run replace its earlier rows, also if the identity of a row has changed. Rows
 * of other runs stay. */
static void replaced_rows(const void *context)
{
	const struct store_filter all = {0};
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct store_counts counts = {0};
	struct result_document document;
	struct store store;
	size_t found = 0;
	char path[4096];

	(void)context;
	result_example_row(&document, "another run", 1);
	snprintf(path, sizeof path, "%s/results.db", test_folder());
	test_ok(store_open_or_create(path, WAIT_MS, &store, &error), &error);
	test_ok(store_add(&store, &document, 1, "test", &counts, &error), &error);
	text_set(&document.run.id, "run");
	test_ok(store_replace(&store, &document, &error), &error);
	text_set(&document.results.items[0].data, "other");
	test_ok(store_replace(&store, &document, &error), &error);
	test_ok(store_add(&store, &document, 1, "test", &counts, &error), &error);
	assert_int_equal(counts.added, 1);
	assert_int_equal(counts.known, 1);
	test_ok(store_each(&store, &all, count_rows, &found, &error), &error);
	assert_int_equal(found, 2);
	store_close(&store);
	record_finish(&result_document_type, &document);
}

/* Many rows of one identity between rows of other identities. */
static void numbers_of_rows(const void *context)
{
	struct row_numbers numbers = {0};
	char identity[16];

	(void)context;
	for (size_t i = 0; i < 3000; i++) {
		snprintf(identity, sizeof identity, "%zu", i % 3 ? i : 0);
		assert_true(row_numbers_add(&numbers, identity));
		assert_int_equal(numbers.items[i].again, i % 3 ? 0 : i / 3);
		assert_string_equal(row_numbers_identity(&numbers, i), identity);
	}
	row_numbers_finish(&numbers);
	assert_int_equal(numbers.count, 0);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	test_add(&list, replaced_rows, NULL, "rows of a run in progress are replaced");
	test_add(&list, numbers_of_rows, NULL, "numbers of rows with one identity");
	return test_run(&list, argc, argv);
}
