/*
 * B[n,m] = A[m,n]^T, all accesses 16 bytes. A thread loads 4 x 4 elements of A as four float4,
 * transposes them in its registers, and stores four float4 of B in shared memory. It then stores
 * four float4 along rows of B. Compared with one element per access: four times the bytes in
 * flight, a quarter of the instructions, and contiguous pieces of 256 bytes in both matrices.
 *
 * Eight threads access the 128 bytes that shared memory serves at a time. They store quads of rows
 * that are 4 apart, and no padding can put these in different banks. Therefore the quads of row c
 * are permuted by c / 4: quad q is at place q ^ (c / 4 & 7). Then eight neighbours have different
 * places modulo 8 for the stores (c / 4 differs) and for the loads (q differs).
 *
 * If the row length of a matrix is not a multiple of 4, rows do not begin on 16-byte boundaries.
 * Then it is accessed one element at a time, still along its rows.
 *
 * Block: TILE / 4 x TILE / 4 threads, 16 elements each. Grid: ceil(m / TILE) * ceil(n / TILE),
 * one-dimensional. A and B begin on 16-byte boundaries.
 * Limited by: memory.
 * Book: PMPP 4th ed., 6.1, with all loads of a thread in flight together (6.3).
 */
#define QUADS (TILE / 4)
#define THREADS (QUADS * QUADS)

/* The place of quad q of row c of the transposed tile, in quads. */
#define PLACE(c, q) ((c)*QUADS + ((q) ^ ((c) >> 2 & 7)))

/* Loads the tile of A at `from`, whose rows are n apart, with rows x cols elements. */
static __device__ void load_quads(
	const float *__restrict__ from, int n, int rows, int cols, float4 *turned, int tx, int ty)
{
	float4 a[4];

	from += (size_t)(4 * ty) * n + 4 * tx;
#pragma unroll
	for (int i = 0; i < 4; i++)
		a[i] = 4 * ty + i < rows && 4 * tx < cols
			       ? *(const float4 *)(from + (size_t)i * n)
			       : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
	turned[PLACE(4 * tx + 0, ty)] = make_float4(a[0].x, a[1].x, a[2].x, a[3].x);
	turned[PLACE(4 * tx + 1, ty)] = make_float4(a[0].y, a[1].y, a[2].y, a[3].y);
	turned[PLACE(4 * tx + 2, ty)] = make_float4(a[0].z, a[1].z, a[2].z, a[3].z);
	turned[PLACE(4 * tx + 3, ty)] = make_float4(a[0].w, a[1].w, a[2].w, a[3].w);
}

static __device__ void load_elements(
	const float *__restrict__ from, int n, int rows, int cols, float *turned, int thread)
{
#pragma unroll
	for (int i = 0; i < TILE * TILE; i += THREADS) {
		int r = (i + thread) / TILE;
		int c = (i + thread) % TILE;

		turned[4 * PLACE(c, r / 4) + r % 4] =
			r < rows && c < cols ? from[(size_t)r * n + c] : 0.0f;
	}
}

/* Stores the transposed tile to B, whose rows are m apart; rows x cols as in A. */
static __device__ void store_quads(
	float *__restrict__ to, int m, int rows, int cols, const float4 *turned, int tx, int ty)
{
#pragma unroll
	for (int i = 0; i < 4; i++) {
		int c = ty + i * QUADS;

		if (c < cols && 4 * tx < rows)
			*(float4 *)(to + (size_t)c * m + 4 * tx) = turned[PLACE(c, tx)];
	}
}

static __device__ void store_elements(
	float *__restrict__ to, int m, int rows, int cols, const float *turned, int thread)
{
	/* As in the OpenCL kernel: if the loop is unrolled completely there, PoCL 5.0 stores nothing. */
#pragma unroll 4
	for (int i = 0; i < TILE * TILE; i += THREADS) {
		int c = (i + thread) / TILE;
		int r = (i + thread) % TILE;

		if (c < cols && r < rows)
			to[(size_t)c * m + r] = turned[4 * PLACE(c, r / 4) + r % 4];
	}
}

extern "C" __global__ void __launch_bounds__(THREADS)
	transpose_vector(const float *__restrict__ A, float *__restrict__ B, int m, int n)
{
	__shared__ __align__(16) float4 turned[TILE * QUADS];
	int tx = threadIdx.x;
	int ty = threadIdx.y;
	int thread = ty * QUADS + tx;
	int group = blockIdx.x;
	int groups_n = (n + TILE - 1) / TILE;
	int row0 = group / groups_n * TILE;
	int col0 = group % groups_n * TILE;
	const float *from = A + (size_t)row0 * n + col0;
	float *to = B + (size_t)col0 * m + row0;

	if (n % 4 == 0)
		load_quads(from, n, m - row0, n - col0, turned, tx, ty);
	else
		load_elements(from, n, m - row0, n - col0, (float *)turned, thread);
	__syncthreads();

	if (m % 4 == 0)
		store_quads(to, m, m - row0, n - col0, turned, tx, ty);
	else
		store_elements(to, m, m - row0, n - col0, (const float *)turned, thread);
}
