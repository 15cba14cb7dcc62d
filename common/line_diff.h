/* Two texts compared line by line: the longest common subsequence of their lines. */
#ifndef PMPP_COMMON_LINE_DIFF_H
#define PMPP_COMMON_LINE_DIFF_H

#include "common/status.h"

#include <stddef.h>

/* The comparison takes memory of 2 bytes times lines times lines. */
#define LINE_DIFF_MAX_LINES 4096

enum diff_side {
	DIFF_BOTH,
	DIFF_FIRST,
	DIFF_SECOND
};

/* A line without its newline, within the text it came from (the first one's where both have it). */
struct diff_line {
	enum diff_side side;
	const char *text;
	int length; /* bytes */
};

struct line_diff {
	struct diff_line
		*lines; /* owned; DIFF_FIRST before DIFF_SECOND where both stand together */
	size_t count;
	size_t first_count, second_count; /* lines of each text */
};

/* Lines are equal when their bytes are. A newline at the end of a text begins no further line. The
 * texts must outlive the diff. PMPP_USAGE for a text of more than LINE_DIFF_MAX_LINES lines. */
enum pmpp_status line_diff_make(const char *first, const char *second, struct line_diff *ret_diff,
	struct pmpp_error *error);

void line_diff_finish(struct line_diff *diff);

#endif
