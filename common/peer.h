/*
 * Peers: libraries that solve the problem of a family. A peer is a row of family->peers. It has a
 * plan, a bound and work like a variant, but its plan calls a library instead of kernels.
 */
#ifndef PMPP_COMMON_PEER_H
#define PMPP_COMMON_PEER_H

#include "common/dtype.h"

#include <stdint.h>

enum peer_library {
	PEER_NONE, /* a variant with kernels */
	PEER_CUBLAS,
	PEER_CUB,
	PEER_CLBLAST,
	PEER_OPENBLAS,
	PEER_OPENMP, /* loops of this project */
	PEER_DRIVER, /* the backend's own copy */
	PEER_LIBRARY_COUNT
};

/* What a call of a library computes, from and to its buffers. Matrices are stored by rows, without gaps. */
enum peer_operation {
	PEER_PRODUCT_F32, /* C[m,n] = A[m,k] B[k,n]: inputs f32, products of full precision */
	PEER_PRODUCT_TF32, /* the same, inputs f32 with a fraction of 10 bits; sums and results f32 */
	PEER_PRODUCT_F16, /* the same, inputs f16; sums and results f32 */
	PEER_TRANSPOSE,   /* B[n,m] = A[m,n]^T, f32 */
	PEER_COPY,        /* B[m] = A[m], f32 */
	PEER_SUM,         /* B[1] = the sum of A[m], f32 or i32 */
	PEER_MAX,         /* PEER_SUM to PEER_MIN: in the order of the operations of reduce */
	PEER_MIN,
	PEER_COUNT, /* H[n], u32: the numbers of the values of A[m], u8 or u32, that are 0 to n - 1 */
	PEER_SOFTMAX, /* B[m,n] = softmax of the rows of A, f32 */
	PEER_OPERATION_COUNT
};

struct peer_work {
	enum peer_operation operation;
	enum dtype dtype; /* of the inputs of PEER_SUM, PEER_MAX, PEER_MIN, PEER_COUNT */
	int64_t m, n, k;  /* 1 for dimensions that the operation does not have */
};

#define PEER_MAX_BUFFERS 3 /* of a call: the inputs, then the output */

#endif
