/*
 * Sliding sum, one output per work-item, from a shared tile of the group: the elements of its
 * windows (BLOCK and a halo of half a window on either side) are loaded to local memory once and
 * read there width times. The halo has the elements of windows at the group's borders that belong
 * to neighbouring groups; beyond the ends of the vector it is zero.
 *
 * Local memory is small and a window may be wide, so the windows are divided into chunks of CHUNK
 * terms. Chunks use two tiles alternately: a work-item that loads the next chunk does not change
 * the chunk that other work-items still read, so one barrier per chunk is enough.
 *
 * Block: BLOCK work-items. Groups: ceil(n / BLOCK).
 * Limited by: local memory: width reads per output, without bank conflicts.
 * Book: PMPP 4th ed., 7.4 (tiles with halo). This is no privatization: nothing is merged.
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void window_private(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong width)
{
	__local float tile[2][BLOCK + CHUNK] __attribute__((aligned(16)));
	int t = get_local_id(0);
	ulong first = (ulong)get_group_id(0) * BLOCK;
	ulong start = first - width / 2; /* below 0: wraps past n */
	int terms = (int)width;
	float sum = 0.0f;

	for (int c = 0; c < terms; c += CHUNK) {
		__local float *now = tile[c / CHUNK % 2];
		int count = terms - c < CHUNK ? terms - c : CHUNK;

		for (int k = t; k < BLOCK + count - 1; k += BLOCK) {
			ulong j = start + c + k;

			now[k] = j < n ? A[j] : 0.0f;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int k = 0; k < count; k++)
			sum += now[t + k];
	}
	if (first + t < n)
		B[first + t] = sum;
}
