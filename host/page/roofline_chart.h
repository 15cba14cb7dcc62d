/*
 * The charts of the section "rooflines".
 */
#ifndef PMPP_HOST_PAGE_ROOFLINE_CHART_H
#define PMPP_HOST_PAGE_ROOFLINE_CHART_H

#include "host/page/side_rows.h"

/* Limits of one colour: "limited by memory", ... */
struct limit_group {
	const char *name;
	unsigned limits; /* set of 1 << enum limited_by; 0: all others */
};

#define LIMIT_GROUPS 7
extern const struct limit_group limit_groups[LIMIT_GROUPS];

/* The index of the group of a row. */
size_t limit_group_of(const struct result_row *row);

/* Whether the chart of rooflines has the row: timed, of the main problem, and with operations. */
bool roofline_chart_has(const struct side_row *row, size_t side);

/* Operations per byte of the compulsory traffic. NAN: unknown. */
double roofline_chart_intensity(const struct result_row *row);

/* The largest floor / the time. NAN: unknown. */
double roofline_chart_share(const struct side_row *row);

/* GFLOP/s against intensity: roofs, and all variants of a side with their floors. The functions
 * return false for lack of memory. *ret_chart is then empty, and it has no series if there is
 * nothing to show. */
bool roofline_chart(const struct page *page, const struct side_rows *rows, size_t side,
	struct chart *ret_chart);

/* The share of the time that the floor explains, by family. */
bool roofline_chart_shares(const struct page *page, const struct side_rows *rows, size_t side,
	struct chart *ret_chart);

#endif
