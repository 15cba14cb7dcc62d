// Each thread computes four neighbouring columns with 16-byte loads of B
__global__ void matmul_vector(const float *A, const float *B, float *C, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= m || col >= n)
        return;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int i = 0; i < k; i++) {
        float a = A[row * k + i];
        float4 b;
        if (n % 4 == 0) {
            b = *(const float4 *)&B[i * n + col];
        } else {
            b.x = B[i * n + col];
            b.y = col + 1 < n ? B[i * n + col + 1] : 0.0f;
            b.z = col + 2 < n ? B[i * n + col + 2] : 0.0f;
            b.w = col + 3 < n ? B[i * n + col + 3] : 0.0f;
        }
        sum.x += a * b.x;
        sum.y += a * b.y;
        sum.z += a * b.z;
        sum.w += a * b.w;
    }
    C[row * n + col] = sum.x;
    if (col + 1 < n) C[row * n + col + 1] = sum.y;
    if (col + 2 < n) C[row * n + col + 2] = sum.z;
    if (col + 3 < n) C[row * n + col + 3] = sum.w;
}
void run(const float *A, const float *B, float *C, int m, int n, int k)
{
    dim3 block(16, 16);
    dim3 grid((n + 63) / 64, (m + 15) / 16);
    matmul_vector<<<grid, block>>>(A, B, C, m, n, k);
}
