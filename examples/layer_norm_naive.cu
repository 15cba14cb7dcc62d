// One thread for each row reads it three times: neighbouring threads read elements that are a row apart.
//pmpp: problem = layer_norm.c
//pmpp: block = 64
//pmpp: grid = ceil(rows / 64)
__global__ void layer_norm_naive(const float *x, const float *gain, const float *bias, float *y, int rows, int columns,
	float epsilon)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float mean = 0, variance = 0;

	if (i >= rows)
		return;
	for (int j = 0; j < columns; j++)
		mean += x[i * columns + j];
	mean /= columns;
	for (int j = 0; j < columns; j++)
		variance += (x[i * columns + j] - mean) * (x[i * columns + j] - mean);
	variance /= columns;
	for (int j = 0; j < columns; j++)
		y[i * columns + j] = (x[i * columns + j] - mean) / sqrtf(variance + epsilon) * gain[j] + bias[j];
}
