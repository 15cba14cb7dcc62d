/*
 * Numbers of rows with the same identity: 0 for the first row, 1 for the second row. The time to
 * add a row grows with the logarithm of the number of rows.
 */
#ifndef PMPP_HOST_RECORD_ROW_NUMBERS_H
#define PMPP_HOST_RECORD_ROW_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

struct row_identity; /* one for all rows of the same identity */

struct row_number {
	struct row_identity *identity;
	size_t again; /* number of earlier rows with the same identity */
};

/* Zeros: no rows. */
struct row_numbers {
	void *tree;               /* of identities */
	struct row_number *items; /* one for each row, in order; owned */
	size_t count, capacity;
};

/* Appends a row. identity: copied. false for lack of memory. */
bool row_numbers_add(struct row_numbers *numbers, const char *identity);

/* The identity of row number `row`. */
const char *row_numbers_identity(const struct row_numbers *numbers, size_t row);

void row_numbers_finish(struct row_numbers *numbers);

#endif
