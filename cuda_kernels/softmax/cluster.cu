/*
 * Softmax of long rows, read once and written once: a cluster of blocks shares a row. The blocks of a
 * cluster run at the same time and can store to each other's shared memory. Each block keeps its part of
 * the row in registers and finds the maximum and the sum of its part. It stores both in the shared
 * memory of all blocks of the cluster. After a barrier of the cluster each block scales its part.
 *
 * A row of 131072 columns has 512 KiB: more than the registers and the shared memory of one
 * multiprocessor.
 *
 * Block: BLOCK threads, a power of two, each with up to 4 * SLOTS elements. Groups: rows * CLUSTER.
 * part: columns of a block, a multiple of 4, at most 4 * SLOTS * BLOCK; CLUSTER parts hold a row.
 * Limited by: memory: 8 bytes per element, the minimum.
 * Book: not in PMPP. Clusters: PTX ISA 7.8, barrier.cluster and mapa.
 */
#include "slots.inc"

/* The address of a variable of this block in another block of the cluster. */
static __device__ unsigned in_block(const void *variable, int rank)
{
	unsigned own = (unsigned)__cvta_generic_to_shared(variable), other;

	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(own), "r"(rank));
	return other;
}

/* A barrier of the cluster. Stores before the arrival are visible after the wait. */
static __device__ void cluster_arrive()
{
	asm volatile("barrier.cluster.arrive.release.aligned;" : : : "memory");
}

static __device__ void cluster_wait()
{
	asm volatile("barrier.cluster.wait.acquire.aligned;" : : : "memory");
}

extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(BLOCK) softmax_cluster(
	const float *__restrict__ A, float *__restrict__ B, int columns, int part)
{
	__shared__ __align__(16) float maxima[BLOCK];
	__shared__ __align__(16) float sums[BLOCK];
	__shared__ float2 pairs[CLUSTER]; /* maximum and sum of each part */
	int thread = threadIdx.x;
	int rank = blockIdx.x % CLUSTER;
	int begin = rank * part;
	int count = max(min(columns - begin, part), 0);
	size_t first = (size_t)(blockIdx.x / CLUSTER) * columns + min(begin, columns);
	float4 slot[SLOTS];

	/* The shared memory of a block exists once the block has begun: the wait for it is before the stores. */
	cluster_arrive();
	load_slots(slot, SLOTS, A + first, count, columns % 4 == 0, thread, BLOCK);

	float own = group_max(slots_max(slot, SLOTS, LOWEST), maxima, thread, thread, BLOCK);

	slots_exp(slot, SLOTS, own);

	float sum = group_sum(slots_sum(slot, SLOTS), sums, thread, thread, BLOCK);

	cluster_wait();
	if (thread < CLUSTER)
		asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};"
			     : : "r"(in_block(&pairs[rank], thread)), "f"(own), "f"(sum) : "memory");
	cluster_arrive();
	cluster_wait();

	float largest = LOWEST, total = 0.0f;

#pragma unroll
	for (int r = 0; r < CLUSTER; r++)
		largest = fmaxf(largest, pairs[r].x);
#pragma unroll
	for (int r = 0; r < CLUSTER; r++)
		total = fmaf(pairs[r].y, expf(pairs[r].x - largest), total);
	store_slots(slot, SLOTS, B + first, count, columns % 4 == 0, thread, BLOCK,
		expf(own - largest) / total);
}
