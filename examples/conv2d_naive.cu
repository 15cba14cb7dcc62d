// One thread for each pixel reads its whole neighbourhood from global memory.
//pmpp: problem = conv2d.c
//pmpp: block = 32x8
__global__ void conv2d_naive(const float *image, const float *filter, float *result, int h, int w, int r)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	float sum = 0;

	if (x >= w || y >= h)
		return;
	for (int j = -r; j <= r; j++)
		for (int i = -r; i <= r; i++)
			if (y + j >= 0 && y + j < h && x + i >= 0 && x + i < w)
				sum += image[(y + j) * w + x + i] * filter[(j + r) * (2 * r + 1) + i + r];
	result[y * w + x] = sum;
}
