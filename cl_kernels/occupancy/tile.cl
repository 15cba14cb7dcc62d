/*
 * A tile of TILE elements in local memory between the loads and the stores. No element is used
 * twice, so the tile has no benefit. A work-item stores elements that other work-items loaded. A
 * larger tile leaves fewer resident groups, and fewer warps to hide the latency: tiling makes a
 * kernel slower if it does not remove the bottleneck.
 *
 * Block: BLOCK work-items; BLOCK divides TILE. Groups: ceil(n / TILE).
 * Limited by: memory; by latency if the tile leaves too few warps.
 * Book: PMPP 4th ed., 4.7 (resource partitioning), 5.6 (impact of memory usage on occupancy), 6.5
 * (know your computation's bottleneck).
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void occupancy_tile(
	__global const uint *restrict A, __global uint *restrict B, ulong n)
{
	__local uint tile[TILE] __attribute__((aligned(16)));
	int item = (int)get_local_id(0);
	ulong first = (ulong)get_group_id(0) * TILE;

#pragma unroll 4
	for (int t = item; t < TILE; t += BLOCK)
		tile[t] = first + t < n ? A[first + t] : 0;
	barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 4
	for (int t = TILE - 1 - item; t >= 0; t -= BLOCK) {
		uint value = tile[t];

#ifdef OP_GATHER
#pragma unroll
		for (int load = 1; load < LOADS; load++)
			value = A[value];
#else
		value++;
#endif
		if (first + t < n)
			B[first + t] = value;
	}
}
