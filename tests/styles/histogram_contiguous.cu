#include <cuda.h>
#include <cstdint>
#define NUM_BINS 256

// fig 9.12: coarsening with contiguous partitioning
extern "C" __global__ void histogram_coarse(const uint8_t *data, unsigned int *histo, uint64_t length, uint64_t) {
    __shared__ unsigned int histo_s[NUM_BINS];
    for (auto bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x)
        histo_s[bin] = 0u;
    __syncthreads();

    const uint32_t tid = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t cfactor = (length + gridDim.x * blockDim.x - 1) / (gridDim.x * blockDim.x);
    for (uint64_t i = (uint64_t)tid * cfactor; i < min((uint64_t)(tid + 1) * cfactor, length); ++i)
        atomicAdd(histo_s + data[i], 1u);
    __syncthreads();

    for (auto bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x)
        if (const unsigned int binValue = histo_s[bin]; binValue > 0)
            atomicAdd(&histo[bin], binValue);
}
