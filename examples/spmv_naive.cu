// One thread for each row: neighbouring threads read elements that are far apart.
//pmpp: problem = spmv.c
__global__ void spmv_naive(const int *row_start, const int *column, const float *value, const float *x, float *y, int rows)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (i >= rows)
		return;
	for (int k = row_start[i]; k < row_start[i + 1]; k++)
		sum += value[k] * x[column[k]];
	y[i] = sum;
}
