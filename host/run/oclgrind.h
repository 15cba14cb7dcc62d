/*
 * `verify --engine=oclgrind`: Oclgrind interprets the OpenCL kernels, hundreds of times slower than
 * a CPU device runs them, and reports accesses outside a buffer, data races, barriers that not all
 * work-items reach, and uses of what was never written. It is an OpenCL device like others, so the
 * answers are compared as always; what is of its own is here:
 *
 *   - it is loaded by itself, in the place of every OpenCL that is installed: its ICD is not among
 *     those, and no other driver shall see the process;
 *   - its reports go to a log, which is read after every row: a reported row has failed;
 *   - sizes are few and small.
 */
#ifndef PMPP_HOST_RUN_OCLGRIND_H
#define PMPP_HOST_RUN_OCLGRIND_H

#include "common/family.h"

/* What the engine makes of a log: "Oclgrind: read-write data race at local memory at
 * cl_kernels/reduce/tree.cl:74 and :59; ...", each kind of report at its lines once. false: there
 * is nothing to say. ret_gave_up: only that Oclgrind could not go on. */
bool oclgrind_describe(const char *log, const struct variant *variant, char *ret_text, size_t size,
	bool *ret_gave_up);

#define OCLGRIND_MOST_SIZES 6

/* Of a variant's check sizes keeps the smallest, the smallest of several blocks, one beyond a tile
 * along each dimension, and others as long as they are cheap; returns how many. problem has
 * everything but dim. */
size_t oclgrind_choose_sizes(const struct config *config, const struct problem *problem,
	int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS], size_t count);

#endif
