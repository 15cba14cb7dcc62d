/*
 * Colour to grey, one pixel per work-item: luminance = 0.21 R + 0.72 G + 0.07 B. A group is a
 * rectangle of the picture. If a group is 32 wide, a warp reads 96 contiguous bytes and stores 32.
 * If it is 16 wide, a warp reads and stores two pieces of half the length, in two rows.
 *
 * The three products are added by fused multiply-adds in this order, beginning with 0.5. Therefore
 * truncating the fraction rounds to nearest, and a grey pixel keeps its value.
 *
 * Block: BLOCK_X x BLOCK_Y work-items. Groups: ceil(width / BLOCK_X) * ceil(height / BLOCK_Y),
 * one-dimensional, as in the CUDA twin.
 * Limited by: instructions: an address, three loads of a byte, a store of one.
 * Book: PMPP 4th ed., 3.2, Fig. 3.4.
 */
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(BLOCK_X, BLOCK_Y, 1))) void grayscale_block(
	__global const uchar *restrict RGB, __global uchar *restrict GRAY, int width, int height)
{
	int group = get_group_id(0);
	int x = get_local_id(0);
	int y = get_local_id(1);
	int groups_x = (width + BLOCK_X - 1) / BLOCK_X;
	int column = group % groups_x * BLOCK_X + x;
	int row = group / groups_x * BLOCK_Y + y;

	if (column < width && row < height) {
		size_t pixel = (size_t)row * width + column;
		__global const uchar *from = RGB + 3 * pixel;
		float grey = fma(0.21f, (float)from[0], 0.5f);

		grey = fma(0.72f, (float)from[1], grey);
		grey = fma(0.07f, (float)from[2], grey);
		GRAY[pixel] = (uchar)grey;
	}
}
