/*
 * S[r] = sum over c of A[r,c], one warp per row: LANES work-items read neighbouring elements at a time,
 * and each adds its elements. At the end the LANES sums of a row are added in order. Every access
 * is coalesced, but the warps may still slow each other down: they begin in step, so they read
 * addresses that differ by a multiple of the row pitch. If memory channels are interleaved and the
 * pitch is a multiple of a whole round, all warps use one channel.
 *
 * PADDING puts unused elements between rows, so that neighbouring rows begin on different channels.
 * SKEWED rows begin at different columns and wrap around at the end.
 *
 * Each work-item loads FLIGHT elements before it adds any of them.
 *
 * Block: LANES x BLOCK_ROWS work-items. Groups: ceil(rows / BLOCK_ROWS).
 * Limited by: memory.
 * Book: PMPP 3rd ed., 5.2, Fig. 5.7 to 5.9; 4th ed., 6.2.
 */
#define BATCH (LANES * FLIGHT)

__kernel __attribute__((reqd_work_group_size(LANES, BLOCK_ROWS, 1))) void camping_walk(
	__global const float *restrict A, __global float *restrict S, int rows, int width)
{
	__local float sums[BLOCK_ROWS][LANES + 1] __attribute__((aligned(16)));
	int tx = get_local_id(0);
	int ty = get_local_id(1);
	int row0 = (int)get_group_id(0) * BLOCK_ROWS;
	int row = row0 + ty;
	int batches = width / BATCH;
	int left = row < rows ? batches : 0;
	int batch = SKEWED && batches > 0 ? row % batches : 0;
	__global const float *from = A + (size_t)row * (width + PADDING) + tx;
	float sum = 0.0f;

	for (; left > 0; left--) {
		__global const float *here = from + (size_t)batch * BATCH;
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
	barrier(CLK_LOCAL_MEM_FENCE);

	/* One work-item per row of the group: the items of the first warp, if they are enough. */
	int own = BLOCK_ROWS <= LANES ? tx : ty * LANES + tx;

	if ((BLOCK_ROWS > LANES || ty == 0) && own < BLOCK_ROWS && row0 + own < rows) {
		float total = 0.0f;

		for (int i = 0; i < LANES; i++)
			total += sums[own][i];
		S[row0 + own] = total;
	}
}
