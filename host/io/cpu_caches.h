/*
 * The last-level caches of CPUs, from the files of Linux.
 *
 * Source: Documentation/ABI/testing/sysfs-devices-system-cpu of the Linux kernel (cache/index*).
 */
#ifndef PMPP_HOST_IO_CPU_CACHES_H
#define PMPP_HOST_IO_CPU_CACHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest number of CPUs of a set; CPUs beyond are ignored. */
#define CPU_CACHES_MAX_CPUS 1024

/* Sum of the last-level caches of the used CPUs, in bytes. A cache that several of them share counts
 * once. used: whether CPU i is used, of `count` CPUs. root: "/sys", or a copy of a part of it.
 * Returns 0 if the files cannot be read. */
uint64_t cpu_caches_last_bytes(const char *root, const bool *used, size_t count);

#endif
