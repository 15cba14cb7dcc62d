/*
 * Sliding sum, one output a thread, from a private copy of the block: the elements that its windows
 * cover, BLOCK and a halo of half a window on either side, are loaded to shared memory once and
 * read there width times. The halo is what a copy of the block's own elements alone would lack:
 * windows at its borders reach into the neighbours', and beyond the ends of the vector into zeros.
 *
 * Shared memory is small and a window may be wide, so the windows are taken in stretches of CHUNK
 * terms. Stretches go to two tiles in turn: who loads the next one cannot disturb who still reads
 * this one, and one barrier a stretch is enough.
 *
 * Block: BLOCK threads. Groups: ceil(n / BLOCK).
 * Limited by: shared memory: width reads an output, each of all banks once.
 * Book: PMPP 4th ed., 7.4 (tiles with halo), 6.4 (privatization).
 */
extern "C" __global__ void __launch_bounds__(BLOCK) window_private(const float *__restrict__ A,
	float *__restrict__ B, unsigned long long n, unsigned long long width)
{
	__shared__ __align__(16) float tile[2][BLOCK + CHUNK];
	int t = threadIdx.x;
	unsigned long long first = (unsigned long long)blockIdx.x * BLOCK;
	unsigned long long start = first - width / 2; /* below 0: past every n */
	int terms = (int)width;
	float sum = 0.0f;

	for (int c = 0; c < terms; c += CHUNK) {
		float *now = tile[c / CHUNK % 2];
		int count = terms - c < CHUNK ? terms - c : CHUNK;

		for (int k = t; k < BLOCK + count - 1; k += BLOCK) {
			unsigned long long j = start + c + k;

			now[k] = j < n ? A[j] : 0.0f;
		}
		__syncthreads();
		for (int k = 0; k < count; k++)
			sum += now[t + k];
	}
	if (first + t < n)
		B[first + t] = sum;
}
