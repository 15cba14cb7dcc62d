/*
 * Pointer chase: the first word of each line in next[] is the number of the next line. Every load
 * needs the result of the previous load, so a hop takes the latency of the memory that has the
 * line. The kernel runs STARTS chases of `hops` hops, CHAINS at a time. Their loads are
 * independent: CHAINS of them are in flight, and by Little's law (in flight = latency x rate) a hop
 * costs 1 / CHAINS of the latency at best (docs/results/nvidia-h200/latency-chains-cuda.json).
 *
 * One work-item runs the chases. First its group reads the whole working set if it may fit a cache:
 * the L1 is empty when a launch begins, and in a cold run all caches are. A larger set is not read,
 * because only a part of it would stay in L2. The group checks the values: it does not start chases
 * that would leave the array.
 *
 * Block: BLOCK work-items. Groups: one. CHAINS divides STARTS.
 * Limited by: latency.
 * Book: PMPP 4th ed., 4.6 (latency tolerance), 6.2 (hiding memory latency).
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void latency_chains(
	__global const uint *restrict next, __global uint *restrict R, ulong n, ulong hops)
{
	__local uint largest[BLOCK] __attribute__((aligned(16)));
	uint item = (uint)get_local_id(0);
	uint most = 0;

	if (n <= WARM_LINES)
		for (uint i = item; i < n; i += BLOCK) {
			uint seen = next[(size_t)i * LINE_WORDS];

			most = seen > most ? seen : most;
		}
	largest[item] = most;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (item > 0)
		return;
	for (int t = 1; t < BLOCK; t++)
		most = largest[t] > most ? largest[t] : most;
	if (most >= n)
		return;
	for (int first = 0; first < STARTS; first += CHAINS) {
		uint line[CHAINS];

#pragma unroll
		for (int c = 0; c < CHAINS; c++)
			line[c] = (uint)((ulong)(first + c) * n / STARTS);
		for (ulong h = 0; h < hops; h++) {
#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				line[c] = next[(size_t)line[c] * LINE_WORDS];
		}
#pragma unroll
		for (int c = 0; c < CHAINS; c++)
			R[first + c] = line[c];
	}
}
