/*
 * Asynchronous copies: right kernels, and kernels with one defect each. The line of a defect has a mark
 * "@name". Blocks of 64 threads.
 */
#include <cuda_pipeline.h>

#define FULL 100 /* copies of one thread */

/* ---- Right ---- */

/* Four tiles of 64 words in four groups. Each tile is reversed after its wait. */
extern "C" __global__ void pipeline(const int *in, int *out)
{
	__shared__ int cells[4][64];
	int t = threadIdx.x;

	for (int s = 0; s < 4; s++) {
		__pipeline_memcpy_async(&cells[s][t], &in[64 * s + t], 4);
		__pipeline_commit();
	}
	for (int s = 0; s < 4; s++) {
		__pipeline_wait_prior(3 - s);
		__syncthreads();
		out[64 * s + t] = cells[s][63 - t];
	}
}

/* Each size, with and without zeros at the end. */
extern "C" __global__ void sizes(const int *in, int *out)
{
	extern __shared__ __align__(16) int cells[];
	int t = threadIdx.x;

	if (t < 4)
		__pipeline_memcpy_async(&cells[4 * t], &in[4 * t], 16, t == 3 ? 5 : 0);
	else if (t < 8)
		__pipeline_memcpy_async(&cells[2 * t + 8], &in[2 * t + 8], 8, t == 7 ? 8 : 0);
	else if (t < 12)
		__pipeline_memcpy_async(&cells[t + 16], &in[t + 16], 4, t == 11 ? 1 : 0);
	__pipeline_commit();
	__pipeline_wait_prior(0);
	__syncthreads();
	out[t] = t < 28 ? cells[t] : 0;
}

/* More pending copies than a fixed queue would hold; the last group has several. */
extern "C" __global__ void many(const int *in, int *out)
{
	__shared__ int cells[FULL][64];
	int t = threadIdx.x;
	int sum = 0;

	for (int i = 0; i < FULL; i++) {
		__pipeline_memcpy_async(&cells[i][t], &in[t], 4);
		if (i < FULL / 2 || i == FULL - 1)
			__pipeline_commit();
	}
	__pipeline_wait_prior(0);
	__syncthreads();
	for (int i = 0; i < FULL; i++)
		sum += cells[i][63 - t];
	out[t] = sum;
}

/* An empty group counts as a group. */
extern "C" __global__ void empty_group(const int *in, int *out)
{
	__shared__ int cells[64];
	int t = threadIdx.x;

	__pipeline_wait_prior(0);
	__pipeline_memcpy_async(&cells[t], &in[t], 4);
	__pipeline_commit();
	__pipeline_commit();
	__pipeline_wait_prior(1);
	out[t] = cells[t];
}

/* A copy needs no wait if no thread reads its data. It has no effect on the next block. */
extern "C" __global__ void leaves_early(const int *in, int *out)
{
	__shared__ int cells[64];
	int t = threadIdx.x;

	if (blockIdx.x == 0) {
		__pipeline_memcpy_async(&cells[t], &in[t], 4);
		__pipeline_commit();
		return;
	}
	cells[t] = in[t];
	__syncthreads();
	out[t] = cells[63 - t];
}

/* ---- Wrong: the wait ---- */

extern "C" __global__ void no_wait(const int *in, int *out)
{
	__shared__ int cells[64];
	int t = threadIdx.x;

	__pipeline_memcpy_async(&cells[t], &in[t], 4); /* @no-wait-copy */
	__pipeline_commit();
	out[t] = cells[t]; /* @no-wait-read */
}

extern "C" __global__ void no_commit(const int *in, int *out)
{
	__shared__ int cells[64];
	int t = threadIdx.x;

	__pipeline_memcpy_async(&cells[t], &in[t], 4); /* @no-commit-copy */
	__pipeline_wait_prior(0);
	out[t] = cells[t]; /* @no-commit-read */
}

extern "C" __global__ void too_few(const int *in, int *out)
{
	__shared__ int cells[2][64];
	int t = threadIdx.x;

	__pipeline_memcpy_async(&cells[0][t], &in[t], 4);
	__pipeline_commit();
	__pipeline_memcpy_async(&cells[1][t], &in[t], 4); /* @too-few-copy */
	__pipeline_commit();
	__pipeline_wait_prior(1);
	out[t] = cells[1][t]; /* @too-few-read */
}

/* A barrier does not replace a wait. */
extern "C" __global__ void barrier_only(const int *in, int *out)
{
	__shared__ int cells[64];
	int t = threadIdx.x;

	__pipeline_memcpy_async(&cells[t], &in[t], 4); /* @barrier-only-copy */
	__pipeline_commit();
	__syncthreads();
	out[t] = cells[63 - t]; /* @barrier-only-read */
}

