#include <iostream>
#define NUM_BINS 256

// fig 9.10: privatized in shared memory
extern "C" __global__ void histogram_private(const unsigned char* data, unsigned int* histo,
                                             unsigned long long length, unsigned long long) {
    // Initialize privatized bins
    __shared__ unsigned int histo_s[NUM_BINS];
    for (unsigned int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x) {
        histo_s[bin] = 0u;
    }
    __syncthreads();
    // Histogram
    unsigned int i = blockIdx.x*blockDim.x + threadIdx.x;
    if (i < length) {
        int alphabet_position = data[i];
        if (alphabet_position >= 0 && alphabet_position < NUM_BINS) {
            atomicAdd(&(histo_s[alphabet_position]), 1);
        }
    }
    __syncthreads();
    // Commit to global memory
    for (unsigned int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x) {
        unsigned int binValue = histo_s[bin];
        if (binValue > 0) {
            atomicAdd(&(histo[bin]), binValue);
        }
    }
}
