/*
 * Tensor cores with asynchronous copies: C[m,n] = A[m,k] B[k,n], A and B in f16, sums in f32. It is
 * f16-tensor with four techniques more, all of which inline PTX has from compute capability 8.0 on:
 *
 * 1. cp.async copies 16 bytes from global to shared memory without registers, STAGES - 1 steps
 *    ahead.
 * 2. ldmatrix reads four 8 x 8 matrices for a warp in one instruction, transposed if needed.
 * 3. A warp has 64 x 64 sums: 8 reads of matrices feed 32 products.
 * 4. The fragments of the next 16 steps of k are read before the products of these.
 *
 * Layout: a row of a tile has chunks of 16 bytes. The number of a chunk is combined with bits of the
 * number of its row, so that the eight rows that ldmatrix reads are in different banks.
 * Order: blocks go through bands of BAND rows of tiles, so that those that run at a time share
 * columns of B in the second-level cache.
 *
 * Block: one warp for each WARP_M x WARP_N (64 x 64) elements, in one dimension: 128 threads for
 * 128 x 128. Groups: ceil(m / TILE_M) * ceil(n / TILE_N), one-dimensional. TILE_K is 32 or 64.
 * The pitches of A and B are multiples of 8 elements, the pitch of C is even.
 * Shared memory: STAGES * (TILE_M + TILE_N) * TILE_K * 2 bytes: 48 KiB for 3 stages of 32 steps.
 * Limited by: reads of shared memory and the rate of mma.sync, which is about two thirds of the rate
 * of wgmma on Hopper.
 * Book: none; a step beyond PMPP 4th ed., 6.4 (the checklist).
 */
#define WARPS_N (TILE_N / WARP_N)
#define THREADS (32 * (TILE_M / WARP_M) * WARPS_N)
#define ROWS_16 (WARP_M / 16)
#define COLUMNS_8 (WARP_N / 8)
#define STEPS_16 (TILE_K / 16)

/* Chunks of 16 bytes: of a row of a tile, and the rows that the block copies at a time. */
#define CHUNKS_A (TILE_K / 8)
#define CHUNKS_B (TILE_N / 8)
#define ROWS_A (THREADS / CHUNKS_A)
#define ROWS_B (THREADS / CHUNKS_B)
#define COPIES_A (TILE_M / ROWS_A)
#define COPIES_B (TILE_K / ROWS_B)
#define A_BYTES (TILE_M * TILE_K * 2)
#define STAGE_BYTES ((TILE_M + TILE_N) * TILE_K * 2)

/* Byte offsets of a chunk in the tiles of A and B. */
static inline __device__ unsigned chunk_a(int row, int chunk)
{
	return row * (TILE_K * 2) + ((chunk ^ (row * CHUNKS_A / 8 & (CHUNKS_A - 1))) << 4);
}

static inline __device__ unsigned chunk_b(int row, int chunk)
{
	return row * (TILE_N * 2) + ((chunk ^ (row & 7)) << 4);
}

/* Places in shared memory are numbers: addresses in PTX, offsets in `tiles` on the emulator. */
#ifdef __CUDA_ARCH__

static inline __device__ unsigned place_of(const char *tiles)
{
	return (unsigned)__cvta_generic_to_shared(tiles);
}

/* Begins a copy of 16 bytes: `bytes` from global memory, and zeros. */
static inline __device__ void copy_chunk(char *tiles, unsigned to, const char *from, int bytes)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
		     : : "r"(to), "l"(from), "r"(bytes) : "memory");
}

static inline __device__ void copy_whole_chunk(char *tiles, unsigned to, const char *from)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
}

#define COPIES_COMMIT() asm volatile("cp.async.commit_group;" : : : "memory")
#define COPIES_WAIT(groups) asm volatile("cp.async.wait_group %0;" : : "n"(groups) : "memory")

/* Lane 8 j + r gives the address of row r of matrix j. */
static inline __device__ void read_matrices(unsigned *to, const char *tiles, unsigned from)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(from) : "memory");
}

static inline __device__ void read_transposed(unsigned *to, const char *tiles, unsigned from)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(from) : "memory");
}

/* c += a b, for 16 x 8 elements of the warp and 16 steps of k. */
static inline __device__ void multiply_add(float *c, const unsigned *a, const unsigned *b)
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
		     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
		     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#else /* the emulator: the same results by shuffles */

#include <cuda_fp16.h>

static inline __device__ unsigned place_of(const char *tiles)
{
	return 0;
}

static inline __device__ void copy_chunk(char *tiles, unsigned to, const char *from, int bytes)
{
	for (int i = 0; i < 16; i += 2)
		*(unsigned short *)(tiles + to + i) =
			i < bytes ? *(const unsigned short *)(from + i) : 0;
}

static inline __device__ void copy_whole_chunk(char *tiles, unsigned to, const char *from)
{
	copy_chunk(tiles, to, from, 16);
}

#define COPIES_COMMIT()
#define COPIES_WAIT(groups)

