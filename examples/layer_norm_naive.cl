// One work-item for each row reads it three times: neighbouring work-items read elements that are a row apart.
//pmpp: problem = layer_norm.c
//pmpp: block = 64
//pmpp: grid = ceil(rows / 64)
__kernel void layer_norm_naive(__global const float *x, __global const float *gain, __global const float *bias, __global float *y, int rows, int columns,
	float epsilon)
{
	int i = get_global_id(0);
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
		y[i * columns + j] = (x[i * columns + j] - mean) / sqrt(variance + epsilon) * gain[j] + bias[j];
}
