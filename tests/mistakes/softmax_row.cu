// One thread per row
//pmpp: block = 64
//pmpp: grid = ceil(rows / 64)
__global__ void softmax(const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float top = -3.402823466e38f;
        for (int c = 0; c < cols; c++)
            top = fmaxf(top, x[row * cols + c]);
        float sum = 0.0f;
        for (int j = 0; j < cols; j++)
            sum += expf(x[row * cols + j] - top);
        for (int i = 0; i < cols; i++)
            y[row * cols + i] = expf(x[row * cols + i] - top) / sum;
    }
}
