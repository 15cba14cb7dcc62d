#include <cuda_runtime.h>
#include "device_launch_parameters.h"

#define WARP_SIZE 32
#define FULL_MASK 0xffffffff

template <unsigned int blockSize>
__device__ __forceinline__ float warpReduceSum(float sum) {
    if (blockSize >= 32) sum += __shfl_down_sync(FULL_MASK, sum, 16); // 0-16, 1-17, 2-18, etc.
    if (blockSize >= 16) sum += __shfl_down_sync(FULL_MASK, sum, 8);  // 0-8, 1-9, 2-10, etc.
    if (blockSize >= 8) sum += __shfl_down_sync(FULL_MASK, sum, 4);   // 0-4, 1-5, 2-6, etc.
    if (blockSize >= 4) sum += __shfl_down_sync(FULL_MASK, sum, 2);   // 0-2, 1-3, 4-6, 5-7, etc.
    if (blockSize >= 2) sum += __shfl_down_sync(FULL_MASK, sum, 1);   // 0-1, 2-3, 4-5, etc.
    return sum;
}

template <unsigned int blockSize, int NUM_PER_THREAD>
__device__ void reduce7(const float *d_in, float *d_out, unsigned int n) {
    float sum = 0;

    // each thread loads NUM_PER_THREAD elements from global to its register
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockSize * NUM_PER_THREAD) + threadIdx.x;
#pragma unroll
    for (int iter = 0; iter < NUM_PER_THREAD; iter++) {
        if (i + iter * blockSize < n) sum += d_in[i + iter * blockSize];
    }

    // Shared mem for partial sums (one per warp in the block)
    static __shared__ float warpLevelSums[WARP_SIZE];
    const int laneId = threadIdx.x % WARP_SIZE;
    const int warpId = threadIdx.x / WARP_SIZE;

    sum = warpReduceSum<blockSize>(sum);

    if (laneId == 0) warpLevelSums[warpId] = sum;
    __syncthreads();
    // read from shared memory only if that warp existed
    sum = (threadIdx.x < blockDim.x / WARP_SIZE) ? warpLevelSums[laneId] : 0;
    // Final reduce using first warp
    if (warpId == 0) sum = warpReduceSum<blockSize / WARP_SIZE>(sum);
    // write result for this block to global mem
    if (tid == 0) d_out[blockIdx.x] = sum;
}

extern "C" __global__ void reduce_shuffle(const float *d_in, float *d_out, unsigned long long n) {
    reduce7<256, 2>(d_in, d_out, n);
}
