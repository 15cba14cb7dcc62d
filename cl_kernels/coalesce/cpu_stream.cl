/*
 * Copy B = A for a CPU: a core reads memory fastest in contiguous runs, as a warp does with
 * coalesced accesses. One work-item copies SPAN neighbouring elements in vectors of 16, one cache
 * line each. If B has STREAM_BYTES or more, it would not stay in the cache. Then the stores bypass
 * it, if the compiler supports this: a line that is completely overwritten is not read first.
 *
 * Block: 1 work-item. Groups: ceil(n / SPAN). Operands begin on 64-byte boundaries; SPAN is a
 * multiple of 16.
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

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void coalesce_cpu_stream(
	__global const float *restrict A, __global float *restrict B, ulong n)
{
	ulong first = (ulong)get_group_id(0) * SPAN;
	ulong left = n - first;
	int count = left < SPAN ? (int)left : SPAN;
	__global const float16 *from = (__global const float16 *)(A + first);
	__global float16 *to = (__global float16 *)(B + first);

	if (n * sizeof(float) >= STREAM_BYTES) {
		for (int v = 0; v < count / 16; v++)
			STREAM(from[v], to + v);
	} else {
		for (int v = 0; v < count / 16; v++)
			to[v] = from[v];
	}
	for (int i = count / 16 * 16; i < count; i++)
		B[first + i] = A[first + i];
}
