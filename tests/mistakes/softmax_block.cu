// One block per row
//pmpp: block = 128
//pmpp: grid = rows
__global__ void softmax_block(const float *in, float *out, int rows, int cols)
{
    __shared__ float part[128];
    int t = threadIdx.x;
    int row = blockIdx.x;
    float peak = -3.402823466e38f;
    for (int c = t; c < cols; c += 128)
        peak = fmaxf(peak, in[row * cols + c]);
    part[t] = peak;
    __syncthreads(); // peaks
    for (int s = 64; s > 0; s /= 2) {
        if (t < s)
            part[t] = fmaxf(part[t], part[t + s]);
        __syncthreads(); // a peak
    }
    peak = part[0];
    __syncthreads(); // the peak is read
    float sum = 0.0f;
    for (int c = t; c < cols; c += 128)
        sum += expf(in[row * cols + c] - peak);
    part[t] = sum;
    __syncthreads(); // sums
    for (int d = 64; d > 0; d /= 2) {
        if (t < d)
            part[t] += part[t + d];
        __syncthreads(); // a sum
    }
    sum = part[0];
    for (int i = t; i < cols; i += 128)
        out[row * cols + i] = expf(in[row * cols + i] - peak) / sum;
}
