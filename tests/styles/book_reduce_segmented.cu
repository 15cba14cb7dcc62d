#include <cuda_runtime.h>
#include <stdlib.h>
#define BLOCK_DIM 256
#define COARSE_FACTOR 2

// fig 10.15: coarsened segmented reduction; *output is 0 before the launch
extern "C" __global__ void reduce_tree(const float* input, float* output, unsigned long long length) {
    __shared__ float input_s[BLOCK_DIM];
    unsigned int segment = COARSE_FACTOR*2*blockDim.x*blockIdx.x;
    unsigned int i = segment + threadIdx.x;
    unsigned int t = threadIdx.x;
    float sum = 0.0f;
    for (unsigned int tile = 0; tile < COARSE_FACTOR*2; ++tile) {
        if (i + tile*BLOCK_DIM < length)
            sum += input[i + tile*BLOCK_DIM];
    }
    input_s[t] = sum;
    for (unsigned int stride = blockDim.x/2; stride >= 1; stride /= 2) {
        __syncthreads();
        if (t < stride) {
            input_s[t] += input_s[t + stride];
        }
    }
    if (t == 0) {
        atomicAdd(output, input_s[0]);
    }
}
