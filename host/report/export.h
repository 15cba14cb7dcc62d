/*
 * Results and comparisons as tables for other programs: CSV and Markdown.
 */
#ifndef PMPP_HOST_REPORT_EXPORT_H
#define PMPP_HOST_REPORT_EXPORT_H

#include "host/record/comparison.h"

/* One line per row, or per parity row if the document has any. malloc'ed; NULL for lack of memory.
 */
char *export_csv(const struct result_document *document);
char *export_markdown(const struct result_document *document);

/* One line for each row and side but the base. */
char *export_comparison_csv(const struct comparison_document *document);
char *export_comparison_markdown(const struct comparison_document *document);

#endif
