/*
 * Vector addition C = A + B with a fixed number of work-items, which go through the vector in steps
 * of the grid size. Neighbouring work-items take neighbouring elements in every step, so the
 * accesses are coalesced for any number of elements per work-item.
 *
 * Block: BLOCK work-items. Groups: any number from 1; enough to fill the device, a few per compute
 * unit.
 * Limited by: memory; by latency if the grid is too small.
 * Book: PMPP 4th ed., 6.3 (coarsening that keeps the coalescing of 6.1).
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

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void vecadd_grid_stride(
	__global const ELEMENT *restrict A, __global const ELEMENT *restrict B,
	__global ELEMENT *restrict C, ulong n)
{
	ulong first = (ulong)get_group_id(0) * BLOCK + get_local_id(0);
	ulong stride = (ulong)get_num_groups(0) * BLOCK;

	for (ulong i = first; i < n; i += stride)
		STORE(C, i, LOAD(A, i) + LOAD(B, i));
}
