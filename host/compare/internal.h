/*
 * A comparison in progress, for the files of this folder.
 */
#ifndef PMPP_HOST_COMPARE_INTERNAL_H
#define PMPP_HOST_COMPARE_INTERNAL_H

#include "common/model/repetition.h"
#include "host/compare/compare.h"
#include "host/compare/fields.h"

struct comparison {
	const struct compared_file *files;
	size_t file_count;
	const struct compare_options *options;
	struct compared_row *rows; /* of all files, in their order; owned */
	size_t row_count;
	unsigned by;    /* the compared fields */
	char **drivers; /* by file: drivers of all its rows; set by sides_make(); owned */
	struct comparison_document *document;
	/* By row of the document: bit i: side i has a time of the problem of the row, perhaps with
	 * other macros. Set by judge_rows(); owned. */
	uint64_t *own_times;
	struct pmpp_error *error;
};

/* Chooses the compared fields, fills document.sides and sets `side` of each row. */
enum pmpp_status sides_make(struct comparison *comparison);

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

/* Joins the rows of all sides. The caller calls join_finish() after success. */
enum pmpp_status join_make(struct comparison *comparison, struct join *ret_join);
void join_finish(struct join *join);

/* Returns the fields of the identity in which two rows differ, without the compared fields. An
 * unknown text (NULL) equals every text. */
unsigned join_difference(const struct comparison *comparison, const struct compared_row *a,
	const struct compared_row *b);

/* One side of a row. */
struct part {
	const struct compared_row *first; /* NULL: the side has no such row */
	double *medians_ns;               /* of all runs; owned */
	size_t count;
	int primary;       /* primary samples of these runs; runs with other samples are ignored */
	double half_width; /* largest half-width of a single run; NAN: unknown */
	double floor_ns;   /* derived.floor.ns: largest floor of the time; NAN: unknown */
	struct noise_floor noise;
	bool raised;      /* the spread of the side has increased the floor of noise */
	bool failed;      /* a run has no verified time */
	const char *type; /* of the device; NULL: unknown */
	struct repetition_estimate estimate;
};

/* Returns whether the part has a time: all its runs passed, and at least one was timed. */
bool part_is_timed(const struct part *part);

/* Returns noise_floor_spread() of each side and noise class: [side * NOISE_CLASSES + class], from
 * all rows with several runs on the side. malloc'ed; NULL if there is no memory. */
struct noise_spread *spreads_of(const struct join *join, size_t side_count);

/* Fills the part and the cell of a side. spreads: the spreads of the side, one for each noise
 * class; they can increase the floor of noise. The caller calls part_finish(). */
void part_fill(const struct joined *group, size_t side, const struct noise_spread *spreads,
	struct part *part, struct cell_record *cell);
void part_finish(struct part *part);

/* Fills document.rows, document.counts and own_times. The counts are without peers. */
enum pmpp_status judge_rows(struct comparison *comparison, const struct join *join);

/* Sets `confirmed` of the cells with the verdict SLOW, except in rows of peers. */
enum pmpp_status confirm_slow(struct comparison *comparison);

/* Fills document.best from own_times. */
enum pmpp_status best_make(struct comparison *comparison);

#endif
