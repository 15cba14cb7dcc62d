/*
 * The charts of the section "rooflines".
 */
#ifndef PMPP_HOST_PAGE_ROOFLINE_CHART_H
#define PMPP_HOST_PAGE_ROOFLINE_CHART_H

#include "host/page/side_rows.h"

/* Limits that share one colour: "limited by memory", ... */
struct limit_group {
	const char *name;
	unsigned limits; /* set of 1 << enum limited_by; 0: all others */
};

#define LIMIT_GROUPS 7
extern const struct limit_group limit_groups[LIMIT_GROUPS];

/* The index of the group of a row. */
size_t limit_group_of(const struct result_row *row);

/* Returns whether the roofline chart shows the row: it is timed, has the main problem, and has
 * operations. */
bool roofline_chart_has(const struct side_row *row, size_t side);

/* Returns the operations per byte of compulsory traffic; NAN: unknown. */
double roofline_chart_intensity(const struct result_row *row);

/* Returns largest floor / time; NAN: unknown. */
double roofline_chart_share(const struct side_row *row);

/* Makes the chart of GFLOP/s against intensity: roofs, and all variants of a side with their
 * floors. The functions return false if there is no memory; *ret_chart is then empty. It has no
 * series if there is no data. */
bool roofline_chart(const struct page *page, const struct side_rows *rows, size_t side,
	struct chart *ret_chart);

/* Makes the chart of the shares of the time that the largest floors explain, by family. */
bool roofline_chart_shares(const struct page *page, const struct side_rows *rows, size_t side,
	struct chart *ret_chart);

#endif
