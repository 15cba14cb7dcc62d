/*
 * Which threads a warp has (PMPP 4th ed. 4.4, 3rd ed. 5.3), and which of them add in each round of a
 * reduction (3rd ed. figures 5.13 and 5.15).
 */
#ifndef PMPP_COMMON_MODEL_LANES_H
#define PMPP_COMMON_MODEL_LANES_H

#include <stdint.h>

#define LANES_DIMS 3 /* x, y, z */

/* A warp of a block: consecutive threads, x fastest, then y, then z. */
struct lanes_warp {
	int64_t first[LANES_DIMS],
		last[LANES_DIMS]; /* threadIdx of the first and the last thread */
	int64_t threads;          /* 1 to the width */
};

/* block: threads in x, y and z, each >= 1. width: lanes of a warp. 0 <= warp < warps of the block. */
struct lanes_warp lanes_warp_of(const int64_t block[LANES_DIMS], int64_t width, int64_t warp);

enum tree_order {
	TREE_INTERLEAVED, /* thread t adds if t is a multiple of 2, 4, 8, ... */
	TREE_SEQUENTIAL,  /* thread t adds if t < half, a quarter, ... of the elements */
	TREE_ORDER_COUNT
};

/* One round of the reduction of n elements by n threads. */
struct tree_round {
	int64_t threads;   /* that add */
	int64_t warps;     /* with a thread that adds */
	int64_t diverging; /* of them: with a thread that does not add */
};

/* ceil(log2(n)). 1 <= n <= 2^62. */
int64_t tree_rounds(int64_t n);

/* round: from 0. Takes n steps. */
struct tree_round tree_round_of(enum tree_order order, int64_t n, int64_t width, int64_t round);

#endif
