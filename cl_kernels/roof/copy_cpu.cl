/*
 * Memory bandwidth of a CPU, reading and writing: one work-item copies SPAN contiguous elements in
 * vectors of 16. The stores bypass the cache if the compiler supports this: a line that is
 * completely overwritten is not read first. With outputs = n and one pass this is a copy. In
 * general B[j] = passes * sum of A[i] over i = j modulo outputs.
 *
 * Block: 1 work-item. Groups: ceil(outputs / SPAN). Operands begin on 64-byte boundaries; SPAN is a
 * multiple of 16.
 * Limited by: memory.
 */
#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define STORE(value, target) __builtin_nontemporal_store(value, target)
#endif
#endif
#ifndef STORE
#define STORE(value, target) (*(target) = (value))
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void roof_copy_cpu(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong outputs,
	int passes)
{
	ulong first = (ulong)get_group_id(0) * SPAN;
	float scale = (float)passes;

	if (outputs == n && first + SPAN <= n) {
		__global const float16 *from = (__global const float16 *)(A + first);
		__global float16 *to = (__global float16 *)(B + first);

		for (int v = 0; v < SPAN / 16; v++)
			STORE(from[v] * scale, to + v);
	} else {
		for (ulong j = first; j < outputs && j < first + SPAN; j++) {
			float sum = 0.0f;

			for (ulong i = j; i < n; i += outputs)
				sum += A[i];
			B[j] = sum * scale;
		}
	}
}
