/*
 * Vector addition C = A + B, one element per thread: the first kernel of the book. The other
 * variants of this family are compared with it.
 *
 * With f16 or u8 the same additions move a half or a quarter of the bytes, the only possible gain
 * of a kernel that memory limits. This kernel gains little: it has the same number of threads, each
 * with fewer bytes in flight. See vector4.
 *
 * Block: BLOCK threads. Groups: ceil(n / BLOCK).
 * Limited by: memory, 12 bytes for one addition (f16: 6, u8: 3); if the bandwidth is high, by
 * latency: with two loads of one element, each thread has too few bytes in flight to keep the
 * memory busy.
 * Book: PMPP 4th ed., 2.3 to 2.5; 6.3 (fine-grained, before coarsening).
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

extern "C" __global__ void __launch_bounds__(BLOCK) vecadd_fine(const ELEMENT *__restrict__ A,
	const ELEMENT *__restrict__ B, ELEMENT *__restrict__ C, unsigned long long n)
{
	unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;

	if (i < n)
		STORE(C, i, LOAD(A, i) + LOAD(B, i));
}
