#include <bits/stdc++.h>
#include <cuda_runtime.h>

using namespace std;

#define THREADS_PER_BLOCK 256

__device__ void warpReduce(volatile float* cache, unsigned int tid)
{
    cache[tid] += cache[tid + 32];
    cache[tid] += cache[tid + 16];
    cache[tid] += cache[tid + 8];
    cache[tid] += cache[tid + 4];
    cache[tid] += cache[tid + 2];
    cache[tid] += cache[tid + 1];
}

// v4: unroll the last warp
extern "C" __global__ void reduce_tree(const float *d_input, float *d_output, unsigned long long n)
{
    __shared__ volatile float shared[THREADS_PER_BLOCK];
    const float *input_begin = d_input + blockDim.x * blockIdx.x * 2;
    int left = n - blockDim.x * blockIdx.x * 2;

    shared[threadIdx.x] = (threadIdx.x < left ? input_begin[threadIdx.x] : 0.f) +
                          (threadIdx.x + blockDim.x < left ? input_begin[threadIdx.x + blockDim.x] : 0.f);
    __syncthreads();

    for (int i = blockDim.x / 2; i > 32; i /= 2)
    {
        if (threadIdx.x < i)
            shared[threadIdx.x] += shared[threadIdx.x + i];
        __syncthreads();
    }

    if (threadIdx.x < 32)
        warpReduce(shared, threadIdx.x);

    if (threadIdx.x == 0)
        d_output[blockIdx.x] = shared[0];
}
