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
 * Block: one warp for each WARP_M x WARP_N (64 x 64) elements, in one dimension: 128 work-items for
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
static inline uint chunk_a(int row, int chunk)
{
	return row * (TILE_K * 2) + ((chunk ^ (row * CHUNKS_A / 8 & (CHUNKS_A - 1))) << 4);
}

static inline uint chunk_b(int row, int chunk)
{
	return row * (TILE_N * 2) + ((chunk ^ (row & 7)) << 4);
}

/* Places in local memory are numbers: addresses in PTX, offsets in `tiles` elsewhere. */
#ifdef __NV_CL_C_VERSION

static inline uint place_of(__local const char *tiles)
{
	uint place;

	asm volatile("cvt.u32.u64 %0, %1;" : "=r"(place) : "l"(tiles));
	return place;
}

/* Begins a copy of 16 bytes: `bytes` from global memory, and zeros. */
static inline void copy_chunk(
	__local char *tiles, uint to, __global const char *from, int bytes)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
		     : : "r"(to), "l"(from), "r"(bytes) : "memory");
}

static inline void copy_whole_chunk(__local char *tiles, uint to, __global const char *from)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
}

#define TEXT_OF(macro) #macro
#define TEXT(macro) TEXT_OF(macro)
#define COPIES_COMMIT() asm volatile("cp.async.commit_group;" : : : "memory")
#define COPIES_WAIT(groups) asm volatile("cp.async.wait_group " TEXT(groups) ";" : : : "memory")

/* Lane 8 j + r gives the address of row r of matrix j. */
static inline void read_matrices(uint *to, __local const char *tiles, uint from)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(from) : "memory");
}

static inline void read_transposed(uint *to, __local const char *tiles, uint from)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(from) : "memory");
}

/* c += a b, for 16 x 8 elements of the warp and 16 steps of k. */
static inline void multiply_add(float *c, const uint *a, const uint *b)
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
		     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
		     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#else /* the emulator: the same results by shuffles in a sub-group of 32 */

#define LANE() ((int)get_local_id(0) % 32)

static inline uint place_of(__local const char *tiles)
{
	return 0;
}

static inline void copy_chunk(
	__local char *tiles, uint to, __global const char *from, int bytes)
{
	for (int i = 0; i < 16; i += 2)
		*(__local ushort *)(tiles + to + i) =
			i < bytes ? *(__global const ushort *)(from + i) : (ushort)0;
}

static inline void copy_whole_chunk(__local char *tiles, uint to, __global const char *from)
{
	copy_chunk(tiles, to, from, 16);
}

#define COPIES_COMMIT()
#define COPIES_WAIT(groups)

static inline void read_matrices(uint *to, __local const char *tiles, uint from)
{
	int lane = LANE();

	for (int j = 0; j < 4; j++)
		to[j] = *(__local const uint *)(tiles + sub_group_shuffle(from, 8 * j + lane / 4) +
						lane % 4 * 4);
}

static inline void read_transposed(uint *to, __local const char *tiles, uint from)
{
	int lane = LANE();

	for (int j = 0; j < 4; j++) {
		uint low = sub_group_shuffle(from, 8 * j + lane % 4 * 2);
		uint high = sub_group_shuffle(from, 8 * j + lane % 4 * 2 + 1);

		to[j] = *(__local const ushort *)(tiles + low + lane / 4 * 2) |
			(uint)*(__local const ushort *)(tiles + high + lane / 4 * 2) << 16;
	}
}

static inline float half_of(uint word, int index)
{
	ushort bits = (ushort)(word >> 16 * index);

	return vload_half(0, (const half *)&bits);
}

static inline void multiply_add(float *c, const uint *a, const uint *b)
{
	int lane = LANE();

	for (int kk = 0; kk < 16; kk++) {
		int upper = kk / 8, pair = kk % 8 / 2;
		uint row = sub_group_shuffle(a[2 * upper], lane / 4 * 4 + pair);
		uint row8 = sub_group_shuffle(a[2 * upper + 1], lane / 4 * 4 + pair);
		uint left = sub_group_shuffle(b[upper], lane % 4 * 8 + pair);
		uint right = sub_group_shuffle(b[upper], lane % 4 * 8 + 4 + pair);

		c[0] += half_of(row, kk % 2) * half_of(left, kk % 2);
		c[1] += half_of(row, kk % 2) * half_of(right, kk % 2);
		c[2] += half_of(row8, kk % 2) * half_of(left, kk % 2);
		c[3] += half_of(row8, kk % 2) * half_of(right, kk % 2);
	}
}

#endif

/* What a thread copies in each step. */
struct copies {
	__global const char *a[COPIES_A]; /* its chunks of the rows of A, at step 0 */
	__global const char *b;  /* its chunk of the first row of B, at step 0 */
	uint to_a, to_b;     /* offsets in a stage */
	int kk_a, kk_b;          /* first step of k of its chunks of A; first row of B */
	int pitch_b;
};

/* Begins the copies of the tiles from step k0 on; `left` steps of k are left. */
static inline void copy_tiles(
	__local char *tiles, uint stage, const struct copies *own, int k0, int left)
{
	const size_t row_b = (size_t)own->pitch_b * 2;
	__global const char *from_b = own->b + k0 * row_b;

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
	uint a[ROWS_16][4];
	uint b[COLUMNS_8 / 2][4];
};

static inline void read_fragments(struct fragments *to, __local const char *tiles,
	uint stage, uint place_a, uint place_b, int column, int lane, int step)
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

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void matmul_f16_mma(
	__global const ushort *restrict A, __global const ushort *restrict B,
	__global float *restrict C, int m, int n, int k, int pitch_a, int pitch_b, int pitch_c,
	__local char *tiles)
{
	int thread = get_local_id(0);
	int lane = thread % 32;
	int warp = thread / 32;
	int rows = (m + TILE_M - 1) / TILE_M;
	int columns = (n + TILE_N - 1) / TILE_N;
	int steps = (k + TILE_K - 1) / TILE_K;
	int group = (int)get_group_id(0);
	int first = group / (BAND * columns) * BAND;
	int height = min(rows - first, BAND);
	int row0 = (first + (group - first * columns) % height) * TILE_M;
	int column0 = (group - first * columns) / height * TILE_N;
	int row = warp / WARPS_N * WARP_M;
	int column = warp % WARPS_N * WARP_N;
	uint base = place_of(tiles);
	uint place_a = chunk_a(row + lane % 16, lane / 16);
	uint place_b = A_BYTES + lane % 16 * (TILE_N * 2);
	uint stage = 0, filled = STAGES - 1;
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
		own.a[i] = (__global const char *)(A +
			(size_t)min(row0 + thread / CHUNKS_A + i * ROWS_A, m - 1) * pitch_a + own.kk_a);
	own.b = (__global const char *)(B + (size_t)own.kk_b * pitch_b +
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
	barrier(CLK_LOCAL_MEM_FENCE);
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
				barrier(CLK_LOCAL_MEM_FENCE);
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
			__global float *to = C + (size_t)r * pitch_c + c;

			/* The pitch covers both columns at the end of a row. */
			if (c < n && r < m)
				*(__global float2 *)to = (float2)(sums[i][j][0], sums[i][j][1]);
			if (c < n && r + 8 < m)
				*(__global float2 *)(to + (size_t)8 * pitch_c) =
					(float2)(sums[i][j][2], sums[i][j][3]);
		}
	}
}
