//pmpp: problem = reduce
//pmpp: op = sum
//pmpp: clear = out
#define BLOCK 256
__global__ void sumKernel(const int *in, int *out, int n)
{
    __shared__ int sdata[BLOCK];
    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    sdata[t] = i < n ? in[i] : 0;
    __syncthreads(); // loaded
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (t < s) {
            sdata[t] += sdata[t + s];
        }
        __syncthreads(); // added
    }
    if (t == 0)
        atomicAdd(out, sdata[0]);
}
void run(const int *in, int *out, int n)
{
    sumKernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
}
