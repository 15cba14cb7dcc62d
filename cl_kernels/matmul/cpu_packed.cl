/*
 * C[m,n] = A[m,k] B[k,n], row-major, with packing: the form of a CPU BLAS.
 *
 * One work-item computes a tile of C: tile_m x tile_n elements. For every TILE_K of the depth it
 * packs its part of B into local memory. Then it packs PART_M rows of A at a time. Both are stored in
 * the order of the inner loop: two contiguous streams for all m, n and k. Then it multiplies 6 x 64
 * micro-tiles, whose 24 float16 accumulators stay in registers. On a CPU local memory is ordinary
 * memory. Packing uses whole cache lines and pages, and vectors replace the threads of a GPU. The
 * packed B is used for all rows of the tile, and each packed part of A for all columns, so tall and
 * wide tiles pack less. A larger TILE_K loads and stores C less often. Rows of A, B and C are
 * prefetched, because the hardware's prefetchers stop at the end of a page. The packed B is prefetched
 * from the L2 cache: each step of the depth needs four new lines, and some CPUs load them too late.
 *
 * The micro-tile is wide. One load copies an element of A into all lanes of a vector, and all vectors
 * of a row of the micro-tile use it. So 6 x 64 elements need 10 loads for 24 multiply-adds, and 8 x 32
 * elements need 10 loads for 16. The loop over 16 steps of the depth is unrolled: the instructions of
 * the loop itself would delay the multiply-adds if two threads share a core. The prefetches are four more
 * instructions for each step: some CPUs gain more from them than others lose.
 *
 *   A, 6 rows a panel: [panel][depth / 16][6 rows][16 of the depth]   copied, not transposed
 *   B, 64 columns a panel: [panel][depth][64 columns]
 *
 * Each element of C is one chain acc = fma(a, b, acc) in ascending depth. Between two steps of
 * TILE_K the accumulators are stored in C, so the result has the bits of a simple loop over k.
 *
 * Block: 1 work-item. Groups: ceil(m / tile_m) * ceil(n / tile_n), in one dimension. tile_m is a
 * multiple of 6; tile_n is a multiple of 64, and at most TILE_N.
 * Macros: PART_M = 24 (a multiple of 6), TILE_N = 512 (of 64), TILE_K = 384 (of 16). Local memory, an
 * argument: 4 * TILE_K * (PART_M + TILE_N) bytes, 804 KiB.
 * Limited by: the FMA units; by the L3 cache if the packed parts are larger than the L2 cache; for
 * small m or n by packing, whose cost is then larger than its gain.
 * Applies to: OpenCL CPU devices with enough local memory (PoCL). A GPU would be idle with one
 * work-item per group.
 */
#pragma OPENCL FP_CONTRACT OFF

/* PoCL's prefetch() does nothing, but its compiler has clang's function. Compilers that make SPIR-V stop
 * at clang's function (Mesa's rusticl, Debian 12). */
#if defined(__has_builtin) && !defined(__SPIR__) && !defined(__SPIR64__)
#if __has_builtin(__builtin_prefetch)
#define PREFETCH(p) __builtin_prefetch(p)
#define PREFETCH_LOCAL(p) __builtin_prefetch(p)
#endif
#endif
#ifndef PREFETCH
#define PREFETCH(p) prefetch(p, LANES)
#define PREFETCH_LOCAL(p) /* OpenCL C has no prefetch from local memory */
#endif

#define LANES 16
#define MICRO_M 6
#define VECTORS 4 /* of a row of a micro-tile */
#define MICRO_N (VECTORS * LANES)
#define SUMS (MICRO_M * VECTORS)
#define ROWS_AHEAD 4  /* prefetch distance, in rows of B */
#define STEPS_AHEAD 4 /* prefetch distance in the packed B, in steps of the depth */

#if PART_M % MICRO_M || TILE_N % MICRO_N || TILE_K % LANES
#error "PART_M, TILE_N and TILE_K must be multiples of 6, 64 and 16"
#endif

/* The first count (1 to 16) floats at p, zeros after them. */
static float16 load_part(__global const float *p, int count)
{
	if (count >= LANES)
		return vload16(0, p);

	float part[LANES];

	for (int i = 0; i < LANES; i++)
		part[i] = i < count ? p[i] : 0.0f;
	return vload16(0, part);
}

/* Copies rows x depth of A, whose rows are k apart. Zero rows complete the last panel. Prefetches the
 * next panel. */
static void pack_a(__global const float *A, size_t k, int rows, int depth, __local float16 *packed)
{
	for (int row = 0; row < rows; row += MICRO_M) {
		__local float16 *panel = packed + row * (TILE_K / LANES);

		for (int r = 0; r < MICRO_M; r++) {
			__global const float *from = A + (size_t)(row + r) * k;

			for (int d = 0; d < depth; d += LANES)
				PREFETCH(from + MICRO_M * k + d);
			for (int d = 0; d < depth; d += LANES)
				panel[d / LANES * MICRO_M + r] =
					row + r < rows ? load_part(from + d, depth - d) : 0.0f;
		}
	}
}

/* Copies depth x columns of B, whose rows are n apart. Zeros complete the last panel. */
static void pack_b(
	__global const float *B, size_t n, int depth, int columns, __local float16 *packed)
{
	for (int d = 0; d < depth; d++) {
		__global const float *from = B + (size_t)d * n;
		__local float16 *to = packed + VECTORS * d;

		for (int col = 0; col < columns; col += LANES)
			PREFETCH(from + ROWS_AHEAD * n + col);
		for (int col = 0; col < columns; col += MICRO_N, to += VECTORS * TILE_K)
#pragma unroll
			for (int v = 0; v < MICRO_N; v += LANES) {
				int left = columns - col - v;

				to[v / LANES] = left > 0 ? load_part(from + col + v, left) : 0.0f;
			}
	}
}

