//pmpp: problem = reduce
//pmpp: op = sum
//pmpp: clear = out
#define BLOCK 256
__device__ float blockSum(float *s, int t)
{
    for (int d = BLOCK / 2; d >= 32; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads(); // added
    }
    if (t < 32) {
        for (int d = 16; d > 0; d /= 2) {
            float v = s[t + d];
            __syncwarp(); // read
            s[t] += v;
            __syncwarp(); // written
        }
    }
    __syncthreads(); // done
    return s[0];
}
__global__ void sumKernel(const float *in, float *out, int n)
{
    __shared__ float sdata[BLOCK];
    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    sdata[t] = i < n ? in[i] : 0;
    __syncthreads();
    float sum = blockSum(sdata, t);
    if (t == 0)
        atomicAdd(out, sum);
}
