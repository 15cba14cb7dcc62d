// Sort of each block of 256 elements, in place.
//pmpp: sizes = n
//pmpp: inout = x[n] f32
//pmpp: check = 1, 37, 255, 256, 257, 1000
//pmpp: default = 1048576
//pmpp: tolerance = 0

static int compare(const void *a, const void *b)
{
	real x = *(const real *)a, y = *(const real *)b;

	return (x > y) - (x < y);
}

void reference(real *x, int n)
{
	for (int begin = 0; begin < n; begin += 256)
		qsort(x + begin, n - begin < 256 ? n - begin : 256, sizeof *x, compare);
}
