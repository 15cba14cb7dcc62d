// One thread for each element adds all elements before it: n * n / 2 additions.
//pmpp: problem = prefix_sum.c
__global__ void prefix_sum_naive(const int *x, int *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int sum = 0;

	if (i >= n)
		return;
	for (int k = 0; k <= i; k++)
		sum += x[k];
	y[i] = sum;
}
