/*
 * Softmax of rows in the form of a CPU: a work-item computes whole rows, at least one row and SPAN
 * elements, 16 columns at a time in vector registers. It passes over a row three times; the first
 * pass loads the row to the cache: the maximum; exp(x - max), which is stored and added; the stored
 * values times 1 / sum. So exp is computed once, and work-items share no results.
 *
 * The last columns of a row are also a vector, completed with -inf, whose exp is 0. The search for
 * the maximum begins with the lowest finite number, so that exp(-inf - max) is never NaN.
 *
 * Block: 1 work-item. Groups: ceil(rows / share), share rows each.
 * Limited by: exp, and memory if rows are longer than the cache; a single long row uses one core.
 * Applies to: OpenCL CPU devices. A GPU would be idle with one work-item per group.
 * Book: not in PMPP.
 */
#define LOWEST (-3.402823466e38f)

/* The first count (1 to 15) floats at x, then -inf. */
static float16 load_tail(__global const float *x, int count)
{
	float part[LANES];

	for (int i = 0; i < LANES; i++)
		part[i] = i < count ? x[i] : -INFINITY;
	return vload16(0, part);
}

static float largest_of(float16 v)
{
	float8 a = max(v.lo, v.hi);
	float4 b = max(a.lo, a.hi);
	float2 c = max(b.lo, b.hi);

	return max(c.x, c.y);
}

static float sum_of(float16 v)
{
	float8 a = v.lo + v.hi;
	float4 b = a.lo + a.hi;
	float2 c = b.lo + b.hi;

	return c.x + c.y;
}

static void softmax_row(__global const float *x, __global float *y, int columns)
{
	int whole = columns / LANES * LANES;
	int tail = columns - whole;
	float16 high0 = LOWEST, high1 = LOWEST;
	float16 sum0 = 0.0f, sum1 = 0.0f;
	int c = 0;

	for (; c + 2 * LANES <= whole; c += 2 * LANES) {
		high0 = max(high0, vload16(0, x + c));
		high1 = max(high1, vload16(1, x + c));
	}
	if (c < whole)
		high0 = max(high0, vload16(0, x + c));
	if (tail)
		high1 = max(high1, load_tail(x + whole, tail));

	float largest = largest_of(max(high0, high1));

	for (c = 0; c + 2 * LANES <= whole; c += 2 * LANES) {
		float16 e0 = exp(vload16(0, x + c) - largest);
		float16 e1 = exp(vload16(1, x + c) - largest);

		vstore16(e0, 0, y + c);
		vstore16(e1, 1, y + c);
		sum0 += e0;
		sum1 += e1;
	}
	if (c < whole) {
		float16 e = exp(vload16(0, x + c) - largest);

		vstore16(e, 0, y + c);
		sum0 += e;
	}
	if (tail) {
		float16 e = exp(load_tail(x + whole, tail) - largest);
		float part[LANES];

		vstore16(e, 0, part);
		for (int i = 0; i < tail; i++)
			y[whole + i] = part[i];
		sum1 += e;
	}

	float scale = 1.0f / sum_of(sum0 + sum1);

	for (c = 0; c < whole; c += LANES)
		vstore16(vload16(0, y + c) * scale, 0, y + c);
	for (; c < columns; c++)
		y[c] *= scale;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void softmax_cpu_rows(
	__global const float *restrict A, __global float *restrict B, int rows, int columns)
{
	size_t group = get_group_id(0);
	/* As in the plan: ceil(SPAN / columns). */
	size_t share = ((size_t)SPAN - 1) / columns + 1;
	size_t end = min((group + 1) * share, (size_t)rows);

	for (size_t row = group * share; row < end; row++)
		softmax_row(A + row * columns, B + row * columns, columns);
}
