// Each block in z adds the products of 64 terms
//pmpp: clear = C
#define CHUNK 64
__global__ void matmul_split(const float *A, const float *B, float *C, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int begin = blockIdx.z * CHUNK;
    int end = min(begin + CHUNK, k);
    if (row >= m || col >= n)
        return;
    float sum = 0.0f;
    for (int i = begin; i < end; i++)
        sum += A[row * k + i] * B[i * n + col];
    atomicAdd(&C[row * n + col], sum);
}
void run(const float *A, const float *B, float *C, int m, int n, int k)
{
    dim3 block(16, 16);
    dim3 grid((n + 15) / 16, (m + 15) / 16, (k + CHUNK - 1) / CHUNK);
    matmul_split<<<grid, block>>>(A, B, C, m, n, k);
}
