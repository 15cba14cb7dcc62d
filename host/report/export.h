/*
 * Results as tables for other programs: CSV and Markdown.
 */
#ifndef PMPP_HOST_REPORT_EXPORT_H
#define PMPP_HOST_REPORT_EXPORT_H

#include "host/record/result.h"

/* A line for each row; for each row of `parity` where there are such. malloc'ed; NULL for lack of
 * memory. */
char *export_csv(const struct result_document *document);
char *export_markdown(const struct result_document *document);

#endif
