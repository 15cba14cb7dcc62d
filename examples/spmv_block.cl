// One work-group of 32 work-items for each row: neighbouring work-items read neighbouring elements.
//pmpp: problem = spmv.c
//pmpp: block = 32
//pmpp: grid = rows
__kernel void spmv_block(__global const int *row_start, __global const int *column, __global const float *value,
	__global const float *x, __global float *y, int rows)
{
	__local float s[32];
	int t = get_local_id(0), i = get_group_id(0);
	float sum = 0;

	for (int k = row_start[i] + t; k < row_start[i + 1]; k += 32)
		sum += value[k] * x[column[k]];
	s[t] = sum;
	for (int d = 16; d > 0; d /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t < d)
			s[t] += s[t + d];
	}
	if (t == 0)
		y[i] = s[0];
}
