#include <cuda_runtime.h>
#include <iostream>

#define TILE_WIDTH    32
#define COARSE_FACTOR 4

// fig 6.13: thread coarsening; width is a multiple of TILE_WIDTH * COARSE_FACTOR
extern "C" __global__ void matmul_coarse(const float* M, const float* N, float* P, int width, int, int) {
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];

    int blocks = width / (TILE_WIDTH * COARSE_FACTOR);
    int bx = blockIdx.x % blocks;
    int by = blockIdx.x / blocks;
    int tx = threadIdx.x;
    int ty = threadIdx.y;

    // identify the row and column of the P element to work on
    int row = by*TILE_WIDTH + ty;
    int colStart = bx*TILE_WIDTH*COARSE_FACTOR + tx;

    // initialize Pvalue for all output elements
    float Pvalue[COARSE_FACTOR];
    for (int c = 0; c < COARSE_FACTOR; ++c) {
        Pvalue[c] = 0.0f;
    }

    // loop over the M and N tiles required to compute P elements
    for (int ph = 0; ph < width/TILE_WIDTH; ++ph) {

        // collaborative loading of M tile into shared memory
        Mds[ty][tx] = M[row*width + ph*TILE_WIDTH + tx];

        for (int c = 0; c < COARSE_FACTOR; ++c) {
            int col = colStart + c*TILE_WIDTH;

            // collaborative loading of N tile into shared memory
            Nds[ty][tx] = N[(ph*TILE_WIDTH + ty)*width + col];
            __syncthreads();

            for (int k = 0; k < TILE_WIDTH; ++k) {
                Pvalue[c] += Mds[ty][k]*Nds[k][tx];
            }
            __syncthreads();
        }
    }

    for (int c = 0; c < COARSE_FACTOR; ++c) {
        int col = colStart + c*TILE_WIDTH;
        P[row*width + col] = Pvalue[c];
    }
}
