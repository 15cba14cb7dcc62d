/* A page made from result documents in memory, for tests of its sections. */
#ifndef PMPP_TESTS_SUPPORT_MADE_PAGE_H
#define PMPP_TESTS_SUPPORT_MADE_PAGE_H

#include "host/page/parts.h"
#include "tests/support/result_files.h"

/* Has pointers into itself: do not copy. Zero-initialise, then add files. */
struct made_page {
	struct test_files files;
	struct page_input input;
	struct page_parts parts;
	struct page page;
};

/* test_gpu_a through its other backend. */
extern const struct test_device test_gpu_a_opencl;

/* Adds a file of one device. */
struct result_document *made_page_file(struct made_page *made, const struct test_device *device);

/* Joins the files and makes the sides. */
void made_page_join(struct made_page *made);

/* Returns the text of a section, which the page owns. The charts are in made->parts. */
const char *made_page_write(struct made_page *made, section_fn *section);

void made_page_finish(struct made_page *made);

/* Sets the work of a row. */
void test_row_work(struct result_row *row, double flops, double bytes, enum operations operations);

/* Fails the row of the test unless the text has the part. */
void test_text_has(const char *text, const char *part);

#endif
