/*
 * Half precision: C[m,n] = A[m,k] B[k,n], where A and B are stored as f16 and C as f32. A thread
 * computes 8 x 8 elements. Two neighbouring columns share a register, and one instruction
 * multiplies and adds both. A sum in f16 has only 11 bits, so it is used for one phase: after
 * TILE_K (at most 16) steps it is added to an f32 sum and begins again at zero.
 *
 * The instruction needs the element of A in both halves of a word. For a half that is used twice,
 * NVRTC 13.0 generates only HFMA2, with a swizzle. For a word it generates HFMA2 and HFMA2.MMA in
 * turn, which use two pipes. So the tile of A has each element twice: a thread needs 16 more loads
 * of 16 bytes per phase. With single halves a thread needs 128 permutations per phase instead.
 *
 * Block: TILE_M / 8 * (TILE_N / 8) threads in one dimension: 256 for 128 x 128. Each loads eight
 * neighbours, an "oct", of each tile: so TILE_M = TILE_N = 8 * TILE_K. TILE_M is a multiple of 64.
 * Groups: ceil(m / TILE_M) * ceil(n / TILE_N), one-dimensional.
 * Shared memory: TILE_K * (2 * TILE_M + TILE_N) elements of f16, 12 KiB.
 * Registers: at most 128 per thread, so that a multiprocessor with 65536 registers holds 512 threads.
 * Without the limit the compiler may use more than 128 registers. The multiprocessor then holds one
 * block of 256 threads, too few to hide latency.
 * Limited by: arithmetic and shared memory. Per step a block takes 64 cycles of the f16 units of an
 * H200 and 70 passes of shared memory. The sums in f32 are a fifth of the arithmetic.
 * Products beyond 65504 overflow.
 * Book: PMPP 4th ed., 6.4 (the checklist), taken further.
 */
#include <cuda_fp16.h>

#define THREADS (TILE_M / 8 * (TILE_N / 8))

/* The threads of a block form patches of 8 x 4. This is a layout, not the width of a warp: it is right
 * for every width. */
#define PATCH_THREADS 32

/*
 * An oct of A is stored along a column of the tile (see tile_a). Two neighbouring threads store the
 * octs of rows kk and kk + 8, which would be in the same banks. Therefore, in every second group of
 * eight rows, neighbouring blocks of 16 columns are exchanged.
 */
#define EXCHANGE(kk) ((kk) / 8 % 2 * 16)

/* Reads eight neighbours of a row; `left` of them are inside the matrix (it may be negative). */
static inline __device__ uint4 load_oct(const unsigned short *from, int left, bool aligned)
{
	unsigned word[4] = {0, 0, 0, 0};

	if (aligned) {
		/* The row length is a multiple of eight: a whole oct is inside or outside. */
		return left > 0 ? *(const uint4 *)from : make_uint4(0, 0, 0, 0);
	}
#pragma unroll
	for (int e = 0; e < 8; e++) {
		if (left > e)
			word[e / 2] |= (unsigned)from[e] << (e % 2 * 16);
	}
	return make_uint4(word[0], word[1], word[2], word[3]);
}

static inline __device__ void store_quad(float *to, float4 quad, int left, bool aligned)
{
	if (aligned) {
		if (left > 0)
			*(float4 *)to = quad;
	} else {
		if (left > 0)
			to[0] = quad.x;
		if (left > 1)
			to[1] = quad.y;
		if (left > 2)
			to[2] = quad.z;
		if (left > 3)
			to[3] = quad.w;
	}
}

/* One f16 of a pair, in both halves of a register. */
static inline __device__ unsigned twice(unsigned pair, int second)
{
	half2 values = *(half2 *)&pair;
	half2 both = __half2half2(second ? __high2half(values) : __low2half(values));

	return *(unsigned *)&both;
}

/* Two f16 in a register: a * b + c in each half, rounded once. */
static inline __device__ unsigned fma2(unsigned a, unsigned b, unsigned c)
{
	half2 sum = __hfma2(*(half2 *)&a, *(half2 *)&b, *(half2 *)&c);

	return *(unsigned *)&sum;
}

static inline __device__ float2 to_float2(unsigned pair)
{
	return __half22float2(*(half2 *)&pair);
}

