// One work-item for each element adds all elements before it: n * n / 2 additions.
//pmpp: problem = prefix_sum.c
__kernel void prefix_sum_naive(__global const int *x, __global int *y, int n)
{
	int i = get_global_id(0);
	int sum = 0;

	if (i >= n)
		return;
	for (int k = 0; k <= i; k++)
		sum += x[k];
	y[i] = sum;
}
