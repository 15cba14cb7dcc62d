/*
 * Histogram, coarse and interleaved, where a thread holds back its additions: as long as the value
 * stays the same it counts in a register, and adds the run when another value comes. Runs of equal
 * values, which are the worst case for threads that meet in one counter, become the best one. Where
 * values seldom repeat, the comparisons are for nothing.
 *
 * Block: BLOCK threads. Groups: at most ceil(n / (BLOCK * CHUNK_VALUES)), and as many as the
 * device holds at once. Shared memory: 4 * bins bytes. H holds zeros; A begins on a 16-byte
 * boundary; n < 2^32.
 * Limited by: memory on constant data; on random data as the coarse kernel, and by its branches.
 * Book: PMPP 4th ed., 9.6, Fig. 9.15.
 */

/* The values of 16 bytes. */
#ifdef DTYPE_U8
typedef unsigned char element;
#define CHUNK_VALUES 16
#define COUNT_WORD(word)                   \
	do {                               \
		COUNT((word) & 255);       \
		COUNT((word) >> 8 & 255);  \
		COUNT((word) >> 16 & 255); \
		COUNT((word) >> 24);       \
	} while (0)
#else
typedef unsigned element;
#define CHUNK_VALUES 4
#define COUNT_WORD(word) COUNT(word)
#endif

/* `next` is read once: it may be an expression. */
#define COUNT(next)                                                \
	do {                                                       \
		unsigned value = (next);                           \
		if (value == previous) {                           \
			run++;                                     \
		} else {                                           \
			if (previous < bin_count)                  \
				atomicAdd(&counts[previous], run); \
			previous = value;                          \
			run = 1;                                   \
		}                                                  \
	} while (0)

extern "C" __global__ void __launch_bounds__(BLOCK) histogram_aggregated(
	const element *__restrict__ A, unsigned *__restrict__ H, unsigned long long n,
	unsigned long long bins)
{
	extern __shared__ unsigned counts[];
	unsigned group = blockIdx.x;
	unsigned lane = threadIdx.x;
	unsigned bin_count = (unsigned)bins;
	unsigned thread = group * BLOCK + lane;
	unsigned threads = gridDim.x * BLOCK;
	const uint4 *chunks = (const uint4 *)A;
	unsigned chunk_count = (unsigned)(n / CHUNK_VALUES);
	unsigned tail = (unsigned)(n % CHUNK_VALUES);
	unsigned previous = bin_count; /* none: the first value begins a run */
	unsigned run = 0;

	for (unsigned b = lane; b < bin_count; b += BLOCK)
		counts[b] = 0;
	__syncthreads();

	for (unsigned i = thread; i < chunk_count; i += threads) {
		uint4 chunk = chunks[i];

		COUNT_WORD(chunk.x);
		COUNT_WORD(chunk.y);
		COUNT_WORD(chunk.z);
		COUNT_WORD(chunk.w);
	}
	if (thread < tail)
		COUNT(A[n - 1 - thread]);
	if (run > 0 && previous < bin_count)
		atomicAdd(&counts[previous], run);
	__syncthreads();

	for (unsigned b = lane; b < bin_count; b += BLOCK)
		if (counts[b] > 0)
			atomicAdd(&H[b], counts[b]);
}
