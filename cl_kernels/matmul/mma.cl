/*
 * Tensor cores with asynchronous copies: C[m,n] = A[m,k] B[k,n] in f16 (INPUT_BITS 16) or in f32
 * that was rounded to TF32 (INPUT_BITS 32), with sums in f32. It is `tensor` with four more
 * techniques, whose instructions need compute capability 8.0 or later:
 *
 * 1. cp.async copies 16 bytes from global to shared memory without registers, STAGES - 1 steps
 *    ahead.
 * 2. ldmatrix reads four 8 x 8 matrices of 16-bit elements for a warp in one instruction,
 *    transposed if needed. A matrix has 8 rows of 16 bytes: it is also 8 x 4 words.
 * 3. A warp has 64 x 64 sums: the reads of a step are used for 32 products.
 * 4. The reads of the next step begin before the products of this step.
 *
 * mma.sync multiplies a wide factor (16 lines) with a narrow factor (8 lines), 32 bytes deep: a
 * step is 16 elements of k in f16 and 8 in TF32. In f16 the lines of the wide factor are rows of
 * A, and ldmatrix transposes B. ldmatrix cannot transpose words of 32 bits. So in TF32 the wide
 * factor has columns of B: a lane reads two neighbours at a time, which are lines g and g + 8
 * (g: lane / 4). The narrow factor has rows of A.
 *
 * Layout: a row of a tile has chunks of 16 bytes. An exclusive or combines the number of a chunk
 * with bits of the number of its row, so that the lanes of a read use different banks.
 * Order: blocks go through bands of BAND rows of tiles. So blocks that run at the same time share
 * columns of B in the second-level cache.
 *
 * Block: one warp for each WARP_M x WARP_N (64 x 64) elements, in one dimension: 128 threads for
 * 128 x 128. Groups: ceil(m / TILE_M) * ceil(n / TILE_N), one-dimensional.
 * A row of a tile of A has 64 or 128 bytes. Rows of A, B and C must begin on 16 bytes; the host
 * chooses 128.
 * The tiles begin on 128 bytes: elsewhere a copy of 128 bytes from one row takes two passes.
 * Shared memory: STAGES * (TILE_M + TILE_N) * TILE_K elements. It is 48 KiB for 3 stages of 128 x 128
 * and rows of A of 64 bytes, and 96 KiB for 4 stages of 128 x 256.
 * Limited by: the rate of mma.sync, which is about 60 % of the rate of wgmma on Hopper, and the
 * second-level cache.
 * Book: none; a step beyond PMPP 4th ed., 6.4 (the checklist).
 */
#define WARPS_N (TILE_N / WARP_N)
#define THREADS (32 * (TILE_M / WARP_M) * WARPS_N)

#define BYTES (INPUT_BITS / 8)
#define CHUNK (16 / BYTES) /* elements */
#define STEP_K (2 * CHUNK)
#define STEP_BYTES (STEP_K * BYTES)
#define STEPS (TILE_K / STEP_K)
#define ROW_A (TILE_K * BYTES) /* bytes */
#define ROW_B (TILE_N * BYTES)
#define A_BYTES (TILE_M * ROW_A)
#define STAGE_BYTES (A_BYTES + TILE_K * ROW_B)

/* Chunks of a row, rows that the block copies at a time, and chunks that a thread copies. */
#define CHUNKS_A (ROW_A / 16)
#define CHUNKS_B (ROW_B / 16)
#define ROWS_A (THREADS / CHUNKS_A)
#define ROWS_B (THREADS / CHUNKS_B)
#define COPIES_A (TILE_M / ROWS_A)
#define COPIES_B (TILE_K / ROWS_B)

#if INPUT_BITS == 16
typedef ushort element;
#define WIDE (WARP_M / 16)
#define NARROW (WARP_N / 8)
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
#else
typedef uint element;
#define WIDE (WARP_N / 16)
#define NARROW (WARP_M / 8)
#define MMA "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
#endif

/* The factors of one step. */
struct factors {
	uint wide[WIDE][4];
	uint narrow[NARROW / 2][4]; /* each has two factors */
};

/* ---- Instructions ------------------------------------------------------------------------------
 *
 * A place in shared memory is a number: an address in PTX, an offset in `tiles` on the emulator.
 */
#ifdef __NV_CL_C_VERSION

static inline uint place_of(__local const char *tiles)
{
	uint place;

	asm volatile("cvt.u32.u64 %0, %1;" : "=r"(place) : "l"(tiles));
	return place;
}

