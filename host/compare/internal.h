/*
 * A comparison in progress, for the files of this folder.
 */
#ifndef PMPP_HOST_COMPARE_INTERNAL_H
#define PMPP_HOST_COMPARE_INTERNAL_H

#include "host/compare/compare.h"

struct comparison {
	const struct compared_file *files;
	size_t file_count;
	const struct compare_options *options;
	struct compared_rows rows;
	unsigned by;              /* the compared fields */
	struct text_list drivers; /* by file: the drivers of all its rows; only for sides_make() */
	struct comparison_document *document;
};

/* Chooses the compared fields, fills document.sides and sets `side` of each row. */
enum pmpp_status sides_make(struct comparison *comparison, struct pmpp_error *error);

/* Joins the rows of all sides. Fills document.rows, and document.counts without peers. false: no memory. */
bool judge_rows(struct comparison *comparison);

#endif
