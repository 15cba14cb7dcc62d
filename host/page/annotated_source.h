/*
 * The annotated source of one launch: the lines of the kernel file with the counts of each line,
 * and below a line its accesses and divergent branches with drawings.
 */
#ifndef PMPP_HOST_PAGE_ANNOTATED_SOURCE_H
#define PMPP_HOST_PAGE_ANNOTATED_SOURCE_H

#include "host/record/explanation.h"

#include <stdbool.h>
#include <stdio.h>

/* The text of the traced kernel file in this program; NULL if this program has no such file, or
 * another one. The SHA-256 of the explanation decides. An explanation of an older version has none:
 * then all its source lines must be equal to those of the file. */
const char *annotated_source_text(const struct explanation_record *entry);

/* Writes the listing. Without the whole text it has the lines of the explanation alone. name: of
 * the launch, for screen readers. *drawings counts the drawings of the page: their ids contain it.
 * Returns false for lack of memory. */
bool annotated_source(
	FILE *out, const struct explanation_record *entry, const char *name, unsigned *drawings);

#endif