/* Each thread waits for its own copies only. */
extern "C" __global__ void others_wait(const int *in, int *out)
{
	__shared__ int cells[64];
	int t = threadIdx.x;

	__pipeline_memcpy_async(&cells[t], &in[t], 4); /* @others-wait-copy */
	__pipeline_commit();
	if (t < 32)
		__pipeline_wait_prior(0);
	__syncthreads();
	out[t] = cells[63 - t]; /* @others-wait-read */
}

/* ---- Wrong, reported by the traced build only ---- */

/* A wait does not replace a barrier. */
extern "C" __global__ void wait_only(const int *in, int *out)
{
	__shared__ int cells[64];
	int t = threadIdx.x;

	__pipeline_memcpy_async(&cells[t], &in[t], 4); /* @wait-only-copy */
	__pipeline_commit();
	__pipeline_wait_prior(0);
	out[t] = cells[t ^ 32]; /* @wait-only-read */
}

extern "C" __global__ void write_pending(const int *in, int *out)
{
	__shared__ int cells[64];
	int t = threadIdx.x;

	__pipeline_memcpy_async(&cells[t], &in[t], 4); /* @write-pending-copy */
	__pipeline_commit();
	cells[t] = 5; /* @write-pending-write */
	__pipeline_wait_prior(0);
	out[t] = cells[t];
}

extern "C" __global__ void copy_twice(const int *in, int *out)
{
	__shared__ int cells[64];
	int t = threadIdx.x;

	__pipeline_memcpy_async(&cells[t], &in[t], 4); /* @copy-twice-first */
	__pipeline_memcpy_async(&cells[t], &in[63 - t], 4); /* @copy-twice-second */
	__pipeline_commit();
	__pipeline_wait_prior(0);
	out[t] = cells[t];
}

/* The copy begins while other threads may still read the old values. */
extern "C" __global__ void copy_early(const int *in, int *out)
{
	__shared__ int cells[64];
	int t = threadIdx.x;

	cells[t] = t;
	__syncthreads();
	out[t] = cells[t ^ 32]; /* @copy-early-read */
	__pipeline_memcpy_async(&cells[t], &in[t], 4); /* @copy-early-copy */
	__pipeline_commit();
	__pipeline_wait_prior(0);
	__syncthreads();
	out[t] += cells[t];
}

extern "C" __global__ void source_behind(const int *in, int *out)
{
	__shared__ int cells[64];
	int t = threadIdx.x;

	__pipeline_memcpy_async(&cells[t], &in[256 + t], 4); /* @source-behind */
	__pipeline_commit();
	__pipeline_wait_prior(0);
	out[t] = cells[t];
}

/* ---- Wrong: the arguments ---- */

extern "C" __global__ void source_changes(const int *in, int *out)
{
	__shared__ int cells[64];
	int t = threadIdx.x;

	out[t] = in[t];
	__pipeline_memcpy_async(&cells[t], &out[t], 4); /* @source-changes */
	out[t] = -5;
	__pipeline_commit();
	__pipeline_wait_prior(0);
	out[t] = cells[t];
}

/* Whether a copy with these arguments is allowed. */
static __device__ void try_copy(void *to, const void *from, size_t bytes, size_t zeroed)
{
	__pipeline_memcpy_async(to, from, bytes, zeroed); /* @try-copy */
	__pipeline_commit();
	__pipeline_wait_prior(0);
}

extern "C" __global__ void twelve_bytes(const int *in, int *out)
{
	__shared__ __align__(16) int cells[64];

	try_copy(cells, in, 12, 0);
	out[0] = cells[0];
}

extern "C" __global__ void too_many_zeros(const int *in, int *out)
{
	__shared__ __align__(16) int cells[64];

	try_copy(cells, in, 4, 5);
	out[0] = cells[0];
}

extern "C" __global__ void odd_target(const int *in, int *out)
{
	__shared__ __align__(16) int cells[64];

	try_copy(cells + 1, in, 8, 0);
	out[0] = cells[0];
}

extern "C" __global__ void odd_source(const int *in, int *out)
{
	__shared__ __align__(16) int cells[64];

	try_copy(cells, in + 2, 16, 0);
	out[0] = cells[0];
}

extern "C" __global__ void to_global(const int *in, int *out)
{
	try_copy(out, in, 4, 0);
}

extern "C" __global__ void from_shared(const int *in, int *out)
{
	__shared__ int cells[64];

	cells[threadIdx.x] = in[threadIdx.x];
	__syncthreads();
	try_copy(cells, cells + 32, 4, 0);
	out[0] = cells[0];
}

extern "C" __global__ void from_stack(const int *in, int *out)
{
	__shared__ int cells[64];
	volatile int here = in[0];

	try_copy(cells, (const void *)&here, 4, 0);
	out[0] = cells[0];
}

extern "C" __global__ void from_nowhere(const int *in, int *out)
{
	__shared__ int cells[64];

	try_copy(cells, (const void *)(size_t)(in[0] & 0xff00), 4, 0);
	out[0] = cells[0];
}
