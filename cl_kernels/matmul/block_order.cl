/*
 * Order of blocks: C[m,n] = A[m,k] B[k,n] as in `async_tiles`. Here the blocks go through bands of
 * BAND rows of tiles, column by column. So the blocks that run at the same time share more rows of A
 * and columns of B in the second-level cache.
 *
 * Design: as `async_tiles`. An example: 132 blocks run at once, and C has 64 x 32 tiles of 128 x 256.
 * In row-major order they read 5 rows of tiles of A and all 32 columns of B: 8832 elements for each
 * step of k. In bands of 8 they read 8 rows of A and 17 columns of B: 5376 elements.
 * Block: (TILE_M / THREAD_M) * (TILE_N / THREAD_N) threads in one dimension: 256 for 128 x 256
 * elements with 8 x 16 per thread. Conditions and shared memory: see `async_tiles`.
 * Groups: ceil(m / TILE_M) * ceil(n / TILE_N), one-dimensional.
 * Limited by: arithmetic, so fewer bytes from global memory hardly change the time. They change it on
 * a device whose memory is slow compared with its arithmetic.
 * Book: not in the book.
 */
#pragma OPENCL FP_CONTRACT OFF

#define THREADS ((TILE_M / THREAD_M) * (TILE_N / THREAD_N))

#include "quads.inc"
#include "copies.inc"

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void matmul_block_order(
	__global const float *restrict A, __global const float *restrict B,
	__global float *restrict C, int m, int n, int k)
{
	/* 128 bytes: then the copies of a row of B need the fewest passes. */
	__local float tile_a[STAGES][TILE_K][TILE_M] __attribute__((aligned(128)));
	__local float tile_b[STAGES][TILE_K][TILE_N] __attribute__((aligned(128)));
	int thread = get_local_id(0);
	int group = get_group_id(0);
	int tiles_m = (m + TILE_M - 1) / TILE_M;
	int tiles_n = (n + TILE_N - 1) / TILE_N;

	/* The last band may have fewer rows of tiles. */
	int first = group / (BAND * tiles_n) * BAND;
	int rows = tiles_m - first < BAND ? tiles_m - first : BAND;
	int place = group - first * tiles_n;
	int row0 = (first + place % rows) * TILE_M;
	int col0 = place / rows * TILE_N;
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
