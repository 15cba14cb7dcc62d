/*
 * Copy B = A, contiguous, but OFFSET elements off: thread i takes element i - OFFSET, and the first
 * OFFSET threads have none (the unsigned difference wraps to beyond n). A warp's 128 bytes then
 * straddle two lines, and unless OFFSET is a multiple of 8 they touch five sectors instead of four.
 * Two of the five are shared with the neighbouring warps, so a cache holds them already:
 * misalignment by itself costs little on a GPU that has one.
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
