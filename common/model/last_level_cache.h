/*
 * The sizes of a device's last-level cache and of its second level, and how its memory sends
 * sectors.
 *
 * Drivers often report another cache: AMD's OpenCL reports the L1 of one compute unit (16 or 32
 * KiB). NVIDIA's OpenCL reports the sum of all L1 caches. Apple's OpenCL and Mesa's rusticl report
 * 0. A table of known GPUs replaces these figures. It has the published sizes; last_level_cache.c
 * names their sources.
 */
#ifndef PMPP_COMMON_MODEL_LAST_LEVEL_CACHE_H
#define PMPP_COMMON_MODEL_LAST_LEVEL_CACHE_H

#include "common/model/shape.h"

#include <stdbool.h>
#include <stdint.h>

struct cache_facts {
	const char *vendor; /* as the driver reports it */
	const char *name;   /* as the driver reports it: "NVIDIA L4", "gfx90a:sramecc+:xnack-" */
	bool is_gpu;        /* only GPUs are looked up in the table */
	uint64_t reported_bytes; /* cache that the driver reports; 0: none */
	uint64_t memory_bytes;   /* device memory */
};

/* Returns a size in bytes, never less than reported_bytes:
 *
 *   a GPU of the table  its size
 *   another GPU, or a cache of 0 bytes
 *                       twice the reported size, and at least 64 MiB or 1/64 of the device memory,
 *                       whichever is less
 *   otherwise           the reported size
 *
 * 64 MiB is more than most GPUs without an entry have. Every cache of the table has less than 1/64
 * of the memory of its device, so the assumed size of a small device is limited to that. */
uint64_t last_level_cache_bytes(const struct cache_facts *facts);

/* The size of the second-level cache. It serves all reads that the first-level caches do not serve.
 * It is the last level, unless the table has a third level. In that case a device may have several
 * second-level caches (AMD), and the size is that of one of them. Returns a size in bytes; 0:
 * unknown, because the GPU is not in the table and its driver reports less than 1 MiB (a
 * first-level cache or nothing). */
uint64_t last_level_cache_l2_bytes(const struct cache_facts *facts);

/* Sets SHAPE_L2 and SHAPE_LAST_CACHE of a GPU, if their sizes are known: from the table, or from the
 * driver's report if it is at least 1 MiB. query: the name of the driver's query; static lifetime. */
void last_level_cache_fill(
	const struct cache_facts *facts, const char *query, struct device_shape *shape);

/* Whether the GPU's memory is known to send both sectors of 64 aligned bytes when one is read, and
 * a sector before a part of it is written. Source for the H200: Nsight Compute, dram__bytes of
 * coalesce/stride2 to stride32 (docs/results/nvidia-h200/strided-dram.json). For the H100: the
 * times of the same rows, which are 1.01 to 1.03 times the floors with these bytes for strides 2 to
 * 8 (docs/results/nvidia-h100). */
bool last_level_cache_overfetches(const struct cache_facts *facts);

#endif
