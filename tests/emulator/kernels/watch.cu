/*
 * Kernels whose counts are known, line by line: a line carries a mark "@name". Each takes an array
 * to read and one to write; what a mark counts, tests/emulator/watch.c says.
 */

#include <cuda_fp16.h>

/* ---- Lockstep ---- */

extern "C" __global__ void ragged(const int *in, int *out) /* @ragged-first */
{
	int t = threadIdx.x;
	int sum = 0;

	for (int i = 0; i < 9; i++)
		if ((t + i) % 3 == 0) /* @ragged-if */
			sum += in[32 * i + t]; /* @ragged-load */
	out[t] = sum; /* @ragged-store */
}

extern "C" __global__ void early_return(const int *in, int *out)
{
	int t = threadIdx.x;

	if (t % 32 >= 20) /* @return-if */
		return;
	out[t] = in[t] + 1; /* @return-store */
}

extern "C" __global__ void breaks(const int *in, int *out)
{
	int t = threadIdx.x;
	int sum = 0;

	for (int i = 0; i < 8; i++) {
		if (i == t % 4) /* @break-if */
			break;
		sum += in[32 * i + t]; /* @break-load */
	}
	out[t] = sum; /* @break-store */
}

extern "C" __global__ void nested(const int *in, int *out)
{
	int t = threadIdx.x;
	int sum = 0;

	if (t & 1) { /* @nested-outer */
		sum += in[t]; /* @nested-odd */
		if (t & 2) /* @nested-inner */
			sum += in[64 + t]; /* @nested-both */
		else
			sum += in[128 + t]; /* @nested-one */
		sum += in[192 + t]; /* @nested-met */
	} else {
		sum += in[256 + t]; /* @nested-even */
	}
	out[t] = sum; /* @nested-store */
}

static __device__ __noinline__ int fetch(const int *in, int i)
{
	return in[i]; /* @called-load */
}

/* Both sides call the same function: not together, as their lanes are never in it together. */
extern "C" __global__ void calls(const int *in, int *out)
{
	int t = threadIdx.x;
	int sum = 0;

	if (t % 32 < 8) /* @called-if */
		sum = fetch(in, t);
	else
		sum = fetch(in, 64 + t) + 1;
	out[t] = sum; /* @called-store */
}

extern "C" __global__ void exchanges(const int *in, int *out)
{
	__shared__ int cells[64];
	int t = threadIdx.x;
	int v = in[t];

	for (int distance = 16; distance > 0; distance /= 2)
		v += __shfl_xor_sync(0xffffffffu, v, distance);
	cells[t] = v; /* @exchange-put */
	__syncwarp();
	if (t % 32 == 0) /* @exchange-if */
		out[t] = cells[t + 31]; /* @exchange-get */
	__syncwarp();
	out[64 + t] = cells[t ^ 1]; /* @exchange-all */
}

extern "C" __global__ void chooses(const int *in, int *out)
{
	int t = threadIdx.x;
	int a = in[t]; /* @choose-load */
	int b = a > 20 ? a : 20; /* @choose-one */

	out[t] = b; /* @choose-store */
}

extern "C" __global__ void at_least_once(const int *in, int *out)
{
	int t = threadIdx.x;
	int left = t % 5;
	int sum = 0;

	do {
		sum += in[32 * left + t]; /* @once-load */
	} while (left-- > 0);
	out[t] = sum;
}

/* In blocks of 72: all lanes of warp 0 pass, some of warp 1, none of warp 2, which is short. */
extern "C" __global__ void guarded(const int *in, int *out)
{
	int t = threadIdx.x;

	if (t < 40) /* @guard-if */
		out[t] = in[t]; /* @guard-store */
}

extern "C" __global__ void counts(const int *in, int *out)
{
	__shared__ int bins[4];
	int t = threadIdx.x;

	if (t < 4)
		bins[t] = 0;
	__syncthreads();
	atomicAdd(&bins[t % 4], 1); /* @count-shared */
	atomicAdd(&out[0], 1); /* @count-one */
	atomicAdd(&out[64 + t], in[t]); /* @count-each */
}

extern "C" __global__ void columns(const int *in, int *out)
{
	__shared__ int tile[32 * 32];
	__shared__ int padded[32 * 33];
	int t = threadIdx.x;

	tile[t * 32] = in[4 * t]; /* @column-put */
	padded[t * 33] = in[t + 1]; /* @padded-put */
	__syncthreads();
	out[t] = tile[(t ^ 1) * 32] + /* @column-get */
		 padded[(t ^ 1) * 33]; /* @padded-get */
	out[32 + t] = tile[(t ^ 2) * 32] - padded[(t ^ 2) * 33]; /* @both-get */
	out[64 + t] = in[64 + t] - in[96 + t]; /* @both-load */
}

