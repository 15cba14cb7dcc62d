/*
 * The annotated source of one launch: the lines of the kernel file, each with its counts. Below a
 * line are its accesses and divergent branches (access_note.h).
 */
#ifndef PMPP_HOST_PAGE_ANNOTATED_SOURCE_H
#define PMPP_HOST_PAGE_ANNOTATED_SOURCE_H

#include "host/page/section.h"

/* Returns the text of the traced kernel file; NULL if this program does not have the file, or has
 * another version of it (SHA-256 in the explanation). */
const char *annotated_source_text(const struct explanation_record *entry);

/* Writes the listing. If annotated_source_text() returns NULL, the listing has only the lines of
 * the explanation. name: name of the launch, for screen readers. */
void annotated_source(struct page *page, const struct explanation_record *entry, const char *name);

#endif
