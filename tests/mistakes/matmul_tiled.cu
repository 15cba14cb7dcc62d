#define TILE 16

__global__ void matmul_tiled(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    float sum = 0.0f;

    for (int ph = 0; ph < (k + TILE - 1) / TILE; ph++) {
        int a = ph * TILE + tx;
        int b = ph * TILE + ty;
        As[ty][tx] = (row < m && a < k) ? A[row * k + a] : 0.0f;
        Bs[ty][tx] = (b < k && col < n) ? B[b * n + col] : 0.0f;
        __syncthreads(); // the tiles are loaded
        for (int i = 0; i < TILE; i++)
            sum += As[ty][i] * Bs[i][tx];
        __syncthreads(); // the tiles are used
    }
    if (row < m && col < n)
        C[row * n + col] = sum;
}

void multiply(const float *A, const float *B, float *C, int m, int n, int k)
{
    dim3 block(TILE, TILE);
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    matmul_tiled<<<grid, block>>>(A, B, C, m, n, k);
}
