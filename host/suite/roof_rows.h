/*
 * The rows of the internal family `roof` that measure a device's limits.
 */
#ifndef PMPP_HOST_SUITE_ROOF_ROWS_H
#define PMPP_HOST_SUITE_ROOF_ROWS_H

#include "common/family.h"
#include "host/gpu/gpu.h"
#include "host/suite/roof_figures.h"

struct roof_row {
	struct config config;
	struct problem problem; /* of a size for this device */
	double amount;          /* of one run: bytes, or operations of a rate */
};

/* role < ROOF_ROLE_COUNT. Returns false when the device has no such row. */
bool roof_row_of(const struct gpu_device_info *info, enum roof_role role, struct roof_row *ret_row);

/* A second row for the same roof. Which of the two is faster on a CPU depends on the compiler and
 * on the prefetchers. Returns false if there is none. */
bool roof_row_other(
	const struct gpu_device_info *info, enum roof_role role, struct roof_row *ret_row);

#endif
