/*
 * 16-byte accesses: C[m,n] = A[m,k] B[k,n] with a tile of THREAD_M x THREAD_N sums per thread, as in
 * `thread_tile`. Here all accesses to global and shared memory have 16 bytes. So there are a quarter of
 * the load and store instructions.
 *
 * Design: tile of TILE_M x TILE_N elements of C, steps of TILE_K. The threads of a block are a grid.
 * A thread has groups of four neighbouring columns, so it reads four elements of B at once. The tile
 * of A has the same order in shared memory as in global memory, so a thread reads four elements of A
 * along k: the elements of four steps. They take 4 * THREAD_M registers. There is one buffer, and there
 * are two barriers per phase.
 * Block: (TILE_M / THREAD_M) * (TILE_N / THREAD_N) threads in one dimension: 256 for 128 x 128
 * elements with 8 x 8 per thread. THREAD_N is a multiple of 4. The number of threads divides TILE_M *
 * TILE_K / 4 and TILE_K * TILE_N / 4, so that the block loads each tile in whole rounds.
 * Groups: ceil(m / TILE_M) * ceil(n / TILE_N), one-dimensional.
 * Shared memory: TILE_K * (TILE_M + TILE_N) floats.
 * Limited by: the wait for global memory at the start of each phase, then arithmetic. The
 * registers for A leave few registers for reading ahead. On Hopper also the banks of the register
 * file: the four steps of a row are in neighbouring registers.
 * Book: PMPP 4th ed., 6.3 (coarsening, here in two dimensions). Not in the book: 16-byte accesses.
 */
#define THREADS_M (TILE_M / THREAD_M)
#define THREADS_N (TILE_N / THREAD_N)
#define THREADS (THREADS_M * THREADS_N)

#include "quads.inc"

/* Number of quads of a tile that each thread loads. */
#define QUADS_A (TILE_M * TILE_K / 4 / THREADS)
#define QUADS_B (TILE_K * TILE_N / 4 / THREADS)

/* Places of quads in the tiles: neighbouring threads have neighbouring quads of a row. */
static __forceinline__ __device__ int quad_a_row(int quad)
{
	return quad / (TILE_K / 4);
}

static __forceinline__ __device__ int quad_a_kk(int quad)
{
	return quad % (TILE_K / 4) * 4;
}

static __forceinline__ __device__ int quad_b_kk(int quad)
{
	return quad / (TILE_N / 4);
}

static __forceinline__ __device__ int quad_b_col(int quad)
{
	return quad % (TILE_N / 4) * 4;
}

extern "C" __global__ void __launch_bounds__(THREADS) matmul_vector_loads(
	const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int m, int n,
	int k)
{
	__shared__ __align__(16) float tile_a[TILE_M][TILE_K];
	__shared__ __align__(16) float tile_b[TILE_K][TILE_N];
	int thread = threadIdx.x;
	int group = blockIdx.x;
	bool aligned_a = k % 4 == 0;
	bool aligned_b = n % 4 == 0;
	int tiles_n = (n + TILE_N - 1) / TILE_N;
	int row0 = group / tiles_n * TILE_M;
	int col0 = group % tiles_n * TILE_N;
	int thread_row = thread / THREADS_N;
	int thread_col = thread % THREADS_N * 4;
	float4 quads_a[QUADS_A];
	float4 quads_b[QUADS_B];
	float sum[THREAD_M][THREAD_N];

#pragma unroll
	for (int i = 0; i < THREAD_M; i++) {
#pragma unroll
		for (int j = 0; j < THREAD_N; j++)
			sum[i][j] = 0.0f;
	}

	for (int k0 = 0; k0 < k; k0 += TILE_K) {
#pragma unroll
		for (int q = 0; q < QUADS_A; q++) {
			int i = quad_a_row(q * THREADS + thread);
			int kk = quad_a_kk(q * THREADS + thread);
			int left = row0 + i < m ? k - k0 - kk : 0;

			quads_a[q] = load_quad(A + (size_t)(row0 + i) * k + (k0 + kk), left, aligned_a);
		}
#pragma unroll
		for (int q = 0; q < QUADS_B; q++) {
			int kk = quad_b_kk(q * THREADS + thread);
			int j = quad_b_col(q * THREADS + thread);
			int left = k0 + kk < k ? n - col0 - j : 0;

			quads_b[q] = load_quad(B + (size_t)(k0 + kk) * n + (col0 + j), left, aligned_b);
		}
#pragma unroll
		for (int q = 0; q < QUADS_A; q++) {
			int i = quad_a_row(q * THREADS + thread);
			int kk = quad_a_kk(q * THREADS + thread);

			*(float4 *)&tile_a[i][kk] = quads_a[q];
		}
#pragma unroll
		for (int q = 0; q < QUADS_B; q++) {
			int kk = quad_b_kk(q * THREADS + thread);
			int j = quad_b_col(q * THREADS + thread);

			*(float4 *)&tile_b[kk][j] = quads_b[q];
		}
		__syncthreads();

#pragma unroll 1
		for (int k4 = 0; k4 < TILE_K; k4 += 4) {
			float a[THREAD_M][4];

#pragma unroll
			for (int i = 0; i < THREAD_M; i++)
				read_quad(a[i], &tile_a[thread_row + i * THREADS_M][k4]);
#pragma unroll
			for (int kk = 0; kk < 4; kk++) {
				float b[THREAD_N];

#pragma unroll
				for (int j = 0; j < THREAD_N; j += 4)
					read_quad(&b[j], &tile_b[k4 + kk][thread_col + j * THREADS_N]);
#pragma unroll
				for (int i = 0; i < THREAD_M; i++) {
#pragma unroll
					for (int j = 0; j < THREAD_N; j++)
						sum[i][j] = fmaf(a[i][kk], b[j], sum[i][j]);
				}
			}
		}
		__syncthreads();
	}

#pragma unroll
	for (int i = 0; i < THREAD_M; i++) {
		int row = row0 + thread_row + i * THREADS_M;

#pragma unroll
		for (int j = 0; j < THREAD_N; j += 4) {
			int col = col0 + thread_col + j * THREADS_N;
			float4 quad = make_float4(
				sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
			int left = row < m ? n - col : 0;

			store_quad(C + (size_t)row * n + col, quad, left, aligned_b);
		}
	}
}
