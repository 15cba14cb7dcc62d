// A work-group copies its tile and the border of the tile to local memory: 1.7 loads of pixels per result for r = 2.
//pmpp: problem = conv2d.c
//pmpp: block = 32x8
//pmpp: shared = 4 * (32 + 2 * r) * (8 + 2 * r)
__kernel void conv2d_tiled(__global const float *image, __global const float *filter, __global float *result, int h, int w,
	int r, __local float *tile)
{
	int tx = get_local_id(0), ty = get_local_id(1), bx = get_local_size(0), by = get_local_size(1);
	int x0 = get_group_id(0) * bx, y0 = get_group_id(1) * by;
	int x = x0 + tx, y = y0 + ty, columns = bx + 2 * r, rows = by + 2 * r;
	float sum = 0;

	for (int j = ty; j < rows; j += by)
		for (int i = tx; i < columns; i += bx) {
			int from_x = x0 + i - r, from_y = y0 + j - r;
			bool inside = from_x >= 0 && from_x < w && from_y >= 0 && from_y < h;
			tile[j * columns + i] = inside ? image[from_y * w + from_x] : 0;
		}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (x >= w || y >= h)
		return;
	for (int j = 0; j <= 2 * r; j++)
		for (int i = 0; i <= 2 * r; i++)
			sum += tile[(ty + j) * columns + tx + i] * filter[j * (2 * r + 1) + i];
	result[y * w + x] = sum;
}
