/*
 * S[r] = sum over c of A[r,c], one warp per row: 32 threads read 128 contiguous bytes at a
 * time, and each adds its elements. At the end the 32 sums of a row are added in order.
 * Every access is coalesced, but the warps may still slow each other down: they begin in
 * step, so they read addresses that differ by a multiple of the row pitch. If memory
 * channels are interleaved and the pitch is a multiple of a whole round, all warps use one
 * channel.
 *
 * PADDING puts unused elements between rows, so that neighbouring rows begin on different channels.
 * SKEWED rows begin at different columns and wrap around at the end.
 *
 * Each thread loads FLIGHT elements before it adds any of them.
 *
 * Block: 32 x BLOCK_ROWS threads. Grid: ceil(rows / BLOCK_ROWS).
 * Limited by: memory.
 * Book: PMPP 3rd ed., 5.2, Fig. 5.7 to 5.9; 4th ed., 6.2.
 */
#define BATCH (WARP * FLIGHT)

extern "C" __global__ void __launch_bounds__(WARP *BLOCK_ROWS)
	camping_walk(const float *__restrict__ A, float *__restrict__ S, int rows, int width)
{
	__shared__ __align__(16) float sums[BLOCK_ROWS][WARP + 1];
	int tx = threadIdx.x;
	int ty = threadIdx.y;
	int row0 = blockIdx.x * BLOCK_ROWS;
	int row = row0 + ty;
	int batches = width / BATCH;
	int left = row < rows ? batches : 0;
	int batch = SKEWED && batches > 0 ? row % batches : 0;
	const float *from = A + (size_t)row * (width + PADDING) + tx;
	float sum = 0.0f;

	for (; left > 0; left--) {
		const float *here = from + (size_t)batch * BATCH;
		float part[FLIGHT];

#pragma unroll
		for (int i = 0; i < FLIGHT; i++)
			part[i] = here[i * WARP];
#pragma unroll
		for (int i = 0; i < FLIGHT; i++)
			sum += part[i];
		batch = batch + 1 < batches ? batch + 1 : 0;
	}
	for (int c = batches * BATCH; row < rows && c + tx < width; c += WARP)
		sum += from[c];
	sums[ty][tx] = sum;
	__syncthreads();

	/* One thread per row of the block. */
	if (ty == 0 && tx < BLOCK_ROWS && row0 + tx < rows) {
		float total = 0.0f;

		for (int i = 0; i < WARP; i++)
			total += sums[tx][i];
		S[row0 + tx] = total;
	}
}
