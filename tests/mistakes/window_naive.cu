//pmpp: problem = window
__global__ void sliding(const float *in, float *out, int n, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int radius = width / 2;
    if (i < n) {
        float sum = 0.0f;
        for (int k = -radius; k <= radius; k++) {
            int j = i + k;
            if (j >= 0 && j < n)
                sum += in[j];
        }
        out[i] = sum;
    }
}
void run(const float *in, float *out, int n, int width)
{
    int threads = 128;
    sliding<<<(n + threads - 1) / threads, threads>>>(in, out, n, width);
}
