/*
 * Vector addition C = A + B, one 16-byte access per work-item: four words of 4 bytes, which are 4
 * elements of f32, 8 of f16 or 16 of u8. It needs a quarter of the load and store instructions
 * (f16: an eighth, u8: a sixteenth), and every warp instruction still accesses contiguous memory.
 * The last work-item adds the remaining elements one by one.
 *
 * Narrow types gain most here: the bytes in flight are those of f32, so f16 takes half of its time
 * and u8 a quarter.
 *
 * Block: BLOCK work-items. Groups: ceil(n / (PER_VECTOR * BLOCK)). The operands begin on 16-byte
 * boundaries.
 * Limited by: memory: 32 bytes in flight per work-item hide its latency.
 * Book: PMPP 4th ed., 6.1 and 6.3 (coarsening, with one access for a work-item's elements).
 */

/* Storage type: elements are converted, added, and rounded once (u8: low 8 bits of the sum). */
#if defined(DTYPE_F32)
#define ELEMENT float
#define LOAD(array, i) ((array)[i])
#define STORE(array, i, x) ((array)[i] = (x))
#define PER_VECTOR (VECTOR_BYTES / 4)
#define ADD_WORDS(a, b) as_uint4(as_float4(a) + as_float4(b))
#elif defined(DTYPE_F16)
#define ELEMENT half
#define LOAD(array, i) vload_half(i, array)
#define STORE(array, i, x) vstore_half_rte(x, i, array)
#define PER_VECTOR (VECTOR_BYTES / 2)
#define ADD_WORDS(a, b) \
	(uint4)(add_halves(a.x, b.x), add_halves(a.y, b.y), add_halves(a.z, b.z), \
		add_halves(a.w, b.w))

uint add_halves(uint a, uint b)
{
	float2 x = vload_half2(0, (const half *)&a);
	float2 y = vload_half2(0, (const half *)&b);
	uint sum;

	vstore_half2_rte(x + y, 0, (half *)&sum);
	return sum;
}
#elif defined(DTYPE_U8)
#define ELEMENT uchar
#define LOAD(array, i) ((array)[i])
#define STORE(array, i, x) ((array)[i] = (ELEMENT)(x))
#define PER_VECTOR VECTOR_BYTES
/* Adds four bytes at once: no carry passes a byte's top bit, which is added with xor. */
#define ADD_WORDS(a, b) (((a & LOW_BITS) + (b & LOW_BITS)) ^ ((a ^ b) & ~LOW_BITS))
#define LOW_BITS 0x7f7f7f7fu
#endif

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void vecadd_vector4(
	__global const ELEMENT *restrict A, __global const ELEMENT *restrict B,
	__global ELEMENT *restrict C, ulong n)
{
	ulong i = ((ulong)get_group_id(0) * BLOCK + get_local_id(0)) * PER_VECTOR;

	if (i + PER_VECTOR <= n) {
		/* Not vload4(): that promises 4-byte alignment only, and may become four loads. */
		uint4 a = *(__global const uint4 *)(A + i);
		uint4 b = *(__global const uint4 *)(B + i);

		*(__global uint4 *)(C + i) = ADD_WORDS(a, b);
	} else {
		for (; i < n; i++)
			STORE(C, i, LOAD(A, i) + LOAD(B, i));
	}
}
