// One block for each row: neighbouring threads read neighbouring elements, and add their sums in shared memory.
//pmpp: problem = layer_norm.c
//pmpp: block = 128
//pmpp: grid = rows
__device__ float sum_of_block(float value, float *s)
{
	int t = threadIdx.x;

	__syncthreads(); // before the second sum
	s[t] = value;
	for (int d = 64; d > 0; d /= 2) {
		__syncthreads();
		if (t < d)
			s[t] += s[t + d];
	}
	__syncthreads();
	return s[0];
}

__global__ void layer_norm_block(const float *x, const float *gain, const float *bias, float *y, int rows, int columns,
	float epsilon)
{
	__shared__ float s[128];
	const float *row = x + blockIdx.x * columns;
	float sum = 0, squares = 0;

	for (int j = threadIdx.x; j < columns; j += 128)
		sum += row[j];
	float mean = sum_of_block(sum, s) / columns;
	for (int j = threadIdx.x; j < columns; j += 128)
		squares += (row[j] - mean) * (row[j] - mean);
	float factor = 1 / sqrtf(sum_of_block(squares, s) / columns + epsilon);
	for (int j = threadIdx.x; j < columns; j += 128)
		y[blockIdx.x * columns + j] = (row[j] - mean) * factor * gain[j] + bias[j];
}
