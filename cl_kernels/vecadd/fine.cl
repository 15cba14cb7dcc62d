/*
 * Vector addition C = A + B, one element a work-item: the first kernel of the book, and the
 * yardstick for the other variants of this family.
 *
 * Stored as f16 or u8, the same additions move a half or a quarter of the bytes, which is all that
 * a kernel limited by memory has to gain. This one hardly gets it: its work-items are as many as
 * before, with fewer bytes under way each. See vector4.
 *
 * Block: BLOCK work-items. Groups: ceil(n / BLOCK).
 * Limited by: memory, 12 bytes for one addition (f16: 6, u8: 3); where bandwidth is plentiful, by
 * latency: the two loads of each work-item, of one element, are too few bytes under way to keep the
 * memory busy.
 * Book: PMPP 4th ed., 2.3 to 2.5; 6.3 (fine-grained, before coarsening).
 */

/* How an element is stored: it is widened, added, and rounded once (u8: cut to its low 8 bits). */
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
