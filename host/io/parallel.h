/* Loops over host threads. */
#ifndef PMPP_HOST_IO_PARALLEL_H
#define PMPP_HOST_IO_PARALLEL_H

#include <stddef.h>

/* Number of threads of parallel_for(), at least 1. */
size_t parallel_threads(void);

/* Calls body(context, i) for i from 0 to count - 1, in any order, on all CPUs of the process. */
void parallel_for(size_t count, void (*body)(void *context, size_t index), void *context);

/* memcpy() on all CPUs of the process. */
void parallel_copy(void *target, const void *source, size_t bytes);

#endif
