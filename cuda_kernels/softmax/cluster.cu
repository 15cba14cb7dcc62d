/*
 * Softmax of long rows, read once and written once: a cluster of blocks shares a row. The blocks of a
 * cluster run at the same time and can store to each other's shared memory. Each block keeps its part of
 * the row in registers, as in fused.cu, and finds the maximum and the sum of its part. It stores both in
 * the shared memory of all blocks of the cluster. After a barrier of the cluster it scales its part.
 *
 * A row of 131072 columns has 512 KiB: more than the registers and the shared memory of one
 * multiprocessor.
 *
 * Block: BLOCK threads, a power of two, each with up to 4 * SLOTS elements. Groups: rows * CLUSTER.
 * part: columns of a block, a multiple of 4, at most 4 * SLOTS * BLOCK; CLUSTER parts hold a row.
 * Limited by: memory: 8 bytes per element, the minimum.
 * Book: not in PMPP. Clusters: PTX ISA 7.8, barrier.cluster and mapa.
 */

#define LOWEST (-3.402823466e38f)
#define ABSENT __int_as_float((int)0xff800000) /* -inf */
#define INLINE static __device__ __forceinline__

/* Slot i of a thread: four elements. They are neighbours if 16-byte accesses are possible, else
 * `lanes` apart. In both cases neighbouring threads access neighbouring addresses. */
#define VECTOR_COLUMN(i, lane, lanes) (((i) * (lanes) + (lane)) * 4)
#define SCALAR_COLUMN(i, c, lane, lanes) (((i) * 4 + (c)) * (lanes) + (lane))

/* The largest of each group of lanes. */
static __device__ float group_max(float value, float *parts, int thread, int lane, int lanes)
{
	parts[thread] = value;
	__syncthreads();
	for (int step = lanes / 2; step > 0; step /= 2) {
		if (lane < step)
			parts[thread] = fmaxf(parts[thread], parts[thread + step]);
		__syncthreads();
	}
	return parts[thread - lane];
}

static __device__ float group_sum(float value, float *parts, int thread, int lane, int lanes)
{
	parts[thread] = value;
	__syncthreads();
	for (int step = lanes / 2; step > 0; step /= 2) {
		if (lane < step)
			parts[thread] += parts[thread + step];
		__syncthreads();
	}
	return parts[thread - lane];
}

/* The first `count` elements at x, spread over the lanes. */
INLINE void load_slots(
	float4 *slot, int slots, const float *x, int count, int vector, int lane,
	int lanes)
{
	if (vector) {
#pragma unroll
		for (int i = 0; i < slots; i++)
			slot[i] = VECTOR_COLUMN(i, lane, lanes) < count
					  ? *(const float4 *)(x + VECTOR_COLUMN(i, lane, lanes))
					  : make_float4(ABSENT, ABSENT, ABSENT, ABSENT);
	} else {
#pragma unroll
		for (int i = 0; i < slots; i++) {
			slot[i].x = SCALAR_COLUMN(i, 0, lane, lanes) < count
					    ? x[SCALAR_COLUMN(i, 0, lane, lanes)]
					    : ABSENT;
			slot[i].y = SCALAR_COLUMN(i, 1, lane, lanes) < count
					    ? x[SCALAR_COLUMN(i, 1, lane, lanes)]
					    : ABSENT;
			slot[i].z = SCALAR_COLUMN(i, 2, lane, lanes) < count
					    ? x[SCALAR_COLUMN(i, 2, lane, lanes)]
					    : ABSENT;
			slot[i].w = SCALAR_COLUMN(i, 3, lane, lanes) < count
					    ? x[SCALAR_COLUMN(i, 3, lane, lanes)]
					    : ABSENT;
		}
	}
}

/* Stores the slots in the same layout, each element times scale. */
INLINE void store_slots(const float4 *slot, int slots, float *y,
	int count, int vector, int lane, int lanes, float scale)
{
	if (vector) {
#pragma unroll
		for (int i = 0; i < slots; i++)
			if (VECTOR_COLUMN(i, lane, lanes) < count)
				*(float4 *)(y + VECTOR_COLUMN(i, lane, lanes)) =
					make_float4(slot[i].x * scale, slot[i].y * scale,
						slot[i].z * scale, slot[i].w * scale);
	} else {
#pragma unroll
		for (int i = 0; i < slots; i++) {
			if (SCALAR_COLUMN(i, 0, lane, lanes) < count)
				y[SCALAR_COLUMN(i, 0, lane, lanes)] = slot[i].x * scale;
			if (SCALAR_COLUMN(i, 1, lane, lanes) < count)
				y[SCALAR_COLUMN(i, 1, lane, lanes)] = slot[i].y * scale;
			if (SCALAR_COLUMN(i, 2, lane, lanes) < count)
				y[SCALAR_COLUMN(i, 2, lane, lanes)] = slot[i].z * scale;
			if (SCALAR_COLUMN(i, 3, lane, lanes) < count)
				y[SCALAR_COLUMN(i, 3, lane, lanes)] = slot[i].w * scale;
		}
	}
}

INLINE float slots_max(const float4 *slot, int slots, float largest)
{
#pragma unroll
	for (int i = 0; i < slots; i++)
		largest = fmaxf(largest,
			fmaxf(fmaxf(slot[i].x, slot[i].y), fmaxf(slot[i].z, slot[i].w)));
	return largest;
}

/* Replaces each x by exp(x - largest). */
INLINE void slots_exp(float4 *slot, int slots, float largest)
{
#pragma unroll
	for (int i = 0; i < slots; i++)
		slot[i] = make_float4(expf(slot[i].x - largest), expf(slot[i].y - largest),
			expf(slot[i].z - largest), expf(slot[i].w - largest));
}

INLINE float slots_sum(const float4 *slot, int slots)
{
	float sum = 0.0f;

#pragma unroll
	for (int i = 0; i < slots; i++)
		sum += slot[i].x + slot[i].y + (slot[i].z + slot[i].w);
	return sum;
}

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

	for (int r = 0; r < CLUSTER; r++)
		largest = fmaxf(largest, pairs[r].x);
	for (int r = 0; r < CLUSTER; r++)
		total = fmaf(pairs[r].y, expf(pairs[r].x - largest), total);
	store_slots(slot, SLOTS, B + first, count, columns % 4 == 0, thread, BLOCK,
		expf(own - largest) / total);
}
