// Prefix sum: y[i] = x[0] + ... + x[i].
//pmpp: sizes = n
//pmpp: in = x[n] i32
//pmpp: out = y[n] i32
//pmpp: check = 1, 37, 255, 256, 257, 513, 5000
//pmpp: default = 1048576

void reference(const int *x, int *y, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		y[i] = sum += x[i];
}