/* What a conversion does inside, zero and one are no two ways of the kernel. */
extern "C" __global__ void halves(const int *in, int *out)
{
	int t = threadIdx.x;
	__half half = __float2half_rn((float)in[t]); /* @half-load */

	out[t] = (int)__half2float(half) + in[64 + t]; /* @half-store */
}

/* A thread of a block, whose number is seen in what it reads. */
extern "C" __global__ void of_block(const int *in, int *out)
{
	out[blockIdx.x * blockDim.x + threadIdx.x] = /* @block-store */
		in[(int)blockIdx.x * 32 * (int)(threadIdx.x % 2)]; /* @block-load */
}

/* ---- No defects ---- */

extern "C" __global__ void flags(const int *in, int *out)
{
	__shared__ int flag;

	flag = 7;
	if (in[threadIdx.x] >= 0)
		out[0] = 1;
	__syncthreads();
	out[64 + blockIdx.x * blockDim.x + threadIdx.x] = flag;
}

extern "C" __global__ void ticket(const int *in, int *out)
{
	__shared__ bool last;
	int t = threadIdx.x;

	out[64 + blockIdx.x * blockDim.x + t] = in[t] + 1;
	__threadfence();
	__syncthreads();
	if (t == 0)
		last = atomicAdd(&out[0], 1) == (int)gridDim.x - 1;
	__syncthreads();
	if (last)
		for (unsigned b = 1; b < gridDim.x; b++)
			out[64 + t] += out[64 + b * blockDim.x + t];
}

/* The first warp writes and one lane of it releases; one lane of the second warp acquires. */
extern "C" __global__ void handed(const int *in, int *out)
{
	int t = threadIdx.x;

	if (t < 32)
		out[64 + t] = in[t];
	__syncwarp();
	if (t == 0) {
		__threadfence_block();
		atomicExch(&out[0], 1);
	}
	if (t == 32)
		atomicAdd(&out[0], 0);
	__syncwarp();
	if (t >= 32)
		out[128 + t] = out[32 + t];
}

/* ---- Defects ---- */

extern "C" __global__ void shared_race(const int *in, int *out)
{
	__shared__ int cells[64];
	int t = threadIdx.x;

	cells[t] = in[t]; /* @shared-write */
	__syncthreads();
	int v = cells[63 - t]; /* @shared-read */
	cells[t] = v + 1; /* @shared-late */
	__syncthreads();
	out[t] = cells[t];
}

extern "C" __global__ void warp_race(const int *in, int *out)
{
	__shared__ int cells[64];
	int t = threadIdx.x;

	cells[t] = in[t]; /* @warp-write */
	out[t] = cells[t ^ 1]; /* @warp-read */
}

extern "C" __global__ void global_race(const int *in, int *out)
{
	int t = threadIdx.x;

	out[t] = in[t]; /* @global-write */
	out[64 + t] = out[63 - t]; /* @global-read */
}

extern "C" __global__ void blocks_write(const int *in, int *out)
{
	out[threadIdx.x] = in[0] + (int)blockIdx.x; /* @blocks-write */
}

extern "C" __global__ void blocks_read(const int *in, int *out)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	out[i] = in[threadIdx.x]; /* @blocks-put */
	if (blockIdx.x > 0)
		out[256 + i] = out[i - (int)blockDim.x]; /* @blocks-get */
}

/* Without the fence the writes of the other blocks are not ordered before the reads. */
extern "C" __global__ void no_fence(const int *in, int *out)
{
	__shared__ bool last;
	int t = threadIdx.x;

	out[64 + blockIdx.x * blockDim.x + t] = in[t] + 1; /* @fence-put */
	__syncthreads();
	if (t == 0)
		last = atomicAdd(&out[0], 1) == (int)gridDim.x - 1;
	__syncthreads();
	if (last)
		for (unsigned b = 1; b < gridDim.x; b++)
			out[320 + t] += out[64 + (b - 1) * blockDim.x + t]; /* @fence-get */
}

/* The fence is before the write, so it does not order the write. */
extern "C" __global__ void early_fence(const int *in, int *out)
{
	__shared__ bool last;
	int t = threadIdx.x;

	__threadfence();
	out[64 + blockIdx.x * blockDim.x + t] = in[t] + 1; /* @early-put */
	__syncthreads();
	if (t == 0)
		last = atomicAdd(&out[0], 1) == (int)gridDim.x - 1;
	__syncthreads();
	if (last)
		out[320 + t] = out[64 + t]; /* @early-get */
}

