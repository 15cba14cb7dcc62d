/*
 * Naive matrix product C[m,n] = A[m,k] B[k,n]: one work-item computes one element of C from global
 * memory. The three entries do the same arithmetic. They differ only in the addresses that the
 * neighbouring work-items of a sub-group access in one instruction.
 *
 *   matmul_naive_uncoalesced  local id 0 is the row: accesses to A and C have a stride of a row
 *   matmul_naive              local id 0 is the column: accesses to B and C are contiguous
 *   matmul_colmajor_naive     as matmul_naive, but B is stored by columns (element [kk][j] at
 *                             j*k + kk), so the loads of B are strided
 *
 * Block: BLOCK_X x BLOCK_Y work-items, a one-dimensional range of groups over the blocks of C.
 * Limited by: the load units and L1. Two loads feed one multiply-add, and an uncoalesced load takes
 * one sector per work-item.
 * Book: PMPP 4th ed., 3.4 (the kernel), 6.1 (coalescing).
 */
#pragma OPENCL FP_CONTRACT OFF

/* Groups: ceil(m / BLOCK_X) * ceil(n / BLOCK_Y); here x is the row. */
__kernel __attribute__((reqd_work_group_size(BLOCK_X, BLOCK_Y, 1))) void matmul_naive_uncoalesced(
	__global const float *restrict A, __global const float *restrict B,
	__global float *restrict C, int m, int n, int k)
{
	int tx = get_local_id(0);
	int ty = get_local_id(1);
	int group = get_group_id(0);
	int groups_n = (n + BLOCK_Y - 1) / BLOCK_Y;
	int row = group / groups_n * BLOCK_X + tx;
	int col = group % groups_n * BLOCK_Y + ty;

	if (row < m && col < n) {
		float sum = 0.0f;

		for (int kk = 0; kk < k; kk++)
			sum = fma(A[(size_t)row * k + kk], B[(size_t)kk * n + col], sum);
		C[(size_t)row * n + col] = sum;
	}
}

/* Groups: ceil(m / BLOCK_Y) * ceil(n / BLOCK_X). */
__kernel __attribute__((reqd_work_group_size(BLOCK_X, BLOCK_Y, 1))) void matmul_naive(
	__global const float *restrict A, __global const float *restrict B,
	__global float *restrict C, int m, int n, int k)
{
	int tx = get_local_id(0);
	int ty = get_local_id(1);
	int group = get_group_id(0);
	int groups_n = (n + BLOCK_X - 1) / BLOCK_X;
	int row = group / groups_n * BLOCK_Y + ty;
	int col = group % groups_n * BLOCK_X + tx;

	if (row < m && col < n) {
		float sum = 0.0f;

		for (int kk = 0; kk < k; kk++)
			sum = fma(A[(size_t)row * k + kk], B[(size_t)kk * n + col], sum);
		C[(size_t)row * n + col] = sum;
	}
}

/* Groups: ceil(m / BLOCK_Y) * ceil(n / BLOCK_X). B is stored by columns. */
__kernel __attribute__((reqd_work_group_size(BLOCK_X, BLOCK_Y, 1))) void matmul_colmajor_naive(
	__global const float *restrict A, __global const float *restrict B,
	__global float *restrict C, int m, int n, int k)
{
	int tx = get_local_id(0);
	int ty = get_local_id(1);
	int group = get_group_id(0);
	int groups_n = (n + BLOCK_X - 1) / BLOCK_X;
	int row = group / groups_n * BLOCK_Y + ty;
	int col = group % groups_n * BLOCK_X + tx;

	if (row < m && col < n) {
		float sum = 0.0f;

		for (int kk = 0; kk < k; kk++)
			sum = fma(A[(size_t)row * k + kk], B[(size_t)col * k + kk], sum);
		C[(size_t)row * n + col] = sum;
	}
}
