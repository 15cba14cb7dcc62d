/*
 * Measured roofs in the cache directory: one file per device, driver and compiler.
 */
#ifndef PMPP_HOST_SUITE_ROOFS_CACHE_H
#define PMPP_HOST_SUITE_ROOFS_CACHE_H

#include "host/gpu/gpu.h"
#include "host/record/measurement.h"

/* Every figure NaN. The record owns nothing. */
struct roofs_record roofs_unknown(void);

/* Returns false when the file is missing, damaged, of another schema, or not trusted
 * (host/io/cache_file.h). */
bool roofs_cache_load(const struct gpu_device_info *info, struct roofs_record *ret_roofs);

/* Writes the file. A failed write is not an error: each process then measures the roofs again. */
void roofs_cache_store(const struct gpu_device_info *info, const struct roofs_record *roofs);

#endif
