/*
 * Result documents as flat tables: one line for each result, or for each parity where there are
 * some.
 */
#ifndef PMPP_HOST_REPORT_TABLES_H
#define PMPP_HOST_REPORT_TABLES_H

#include <jansson.h>

/* RFC 4180 with a header line, lines ended by LF. malloc'ed; NULL for lack of memory. */
char *table_csv(const json_t *document);

/* A GitHub-flavoured Markdown table, numbers right-aligned. malloc'ed. */
char *table_markdown(const json_t *document);

#endif
