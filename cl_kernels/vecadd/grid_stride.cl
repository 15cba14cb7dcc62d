/*
 * Vector addition C = A + B with a fixed number of work-items, which stride through the vector by
 * the size of the whole range. Neighbouring items take neighbouring elements in every step, so the
 * accesses stay coalesced however many elements an item gets.
 *
 * Block: BLOCK work-items. Groups: any number from 1; enough to fill the device, a few a compute
 * unit.
 * Limited by: memory, and by latency where the range is too small to keep it busy.
 * Book: PMPP 4th ed., 6.3 (coarsening that keeps the coalescing of 6.1).
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void vecadd_grid_stride(
	__global const float *restrict A, __global const float *restrict B,
	__global float *restrict C, ulong n)
{
	ulong first = (ulong)get_group_id(0) * BLOCK + get_local_id(0);
	ulong stride = (ulong)get_num_groups(0) * BLOCK;

	for (ulong i = first; i < n; i += stride)
		C[i] = A[i] + B[i];
}
