// A block copies its tile and the border of the tile to shared memory: 1.7 loads of pixels per result for r = 2.
//pmpp: problem = conv2d.c
//pmpp: block = 32x8
//pmpp: shared = 4 * (32 + 2 * r) * (8 + 2 * r)
__global__ void conv2d_tiled(const float *image, const float *filter, float *result, int h, int w, int r)
{
	extern __shared__ float tile[];
	int x0 = blockIdx.x * blockDim.x, y0 = blockIdx.y * blockDim.y;
	int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
	int columns = blockDim.x + 2 * r, rows = blockDim.y + 2 * r;
	float sum = 0;

	for (int j = threadIdx.y; j < rows; j += blockDim.y)
		for (int i = threadIdx.x; i < columns; i += blockDim.x) {
			int from_x = x0 + i - r, from_y = y0 + j - r;
			bool inside = from_x >= 0 && from_x < w && from_y >= 0 && from_y < h;
			tile[j * columns + i] = inside ? image[from_y * w + from_x] : 0;
		}
	__syncthreads();
	if (x >= w || y >= h)
		return;
	for (int j = 0; j <= 2 * r; j++)
		for (int i = 0; i <= 2 * r; i++)
			sum += tile[(threadIdx.y + j) * columns + threadIdx.x + i] * filter[j * (2 * r + 1) + i];
	result[y * w + x] = sum;
}
