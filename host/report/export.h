/*
 * Results as tables for other programs: CSV and Markdown.
 */
#ifndef PMPP_HOST_REPORT_EXPORT_H
#define PMPP_HOST_REPORT_EXPORT_H

#include "host/record/result.h"

/* One line per row, or per parity row if the document has any. malloc'ed; NULL for lack of memory.
 */
char *export_csv(const struct result_document *document);
char *export_markdown(const struct result_document *document);

#endif
