// Three launches: each work-group scans its part and writes its total, one work-group scans the totals, and each
// work-group adds the total of those before it.
//pmpp: problem = prefix_sum.c
//pmpp: scratch = total[ceil(n / 256)] i32
//pmpp: launch = scan_blocks block = 256 grid = ceil(n / 256)
//pmpp: launch = scan_totals block = 256 grid = 1 count = ceil(n / 256)
//pmpp: launch = add_totals block = 256 grid = ceil(n / 256)

// Each step adds the element at twice the distance.
int scan(int value, __local int *s)
{
	int t = get_local_id(0);

	s[t] = value;
	for (int d = 1; d < 256; d *= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		int left = t >= d ? s[t - d] : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		s[t] += left;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	return s[t];
}

__kernel void scan_blocks(__global const int *x, __global int *y, __global int *total, int n)
{
	__local int s[256];
	int t = get_local_id(0), block = get_group_id(0), i = block * 256 + t;
	int sum = scan(i < n ? x[i] : 0, s);

	if (i < n)
		y[i] = sum;
	if (t == 255)
		total[block] = sum;
}

__kernel void scan_totals(__global int *total, int count)
{
	__local int s[256];
	int t = get_local_id(0), before = 0;

	for (int first = 0; first < count; first += 256) {
		int i = first + t;
		int sum = before + scan(i < count ? total[i] : 0, s);
		before += s[255];
		if (i < count)
			total[i] = sum;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}

__kernel void add_totals(__global int *y, __global const int *total, int n)
{
	int block = get_group_id(0), i = block * 256 + get_local_id(0);

	if (i < n && block > 0)
		y[i] += total[block - 1];
}
