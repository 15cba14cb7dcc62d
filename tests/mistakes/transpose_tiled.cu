#define TILE_DIM 32
#define BLOCK_ROWS 8
__global__ void transposeTiled(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE_DIM + tx;
    int y = blockIdx.y * TILE_DIM + ty;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[ty + j][tx] = idata[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + tx; // of the output
    y = blockIdx.x * TILE_DIM + ty;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS)
        if (x < height && y + k < width)
            odata[(y + k) * height + x] = tile[tx][ty + k];
}
void run(float *odata, const float *idata, int width, int height)
{
    dim3 block(TILE_DIM, BLOCK_ROWS);
    dim3 grid((width + TILE_DIM - 1) / TILE_DIM, (height + TILE_DIM - 1) / TILE_DIM);
    transposeTiled<<<grid, block>>>(odata, idata, width, height);
}
//opencl: //pmpp: block = TILE_DIM x BLOCK_ROWS
//opencl: //pmpp: grid = ceil(width / TILE_DIM), ceil(height / TILE_DIM)
