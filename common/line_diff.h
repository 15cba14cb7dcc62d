/* Compares two texts line by line: the longest common subsequence of their lines. */
#ifndef PMPP_COMMON_LINE_DIFF_H
#define PMPP_COMMON_LINE_DIFF_H

#include "common/status.h"

#include <stddef.h>

/* Maximum number of lines of a text. The comparison needs 2 * lines * lines bytes of memory. */
#define LINE_DIFF_MAX_LINES 4096

enum diff_side {
	DIFF_BOTH,
	DIFF_FIRST,
	DIFF_SECOND
};

/* A line without its newline. text points into the first text for DIFF_BOTH and DIFF_FIRST, else
 * into the second one. */
struct diff_line {
	enum diff_side side;
	const char *text;
	int length; /* bytes */
};

struct line_diff {
	struct diff_line
		*lines; /* owned; of neighbouring different lines, DIFF_FIRST comes first */
	size_t count;
	size_t first_count, second_count; /* lines of each text */
};

/* Lines are equal if their bytes are equal. A newline at the end of a text does not begin another
 * line. The texts must outlive the diff. PMPP_USAGE if a text has more than LINE_DIFF_MAX_LINES
 * lines. */
enum pmpp_status line_diff_make(const char *first, const char *second, struct line_diff *ret_diff,
	struct pmpp_error *error);

void line_diff_finish(struct line_diff *diff);

#endif
