/*
 * Vector addition C = A + B with a fixed number of threads, which go through the vector in steps of
 * the grid size. Neighbouring threads take neighbouring elements in every step, so the accesses are
 * coalesced for any number of elements per thread.
 *
 * Block: BLOCK threads. Groups: any number from 1; enough to fill the device, a few per
 * multiprocessor.
 * Limited by: memory; by latency if the grid is too small.
 * Book: PMPP 4th ed., 6.3 (coarsening that keeps the coalescing of 6.1).
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

extern "C" __global__ void __launch_bounds__(BLOCK) vecadd_grid_stride(
	const ELEMENT *__restrict__ A, const ELEMENT *__restrict__ B, ELEMENT *__restrict__ C,
	unsigned long long n)
{
	unsigned long long stride = (unsigned long long)gridDim.x * BLOCK;

	for (unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x; i < n;
		i += stride)
		STORE(C, i, LOAD(A, i) + LOAD(B, i));
}
