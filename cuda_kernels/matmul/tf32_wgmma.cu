/*
 * Tensor cores by warp groups, in TF32: C[m,n] = A[m,k] B[k,n] with inputs of f32 that were rounded
 * to TF32, sums in f32. wgmma reads TF32 from shared memory only with k along the lines of a tile.
 * A row of B has one step of k. So the kernel computes the transpose of C: B^T A^T. A row of A has k
 * along the line, so the rows of A are the second factor, in shared memory. The columns of B are the
 * first factor, which wgmma reads from registers. Each lane loads its elements of B from the tile with
 * ordinary loads. No launch transposes B.
 *
 * Tile: TILE_M x 128 elements of C and 32 steps of k; TILE_M is 256 or 64. Two warp groups compute 64
 * columns each. Large and small tiles: as in f16_wgmma.cu.
 * Pipeline, blocks and store: as in f16_wgmma.cu.
 *
 * Block: 384 threads. Groups: at most one per multiprocessor. Rows of A, B and C must begin on 16
 * bytes; the host chooses 128.
 * Shared memory: STAGES * (16 KiB + TILE_M * 128 bytes) for the tiles, 32 KiB for the stores, barriers, 1 KiB to align.
 * Limited by: tensor cores, and the power that they take: at full rate the clock falls.
 * Book: none; a step beyond PMPP 4th ed., 6.4 (the checklist).
 */
#include "hopper.inc"

#define GROUP_THREADS 128 /* threads of a warp group, by the definition of wgmma */
#define GROUP_COLUMNS 64  /* columns of C in a product */
#define A_BYTES (TILE_M * TILE_K * 4)
#define B_BYTES (TILE_K * TILE_N * 4)
#define STAGE_BYTES (A_BYTES + B_BYTES)
#define BOX_COLUMNS 32 /* 128 bytes */
#define BOX_BYTES (TILE_K * BOX_COLUMNS * 4)
#define PIECE_ROWS 32 /* of C, with GROUP_COLUMNS columns: two boxes */
#define PIECE_BYTES (PIECE_ROWS * GROUP_COLUMNS * 4)

/* sums += B^T(64 x 8) A^T(8 x TILE_M); without `add`, the sums begin at 0. */
static inline __device__ void group_multiply(
	float (&sums)[TILE_M / 2], const unsigned *b, unsigned long long a, int add)
{
#if TILE_M == 256
	asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %133, 0;\n\t"
		     "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 " TEXT_128
		     ", {%128, %129, %130, %131}, %132, p, 1, 1;\n\t}"
		     : SUMS_128(sums) : "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "l"(a), "r"(add));
#else
	asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %37, 0;\n\t"
		     "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 " TEXT_32
		     ", {%32, %33, %34, %35}, %36, p, 1, 1;\n\t}"
		     : SUMS_32(sums) : "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "l"(a), "r"(add));
#endif
}

/* The state of a warp group in the ring of stages. */
struct ring {
	unsigned stages, full, empty;
	int stage;
	unsigned parity;
	unsigned used; /* barrier `empty` of the stage before */
};

static inline __device__ void ring_advance(ring &at)
{
	if (++at.stage == STAGES) {
		at.stage = 0;
		at.parity ^= 1;
	}
}

/* The products of one stage. The registers of `b` are in use until the products are complete, so the
 * caller uses two arrays in turn. */
static inline __device__ void multiply_stage(
	float (&sums)[TILE_M / 2], unsigned (&b)[16], const unsigned (&place)[4], ring &at, int step, bool first)
{
	const unsigned tiles = at.stages + at.stage * STAGE_BYTES;
	const unsigned long long matrix_a = group_matrix(tiles, 16, 1024);

	barrier_wait(at.full + 8 * at.stage, at.parity);
#pragma unroll
	for (int i = 0; i < 16; i++)
		asm volatile("ld.shared.b32 %0, [%1];"
			     : "=r"(b[i]) : "r"(tiles + place[i % 4] + i / 4 * 1024));
	group_fence();
	group_multiply(sums, b, matrix_a, step != 0);
	group_multiply(sums, b + 4, matrix_a + 2, 1);
	group_multiply(sums, b + 8, matrix_a + 4, 1);
	group_multiply(sums, b + 12, matrix_a + 6, 1);
	group_commit();
	GROUP_WAIT(1);
	if (step > 0 && first)
		barrier_arrive(at.used);
	at.used = at.empty + 8 * at.stage;
	ring_advance(at);
}

