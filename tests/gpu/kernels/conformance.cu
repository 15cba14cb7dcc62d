/*
 * The kernels of the GPU layer's conformance tests, beside conformance.cl: each shows one thing that
 * a backend must carry over. No family uses them.
 *
 * Macros: CONF_VALUE, an integer.
 */

/* One thread: the macro, and the address of the operand. */
extern "C" __global__ void conf_value(long long *out)
{
	out[0] = CONF_VALUE;
	out[1] = (long long)out;
}

/* One thread: every kind of scalar argument comes back bit for bit. */
extern "C" __global__ void conf_scalars(
	int *out_int, unsigned *out_uint, unsigned long long *out_ulong, float *out_float, int i,
	unsigned u, unsigned long long ul, float f)
{
	*out_int = i;
	*out_uint = u;
	*out_ulong = ul;
	*out_float = f;
}

/* Any grid and block: each thread leaves who it is at its own place. */
extern "C" __global__ void conf_indices(unsigned *out)
{
	unsigned threads = blockDim.x * blockDim.y * blockDim.z;
	unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
	unsigned *own = out + 6 * (block * threads + thread);

	own[0] = blockIdx.x;
	own[1] = blockIdx.y;
	own[2] = blockIdx.z;
	own[3] = threadIdx.x;
	own[4] = threadIdx.y;
	own[5] = threadIdx.z;
}

/* One thread a block: counts the blocks that ran. */
extern "C" __global__ void conf_mark(unsigned *out)
{
	unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;

	out[block] += 1;
}

/* One block of n threads and 4 n bytes of dynamic shared memory: turns the order round. */
extern "C" __global__ void conf_reverse(const int *in, int *out, int n)
{
	extern __shared__ int buffer[];

	buffer[threadIdx.x] = in[threadIdx.x];
	__syncthreads();
	out[threadIdx.x] = buffer[n - 1 - threadIdx.x];
}

/* One block of 64 threads, 4096 bytes of static shared memory. */
extern "C" __global__ void conf_static(int *out)
{
	__shared__ int buffer[1024];

	for (int i = threadIdx.x; i < 1024; i += 64)
		buffer[i] = 3 * i;
	__syncthreads();
	for (int i = threadIdx.x; i < 1024; i += 64)
		out[i] = buffer[1023 - i];
}

/* n threads: the order of what was queued shows in the value. */
extern "C" __global__ void conf_step(unsigned *values, unsigned factor, unsigned add, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		values[i] = values[i] * factor + add;
}
