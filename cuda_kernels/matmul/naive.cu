/*
 * Naive matrix product C[m,n] = A[m,k] B[k,n]: one thread computes one element of C from global
 * memory. The three entries do the same arithmetic. They differ only in the addresses that the
 * neighbouring threads of a warp access in one instruction.
 *
 *   matmul_naive_uncoalesced  threadIdx.x is the row: accesses to A and C have a stride of a row
 *   matmul_naive              threadIdx.x is the column: accesses to B and C are contiguous
 *   matmul_colmajor_naive     as matmul_naive, but B is stored by columns (element [kk][j] at
 *                             j*k + kk), so the loads of B are strided
 *
 * Block: BLOCK_X x BLOCK_Y threads, a one-dimensional grid over the blocks of C.
 * Limited by: the load units and L1. Two loads feed one multiply-add, and an uncoalesced load takes
 * one sector per thread.
 * Book: PMPP 4th ed., 3.4 (the kernel), 6.1 (coalescing).
 */

/* Groups: ceil(m / BLOCK_X) * ceil(n / BLOCK_Y); here x is the row. */
extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y) matmul_naive_uncoalesced(
	const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int m,
	int n, int k)
{
	int tx = threadIdx.x;
	int ty = threadIdx.y;
	int group = blockIdx.x;
	int groups_n = (n + BLOCK_Y - 1) / BLOCK_Y;
	int row = group / groups_n * BLOCK_X + tx;
	int col = group % groups_n * BLOCK_Y + ty;

	if (row < m && col < n) {
		float sum = 0.0f;

		for (int kk = 0; kk < k; kk++)
			sum = fmaf(A[(size_t)row * k + kk], B[(size_t)kk * n + col], sum);
		C[(size_t)row * n + col] = sum;
	}
}

/* Groups: ceil(m / BLOCK_Y) * ceil(n / BLOCK_X). */
extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y) matmul_naive(
	const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int m,
	int n, int k)
{
	int tx = threadIdx.x;
	int ty = threadIdx.y;
	int group = blockIdx.x;
	int groups_n = (n + BLOCK_X - 1) / BLOCK_X;
	int row = group / groups_n * BLOCK_Y + ty;
	int col = group % groups_n * BLOCK_X + tx;

	if (row < m && col < n) {
		float sum = 0.0f;

		for (int kk = 0; kk < k; kk++)
			sum = fmaf(A[(size_t)row * k + kk], B[(size_t)kk * n + col], sum);
		C[(size_t)row * n + col] = sum;
	}
}

/* Groups: ceil(m / BLOCK_Y) * ceil(n / BLOCK_X). B is stored by columns. */
extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y) matmul_colmajor_naive(
	const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int m,
	int n, int k)
{
	int tx = threadIdx.x;
	int ty = threadIdx.y;
	int group = blockIdx.x;
	int groups_n = (n + BLOCK_X - 1) / BLOCK_X;
	int row = group / groups_n * BLOCK_Y + ty;
	int col = group % groups_n * BLOCK_X + tx;

	if (row < m && col < n) {
		float sum = 0.0f;

		for (int kk = 0; kk < k; kk++)
			sum = fmaf(A[(size_t)row * k + kk], B[(size_t)col * k + kk], sum);
		C[(size_t)row * n + col] = sum;
	}
}
