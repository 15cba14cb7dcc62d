/*
 * The place of a device among others, by the fastest variant of each problem on each device.
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

/* own: results of one device; empty if they are of several devices. others: files of one device
 * each, with names. A row takes part if it passed and is timed, and has the family, type,
 * operation, data, problem, math and timing contract of the device's row, and a variant that own
 * has too, timed or not. A file of the same physical device (contribution_same_device()) is left
 * out, and so are problems that no other device has. Points into own and others.
 * PMPP_OUT_OF_MEMORY. */
enum pmpp_status standings_make(const struct result_document *own,
	const struct compared_file *others, size_t count, struct standings *ret_standings,
	struct pmpp_error *error);
void standings_finish(struct standings *standings);

#endif
