/*
 * Numbers of rows with equal identities: 0 for the first row, 1 for the second row, and so on. The
 * time to add a row grows with the logarithm of the number of rows.
 */
#ifndef PMPP_HOST_RECORD_ROW_NUMBERS_H
#define PMPP_HOST_RECORD_ROW_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

struct row_identity; /* shared by all rows with this identity */

struct row_number {
	struct row_identity *identity;
	size_t again; /* number of earlier rows with the same identity */
};

/* All zeros: no rows. */
struct row_numbers {
	void *tree;               /* tree of identities */
	struct row_number *items; /* one for each row, in order; owned */
	size_t count, capacity;
};

/* Appends a row. Copies the identity. Returns false if there is no memory. */
bool row_numbers_add(struct row_numbers *numbers, const char *identity);

/* Returns the identity of a row. row: index of the row. */
const char *row_numbers_identity(const struct row_numbers *numbers, size_t row);

void row_numbers_finish(struct row_numbers *numbers);

#endif
