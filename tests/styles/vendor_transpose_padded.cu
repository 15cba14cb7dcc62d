// A matrix transpose that handles any size; uses __restrict__ and 1D grids
#include <assert.h>
#include <stdio.h>

const int TILE_DIM = 32;
const int NUM_ROWS = 8;

template <typename T, int PAD>
__device__ void transposeNoBankConflicts(T *__restrict__ odata, const T *__restrict__ idata, int w, int h)
{
  __shared__ T tile[TILE_DIM][TILE_DIM + PAD];

  const int nbx = (w + TILE_DIM - 1) / TILE_DIM;
  const int bx = blockIdx.x % nbx, by = blockIdx.x / nbx;
  int x = bx * TILE_DIM + threadIdx.x;
  int y = by * TILE_DIM + threadIdx.y;

  for (int j = 0; j < TILE_DIM && x < w; j += NUM_ROWS)
    if (y + j < h)
      tile[threadIdx.y + j][threadIdx.x] = __ldg(&idata[(y + j) * w + x]);

  __syncthreads();

  x = by * TILE_DIM + threadIdx.x;  // transpose block offset
  y = bx * TILE_DIM + threadIdx.y;

  for (int j = 0; j < TILE_DIM && x < h; j += NUM_ROWS)
    if (y + j < w)
      odata[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void transpose_tiled(const float *idata, float *odata, int h, int w)
{
  transposeNoBankConflicts<float, 1>(odata, idata, w, h);
}
