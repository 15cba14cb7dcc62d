/*
 * Vector addition C = A + B, one 16-byte access per thread: four words of 4 bytes, which are 4
 * elements of f32, 8 of f16 or 16 of u8. It needs a quarter of the load and store instructions
 * (f16: an eighth, u8: a sixteenth), and every warp instruction still accesses contiguous memory.
 * The last thread adds the remaining elements one by one.
 *
 * Narrow types gain most here: the bytes in flight are those of f32, so f16 takes half of its time
 * and u8 a quarter.
 *
 * Block: BLOCK threads. Groups: ceil(n / (PER_VECTOR * BLOCK)). The operands begin on 16-byte
 * boundaries.
 * Limited by: memory: 32 bytes in flight per thread hide its latency.
 * Book: PMPP 4th ed., 6.1 and 6.3 (coarsening, with one access for a thread's elements).
 */

/* Storage type: elements are converted, added, and rounded once (u8: low 8 bits of the sum). */
#if defined(DTYPE_F32)
#define ELEMENT float
#define LOAD(array, i) ((array)[i])
#define STORE(array, i, x) ((array)[i] = (x))
#define PER_VECTOR (VECTOR_BYTES / 4)
#define ADD_WORDS(a, b) __float_as_uint(__uint_as_float(a) + __uint_as_float(b))
#elif defined(DTYPE_F16)
#include <cuda_fp16.h>
#define ELEMENT __half
#define LOAD(array, i) __half2float((array)[i])
#define STORE(array, i, x) ((array)[i] = __float2half_rn(x))
#define PER_VECTOR (VECTOR_BYTES / 2)
#define ADD_WORDS(a, b) add_halves(a, b)

__device__ static inline unsigned add_halves(unsigned a, unsigned b)
{
	float2 x = __half22float2(*(const __half2 *)&a);
	float2 y = __half22float2(*(const __half2 *)&b);
	__half2 sum = __floats2half2_rn(x.x + y.x, x.y + y.y);

	return *(const unsigned *)&sum;
}
#elif defined(DTYPE_U8)
#define ELEMENT unsigned char
#define LOAD(array, i) ((array)[i])
#define STORE(array, i, x) ((array)[i] = (ELEMENT)(x))
#define PER_VECTOR VECTOR_BYTES
/* Adds four bytes at once: no carry passes a byte's top bit, which is added with xor. */
#define ADD_WORDS(a, b) ((((a) & LOW_BITS) + ((b) & LOW_BITS)) ^ (((a) ^ (b)) & ~LOW_BITS))
#define LOW_BITS 0x7f7f7f7fu
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) vecadd_vector4(const ELEMENT *__restrict__ A,
	const ELEMENT *__restrict__ B, ELEMENT *__restrict__ C, unsigned long long n)
{
	unsigned long long i =
		((unsigned long long)blockIdx.x * BLOCK + threadIdx.x) * PER_VECTOR;

	if (i + PER_VECTOR <= n) {
		uint4 a = *(const uint4 *)(A + i);
		uint4 b = *(const uint4 *)(B + i);

		*(uint4 *)(C + i) = make_uint4(ADD_WORDS(a.x, b.x), ADD_WORDS(a.y, b.y),
			ADD_WORDS(a.z, b.z), ADD_WORDS(a.w, b.w));
	} else {
		for (; i < n; i++)
			STORE(C, i, LOAD(A, i) + LOAD(B, i));
	}
}
