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
 * Banks of registers: a scheduler of Hopper reads one operand per cycle from each of two banks, the
 * registers with even and with odd numbers. A multiply-add has three operands. The reuse cache keeps
 * operands of the previous instruction. It has a[i], which is the same along a row of sums. So b[j]
 * and sums[i][j] must be in different banks. A 16-byte read puts b[j] into bank j % 2. Therefore
 * vector instructions access the sums only in the order 1, 0, 3, 2. The loop goes through the rows of
 * sums alternately forwards and backwards, because the last b of a row is then the first b of the
 * next row.
 *
 * Shares (stream-K): the steps of k of the last `shared_tiles` tiles are divided among all blocks. A
 * block stores the sums of a part that is not the beginning of its tile in `scratch`, and sets a flag
 * for each warp. The block with the beginning adds the parts of the blocks after it.
 *
 * Block: TILE_M * TILE_N / 128 threads: 128 for 128 x 128. All blocks must be resident, because blocks
 * wait for other blocks: 256 threads per multiprocessor. Rows of A, B and C must begin on 16 bytes;
 * the host chooses 128.
 * Shared memory: STAGES * 8 KiB for tiles of 128 x 128, 16 bytes per thread, barriers: below 48 KiB.
 * Limited by: arithmetic. Packing takes the time of reading and writing A and B.
 * Book: none; a step beyond PMPP 4th ed., 6.4 (the checklist).
 */
#define ITEMS (TILE_M * TILE_N / 128) /* threads with 8 x 16 sums */
#define WARPS (ITEMS / 32)
#define A_BYTES (TILE_M * TILE_K * 4)
#define B_BYTES (TILE_N * TILE_K * 4)
#define STAGE_BYTES (A_BYTES + B_BYTES)
#define QUADS 32  /* of the 128 sums of a thread */
#define PACKED 64 /* rows and columns that a block packs */

/* A warp has WARP_TILE x WARP_TILE elements of C. Its 8 x 4 threads have quads of each row and of
 * each column. These are the distances between the quads of a thread. */
#define WARP_TILE 64
#define ROWS_APART 32
#define COLUMNS_APART 16

#define INLINE static inline __attribute__((always_inline))

/* The part of a tile that a block computes: steps first to last - 1 of k. */
struct part {
	int tile, first, last;
};

/* The work of a block: `shares` steps of the shared tiles, then steps of its own tiles. */
struct work {
	int own_tiles; /* tiles that are not shared; the block's tiles are `groups` apart */
	int begin, shares, total;
	int steps; /* steps of k of a tile */
	int group, groups;
};

INLINE int share_begin(int group, int groups, int shared_tiles, int steps)
{
	return (int)((long)shared_tiles * steps * group / groups);
}

INLINE struct work work_of(int tiles, int shared_tiles, int steps)
{
	struct work all;

	all.group = (int)get_group_id(0);
	all.groups = (int)get_num_groups(0);
	all.own_tiles = tiles - shared_tiles;
	all.begin = share_begin(all.group, all.groups, shared_tiles, steps);
	all.shares = share_begin(all.group + 1, all.groups, shared_tiles, steps) - all.begin;
	all.total = all.shares + (all.own_tiles - all.group + all.groups - 1) / all.groups * steps;
	all.steps = steps;
	return all;
}

/* Returns the part that begins at a step of the block's work. */
INLINE struct part part_at(struct work all, int step)
{
	struct part found;

	if (step < all.shares) {
		found.tile = all.own_tiles + (all.begin + step) / all.steps;
		found.first = (all.begin + step) % all.steps;
		found.last = min(all.steps, found.first + all.shares - step);
	} else {
		found.tile = all.group + (step - all.shares) / all.steps * all.groups;
		found.first = (step - all.shares) % all.steps;
		found.last = all.steps;
	}
	return found;
}

/* The tiles are numbered in bands of BAND rows of tiles, and in a band by columns. So blocks that run
 * at the same time share rows of A and columns of B in the second-level cache. */
INLINE void tile_place(int tile, int rows, int columns, int *ret_row, int *ret_column)
{
	int first = tile / (BAND * columns) * BAND;
	int height = min(rows - first, BAND);
	int index = tile - first * columns;

	*ret_row = first + index % height;
	*ret_column = index / height;
}

/* ---- Vectors of sums: in the order 1, 0, 3, 2 -------------------------------------------------- */

INLINE void write_exchanged(uint to, const float *sums)
{
	asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};"
		     : : "r"(to), "f"(sums[1]), "f"(sums[0]), "f"(sums[3]), "f"(sums[2]) : "memory");
}

INLINE float4 read_exchanged(uint from)
{
	float x, y, z, w;

	asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
		     : "=f"(y), "=f"(x), "=f"(w), "=f"(z) : "r"(from) : "memory");
	return (float4)(x, y, z, w);
}

INLINE void write_part(__global float4 *to, const float *sums)
{
	asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};"
		     : : "l"(to), "f"(sums[1]), "f"(sums[0]), "f"(sums[3]), "f"(sums[2]) : "memory");
}

INLINE void add_part(float *sums, __global const float4 *from)
{
	float x, y, z, w;

	asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
		     : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(from) : "memory");
	sums[1] += x;
	sums[0] += y;
	sums[3] += z;
	sums[2] += w;
}

INLINE void read_quad(float *to, uint from)
{
	asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
		     : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3]) : "r"(from));
}

