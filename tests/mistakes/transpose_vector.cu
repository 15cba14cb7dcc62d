// Each thread moves four neighbouring elements of a row
__global__ void transpose_vector(const float *in, float *out, int rows, int cols)
{
    int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= cols || y >= rows)
        return;
    if (cols % 4 == 0) {
        float4 v = *(const float4 *)(in + y * cols + x);
        out[x * rows + y] = v.x;
        out[(x + 1) * rows + y] = v.y;
        out[(x + 2) * rows + y] = v.z;
        out[(x + 3) * rows + y] = v.w;
    } else {
        int end = min(x + 4, cols);
        for (int i = x; i < end; i++)
            out[i * rows + y] = in[y * cols + i];
    }
}
void run(const float *in, float *out, int rows, int cols)
{
    dim3 block(16, 16);
    dim3 grid((cols + 63) / 64, (rows + 15) / 16);
    transpose_vector<<<grid, block>>>(in, out, rows, cols);
}
