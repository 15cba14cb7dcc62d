#include <iostream>
#include <cmath>
#include <cuda_runtime.h>
using namespace std;

#define TILE_WIDTH 16

// B is in column-major layout: corner turning while the tile goes to shared memory
extern "C" __global__
void matmul_corner_turned(const float *A, const float *B, float *C, int m, int n, int k)
{
  __shared__ float A_s[TILE_WIDTH][TILE_WIDTH];
  __shared__ float B_s[TILE_WIDTH][TILE_WIDTH + 1];

  unsigned int nTiles = (n + TILE_WIDTH - 1) / TILE_WIDTH;
  unsigned int rowBase = blockIdx.x / nTiles * TILE_WIDTH;
  unsigned int colBase = blockIdx.x % nTiles * TILE_WIDTH;
  auto tx = threadIdx.x, ty = threadIdx.y;
  float sum{0.0f};

  for (unsigned int tile = 0; tile < ceilf((float)k / TILE_WIDTH); ++tile) {
    A_s[ty][tx] = (rowBase + ty < m && tile * TILE_WIDTH + tx < k)
                      ? A[(rowBase + ty) * k + tile * TILE_WIDTH + tx]
                      : 0.0f;
    // tx walks along a column of B, which is contiguous in memory
    B_s[tx][ty] = (colBase + ty < n && tile * TILE_WIDTH + tx < k)
                      ? B[(colBase + ty) * k + tile * TILE_WIDTH + tx]
                      : 0.0f;
    __syncthreads();
    for (unsigned int i = 0; i < TILE_WIDTH; ++i)
      sum += A_s[ty][i] * B_s[i][tx];
    __syncthreads();
  }
  if (rowBase + ty < m && colBase + tx < n)
    C[(rowBase + ty) * n + colBase + tx] = sum;
}
