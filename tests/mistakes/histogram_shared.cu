//pmpp: clear = hist
__global__ void histogram_shared(const unsigned char *data, unsigned int *hist, int n, int bins)
{
    __shared__ unsigned int priv[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int b = threadIdx.x; b < bins; b += blockDim.x)
        priv[b] = 0;
    __syncthreads(); // cleared
    if (i < n) {
        int v = data[i];
        if (v < bins)
            atomicAdd(&priv[v], 1);
    }
    __syncthreads(); // counted
    for (int b = threadIdx.x; b < bins; b += blockDim.x)
        atomicAdd(&hist[b], priv[b]);
}
void run(const unsigned char *data, unsigned int *hist, int n, int bins)
{
    histogram_shared<<<(n + 127) / 128, 128>>>(data, hist, n, bins);
}
