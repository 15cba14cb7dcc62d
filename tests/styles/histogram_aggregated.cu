#define NUM_BINS 256
#include <stdio.h>

// fig 9.15: aggregation
extern "C" __global__ void histogram_aggregated(const unsigned char* data, unsigned int* histo,
                                                unsigned long long length, unsigned long long bins) {
    __shared__ unsigned int histo_s[NUM_BINS];
    for(unsigned int bin=threadIdx.x; bin<NUM_BINS; bin += blockDim.x) {
        histo_s[bin] = 0u;
    }
    __syncthreads();
    unsigned int accumulator = 0;
    int prevBinIdx = -1;
    unsigned int tid = blockIdx.x*blockDim.x + threadIdx.x;
    for(unsigned int i = tid; i < length; i += blockDim.x*gridDim.x) {
        int binIdx = data[i];
        if(binIdx >= 0 && binIdx < (int)bins) {
            if (binIdx == prevBinIdx) {
                ++accumulator;
            } else {
                if (prevBinIdx >= 0) {
                    atomicAdd(&(histo_s[prevBinIdx]), accumulator);
                }
                accumulator = 1;
                prevBinIdx = binIdx;
            }
        }
    }
    if(accumulator > 0) {
        atomicAdd(&(histo_s[prevBinIdx]), accumulator);
    }
    __syncthreads();
    for(unsigned int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
        unsigned int binValue = histo_s[bin];
        if(binValue > 0) {
            atomicAdd(&(histo[bin]), binValue);
        }
    }
}
