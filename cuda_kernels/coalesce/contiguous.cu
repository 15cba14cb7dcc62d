/*
 * Copy B = A, one element a thread, neighbouring threads neighbouring elements: a warp's load and
 * its store each cover 128 contiguous bytes from a 128-byte boundary on. That is one line of four
 * 32-byte sectors, and every byte that moves is used: the yardstick of this family.
 *
 * Block: BLOCK threads. Groups: ceil(n / BLOCK).
 * Limited by: memory; where bandwidth is plentiful, by latency: 4 bytes under way for each thread.
 * Book: PMPP 4th ed., 6.1 (coalescing: consecutive threads, consecutive locations).
 */
extern "C" __global__ void __launch_bounds__(BLOCK) coalesce_contiguous(
	const float *__restrict__ A, float *__restrict__ B, unsigned long long n)
{
	unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;

	if (i < n)
		B[i] = A[i];
}
