// Adapted for Volta: independent thread scheduling needs __syncwarp()
#include <device_launch_parameters.h>
#include <cuda_runtime.h>
#include <assert.h>

__device__ inline void warp_sum(volatile int *unused, volatile float* smem, int tid) {
    float v = smem[tid];
#define STEP(d)            \
    v += smem[tid + (d)];  \
    __syncwarp();          \
    smem[tid] = v;         \
    __syncwarp();
    STEP(32) STEP(16) STEP(8) STEP(4) STEP(2) STEP(1)
#undef STEP
}

extern "C" __global__ void reduce_tree(const float *in, float *out, unsigned long long n)
{
    assert(blockDim.x == BLOCK && "launch with BLOCK threads");
    __shared__ float smem[BLOCK];
    const int tid = threadIdx.x;
    const size_t first = (size_t)blockIdx.x * (2 * BLOCK) + tid;

    smem[tid] = (first < n ? in[first] : 0.f) + (first + BLOCK < n ? in[first + BLOCK] : 0.f);
    __syncthreads();
    for (int stride = BLOCK >> 1; stride > 32; stride >>= 1) {
        if (tid < stride) smem[tid] += smem[tid + stride];
        __syncthreads();
    }
    if (tid < 32) warp_sum(nullptr, smem, tid);
    if (!tid) out[blockIdx.x] = smem[0];
}
