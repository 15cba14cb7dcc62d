/*
 * The annotated source of one launch: the lines of the kernel file, each with its counts. Below a
 * line are its accesses and divergent branches.
 */
#ifndef PMPP_HOST_PAGE_ANNOTATED_SOURCE_H
#define PMPP_HOST_PAGE_ANNOTATED_SOURCE_H

#include "host/page/section.h"

/* Writes the listing (explain_writer.put_notes). If this program does not have the traced file (SHA-256 in
 * the explanation), the listing has only the lines of the explanation. page: a struct page */
void annotated_source(void *page, const struct explanation_record *entry);

#endif
