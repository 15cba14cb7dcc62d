/*
 * Peers: libraries that solve the problem of a family. A peer is a row of family->peers. It has a
 * plan, a bound and work like a variant, but its plan calls a library instead of kernels.
 */
#ifndef PMPP_COMMON_PEER_H
#define PMPP_COMMON_PEER_H

enum peer_library {
	PEER_NONE, /* a variant with kernels */
	PEER_CUBLAS,
	PEER_CLBLAST,
	PEER_OPENBLAS,
	PEER_LIBRARY_COUNT
};

/* How a library multiplies the matrices. Sums and results are always f32. */
enum product_kind {
	PRODUCT_F32,  /* inputs f32, products of full precision */
	PRODUCT_TF32, /* inputs f32 with a fraction of 10 bits */
	PRODUCT_F16   /* inputs f16 */
};

#endif
