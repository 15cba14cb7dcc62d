/*
 * C[m,n] = A[m,k] B[k,n] in f32 with bulk copies: a hardware unit (compute capability 9.0) copies
 * tiles to shared memory without registers. A phase of a barrier in shared memory ends when the
 * tiles have arrived. No thread waits at a barrier of the block.
 *
 * 1. matmul_pack writes A and B as tiles, in the order in which blocks copy them. The tiles of A
 *    are transposed: then a line of both tiles has the elements of one step of k, and a thread reads
 *    its rows of A and its columns of B with 16-byte reads. Tiles at the edges are filled with zeros.
 * 2. matmul_bulk: tiles of C of TILE_M x TILE_N elements, TILE_K steps of k at a time, in a ring of
 *    STAGES pairs of tiles. A thread has 8 x 16 sums, a warp 64 x 64. In each step, the
 *    next warp starts the two copies for the step that is AHEAD steps later. A stage is free when all
 *    warps have released it.
 *
 * shares.inc explains the order of multiply-adds for the banks of the register file, and the shares of
 * tiles (stream-K).
 *
 * Block: TILE_M * TILE_N / 128 threads: 128 for 128 x 128. All blocks must be resident, because blocks
 * wait for other blocks: 256 threads per multiprocessor. Rows of A, B and C must begin on 16 bytes;
 * the host chooses 128.
 * Shared memory: STAGES * 8 KiB for tiles of 128 x 128, 16 bytes per thread, barriers: below 48 KiB.
 * Limited by: arithmetic. Packing takes the time of reading and writing A and B.
 * Book: none; a step beyond PMPP 4th ed., 6.4 (the checklist).
 */
#include "hopper.inc"
#include "shares.inc"

#define PACKED 64 /* rows and columns that a block packs */

/* ---- Copies ------------------------------------------------------------------------------------- */

/* Steps between the copies of a stage and its use. A warp waits until all warps have released the
 * stage: with STAGES - 1 it would wait for the slowest warp in each step. */
#define AHEAD (STAGES - 2)
/* A step waits for the copies of the next one before it starts its own. */
#if AHEAD < 2
#error "STAGES is at least 4"
#endif

/* One thread copies `bytes` bytes, a multiple of 16, from `from` to shared memory. */
INLINE void copy_bulk(uint to, __global const float *from, int bytes, uint barrier)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
		     "[%0], [%1], %2, [%3];"
		     : : "r"(to), "l"(from), "r"(bytes), "r"(barrier) : "memory");
}

/* The warp waits until the stage of a step of the block's work is free. Its first lane starts the
 * copies of the packed tiles with the numbers a and b. */
INLINE void copy_step(__global const float *packed_a, __global const float *packed_b, int a, int b,
	int index, uint stages, uint full)
{
	const uint arrived = full + 8 * (index % STAGES);
	const uint to = stages + index % STAGES * STAGE_BYTES;

	/* A new barrier has ended the phase with parity 1. */
	barrier_wait_warp(arrived + 8 * STAGES, (index / STAGES & 1) ^ 1);
	if (get_local_id(0) % 32 == 0) {
		barrier_expect(arrived, STAGE_BYTES);
		copy_bulk(to, packed_a + (size_t)a * (TILE_M * TILE_K), A_BYTES, arrived);
		copy_bulk(to + A_BYTES, packed_b + (size_t)b * (TILE_N * TILE_K), B_BYTES, arrived);
	}
	WARP_BARRIER();
}

/* Stores a thread's sums: row0 and column0 are those of sums[0][0]. The quads get the order
 * 0, 1, 2, 3 again through `exchange`, where the thread has 16 bytes. */
