/* The kernels of the suite's families as C functions, so that the suite runs on the fake. */
#ifndef PMPP_TESTS_SUPPORT_FAKE_SUITE_H
#define PMPP_TESTS_SUPPORT_FAKE_SUITE_H

#include "host/gpu/fake/fake.h"

/* What the kernels do wrong or slowly; zero for nothing. */
struct fake_suite_control {
	double kernel_ns;     /* matmul, vecadd and the FMA roof take at least so long */
	double fma_ns;        /* device time of the FMA roof, whatever the host clock shows */
	double read_ns;       /* ... of the read roof */
	uint64_t wrong_from;  /* launch of vecadd_fine, from 1, from which on it writes zeros; 0:
				 never */
	uint64_t silent_from; /* ... from which on it writes nothing */
	uint64_t vecadd_launches, fma_launches, read_launches; /* counts */
	double run_timer_ns;  /* the device timer's answer for vecadd; 0: as fake_control says */
	double read_timer_ns; /* ... for the read roof */
	bool read_wrong;      /* the read roof leaves the last row out */
	uint64_t read_bytes;  /* bytes that the last launch of the read roof read */
	double fine_host_ns;  /* vecadd/fine takes at least so long on the host clock */
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

/* fake_reset(), registered, small limits, kernels of matmul/naive, vecadd/fine and vector4,
 * transpose/copy, tiled, padded and vector, instructions/int-mul and f64-fma, and the roofs. */
void fake_suite_setup(void);

#endif
