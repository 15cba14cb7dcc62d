/*
 * A loop over host threads.
 */
#ifndef PMPP_HOST_SUITE_PARALLEL_H
#define PMPP_HOST_SUITE_PARALLEL_H

#include <stddef.h>

typedef void parallel_fn(void *context, size_t index);

/* Calls body(context, i) for i from 0 to count - 1, in any order, on all CPUs of the process. */
void parallel_for(size_t count, parallel_fn *body, void *context);

/* Number of threads of parallel_for(), at least 1. */
size_t parallel_threads(void);

#endif
