//pmpp: problem = reduce
//pmpp: op = sum
//pmpp: clear = result
__global__ void reduceSum(const float *data, float *result, int n)
{
    __shared__ float s[128];
    int tid = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * 128 + tid; i < n; i += 128 * gridDim.x)
        sum += data[i];
    s[tid] = sum;
    __syncthreads(); // stored
    if (tid < 64)
        s[tid] += s[tid + 64];
    __syncthreads(); // halved
    if (tid < 32) {
        s[tid] += s[tid + 32];
        __syncwarp();
        for (int d = 16; d > 0; d >>= 1) {
            float v = s[tid + d];
            __syncwarp(); // read
            s[tid] += v;
            __syncwarp(); // written
        }
    }
    if (tid == 0)
        atomicAdd(result, s[0]);
}
void run(const float *data, float *result, int n)
{
    int blocks = (n + 1023) / 1024;
    reduceSum<<<blocks, 128>>>(data, result, n);
}
