/* Result documents in memory, for tests of comparisons. */
#ifndef PMPP_TESTS_SUPPORT_RESULT_FILES_H
#define PMPP_TESTS_SUPPORT_RESULT_FILES_H

#include "host/compare/compare.h"

/* A device. NULL: the text is not in the file. */
struct test_device {
	const char *key, *uuid, *pci, *name, *type;
	const char *backend, *driver; /* of its first view */
};

extern const struct test_device test_gpu_a, test_gpu_b, test_cpu; /* with different names */

#define TEST_FILES 12

/* Files to compare. Zero-initialise. */
struct test_files {
	struct compared_file items[TEST_FILES];
	size_t count;
};

/* Starts a file. label: NULL = none. */
struct result_document *test_file(
	struct test_files *files, const char *path, const char *host_id, const char *label);

/* Starts a file of the machine "host" with a device and without a label. */
struct result_document *test_device_file(
	struct test_files *files, const char *path, const struct test_device *device);

/* Adds a device, or a further view to the device of this key. */
void test_file_device(struct result_document *document, const struct test_device *device);

/* Adds a row of matmul, n = 64, TILE = 16, that is ok: a cold median with a half-width of 0.1 %.
 * ns <= 0: not timed. The row is valid until the next one is added. */
struct result_row *test_row(struct result_document *document, const struct test_device *device,
	const char *variant, double ns);

/* Adds a row of several runs (--repeat), with a floor of noise of 0.2 %. */
struct result_row *test_runs(struct result_document *document, const struct test_device *device,
	const char *variant, const double *medians_ns, size_t count);

/* Sets n of the problem. */
void test_row_size(struct result_row *row, int64_t n);

/* Ends the row like a worker that lost it. */
void test_row_end(struct result_row *row, enum outcome_status status, const char *reason);

/* A file of one device with one row of the variant "tiled". */
struct result_document *test_small_file(
	struct test_files *files, const char *path, const struct test_device *device, double ns);

/* Compares the files; the row of the test fails if they are refused. by: NULL = chosen. */
struct comparison_document test_compare(struct test_files *files, const char *by);

/* The row of a variant, the first if there are several; the row of the test fails without one. */
const struct comparison_row *test_compared_row(
	const struct comparison_document *document, const char *variant);

/* The text about a comparison, without colours, valid until the end of the row. */
char *test_compared_text(const struct comparison_document *document);

void test_files_finish(struct test_files *files);

/* Files that are finished at the end of their scope. */
#define SCOPED_FILES FINISHED(test_files_finish) struct test_files

static inline void comparison_document_finish(struct comparison_document *document)
{
	record_finish(&comparison_document_type, document);
}

/* A comparison that is finished at the end of its scope. */
#define TEST_COMPARISON FINISHED(comparison_document_finish) struct comparison_document

#endif
