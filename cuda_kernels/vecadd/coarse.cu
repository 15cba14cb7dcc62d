/*
 * Vector addition C = A + B, COARSE neighbouring elements per thread. A thread's elements are
 * contiguous, so the threads of a warp are COARSE elements apart: each load accesses COARSE
 * times the sectors that it uses at once. L1 keeps the rest for the next iteration, but there
 * is no gain: coarsening only helps if blocks would otherwise repeat work, and here they do
 * not.
 *
 * Block: BLOCK threads. Groups: ceil(n / (BLOCK * COARSE)).
 * Limited by: memory.
 * Book: PMPP 4th ed., 6.3 (and its first pitfall: coarsening where it is not needed).
 */

/* Storage type: elements are converted, added, and rounded once (u8: low 8 bits of the sum). */
#if defined(DTYPE_F32)
#define ELEMENT float
#define LOAD(array, i) ((array)[i])
#define STORE(array, i, x) ((array)[i] = (x))
#elif defined(DTYPE_F16)
#include <cuda_fp16.h>
#define ELEMENT __half
#define LOAD(array, i) __half2float((array)[i])
#define STORE(array, i, x) ((array)[i] = __float2half_rn(x))
#elif defined(DTYPE_U8)
#define ELEMENT unsigned char
#define LOAD(array, i) ((array)[i])
#define STORE(array, i, x) ((array)[i] = (ELEMENT)(x))
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) vecadd_coarse(const ELEMENT *__restrict__ A,
	const ELEMENT *__restrict__ B, ELEMENT *__restrict__ C, unsigned long long n)
{
	unsigned long long first = ((unsigned long long)blockIdx.x * BLOCK + threadIdx.x) * COARSE;

#pragma unroll
	for (int c = 0; c < COARSE; c++) {
		unsigned long long i = first + c;

		if (i < n)
			STORE(C, i, LOAD(A, i) + LOAD(B, i));
	}
}
