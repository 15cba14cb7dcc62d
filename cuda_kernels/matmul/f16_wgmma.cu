/*
 * Tensor cores by warp groups: C[m,n] = A[m,k] B[k,n], A and B in f16, sums in f32. Four warps
 * multiply 64 x 16 by 16 x TILE_N in one instruction (wgmma), which reads both tiles from shared
 * memory. No register holds an element of A or B.
 *
 * Tile: 128 x TILE_N elements of C and 64 steps of k; TILE_N is 256 or 64. Two warp groups compute 64
 * rows each. Wide tiles load each element less often; narrow tiles give each multiprocessor a tile of a
 * small matrix.
 * Pipeline: a third warp group only starts copies (TMA) to a ring of STAGES pairs of tiles. It releases
 * most of its registers for the other two. A stage has two barriers. A phase of `full` ends when the
 * tiles have arrived, a phase of `empty` when both warp groups have used them. There is no barrier of
 * the block. Blocks are persistent: each computes every gridDim.x-th tile. So the copies of the next
 * tile begin while the block stores the sums of the previous tile.
 * Layout: a tile is a row of boxes with 128 bytes in each line, swizzled by the copy (hopper.inc). The
 * lines of A are rows of A, so k is along a line. The lines of B are rows of B, so a line has one step
 * of k, and wgmma transposes B.
 * Store: through shared memory, 64 x 32 elements at a time, by TMA.
 *
 * Block: 384 threads. Groups: at most one per multiprocessor. Rows of A, B and C must begin on 16
 * bytes; the host chooses 128.
 * Shared memory: STAGES * (16 KiB + TILE_N * 128 bytes) for the tiles, 32 KiB for the stores, barriers, 1 KiB to align.
 * Limited by: tensor cores, and the power that they take: at full rate the clock falls.
 * Book: none; a step beyond PMPP 4th ed., 6.4 (the checklist).
 */
#include "hopper.inc"

#define GROUP_THREADS 128 /* threads of a warp group, by the definition of wgmma */
#define GROUP_ROWS 64     /* rows of a product */
#define LINE_BYTES 128    /* of a swizzled tile */
#define A_BYTES (TILE_M * TILE_K * 2)
#define B_BYTES (TILE_K * TILE_N * 2)
#define STAGE_BYTES (A_BYTES + B_BYTES)
#define BOX_COLUMNS 64 /* of f16: 128 bytes */
#define BOX_BYTES (TILE_K * BOX_COLUMNS * 2)
#define PIECE_COLUMNS 32 /* of C: 128 bytes */
#define PIECE_BYTES (GROUP_ROWS * PIECE_COLUMNS * 4)

/* sums += A(64 x 16) B(16 x TILE_N); without `add`, the sums begin at 0. */
static inline __device__ void group_multiply(
	float (&sums)[TILE_N / 2], unsigned long long a, unsigned long long b, int add)
{
#if TILE_N == 256
	asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %130, 0;\n\t"
		     "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 " TEXT_128
		     ", %128, %129, p, 1, 1, 0, 1;\n\t}"
		     : SUMS_128(sums) : "l"(a), "l"(b), "r"(add));
#else
	asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %34, 0;\n\t"
		     "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " TEXT_32
		     ", %32, %33, p, 1, 1, 0, 1;\n\t}"
		     : SUMS_32(sums) : "l"(a), "l"(b), "r"(add));
#endif
}