static inline __device__ void read_matrices(unsigned *to, const char *tiles, unsigned from)
{
	int lane = threadIdx.x % 32;

	for (int j = 0; j < 4; j++)
		to[j] = *(const unsigned *)(tiles + __shfl_sync(~0u, from, 8 * j + lane / 4) +
					    lane % 4 * 4);
}

static inline __device__ void read_transposed(unsigned *to, const char *tiles, unsigned from)
{
	int lane = threadIdx.x % 32;

	for (int j = 0; j < 4; j++) {
		unsigned low = __shfl_sync(~0u, from, 8 * j + lane % 4 * 2);
		unsigned high = __shfl_sync(~0u, from, 8 * j + lane % 4 * 2 + 1);

		to[j] = *(const unsigned short *)(tiles + low + lane / 4 * 2) |
			(unsigned)*(const unsigned short *)(tiles + high + lane / 4 * 2) << 16;
	}
}

static inline __device__ float half_of(unsigned word, int index)
{
	return __half2float(__ushort_as_half((unsigned short)(word >> 16 * index)));
}

static inline __device__ void multiply_add(float *c, const unsigned *a, const unsigned *b)
{
	int lane = threadIdx.x % 32;

	for (int kk = 0; kk < 16; kk++) {
		int upper = kk / 8, pair = kk % 8 / 2;
		unsigned row = __shfl_sync(~0u, a[2 * upper], lane / 4 * 4 + pair);
		unsigned row8 = __shfl_sync(~0u, a[2 * upper + 1], lane / 4 * 4 + pair);
		unsigned left = __shfl_sync(~0u, b[upper], lane % 4 * 8 + pair);
		unsigned right = __shfl_sync(~0u, b[upper], lane % 4 * 8 + 4 + pair);

		c[0] += half_of(row, kk % 2) * half_of(left, kk % 2);
		c[1] += half_of(row, kk % 2) * half_of(right, kk % 2);
		c[2] += half_of(row8, kk % 2) * half_of(left, kk % 2);
		c[3] += half_of(row8, kk % 2) * half_of(right, kk % 2);
	}
}

#endif

/* What a thread copies in each step. */
struct copies {
	const char *a[COPIES_A]; /* its chunks of the rows of A, at step 0 */
	const char *b;           /* its chunk of the first row of B, at step 0 */
	unsigned to_a, to_b;     /* offsets in a stage */
	int kk_a, kk_b;          /* first step of k of its chunks of A; first row of B */
	int pitch_b;
};

/* Begins the copies of the tiles from step k0 on; `left` steps of k are left. */
static inline __device__ void copy_tiles(
	char *tiles, unsigned stage, const struct copies *own, int k0, int left)
{
	const size_t row_b = (size_t)own->pitch_b * 2;
	const char *from_b = own->b + k0 * row_b;

	if (left >= TILE_K) {
#pragma unroll
		for (int i = 0; i < COPIES_A; i++)
			copy_whole_chunk(tiles, stage + own->to_a + i * ROWS_A * TILE_K * 2,
				own->a[i] + k0 * 2);
#pragma unroll
		for (int i = 0; i < COPIES_B; i++)
			copy_whole_chunk(tiles, stage + own->to_b + i * ROWS_B * TILE_N * 2,
				from_b + i * ROWS_B * row_b);
	} else {
		/* Steps past the end are zeros. Nothing is read there. */
		int bytes = max(0, min(16, (left - own->kk_a) * 2));

#pragma unroll
		for (int i = 0; i < COPIES_A; i++)
			copy_chunk(tiles, stage + own->to_a + i * ROWS_A * TILE_K * 2,
				bytes > 0 ? own->a[i] + k0 * 2 : own->a[i] - own->kk_a * 2, bytes);
#pragma unroll
		for (int i = 0; i < COPIES_B; i++) {
			bool inside = own->kk_b + i * ROWS_B < left;

			copy_chunk(tiles, stage + own->to_b + i * ROWS_B * TILE_N * 2,
				inside ? from_b + i * ROWS_B * row_b : own->b - own->kk_b * row_b,
				inside ? 16 : 0);
		}
	}
}

/* The matrices of A and B for 16 steps of k. */
struct fragments {
	unsigned a[ROWS_16][4];
	unsigned b[COLUMNS_8 / 2][4];
};

static inline __device__ void read_fragments(struct fragments *to, const char *tiles,
	unsigned stage, unsigned place_a, unsigned place_b, int column, int lane, int step)
{
#pragma unroll
	for (int i = 0; i < ROWS_16; i++)
		read_matrices(to->a[i], tiles,
			stage + (place_a ^ step * 32) + i * 16 * TILE_K * 2);
#pragma unroll
	for (int j = 0; j < COLUMNS_8 / 2; j++)
		read_transposed(to->b[j], tiles,
			stage + place_b + (((column / 8 + j * 2 + lane / 16) ^ (lane & 7)) << 4) +
				step * 16 * TILE_N * 2);
}

