/*
 * Occupancy: the number of blocks of a kernel that a unit (occupancy_unit.h) holds at a time, and
 * the resource that limits this number.
 */
#ifndef PMPP_COMMON_MODEL_OCCUPANCY_H
#define PMPP_COMMON_MODEL_OCCUPANCY_H

#include "common/model/occupancy_rules.h"
#include "common/model/occupancy_table.h"
#include "common/record.h"
#include "common/status.h"

enum occupancy_limit {
	OCCUPANCY_THREADS,
	OCCUPANCY_BLOCKS,
	OCCUPANCY_REGISTERS,
	OCCUPANCY_SHARED,
	OCCUPANCY_SCALARS,
	OCCUPANCY_BARRIERS,
	OCCUPANCY_LIMIT_COUNT
};

/* By limit: "shared memory"; ended by NULL. */
extern const char *const occupancy_limit_words[OCCUPANCY_LIMIT_COUNT + 1];

/* struct occupancy */
#define RECORDS "common/model/occupancy.def"
#include "common/records.inc"

/* PMPP_USAGE if a member of `use` is out of range, or if it needs a figure that is unknown. */
enum pmpp_status occupancy_of(const struct occupancy_unit *unit, const struct kernel_use *use,
	struct occupancy *ret_occupancy, struct pmpp_error *error);

#endif
