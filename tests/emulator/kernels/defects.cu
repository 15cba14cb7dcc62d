/*
 * Kernels with one defect each, whose line carries a mark "@name": the error must name it.
 */

extern "C" __global__ void fill(int *out, int value)
{
	out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

/* ---- Barriers and warps ---- */

extern "C" __global__ void returned(int *out)
{
	if (threadIdx.x == 3)
		return;
	__syncthreads(); /* @returned */
	out[threadIdx.x] = 1;
}

extern "C" __global__ void elsewhere(int *out)
{
	if (threadIdx.x < 40)
		__syncthreads(); /* @elsewhere-1 */
	else
		__syncthreads(); /* @elsewhere-2 */
	out[threadIdx.x] = 1;
}

extern "C" __global__ void elsewhere_line(int *out)
{
	if (threadIdx.x < 40) __syncthreads(); else __syncthreads(); /* @elsewhere-line */
	out[threadIdx.x] = 1;
}

static __device__ __noinline__ void wait_for_all()
{
	__syncthreads(); /* @elsewhere-called */
}

extern "C" __global__ void elsewhere_called(int *out)
{
	if (threadIdx.x < 40)
		wait_for_all();
	else
		wait_for_all();
	out[threadIdx.x] = 1;
}

extern "C" __global__ void elsewhere_called_line(int *out)
{
	if (threadIdx.x < 40) wait_for_all(); else wait_for_all();
	out[threadIdx.x] = 1;
}

static __device__ __forceinline__ void wait_inlined()
{
	__syncthreads(); /* @elsewhere-inlined */
}

extern "C" __global__ void elsewhere_inlined(int *out)
{
	if (threadIdx.x < 40)
		wait_inlined();
	else
		wait_inlined();
	out[threadIdx.x] = 1;
}

extern "C" __global__ void lanes_apart(int *out)
{
	int v = threadIdx.x;

	if (threadIdx.x < 16)
		v = __shfl_xor_sync(0xffffffffu, v, 1); /* @lanes-apart */
	__syncthreads();
	out[threadIdx.x] = v;
}

extern "C" __global__ void left_out(int *out)
{
	out[threadIdx.x] = __shfl_sync(0x0000ffffu, (int)threadIdx.x, 0); /* @left-out */
}

/* Right only when each thread's neighbour to the left, or to the right, ran before it. */
extern "C" __global__ void no_barrier(int *out)
{
	__shared__ int cells[64];
	int t = threadIdx.x;

	cells[t] = t; /* @no-barrier-write */
	out[t] = cells[t == 0 ? 0 : t - 1]; /* @no-barrier-read */
}

/* ---- Signals and runaways ---- */

extern "C" __global__ void null_store(int *out, unsigned long long address)
{
	if (threadIdx.x == 5)
		*(volatile int *)address = 1; /* @null-store */
	out[threadIdx.x] = 1;
}

extern "C" __global__ void stray(int *out, unsigned long long index)
{
	if (threadIdx.x == 5)
		out[index] = 1; /* @stray */
}

extern "C" __global__ void divide(int *out, int by)
{
	out[threadIdx.x] = 100 / (by - (int)threadIdx.x); /* @divide */
}

static __device__ __noinline__ int deep(int n)
{
	volatile int here[64];

	here[n % 64] = n;
	return n == 0 ? here[0] : deep(n - 1) + here[n % 64]; /* @recursion */
}

extern "C" __global__ void recursion(int *out, int n)
{
	out[threadIdx.x] = deep(n);
}

/* A frame larger than a stack and its guard page: must not reach what lies below. */
static __device__ __noinline__ int wide(int n)
{
	volatile char here[4 << 20]; /* @wide */

	here[n] = 1;
	return here[n];
}

extern "C" __global__ void wide_frame(int *out, int n)
{
	out[threadIdx.x] = wide(n);
}

extern "C" __global__ void endless(volatile int *flag)
{
	if (threadIdx.x == 7)
		while (*flag == 0) /* @endless */
			;
}

extern "C" __global__ void endless_barriers(volatile int *flag)
{
	for (; *flag == 0; __syncthreads()) /* @endless-barriers */
		;
}

/* Block 0 waits for ever for a block that fails. */
extern "C" __global__ void one_fails(volatile int *flag, unsigned long long address)
{
	if (blockIdx.x == 0)
		while (*flag == 0)
			;
	else
		*(volatile int *)address = 1; /* @one-fails */
}

/* Block 0 spends most of its time in functions of the C library that take a lock. */
extern "C" __global__ void one_fails_printing(volatile int *flag, unsigned long long address)
{
	if (blockIdx.x == 0)
		while (*flag == 0)
			printf("%s", "");
	else
		*(volatile int *)address = 1; /* @one-fails-printing */
}

extern "C" __global__ void endless_print(volatile int *flag)
{
	if (*flag == 0)
		for (;;)
			printf("%s", ""); /* @endless-print */
}

/* ---- Out of bounds: seen by the traced build alone ---- */

extern "C" __global__ void load_behind(const int *in, int *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i <= n)
		out[i < n ? i : 0] = in[i]; /* @load-behind */
}

