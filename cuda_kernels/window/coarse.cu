/*
 * Sliding sum, RUNLENGTH neighbouring outputs per thread. Their windows differ only at the ends.
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
 * The elements are in tiles in shared memory, CHUNK terms at a time, with two alternating tiles as
 * in the private kernel. Beyond an end a thread loads another element and uses zero: there is no
 * branch between its loads, and all are in flight together. The outputs of neighbouring threads are
 * RUNLENGTH apart, an odd number, so the threads of a warp read different banks. The results pass
 * through the free tile, so that neighbouring threads store neighbouring elements.
 *
 * Block: BLOCK threads. Groups: ceil(n / (BLOCK * RUNLENGTH)).
 * Limited by: memory.
 * Book: PMPP 4th ed., 6.3 (coarsening), 7.4 (tiles with halo).
 */
#define OUTPUTS (BLOCK * RUNLENGTH)

extern "C" __global__ void __launch_bounds__(BLOCK) window_coarse(const float *__restrict__ A,
	float *__restrict__ B, unsigned long long n, unsigned long long width)
{
	__shared__ __align__(16) float tile[2][OUTPUTS + CHUNK];
	int t = threadIdx.x;
	unsigned long long first = (unsigned long long)blockIdx.x * OUTPUTS;
	unsigned long long start = first - width / 2; /* below 0: wraps past n */
	int terms = (int)width;
	int current = 1, count = 0;
	const float *own = tile[0];
	float left[RUNLENGTH];
	float core = 0.0f;

	for (int c = 0; c < terms; c += CHUNK) {
		current = 1 - current;
		count = terms - c < CHUNK ? terms - c : CHUNK;
		float *now = tile[current];
		float value[RUNLENGTH];

#pragma unroll
		for (int r = 0; r < RUNLENGTH; r++) {
			unsigned long long j = start + c + r * BLOCK + t;

			value[r] = A[j < n ? j : n - 1];
			value[r] = j < n ? value[r] : 0.0f;
		}
#pragma unroll
		for (int r = 0; r < RUNLENGTH; r++)
			now[r * BLOCK + t] = value[r];
		for (int k = OUTPUTS + t; k < OUTPUTS + count - 1; k += BLOCK) {
			unsigned long long j = start + c + k;
			float last = A[j < n ? j : n - 1];

			now[k] = j < n ? last : 0.0f;
		}
		__syncthreads();

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

	float *result = tile[1 - current] + t * RUNLENGTH;
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
	__syncthreads();
#pragma unroll
	for (int r = 0; r < RUNLENGTH; r++)
		if (first + r * BLOCK + t < n)
			B[first + r * BLOCK + t] = tile[1 - current][r * BLOCK + t];
}
