/*
 * Sliding sum, one output a work-item, from a private copy of the block: the elements that its
 * windows cover, BLOCK and a halo of half a window on either side, are loaded to local memory once
 * and read there width times. The halo is what a copy of the block's own elements alone would lack:
 * windows at its borders reach into the neighbours', and beyond the ends of the vector into zeros.
 *
 * Local memory is small and a window may be wide, so the windows are taken in stretches of CHUNK
 * terms. Stretches go to two tiles in turn: who loads the next one cannot disturb who still reads
 * this one, and one barrier a stretch is enough.
 *
 * Block: BLOCK work-items. Groups: ceil(n / BLOCK).
 * Limited by: local memory: width reads an output, each of all banks once.
 * Book: PMPP 4th ed., 7.4 (tiles with halo), 6.4 (privatization).
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void window_private(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong width)
{
	__local float tile[2][BLOCK + CHUNK] __attribute__((aligned(16)));
	int t = get_local_id(0);
	ulong first = (ulong)get_group_id(0) * BLOCK;
	ulong start = first - width / 2; /* below 0: past every n */
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
