/*
 * Pointer chase: next[] holds the number of a line in the first word of each line, and every load
 * needs the answer of the one before, so a hop takes as long as the memory that holds the line.
 * STARTS chases of `hops` hops are followed, CHAINS at a time. Their loads do not wait for each
 * other: CHAINS of them are under way, and by Little's law (under way = latency x rate) a hop costs
 * 1 / CHAINS of the latency at best (docs/results/nvidia-h200/latency-chains-cuda.json).
 *
 * One thread does it. Before that its block reads the whole of a working set that may fit a cache,
 * because a launch begins with an empty L1, and a cold run with everything else empty too; for
 * larger ones that would only leave a part of them in L2. What was read is looked at: chases through
 * an array that leads outside of it are not begun.
 *
 * Block: BLOCK threads. Groups: one. CHAINS divides STARTS.
 * Limited by: latency.
 * Book: PMPP 4th ed., 4.6 (latency tolerance), 6.2 (hiding memory latency).
 */
extern "C" __global__ void __launch_bounds__(BLOCK) latency_chains(
	const unsigned *__restrict__ next, unsigned *__restrict__ R, unsigned long long n,
	unsigned long long hops)
{
	__shared__ unsigned largest[BLOCK];
	unsigned most = 0;

	if (n <= WARM_LINES)
		for (unsigned i = threadIdx.x; i < n; i += BLOCK) {
			unsigned seen = next[(size_t)i * LINE_WORDS];

			most = seen > most ? seen : most;
		}
	largest[threadIdx.x] = most;
	__syncthreads();
	if (threadIdx.x > 0)
		return;
	for (int t = 1; t < BLOCK; t++)
		most = largest[t] > most ? largest[t] : most;
	if (most >= n)
		return;
	for (int first = 0; first < STARTS; first += CHAINS) {
		unsigned line[CHAINS];

#pragma unroll
		for (int c = 0; c < CHAINS; c++)
			line[c] = (unsigned)((unsigned long long)(first + c) * n / STARTS);
		for (unsigned long long h = 0; h < hops; h++) {
#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				line[c] = next[(size_t)line[c] * LINE_WORDS];
		}
#pragma unroll
		for (int c = 0; c < CHAINS; c++)
			R[first + c] = line[c];
	}
}
