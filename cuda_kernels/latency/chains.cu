/*
 * Pointer chase: the first word of each line in next[] is the number of the next line. Every load
 * needs the result of the previous load, so a hop takes the latency of the memory that has the
 * line. The kernel runs STARTS chases of `hops` hops, CHAINS at a time. Their loads are
 * independent: CHAINS of them are in flight, and by Little's law (in flight = latency x rate) a hop
 * costs 1 / CHAINS of the latency at best (docs/results/nvidia-h200/latency-chains-cuda.json).
 *
 * One thread runs the chases. First its block reads the whole working set if it may fit a cache:
 * the L1 is empty when a launch begins, and in a cold run all caches are. A larger set is not read,
 * because only a part of it would stay in L2. The block checks the values: it does not start chases
 * that would leave the array.
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