static inline void copy_chunk(__local char *tiles, uint to, __global const char *from)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
}

/* Copies `bytes` bytes, and fills the rest of the chunk with zeros. */
static inline void copy_part(__local char *tiles, uint to, __global const char *from, int bytes)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
		     : : "r"(to), "l"(from), "r"(bytes) : "memory");
}

static inline void copies_commit(void)
{
	asm volatile("cp.async.commit_group;" : : : "memory");
}

#define TEXT_OF(macro) #macro
#define TEXT(macro) TEXT_OF(macro)

/* Waits for all copies except those of the newest STAGES - 2 groups. */
static inline void copies_wait(void)
{
	asm volatile("cp.async.wait_group " TEXT(STAGES) " - 2;" : : : "memory");
}

/* Lane 8 j + r gives the place of row r of matrix j. Lane 4 r + c gets word c of row r. */
static inline void read_matrices(uint *to, __local const char *tiles, uint from)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
		     : "r"(from)
		     : "memory");
}

/* Lane 4 c + p gets column c of rows 2 p and 2 p + 1. */
static inline void read_transposed(uint *to, __local const char *tiles, uint from)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
		     : "r"(from)
		     : "memory");
}

static inline void read_pair(uint *to, __local const char *tiles, uint from)
{
	asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
		     : "=r"(to[0]), "=r"(to[1]) : "r"(from) : "memory");
}

