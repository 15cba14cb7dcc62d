/*
 * Measured roofs in the cache directory: one file per device, driver and compiler.
 */
#ifndef PMPP_HOST_SUITE_ROOFS_CACHE_H
#define PMPP_HOST_SUITE_ROOFS_CACHE_H

#include "host/gpu/gpu.h"
#include "host/record/measurement.h"

/* Every figure NaN. The record owns nothing. */
struct roofs_record roofs_unknown(void);

/* The device's file. Returns false when there is no cache directory. */
bool roofs_cache_path(const struct gpu_device_info *info, char *ret_path, size_t size);

/* Returns false when the file is missing, damaged, or of another schema. */
bool roofs_cache_load(const char *path, struct roofs_record *ret_roofs);

/* Writes the file. A failure is ignored: the roofs are then measured in each process. */
void roofs_cache_store(
	const char *path, const struct gpu_device_info *info, const struct roofs_record *roofs);

#endif
