/*
 * Cache of measured floors of noise. The cache directory has one file for each device, named after
 * its key (device_record.key). A file has one entry for each backend, family, variant and problem.
 */
#ifndef PMPP_HOST_RECORD_NOISE_CACHE_H
#define PMPP_HOST_RECORD_NOISE_CACHE_H

#include "host/record/measurement.h"

/* Adds the stored floors to a device that has none. Does nothing if the file is missing, damaged or
 * not trusted (host/io/cache_file.h). */
void noise_cache_load(struct device_record *device);

/* Stores floors. They replace the entries of the same backend, family, variant and problem. Other
 * entries stay. If the file cannot be written, the function reports no error, and the old floors
 * stay. */
void noise_cache_store(const char *key, const struct noise_list *noise);

#endif
