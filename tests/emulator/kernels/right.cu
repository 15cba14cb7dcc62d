/*
 * Right kernels, each with one feature of CUDA C that the emulator must carry over. They give the
 * same answer in every order of threads and blocks. The traced build reports no defect.
 *
 * Macros: TILE_SIZE, the side of matmul's tiles.
 */

extern "C" __global__ void add(const float *A, const float *B, float *C, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		C[i] = A[i] + B[i];
}

extern "C" __global__ void __launch_bounds__(TILE_SIZE *TILE_SIZE) matmul(
	const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int m,
	int n, int k)
{
	__shared__ float tile_a[TILE_SIZE][TILE_SIZE];
	__shared__ float tile_b[TILE_SIZE][TILE_SIZE];
	int row = blockIdx.y * TILE_SIZE + threadIdx.y;
	int col = blockIdx.x * TILE_SIZE + threadIdx.x;
	float sum = 0.0f;

	for (int k0 = 0; k0 < k; k0 += TILE_SIZE) {
		int a_col = k0 + threadIdx.x;
		int b_row = k0 + threadIdx.y;

		tile_a[threadIdx.y][threadIdx.x] = row < m && a_col < k ? A[row * k + a_col] : 0.0f;
		tile_b[threadIdx.y][threadIdx.x] = b_row < k && col < n ? B[b_row * n + col] : 0.0f;
		__syncthreads();
		for (int kk = 0; kk < TILE_SIZE; kk++)
			sum = fmaf(tile_a[threadIdx.y][kk], tile_b[kk][threadIdx.x], sum);
		__syncthreads();
	}
	if (row < m && col < n)
		C[row * n + col] = sum;
}

/* Sums a block by shuffles, the warps' sums through shared memory, the blocks' sums by an
 * atomic operation. */
extern "C" __global__ void sum_shuffled(const int *in, int *out, int n)
{
	__shared__ int sums[32];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int lane = threadIdx.x % 32;
	int warp = threadIdx.x / 32;
	int sum = i < n ? in[i] : 0;

	for (int d = 16; d > 0; d /= 2)
		sum += __shfl_down_sync(0xffffffffu, sum, d);
	if (lane == 0)
		sums[warp] = sum;
	__syncthreads();
	if (warp == 0) {
		sum = lane < (int)blockDim.x / 32 ? sums[lane] : 0;
		for (int d = 16; d > 0; d /= 2)
			sum += __shfl_xor_sync(0xffffffffu, sum, d);
		if (lane == 0)
			atomicAdd(out, sum);
	}
}

/* The last steps of a tree inside one warp, ordered by __syncwarp alone. */
extern "C" __global__ void sum_syncwarp(const int *in, int *out, int n)
{
	extern __shared__ int cells[];
	int t = threadIdx.x;

	cells[t] = t < n ? in[t] : 0;
	__syncthreads();
	for (int d = blockDim.x / 2; d >= 32; d /= 2) {
		if (t < d)
			cells[t] += cells[t + d];
		__syncthreads();
	}
	if (t < 32) {
		int sum = cells[t];

		for (int d = 16; d > 0; d /= 2) {
			int other = cells[t ^ d];

			__syncwarp();
			sum += other;
			cells[t] = sum;
			__syncwarp();
		}
		if (t == 0)
			out[0] = sum;
	}
}

/* Half of the warp has shuffled once more than the other half when all of it meets. One warp. */
extern "C" __global__ void uneven_warp(int *out)
{
	__shared__ int cell;
	int t = threadIdx.x;
	int extra = 0;

	if (t < 16)
		extra = __shfl_xor_sync(0x0000ffffu, t, 1);
	if (t == 0)
		cell = 7;
	__syncwarp();
	out[t] = cell + extra;
}

/* Shuffles of every kind and width of value. One warp; 6 answers a lane. */
extern "C" __global__ void shuffles(int *out)
{
	int t = threadIdx.x;
	int *own = out + 6 * t;

	own[0] = __shfl_sync(0xffffffffu, t, 5);
	own[1] = __shfl_up_sync(0xffffffffu, t, 3);
	own[2] = __shfl_down_sync(0xffffffffu, (float)t, 1, 8);
	own[3] = (int)(__shfl_xor_sync(0xffffffffu, 1000000000000ull * t, 7) / 1000000000000ull);
	own[4] = (int)__shfl_sync(0xffffffffu, 0.5 + t, t + 1);
	own[5] = __shfl_sync(0xffffffffu, t, 2, 16);
}

/* A block that is no multiple of the warp: the mask may name lanes that do not exist. */
extern "C" __global__ void short_warp(int *out)
{
	int t = threadIdx.x;
	int *own = out + 2 * t;

	own[0] = (int)__ballot_sync(0xffffffffu, 1);
	own[1] = __shfl_xor_sync(0xffffffffu, t, 1);
}

/* Votes of a warp and of the block; 6 answers a thread. */
extern "C" __global__ void votes(int *out)
{
	int t = threadIdx.x;
	int *own = out + 6 * t;

	own[0] = (int)__ballot_sync(0xffffffffu, t % 3 == 0);
	own[1] = __any_sync(0xffffffffu, t % 32 == 9);
	own[2] = __all_sync(0xffffffffu, t % 32 != 9);
	own[3] = __syncthreads_count(t % 5 == 0);
	own[4] = __syncthreads_or(t == 40);
	own[5] = __syncthreads_and(t != 40);
}

/* Many threads write one value: allowed, and often done. */
extern "C" __global__ void same_value(const int *in, int *out)
{
	__shared__ int found;

	if (threadIdx.x == 0)
		found = 0;
	__syncthreads();
	if (in[threadIdx.x] > 0)
		found = 1;
	__syncthreads();
	out[threadIdx.x] = found;
}

