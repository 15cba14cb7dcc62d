/*
 * Results and comparisons as tables: CSV with all fields for other programs, Markdown for texts.
 */
#ifndef PMPP_HOST_REPORT_EXPORT_H
#define PMPP_HOST_REPORT_EXPORT_H

#include "host/record/comparison.h"

/* All functions return a malloc'ed text; NULL for lack of memory. */

/* One line per row, or per parity row if the document has any. */
char *export_csv(const struct result_document *document);

/* One line for each row and side but the base. */
char *export_comparison_csv(const struct comparison_document *document);

/* The tables of `run`, `parity` or `verify`, each with a line about its problem and device. Rows
 * without any times are a table of `verify`: one line per variant, over all sizes. Marks of flags
 * are explained below the tables. */
char *export_markdown(const struct result_document *document);

/* A table for each family and problem: one line per variant. */
char *export_comparison_markdown(const struct comparison_document *document);

#endif