extern "C" __global__ void __launch_bounds__(THREADS, 512 / THREADS) matmul_f16(
	const unsigned short *__restrict__ A, const unsigned short *__restrict__ B,
	float *__restrict__ C, int m, int n, int k)
{
	/* The tile of A is stored by columns: one read of a thread covers several of its rows. A
	 * word holds one element twice. */
	__shared__ __align__(16) unsigned tile_a[TILE_K][TILE_M];
	__shared__ __align__(16) unsigned short tile_b[TILE_K][TILE_N];
	int thread = threadIdx.x;
	int group = blockIdx.x;
	bool aligned_a = k % 8 == 0;
	bool aligned_b = n % 8 == 0;
	bool aligned_c = n % 4 == 0;
	int tiles_n = (n + TILE_N - 1) / TILE_N;
	int row0 = group / tiles_n * TILE_M;
	int col0 = group % tiles_n * TILE_N;

	/* A patch is 8 x 4 threads: one instruction reads contiguous shared memory. */
	int lane = thread % PATCH_THREADS;
	int patch = thread / PATCH_THREADS;
	int thread_row = patch % (TILE_M / 64) * 64 + lane / 4 * 8;
	int thread_col = patch / (TILE_M / 64) * 32 + lane % 4 * 8;

	/* The octs that this thread loads: TILE_K / 8 threads cover a row of the tile of A. */
	int oct_row = thread / (TILE_K / 8);
	int oct_kk = thread % (TILE_K / 8) * 8;
	int oct_b_kk = thread / (TILE_N / 8);
	int oct_b_col = thread % (TILE_N / 8) * 8;
	const unsigned short *from_a = A + (size_t)(row0 + oct_row) * k + oct_kk;
	const unsigned short *from_b = B + (size_t)oct_b_kk * n + col0 + oct_b_col;
	int left_a = row0 + oct_row < m ? k - oct_kk : 0;
	int left_b = n - col0 - oct_b_col;
	float sum[8][8];

#pragma unroll
	for (int i = 0; i < 8; i++) {
#pragma unroll
		for (int j = 0; j < 8; j++)
			sum[i][j] = 0.0f;
	}

	for (int k0 = 0; k0 < k; k0 += TILE_K) {
		uint4 oct_a = load_oct(from_a, left_a, aligned_a);
		uint4 oct_b = load_oct(from_b, k0 + oct_b_kk < k ? left_b : 0, aligned_b);
		unsigned word[4] = {oct_a.x, oct_a.y, oct_a.z, oct_a.w};
		unsigned part[8][4];

		from_a += TILE_K;
		left_a -= TILE_K;
		from_b += (size_t)TILE_K * n;
#pragma unroll
		for (int e = 0; e < 8; e++)
			tile_a[oct_kk + e][oct_row ^ EXCHANGE(oct_kk)] =
				twice(word[e / 2], e % 2);
		*(uint4 *)&tile_b[oct_b_kk][oct_b_col] = oct_b;
		__syncthreads();

#pragma unroll
		for (int i = 0; i < 8; i++) {
#pragma unroll
			for (int j = 0; j < 4; j++)
				part[i][j] = 0;
		}
#pragma unroll
		for (int kk = 0; kk < TILE_K; kk++) {
			const uint4 *rows = (const uint4 *)&tile_a[kk][thread_row ^ EXCHANGE(kk)];
			uint4 low = rows[0], high = rows[1];
			uint4 cols = *(const uint4 *)&tile_b[kk][thread_col];
			unsigned a[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
			unsigned b[4] = {cols.x, cols.y, cols.z, cols.w};

#pragma unroll
			for (int i = 0; i < 8; i++) {
#pragma unroll
				for (int j = 0; j < 4; j++)
					part[i][j] = fma2(a[i], b[j], part[i][j]);
			}
		}
#pragma unroll
		for (int i = 0; i < 8; i++) {
#pragma unroll
			for (int j = 0; j < 4; j++) {
				float2 pair = to_float2(part[i][j]);

				sum[i][2 * j] += pair.x;
				sum[i][2 * j + 1] += pair.y;
			}
		}
		__syncthreads();
	}

#pragma unroll
	for (int i = 0; i < 8; i++) {
		int row = row0 + thread_row + i;

#pragma unroll
		for (int j = 0; j < 8; j += 4) {
			int col = col0 + thread_col + j;
			float4 quad = make_float4(
				sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
			int left = row < m ? n - col : 0;

			store_quad(C + (size_t)row * n + col, quad, left, aligned_c);
		}
	}
}
