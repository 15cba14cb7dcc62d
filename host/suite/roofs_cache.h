/*
 * Measured roofs in the cache directory. A physical device has one file for all its backends. The
 * file name depends on the identity of the device (UUID, else PCI address, else name), the number
 * of compute units, the version of the driver and the sources of the roof kernels. It does not
 * depend on the backend. The file has a part for each backend that measured the device.
 */
#ifndef PMPP_HOST_SUITE_ROOFS_CACHE_H
#define PMPP_HOST_SUITE_ROOFS_CACHE_H

#include "host/gpu/gpu.h"
#include "host/suite/roof_figures.h"

struct kept_roofs {
	struct roofs_record own;      /* measured through the backend of the device */
	bool complete;                /* own contains each figure that the backend can measure */
	struct roofs_record doubtful; /* own figures from samples with warnings */
	bool pause;                   /* doubtful is recent: use it, and do not measure again yet */
};

/* Returns a struct without known figures. */
struct kept_roofs kept_roofs_none(void);

/* Returns kept_roofs_none() if the file is missing, damaged, of another schema, or not trusted
 * (host/io/cache_file.h). roof_dir: root of the kernel files; NULL: embedded. */
struct kept_roofs roofs_cache_load(const struct gpu_device_info *info, const char *roof_dir);

/* Writes own, complete and, for a CPU, doubtful as the part of the device's backend. The other
 * parts do not change. Figures from samples with warnings are not
 * cached for a GPU. For a CPU they are cached for ten minutes: other programs always run on a CPU,
 * so nearly all its samples have warnings, and measuring its roofs takes seconds. A failed write is
 * not an error: each process then measures the roofs again. */
void roofs_cache_store(
	const struct gpu_device_info *info, const char *roof_dir, const struct kept_roofs *kept);

#endif
