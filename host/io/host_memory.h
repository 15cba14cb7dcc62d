/*
 * Memory of the host that this process may use.
 */
#ifndef PMPP_HOST_IO_HOST_MEMORY_H
#define PMPP_HOST_IO_HOST_MEMORY_H

#include <stdint.h>

struct host_memory {
	uint64_t total_bytes;     /* the machine's, or a smaller limit of this process */
	uint64_t available_bytes; /* that can be allocated now; at most total_bytes */
};

/* Both are the smallest of: the machine's memory (/proc/meminfo), the limits of every control group
 * from the one of this process upwards, and the limits of address space and data (setrlimit()).
 * What cannot be read does not count. */
void host_memory_read(struct host_memory *ret_memory);

/* The same with `root` before the path of each file, for tests. */
void host_memory_read_below(const char *root, struct host_memory *ret_memory);

#endif
