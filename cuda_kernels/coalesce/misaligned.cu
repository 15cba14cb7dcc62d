/*
 * Copy B = A, contiguous, with an offset of OFFSET elements: thread i copies element i - OFFSET.
 * The first OFFSET threads have no element, because the unsigned difference wraps to a value above
 * n. A warp's 128 bytes then straddle two lines. Unless OFFSET is a multiple of 8, they are in five
 * sectors instead of four. Two of the five are shared with neighbouring warps, so a cache already
 * has them: on a GPU with a cache, misalignment alone costs little.
 *
 * Block: BLOCK threads. Groups: ceil((n + OFFSET) / BLOCK).
 * Limited by: memory, as contiguous.
 * Book: PMPP 4th ed., 6.1.
 */
extern "C" __global__ void __launch_bounds__(BLOCK) coalesce_misaligned(
	const float *__restrict__ A, float *__restrict__ B, unsigned long long n)
{
	unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
	unsigned long long element = i - OFFSET;

	if (element < n)
		B[element] = A[element];
}
