/*
 * Properties that hold for every JSON text. The fuzzer and the test of the corpus check them.
 */
#ifndef PMPP_TESTS_FUZZ_DOCUMENT_CHECK_H
#define PMPP_TESTS_FUZZ_DOCUMENT_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* Reads the text as the kind of file that its schema names. A text without a schema is read as each
 * kind of record that is part of a file.
 *
 * A refused text has PMPP_USAGE and a message of one line, and the record is untouched. For a text
 * that is read:
 *  - writing, reading and writing again gives the same text, and so does a copy
 *  - members and words that the tables do not have survive in each object
 *  - the functions of host/record/result.h return figures in their ranges for each row
 *  - a CSV and a Markdown table can be made; the Markdown table has one line for each row
 *    or, without times, for each variant
 *  - a comparison of the file with itself can be made, written and shown without nan and inf
 *
 * Returns NULL, or the property that does not hold (a constant). *ret_read: a record was read.
 */
const char *document_check(const char *text, size_t length, bool *ret_read);

#endif
