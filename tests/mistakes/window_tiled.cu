//pmpp: problem = window
#define BLOCK 128
__global__ void stencil_1d(const float *in, float *out, int n, int width)
{
    extern __shared__ float temp[];
    int r = width / 2;
    int t = threadIdx.x;
    int g = blockIdx.x * BLOCK + t;
    int l = t + r;
    temp[l] = g < n ? in[g] : 0.0f;
    for (int h = t; h < r; h += BLOCK) {
        int left = blockIdx.x * BLOCK - r + h;
        int right = blockIdx.x * BLOCK + BLOCK + h;
        temp[h] = left >= 0 && left < n ? in[left] : 0.0f;
        temp[r + BLOCK + h] = right < n ? in[right] : 0.0f;
    }
    __syncthreads();
    float result = 0.0f;
    for (int offset = -r; offset <= r; offset++)
        result += temp[l + offset];
    if (g < n)
        out[g] = result;
}
void run(const float *in, float *out, int n, int width)
{
    stencil_1d<<<(n + BLOCK - 1) / BLOCK, BLOCK, (BLOCK + width) * sizeof(float)>>>(in, out, n, width);
}
