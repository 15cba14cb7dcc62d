/*
 * The problems of the families as loops in C, divided by OpenMP among the cores of a CPU: peers of our kernels that
 * need no library. They are plain loops without vector intrinsics.
 */
#ifndef PMPP_HOST_GPU_OPENCL_OPENMP_LOOPS_H
#define PMPP_HOST_GPU_OPENCL_OPENMP_LOOPS_H

#include "common/peer.h"

/* The date of the OpenMP specification of the compiler: 201511. */
int openmp_version(void);

/* Computes the operation. operands: the inputs, then the output. */
void openmp_compute(const struct peer_work *work, void *const *operands, int threads);

#endif
