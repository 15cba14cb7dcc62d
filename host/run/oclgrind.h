/*
 * `verify --engine=oclgrind`: Oclgrind interprets the OpenCL kernels, hundreds of times slower than
 * a CPU device runs them, and reports accesses outside a buffer, data races, barriers that not all
 * work-items reach, and reads of uninitialised memory. It is an OpenCL device, so results are
 * compared as on every device. This module does what differs:
 *
 *   - Oclgrind is loaded alone, instead of the installed OpenCL drivers: it is not registered as an
 *     ICD, and no other driver must be loaded;
 *   - its reports go to a log, which is read after every row; a report makes the row fail;
 *   - the sizes are few and small.
 */
#ifndef PMPP_HOST_RUN_OCLGRIND_H
#define PMPP_HOST_RUN_OCLGRIND_H

#include "common/family.h"

/* Summarises a log: "Oclgrind: read-write data race at local memory at
 * cl_kernels/reduce/tree.cl:74 and :59; ...", each kind of report at its lines once. false: no
 * report. *ret_gave_up: Oclgrind stopped early, and there is no other report. */
bool oclgrind_describe(const char *log, const struct variant *variant, char *ret_text, size_t size,
	bool *ret_gave_up);

#define OCLGRIND_MAX_SIZES 6

/* Keeps some of a variant's check sizes and returns their number: the smallest, the smallest of
 * several blocks, one beyond a tile along each dimension, and others while they are cheap. problem
 * has everything but dim. */
size_t oclgrind_choose_sizes(const struct config *config, const struct problem *problem,
	int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS], size_t count);

#endif
