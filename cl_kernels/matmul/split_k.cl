/*
 * Split k: C[m,n] = A[m,k] B[k,n] with asynchronous copies as in `async_tiles`, for few blocks and
 * long k. With one block per tile of C, most of the device is idle if C has few tiles. Here several
 * blocks share a tile: each adds the products of one part of k. A second launch adds the sums of the
 * parts, in the order of k. So the result does not depend on the order of the blocks.
 *
 * Design: tile of TILE_M x TILE_N elements of C, steps of TILE_K. The tile is smaller than in
 * `async_tiles`, so that few rows waste less arithmetic, and a multiprocessor has several blocks.
 * The host chooses the number of parts: two blocks per multiprocessor in total, and 1 for many tiles.
 * With one part the first launch stores to C, and there is no second launch.
 * Block: (TILE_M / THREAD_M) * (TILE_N / THREAD_N) threads in one dimension: 128 for 64 x 128
 * elements with 8 x 8 per thread. Conditions and shared memory: see `async_tiles`. matmul_add_parts
 * has ADD_THREADS threads.
 * Groups: ceil(m / TILE_M) * ceil(n / TILE_N) * parts, one-dimensional.
 * Limited by: arithmetic, also for the rows of the tile that are outside of C. On an H200 the
 * multiply-adds of 64 rows take twice as long as one read of B from memory.
 * Book: not in the book. Chapter 10 (reduction) has the sum of parts.
 */
#pragma OPENCL FP_CONTRACT OFF

#define THREADS ((TILE_M / THREAD_M) * (TILE_N / THREAD_N))

#include "quads.inc"
#include "copies.inc"

/* Stores the sums of part p from row m * p of `to` on. part_k: length of a part, a multiple of TILE_K. */
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void matmul_split_k(
	__global const float *restrict A, __global const float *restrict B,
	__global float *restrict to, int m, int n, int k, int part_k)
{
	/* 128 bytes: then the copies of a row of B need the fewest passes. */
	__local float tile_a[STAGES][TILE_K][TILE_M] __attribute__((aligned(128)));
	__local float tile_b[STAGES][TILE_K][TILE_N] __attribute__((aligned(128)));
	int thread = get_local_id(0);
	int group = get_group_id(0);
	int tiles_m = (m + TILE_M - 1) / TILE_M;
	int tiles_n = (n + TILE_N - 1) / TILE_N;
	int part = group / (tiles_m * tiles_n);
	int tile = group % (tiles_m * tiles_n);
	int row0 = tile / tiles_n * TILE_M;
	int col0 = tile % tiles_n * TILE_N;
	int begin = part * part_k;
	int end = k - begin < part_k ? k : begin + part_k;
	int thread_row = row_of_thread(thread);
	int thread_col = col_of_thread(thread);
	int which = 0;	       /* the stage of this phase */
	int free = STAGES - 1; /* the stage to fill next */
	COPY copies[STAGES];
	float sum[THREAD_M][THREAD_N];

	clear_sums(sum);
#pragma unroll
	for (int s = 0; s < STAGES - 1; s++)
		copies[s] = copy_tiles(tile_a[s], tile_b[s], A, B, m, n, k, row0, col0,
			begin + s * TILE_K, end, thread);
	for (int k0 = begin; k0 < end; k0 += TILE_K) {
		wait_for_tiles(&copies[which]);
		barrier(CLK_LOCAL_MEM_FENCE);
		copies[free] = copy_tiles(tile_a[free], tile_b[free], A, B, m, n, k, row0, col0,
			k0 + (STAGES - 1) * TILE_K, end, thread);
		add_products(sum, tile_a[which], tile_b[which], thread_row, thread_col);
		free = which;
		which = which + 1 < STAGES ? which + 1 : 0;
	}
	store_sums(to + (size_t)part * m * n, sum, m, n, row0 + thread_row, col0 + thread_col);
}

/* C[i] = the sum of parts[p * count + i] over all parts p. */
__kernel __attribute__((reqd_work_group_size(ADD_THREADS, 1, 1))) void matmul_add_parts(
	__global const float *restrict from, __global float *restrict C, ulong count, int parts)
{
	ulong i = (ulong)get_group_id(0) * ADD_THREADS + get_local_id(0);

	if (i < count) {
		float sum = from[i];

		for (int p = 1; p < parts; p++)
			sum += from[p * count + i];
		C[i] = sum;
	}
}
