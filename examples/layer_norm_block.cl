// One work-group for each row: neighbouring work-items read neighbouring elements, and add their sums in local memory.
//pmpp: problem = layer_norm.c
//pmpp: block = 128
//pmpp: grid = rows
float sum_of_block(float value, __local float *s)
{
	int t = get_local_id(0);

	barrier(CLK_LOCAL_MEM_FENCE); // before the second sum
	s[t] = value;
	for (int d = 64; d > 0; d /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t < d)
			s[t] += s[t + d];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	return s[0];
}

__kernel void layer_norm_block(__global const float *x, __global const float *gain, __global const float *bias, __global float *y, int rows, int columns,
	float epsilon)
{
	__local float s[128];
	__global const float *row = x + get_group_id(0) * columns;
	float sum = 0, squares = 0;

	for (int j = get_local_id(0); j < columns; j += 128)
		sum += row[j];
	float mean = sum_of_block(sum, s) / columns;
	for (int j = get_local_id(0); j < columns; j += 128)
		squares += (row[j] - mean) * (row[j] - mean);
	float factor = 1 / sqrt(sum_of_block(squares, s) / columns + epsilon);
	for (int j = get_local_id(0); j < columns; j += 128)
		y[get_group_id(0) * columns + j] = (row[j] - mean) * factor * gain[j] + bias[j];
}
