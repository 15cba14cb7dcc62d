#include <cooperative_groups.h>
namespace cg = cooperative_groups;

#define TILE_DIM 32

// Transpose that effectively reorders execution of thread blocks along diagonals of the
// matrix (also coalesced and has no bank conflicts)
//
// Here blockIdx.x is interpreted as the distance along a diagonal and blockIdx.y as
// corresponding to different diagonals
extern "C" __global__ void transpose_tiled(const float *idata, float *odata, int height, int width)
{
    cg::thread_block cta = cg::this_thread_block();
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int blockIdx_x, blockIdx_y;
    dim3 grid(width / TILE_DIM, height / TILE_DIM);
    uint3 block = make_uint3(blockIdx.x % grid.x, blockIdx.x / grid.x, 0);

    // do diagonal reordering
    if (width == height)
    {
        blockIdx_y = block.x;
        blockIdx_x = (block.x + block.y) % grid.x;
    }
    else
    {
        int bid = block.x + grid.x * block.y;
        blockIdx_y = bid % grid.y;
        blockIdx_x = ((bid / grid.y) + blockIdx_y) % grid.x;
    }

    // from here on the code is same as previous kernel except blockIdx_x replaces blockIdx.x
    // and similarly for y
    int xIndex = blockIdx_x * TILE_DIM + threadIdx.x;
    int yIndex = blockIdx_y * TILE_DIM + threadIdx.y;
    int index_in = xIndex + (yIndex)*width;

    xIndex = blockIdx_y * TILE_DIM + threadIdx.x;
    yIndex = blockIdx_x * TILE_DIM + threadIdx.y;
    int index_out = xIndex + (yIndex)*height;

    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        tile[threadIdx.y + i][threadIdx.x] = idata[index_in + i * width];
    }

    cta.sync();

    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        odata[index_out + i * height] = tile[threadIdx.x][threadIdx.y + i];
    }
}
