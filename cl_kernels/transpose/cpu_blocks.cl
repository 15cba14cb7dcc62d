/*
 * B[n,m] = A[m,n]^T on a CPU: a work-item transposes 16 x 16 elements in vector registers. It loads
 * sixteen rows as float16. In four stages, rows that are 8, 4, 2 and 1 apart exchange halves,
 * quarters, pairs and elements off the diagonal. It stores sixteen rows of B. The stores bypass the
 * cache if the compiler supports this and B's rows begin on whole cache lines: a line that is
 * completely overwritten is not read first.
 *
 * A group has BLOCKS x BLOCKS work-items, along the rows of A. Its rows of both matrices are in as
 * many pages. In a larger square, more of each page is used before the next page is looked up.
 * Blocks at the edge are copied one element at a time.
 *
 * Block: BLOCKS x BLOCKS work-items. Groups: ceil(m / (16 * BLOCKS)) * ceil(n / (16 * BLOCKS)),
 * one-dimensional, along the columns of A: along the rows of B.
 * Limited by: memory; if rows are longer than a page, by page look-ups.
 * Applies to: OpenCL CPU devices with vectors of 16 floats; on a GPU the accesses would be strided.
 */
#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define STORE(value, target) __builtin_nontemporal_store(value, target)
#endif
#endif
#ifndef STORE
#define STORE(value, target) (*(target) = (value))
#endif

#define SIDE (BLOCKS * LANES)

static void exchange_elements(float16 *a, float16 *b)
{
	float16 even = (float16)(a->s0, b->s0, a->s2, b->s2, a->s4, b->s4, a->s6, b->s6,
		a->s8, b->s8, a->sa, b->sa, a->sc, b->sc, a->se, b->se);

	*b = (float16)(a->s1, b->s1, a->s3, b->s3, a->s5, b->s5, a->s7, b->s7,
		a->s9, b->s9, a->sb, b->sb, a->sd, b->sd, a->sf, b->sf);
	*a = even;
}

static void exchange_pairs(float16 *a, float16 *b)
{
	float16 even = (float16)(a->s01, b->s01, a->s45, b->s45, a->s89, b->s89, a->scd, b->scd);

	*b = (float16)(a->s23, b->s23, a->s67, b->s67, a->sab, b->sab, a->sef, b->sef);
	*a = even;
}

static void exchange_quarters(float16 *a, float16 *b)
{
	float16 even = (float16)(a->s0123, b->s0123, a->s89ab, b->s89ab);

	*b = (float16)(a->s4567, b->s4567, a->scdef, b->scdef);
	*a = even;
}

static void exchange_halves(float16 *a, float16 *b)
{
	float16 even = (float16)(a->lo, b->lo);

	*b = (float16)(a->hi, b->hi);
	*a = even;
}

/* rows[i][j] = rows[j][i]. Unrolled, so that the rows stay in registers. */
static void turn(float16 rows[LANES])
{
#pragma unroll
	for (int i = 0; i < LANES; i++)
		if (!(i & 8))
			exchange_halves(&rows[i], &rows[i + 8]);
#pragma unroll
	for (int i = 0; i < LANES; i++)
		if (!(i & 4))
			exchange_quarters(&rows[i], &rows[i + 4]);
#pragma unroll
	for (int i = 0; i < LANES; i++)
		if (!(i & 2))
			exchange_pairs(&rows[i], &rows[i + 2]);
#pragma unroll
	for (int i = 0; i < LANES; i++)
		if (!(i & 1))
			exchange_elements(&rows[i], &rows[i + 1]);
}

__kernel __attribute__((reqd_work_group_size(BLOCKS, BLOCKS, 1))) void transpose_cpu_blocks(
	__global const float *restrict A, __global float *restrict B, int m, int n)
{
	int x = get_local_id(0);
	int y = get_local_id(1);
	int group = get_group_id(0);
	int groups_m = (m + SIDE - 1) / SIDE;
	int row = group % groups_m * SIDE + y * LANES;
	int col = group / groups_m * SIDE + x * LANES;
	__global const float *from = A + (size_t)row * n + col;
	__global float *to = B + (size_t)col * m + row;

	if (row + LANES <= m && col + LANES <= n) {
		float16 rows[LANES];

#pragma unroll
		for (int i = 0; i < LANES; i++)
			rows[i] = vload16(0, from + (size_t)i * n);
		turn(rows);
		if (m % LANES == 0) {
#pragma unroll
			for (int i = 0; i < LANES; i++)
				STORE(rows[i], (__global float16 *)(to + (size_t)i * m));
		} else {
#pragma unroll
			for (int i = 0; i < LANES; i++)
				vstore16(rows[i], 0, to + (size_t)i * m);
		}
	} else {
		for (int c = 0; c < LANES && col + c < n; c++)
			for (int r = 0; r < LANES && row + r < m; r++)
				to[(size_t)c * m + r] = from[(size_t)r * n + c];
	}
}
