/*
 * S[r] = sum over c of A[r,c], one warp per row: LANES threads read neighbouring elements at a time,
 * and each adds its elements. At the end the LANES sums of a row are added in order. Every access
 * is coalesced, but the warps may still slow each other down: they begin in step, so they read
 * addresses that differ by a multiple of the row pitch. If memory channels are interleaved and the
 * pitch is a multiple of a whole round, all warps use one channel.
 *
 * PADDING puts unused elements between rows, so that neighbouring rows begin on different channels.
 * SKEWED rows begin at different columns and wrap around at the end.
 *
 * Each thread loads FLIGHT elements before it adds any of them.
 *
 * Block: LANES x BLOCK_ROWS threads. Grid: ceil(rows / BLOCK_ROWS).
 * Limited by: memory.
 * Book: PMPP 3rd ed., 5.2, Fig. 5.7 to 5.9; 4th ed., 6.2.
 */
#define BATCH (LANES * FLIGHT)

extern "C" __global__ void __launch_bounds__(LANES *BLOCK_ROWS)
	camping_walk(const float *__restrict__ A, float *__restrict__ S, int rows, int width)
{
	__shared__ __align__(16) float sums[BLOCK_ROWS][LANES + 1];
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
			part[i] = here[i * LANES];
#pragma unroll
		for (int i = 0; i < FLIGHT; i++)
			sum += part[i];
		batch = batch + 1 < batches ? batch + 1 : 0;
	}
	for (int c = batches * BATCH; row < rows && c + tx < width; c += LANES)
		sum += from[c];
	sums[ty][tx] = sum;
	__syncthreads();

	/* One thread per row of the block: the threads of the first warp, if they are enough. */
	int own = BLOCK_ROWS <= LANES ? tx : ty * LANES + tx;

	if ((BLOCK_ROWS > LANES || ty == 0) && own < BLOCK_ROWS && row0 + own < rows) {
		float total = 0.0f;

		for (int i = 0; i < LANES; i++)
			total += sums[own][i];
		S[row0 + own] = total;
	}
}
