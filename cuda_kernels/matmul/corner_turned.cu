/*
 * Corner turning: C[m,n] = A[m,k] B[k,n], where B is stored by columns (element [kk][j] at j*k +
 * kk). Loads of B in the order of use would be strided. Therefore threadIdx.x goes along a column
 * of B for the loads (coalesced), and the tile is transposed when it is stored to shared memory.
 * There a stride has no cost if the banks differ.
 *
 * Block: TILE x TILE threads. Groups: ceil(m / TILE) * ceil(n / TILE), one-dimensional.
 * Limited by: shared memory, like the tiled kernel. It should have the same speed.
 * Book: PMPP 4th ed., 6.1, Fig. 6.4 and exercise 1 of chapter 6.
 */

/*
 * A warp is 32 / TILE rows of TILE threads. Thread (x, y) stores to [x][y]. With this row length
 * the x use banks that are 32 / TILE apart, and the y use the banks between: no bank conflicts.
 */
#define STRIDE_B (TILE + 32 / TILE)

extern "C" __global__ void __launch_bounds__(TILE *TILE) matmul_corner_turned(
	const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int m,
	int n, int k)
{
	__shared__ __align__(16) float tile_a[TILE][TILE];
	__shared__ __align__(16) float tile_b[TILE][STRIDE_B];
	int tx = threadIdx.x;
	int ty = threadIdx.y;
	int group = blockIdx.x;
	int groups_n = (n + TILE - 1) / TILE;
	int row = group / groups_n * TILE + ty;
	int col0 = group % groups_n * TILE;
	int col = col0 + tx;
	int fetched = col0 + ty; /* the column of B that this thread loads */
	const float *from_a = A + (size_t)row * k + tx;
	const float *from_b = B + (size_t)fetched * k + tx;
	float sum = 0.0f;

	for (int k0 = 0; k0 < k; k0 += TILE) {
		tile_a[ty][tx] = k0 + tx < k && row < m ? from_a[k0] : 0.0f;
		tile_b[tx][ty] = k0 + tx < k && fetched < n ? from_b[k0] : 0.0f;
		__syncthreads();

#pragma unroll
		for (int kk = 0; kk < TILE; kk++)
			sum = fmaf(tile_a[ty][kk], tile_b[kk][tx], sum);
		__syncthreads();
	}

	if (row < m && col < n)
		C[(size_t)row * n + col] = sum;
}
