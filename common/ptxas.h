/*
 * What NVIDIA's assembler says of the kernels that it makes (`ptxas -v`): the resources of a real
 * build, with no device.
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

/* The report of one kernel, by the name of its entry. false when the log has none. */
bool ptxas_report(const char *log, const char *entry, struct ptxas_report *ret_report);

#endif
