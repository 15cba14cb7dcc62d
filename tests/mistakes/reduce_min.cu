//pmpp: problem = reduce
//pmpp: op = min
//pmpp: grid = 1
//pmpp: block = 128
__global__ void minimum(const int *values, int *result, int n)
{
    __shared__ int least[128];
    int t = threadIdx.x;
    least[t] = 0x7fffffff;
    for (int i = t; i < n; i += 128)
        if (values[i] < least[t])
            least[t] = values[i];
    __syncthreads();
    if (t == 0) {
        int m = least[0];
        for (int j = 1; j < 128; j++)
            m = least[j] < m ? least[j] : m;
        *result = m;
    }
}