extern "C" __global__ void __launch_bounds__(3 * GROUP_THREADS, 1) matmul_f16_wgmma(
	const __grid_constant__ tensor_map map_a, const __grid_constant__ tensor_map map_b,
	const __grid_constant__ tensor_map map_c, int m, int n, int k)
{
	extern __shared__ char shared[];
	/* The swizzle uses bits of the address, so tiles must begin at multiples of 1024 bytes. */
	const unsigned stages = (shared_address(shared) + 1023) & ~1023u;
	const unsigned pieces = stages + STAGES * STAGE_BYTES;
	const unsigned full = pieces + 4 * PIECE_BYTES;
	const unsigned empty = full + 8 * STAGES;
	const int group = threadIdx.x / GROUP_THREADS;
	const int thread = threadIdx.x % GROUP_THREADS;
	const int rows = (m + TILE_M - 1) / TILE_M;
	const int columns = (n + TILE_N - 1) / TILE_N;
	const int steps = (k + TILE_K - 1) / TILE_K;
	int stage = 0;
	unsigned parity = 0;

	if (threadIdx.x == 0) {
		for (int s = 0; s < STAGES; s++) {
			barrier_init(full + 8 * s, 1);
			barrier_init(empty + 8 * s, 2);
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
				const unsigned a = stages + stage * STAGE_BYTES;
				const unsigned b = a + A_BYTES;
				const unsigned arrived = full + 8 * stage;

				barrier_wait(empty + 8 * stage, parity ^ 1);
				barrier_expect(arrived, STAGE_BYTES);
				tile_load(a, &map_a, arrived, step * TILE_K, row * TILE_M);
				for (int box = 0; box < TILE_N / BOX_COLUMNS; box++)
					tile_load(b + box * BOX_BYTES, &map_b, arrived,
						column * TILE_N + box * BOX_COLUMNS, step * TILE_K);
				if (++stage == STAGES) {
					stage = 0;
					parity ^= 1;
				}
			}
		}
		return;
	}

	REGISTERS_MORE(232);
	const int own = group - 1;
	const int lane = thread % 32;
	float sums[TILE_N / 2];

	for (int tile = blockIdx.x; tile < rows * columns; tile += gridDim.x) {
		unsigned used = 0;
		int row, column;

		tile_place(tile, rows, columns, BAND, &row, &column);
		for (int step = 0; step < steps; step++) {
			const unsigned a = stages + stage * STAGE_BYTES;
			const unsigned long long matrix_a =
				group_matrix(a + own * GROUP_ROWS * LINE_BYTES, 16, 1024);
			const unsigned long long matrix_b =
				group_matrix(a + A_BYTES, BOX_BYTES, 1024);

			barrier_wait(full + 8 * stage, parity);
			group_fence();
			/* A product has 16 steps of k: 32 bytes of a line of A, 16 lines of B. */
			group_multiply(sums, matrix_a, matrix_b, step != 0);
			group_multiply(sums, matrix_a + 2, matrix_b + 128, 1);
			group_multiply(sums, matrix_a + 4, matrix_b + 256, 1);
			group_multiply(sums, matrix_a + 6, matrix_b + 384, 1);
			group_commit();
			if (step > 0) {
				/* Waits for the products of the stage before. */
				GROUP_WAIT(1);
				if (thread == 0)
					barrier_arrive(used);
			}
			used = empty + 8 * stage;
			if (++stage == STAGES) {
				stage = 0;
				parity ^= 1;
			}
		}
		GROUP_WAIT(0);
		if (thread == 0)
			barrier_arrive(used);

		/* Each warp group uses two pieces of shared memory in turn. */
#pragma unroll
		for (int piece = 0; piece < TILE_N / PIECE_COLUMNS; piece++) {
			const unsigned to = pieces + (own * 2 + piece % 2) * PIECE_BYTES;
			const int line = thread / 32 * 16 + lane / 4;

			if (thread == 0)
				tile_store_wait_read();
			barrier_named(1 + own, GROUP_THREADS);
#pragma unroll
			for (int j = 0; j < PIECE_COLUMNS / 8; j++) {
				const float *sum = sums + piece * 16 + j * 4;
				const unsigned at =
					to + tile_chunk(line, 2 * j + lane % 4 / 2) + lane % 2 * 8;

				asm volatile("st.shared.v2.f32 [%0], {%1, %2};"
					     : : "r"(at), "f"(sum[0]), "f"(sum[1]) : "memory");
				asm volatile("st.shared.v2.f32 [%0], {%1, %2};"
					     : : "r"(at + 8 * LINE_BYTES), "f"(sum[2]), "f"(sum[3]) : "memory");
			}
			tile_store_fence();
			barrier_named(1 + own, GROUP_THREADS);
			if (thread == 0)
				tile_store(&map_c, to, column * TILE_N + piece * PIECE_COLUMNS,
					row * TILE_M + own * GROUP_ROWS);
		}
	}
	if (thread == 0)
		tile_store_wait();
}
