/*
 * A transposed in shared memory: C[m,n] = A[m,k] B[k,n] with a tile of THREAD_M x THREAD_N sums per
 * thread and 16-byte accesses, as in `vector_loads`. Here the tile of A is stored by columns. So the
 * 8 elements of A of one step need two reads of 16 bytes, and they take 8 registers, not 32. The free
 * registers hold elements of the next steps, which the thread reads ahead.
 *
 * Design: tile of TILE_M x TILE_N elements of C, steps of TILE_K. The threads of a block are a grid.
 * A thread has groups of four neighbouring rows and groups of four neighbouring columns. It loads a
 * quad of A along k and stores its elements one by one, along a column of the tile. There is one
 * buffer, and there are two barriers per phase.
 * Block: (TILE_M / THREAD_M) * (TILE_N / THREAD_N) threads in one dimension: 256 for 128 x 128
 * elements with 8 x 8 per thread. THREAD_M and THREAD_N are multiples of 4, TILE_K of 8. The number
 * of threads divides TILE_M * TILE_K / 4 and TILE_K * TILE_N / 4, so that the block loads each tile
 * in whole rounds.
 * Groups: ceil(m / TILE_M) * ceil(n / TILE_N), one-dimensional.
 * Shared memory: TILE_K * (TILE_M + 4 + TILE_N) floats.
 * Limited by: the wait for global memory at the start of each phase, then arithmetic.
 * Book: PMPP 4th ed., 6.1 (corner turning), 6.3 (coarsening).
 */
#pragma OPENCL FP_CONTRACT OFF

#define THREADS_M (TILE_M / THREAD_M)
#define THREADS_N (TILE_N / THREAD_N)
#define THREADS (THREADS_M * THREADS_N)

/*
 * A quad of A is stored along a column of the tile (see tile_a). Two neighbouring threads store the
 * quads of rows kk and kk + 4. Four floats of padding per row put them in different banks.
 */
#define STRIDE_A (TILE_M + 4)

#include "quads.inc"
#include "quads_in_registers.inc"

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void matmul_a_transposed(
	__global const float *restrict A, __global const float *restrict B,
	__global float *restrict C, int m, int n, int k)
{
	/* The tile of A is stored by columns, so that the rows of a thread are neighbours. */
	__local float tile_a[TILE_K][STRIDE_A] __attribute__((aligned(16)));
	__local float tile_b[TILE_K][TILE_N] __attribute__((aligned(16)));
	int thread = get_local_id(0);
	int group = get_group_id(0);
	bool aligned_a = k % 4 == 0;
	bool aligned_b = n % 4 == 0;
	int tiles_n = (n + TILE_N - 1) / TILE_N;
	int row0 = group / tiles_n * TILE_M;
	int col0 = group % tiles_n * TILE_N;

	/* A thread has groups of 4 rows and groups of 4 columns. */
	int thread_row = thread / THREADS_N * 4;
	int thread_col = thread % THREADS_N * 4;

	/* The addresses that this thread loads, and the number of elements up to the edge. */
	__global const float *from_a[QUADS_A];
	__global const float *from_b[QUADS_B];
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

			*(__local float4 *)&tile_b[kk][j] = quads_b[q];
		}
		barrier(CLK_LOCAL_MEM_FENCE);

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
				read_quad(&a[i], &tile_a[kk][thread_row + i * THREADS_M]);
#pragma unroll
			for (int j = 0; j < THREAD_N; j += 4)
				read_quad(&b[j], &tile_b[kk][thread_col + j * THREADS_N]);
#pragma unroll
			for (int i = 0; i < THREAD_M; i++) {
#pragma unroll
				for (int j = 0; j < THREAD_N; j++)
					sum[i][j] = fma(a[i], b[j], sum[i][j]);
			}
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}

#pragma unroll
	for (int i = 0; i < THREAD_M; i++) {
		int row = row0 + thread_row + i / 4 * 4 * THREADS_M + i % 4;

#pragma unroll
		for (int j = 0; j < THREAD_N; j += 4) {
			int col = col0 + thread_col + j * THREADS_N;
			float4 quad = (float4)(
				sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
			int left = row < m ? n - col : 0;

			store_quad(C + (size_t)row * n + col, quad, left, aligned_b);
		}
	}
}
