/*
 * The identity of result rows: what distinguishes a row from the other rows of one run.
 */
#ifndef PMPP_HOST_RECORD_IDENTITY_H
#define PMPP_HOST_RECORD_IDENTITY_H

#include "host/record/result.h"

/* Family, variant, backend, device, element type, operation, data, problem, macros, math and timing
 * contract as one text. Equal identities have equal texts; the order of dimensions and macros does
 * not matter. malloc'ed; NULL for lack of memory. */
char *result_row_identity(const struct result_row *row);

/* Family, variant, device, backends, problem and macros. The rest as above. */
char *parity_row_identity(const struct parity_row *row);

#endif
