/*
 * Measured floors of noise in the cache directory: a file for each device, named by its key
 * (device_record.key), with entries by backend, family, variant and problem.
 */
#ifndef PMPP_HOST_RECORD_NOISE_CACHE_H
#define PMPP_HOST_RECORD_NOISE_CACHE_H

#include "host/record/measurement.h"

/* Adds the stored floors to a device that has none. A file that is missing, damaged or not trusted
 * (host/io/cache_file.h) leaves the device as it is. */
void noise_cache_load(struct device_record *device);

/* Replaces the entries of the same backend, family, variant and problem; the others stay. If the
 * file cannot be written, there is no error: the floors are then those of before. */
void noise_cache_store(const char *key, const struct noise_list *noise);

#endif
