/*
 * Vector addition C = A + B, COARSE neighbouring elements a thread. A thread's elements are
 * contiguous, so the threads of a warp lie COARSE elements apart: each load touches COARSE times
 * the sectors that it uses at once. L1 holds the rest until the next iteration, but nothing is
 * gained: there is no work that the blocks would have done twice. Coarsening needs such work to
 * pay.
 *
 * Block: BLOCK threads. Groups: ceil(n / (BLOCK * COARSE)).
 * Limited by: memory.
 * Book: PMPP 4th ed., 6.3 (and its first pitfall: coarsening where it is not needed).
 */
extern "C" __global__ void __launch_bounds__(BLOCK) vecadd_coarse(const float *__restrict__ A,
	const float *__restrict__ B, float *__restrict__ C, unsigned long long n)
{
	unsigned long long first = ((unsigned long long)blockIdx.x * BLOCK + threadIdx.x) * COARSE;

#pragma unroll
	for (int c = 0; c < COARSE; c++) {
		unsigned long long i = first + c;

		if (i < n)
			C[i] = A[i] + B[i];
	}
}
