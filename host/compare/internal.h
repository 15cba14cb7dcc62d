/*
 * A comparison in progress, for the files of this folder.
 */
#ifndef PMPP_HOST_COMPARE_INTERNAL_H
#define PMPP_HOST_COMPARE_INTERNAL_H

#include "common/model/repetition.h"
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

/* The rows that belong together: on each side one row, or several rows from repeated runs. */
struct joined {
	const struct compared_row **rows; /* in order; owned by `join` */
	size_t count;
	/* By side: the nearest group with a row of the side if this group has none; else NULL. */
	const struct joined **near;
	/* The group whose `near` contains this group; else NULL. The rows of these sides are shown
	 * in the row of that group, not in the row of this group. */
	const struct joined *near_to;
};

struct join {
	const struct compared_row **rows; /* sorted by key, then in order; owned */
	struct joined *groups;            /* in the order of their first rows; owned */
	size_t count;
};

/* Joins the rows of all sides. Returns false if there is no memory. The caller calls join_finish() in
 * both cases. */
bool join_make(struct comparison *comparison, struct join *ret_join);
void join_finish(struct join *join);

/* Fills document.rows, and document.counts without peers. Returns false if there is no memory. */
bool judge_rows(struct comparison *comparison, const struct join *join);

/* Fills document.best. Returns false if there is no memory. */
bool best_make(struct comparison_document *document);

#endif
