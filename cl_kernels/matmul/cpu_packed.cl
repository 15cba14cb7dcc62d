/*
 * C[m,n] = A[m,k] B[k,n], row-major, with packing: the form of a CPU BLAS.
 *
 * One work-item computes a tile of C: tile_m x tile_n elements. For every TILE_K of the depth it
 * packs its part of B into local memory. Then it packs PART_M rows of A at a time. Both are stored in
 * the order of the inner loop: two contiguous streams for all m, n and k. Then it multiplies 8 x 32
 * micro-tiles, whose sixteen float16 accumulators stay in registers. On a CPU local memory is
 * ordinary memory. Packing uses whole cache lines and pages, and vectors replace the threads
 * of a GPU. The packed B is used for all rows of the tile, and each packed part of A for all
 * columns, so tall and wide tiles pack less. A larger TILE_K loads and stores C less often. Rows of
 * A, B and C are prefetched, because the hardware's prefetchers stop at the end of a page.
 *
 *   A, 8 rows a panel: [panel][depth / 16][8 rows][16 of the depth]   copied, not transposed
 *   B, 32 columns a panel: [panel][depth][32 columns]
 *
 * Each element of C is one chain acc = fma(a, b, acc) in ascending depth. Between two steps of
 * TILE_K the accumulators are stored in C, so the result has the bits of a simple loop over k.
 *
 * Launch: block 1, groups ceil(m / tile_m) * ceil(n / tile_n), in one dimension. tile_m is a
 * multiple of 8; tile_n is a multiple of 32, and at most TILE_N.
 * Macros: PART_M = 32 (a multiple of 8), TILE_N = 512 (of 32), TILE_K = 384 (of 16). Local memory:
 * 4 * TILE_K * (PART_M + TILE_N) bytes, 816 KiB.
 * Limited by: the FMA units (ten loads for sixteen fma); by the L3 cache if the packed parts are
 * larger than the L2 cache; for small m or n by packing, whose cost is then larger than its gain.
 * Applies to: OpenCL CPU devices with enough local memory (PoCL). A GPU would be idle with one
 * work-item per group.
 */
#pragma OPENCL FP_CONTRACT OFF

/* PoCL's prefetch() does nothing, but its compiler has clang's function. Compilers that make SPIR-V stop
 * at clang's function (Mesa's rusticl, Debian 12). */
#if defined(__has_builtin) && !defined(__SPIR__) && !defined(__SPIR64__)
#if __has_builtin(__builtin_prefetch)
#define PREFETCH(p) __builtin_prefetch(p)
#endif
#endif
#ifndef PREFETCH
#define PREFETCH(p) prefetch(p, LANES)
#endif

#define LANES 16
#define MICRO_M 8
#define MICRO_N (2 * LANES)
#define ROWS_AHEAD 4 /* prefetch distance, in rows of B */

#if PART_M % MICRO_M || TILE_N % MICRO_N || TILE_K % LANES
#error "PART_M, TILE_N and TILE_K must be multiples of 8, 32 and 16"
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
		__local float16 *to = packed + 2 * d;

		for (int col = 0; col < columns; col += LANES)
			PREFETCH(from + ROWS_AHEAD * n + col);
		for (int col = 0; col < columns; col += MICRO_N, to += 2 * TILE_K) {
			int left = columns - col;

			to[0] = load_part(from + col, left);
			to[1] = left > LANES ? load_part(from + col + LANES, left - LANES) : 0.0f;
		}
	}
}

/* acc += one panel of A times one panel of B: nearly all time should be in this loop. */
static void multiply_panels(
	__local const float *a, __local const float16 *b, int depth, float16 acc[2 * MICRO_M])
{
	for (int d = 0; d < depth; d += LANES, a += MICRO_M * LANES) {
		int count = min(LANES, depth - d);

		for (int i = 0; i < count; i++, b += 2) {
			float16 b_left = b[0];
			float16 b_right = b[1];

#pragma unroll
			for (int r = 0; r < MICRO_M; r++) {
				float16 a_row = a[r * LANES + i];

				acc[2 * r] = fma(a_row, b_left, acc[2 * r]);
				acc[2 * r + 1] = fma(a_row, b_right, acc[2 * r + 1]);
			}
		}
	}
}

/*
 * One micro-tile of C, with rows x columns elements. first: the first step of the depth. A tile on
 * the edge uses an array to load and store C, so that the accumulators have constant indices.
 */
static void micro_tile(__local const float *a, __local const float16 *b, int depth,
	__global float *C, size_t n, int rows, int columns, int first)
{
	float16 acc[2 * MICRO_M];
	float edge[MICRO_M * MICRO_N];
	int whole = rows >= MICRO_M && columns >= MICRO_N;

	rows = min(rows, MICRO_M);
	columns = min(columns, MICRO_N);
#pragma unroll
	for (int i = 0; i < 2 * MICRO_M; i++)
		acc[i] = 0.0f;
	if (!first && whole) {
#pragma unroll
		for (int i = 0; i < 2 * MICRO_M; i++)
			acc[i] = vload16(i % 2, C + i / 2 * n);
	} else if (!first) {
#pragma unroll
		for (int i = 0; i < 2 * MICRO_M; i++)
			vstore16(acc[i], i, edge);
		for (int r = 0; r < rows; r++)
			for (int c = 0; c < columns; c++)
				edge[r * MICRO_N + c] = C[r * n + c];
#pragma unroll
		for (int i = 0; i < 2 * MICRO_M; i++)
			acc[i] = vload16(i, edge);
	}

	/* The next micro-tile of the row. */
#pragma unroll
	for (int i = 0; i < 2 * MICRO_M; i++)
		PREFETCH(C + i / 2 * n + MICRO_N + i % 2 * LANES);
	multiply_panels(a, b, depth, acc);

	if (whole) {
#pragma unroll
		for (int i = 0; i < 2 * MICRO_M; i++)
			vstore16(acc[i], i % 2, C + i / 2 * n);
	} else {
#pragma unroll
		for (int i = 0; i < 2 * MICRO_M; i++)
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
	__global float *restrict C, int m, int n, int k, int tile_m, int tile_n)
{
	size_t group = get_group_id(0);

	__local float16 a_packed[PART_M * TILE_K / LANES] __attribute__((aligned(64)));
	__local float16 b_packed[TILE_N * TILE_K / LANES] __attribute__((aligned(64)));

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
