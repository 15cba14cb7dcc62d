/*
 * Vector addition C = A + B, one element per work-item: the first kernel of the book. The other
 * variants of this family are compared with it.
 *
 * With f16 or u8 the same additions move a half or a quarter of the bytes, the only possible gain
 * of a kernel that memory limits. This kernel gains little: it has the same number of work-items,
 * each with fewer bytes in flight. See vector4.
 *
 * Block: BLOCK work-items. Groups: ceil(n / BLOCK).
 * Limited by: memory, 12 bytes for one addition (f16: 6, u8: 3); if the bandwidth is high, by
 * latency: with two loads of one element, each work-item has too few bytes in flight to keep the
 * memory busy.
 * Book: PMPP 4th ed., 2.3 to 2.5; 6.3 (fine-grained, before coarsening).
 */

/* Storage type: elements are converted, added, and rounded once (u8: low 8 bits of the sum). */
#if defined(DTYPE_F32)
#define ELEMENT float
#define LOAD(array, i) ((array)[i])
#define STORE(array, i, x) ((array)[i] = (x))
#elif defined(DTYPE_F16)
#define ELEMENT half
#define LOAD(array, i) vload_half(i, array)
#define STORE(array, i, x) vstore_half_rte(x, i, array)
#elif defined(DTYPE_U8)
#define ELEMENT uchar
#define LOAD(array, i) ((array)[i])
#define STORE(array, i, x) ((array)[i] = (ELEMENT)(x))
#endif

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void vecadd_fine(
	__global const ELEMENT *restrict A, __global const ELEMENT *restrict B,
	__global ELEMENT *restrict C, ulong n)
{
	ulong i = (ulong)get_group_id(0) * BLOCK + get_local_id(0);

	if (i < n)
		STORE(C, i, LOAD(A, i) + LOAD(B, i));
}
