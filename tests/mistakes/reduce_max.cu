//pmpp: problem = reduce
//pmpp: op = max
//pmpp: grid = 1
//pmpp: block = 256
__global__ void maximum(const float *x, float *y, int n)
{
    __shared__ float best[256];
    int tid = threadIdx.x;
    float value = -3.402823466e38f;
    for (int i = tid; i < n; i += 256)
        value = fmaxf(value, x[i]);
    best[tid] = value;
    __syncthreads(); // stored
    for (int step = 128; step >= 1; step = step / 2) {
        if (tid < step)
            best[tid] = fmaxf(best[tid], best[tid + step]);
        __syncthreads(); // compared
    }
    if (tid == 0)
        y[0] = best[0];
}
