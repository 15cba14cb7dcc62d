#include "cuda.h"

#define DATA_TYPE float
#define BLOCK_SIZE 256

// Every block sums 2 * BLOCK_SIZE elements; the host pads the input.
extern "C" __global__ void reduce_tree(const DATA_TYPE *__restrict__ g_idata, DATA_TYPE *__restrict__ g_odata,
                                       const unsigned long long n)
{
    const unsigned int blockSize = BLOCK_SIZE;
    const unsigned int tid = threadIdx.x;
    unsigned int i = (blockIdx.x * (blockSize * 2)) + tid;

    __shared__ volatile DATA_TYPE sdata[BLOCK_SIZE];
    sdata[tid] = 0;

    sdata[tid] += g_idata[i] + g_idata[i + blockSize];
    __syncthreads();

    // do reduction in shared mem
    if (blockSize >= 512) { if (tid < 256) { sdata[tid] += sdata[tid + 256]; } __syncthreads(); }
    if (blockSize >= 256) { if (tid < 128) { sdata[tid] += sdata[tid + 128]; } __syncthreads(); }
    if (blockSize >= 128) { if (tid <  64) { sdata[tid] += sdata[tid +  64]; } __syncthreads(); }
    for (unsigned int s = 32; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }

    // Write result for this block to global memory
    if (tid == 0) {
        g_odata[blockIdx.x] = sdata[0];
    }
}
