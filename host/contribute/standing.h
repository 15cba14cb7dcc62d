/*
 * The place of a device among other devices, ordered by the time of the fastest variant of each
 * problem.
 */
#ifndef PMPP_HOST_CONTRIBUTE_STANDING_H
#define PMPP_HOST_CONTRIBUTE_STANDING_H

#include "host/compare/compare.h"

struct standing_entry {
	const char *name;             /* compared_file.name; NULL: the device itself */
	const struct result_row *row; /* its fastest verified variant */
};

/* One problem. */
struct standing {
	struct standing_entry *entries; /* fastest first; owned */
	size_t count;
	size_t place; /* index of the device itself */
};

struct standings {
	struct standing *items; /* in the order of the rows; owned */
	size_t count;
};

/* own: results of one device; the standings are empty if it has several devices. others: files of
 * one device each, with names. A row of another device is used if
 *   - it passed and is timed,
 *   - it solves the family's problem at full precision (variant_solves_family()),
 *   - it has the family, type, operation, data, problem, math and timing contract of own's row, and
 *   - own also has its variant, timed or not.
 * Files of the same physical device (contribution_same_device()) and problems that no other device
 * has are ignored. The result points into own and others. PMPP_OUT_OF_MEMORY. */
enum pmpp_status standings_make(const struct result_document *own,
	const struct compared_file *others, size_t count, struct standings *ret_standings,
	struct pmpp_error *error);
void standings_finish(struct standings *standings);

#endif