/* sums += a b, in groups of four columns, each second row backwards. */
INLINE void multiply_add(float (*sums)[16], const float *a, const float *b)
{
#pragma unroll
	for (int i = 0; i < 8; i++) {
#pragma unroll
		for (int q = 0; q < 16; q++) {
			const int forth = q % 4 * 4 + q / 4;
			const int j = i & 1 ? 15 - forth : forth;

			sums[i][j] = fma(a[i], b[j], sums[i][j]);
		}
	}
}

/* ---- Warps -------------------------------------------------------------------------------------- */

/* A number that is the same in all lanes, so that the compiler keeps it in a uniform register. */
INLINE int of_first_lane(int number)
{
	int got;

	asm volatile("shfl.sync.idx.b32 %0, %1, 0, 0x1f, 0xffffffff;" : "=r"(got) : "r"(number));
	return got;
}

INLINE bool all_lanes(bool yes)
{
	uint all;

	asm volatile("{\n\t.reg .pred p, q;\n\tsetp.ne.u32 p, %1, 0;\n\t"
		     "vote.sync.all.pred q, p, 0xffffffff;\n\tselp.u32 %0, 1, 0, q;\n\t}"
		     : "=r"(all) : "r"((uint)yes) : "memory");
	return all;
}

#define WARP_BARRIER() asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#define DEVICE_FENCE() asm volatile("fence.acq_rel.gpu;" ::: "memory")

/* ---- Barriers in shared memory: 8 bytes each ----------------------------------------------------
 *
 * A phase ends when `count` threads have arrived and all expected bytes have been copied. The first
 * phase has parity 0. On a new barrier, a wait for parity 1 returns at once. Source: PTX ISA 8.0,
 * sections mbarrier and cp.async.bulk.
 */
INLINE uint shared_address(__local const void *pointer)
{
	uint address;

	asm("cvt.u32.u64 %0, %1;" : "=r"(address) : "l"(pointer));
	return address;
}

INLINE void barrier_init(uint at, int count)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(at), "r"(count) : "memory");
}

/* Makes new barriers visible to the copies. */
INLINE void barrier_init_done(void)
{
	asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async;" : : : "memory");
}

/* Arrives, and expects further bytes in this phase. */
INLINE void barrier_expect(uint at, uint bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
		     : : "r"(at), "r"(bytes) : "memory");
}

/* Arrives if `yes`. Uses a predicate, because a branch would split the warp. */
INLINE void barrier_arrive_if(bool yes, uint at)
{
	asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %0, 0;\n\t"
		     "@p mbarrier.arrive.shared::cta.b64 _, [%1];\n\t}"
		     : : "r"((uint)yes), "r"(at) : "memory");
}

/* Returns whether the phase has ended. Does not wait. */
INLINE bool barrier_test(uint at, uint parity)
{
	uint done;

	asm volatile("{\n\t.reg .pred p;\n\t"
		     "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
		     "selp.u32 %0, 1, 0, p;\n\t}"
		     : "=r"(done) : "r"(at), "r"(parity) : "memory");
	return done;
}

/* Returns whether the phase has ended. Waits for a time that the hardware limits. */
INLINE bool barrier_try(uint at, uint parity)
{
	uint done;

	asm volatile("{\n\t.reg .pred p;\n\t"
		     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
		     "selp.u32 %0, 1, 0, p;\n\t}"
		     : "=r"(done) : "r"(at), "r"(parity) : "memory");
	return done;
}

/* All lanes wait and continue together. If each lane loops alone, the warp may stay split. */
INLINE void barrier_wait_warp(uint at, uint parity)
{
	while (!all_lanes(barrier_try(at, parity)))
		;
}

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

/* ---- Ends of parts ------------------------------------------------------------------------------ */

/* Stores the sums of a part that is not the beginning of its tile, and sets the warp's flag. */
INLINE void leave_part(
	__global float *scratch, float (*sums)[16], struct work all, int warp, int lane)
{
	__global float4 *to = (__global float4 *)(scratch + FLAGS) +
			      (size_t)all.group * QUADS * ITEMS + get_local_id(0);

#pragma unroll
	for (int q = 0; q < QUADS; q++)
		write_part(to + q * ITEMS, sums[q / 4] + q % 4 * 4);
	DEVICE_FENCE();
	WARP_BARRIER();
	if (lane == 0)
		atomic_xchg((volatile __global uint *)scratch + all.group * WARPS + warp, 1u);
}

/* Adds the rest of a tile: the blocks after this one have its steps from `end` on. */
INLINE void add_rest(__global float *scratch, float (*sums)[16], struct work all, int warp, int lane,
	int end, int shared_tiles)
{
	for (int other = all.group + 1; end < all.steps; other++) {
		__global const float4 *from = (__global const float4 *)(scratch + FLAGS) +
					      (size_t)other * QUADS * ITEMS + get_local_id(0);

		if (lane == 0)
			while (atomic_add((volatile __global uint *)scratch + other * WARPS + warp, 0u) == 0)
				;
		WARP_BARRIER();
		DEVICE_FENCE();
#pragma unroll
		for (int q = 0; q < QUADS; q++)
			add_part(sums[q / 4] + q % 4 * 4, from + q * ITEMS);
		end += share_begin(other + 1, all.groups, shared_tiles, all.steps) -
		       share_begin(other, all.groups, shared_tiles, all.steps);
	}
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
