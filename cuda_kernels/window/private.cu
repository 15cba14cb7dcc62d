/*
 * Sliding sum, one output per thread, from a shared tile of the block: the elements of its windows
 * (BLOCK and a halo of half a window on either side) are loaded to shared memory once and read
 * there width times. The halo has the elements of windows at the block's borders that belong to
 * neighbouring blocks; beyond the ends of the vector it is zero.
 *
 * Shared memory is small and a window may be wide, so the windows are divided into chunks of CHUNK
 * terms. Chunks use two tiles alternately: a thread that loads the next chunk does not change the
 * chunk that other threads still read, so one barrier per chunk is enough.
 *
 * Block: BLOCK threads. Groups: ceil(n / BLOCK).
 * Limited by: shared memory: width reads per output, without bank conflicts.
 * Book: PMPP 4th ed., 7.4 (tiles with halo). This is no privatization: nothing is merged.
 */
extern "C" __global__ void __launch_bounds__(BLOCK) window_private(const float *__restrict__ A,
	float *__restrict__ B, unsigned long long n, unsigned long long width)
{
	__shared__ __align__(16) float tile[2][BLOCK + CHUNK];
	int t = threadIdx.x;
	unsigned long long first = (unsigned long long)blockIdx.x * BLOCK;
	unsigned long long start = first - width / 2; /* below 0: wraps past n */
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
