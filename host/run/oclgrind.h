/*
 * `verify --engine=oclgrind`: Oclgrind interprets the OpenCL kernels, hundreds of times slower than
 * a CPU device. It reports accesses outside a buffer, data races, barriers that not all work-items
 * reach, and reads of uninitialised memory. Oclgrind is an OpenCL device, so results are compared
 * as on every device. This module handles the differences:
 *
 *   - Only Oclgrind is loaded, instead of the installed OpenCL drivers. It is not registered as an
 *     ICD.
 *   - Its reports go to a log. The log is read after every row, and a report makes the row fail.
 *   - The sizes are few and small.
 */
#ifndef PMPP_HOST_RUN_OCLGRIND_H
#define PMPP_HOST_RUN_OCLGRIND_H

#include "common/family.h"

/* Summarises a log: "Oclgrind: read-write data race at local memory at
 * cl_kernels/reduce/tree.cl:74 and :59; ...". Equal reports of the same lines appear once. Returns
 * false if there is no report. *ret_gave_up: Oclgrind stopped early, and there is no other
 * report. */
bool oclgrind_describe(const char *log, const struct variant *variant, char *ret_text, size_t size,
	bool *ret_gave_up);

#define OCLGRIND_MAX_SIZES 6

/* Keeps some of a variant's check sizes and returns their number. problem->dim is not used. Keeps
 * the smallest size, one with several blocks, and one larger than a tile along each dimension. Adds
 * cheap sizes up to OCLGRIND_MAX_SIZES. */
size_t oclgrind_choose_sizes(const struct config *config, const struct problem *problem,
	int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS], size_t count);

#endif