extern "C" __global__ void __launch_bounds__(3 * GROUP_THREADS, 1) matmul_tf32_wgmma(
	const __grid_constant__ tensor_map map_a, const __grid_constant__ tensor_map map_b,
	const __grid_constant__ tensor_map map_c, int m, int n, int k)
{
	extern __shared__ char shared[];
	/* The swizzle uses bits of the address, so tiles must begin at multiples of 1024 bytes. */
	const unsigned stages = (shared_address(shared) + 1023) & ~1023u;
	const unsigned pieces = stages + STAGES * STAGE_BYTES;
	const unsigned full = pieces + 4 * PIECE_BYTES;
	const int group = threadIdx.x / GROUP_THREADS;
	const int thread = threadIdx.x % GROUP_THREADS;
	const int rows = (m + TILE_M - 1) / TILE_M;
	const int columns = (n + TILE_N - 1) / TILE_N;
	const int steps = (k + TILE_K - 1) / TILE_K;
	ring at = {stages, full, full + 8 * STAGES, 0, 0, 0};

	if (threadIdx.x == 0) {
		for (int s = 0; s < STAGES; s++) {
			barrier_init(at.full + 8 * s, 1);
			barrier_init(at.empty + 8 * s, 2);
		}
		barrier_init_done();
		tile_prefetch_map(&map_a);
		tile_prefetch_map(&map_b);
		tile_prefetch_map(&map_c);
	}
	__syncthreads();

	if (group == 0) {
		REGISTERS_LESS(40);
		if (thread != 0)
			return;
		for (int tile = blockIdx.x; tile < rows * columns; tile += gridDim.x) {
			int row, column;

			tile_place(tile, rows, columns, BAND, &row, &column);
			for (int step = 0; step < steps; step++) {
				const unsigned a = stages + at.stage * STAGE_BYTES;
				const unsigned b = a + A_BYTES;
				const unsigned arrived = at.full + 8 * at.stage;

				barrier_wait(at.empty + 8 * at.stage, at.parity ^ 1);
				barrier_expect(arrived, STAGE_BYTES);
				/* Two boxes of TILE_M / 2 lines each. */
				tile_load(a, &map_a, arrived, step * TILE_K, row * TILE_M);
				tile_load(a + A_BYTES / 2, &map_a, arrived, step * TILE_K,
					row * TILE_M + TILE_M / 2);
				for (int box = 0; box < TILE_N / BOX_COLUMNS; box++)
					tile_load(b + box * BOX_BYTES, &map_b, arrived,
						column * TILE_N + box * BOX_COLUMNS, step * TILE_K);
				ring_advance(at);
			}
		}
		return;
	}

	REGISTERS_MORE(232);
	const int own = group - 1;
	const int lane = thread % 32;
	const int line = thread / 32 * 16 + lane / 4; /* column of the warp group's part of C */
	unsigned place[4];
	unsigned even[16], odd[16];
	float sums[TILE_M / 2];

	/* Places of this lane's elements of B: steps lane % 4 and lane % 4 + 4, columns `line` and
	 * `line` + 8. */
#pragma unroll
	for (int i = 0; i < 4; i++) {
		const int j = own * GROUP_COLUMNS + line + i % 2 * 8;
		const int kk = lane % 4 + i / 2 * 4;

		place[i] = A_BYTES + j / BOX_COLUMNS * BOX_BYTES +
			   tile_chunk(kk, j % BOX_COLUMNS / 4) + j % 4 * 4;
	}
	for (int tile = blockIdx.x; tile < rows * columns; tile += gridDim.x) {
		int row, column;
		int step = 0;

		tile_place(tile, rows, columns, BAND, &row, &column);
		for (; step + 1 < steps; step += 2) {
			multiply_stage(sums, even, place, at, step, thread == 0);
			multiply_stage(sums, odd, place, at, step + 1, thread == 0);
		}
		if (step < steps)
			multiply_stage(sums, even, place, at, step, thread == 0);
		GROUP_WAIT(0);
		if (thread == 0)
			barrier_arrive(at.used);

		/* Each warp group uses two pieces of shared memory in turn. A lane has columns `line`
		 * and `line` + 8 of rows 8 j + 2 (lane % 4) and 8 j + 2 (lane % 4) + 1. */
#pragma unroll
		for (int piece = 0; piece < TILE_M / PIECE_ROWS; piece++) {
			const unsigned to = pieces + (own * 2 + piece % 2) * PIECE_BYTES;

			if (thread == 0)
				tile_store_wait_read();
			barrier_named(1 + own, GROUP_THREADS);
#pragma unroll
			for (int i = 0; i < 16; i++) {
				const int r = i / 4 * 8 + lane % 4 * 2 + i % 2;
				const int j = line + i / 2 % 2 * 8;
				const unsigned at_element = to + j / BOX_COLUMNS * (PIECE_BYTES / 2) +
					tile_chunk(r, j % BOX_COLUMNS / 4) + j % 4 * 4;

				asm volatile("st.shared.f32 [%0], %1;"
					     : : "r"(at_element), "f"(sums[piece * 16 + i]) : "memory");
			}
			tile_store_fence();
			barrier_named(1 + own, GROUP_THREADS);
			if (thread == 0) {
				const int c = column * TILE_N + own * GROUP_COLUMNS;
				const int r = row * TILE_M + piece * PIECE_ROWS;

				tile_store(&map_c, to, c, r);
				tile_store(&map_c, to + PIECE_BYTES / 2, c + BOX_COLUMNS, r);
			}
		}
	}
	if (thread == 0)
		tile_store_wait();
}