/* The acquire comes after the read, so the read is a race. */
extern "C" __global__ void late_acquire(const int *in, int *out)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (blockIdx.x > 0)
		out[320 + i] = out[64 + i - (int)blockDim.x]; /* @late-get */
	out[64 + i] = in[threadIdx.x] + 1; /* @late-put */
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		atomicAdd(&out[0], 1);
}

/* With the fence, but without an acquire. */
extern "C" __global__ void no_acquire(const int *in, int *out)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	out[64 + i] = in[threadIdx.x] + 1; /* @ticket-put */
	__threadfence();
	if (blockIdx.x > 0)
		out[320 + i] = out[64 + i - (int)blockDim.x]; /* @ticket-get */
}

/* Without the last warp operation the other lanes have not acquired. */
extern "C" __global__ void not_handed(const int *in, int *out)
{
	int t = threadIdx.x;

	if (t < 32)
		out[64 + t] = in[t]; /* @handed-put */
	__syncwarp();
	if (t == 0) {
		__threadfence_block();
		atomicExch(&out[0], 1);
	}
	if (t == 32)
		atomicAdd(&out[0], 0);
	if (t >= 32)
		out[128 + t] = out[32 + t]; /* @handed-get */
}

/* The second warp reads another flag. */
extern "C" __global__ void other_flag(const int *in, int *out)
{
	int t = threadIdx.x;

	if (t < 32)
		out[64 + t] = in[t]; /* @flag-put */
	__syncwarp();
	if (t == 0) {
		__threadfence_block();
		atomicExch(&out[0], 1);
	}
	if (t == 32)
		atomicAdd(&out[2], 0);
	__syncwarp();
	if (t >= 32)
		out[128 + t] = out[32 + t]; /* @flag-get */
}

extern "C" __global__ void beside_atomics(const int *in, int *out)
{
	atomicAdd(&out[0], in[0] + 1); /* @beside-atomic */
	if (threadIdx.x == 40)
		out[0] = 5; /* @beside-store */
}

extern "C" __global__ void outside(const int *in, int *out)
{
	int t = threadIdx.x;

	out[t] = in[t]; /* @outside-before */
	out[64 + t] = in[t + 512 - 63]; /* @outside-load */
}

extern "C" __global__ void unwritten(const int *in, int *out)
{
	__shared__ int cells[65];
	int t = threadIdx.x;

	cells[t] = in[t];
	__syncthreads();
	out[t] = cells[t + 1]; /* @unwritten */
}

extern "C" __global__ void not_all(const int *in, int *out)
{
	if (in[threadIdx.x] < 60)
		__syncthreads(); /* @not-all */
	out[threadIdx.x] = 1;
}

extern "C" __global__ void guesses(const int *in, int *out)
{
	int old = out[0]; /* @guesses */
	int seen;

	while ((seen = atomicCAS(&out[0], old, old + in[threadIdx.x])) != old)
		old = seen;
}

extern "C" __global__ void apart(const int *in, int *out)
{
	if (in[threadIdx.x] < 32)
		__syncthreads(); /* @apart-1 */
	else
		__syncthreads(); /* @apart-2 */
	out[threadIdx.x] = 1;
}

extern "C" __global__ void lanes_apart(const int *in, int *out)
{
	int v = in[threadIdx.x];

	if (v < 16)
		v = __shfl_xor_sync(0xffffffffu, v, 1); /* @lanes-apart */
	out[threadIdx.x] = v;
}

/* No access to memory, and no end. */
extern "C" __global__ void runs_away(const int *in, int *out)
{
	unsigned v = (unsigned)in[threadIdx.x];

	while (v != 1000) v = v * 4; /* @runs-away */
	out[threadIdx.x] = (int)v;
}

extern "C" __global__ void runs_away_waiting(const int *in, int *out)
{
	for (int i = 0; in[i & 1] < 2; i++) { out[threadIdx.x] = i; __syncthreads(); } /* @runs-away-waiting */
}

static __device__ __forceinline__ int mixed(int value)
{
	value = value * 5 + (value >> 3); /* @mixed-line */
	return value;
}

/* A function that is inlined twice; a constant that the loop needs too. */
extern "C" __global__ void inlined(const int *in, int *out)
{
	int t = threadIdx.x;
	int a = mixed(in[t]);
	int b = mixed(in[64 + t]);
	float sum = 0.0f; /* @inlined-sum */

	for (int i = 0; i < 9; i++)
		sum = sum * 0.5f + (float)in[32 * i + t];
	out[t] = a + b + (int)sum;
}

static __device__ __noinline__ int fetched(const int *in, int t)
{
	return t % 4 ? in[t] : 0;
}

extern "C" __global__ void returned(const int *in, int *out)
{
	int t = threadIdx.x;
	int value = fetched(in, t);

	if (t % 2 == 0) /* @returned-if */
		out[t] = value;
}
