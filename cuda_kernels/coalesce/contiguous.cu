/*
 * Copy B = A, one element per thread; neighbouring threads copy neighbouring elements. A warp's
 * load and store each cover 128 aligned bytes: one line of four 32-byte sectors, all of them used.
 * The other variants are compared with this one.
 *
 * Block: BLOCK threads. Groups: ceil(n / BLOCK).
 * Limited by: memory; if the bandwidth is high, by latency: 4 bytes in flight per thread.
 * Book: PMPP 4th ed., 6.1 (coalescing: consecutive threads, consecutive locations).
 */
extern "C" __global__ void __launch_bounds__(BLOCK) coalesce_contiguous(
	const float *__restrict__ A, float *__restrict__ B, unsigned long long n)
{
	unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;

	if (i < n)
		B[i] = A[i];
}
