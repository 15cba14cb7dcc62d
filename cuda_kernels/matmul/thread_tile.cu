/*
 * A tile of C per thread: C[m,n] = A[m,k] B[k,n], where each thread has THREAD_M x THREAD_N sums in
 * registers. For each kk it reads THREAD_M elements of A and THREAD_N of B from shared memory and
 * multiplies all pairs. For 8 x 8, there are 16 reads for 64 multiply-adds: a quarter of a read each.
 *
 * Design: tile of TILE_M x TILE_N elements of C, steps of TILE_K. The threads of a block are a grid,
 * and neighbouring threads have neighbouring elements. The distance between the elements of a thread
 * is the width or the height of this grid. So a warp reads neighbouring elements of B, in different
 * banks. Tiles have the same order in shared memory as in global memory. There is one buffer, and
 * there are two barriers per phase. All accesses have 4 bytes.
 * Block: (TILE_M / THREAD_M) * (TILE_N / THREAD_N) threads in one dimension: 256 for 128 x 128
 * elements with 8 x 8 per thread. The number of threads divides TILE_M * TILE_K and TILE_K * TILE_N.
 * Groups: ceil(m / TILE_M) * ceil(n / TILE_N), one-dimensional.
 * Shared memory: TILE_K * (TILE_M + TILE_N) floats.
 * Limited by: in the model, shared memory and arithmetic equally. On a multiprocessor with 128
 * multiply-adds per cycle, the 16 reads of a warp take as long as its 64 multiply-adds.
 * Book: PMPP 4th ed., 6.3 (coarsening, here in two dimensions).
 */
#define THREADS_M (TILE_M / THREAD_M)
#define THREADS_N (TILE_N / THREAD_N)
#define THREADS (THREADS_M * THREADS_N)

extern "C" __global__ void __launch_bounds__(THREADS) matmul_thread_tile(
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
	int thread_row = thread / THREADS_N;
	int thread_col = thread % THREADS_N;
	float sum[THREAD_M][THREAD_N];

#pragma unroll
	for (int i = 0; i < THREAD_M; i++) {
#pragma unroll
		for (int j = 0; j < THREAD_N; j++)
			sum[i][j] = 0.0f;
	}

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

		/* Not unrolled: otherwise the compilers join reads of A to accesses of 16 bytes. */
#pragma unroll 1
		for (int kk = 0; kk < TILE_K; kk++) {
			float a[THREAD_M];
			float b[THREAD_N];

#pragma unroll
			for (int i = 0; i < THREAD_M; i++)
				a[i] = tile_a[thread_row + i * THREADS_M][kk];
#pragma unroll
			for (int j = 0; j < THREAD_N; j++)
				b[j] = tile_b[kk][thread_col + j * THREADS_N];
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
		int row = row0 + thread_row + i * THREADS_M;

#pragma unroll
		for (int j = 0; j < THREAD_N; j++) {
			int col = col0 + thread_col + j * THREADS_N;

			if (row < m && col < n)
				C[(size_t)row * n + col] = sum[i][j];
		}
	}
}
