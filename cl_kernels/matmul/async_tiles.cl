/*
 * Asynchronous copies: C[m,n] = A[m,k] B[k,n] with a patch of threads per warp and several pairs of
 * tiles in shared memory, as in `prefetch`. Here the hardware copies the tiles from global to shared
 * memory without registers. `prefetch` holds the next tiles in 24 registers per thread, and stores
 * them with instructions that compete with the reads of shared memory.
 *
 * Design: tile of TILE_M x TILE_N elements of C, steps of TILE_K. STAGES pairs of tiles are a ring:
 * STAGES - 1 copies are in flight while the threads work on another pair. The copies of A have 4 bytes
 * and transpose the tile. The copies of B have 16 bytes. There is one barrier per phase. After it, all
 * threads have finished the previous phase, so the next copy can replace the tiles of that phase.
 * Block: (TILE_M / THREAD_M) * (TILE_N / THREAD_N) threads in one dimension: 256 for 128 x 256
 * elements with 8 x 16 per thread. TILE_M is a multiple of 8 * THREAD_M, TILE_N of 4 * THREAD_N,
 * TILE_K of 8, THREAD_M and THREAD_N of 4. The number of threads divides TILE_M * TILE_K and TILE_K *
 * TILE_N / 4.
 * Groups: ceil(m / TILE_M) * ceil(n / TILE_N), one-dimensional.
 * Shared memory: STAGES * TILE_K * (TILE_M + TILE_N) floats, 48 KiB for 2 x 16 x (128 + 256).
 * Limited by: arithmetic. A phase of 16 steps takes 4096 cycles of multiply-adds, much longer than a
 * copy. So two stages are enough.
 * Book: PMPP 4th ed., 6.2 (hiding memory latency), with asynchronous copies.
 */
#pragma OPENCL FP_CONTRACT OFF

#define THREADS ((TILE_M / THREAD_M) * (TILE_N / THREAD_N))

#include "quads.inc"
#include "copies.inc"

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void matmul_async_tiles(
	__global const float *restrict A, __global const float *restrict B,
	__global float *restrict C, int m, int n, int k)
{
	/* 128 bytes: then the copies of a row of B need the fewest passes. */
	__local float tile_a[STAGES][TILE_K][TILE_M] __attribute__((aligned(128)));
	__local float tile_b[STAGES][TILE_K][TILE_N] __attribute__((aligned(128)));
	int thread = get_local_id(0);
	int group = get_group_id(0);
	int tiles_n = (n + TILE_N - 1) / TILE_N;
	int row0 = group / tiles_n * TILE_M;
	int col0 = group % tiles_n * TILE_N;
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
			s * TILE_K, k, thread);
	for (int k0 = 0; k0 < k; k0 += TILE_K) {
		wait_for_tiles(&copies[which]);
		barrier(CLK_LOCAL_MEM_FENCE);
		copies[free] = copy_tiles(tile_a[free], tile_b[free], A, B, m, n, k, row0, col0,
			k0 + (STAGES - 1) * TILE_K, k, thread);
		add_products(sum, tile_a[which], tile_b[which], thread_row, thread_col);
		free = which;
		which = which + 1 < STAGES ? which + 1 : 0;
	}
	store_sums(C, sum, m, n, row0 + thread_row, col0 + thread_col);
}
