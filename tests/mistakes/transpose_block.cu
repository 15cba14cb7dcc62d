#define T 16
__global__ void transpose(const float *A, float *B, int m, int n)
{
    __shared__ float s[T][T];
    int r = threadIdx.y, c = threadIdx.x;
    int row = blockIdx.y * T + r;
    int col = blockIdx.x * T + c;
    if (row < m && col < n)
        s[r][c] = A[row * n + col];
    __syncthreads();
    int outRow = blockIdx.x * T + r;
    int outCol = blockIdx.y * T + c;
    if (outRow < n && outCol < m)
        B[outRow * m + outCol] = s[c][r];
}
void run(const float *A, float *B, int m, int n)
{
    transpose<<<dim3((n + T - 1) / T, (m + T - 1) / T), dim3(T, T)>>>(A, B, m, n);
}
