/*
 * Reads the log of NVIDIA's assembler (`ptxas -v`): the resources that a kernel uses in a real
 * build. No device is needed.
 */
#ifndef PMPP_COMMON_PTXAS_H
#define PMPP_COMMON_PTXAS_H

#include <stdbool.h>
#include <stdint.h>

struct ptxas_report {
	int registers;        /* of a thread */
	int64_t shared_bytes; /* static, of a block */
	int64_t stack_bytes;  /* of a thread's local memory: spilled registers and private arrays */
};

/* Finds the report of the kernel with this entry. Returns false if the log has none. */
bool ptxas_report(const char *log, const char *entry, struct ptxas_report *ret_report);

#endif
