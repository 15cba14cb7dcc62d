__global__ void transpose(const float *in, float *out, int rows, int cols)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < cols && y < rows) {
        int from = y * cols + x;
        int to = x * rows + y;
        out[to] = in[from];
    }
}
void run(const float *in, float *out, int rows, int cols)
{
    dim3 block(16, 16);
    dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
    transpose<<<grid, block>>>(in, out, rows, cols);
}
