//pmpp: clear = histo
__global__ void histo_kernel(unsigned char *buffer, unsigned int *histo, int size, int bins)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int stride = blockDim.x * gridDim.x;
    while (i < size) {
        if (buffer[i] < bins)
            atomicAdd(&(histo[buffer[i]]), 1);
        i += stride;
    }
}
void run(unsigned char *buffer, unsigned int *histo, int size, int bins)
{
    int blocks = (size + 1023) / 1024;
    histo_kernel<<<blocks, 256>>>(buffer, histo, size, bins);
}
