/*
 * Problem sizes on the command line (--size):
 *
 *   1024                  every dimension that has no default
 *   1024x512x768          in the order of the family's dimensions
 *   m=7,n=5,k=3           by name: one size
 *   256,512,37x41x43      several problems
 *   2^10:2^26:*4  1:9:+2  ranges, both ends included
 *
 * A number is decimal, or BASE^EXPONENT.
 */
#ifndef PMPP_HOST_RUN_SIZES_H
#define PMPP_HOST_RUN_SIZES_H

#include "common/family.h"
#include "common/status.h"

#define SIZE_NAME_LENGTH 15

struct size {
	size_t count; /* number of values; one value without a name is used for every dimension */
	bool named;
	char name[PMPP_MAX_DIMS][SIZE_NAME_LENGTH + 1];
	int64_t value[PMPP_MAX_DIMS]; /* each >= 1 */
};

/* Zero-initialise. */
struct size_list {
	struct size *items; /* owned */
	size_t count;
};

/* Appends the sizes of text. PMPP_USAGE with the part that is wrong. */
enum pmpp_status sizes_parse(const char *text, struct size_list *list, struct pmpp_error *error);

void sizes_finish(struct size_list *list);

/* Sets the extents of a family's problem. A dimension without a value gets its default, or 0 if the
 * family has no default. PMPP_USAGE: an unknown dimension, a wrong number of values, or a value
 * above family->dim_max. */
enum pmpp_status size_dims(const struct size *size, const struct family *family,
	int64_t ret_dim[PMPP_MAX_DIMS], struct pmpp_error *error);

/* "m x n x k" */
void family_dims_text(const struct family *family, char *ret_text, size_t size);

#endif
