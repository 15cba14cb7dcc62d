/*
 * The rows of a problem that passed and were timed in this session, and peers that another process
 * has timed. A later variant can be timed in turn with them.
 */
#ifndef PMPP_HOST_SUITE_EARLIER_ROWS_H
#define PMPP_HOST_SUITE_EARLIER_ROWS_H

#include "host/suite/outcome.h"

struct earlier_row {
	struct config config;
	struct problem problem; /* with the rounding of the variant's inputs */
	double median_ns;       /* of its primary samples; NAN = unknown */
	char output_sha256[65]; /* of its verified output; "" = unknown */
};

/* Zero-initialised: none. */
struct earlier_rows {
	struct earlier_row *items; /* owned */
	size_t count;
};

/* Adds a timed outcome, or a peer that another process has timed, after removing the rows of other
 * problems. Removes all rows if there is no memory. Ignores rows of internal families. */
void earlier_rows_add(struct earlier_rows *rows, const struct outcome *outcome);

/* Returns the row of the named variant for the outcome's problem; NULL if there is none. In a sweep
 * ladder_find() selects the row. */
const struct earlier_row *earlier_rows_find(
	const struct earlier_rows *rows, const char *variant, const struct outcome *outcome);

/* Gets the rows of all peers that solve the outcome's problem with the same rounding of the inputs.
 * Returns their number, at most `max`; 0 for the outcome of a peer. */
size_t earlier_rows_peers(const struct earlier_rows *rows, const struct outcome *outcome,
	const struct earlier_row **ret_peers, size_t max);

void earlier_rows_finish(struct earlier_rows *rows);

#endif
