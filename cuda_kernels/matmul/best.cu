/*
 * C[m,n] = A[m,k] B[k,n] in f32, with the techniques of the ladder that gain something on Hopper. It
 * has warps that only copy, an order of multiply-adds that suits the banks of the register file, and
 * shares of tiles (stream-K). `bulk-copies` has the last two of these.
 *
 * 1. matmul_transpose_a writes A^T. Then a line of both tiles has the elements of one step of k, and
 *    a thread reads its rows of A and its columns of B with 16-byte reads.
 * 2. matmul_best: tiles of 128 x 256 elements of C, 8 steps of k at a time. A thread has 8 x 16
 *    sums, a warp 64 x 64. Another warp group starts the copies (TMA, see hopper.inc) to a ring of
 *    STAGES pairs of tiles. It releases most of its registers for the other warps. Warps wait for a
 *    stage and release it through barriers in shared memory. There is no barrier of the block.
 *
 * Banks of registers: a scheduler of Hopper reads one operand per cycle from each of two banks, the
 * registers with even and with odd numbers. A multiply-add has three operands. The reuse cache keeps
 * operands of the previous instruction. It has a[i], which is the same along a row of sums. So b[j]
 * and sums[i][j] must be in different banks. A 16-byte read puts b[j] into bank j % 2. A 16-byte
 * write of sums in their order would put sums[i][j] into the same bank. Therefore vector instructions
 * access the sums only in the order 1, 0, 3, 2. The loop goes through the rows of sums alternately
 * forwards and backwards, because the last b of a row is then the first b of the next row. (Dispatch
 * stalls per instruction in Nsight Compute: 0.47 with the sums in their order, 0.11 with this order.)
 * Length of the loop: one stage, 1024 multiply-adds or 18 KB of code. Two stages do not fit in the
 * instruction cache.
 *
 * Shares: the steps of k of the last `shared_tiles` tiles are divided among all blocks, so that all
 * blocks end at the same time. A block first computes its share: the end of a tile, whole tiles, and
 * the beginning of a tile. It stores the sums of a part that is not the beginning of its tile in
 * `scratch`, and sets a flag. The block with the beginning adds the parts of the blocks after it.
 *
 * Block: 384 threads, one block per multiprocessor. All blocks must be resident, because blocks wait
 * for other blocks. Rows of A, A^T, B and C must begin on 16 bytes; the host chooses 128.
 * Shared memory: STAGES * 12 KiB for the tiles, 16 KiB to exchange sums, barriers, 128 bytes to align.
 * Limited by: arithmetic, and by the other 8 % of its instructions.
 * Book: none; a step beyond PMPP 4th ed., 6.4 (the checklist). Stream-K: M. Osama, D. Merrill, C. Cecka,
 * M. Garland, J. D. Owens, PPoPP 2023.
 */
#include "hopper.inc"
#include "shares.inc"

#define EXCHANGED 4   /* quads of sums for which a thread has shared memory */
#define TRANSPOSED 64 /* rows and columns that a block transposes */

/* ---- Copies ---------------------------------------------------------------------------------- */

/* One thread loads the tiles of all steps of the block's work. */
static inline __device__ void copy_tiles(const tensor_map *map_a, const tensor_map *map_b,
	unsigned stages, unsigned full, unsigned empty, const work &all, int rows, int columns)
{
	int stage = 0;
	unsigned parity = 1; /* a new barrier returns at once */

	for (int done = 0; done < all.total;) {
		const part now = part_at(all, done);
		int row, column;

		tile_place(now.tile, rows, columns, BAND, &row, &column);
		for (int step = now.first; step < now.last; step++, done++) {
			const unsigned a = stages + stage * STAGE_BYTES;
			const unsigned arrived = full + 8 * stage;

			barrier_wait(empty + 8 * stage, parity);
			barrier_expect(arrived, STAGE_BYTES);
			tile_load(a, map_a, arrived, row * TILE_M, step * TILE_K);
			tile_load(a + A_BYTES, map_b, arrived, column * TILE_N, step * TILE_K);
			if (++stage == STAGES) {
				stage = 0;
				parity ^= 1;
			}
		}
	}
}

