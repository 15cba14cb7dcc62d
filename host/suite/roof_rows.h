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
	struct problem problem; /* with a size for this device */
	double amount;          /* bytes or operations of one run */
};

/* role < ROOF_ROLE_COUNT. Returns false if the device has no row for the role: its roof is then
 * unknown, or is that of roof_row_other(). mma.sync is no row where it does not reach the rate of the
 * tensor cores (pmpp_mma_reaches_rate()), and f16 through NVIDIA's OpenCL has no row. */
bool roof_row_of(const struct gpu_device_info *info, enum roof_role role, struct roof_row *ret_row);

/* Returns a second row for the same roof, or false if there is none. The roof is the larger rate
 * of the two rows. CPUs have a second row, because the compiler and the prefetchers decide which row
 * is faster. On compute capability 9.0 the only row of the tensor cores is the second one, with wgmma. */
bool roof_row_other(
	const struct gpu_device_info *info, enum roof_role role, struct roof_row *ret_row);

#endif
