/* The work of a kernel of the user, and the technique to try next. */
#ifndef PMPP_HOST_EXPLAIN_OWN_WORK_H
#define PMPP_HOST_EXPLAIN_OWN_WORK_H

#include "host/explain/parts.h"

/*
 * Sets floor_problem and work of the explanation from a trace of a few blocks (traced_work.h) at the size that `run`
 * takes on a GPU. If the trace of a block or the operands are too large, the size is halved. Otherwise sets
 * no_work: the reason. Call it when the occupancy is known. Fails like suite_trace().
 */
enum pmpp_status own_work_trace(
	struct explanation *explanation, struct suite *emulator, struct pmpp_error *error);

/* Sets the record `advice`: the open item of the checklist that lowers the largest floor, and by how much at
 * most. Call it after the floors and the checklist are set. */
void own_work_advise(struct explanation *explanation);

/* The line of the load of global memory that requests most bytes; 0: there is none. *ret_constants: whether all
 * its lanes read one address of an operand that fits in constant memory. */
int64_t own_work_busiest_load(const struct explanation *explanation, bool *ret_constants);

#endif