/* ---- Stores ---------------------------------------------------------------------------------- */

/* Stores a thread's sums: row0 and column0 are those of sums[0][0]. EXCHANGED quads at a time get the
 * order 0, 1, 2, 3 again through `exchange`, where the thread has 16 bytes for each quad. */
static inline __device__ void store_sums(float *C, const float (&sums)[8][16], unsigned exchange,
	int row0, int column0, int m, int n, int pitch_c)
{
	const unsigned own = exchange + threadIdx.x * 16;

#pragma unroll
	for (int i = 0; i < 8; i++) {
		const int r = row0 + i / 4 * ROWS_APART + i % 4;

#pragma unroll
		for (int first = 0; first < 4; first += EXCHANGED) {
#pragma unroll
			for (int j = 0; j < EXCHANGED; j++)
				write_exchanged(
					own + j * CONSUMERS * 16, sums[i] + 4 * (first + j));
			if (r >= m)
				continue;
#pragma unroll
			for (int j = 0; j < EXCHANGED; j++) {
				const int c = column0 + COLUMNS_APART * (first + j);
				const float4 quad = read_exchanged(own + j * CONSUMERS * 16);

				/* The pitch covers the whole quad at the end of a row. */
				if (c < n)
					*(float4 *)(C + (size_t)r * pitch_c + c) = quad;
			}
		}
	}
}

/* ---- The kernels ----------------------------------------------------------------------------- */

extern "C" __global__ void __launch_bounds__(CONSUMERS + 128, 1) matmul_best(
	const __grid_constant__ tensor_map map_a, const __grid_constant__ tensor_map map_b,
	float *__restrict__ C, float *scratch, int m, int n, int k, int pitch_c, int shared_tiles)
{
	extern __shared__ char shared[];
	const unsigned stages = (shared_address(shared) + 127) & ~127u;
	const unsigned exchange = stages + STAGES * STAGE_BYTES;
	const unsigned full = exchange + EXCHANGED * CONSUMERS * 16;
	const unsigned empty = full + 8 * STAGES;
	/* The same number in all lanes: the compiler then keeps it in a uniform register. */
	const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0);
	const int lane = threadIdx.x % 32;
	const int rows = (m + TILE_M - 1) / TILE_M;
	const int columns = (n + TILE_N - 1) / TILE_N;
	const work all = work_of(rows * columns, shared_tiles, (k + TILE_K - 1) / TILE_K);

	if (threadIdx.x == 0) {
		for (int s = 0; s < STAGES; s++) {
			barrier_init(full + 8 * s, 1);
			barrier_init(empty + 8 * s, WARPS);
		}
		barrier_init_done();
	}
	__syncthreads();
	if (warp >= WARPS) {
		REGISTERS_LESS(24);
		if (threadIdx.x == CONSUMERS)
			copy_tiles(&map_a, &map_b, stages, full, empty, all, rows, columns);
		return;
	}
	REGISTERS_MORE(240);

	/* A warp is 8 x 4 threads. A thread has rows row0 + 4 (lane / 4) + 32 (i / 4) + i % 4 and
	 * columns column0 + 4 (lane % 4) + 16 (j / 4) + j % 4. */
	const int row0 = warp / (TILE_N / WARP_TILE) * WARP_TILE + lane / 4 * 4;
	const int column0 = warp % (TILE_N / WARP_TILE) * WARP_TILE + lane % 4 * 4;
	float sums[8][16], a[2][8], b[2][16];
	int stage = 0;
	unsigned parity = 0, used = 0;
	unsigned from_a = stages + row0 * 4;
	unsigned from_b = stages + A_BYTES + column0 * 4;

	if (all.total > 0) {
		barrier_wait_warp(full, 0);
		read_quad(a[0], from_a);
		read_quad(a[0] + 4, from_a + ROWS_APART * 4);
#pragma unroll
		for (int j = 0; j < 4; j++)
			read_quad(b[0] + 4 * j, from_b + j * COLUMNS_APART * 4);
	}
	for (int done = 0; done < all.total;) {
		const part now = part_at(all, done);

#pragma unroll
		for (int i = 0; i < 8; i++) {
#pragma unroll
			for (int j = 0; j < 16; j++)
				sums[i][j] = 0.0f;
		}
		for (int step = now.first; step < now.last; step++, done++) {
			const unsigned release = empty + 8 * stage;

			/* The reads for the next step begin in this step, so its stage must be complete. */
			if (++stage == STAGES) {
				stage = 0;
				parity ^= 1;
			}
			const bool ready = barrier_test(full + 8 * stage, parity) || done + 1 >= all.total;
			if (!__all_sync(~0u, ready))
				barrier_wait_warp(full + 8 * stage, parity);
			barrier_arrive_if(lane == 0 && done > 0, used);
			used = release;

			/* No branch and no barrier of the warp from here on: both empty the reuse cache. */
			const unsigned next_a = stages + stage * STAGE_BYTES + row0 * 4;
			const unsigned next_b = stages + stage * STAGE_BYTES + A_BYTES + column0 * 4;
#pragma unroll
			for (int kk = 0; kk < TILE_K; kk++) {
				const int now_of = kk & 1, next_of = now_of ^ 1;
				const unsigned a_of = kk < TILE_K - 1 ? from_a + (kk + 1) * TILE_M * 4 : next_a;
				const unsigned b_of = kk < TILE_K - 1 ? from_b + (kk + 1) * TILE_N * 4 : next_b;

				read_quad(a[next_of], a_of);
				read_quad(a[next_of] + 4, a_of + ROWS_APART * 4);
#pragma unroll
				for (int j = 0; j < 4; j++)
					read_quad(b[next_of] + 4 * j, b_of + j * COLUMNS_APART * 4);
				multiply_add(sums, a[now_of], b[now_of]);
			}
			from_a = next_a;
			from_b = next_b;
		}

		if (now.first > 0) {
			leave_part(scratch, sums, warp, lane);
			continue;
		}
		add_rest(scratch, sums, warp, lane, now.last, shared_tiles, all.steps);

		int row, column;

		tile_place(now.tile, rows, columns, BAND, &row, &column);
		store_sums(C, sums, exchange, row * TILE_M + row0, column * TILE_N + column0, m, n,
			pitch_c);
	}
}

