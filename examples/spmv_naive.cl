// One work-item for each row: neighbouring work-items read elements that are far apart.
//pmpp: problem = spmv.c
__kernel void spmv_naive(__global const int *row_start, __global const int *column, __global const float *value,
	__global const float *x, __global float *y, int rows)
{
	int i = get_global_id(0);
	float sum = 0;

	if (i >= rows)
		return;
	for (int k = row_start[i]; k < row_start[i + 1]; k++)
		sum += value[k] * x[column[k]];
	y[i] = sum;
}
