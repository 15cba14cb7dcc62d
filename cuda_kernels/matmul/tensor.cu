/*
 * Tensor cores: C[m,n] = A[m,k] B[k,n], where one instruction of a warp (mma.sync) multiplies 16
 * rows of A with 8 columns of B and adds to 16 x 8 sums in f32. The inputs are f16 (INPUT_BITS 16,
 * 16 steps of k per instruction) or f32 that was rounded to TF32 (INPUT_BITS 32, 8 steps). A word
 * of 32 bits has two f16 that are neighbours along k. In units of words, both instructions use the
 * same words of the same lanes, so both rows have one kernel.
 *
 * Block: one warp for each WARP_M x WARP_N (64 x 32) elements, in one dimension: 256 threads for
 * 128 x 128. The block loads each tile in whole rounds. TILE_K is 16 words deep.
 * Groups: ceil(m / TILE_M) * ceil(n / TILE_N), one-dimensional.
 * Shared memory: two buffers of TILE_M * 20 + 16 * (TILE_N + 8) words, 37 KiB for 128 x 128.
 * Limited by: reads of shared memory: 16 words per lane feed 8 instructions. cuBLAS has larger
 * tiles in flight with asynchronous copies, and four warps multiply together (wgmma).
 * Book: none; a step beyond PMPP 4th ed., 6.4 (the checklist).
 */
#define THREADS (32 * (TILE_M / WARP_M) * (TILE_N / WARP_N))
/* Instructions of a warp along each side of its elements. */
#define ROWS_16 (WARP_M / 16)
#define COLUMNS_8 (WARP_N / 8)
#define PER_WORD (32 / INPUT_BITS)
#define WORDS (TILE_K / PER_WORD) /* of a row of the tile of A */

/* Number of "quads" (four neighbouring words) of a tile that each thread loads. */
#define QUADS_A (TILE_M * WORDS / 4 / THREADS)
#define QUADS_B (WORDS * TILE_N / 4 / THREADS)

/* A warp reads 8 rows x 4 words of A, and 4 rows x 8 words of B, in one instruction: with these
 * strides from 32 banks. */
#define STRIDE_A (WORDS + 4)
#define STRIDE_B (TILE_N + 8)

#if INPUT_BITS == 16
typedef unsigned short element;
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
#else
typedef unsigned element;
#define MMA "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
#endif