/* at[kk][i] = A[i][kk], in square tiles, by 256 threads with 16-byte accesses. Also clears the flags. */
extern "C" __global__ void __launch_bounds__(256) matmul_transpose_a(const float *__restrict__ A,
	float *__restrict__ at, float *scratch, int m, int k, int pitch_a, int pitch_t)
{
	__shared__ float tile[TRANSPOSED][TRANSPOSED + 1];
	const int tiles_k = (k + TRANSPOSED - 1) / TRANSPOSED;
	const int row0 = blockIdx.x / tiles_k * TRANSPOSED;
	const int k0 = blockIdx.x % tiles_k * TRANSPOSED;
	const int x = threadIdx.x % 16 * 4;
	const int y = threadIdx.x / 16;

	if (blockIdx.x == 0)
		for (int i = threadIdx.x; i < FLAGS; i += 256)
			((unsigned *)scratch)[i] = 0;
#pragma unroll
	for (int i = 0; i < TRANSPOSED; i += 16) {
		if (row0 + y + i < m && k0 + x < k) {
			const float4 quad =
				*(const float4 *)(A + (size_t)(row0 + y + i) * pitch_a + k0 + x);

			tile[x + 0][y + i] = quad.x;
			tile[x + 1][y + i] = quad.y;
			tile[x + 2][y + i] = quad.z;
			tile[x + 3][y + i] = quad.w;
		}
	}
	__syncthreads();
#pragma unroll
	for (int i = 0; i < TRANSPOSED; i += 16)
		if (k0 + y + i < k && row0 + x < m)
			*(float4 *)(at + (size_t)(k0 + y + i) * pitch_t + row0 + x) =
				make_float4(tile[y + i][x], tile[y + i][x + 1], tile[y + i][x + 2],
					tile[y + i][x + 3]);
}
