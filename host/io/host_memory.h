/*
 * Host memory that this process can allocate.
 */
#ifndef PMPP_HOST_IO_HOST_MEMORY_H
#define PMPP_HOST_IO_HOST_MEMORY_H

#include <stdint.h>

struct host_memory {
	uint64_t total_bytes;     /* of the machine, or a smaller limit of this process */
	uint64_t available_bytes; /* can be allocated now; at most total_bytes */
};

/* Reads both figures. Each is the smallest of these limits:
 *   - the machine's memory (/proc/meminfo)
 *   - the control group of this process, and its parents
 *   - the address space and the data of this process (setrlimit())
 * Files that cannot be read are ignored. */
void host_memory_read(struct host_memory *ret_memory);

#endif
