/*
 * Identity of result rows: it distinguishes a row from the other rows of the same run.
 */
#ifndef PMPP_HOST_RECORD_IDENTITY_H
#define PMPP_HOST_RECORD_IDENTITY_H

#include "host/record/result.h"

/* Identity as one text: family, variant, backend, device, element type, operation, data, problem,
 * macros, math and timing contract. The order of dimensions and macros does not matter. malloc'ed;
 * NULL if there is no memory. */
char *result_row_identity(const struct result_row *row);

/* Same for a parity row: family, variant, device, backends, problem and macros. */
char *parity_row_identity(const struct parity_row *row);

/* Counts rows by their identities. All zeros: no rows. */
struct row_numbers {
	struct record_extra *counts; /* owned */
};

/* Adds a row. *ret_again: number of earlier rows with the same identity. Returns false if there is no
 * memory. */
bool row_numbers_add(struct row_numbers *numbers, const char *identity, size_t *ret_again);

void row_numbers_finish(struct row_numbers *numbers);

#endif
