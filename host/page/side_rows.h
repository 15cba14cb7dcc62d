/*
 * The rows of the files by side: each variant and problem once on a side.
 */
#ifndef PMPP_HOST_PAGE_SIDE_ROWS_H
#define PMPP_HOST_PAGE_SIDE_ROWS_H

#include "host/page/section.h"

struct side_row {
	const struct result_row *row; /* of several files: timed, then the one with most samples */
	size_t side;
	double ns;     /* median of a row that passed; NAN: not timed */
	char *problem; /* "f32 random n=64": type, operation, data, size */
	char *kind;    /* family, variant and all that identifies the row except for its size */
	/* The row has the main problem of its family on this side: the problem at which most sides
	 * have their ladder, then the one with most timed variants. A side has its ladder at a
	 * problem if at least half as many variants are timed there as at its largest one. A side
	 * without a ladder at that problem has its own. */
	bool main;
};

/* In the order of the files. */
struct side_rows {
	struct side_row *items; /* owned */
	size_t count;
};

/* false for lack of memory; *ret_rows is then empty. */
bool side_rows_make(const struct page *page, struct side_rows *ret_rows);
void side_rows_finish(struct side_rows *rows);

/* "matmul/tiled16". malloc'ed; NULL for lack of memory. */
char *side_row_name(const struct result_row *row);

/* Whether the family's rates are in GB/s, else in GFLOP/s: as in the table of `run`. An unknown
 * family is in GB/s if the row has no operations. */
bool side_row_is_bandwidth(const struct result_row *row);

/* The rate of a timed row, in GB/s of the compulsory bytes or in GFLOP/s; NAN: unknown. */
double side_row_rate(const struct side_row *row, bool bandwidth);

#endif
