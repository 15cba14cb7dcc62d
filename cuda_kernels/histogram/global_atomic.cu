/*
 * Histogram, one thread per value: each increments the counter of its value in global memory. There
 * are few counters and many threads, so additions to one counter wait for each other.
 *
 * Block: BLOCK threads. Groups: ceil(n / BLOCK). H holds zeros.
 * Limited by: atomic additions: the number per second on one counter (one line of the L2 cache).
 * Book: PMPP 4th ed., 9.2 and 9.3, Fig. 9.6.
 */

#ifdef DTYPE_U8
typedef unsigned char element;
#else
typedef unsigned element;
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) histogram_global_atomic(
	const element *__restrict__ A, unsigned *__restrict__ H, unsigned long long n,
	unsigned long long bins)
{
	unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;

	if (i < n) {
		unsigned value = A[i];

		if (value < bins)
			atomicAdd(&H[value], 1u);
	}
}
