// A bitonic network in local memory: 36 steps of 128 independent comparisons.
//pmpp: problem = block_sort.c
//pmpp: block = 256
__kernel void block_sort_bitonic(__global float *x, int n)
{
	__local float s[256];
	int t = get_local_id(0), i = get_group_id(0) * 256 + t;

	s[t] = i < n ? x[i] : 3.4e38f; // above all elements: stays at the end
	for (int size = 2; size <= 256; size *= 2)
		for (int step = size / 2; step > 0; step /= 2) {
			int other = t ^ step;
			barrier(CLK_LOCAL_MEM_FENCE);
			if (other > t && (s[t] > s[other]) == !(t & size)) {
				float value = s[t];
				s[t] = s[other];
				s[other] = value;
			}
		}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (i < n)
		x[i] = s[t];
}
