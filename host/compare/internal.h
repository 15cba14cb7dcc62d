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
};

struct join {
	const struct compared_row **rows; /* sorted by key, then in order; owned */
	size_t row_count;
	struct joined *groups; /* in the order of their first rows; owned */
	size_t count;
};

/* Joins the rows of all sides. Returns false if there is no memory. The caller calls join_finish() in
 * both cases. */
bool join_make(struct comparison *comparison, struct join *ret_join);
void join_finish(struct join *join);

/* Returns the row of a side with the variant of a group and the fewest other differences. Searches the
 * neighbours of the group. NULL: none. */
const struct compared_row *join_near(const struct comparison *comparison, const struct join *join,
	const struct joined *group, size_t side);

/* Fills document.rows, and document.counts without peers. Returns false if there is no memory. */
bool judge_rows(struct comparison *comparison, const struct join *join);

#endif
