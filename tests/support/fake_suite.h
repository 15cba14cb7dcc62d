/* The kernels of the suite's families as C functions, so that the suite runs on the fake. */
#ifndef PMPP_TESTS_SUPPORT_FAKE_SUITE_H
#define PMPP_TESTS_SUPPORT_FAKE_SUITE_H

#include "tests/support/fake.h"

/* Delays (ns) and wrong results of the kernels. 0: none. */
struct fake_suite_control {
	double kernel_ns;     /* least time of matmul, vecadd and the FMA roof on the host clock */
	double fma_ns;        /* device time of the FMA roof, independent of the host clock */
	double read_ns;       /* the same for the read roof */
	uint64_t wrong_from;  /* vecadd_fine writes zeros from this launch (from 1) on; 0: never */
	uint64_t silent_from; /* vecadd_fine writes nothing from this launch on; 0: never */
	uint64_t stale_from;  /* vecadd_fine writes the sums of the first launch again; 0: never */
	uint64_t vecadd_launches, fma_launches, read_launches; /* numbers of launches */
	double run_timer_ns;  /* device time of vecadd; 0: as fake_control sets it */
	double read_timer_ns; /* the same for the read roof */
	bool read_wrong;      /* the read roof skips the last row */
	uint64_t read_bytes;  /* bytes that the last launch of the read roof read */
	double fine_host_ns;  /* least time of vecadd/fine on the host clock */
	char last_kernel;     /* enum fake_suite_kernel */
};

/* The kernel that was launched last. */
enum fake_suite_kernel {
	FAKE_ROOF = '-', /* the FMA, read and empty roofs */
	FAKE_VECADD_FINE = 'f',
	FAKE_VECADD_VECTOR4 = 'v',
	FAKE_TRANSPOSE_COPY = 'c',
	FAKE_TRANSPOSE_TILED = 't', /* also padded */
	FAKE_TRANSPOSE_VECTOR = 'w'
};

extern struct fake_suite_control fake_suite_control;

/* Sets XDG_CACHE_HOME to a new folder, which it returns. */
const char *fake_suite_new_cache(void);

/* Resets and registers the fake with small limits and these kernels: matmul/naive, vecadd/fine and
 * vector4, transpose/copy, tiled, padded and vector, instructions/int-mul and f64-fma, and the
 * roofs. The first call also makes a new cache, unless the process already has one. */
void fake_suite_setup(void);

#endif
