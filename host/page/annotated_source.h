/*
 * The annotated source of one launch: the lines of the kernel file, each with its counts. Below a
 * line are its accesses and divergent branches, with drawings.
 */
#ifndef PMPP_HOST_PAGE_ANNOTATED_SOURCE_H
#define PMPP_HOST_PAGE_ANNOTATED_SOURCE_H

#include "host/record/explanation.h"

#include <stdbool.h>
#include <stdio.h>

/* Returns the text of the traced kernel file; NULL if this program does not have the file, or has
 * another version of it. Compares the SHA-256 in the explanation. Explanations of older versions
 * have no SHA-256: all their source lines must then be equal to the lines of the file. */
const char *annotated_source_text(const struct explanation_record *entry);

/* Writes the listing. If annotated_source_text() returns NULL, the listing has only the lines of
 * the explanation. name: name of the launch, for screen readers. *drawings: counts the drawings of
 * the page; their ids contain the number. Returns false if there is no memory. */
bool annotated_source(
	FILE *out, const struct explanation_record *entry, const char *name, unsigned *drawings);

#endif