/* A histogram in shared memory: plain zeroes, a barrier, atomics, a barrier, plain reads. */
extern "C" __global__ void histogram(const int *in, int *out, int n)
{
	__shared__ unsigned bins[16];

	if (threadIdx.x < 16)
		bins[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&bins[in[i] & 15], 1u);
	__syncthreads();
	if (threadIdx.x < 16)
		atomicAdd((unsigned *)out + threadIdx.x, bins[threadIdx.x]);
}

/* The block that finishes last sums the partial sums of all. */
extern "C" __global__ void last_block(const int *in, int *partial, unsigned *ticket, int *out, int n)
{
	__shared__ bool last;
	__shared__ int sum;
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (threadIdx.x == 0)
		sum = 0;
	__syncthreads();
	if (i < n)
		atomicAdd(&sum, in[i]);
	__syncthreads();
	if (threadIdx.x == 0) {
		partial[blockIdx.x] = sum;
		__threadfence();
		last = atomicAdd(ticket, 1u) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x == 0) {
		int all = 0;

		for (unsigned b = 0; b < gridDim.x; b++)
			all += partial[b];
		out[0] = all;
	}
}

/* Every atomic operation, by all threads on one cell each: 11 cells. */
extern "C" __global__ void atomics(int *cells)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	atomicAdd(&cells[0], i);
	atomicSub(&cells[1], 1);
	atomicMin(&cells[2], -i);
	atomicMax(&cells[3], i);
	atomicOr(&cells[4], 1 << (i % 31));
	atomicAnd(&cells[5], ~(1 << (i % 31)));
	atomicXor(&cells[6], i);
	atomicExch(&cells[7], 77);
	for (int old = 0, seen;; old = seen) {
		seen = atomicCAS(&cells[8], old, old + 2);
		if (seen == old)
			break;
	}
	atomicAdd((float *)&cells[9], 1.0f);
	atomicMax((unsigned *)&cells[10], 0x80000000u + i);
}

/* An exchange needs no value in its cell. Blocks of 32. */
extern "C" __global__ void exchange(int *out)
{
	__shared__ int cells[32];

	atomicExch(&cells[threadIdx.x], (int)threadIdx.x);
	__syncthreads();
	out[threadIdx.x] = cells[31 - threadIdx.x];
}

/* Vector types as values, members, initialisers and memory. n groups of 4. */
static __device__ float4 scaled(float4 v, float by)
{
	v.x *= by;
	v.w = v.w * by;
	return make_float4(v.x, v.y * by, v.z * by, v.w);
}

extern "C" __global__ void vectors(const float *in, float *out, int n)
{
	__shared__ float4 tile[64];
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		tile[threadIdx.x] = scaled(((const float4 *)in)[i], 2.0f);
	__syncthreads();
	if (i < n) {
		float4 v = tile[threadIdx.x];
		float4 one = make_float4(1.0f, 1.0f, 1.0f, 1.0f);
		float2 low = make_float2(v.x, v.y);
		int4 k = make_int4(1, 2, 3, 4);
		uchar4 b = make_uchar4(250, 1, 2, 3);

		v.x = low.x + one.x;
		v.y = low.y + k.y;
		v.z += b.z;
		v.w += k.w;
		((float4 *)out)[i] = v;
	}
}

/* Vectors, bytes, halves and words of the same 16 bytes, by other threads after each barrier. Without a
 * barrier between them, threads access neighbouring bytes. */
extern "C" __global__ void parts(int *out)
{
	__shared__ int4 cells[4];
	unsigned char *bytes = (unsigned char *)cells;
	unsigned short *halves = (unsigned short *)cells;
	int *words = (int *)cells;
	int t = threadIdx.x;

	if (t < 4)
		cells[t] = make_int4(t, t, t, t);
	__syncthreads();
	bytes[t] = (unsigned char)(bytes[t] + t);
	__syncthreads();
	if (t >= 32)
		halves[63 - t] = (unsigned short)(halves[63 - t] + 1);
	__syncthreads();
	if (t % 4 == 0)
		words[t / 4] += 1;
	__syncthreads();
	if (t >= 60) {
		int4 v = cells[t - 60];
		cells[t - 60] = make_int4(v.w, v.z, v.y, v.x);
	}
	__syncthreads();
	out[t] = bytes[t];
}

static __device__ __noinline__ int vote_alone(int t)
{
	return __ballot_sync(1u << t % 32, 1) != 0;
}

static __device__ __noinline__ int vote_deeper(int t)
{
	volatile int more = 1;

	return vote_alone(t) + more;
}

/* Operations that a thread completes by itself, at two depths of calls. Then the thread ends. The answer
 * is 1. */
extern "C" __global__ void alone(int *out)
{
	int t = threadIdx.x;

	out[t] = t % 2 ? vote_deeper(t) - 1 : vote_alone(t);
}

__constant__ int factors[4] = {1, 10, 100, 1000};

template <class T> __device__ __forceinline__ T twice(T x)
{
	return x + x;
}

/* Constants, templates, the three dimensions of everything. */
extern "C" __global__ void shapes(unsigned *out)
{
	unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;

	out[block * blockDim.x * blockDim.y * blockDim.z + thread] =
		twice(factors[thread % 4]) + 10000 * threadIdx.z + 20000 * blockIdx.z;
}

/* Which thread ran when: the answer does depend on the order. */
extern "C" __global__ void who_when(int *ticket, int *out)
{
	int when = atomicAdd(ticket, 1);

	out[when] = blockIdx.x * blockDim.x + threadIdx.x;
}
