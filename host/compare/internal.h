/*
 * A comparison in progress, for the files of this folder.
 */
#ifndef PMPP_HOST_COMPARE_INTERNAL_H
#define PMPP_HOST_COMPARE_INTERNAL_H

#include "host/compare/compare.h"
#include "host/compare/fields.h"

struct comparison {
	const struct compared_file *files;
	size_t file_count;
	const struct compare_options *options;
	struct compared_row *rows; /* of all files, in their order; owned */
	size_t row_count;
	unsigned by;    /* the compared fields */
	char **drivers; /* by file: of all its rows; made by sides_make(); owned */
	struct comparison_document *document;
	struct pmpp_error *error;
};

/* Chooses the compared fields, makes document.sides and sets `side` of each row. */
enum pmpp_status sides_make(struct comparison *comparison);

/* The rows that belong together: one on each side, or several that are runs of the same. */
struct joined {
	const struct compared_row **rows; /* in order; owned by `join` */
	size_t count;
	/* By side: the nearest group with a row of the side, if this one has none; else NULL. */
	const struct joined **near;
	const struct joined *near_to; /* the group for which this one stands: then it is no row */
};

struct join {
	const struct compared_row **rows; /* sorted by key, then in order; owned */
	struct joined *groups;            /* in the order of their first rows; owned */
	size_t count;
};

/* side_count: of document.sides. */
enum pmpp_status join_make(struct comparison *comparison, struct join *ret_join);
void join_finish(struct join *join);

/* The fields of the identity, without the compared fields, in which two rows differ. An unknown
 * text (NULL) equals every text. */
unsigned join_difference(const struct comparison *comparison, const struct compared_row *a,
	const struct compared_row *b);

/* Makes document.rows and document.counts. */
enum pmpp_status judge_rows(struct comparison *comparison, const struct join *join);

/* Makes document.best. */
enum pmpp_status best_make(struct comparison *comparison);

#endif
