/* Corner turning without padding: a store to a column of tile_b. For matmul/corner-turned, with --kernel-dir. */
extern "C" __global__ void __launch_bounds__(TILE *TILE) matmul_corner_turned(
	const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int m,
	int n, int k)
{
	__shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int tiles_n = (n + TILE - 1) / TILE;
	int row = blockIdx.x / tiles_n * TILE + ty;
	int first = blockIdx.x % tiles_n * TILE;
	float sum = 0.0f;

	for (int p = 0; p < k; p += TILE) {
		tile_a[ty][tx] = row < m && p + tx < k ? A[(size_t)row * k + p + tx] : 0.0f;
		tile_b[tx][ty] = first + ty < n && p + tx < k ? B[(size_t)(first + ty) * k + p + tx]
							      : 0.0f;
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += tile_a[ty][i] * tile_b[i][tx];
		__syncthreads();
	}
	if (row < m && first + tx < n)
		C[(size_t)row * n + first + tx] = sum;
}
