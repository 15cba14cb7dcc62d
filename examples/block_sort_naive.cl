// One work-item sorts a whole block of 256 elements by insertion, in global memory.
//pmpp: problem = block_sort.c
//pmpp: block = 32
//pmpp: grid = ceil(n / (256 * 32))
__kernel void block_sort_naive(__global float *x, int n)
{
	int begin = (int)get_global_id(0) * 256;
	int end = begin + 256 < n ? begin + 256 : n;

	for (int i = begin + 1; i < end; i++) {
		float value = x[i];
		int k = i;
		for (; k > begin && x[k - 1] > value; k--)
			x[k] = x[k - 1];
		x[k] = value;
	}
}