/* acc += element i of each row of A times row i of B. The loops over the vectors are written out: Mesa's
 * llvmpipe does not unroll loops, and ends the loops of a thread after 65536 iterations. The last steps of a
 * panel prefetch what follows it, even beyond the array. A prefetch does not change the result. */
static void multiply_step(
	__local const float *a, __local const float16 *b, int i, float16 acc[SUMS])
{
	b += VECTORS * i;
	PREFETCH_LOCAL(b + VECTORS * STEPS_AHEAD);
	PREFETCH_LOCAL(b + VECTORS * STEPS_AHEAD + 1);
	PREFETCH_LOCAL(b + VECTORS * STEPS_AHEAD + 2);
	PREFETCH_LOCAL(b + VECTORS * STEPS_AHEAD + 3);
#pragma unroll
	for (int r = 0; r < MICRO_M; r++) {
		float16 a_row = a[r * LANES + i];
		float16 *sums = acc + VECTORS * r;

		sums[0] = fma(a_row, b[0], sums[0]);
		sums[1] = fma(a_row, b[1], sums[1]);
		sums[2] = fma(a_row, b[2], sums[2]);
		sums[3] = fma(a_row, b[3], sums[3]);
	}
}

/* acc += one panel of A times one panel of B: nearly all time should be in the unrolled loop. */
static void multiply_panels(
	__local const float *a, __local const float16 *b, int depth, float16 acc[SUMS])
{
	for (; depth >= LANES; depth -= LANES) {
#pragma unroll
		for (int i = 0; i < LANES; i++)
			multiply_step(a, b, i, acc);
		a += MICRO_M * LANES;
		b += VECTORS * LANES;
	}
	for (int i = 0; i < depth; i++)
		multiply_step(a, b, i, acc);
}

/*
 * One micro-tile of C, with rows x columns elements. first: the first step of the depth. A tile on
 * the edge uses an array to load and store C, so that the accumulators have constant indices.
 */
static void micro_tile(__local const float *a, __local const float16 *b, int depth,
	__global float *C, size_t n, int rows, int columns, int first)
{
	float16 acc[SUMS];
	float edge[MICRO_M * MICRO_N];
	int whole = rows >= MICRO_M && columns >= MICRO_N;

	rows = min(rows, MICRO_M);
	columns = min(columns, MICRO_N);
#pragma unroll
	for (int i = 0; i < SUMS; i++)
		acc[i] = 0.0f;
	if (!first && whole) {
#pragma unroll
		for (int i = 0; i < SUMS; i++)
			acc[i] = vload16(i % VECTORS, C + i / VECTORS * n);
	} else if (!first) {
#pragma unroll
		for (int i = 0; i < SUMS; i++)
			vstore16(acc[i], i, edge);
		for (int r = 0; r < rows; r++)
			for (int c = 0; c < columns; c++)
				edge[r * MICRO_N + c] = C[r * n + c];
#pragma unroll
		for (int i = 0; i < SUMS; i++)
			acc[i] = vload16(i, edge);
	}

	/* The next micro-tile of the row. */
#pragma unroll
	for (int i = 0; i < SUMS; i++)
		PREFETCH(C + i / VECTORS * n + MICRO_N + i % VECTORS * LANES);
	multiply_panels(a, b, depth, acc);

	if (whole) {
#pragma unroll
		for (int i = 0; i < SUMS; i++)
			vstore16(acc[i], i % VECTORS, C + i / VECTORS * n);
	} else {
#pragma unroll
		for (int i = 0; i < SUMS; i++)
			vstore16(acc[i], i, edge);
		for (int r = 0; r < rows; r++)
			for (int c = 0; c < columns; c++)
				C[r * n + c] = edge[r * MICRO_N + c];
	}
}

/* One step of the depth for PART_M rows of a tile: C += A B; in the first step C = A B. */
static void multiply_part(__local const float16 *a_packed, __local const float16 *b_packed,
	int depth, __global float *C, size_t n, int rows, int columns, int first)
{
	/* Rows are the outer loop, so that C and its pages are accessed along rows. */
	for (int row = 0; row < rows; row += MICRO_M) {
		__local const float *a = (__local const float *)a_packed + row * TILE_K;

		for (int col = 0; col < columns; col += MICRO_N) {
			__local const float16 *b = b_packed + col / LANES * TILE_K;

			micro_tile(a, b, depth, C + row * n + col, n, rows - row, columns - col,
				first);
		}
	}
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void matmul_cpu_packed(
	__global const float *restrict A, __global const float *restrict B,
	__global float *restrict C, int m, int n, int k, int tile_m, int tile_n,
	__local float16 *a_packed)
{
	size_t group = get_group_id(0);
	__local float16 *b_packed = a_packed + PART_M * TILE_K / LANES;
	size_t tiles_n = (size_t)(n - 1) / tile_n + 1;
	size_t row0 = group / tiles_n * tile_m;
	size_t col0 = group % tiles_n * tile_n;
	size_t end = min(row0 + tile_m, (size_t)m);
	int columns = (int)min((size_t)tile_n, (size_t)n - col0);

	for (size_t k0 = 0; k0 < (size_t)k; k0 += TILE_K) {
		int depth = (int)min((size_t)TILE_K, (size_t)k - k0);

		pack_b(B + k0 * n + col0, n, depth, columns, b_packed);
		for (size_t row = row0; row < end; row += PART_M) {
			int rows = (int)min((size_t)PART_M, end - row);

			pack_a(A + row * k + k0, k, rows, depth, a_packed);
			multiply_part(a_packed, b_packed, depth, C + row * n + col0, n, rows,
				columns, k0 == 0);
		}
	}
}
