/*
 * Results and comparisons as tables: CSV for programs, with more fields; Markdown for documents.
 */
#ifndef PMPP_HOST_REPORT_EXPORT_H
#define PMPP_HOST_REPORT_EXPORT_H

#include "host/record/comparison.h"

/* Every function returns a malloc'ed text; NULL for lack of memory. */

/* One line per row, or per parity row if the document has any. */
char *export_csv(const struct result_document *document);

/* One line for each row and each side except the base. */
char *export_comparison_csv(const struct comparison_document *document);

/* The tables of `run` or `parity`, each with a line about its problem and device. If no row has a
 * time, the table of `verify`: one line per variant, over all sizes. Marks of flags are explained
 * below the tables. */
char *export_markdown(const struct result_document *document);

/* A table for each family and problem: one line per variant. */
char *export_comparison_markdown(const struct comparison_document *document);

#endif
