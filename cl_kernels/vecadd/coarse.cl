/*
 * Vector addition C = A + B, COARSE neighbouring elements per work-item. A work-item's elements are
 * contiguous, so the work-items of a warp are COARSE elements apart: each load accesses COARSE
 * times the sectors that it uses at once. L1 keeps the rest for the next iteration, but there is no
 * gain: coarsening only helps if groups would otherwise repeat work, and here they do not.
 *
 * Block: BLOCK work-items. Groups: ceil(n / (BLOCK * COARSE)).
 * Limited by: memory.
 * Book: PMPP 4th ed., 6.3 (and its first pitfall: coarsening where it is not needed).
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

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void vecadd_coarse(
	__global const ELEMENT *restrict A, __global const ELEMENT *restrict B,
	__global ELEMENT *restrict C, ulong n)
{
	ulong first = ((ulong)get_group_id(0) * BLOCK + get_local_id(0)) * COARSE;

#pragma unroll
	for (int c = 0; c < COARSE; c++) {
		ulong i = first + c;

		if (i < n)
			STORE(C, i, LOAD(A, i) + LOAD(B, i));
	}
}
