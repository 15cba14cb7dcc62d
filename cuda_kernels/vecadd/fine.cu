/*
 * Vector addition C = A + B, one element a thread: the first kernel of the book, and the yardstick
 * for the other variants of this family.
 *
 * Block: BLOCK threads. Groups: ceil(n / BLOCK).
 * Limited by: memory, 12 bytes for one addition; where bandwidth is plentiful, by latency: the two
 * 4-byte loads of each thread are too few bytes under way to keep the memory busy.
 * Book: PMPP 4th ed., 2.3 to 2.5; 6.3 (fine-grained, before coarsening).
 */
extern "C" __global__ void __launch_bounds__(BLOCK) vecadd_fine(const float *__restrict__ A,
	const float *__restrict__ B, float *__restrict__ C, unsigned long long n)
{
	unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;

	if (i < n)
		C[i] = A[i] + B[i];
}
