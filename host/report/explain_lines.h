/*
 * The annotated source of a page of `explain`.
 */
#ifndef PMPP_HOST_REPORT_EXPLAIN_LINES_H
#define PMPP_HOST_REPORT_EXPLAIN_LINES_H

#include "host/record/explanation.h"
#include "host/report/page_style.h"

#include <stdio.h>

/* Prints the lines of the kernel that have notes, each with its notes to its right. Prints nothing
 * for lack of memory. */
void explain_lines_put(
	FILE *out, const struct explanation_record *entry, const struct page_style *style);

/* Writes "load A: 32 sectors/request, strided; uncoalesced". Returns whether the access costs more than
 * necessary. */
bool explain_lines_access(const struct access_record *access, char *ret_text, size_t size);

#endif
