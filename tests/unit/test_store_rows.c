/* Rows of a run in progress, rows of --repeat, and the numbers of rows with the same identity. */
#include "host/record/identity.h"
#include "host/run/collector.c"
#include "tests/support/result_example.h"
#include "tests/support/test.h"

#include <sys/stat.h>
#include <unistd.h>

#define WAIT_MS 1000

static struct store open_new(void)
{
	const char *path = test_text("%s/results.db", test_folder());
	struct store store;

	test_ok(store_open(path, true, WAIT_MS, &store, &test_error));
	return store;
}

static enum pmpp_status count_rows(
	void *context, struct result_document *document, struct pmpp_error *error)
{
	(void)error;
	*(size_t *)context += document->results.count;
	return PMPP_OK;
}

/* The later rows of a run replace its earlier rows, also if the identity of a row has changed. Rows
 * of other runs stay. */
TEST(replaced_rows, "rows of a run in progress are replaced")
{
	const struct store_filter all = {0};
	struct store_rest rest = {.replaces = true};
	struct store_counts counts = {0};
	TEST_DOCUMENT document;
	FINISHED(store_close) struct store store = open_new();
	size_t found = 0;

	result_example_row(&document, "another run", 1);
	test_ok(store_add(&store, &document, 1, "test", &counts, &test_error));
	text_set(&document.run.id, "run");
	test_ok(store_add_rest(&store, &document, &rest, &test_error));
	text_set(&document.results.items[0].data, "other");
	test_ok(store_add_rest(&store, &document, &rest, &test_error));
	test_ok(store_add(&store, &document, 1, "test", &counts, &test_error));
	CHECK(EQUAL(counts.added, 1), EQUAL(counts.known, 1));
	test_ok(store_each(&store, &all, count_rows, &found, &test_error));
	EQUAL(found, 2);
}

/* The number of runs of the only row of the store. */
static enum pmpp_status take_runs(
	void *context, struct result_document *document, struct pmpp_error *error)
{
	(void)error;
	EQUAL(document->results.count, 1);
	*(size_t *)context = document->results.items[0].repetitions.runs.count;
	return PMPP_OK;
}

/* States of one row that are added to a store in order. */
static const struct states {
	const char *name;
	size_t first, second; /* runs; 0: a row without repetitions */
	size_t stored;        /* runs afterwards */
} states[] = {
	{"more runs", 2, 3, 3},
	{"runs of a row of one run", 0, 2, 2},
	{"as many runs", 3, 3, 3},
	{"fewer runs", 3, 2, 3},
	{"a row of one run", 3, 0, 3},
	{"one run twice", 0, 0, 0},
};

TEST_ROWS(completed_rows, states, "a stored row and %s", row->name)
{
	const size_t runs[] = {row->first, row->second};
	const bool completes = row->second > row->first;
	const struct store_filter all = {0};
	struct store_counts counts = {0};
	FINISHED(store_close) struct store store = open_new();
	size_t stored = 99;

	for (size_t i = 0; i < 2; i++) {
		TEST_DOCUMENT document;
		result_example_row(&document, "run", 1);
		if (runs[i])
			result_example_repeat(&document.results.items[0], runs[i]);
		test_ok(store_add(&store, &document, 1, "test", &counts, &test_error));
	}
	test_ok(store_each(&store, &all, take_runs, &stored, &test_error));
	CHECK(EQUAL(stored, row->stored), EQUAL(counts.added, 1), EQUAL(counts.known, !completes),
		EQUAL(counts.completed, completes));
}

/* The store cannot be written at the end of a repeated job: the error names the earlier state, and
 * adding the rows again completes them. */
TEST(earlier_state, "the last runs cannot be saved")
{
	const struct terminal_options quiet = {.quiet = true};
	struct store_counts counts = {0};
	TEST_DOCUMENT document;
	FINISHED(terminal_finish) struct terminal terminal;
	struct saver saver;
	FINISHED(store_close) struct store store;
	const char *path = test_text("%s/results.db", test_folder());
	const char *aside = test_text("%s.aside", path);

	EQUAL(setenv("PMPP_STORE", path, 1), 0);
	terminal_init(&terminal, &quiet);
	test_ok(saver_init(&saver, &test_error));
	result_example_row(&document, "run", 1);
	saver_interim(&saver, &document, &terminal);
	result_example_repeat(&document.results.items[0], 3);
	CHECK(EQUAL(rename(path, aside), 0), EQUAL(mkdir(path, 0700), 0));
	test_refused(saver_end(&saver, &document, &test_error), PMPP_IO,
		"the last runs are not saved; the store has an earlier state of 1 of 1 rows: ");
	CHECK(EQUAL(rmdir(path), 0), EQUAL(rename(aside, path), 0));
	test_ok(store_open(path, false, WAIT_MS, &store, &test_error));
	test_ok(store_add(&store, &document, 1, "test", &counts, &test_error));
	EQUAL(counts.completed, 1);
}

/* After an error of the disk, the saver adds rows that may be in the store already. The second row has the
 * identity of the first one. */
TEST(added_again, "rows that are added again")
{
	const struct store_filter all = {0};
	TEST_DOCUMENT document;
	FINISHED(result_row_finish) struct result_row copy;
	FINISHED(store_close) struct store store = open_new();
	size_t found = 0;

	result_example_row(&document, "run", 1);
	test_ok(record_copy(&result_row_type, document.results.items, &copy, &test_error));
	test_ok(record_list_add_copy(&result_row_type, &document.results, &copy, &test_error));
	for (size_t first = 0; first < 2; first++) {
		struct store_rest rest = {{first}};
		test_ok(store_add_rest(&store, &document, &rest, &test_error));
		EQUAL(rest.first[0], 2);
	}
	test_ok(store_each(&store, &all, count_rows, &found, &test_error));
	EQUAL(found, 2);
}

/* Many rows of one identity between rows of other identities. */
TEST(numbers_of_rows, "numbers of rows with one identity")
{
	struct row_numbers numbers = {0};
	char identity[16];
	size_t again;

	for (size_t i = 0; i < 3000; i++) {
		snprintf(identity, sizeof identity, "%zu", i % 3 ? i : 0);
		IS(row_numbers_add(&numbers, identity, &again));
		EQUAL(again, i % 3 ? 0 : i / 3);
	}
	row_numbers_finish(&numbers);
	NIL(numbers.counts);
}