/* c += a b, for 16 x 8 elements of the warp. */
static inline __device__ void multiply_add(float *c, const unsigned *a, const unsigned *b)
{
	asm volatile(MMA "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
		: "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
		: "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* Element `index` of a row; `left` are inside the matrix (it may be negative). */
static inline __device__ unsigned load_one(const element *from, int index, int left)
{
	return index < left ? from[index] : 0;
}

/* Four words of a row of A. */
static inline __device__ uint4 load_quad_a(const element *from, int left, bool aligned)
{
	uint4 quad = make_uint4(0, 0, 0, 0);

	if (aligned) {
		/* The row length is a multiple of a quad: a whole quad is inside or outside. */
		if (left > 0)
			quad = *(const uint4 *)from;
	} else {
#if INPUT_BITS == 16
		quad.x = load_one(from, 0, left) | load_one(from, 1, left) << 16;
		quad.y = load_one(from, 2, left) | load_one(from, 3, left) << 16;
		quad.z = load_one(from, 4, left) | load_one(from, 5, left) << 16;
		quad.w = load_one(from, 6, left) | load_one(from, 7, left) << 16;
#else
		quad.x = load_one(from, 0, left);
		quad.y = load_one(from, 1, left);
		quad.z = load_one(from, 2, left);
		quad.w = load_one(from, 3, left);
#endif
	}
	return quad;
}

/* Four words of B: neighbouring columns, `left` of them inside, of one row (f32) or two rows (f16),
 * `rows` of them inside. */
static inline __device__ uint4 load_quad_b(
	const element *from, int n, int left, int rows, bool aligned)
{
	uint4 quad = make_uint4(0, 0, 0, 0);

#if INPUT_BITS == 16
	int left0 = rows > 0 ? left : 0;
	int left1 = rows > 1 ? left : 0;

	if (aligned) {
		uint2 row0 = make_uint2(0, 0);
		uint2 row1 = make_uint2(0, 0);

		if (left0 > 0)
			row0 = *(const uint2 *)from;
		if (left1 > 0)
			row1 = *(const uint2 *)(from + n);
		quad.x = (row0.x & 0xffff) | row1.x << 16;
		quad.y = row0.x >> 16 | (row1.x & 0xffff0000);
		quad.z = (row0.y & 0xffff) | row1.y << 16;
		quad.w = row0.y >> 16 | (row1.y & 0xffff0000);
	} else {
		const element *next = from + n;

		quad.x = load_one(from, 0, left0) | load_one(next, 0, left1) << 16;
		quad.y = load_one(from, 1, left0) | load_one(next, 1, left1) << 16;
		quad.z = load_one(from, 2, left0) | load_one(next, 2, left1) << 16;
		quad.w = load_one(from, 3, left0) | load_one(next, 3, left1) << 16;
	}
#else
	if (rows > 0)
		quad = load_quad_a(from, left, aligned);
#endif
	return quad;
}

/* Two neighbours of a row of C; `left` of them are inside. */
static inline __device__ void store_pair(float *to, float x, float y, int left, bool aligned)
{
	if (aligned) {
		if (left > 0)
			*(float2 *)to = make_float2(x, y);
	} else {
		if (left > 0)
			to[0] = x;
		if (left > 1)
			to[1] = y;
	}
}

extern "C" __global__ void __launch_bounds__(THREADS) matmul_tensor(
	const element *__restrict__ A, const element *__restrict__ B, float *__restrict__ C, int m,
	int n, int k)
{
	/* Both tiles are stored by rows. For f16 a word of B has rows 2 w and 2 w + 1. */
	__shared__ __align__(16) unsigned tile_a[2][TILE_M][STRIDE_A];
	__shared__ __align__(16) unsigned tile_b[2][WORDS][STRIDE_B];
	int thread = threadIdx.x;
	int group = blockIdx.x;
	bool aligned_a = k % (4 * PER_WORD) == 0;
	bool aligned_b = n % 4 == 0;
	bool aligned_c = n % 2 == 0;
	int tiles_n = (n + TILE_N - 1) / TILE_N;
	int row0 = group / tiles_n * TILE_M;
	int col0 = group % tiles_n * TILE_N;

	/* Lane 4 g + t of a warp holds words t of row g of A and of column g of B, and columns 2 t
	 * and 2 t + 1 of row g of C (PTX ISA, matrix fragments for mma.m16n8k8 and m16n8k16). */
	int lane = thread % 32;
	int warp = thread / 32;
	int warp_row = warp % (TILE_M / WARP_M) * WARP_M + lane / 4;
	int warp_col = warp / (TILE_M / WARP_M) * WARP_N;
	int lane_word = lane % 4;

	/* The addresses that this thread loads, and the number of elements up to the edge. */
	const element *from_a[QUADS_A];
	const element *from_b[QUADS_B];
	int left_a[QUADS_A];
	int left_b[QUADS_B];
	uint4 quads_a[QUADS_A];
	uint4 quads_b[QUADS_B];
	float sum[ROWS_16][COLUMNS_8][4];
	int buffer = 0;

#pragma unroll
	for (int q = 0; q < QUADS_A; q++) {
		int quad = q * THREADS + thread;
		int row = row0 + quad / (WORDS / 4);
		int kk = quad % (WORDS / 4) * 4 * PER_WORD;

		from_a[q] = A + (size_t)row * k + kk;
		left_a[q] = row < m ? k - kk : 0;
		quads_a[q] = load_quad_a(from_a[q], left_a[q], aligned_a);
	}
#pragma unroll
	for (int q = 0; q < QUADS_B; q++) {
		int quad = q * THREADS + thread;
		int kk = quad / (TILE_N / 4) * PER_WORD;
		int col = col0 + quad % (TILE_N / 4) * 4;

		from_b[q] = B + (size_t)kk * n + col;
		left_b[q] = n - col;
		quads_b[q] = load_quad_b(from_b[q], n, left_b[q], k - kk, aligned_b);
	}

#pragma unroll
	for (int i = 0; i < ROWS_16; i++) {
#pragma unroll
		for (int j = 0; j < COLUMNS_8; j++) {
#pragma unroll
			for (int e = 0; e < 4; e++)
				sum[i][j][e] = 0.0f;
		}
	}

	for (int k0 = 0; k0 < k; k0 += TILE_K) {
#pragma unroll
		for (int q = 0; q < QUADS_A; q++) {
			int quad = q * THREADS + thread;
			int row = quad / (WORDS / 4);
			int word = quad % (WORDS / 4) * 4;

			*(uint4 *)&tile_a[buffer][row][word] = quads_a[q];
		}
#pragma unroll
		for (int q = 0; q < QUADS_B; q++) {
			int quad = q * THREADS + thread;
			int word = quad / (TILE_N / 4);
			int col = quad % (TILE_N / 4) * 4;

			*(uint4 *)&tile_b[buffer][word][col] = quads_b[q];
		}
		__syncthreads();

		/* These loads are used in the next phase. Past the end they give zeros. */
#pragma unroll
		for (int q = 0; q < QUADS_A; q++) {
			from_a[q] += TILE_K;
			left_a[q] -= TILE_K;
			quads_a[q] = load_quad_a(from_a[q], left_a[q], aligned_a);
		}
#pragma unroll
		for (int q = 0; q < QUADS_B; q++) {
			int kk = (q * THREADS + thread) / (TILE_N / 4) * PER_WORD;
			int rows = k - k0 - TILE_K - kk;

			from_b[q] += (size_t)TILE_K * n;
			quads_b[q] = load_quad_b(from_b[q], n, left_b[q], rows, aligned_b);
		}

#pragma unroll
		for (int word = lane_word; word < lane_word + WORDS; word += 8) {
			unsigned a[ROWS_16][4];
			unsigned b[COLUMNS_8][2];

#pragma unroll
			for (int i = 0; i < ROWS_16; i++) {
				int row = warp_row + 16 * i;

				a[i][0] = tile_a[buffer][row][word];
				a[i][1] = tile_a[buffer][row + 8][word];
				a[i][2] = tile_a[buffer][row][word + 4];
				a[i][3] = tile_a[buffer][row + 8][word + 4];
			}
#pragma unroll
			for (int j = 0; j < COLUMNS_8; j++) {
				int col = warp_col + 8 * j + lane / 4;

				b[j][0] = tile_b[buffer][word][col];
				b[j][1] = tile_b[buffer][word + 4][col];
			}
#pragma unroll
			for (int i = 0; i < ROWS_16; i++) {
#pragma unroll
				for (int j = 0; j < COLUMNS_8; j++)
					multiply_add(sum[i][j], a[i], b[j]);
			}
		}
		buffer ^= 1;
	}

#pragma unroll
	for (int i = 0; i < ROWS_16; i++) {
#pragma unroll
		for (int half_row = 0; half_row < 2; half_row++) {
			int row = row0 + warp_row + 16 * i + 8 * half_row;

#pragma unroll
			for (int j = 0; j < COLUMNS_8; j++) {
				int col = col0 + warp_col + 8 * j + 2 * lane_word;
				int left = row < m ? n - col : 0;

				store_pair(C + (size_t)row * n + col, sum[i][j][2 * half_row],
					sum[i][j][2 * half_row + 1], left, aligned_c);
			}
		}
	}
}
