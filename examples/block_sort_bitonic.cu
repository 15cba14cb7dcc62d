// A bitonic network in shared memory: 36 steps of 128 independent comparisons.
//pmpp: problem = block_sort.c
//pmpp: block = 256
__global__ void block_sort_bitonic(float *x, int n)
{
	__shared__ float s[256];
	int t = threadIdx.x, i = blockIdx.x * 256 + t;

	s[t] = i < n ? x[i] : 3.4e38f; // above all elements: stays at the end
	for (int size = 2; size <= 256; size *= 2)
		for (int step = size / 2; step > 0; step /= 2) {
			int other = t ^ step;
			__syncthreads();
			if (other > t && (s[t] > s[other]) == !(t & size)) {
				float value = s[t];
				s[t] = s[other];
				s[other] = value;
			}
		}
	__syncthreads();
	if (i < n)
		x[i] = s[t];
}