INLINE void store_sums(__global float *C, float (*sums)[16], uint exchange, int row0, int column0,
	int m, int n, int pitch_c)
{
	const uint own = exchange + (uint)get_local_id(0) * 16;

#pragma unroll
	for (int i = 0; i < 8; i++) {
		const int r = row0 + i / 4 * ROWS_APART + i % 4;

#pragma unroll
		for (int j = 0; j < 4; j++) {
			const int c = column0 + COLUMNS_APART * j;

			write_exchanged(own, sums[i] + 4 * j);
			const float4 quad = read_exchanged(own);

			/* The pitch covers the whole quad at the end of a row. */
			if (r < m && c < n)
				*(__global float4 *)(C + (size_t)r * pitch_c + c) = quad;
		}
	}
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void matmul_bulk(
	__global const float *restrict packed_a, __global const float *restrict packed_b,
	__global float *restrict C, __global float *scratch, int m, int n, int k, int pitch_c,
	int shared_tiles)
{
	__local char shared[STAGES * STAGE_BYTES + ITEMS * 16 + 16 * STAGES]
		__attribute__((aligned(128)));
	/* Keeps the address in one register. Otherwise the compiler computes it in each step. */
	const uint stages = (uint)of_first_lane((int)shared_address(shared));
	const uint exchange = stages + STAGES * STAGE_BYTES;
	const uint full = exchange + ITEMS * 16, empty = full + 8 * STAGES;
	const int warp = of_first_lane((int)get_local_id(0) / 32);
	const int lane = (int)get_local_id(0) % 32;
	const int rows = (m + TILE_M - 1) / TILE_M;
	const int columns = (n + TILE_N - 1) / TILE_N;
	const struct work all = work_of(rows * columns, shared_tiles, (k + TILE_K - 1) / TILE_K);
	/* A warp is 8 x 4 threads. A thread has rows row0 + 4 (lane / 4) + 32 (i / 4) + i % 4 and
	 * columns column0 + 4 (lane % 4) + 16 (j / 4) + j % 4. */
	const int row0 = warp / (TILE_N / WARP_TILE) * WARP_TILE + lane / 4 * 4;
	const int column0 = warp % (TILE_N / WARP_TILE) * WARP_TILE + lane % 4 * 4;
	float sums[8][16], a[2][8], b[2][16];
	int stage = 0, row, column;
	uint parity = 0, used = 0;
	uint from_a = stages + row0 * 4;
	uint from_b = stages + A_BYTES + column0 * 4;

	if (get_local_id(0) == 0) {
		for (int s = 0; s < STAGES; s++) {
			barrier_init(full + 8 * s, 1);
			barrier_init(empty + 8 * s, WARPS);
		}
		barrier_init_done();
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int index = warp; index < min(AHEAD, all.total); index += WARPS) {
		const struct part first = part_at(all, index);

		tile_place(first.tile, rows, columns, &row, &column);
		copy_step(packed_a, packed_b, row * all.steps + first.first,
			column * all.steps + first.first, index, stages, full);
	}
	if (all.total > 0) {
		barrier_wait_warp(full, 0);
		read_quad(a[0], from_a);
		read_quad(a[0] + 4, from_a + ROWS_APART * 4);
#pragma unroll
		for (int j = 0; j < 4; j++)
			read_quad(b[0] + 4 * j, from_b + j * COLUMNS_APART * 4);
	}
	for (int done = 0; done < all.total;) {
		const struct part now = part_at(all, done);

		tile_place(now.tile, rows, columns, &row, &column);
#pragma unroll
		for (int i = 0; i < 8; i++) {
#pragma unroll
			for (int j = 0; j < 16; j++)
				sums[i][j] = 0.0f;
		}
		for (int step = now.first; step < now.last; step++, done++) {
			const uint release = empty + 8 * stage;

			/* The reads for the next step begin in this step, so its stage must be complete. */
			if (++stage == STAGES) {
				stage = 0;
				parity ^= 1;
			}
			const bool ready = barrier_test(full + 8 * stage, parity) || done + 1 >= all.total;
			if (!all_lanes(ready))
				barrier_wait_warp(full + 8 * stage, parity);
			barrier_arrive_if(lane == 0 && done > 0, used);
			used = release;
			if ((done + AHEAD) % WARPS == warp && done + AHEAD < all.total) {
				int tile_row = row, tile_column = column, from = step + AHEAD;

				if (from >= now.last) {
					const struct part ahead = part_at(all, done + AHEAD);

					tile_place(ahead.tile, rows, columns, &tile_row, &tile_column);
					from = ahead.first;
				}
				copy_step(packed_a, packed_b, tile_row * all.steps + from,
					tile_column * all.steps + from, done + AHEAD, stages, full);
			}

			/* No branch and no barrier of the warp from here on: both empty the reuse cache. */
			const uint next_a = stages + stage * STAGE_BYTES + row0 * 4;
			const uint next_b = stages + stage * STAGE_BYTES + A_BYTES + column0 * 4;
#pragma unroll
			for (int kk = 0; kk < TILE_K; kk++) {
				const int now_of = kk & 1, next_of = now_of ^ 1;
				const uint a_of = kk < TILE_K - 1 ? from_a + (kk + 1) * TILE_M * 4 : next_a;
				const uint b_of = kk < TILE_K - 1 ? from_b + (kk + 1) * TILE_N * 4 : next_b;

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
			leave_part(scratch, sums, all, warp, lane);
			continue;
		}
		add_rest(scratch, sums, all, warp, lane, now.last, shared_tiles);
		store_sums(C, sums, exchange, row * TILE_M + row0,
			column * TILE_N + column0, m, n, pitch_c);
	}
}

/* A block packs 64 x 64 elements of A^T or of B. The first blocks pack A, the others pack B, both up
 * to whole tiles. 256 threads, 16-byte accesses. Also clears the flags. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void matmul_pack(
	__global const float *restrict A, __global const float *restrict B,
	__global float *restrict packed_a, __global float *restrict packed_b,
	__global float *scratch, int m, int n, int k, int pitch_a, int pitch_b)
{
	__local float tile[PACKED][PACKED + 1];
	const int group = (int)get_group_id(0), t = (int)get_local_id(0);
	const int steps = (k + TILE_K - 1) / TILE_K;
	const int parts_k = (steps * TILE_K + PACKED - 1) / PACKED;
	const int parts_a = (m + TILE_M - 1) / TILE_M * (TILE_M / PACKED) * parts_k;
	const bool of_a = group < parts_a;
	const int part = of_a ? group : group - parts_a;
	/* A line is a row of A or a column of B. */
	const int line0 = part / parts_k * PACKED, k0 = part % parts_k * PACKED;
	const int lines = of_a ? TILE_M : TILE_N;
	__global float *packed = of_a ? packed_a : packed_b;
	const int x = t % 16 * 4, y = t / 16;

	if (group == 0)
		for (int i = t; i < FLAGS; i += 256)
			((__global uint *)scratch)[i] = 0;
	if (of_a) {
#pragma unroll
		for (int i = 0; i < PACKED; i += 16) {
			float4 quad = (float4)(0.0f, 0.0f, 0.0f, 0.0f);

			if (line0 + y + i < m && k0 + x < k)
				quad = *(__global const float4 *)(A + (size_t)(line0 + y + i) * pitch_a + k0 + x);
			tile[x + 0][y + i] = quad.x;
			tile[x + 1][y + i] = k0 + x + 1 < k ? quad.y : 0.0f;
			tile[x + 2][y + i] = k0 + x + 2 < k ? quad.z : 0.0f;
			tile[x + 3][y + i] = k0 + x + 3 < k ? quad.w : 0.0f;
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
	for (int i = 0; i < PACKED; i += 16) {
		const int kk = k0 + y + i;
		float4 quad = (float4)(0.0f, 0.0f, 0.0f, 0.0f);

		if (kk >= steps * TILE_K)
			continue;
		if (of_a)
			quad = (float4)(tile[y + i][x], tile[y + i][x + 1], tile[y + i][x + 2],
				tile[y + i][x + 3]);
		else if (kk < k && line0 + x < n)
			quad = *(__global const float4 *)(B + (size_t)kk * pitch_b + line0 + x);
		*(__global float4 *)(packed + ((size_t)(line0 / lines) * steps * TILE_K + kk) * lines +
				 line0 % lines + x) = quad;
	}
}
