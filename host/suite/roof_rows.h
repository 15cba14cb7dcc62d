/*
 * The rows of the internal family `roof` that measure a device's limits.
 */
#ifndef PMPP_HOST_SUITE_ROOF_ROWS_H
#define PMPP_HOST_SUITE_ROOF_ROWS_H

#include "common/family.h"
#include "host/gpu/gpu.h"

/* First the figures that a row of the family `roof` measures, then the transfers. */
enum roof_role {
	ROOF_COPY,
	ROOF_READ,
	ROOF_L2,
	ROOF_SHARED,
	ROOF_FMA,
	ROOF_FMA_F16,
	ROOF_FMA_F64,
	ROOF_INTEGER,
	ROOF_SPECIAL,
	ROOF_TENSOR_F16,
	ROOF_TENSOR_TF32,
	ROOF_ROLE_COUNT,
	ROOF_H2D = ROOF_ROLE_COUNT,
	ROOF_D2H,
	ROOF_FIGURE_COUNT
};

struct roof_row {
	struct config config;
	struct problem problem; /* with a size for this device */
	double amount;          /* bytes or operations of one run */
};

/* role < ROOF_ROLE_COUNT. Returns false if the device has no row for the role: its roof is then
 * unknown, or is that of the second row. mma.sync is no row where it does not reach the rate of the
 * tensor cores (pmpp_mma_reaches_rate()), and f16 through NVIDIA's OpenCL has no row.
 *
 * second: the second row for the same roof, or false if there is none. The roof is the larger rate
 * of the two rows. CPUs have a second row, because the compiler and the prefetchers decide which row
 * is faster. On compute capability 9.0 the only row of the tensor cores is the second one, with wgmma. */
bool roof_row_of(const struct gpu_device_info *info, enum roof_role role, bool second,
	struct roof_row *ret_row);

#endif
