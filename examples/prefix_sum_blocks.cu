// Three launches: each block scans its part and writes its total, one block scans the totals, and each block adds the
// total of the blocks before it.
//pmpp: problem = prefix_sum.c
//pmpp: scratch = total[ceil(n / 256)] i32
//pmpp: launch = scan_blocks block = 256 grid = ceil(n / 256)
//pmpp: launch = scan_totals block = 256 grid = 1 count = ceil(n / 256)
//pmpp: launch = add_totals block = 256 grid = ceil(n / 256)

// Each step adds the element at twice the distance.
__device__ int scan(int value, int *s)
{
	int t = threadIdx.x;

	s[t] = value;
	for (int d = 1; d < 256; d *= 2) {
		__syncthreads();
		int left = t >= d ? s[t - d] : 0;
		__syncthreads();
		s[t] += left;
	}
	__syncthreads();
	return s[t];
}

__global__ void scan_blocks(const int *x, int *y, int *total, int n)
{
	__shared__ int s[256];
	int i = blockIdx.x * 256 + threadIdx.x;
	int sum = scan(i < n ? x[i] : 0, s);

	if (i < n)
		y[i] = sum;
	if (threadIdx.x == 255)
		total[blockIdx.x] = sum;
}

__global__ void scan_totals(int *total, int count)
{
	__shared__ int s[256];
	int before = 0;

	for (int first = 0; first < count; first += 256) {
		int i = first + threadIdx.x;
		int sum = before + scan(i < count ? total[i] : 0, s);
		before += s[255];
		if (i < count)
			total[i] = sum;
		__syncthreads();
	}
}

__global__ void add_totals(int *y, const int *total, int n)
{
	int i = blockIdx.x * 256 + threadIdx.x;

	if (i < n && blockIdx.x > 0)
		y[i] += total[blockIdx.x - 1];
}