extern "C" __global__ void store_before(int *out)
{
	out[(int)threadIdx.x - 2] = 1; /* @store-before */
}

extern "C" __global__ void half_outside(const float *in, float *out, int n)
{
	if (threadIdx.x == 0)
		*(float4 *)out = *(const float4 *)(in + n - 2); /* @half-outside */
}

extern "C" __global__ void pair_behind(int *out, int n)
{
	((int2 *)out)[n / 2] = make_int2(1, 2); /* @pair-behind */
}

extern "C" __global__ void atomic_behind(int *out, int n)
{
	atomicAdd(&out[n], 1); /* @atomic-behind */
}

extern "C" __global__ void dynamic_behind(int *out, int n)
{
	extern __shared__ int cells[];

	cells[threadIdx.x] = 1;
	__syncthreads();
	out[threadIdx.x] = cells[threadIdx.x + n]; /* @dynamic-behind */
}

extern "C" __global__ void static_behind(int *out, int n)
{
	__shared__ int cells[64];

	cells[threadIdx.x] = 1;
	__syncthreads();
	out[threadIdx.x] = cells[(int)threadIdx.x + n]; /* @static-behind */
}

/* ---- Shared memory: seen by the traced build alone ---- */

extern "C" __global__ void never_written(int *out)
{
	__shared__ int cells[64];

	if (threadIdx.x != 9)
		cells[threadIdx.x] = 1;
	__syncthreads();
	out[threadIdx.x] = cells[threadIdx.x]; /* @never-written */
}

/* Fifteen bytes of sixteen. */
extern "C" __global__ void partly_written(int *out)
{
	__shared__ int4 cells[1];
	int t = threadIdx.x;

	if (t < 15)
		((volatile char *)cells)[t] = (char)t;
	__syncthreads();
	if (t == 0)
		out[0] = cells[0].x + cells[0].w; /* @partly-written */
}

/* A vector, and a byte in the middle of it. Both stores are on one line: each can be the one reported. */
extern "C" __global__ void byte_of_vector(int *out)
{
	__shared__ int4 cells[1];
	int t = threadIdx.x;

	/* @byte-of-vector */ if (t == 1) cells[0] = make_int4(1, 2, 3, 4); else if (t == 2) ((volatile char *)cells)[9] = 7;
	__syncthreads();
	out[t] = cells[0].z;
}

/* An atomic operation on an uninitialised cell depends on its old value. */
extern "C" __global__ void never_zeroed(const int *in, int *out)
{
	__shared__ int bins[64];

	if (threadIdx.x != 9)
		bins[threadIdx.x] = 0;
	__syncthreads();
	atomicAdd(&bins[in[threadIdx.x]], 1); /* @never-zeroed */
	__syncthreads();
	out[threadIdx.x] = threadIdx.x == 9 ? 0 : bins[threadIdx.x];
}

extern "C" __global__ void two_writers(int *out)
{
	__shared__ int cell;

	cell = threadIdx.x; /* @two-writers */
	__syncthreads();
	out[threadIdx.x] = cell;
}

/* The barrier between setting to zero and counting is missing. */
extern "C" __global__ void zero_late(const int *in, int *out)
{
	__shared__ int bins[64];

	bins[threadIdx.x] = 0; /* @zero-late-write */
	atomicAdd(&bins[63 - in[threadIdx.x]], 1); /* @zero-late-atomic */
	__syncthreads();
	out[threadIdx.x] = bins[threadIdx.x];
}

/* The barrier between counting and reading is missing. */
extern "C" __global__ void read_early(const int *in, int *out)
{
	__shared__ int bins[64];

	bins[threadIdx.x] = 0;
	__syncthreads();
	atomicAdd(&bins[63 - in[threadIdx.x]], 1); /* @read-early-atomic */
	out[threadIdx.x] = bins[threadIdx.x]; /* @read-early-read */
}

/* All read what one of them then writes: that it reads it last must not hide the others. */
extern "C" __global__ void write_late(int *out)
{
	__shared__ int cell;

	if (threadIdx.x == 0)
		cell = 1;
	__syncthreads();
	out[threadIdx.x] = cell; /* @write-late-read */
	if (threadIdx.x == blockDim.x - 1)
		cell = 2; /* @write-late-write */
}
