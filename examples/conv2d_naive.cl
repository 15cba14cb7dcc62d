// One work-item for each pixel reads its whole neighbourhood from global memory.
//pmpp: problem = conv2d.c
//pmpp: block = 32x8
__kernel void conv2d_naive(__global const float *image, __global const float *filter, __global float *result, int h, int w,
	int r)
{
	int x = get_global_id(0), y = get_global_id(1);
	float sum = 0;

	if (x >= w || y >= h)
		return;
	for (int j = -r; j <= r; j++)
		for (int i = -r; i <= r; i++)
			if (y + j >= 0 && y + j < h && x + i >= 0 && x + i < w)
				sum += image[(y + j) * w + x + i] * filter[(j + r) * (2 * r + 1) + i + r];
	result[y * w + x] = sum;
}