extern "C" __global__ void __launch_bounds__(THREADS) matmul_f16_mma(
	const unsigned short *__restrict__ A, const unsigned short *__restrict__ B,
	float *__restrict__ C, int m, int n, int k, int pitch_a, int pitch_b, int pitch_c)
{
	extern __shared__ __align__(128) char tiles[];
	int thread = threadIdx.x;
	int lane = thread % 32;
	int warp = thread / 32;
	int rows = (m + TILE_M - 1) / TILE_M;
	int columns = (n + TILE_N - 1) / TILE_N;
	int steps = (k + TILE_K - 1) / TILE_K;
	int group = blockIdx.x;
	int first = group / (BAND * columns) * BAND;
	int height = min(rows - first, BAND);
	int row0 = (first + (group - first * columns) % height) * TILE_M;
	int column0 = (group - first * columns) / height * TILE_N;
	int row = warp / WARPS_N * WARP_M;
	int column = warp % WARPS_N * WARP_N;
	unsigned base = place_of(tiles);
	unsigned place_a = chunk_a(row + lane % 16, lane / 16);
	unsigned place_b = A_BYTES + lane % 16 * (TILE_N * 2);
	unsigned stage = 0, filled = STAGES - 1;
	struct copies own;
	struct fragments parts[2];
	float sums[ROWS_16][COLUMNS_8][4];

	/* Rows and columns past the edge copy others instead: no result depends on them. */
	own.kk_a = thread % CHUNKS_A * 8;
	own.kk_b = thread / CHUNKS_B;
	own.pitch_b = pitch_b;
	own.to_a = chunk_a(thread / CHUNKS_A, thread % CHUNKS_A);
	own.to_b = A_BYTES + chunk_b(thread / CHUNKS_B, thread % CHUNKS_B);
#pragma unroll
	for (int i = 0; i < COPIES_A; i++)
		own.a[i] = (const char *)(A +
			(size_t)min(row0 + thread / CHUNKS_A + i * ROWS_A, m - 1) * pitch_a + own.kk_a);
	own.b = (const char *)(B + (size_t)own.kk_b * pitch_b +
		(column0 + thread % CHUNKS_B * 8 < n ? column0 + thread % CHUNKS_B * 8 : 0));

#pragma unroll
	for (int i = 0; i < ROWS_16; i++) {
#pragma unroll
		for (int j = 0; j < COLUMNS_8; j++) {
#pragma unroll
			for (int e = 0; e < 4; e++)
				sums[i][j][e] = 0.0f;
		}
	}
#pragma unroll
	for (int s = 0; s < STAGES - 1; s++) {
		if (s < steps)
			copy_tiles(tiles, base + s * STAGE_BYTES, &own, s * TILE_K, k - s * TILE_K);
		COPIES_COMMIT();
	}
	COPIES_WAIT(STAGES - 2);
	__syncthreads();
	read_fragments(&parts[0], tiles, base, place_a, place_b, column, lane, 0);

	for (int step = 0; step < steps; step++) {
		int ahead = step + STAGES - 1;

		if (ahead < steps)
			copy_tiles(tiles, base + filled * STAGE_BYTES, &own, ahead * TILE_K,
				k - ahead * TILE_K);
		COPIES_COMMIT();
		filled = filled + 1 < STAGES ? filled + 1 : 0;
#pragma unroll
		for (int part = 0; part < STEPS_16; part++) {
			/* The barrier before the next stage also ends the reads of this one. */
			if (part == STEPS_16 - 1) {
				COPIES_WAIT(STAGES - 2);
				__syncthreads();
				stage = stage + 1 < STAGES ? stage + 1 : 0;
			}
			read_fragments(&parts[(part + 1) % 2], tiles, base + stage * STAGE_BYTES,
				place_a, place_b, column, lane, (part + 1) % STEPS_16);
#pragma unroll
			for (int i = 0; i < ROWS_16; i++) {
#pragma unroll
				for (int q = 0; q < COLUMNS_8; q++) {
					int j = i % 2 ? COLUMNS_8 - 1 - q : q;

					multiply_add(sums[i][j], parts[part % 2].a[i],
						parts[part % 2].b[j / 2] + j % 2 * 2);
				}
			}
		}
	}

#pragma unroll
	for (int i = 0; i < ROWS_16; i++) {
#pragma unroll
		for (int j = 0; j < COLUMNS_8; j++) {
			int r = row0 + row + i * 16 + lane / 4;
			int c = column0 + column + j * 8 + lane % 4 * 2;
			float *to = C + (size_t)r * pitch_c + c;

			/* The pitch covers both columns at the end of a row. */
			if (c < n && r < m)
				*(float2 *)to = make_float2(sums[i][j][0], sums[i][j][1]);
			if (c < n && r + 8 < m)
				*(float2 *)(to + (size_t)8 * pitch_c) =
					make_float2(sums[i][j][2], sums[i][j][3]);
		}
	}
}
