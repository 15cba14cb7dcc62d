/*
 * The rows of the internal family `roof` that measure a device's limits.
 */
#ifndef PMPP_HOST_SUITE_ROOF_ROWS_H
#define PMPP_HOST_SUITE_ROOF_ROWS_H

#include "common/family.h"
#include "host/gpu/gpu.h"

enum roof_role {
	ROOF_COPY,
	ROOF_READ,
	ROOF_FMA,
	ROOF_SHARED,
	ROOF_ROLE_COUNT
};

struct roof_row {
	struct config config;
	struct problem problem; /* of a size for this device */
	double amount;          /* of one run: bytes, or flops for ROOF_FMA */
};

/* Returns false when the device has no such row. */
bool roof_row_of(const struct gpu_device_info *info, enum roof_role role, struct roof_row *ret_row);

#endif
