// One block of 32 threads for each row: neighbouring threads read neighbouring elements.
//pmpp: problem = spmv.c
//pmpp: block = 32
//pmpp: grid = rows
__global__ void spmv_block(const int *row_start, const int *column, const float *value, const float *x, float *y, int rows)
{
	__shared__ float s[32];
	int t = threadIdx.x, i = blockIdx.x;
	float sum = 0;

	for (int k = row_start[i] + t; k < row_start[i + 1]; k += 32)
		sum += value[k] * x[column[k]];
	s[t] = sum;
	for (int d = 16; d > 0; d /= 2) {
		__syncthreads();
		if (t < d)
			s[t] += s[t + d];
	}
	if (t == 0)
		y[i] = s[0];
}