/* c += w n, for 16 x 8 sums of the warp and one step of k. */
static inline void multiply_add(float *c, const uint *w, const uint *n)
{
	asm volatile(MMA "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
		     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
		     : "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(n[0]), "r"(n[1]));
}

/* Adds the products of a step to the sums. */
static inline void multiply_step(float sums[WIDE][NARROW][4], const struct factors *from)
{
#pragma unroll
	for (int i = 0; i < WIDE; i++) {
#pragma unroll
		for (int q = 0; q < NARROW; q++) {
			int j = i % 2 ? NARROW - 1 - q : q; /* alternately backwards */

			multiply_add(sums[i][j], from->wide[i], from->narrow[j / 2] + j % 2 * 2);
		}
	}
}

#else /* the emulator: shuffles give each lane the same words from the same lanes */
#include "mma_emulated.inc"
#endif

/* ---- Copies ---------------------------------------------------------------------------------- */

/* Byte offsets of a chunk in the tiles of A and B. Reads of A have 8 rows of one chunk. Reads of B
 * have the same in f16, and 4 rows of 2 neighbouring chunks in TF32. */
static inline uint chunk_a(int row, int chunk)
{
	return row * ROW_A + ((chunk ^ (row * CHUNKS_A / 8 & (CHUNKS_A - 1))) << 4);
}

static inline uint chunk_b(int row, int chunk)
{
	return row * ROW_B + ((chunk ^ (BYTES == 2 ? row & 7 : (row & 3) << 1)) << 4);
}

/* What a thread copies for each tile. */
struct copies {
	__global const char *a, *b; /* its first chunks of A and B, at k = 0 */
	size_t next_a, next_b;      /* bytes from each chunk to the next one */
	uint to_a, to_b;            /* offsets in a stage */
	int last_a; /* number of the last chunk of A inside A; later ones copy it again */
};

/* Instead of rows and columns past the edge, others are copied: no result depends on them. */
static inline void copies_begin(struct copies *own, __global const element *A,
	__global const element *B, int row0, int column0, int m, int n, int pitch_a, int pitch_b)
{
	int thread = get_local_id(0);
	int row = min(row0 + thread / CHUNKS_A, m - 1);
	int column = column0 + thread % CHUNKS_B * CHUNK;

	own->a = (__global const char *)(A + (size_t)row * pitch_a + thread % CHUNKS_A * CHUNK);
	own->b = (__global const char *)(B + (size_t)(thread / CHUNKS_B) * pitch_b +
		(column < n ? column : 0));
	own->next_a = (size_t)pitch_a * (ROWS_A * BYTES);
	own->next_b = (size_t)pitch_b * (ROWS_B * BYTES);
	own->last_a = (m - 1 - row) / ROWS_A;
	own->to_a = chunk_a(thread / CHUNKS_A, thread % CHUNKS_A);
	own->to_b = A_BYTES + chunk_b(thread / CHUNKS_B, thread % CHUNKS_B);
}

/* Begins the copies of the tiles from k0 on; `left` elements of k are left. */
static inline void copy_tiles(
	__local char *tiles, uint stage, const struct copies *own, int k0, int left)
{
	__global const char *a = own->a + (size_t)k0 * BYTES;
	__global const char *b = own->b + k0 / ROWS_B * own->next_b;

	if (left >= TILE_K) {
#pragma unroll
		for (int i = 0; i < COPIES_A; i++) {
			copy_chunk(tiles, stage + own->to_a + i * ROWS_A * ROW_A, a);
			a += i < own->last_a ? own->next_a : 0;
		}
#pragma unroll
		for (int i = 0; i < COPIES_B; i++) {
			copy_chunk(tiles, stage + own->to_b + i * ROWS_B * ROW_B, b);
			b += own->next_b;
		}
	} else {
		/* Elements past the end are set to 0 without a read. */
		int kk_a = (int)get_local_id(0) % CHUNKS_A * CHUNK;
		int kk_b = (int)get_local_id(0) / CHUNKS_B;
		int bytes = max(0, min(16, (left - kk_a) * BYTES));
		__global const char *inside = own->a - kk_a * BYTES;

		a = bytes > 0 ? a : inside;
#pragma unroll
		for (int i = 0; i < COPIES_A; i++) {
			copy_part(tiles, stage + own->to_a + i * ROWS_A * ROW_A, a, bytes);
			a += i < own->last_a ? own->next_a : 0;
		}
#pragma unroll
		for (int i = 0; i < COPIES_B; i++) {
			bool any = kk_b + i * ROWS_B < left;

			copy_part(tiles, stage + own->to_b + i * ROWS_B * ROW_B, any ? b : inside,
				any ? 16 : 0);
			b += own->next_b;
		}
	}
}

/* ---- Reads and stores ------------------------------------------------------------------------ */

/* What a lane reads at step 0, as offsets in a stage. */
struct places {
	uint a, b;
};

#if INPUT_BITS == 16
static inline struct places places_of(int row, int column, int lane)
{
	struct places own;

	own.a = chunk_a(row + lane % 16, lane / 16);
	own.b = A_BYTES + chunk_b(lane % 16, column / CHUNK + lane / 16);
	return own;
}

/* The exclusive or adds an offset to the number of a chunk as if the bits of the row had not changed
 * the number yet. */
static inline void read_factors(struct factors *to, __local const char *tiles, uint stage,
	struct places own, int step)
{
#pragma unroll
	for (int i = 0; i < WIDE; i++)
		read_matrices(to->wide[i], tiles,
			stage + (own.a ^ step * STEP_BYTES) + i * 16 * ROW_A);
#pragma unroll
	for (int j = 0; j < NARROW / 2; j++)
		read_transposed(to->narrow[j], tiles,
			stage + (own.b ^ j * 16 * BYTES) + step * STEP_K * ROW_B);
}
#else
static inline struct places places_of(int row, int column, int lane)
{
	struct places own;

	own.a = chunk_a(row + lane / 16 * 8 + lane % 8, lane / 8 % 2);
	own.b = A_BYTES + chunk_b(lane % 4, column / CHUNK + lane / 8) + lane / 4 % 2 * 8;
	return own;
}

static inline void read_factors(struct factors *to, __local const char *tiles, uint stage,
	struct places own, int step)
{
#pragma unroll
	for (int j = 0; j < NARROW / 2; j++)
		read_matrices(to->narrow[j], tiles,
			stage + (own.a ^ step * STEP_BYTES) + j * 16 * ROW_A);
#pragma unroll
	for (int i = 0; i < WIDE; i++) {
		uint from = stage + (own.b ^ i % 2 * 16 * BYTES) + i / 2 * 2 * 16 * BYTES +
			step * STEP_K * ROW_B;

		read_pair(to->wide[i], tiles, from);
		read_pair(to->wide[i] + 2, tiles, from + 4 * ROW_B);
	}
}
#endif

/* Stores 16 x 8 sums. In f16, lane 4 g + t has columns 2 t and 2 t + 1 of rows g and g + 8. In
 * TF32 it has columns 2 g and 2 g + 1 of rows 2 t and 2 t + 1. The pitch of C is even, so a row has
 * room for both. */
static inline void store_sums(
	__global float *C, const float *sums, int r, int c, int m, int n, int pitch_c, int lane)
{
	r += BYTES == 2 ? lane / 4 : lane % 4 * 2;
	c += BYTES == 2 ? lane % 4 * 2 : lane / 4 * 2;
#pragma unroll
	for (int i = 0; i < 2; i++) {
		int row = BYTES == 2 ? r + i * 8 : r + i;
		float left = BYTES == 2 ? sums[i * 2] : sums[i];
		float right = BYTES == 2 ? sums[i * 2 + 1] : sums[i + 2];

		if (row < m && c < n)
			*(__global float2 *)(C + (size_t)row * pitch_c + c) = (float2)(left, right);
	}
}

/* ---- The kernel ------------------------------------------------------------------------------ */

/* The tiles are an argument if they need more shared memory than every GPU has for a block. Otherwise
 * they are an array: NVIDIA's driver uses 16 more bytes for an argument, and 3 stages would not fit. */
#define NEEDS_OPT_IN (STAGES * STAGE_BYTES > 48 * 1024)

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void matmul_mma(
	__global const element *restrict A, __global const element *restrict B,
	__global float *restrict C, int m, int n, int k, int pitch_a, int pitch_b, int pitch_c
#if NEEDS_OPT_IN
	, __local uint4 *memory
#endif
	)
{
#if !NEEDS_OPT_IN
	__local uint4 memory[STAGES * STAGE_BYTES / 16] __attribute__((aligned(128)));
#endif
	__local char *tiles = (__local char *)memory;
	int lane = (int)get_local_id(0) % 32;
	int warp = (int)get_local_id(0) / 32;
	int group = get_group_id(0);
	int rows = (m + TILE_M - 1) / TILE_M;
	int columns = (n + TILE_N - 1) / TILE_N;
	int phases = (k + TILE_K - 1) / TILE_K;
	int first = group / (BAND * columns) * BAND;
	int height = min(rows - first, BAND);
	int row0 = (first + (group - first * columns) % height) * TILE_M;
	int column0 = (group - first * columns) / height * TILE_N;
	int row = warp / WARPS_N * WARP_M;
	int column = warp % WARPS_N * WARP_N;
	uint base = place_of(tiles);
	uint stage = 0; /* number of the stage that is read */
	struct places places = places_of(row, column, lane);
	struct copies own;
	struct factors factors[2];
	float sums[WIDE][NARROW][4];

	copies_begin(&own, A, B, row0, column0, m, n, pitch_a, pitch_b);
#pragma unroll
	for (int i = 0; i < WIDE; i++) {
#pragma unroll
		for (int j = 0; j < NARROW; j++) {
#pragma unroll
			for (int e = 0; e < 4; e++)
				sums[i][j][e] = 0.0f;
		}
	}
#pragma unroll
	for (int s = 0; s < STAGES - 1; s++) {
		if (s < phases)
			copy_tiles(tiles, base + s * STAGE_BYTES, &own, s * TILE_K, k - s * TILE_K);
		copies_commit();
	}
	copies_wait();
	barrier(CLK_LOCAL_MEM_FENCE);
	read_factors(&factors[0], tiles, base, places, 0);

	for (int phase = 0; phase < phases; phase++) {
		int ahead = phase + STAGES - 1;

		/* The stage before this one was read in the phase before. */
		if (ahead < phases)
			copy_tiles(tiles, base + (stage ? stage - 1 : STAGES - 1) * STAGE_BYTES,
				&own, ahead * TILE_K, k - ahead * TILE_K);
		copies_commit();
#pragma unroll
		for (int step = 0; step < STEPS; step++) {
			/* At the barrier, all reads of this stage are complete. After the last stage there
			 * is no next stage: the factors are read again and not used. */
			if (step == STEPS - 1) {
				copies_wait();
				barrier(CLK_LOCAL_MEM_FENCE);
				if (phase + 1 < phases)
					stage = stage + 1 < STAGES ? stage + 1 : 0;
			}
			read_factors(&factors[(step + 1) % 2], tiles, base + stage * STAGE_BYTES,
				places, (step + 1) % STEPS);
			multiply_step(sums, &factors[step % 2]);
		}
	}

#pragma unroll
	for (int i = 0; i < WIDE; i++) {
#pragma unroll
		for (int j = 0; j < NARROW; j++) {
			int across = i * 16, along = j * 8;

			store_sums(C, sums[i][j], row0 + row + (BYTES == 2 ? across : along),
				column0 + column + (BYTES == 2 ? along : across), m, n, pitch_c,
				lane);
		}
	}
}
