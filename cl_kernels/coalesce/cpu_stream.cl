/*
 * Copy B = A for a CPU: what coalescing is to a warp, a contiguous run through memory is to a core.
 * One work-item copies SPAN neighbouring elements in vectors of 16, a cache line each. Where B
 * takes STREAM_BYTES or more, and so would not stay in the cache anyway, it is stored past it if
 * the compiler knows how: a line that is overwritten whole need not be read first.
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
