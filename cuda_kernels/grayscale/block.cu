/*
 * Colour to grey, one pixel per thread: luminance = 0.21 R + 0.72 G + 0.07 B. A block is a
 * rectangle of the picture. If a block is 32 wide, a warp reads 96 contiguous bytes and stores 32.
 * If it is 16 wide, a warp reads and stores two pieces of half the length, in two rows.
 *
 * The three products are added by fused multiply-adds in this order, beginning with 0.5. Therefore
 * truncating the fraction rounds to nearest, and a grey pixel keeps its value.
 *
 * Block: BLOCK_X x BLOCK_Y threads. Groups: ceil(width / BLOCK_X) * ceil(height / BLOCK_Y),
 * one-dimensional: CUDA limits the grid's y to 65535, a picture may be higher.
 * Limited by: instructions: an address, three loads of a byte, a store of one.
 * Book: PMPP 4th ed., 3.2, Fig. 3.4.
 */
extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y) grayscale_block(
	const unsigned char *__restrict__ RGB, unsigned char *__restrict__ GRAY, int width,
	int height)
{
	int group = blockIdx.x;
	int groups_x = (width + BLOCK_X - 1) / BLOCK_X;
	int column = group % groups_x * BLOCK_X + threadIdx.x;
	int row = group / groups_x * BLOCK_Y + threadIdx.y;

	if (column < width && row < height) {
		size_t pixel = (size_t)row * width + column;
		const unsigned char *from = RGB + 3 * pixel;
		float grey = fmaf(0.21f, from[0], 0.5f);

		grey = fmaf(0.72f, from[1], grey);
		grey = fmaf(0.07f, from[2], grey);
		GRAY[pixel] = (unsigned char)grey;
	}
}
