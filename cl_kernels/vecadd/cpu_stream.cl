/*
 * Vector addition C = A + B for a CPU: one work-item adds SPAN neighbouring elements, 16 words of 4
 * bytes at a time (f16: 16 elements). If C has STREAM_BYTES or more, it would not stay in the
 * cache. Then the stores bypass it, if the compiler supports this: a line that is completely
 * overwritten is not read first.
 *
 * Block: 1 work-item. Groups: ceil(n / SPAN). Operands begin on 64-byte boundaries; SPAN is a
 * multiple of 64.
 * Limited by: memory.
 * Book: -
 */

#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define STREAM(value, target) __builtin_nontemporal_store(value, target)
#endif
#endif
#ifndef STREAM
#define STREAM(value, target) (*(target) = (value))
#endif

/* Storage type: elements are converted, added, and rounded once (u8: low 8 bits of the sum). */
#if defined(DTYPE_F32)
#define ELEMENT float
#define BYTES 4
#define VECTOR float16
#define PER_VECTOR 16
#define ADD(a, b) (a + b)
#define LOAD(array, i) ((array)[i])
#define STORE(array, i, x) ((array)[i] = (x))
#elif defined(DTYPE_F16)
#define ELEMENT half
#define BYTES 2
#define VECTOR ushort16
#define PER_VECTOR 16
#define ADD(a, b) add_halves(a, b)
#define LOAD(array, i) vload_half(i, array)
#define STORE(array, i, x) vstore_half_rte(x, i, array)

ushort16 add_halves(ushort16 a, ushort16 b)
{
	float16 x = vloada_half16(0, (const half *)&a);
	float16 y = vloada_half16(0, (const half *)&b);
	ushort16 sum;

	vstorea_half16_rte(x + y, 0, (half *)&sum);
	return sum;
}
#elif defined(DTYPE_U8)
#define ELEMENT uchar
#define BYTES 1
#define VECTOR uint16
#define PER_VECTOR 64
/* Adds four bytes at once: no carry passes a byte's top bit, which is added with xor. */
#define ADD(a, b) (((a & LOW_BITS) + (b & LOW_BITS)) ^ ((a ^ b) & ~LOW_BITS))
#define LOW_BITS 0x7f7f7f7fu
#define LOAD(array, i) ((array)[i])
#define STORE(array, i, x) ((array)[i] = (ELEMENT)(x))
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void vecadd_cpu_stream(
	__global const ELEMENT *restrict A, __global const ELEMENT *restrict B,
	__global ELEMENT *restrict C, ulong n)
{
	ulong first = (ulong)get_group_id(0) * SPAN;
	ulong left = n - first;
	int count = left < SPAN ? (int)left : SPAN;
	int vectors = count / PER_VECTOR;
	__global const VECTOR *a = (__global const VECTOR *)(A + first);
	__global const VECTOR *b = (__global const VECTOR *)(B + first);
	__global VECTOR *c = (__global VECTOR *)(C + first);

	if (n * BYTES >= STREAM_BYTES) {
		for (int v = 0; v < vectors; v++)
			STREAM(ADD(a[v], b[v]), c + v);
	} else {
		for (int v = 0; v < vectors; v++)
			c[v] = ADD(a[v], b[v]);
	}
	for (ulong i = first + vectors * PER_VECTOR; i < first + count; i++)
		STORE(C, i, LOAD(A, i) + LOAD(B, i));
}
