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
	/* The group that has this one in `near`. The sides for which it does are not part of this
	 * group's own row. */
	const struct joined *near_to;
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

/* One side of a row. */
struct part {
	const struct compared_row *first; /* NULL: the side has no such row */
	double *medians_ns;               /* of all runs; owned */
	size_t count;
	int primary;       /* of these runs; runs with other samples are left out */
	double half_width; /* largest of the runs' own half-widths; NAN: unknown */
	double floor_ns;   /* derived.floor.ns: largest floor of the time; NAN: unknown */
	struct noise_floor noise;
	bool raised;      /* the spread of the side has raised the floor of noise */
	bool failed;      /* a run has no verified time */
	const char *type; /* of the device; NULL: unknown */
	struct repetition_estimate estimate;
};

/* Whether the part has a time: all its runs passed, and at least one was timed. */
bool part_is_timed(const struct part *part);

/* noise_floor_spread() of each side and noise class: [side * NOISE_CLASSES + class], from all rows
 * that have several runs there. malloc'ed; NULL for lack of memory. */
struct noise_spread *spreads_of(const struct join *join, size_t side_count);

/* Makes the part and the cell of a side. spreads: those of the side, one for each noise class; they
 * raise the floor of noise. part_finish() frees what the part owns. */
void part_fill(const struct joined *group, size_t side, const struct noise_spread *spreads,
	struct part *part, struct cell_record *cell);
void part_finish(struct part *part);

/* Makes document.rows and document.counts. */
enum pmpp_status judge_rows(struct comparison *comparison, const struct join *join);

/* Sets `confirmed` of the rows that are SLOW. */
enum pmpp_status confirm_slow(struct comparison *comparison);

/* Makes document.best. */
enum pmpp_status best_make(struct comparison *comparison);

#endif
