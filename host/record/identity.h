/*
 * Identities: of a result row among the rows of its run, and of a device among the devices of all files.
 */
#ifndef PMPP_HOST_RECORD_IDENTITY_H
#define PMPP_HOST_RECORD_IDENTITY_H

#include "host/record/result.h"

/* ---- Rows -------------------------------------------------------------------------------------- */

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

/* ---- Devices ------------------------------------------------------------------------------------ */

/* Returns the identity of a device: UUID, else PCI address with machine and name, else name. It
 * does not contain the driver. malloc'ed; NULL if there is no memory. */
char *device_identity(const struct device_record *device, const struct result_document *document);

/* Returns the identity that a device has both in contributions and in other files: its key in a
 * contribution. A UUID or PCI address becomes "uuid:", 32 hexadecimal digits of the SHA-256 digest of "pmpp device "
 * and device_identity(), and "-sha256". */
char *device_public_identity(
	const struct device_record *device, const struct result_document *document);

/* Returns whether a UUID is such a digest. */
bool is_public_uuid(const char *uuid);

/* Returns the first digits of the SHA-256 digest of a text; malloc'ed. NULL: no text, or no memory. */
char *text_digest(const char *text, int digits);

/* Like device_public_identity(), but the identity of a device that has only a name also contains its host:
 * run.host_id, else CPU, cores and memory of the host. */
char *device_identity_on_host(
	const struct device_record *device, const struct result_document *document);

#endif
