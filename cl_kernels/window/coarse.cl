/*
 * Sliding sum, RUNLENGTH neighbouring outputs per work-item. Their windows differ only at the ends.
 * All of them contain the core, which is added once. Left of the core, window k lacks the first k
 * elements; right of it, it has k more. So an output is a sum of three: the elements left of the
 * core (added from the core outwards), the core, and the elements right of it. This takes about
 * width / RUNLENGTH + 4 additions per output. No term is subtracted: a running sum that subtracts
 * terms would keep their rounding errors.
 *
 *   window 0      L L L C C C C
 *   window 1        L L C C C C R
 *   window 2          L C C C C R R
 *   window 3            C C C C R R R        (width 7, RUNLENGTH 4)
 *
 * The elements are in tiles in local memory, CHUNK terms at a time, with two alternating tiles as
 * in the private kernel. Beyond an end a work-item loads another element and uses zero: there is
 * no branch between its loads, and all are in flight together. The outputs of neighbouring
 * work-items are RUNLENGTH apart, an odd number, so the work-items of a warp read different banks.
 * The results pass through the free tile, so that neighbouring work-items store neighbouring
 * elements.
 *
 * Block: BLOCK work-items. Groups: ceil(n / (BLOCK * RUNLENGTH)).
 * Limited by: memory.
 * Book: PMPP 4th ed., 6.3 (coarsening), 7.4 (tiles with halo).
 */
#define OUTPUTS (BLOCK * RUNLENGTH)

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void window_coarse(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong width)
{
	__local float tile[2][OUTPUTS + CHUNK] __attribute__((aligned(16)));
	int t = get_local_id(0);
	ulong first = (ulong)get_group_id(0) * OUTPUTS;
	ulong start = first - width / 2; /* below 0: wraps past n */
	int terms = (int)width;
	int current = 1, count = 0;
	__local const float *own = tile[0];
	float left[RUNLENGTH];
	float core = 0.0f;

	for (int c = 0; c < terms; c += CHUNK) {
		current = 1 - current;
		count = terms - c < CHUNK ? terms - c : CHUNK;
		__local float *now = tile[current];
		float value[RUNLENGTH];

#pragma unroll
		for (int r = 0; r < RUNLENGTH; r++) {
			ulong j = start + c + r * BLOCK + t;

			value[r] = A[j < n ? j : n - 1];
			value[r] = j < n ? value[r] : 0.0f;
		}
#pragma unroll
		for (int r = 0; r < RUNLENGTH; r++)
			now[r * BLOCK + t] = value[r];
		for (int k = OUTPUTS + t; k < OUTPUTS + count - 1; k += BLOCK) {
			ulong j = start + c + k;
			float last = A[j < n ? j : n - 1];

			now[k] = j < n ? last : 0.0f;
		}
		barrier(CLK_LOCAL_MEM_FENCE);

		int k = 0;
		own = now + t * RUNLENGTH;
		if (c == 0) {
			float sum = 0.0f;

#pragma unroll
			for (int r = RUNLENGTH - 1; r >= 0; r--) {
				left[r] = sum;
				if (r > 0)
					sum += own[r - 1];
			}
			k = RUNLENGTH - 1;
		}
		for (; k < count; k++)
			core += own[k];
	}

	__local float *result = tile[1 - current] + t * RUNLENGTH;
	float right = 0.0f;

	if (terms >= RUNLENGTH) {
#pragma unroll
		for (int r = 0; r < RUNLENGTH; r++) {
			result[r] = left[r] + core + right;
			if (r < RUNLENGTH - 1)
				right += own[count + r];
		}
	} else { /* the windows have no common element */
#pragma unroll
		for (int r = 0; r < RUNLENGTH; r++) {
			float sum = 0.0f;

			for (int k = 0; k < terms; k++)
				sum += own[r + k];
			result[r] = sum;
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
	for (int r = 0; r < RUNLENGTH; r++)
		if (first + r * BLOCK + t < n)
			B[first + r * BLOCK + t] = tile[1 - current][r * BLOCK + t];
}
