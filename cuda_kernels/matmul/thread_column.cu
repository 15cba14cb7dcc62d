/*
 * A column of C per thread: C[m,n] = A[m,k] B[k,n], where each thread has THREAD_M sums of one column
 * in registers. For each kk a thread reads one element of B and multiplies it by THREAD_M elements of
 * A. So a multiply-add needs little more than one read of shared memory. The reads of A need few
 * passes: all threads of a warp read the same element (a broadcast), and the compiler joins
 * the reads of two neighbours along k.
 *
 * Design: tile of TILE_M x TILE_N elements of C, steps of TILE_K. Neighbouring threads have
 * neighbouring columns, so loads of B and stores of C are coalesced. Tiles have the same order in
 * shared memory as in global memory. There is one buffer, and there are two barriers per phase.
 * Block: (TILE_M / THREAD_M) * TILE_N threads in one dimension: 256 for 64 x 64 elements with 16 per
 * thread. The number of threads divides TILE_M * TILE_K and TILE_K * TILE_N.
 * Groups: ceil(m / TILE_M) * ceil(n / TILE_N), one-dimensional.
 * Shared memory: TILE_K * (TILE_M + TILE_N) floats.
 * Registers: at most 64 per thread, so that a multiprocessor with 65536 registers holds 1024 threads.
 * Limited by: shared memory. For 32 multiply-adds, a warp needs two 4-byte reads of B and 16 8-byte
 * reads of A.
 * Book: PMPP 4th ed., 6.3 (coarsening, here with the results of a thread in registers).
 */
#define THREADS ((TILE_M / THREAD_M) * TILE_N)

extern "C" __global__ void __launch_bounds__(THREADS, 1024 / THREADS) matmul_thread_column(
	const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int m, int n,
	int k)
{
	__shared__ __align__(16) float tile_a[TILE_M][TILE_K];
	__shared__ __align__(16) float tile_b[TILE_K][TILE_N];
	int thread = threadIdx.x;
	int group = blockIdx.x;
	int tiles_n = (n + TILE_N - 1) / TILE_N;
	int row0 = group / tiles_n * TILE_M;
	int col0 = group % tiles_n * TILE_N;
	int thread_row = thread / TILE_N * THREAD_M;
	int thread_col = thread % TILE_N;
	float sum[THREAD_M];

#pragma unroll
	for (int i = 0; i < THREAD_M; i++)
		sum[i] = 0.0f;

	for (int k0 = 0; k0 < k; k0 += TILE_K) {
#pragma unroll
		for (int e = 0; e < TILE_M * TILE_K; e += THREADS) {
			int i = (e + thread) / TILE_K;
			int kk = (e + thread) % TILE_K;
			bool inside = row0 + i < m && k0 + kk < k;

			tile_a[i][kk] = inside ? A[(size_t)(row0 + i) * k + (k0 + kk)] : 0.0f;
		}
#pragma unroll
		for (int e = 0; e < TILE_K * TILE_N; e += THREADS) {
			int kk = (e + thread) / TILE_N;
			int j = (e + thread) % TILE_N;
			bool inside = k0 + kk < k && col0 + j < n;

			tile_b[kk][j] = inside ? B[(size_t)(k0 + kk) * n + (col0 + j)] : 0.0f;
		}
		__syncthreads();

		/* Unroll two steps only. More steps read further ahead and need more than 64 registers. */
#pragma unroll 2
		for (int kk = 0; kk < TILE_K; kk++) {
			float b = tile_b[kk][thread_col];

#pragma unroll
			for (int i = 0; i < THREAD_M; i++)
				sum[i] = fmaf(tile_a[thread_row + i][kk], b, sum[i]);
		}
		__syncthreads();
	}

#pragma unroll
	for (int i = 0; i < THREAD_M; i++) {
		int row = row0 + thread_row + i;

		if (row < m && col0 + thread_col < n)
			C[(size_t)row * n + (col0 + thread_col)] = sum[i];
	}
}
