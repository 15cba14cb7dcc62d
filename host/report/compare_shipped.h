/*
 * Rows that the text of a comparison leaves out if some sides are shipped devices (compare --with)
 * and others are not. Rows that only shipped devices have are left out. For problems that the
 * shipped devices have at other sizes, there is one line for each family. If all sides are of one
 * kind, nothing is left out.
 */
#ifndef PMPP_HOST_REPORT_COMPARE_SHIPPED_H
#define PMPP_HOST_REPORT_COMPARE_SHIPPED_H

#include <stdio.h>

#include "host/record/comparison.h"

/* Whether some sides, but not all, are shipped devices. */
bool compare_is_mixed(const struct comparison_document *document);

/* Whether a side that is not a shipped device has the row. Always true unless compare_is_mixed().
 */
bool compare_row_is_own(
	const struct comparison_document *document, const struct comparison_row *row);

/* Whether the text shows the row: a side has a time, and compare_row_is_own(). */
bool compare_row_is_shown(
	const struct comparison_document *document, const struct comparison_row *row);

/* Whether the side of the cell is a shipped device that has the row at another size. */
bool compare_cell_is_other_size(
	const struct comparison_document *document, const struct cell_record *cell);

/* Whether no shipped device has the problem of these rows, but one has another size of the family.
 * rows: the shown rows of a family and problem. */
bool compare_is_other_size(const struct comparison_document *document,
	const struct comparison_row *const *rows, size_t count);

/* Prints a line for each family with rows at other sizes: their number, and the sizes to run. Then
 * prints the number of rows that are left out. Prints nothing if there are no such rows. */
void compare_shipped_put(FILE *out, const struct comparison_document *document);

#endif
