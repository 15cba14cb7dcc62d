/*
 * Asynchronous copies into shared memory. The kernel's own code reads the source, so that a bad access
 * has the kernel's line. The host keeps the data until the wait (checks.c). The reads work without
 * alignment; the host reports a wrong alignment.
 */
#pragma once
#include "pmpp_cuda.h"

static __forceinline__ void pmpp_emu_copy(
	int line, void *to, const void *from, size_t bytes, size_t zeroed = 0)
{
	typedef unsigned long long pair __attribute__((vector_size(16), aligned(1)));
	typedef unsigned long long eight __attribute__((aligned(1)));
	typedef unsigned four __attribute__((aligned(1)));
	unsigned long long low = 0, high = 0;

	if (zeroed == 0 && bytes == 16) {
		pair both = *(const pair *)from;
		low = both[0];
		high = both[1];
	} else if (zeroed == 0 && bytes == 8) {
		low = *(const eight *)from;
	} else if (zeroed == 0 && bytes == 4) {
		low = *(const four *)from;
	} else {
		for (size_t i = 0; i < 16 && i + zeroed < bytes; i++)
			(i < 8 ? low : high) |= (unsigned long long)((const unsigned char *)from)[i]
						<< i % 8 * 8;
	}
	pmpp_emu_state.ops.copy(line, to, from, bytes, zeroed, low, high);
}

#define __pipeline_memcpy_async(...) pmpp_emu_copy(__LINE__, __VA_ARGS__)

static inline void __pipeline_commit()
{
	pmpp_emu_state.ops.copy_commit();
}
static inline void __pipeline_wait_prior(size_t prior)
{
	pmpp_emu_state.ops.copy_wait(prior);
}
