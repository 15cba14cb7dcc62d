/*
 * Register tiling: C[m,n] = A[m,k] B[k,n], where each thread has THREAD_M x THREAD_N sums in
 * registers. For each kk it reads THREAD_M elements of A and THREAD_N of B from shared memory and
 * multiplies all pairs. For 8 x 8, there are 16 reads for 64 multiply-adds. The tiled kernel needs
 * nearly two reads for each. All accesses to memory have 16 bytes.
 *
 * Block: (TILE_M / THREAD_M) * (TILE_N / THREAD_N) threads in one dimension: 256 for tiles
 * of 128 x 128 with 8 x 8 elements per thread. TILE_M is a multiple of 8 * THREAD_M, TILE_N
 * of 4 * THREAD_N, TILE_K of 8, THREAD_M and THREAD_N of 4. The number of threads divides
 * TILE_M * TILE_K / 4 and TILE_K * TILE_N / 4, so that the block loads each tile in whole
 * rounds.
 * Groups: ceil(m / TILE_M) * ceil(n / TILE_N), one-dimensional.
 * Shared memory: TILE_K * (TILE_M + 4 + TILE_N) floats.
 * Limited by: arithmetic, and the start of each phase, where a block waits for global memory. Only
 * another block on the same multiprocessor hides this wait; `prefetch` avoids it.
 * Book: PMPP 4th ed., 6.3 (coarsening, here in two dimensions), 6.4 (the checklist).
 */
#define THREADS ((TILE_M / THREAD_M) * (TILE_N / THREAD_N))

/* The threads of a block form patches of 8 x 4. This is a layout, not the width of a warp: it is right
 * for every width. */
#define PATCH_THREADS 32

/*
 * A quad of A is stored along a column of the tile (see tile_a). Two neighbouring threads store the
 * quads of rows kk and kk + 4. Four floats of padding per row put them in different banks.
 */
#define STRIDE_A (TILE_M + 4)

#include "quads.inc"
#include "quads_in_registers.inc"

extern "C" __global__ void __launch_bounds__(THREADS) matmul_registers(const float *__restrict__ A,
	const float *__restrict__ B, float *__restrict__ C, int m, int n, int k)
{
	/* The tile of A is stored by columns, so that the rows of a thread are neighbours. */
	__shared__ __align__(16) float tile_a[TILE_K][STRIDE_A];
	__shared__ __align__(16) float tile_b[TILE_K][TILE_N];
	int thread = threadIdx.x;
	int group = blockIdx.x;
	bool aligned_a = k % 4 == 0;
	bool aligned_b = n % 4 == 0;
	int tiles_n = (n + TILE_N - 1) / TILE_N;
	int row0 = group / tiles_n * TILE_M;
	int col0 = group % tiles_n * TILE_N;

	/*
	 * A patch is 8 x 4 threads. A thread has groups of 4 rows, 32 apart, and groups of 4
	 * columns, 16 apart: one instruction of a warp reads contiguous shared memory.
	 */
	int lane = thread % PATCH_THREADS;
	int patch = thread / PATCH_THREADS;
	int patches_m = TILE_M / (8 * THREAD_M);
	int thread_row = patch % patches_m * (8 * THREAD_M) + lane / 4 * 4;
	int thread_col = patch / patches_m * (4 * THREAD_N) + lane % 4 * 4;

	/* The addresses that this thread loads, and the number of elements up to the edge. */
	const float *from_a[QUADS_A];
	const float *from_b[QUADS_B];
	int left_a[QUADS_A];
	int left_b[QUADS_B];
	float4 quads_a[QUADS_A];
	float4 quads_b[QUADS_B];
	float sum[THREAD_M][THREAD_N];

	begin_a(from_a, left_a, A, m, k, row0, thread);
	begin_b(from_b, left_b, B, n, col0, thread);
#pragma unroll
	for (int i = 0; i < THREAD_M; i++) {
#pragma unroll
		for (int j = 0; j < THREAD_N; j++)
			sum[i][j] = 0.0f;
	}

	for (int k0 = 0; k0 < k; k0 += TILE_K) {
		fetch_a(quads_a, from_a, left_a, aligned_a);
		fetch_b(quads_b, from_b, left_b, k - k0, thread, n, aligned_b);

#pragma unroll
		for (int q = 0; q < QUADS_A; q++) {
			int kk = quad_a_kk(q * THREADS + thread);
			int i = quad_a_row(q * THREADS + thread);

			tile_a[kk + 0][i] = quads_a[q].x;
			tile_a[kk + 1][i] = quads_a[q].y;
			tile_a[kk + 2][i] = quads_a[q].z;
			tile_a[kk + 3][i] = quads_a[q].w;
		}
#pragma unroll
		for (int q = 0; q < QUADS_B; q++) {
			int kk = quad_b_kk(q * THREADS + thread);
			int j = quad_b_col(q * THREADS + thread);

			*(float4 *)&tile_b[kk][j] = quads_b[q];
		}
		__syncthreads();

		/*
		 * Unrolled only by two: if the whole loop is unrolled, the compilers use more registers
		 * to read ahead, and a multiprocessor has room for one block instead of two.
		 */
#pragma unroll 2
		for (int kk = 0; kk < TILE_K; kk++) {
			float a[THREAD_M];
			float b[THREAD_N];

#pragma unroll
			for (int i = 0; i < THREAD_M; i += 4)
				read_quad(&a[i], &tile_a[kk][thread_row + i * 8]);
#pragma unroll
			for (int j = 0; j < THREAD_N; j += 4)
				read_quad(&b[j], &tile_b[kk][thread_col + j * 4]);
#pragma unroll
			for (int i = 0; i < THREAD_M; i++) {
#pragma unroll
				for (int j = 0; j < THREAD_N; j++)
					sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
			}
		}
		__syncthreads();
	}

#pragma unroll
	for (int i = 0; i < THREAD_M; i++) {
		int row = row0 + thread_row + i / 4 * 32 + i % 4;

#pragma unroll
		for (int j = 0; j < THREAD_N; j += 4) {
			int col = col0 + thread_col + j * 4;
			float4 quad = make_float4(
				sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
			int left = row < m ? n - col : 0;

			store_quad(C + (size_t)row * n + col, quad, left, aligned_b);
		}
	}
}
