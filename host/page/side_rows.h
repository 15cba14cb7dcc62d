/*
 * The rows of the files by side. Each side has each variant and problem only once.
 */
#ifndef PMPP_HOST_PAGE_SIDE_ROWS_H
#define PMPP_HOST_PAGE_SIDE_ROWS_H

#include "host/page/section.h"

struct side_row {
	const struct result_row *row; /* of several rows: a timed row, with the most samples */
	size_t side;
	double ns;     /* median of a row that passed; NAN: not timed */
	char *problem; /* "f32 random n=64": type, operation, data, size */
	char *kind;    /* family, variant and all other identifying fields except the size */
	/* The row has the main problem of its family on this side. A side has a ladder at a problem
	 * if it has at least half as many timed variants there as at its best problem. The main
	 * problem is the problem with the ladders of the most sides, and among these the problem
	 * with the most timed variants. A side without a ladder there has its own main problem. */
	bool main;
};

/* The rows, in the order of the files. */
struct side_rows {
	struct side_row *items; /* owned */
	size_t count;
};

/* Returns false if there is no memory; *ret_rows is then empty. */
bool side_rows_make(const struct page *page, struct side_rows *ret_rows);
void side_rows_finish(struct side_rows *rows);

/* Returns "matmul/tiled16". malloc'ed; NULL if there is no memory. */
char *side_row_name(const struct result_row *row);

/* Returns true if the family's rates are in GB/s, false if in GFLOP/s, as in the table of `run`.
 * The rates of an unknown family are in GB/s if the row has no operations. */
bool side_row_is_bandwidth(const struct result_row *row);

/* Returns the rate of a timed row, in GB/s of the compulsory bytes or in GFLOP/s; NAN: unknown. */
double side_row_rate(const struct side_row *row, bool bandwidth);

#endif
