// One thread sorts a whole block of 256 elements by insertion, in global memory.
//pmpp: problem = block_sort.c
//pmpp: block = 32
//pmpp: grid = ceil(n / (256 * 32))
__global__ void block_sort_naive(float *x, int n)
{
	int begin = (blockIdx.x * blockDim.x + threadIdx.x) * 256;
	int end = begin + 256 < n ? begin + 256 : n;

	for (int i = begin + 1; i < end; i++) {
		float value = x[i];
		int k = i;
		for (; k > begin && x[k - 1] > value; k--)
			x[k] = x[k - 1];
		x[k] = value;
	}
}
