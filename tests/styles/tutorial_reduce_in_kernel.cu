#include <iostream>
#include <numeric>
#include <vector>

#define SIZE 256
#define SHMEM_SIZE 256

// For last iteration (saves useless work)
// Use volatile to prevent caching in registers (compiler optimization)
// No __syncthreads() necessary!
extern "C" __global__ void reduce_tree(const float *v, float *v_r, unsigned long long n) {
	// Allocate shared memory
	static __shared__ float partial_sum[SHMEM_SIZE];

	// Calculate thread ID
	unsigned long long tid = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;

	// Load elements
	partial_sum[threadIdx.x] = tid < n ? v[tid] : 0;
	__syncthreads();

	// Start at 1/2 block stride and divide by two each iteration
	// Stop early (call device function instead)
	for (int s = blockDim.x / 2; s > 32; s >>= 1) {
		// Each thread does work unless it is further than the stride
		if (threadIdx.x < s) {
			partial_sum[threadIdx.x] += partial_sum[threadIdx.x + s];
		}
		__syncthreads();
	}

	if (threadIdx.x < 32) {
		volatile float *shmem_ptr = partial_sum;
		for (int t = threadIdx.x, s = 32; s > 0; s /= 2)
			shmem_ptr[t] += shmem_ptr[t + s];
	}

	// Let the thread 0 for this block write the result to main memory
	// Result is indexed by this block
	if (threadIdx.x == 0) {
		v_r[blockIdx.x] = partial_sum[0];
	}
}
