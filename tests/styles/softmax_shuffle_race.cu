#include <assert.h>
#include <float.h>

// warp-level reduction for finding the maximum value
__device__ float warpReduceMax(float val) {
    for (int offset = 16; offset > 0; offset /= 2) {
        val = fmaxf(val, __shfl_down_sync(0xFFFFFFFF, val, offset));
    }
    return val;
}

// warp-level reduction for summing values
__device__ float warpReduceSum(float val) {
    for (int offset = 16; offset > 0; offset /= 2) {
        val += __shfl_down_sync(0xFFFFFFFF, val, offset);
    }
    return val;
}

// one block per row; first warps reduce by shuffles, then the first thread over the warps
extern "C" __global__ void softmax_safe(const float* inp, float* out, int C) {
    __shared__ float shared[32];
    int idx = blockIdx.x;
    int tid = threadIdx.x;
    int warpId = threadIdx.x / 32; // warp index within a block
    int laneId = threadIdx.x % 32; // thread index within a warp
    int warpsPerBlock = blockDim.x / 32;
    assert(warpsPerBlock <= 32);

    const float* x = inp + idx * C;
    float maxval = -FLT_MAX;
    for (int i = tid; i < C; i += blockDim.x) {
        maxval = fmaxf(maxval, x[i]);
    }
    maxval = warpReduceMax(maxval);
    if (laneId == 0) shared[warpId] = maxval;
    __syncthreads();

    if (tid == 0) {
        float val = shared[tid];
        for (int i = 1; i < warpsPerBlock; i++) {
            val = fmaxf(val, shared[i]);
        }
        shared[0] = val;
    }
    __syncthreads();
    float offset = shared[0];

    float sumval = 0.0f;
    for (int i = tid; i < C; i += blockDim.x) {
        sumval += expf(x[i] - offset);
    }
    sumval = warpReduceSum(sumval);
    if (laneId == 0) shared[warpId] = sumval;  // another warp may still read the maximum
    __syncthreads();

    if (tid == 0) {
        float val = shared[tid];
        for (int i = 1; i < warpsPerBlock; ++i) {
            val += shared[i];
        }
        shared[0] = val;
    }
    __syncthreads();
    float sum = shared[0];

    for (int i = tid; i < C; i += blockDim.x) {
        out[idx * C + i] = expf(x[i] - offset) / sum;
    }
}
