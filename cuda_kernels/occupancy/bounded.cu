/*
 * The kernel of unbounded.cu with launch bounds: the threads of a block, and as many resident
 * blocks as fill the threads of a multiprocessor. The compiler must then use at most 32 registers
 * per thread (compute capability 8.0, 9.0 and 10.0; 40 and 64 on those with fewer threads). It
 * spills the others to local memory, which is in L1. This costs little compared with the memory
 * latency that the additional warps hide.
 *
 * Block: BLOCK threads. Groups: ceil(n / (BLOCK * COARSE)).
 * Limited by: latency.
 * Book: PMPP 4th ed., 4.7 (resource partitioning: registers).
 */

/* Threads of a multiprocessor (CUDA C++ Programming Guide, technical specifications). */
#if __CUDA_ARCH__ == 750
#define RESIDENT_THREADS 1024
#elif __CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200
#define RESIDENT_THREADS 1536
#else
#define RESIDENT_THREADS 2048
#endif

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT_THREADS / BLOCK)
	occupancy_bounded(const unsigned *__restrict__ A, unsigned *__restrict__ B,
		unsigned long long n, unsigned long long zero)
{
	unsigned long long first =
		(unsigned long long)blockIdx.x * (BLOCK * COARSE) + threadIdx.x;
	unsigned long long wait = 0;
	unsigned value[COARSE];

#pragma unroll
	for (int c = 0; c < COARSE; c++) {
		unsigned long long i = first + c * BLOCK + wait;

		value[c] = i < n ? A[i] : 0;
#ifdef OP_GATHER
#pragma unroll
		for (int load = 1; load < LOADS; load++)
			value[c] = A[value[c]];
#endif
		wait = value[c] & zero;
	}
#pragma unroll
	for (int c = 0; c < COARSE; c++) {
		unsigned long long i = first + c * BLOCK + wait;
#ifdef OP_STREAM
		value[c]++;
#endif
		if (i < n)
			B[i] = value[c];
	}
}
