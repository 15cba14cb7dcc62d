/*
 * Colour to grey, four neighbouring pixels per work-item: their 12 bytes are three words, and the
 * four grey bytes are one word. So a quarter of the loads and stores move the same bytes. The rows
 * of the picture follow each other without gaps, and pixels are independent. Therefore the kernel
 * treats the picture as one line of width * height pixels: every fourth pixel begins at a word for
 * any width, and only the last work-item has fewer than four.
 *
 * The three products are added by fused multiply-adds in this order, beginning with 0.5. Therefore
 * truncating the fraction rounds to nearest, and a grey pixel keeps its value.
 *
 * Block: BLOCK work-items. Groups: ceil(width * height / (4 * BLOCK)). Operands begin at a word.
 * The device is little-endian, like the host.
 * Limited by: memory.
 * Book: PMPP 4th ed., 3.2, Fig. 3.4, with 6.3 (coarsening).
 */
#pragma OPENCL FP_CONTRACT OFF

static uint grey_of(uint red, uint green, uint blue)
{
	float grey = fma(0.21f, (float)(red & 255), 0.5f);

	grey = fma(0.72f, (float)(green & 255), grey);
	grey = fma(0.07f, (float)(blue & 255), grey);
	return (uint)grey;
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void grayscale_coarse4(
	__global const uchar *restrict RGB, __global uchar *restrict GRAY, int width, int height)
{
	ulong pixels = (ulong)width * height;
	ulong pixel = ((ulong)get_group_id(0) * BLOCK + get_local_id(0)) * 4;

	if (pixel + 4 <= pixels) {
		__global const uint *words = (__global const uint *)(RGB + 3 * pixel);
		uint a = words[0]; /* R0 G0 B0 R1, from the lowest byte up */
		uint b = words[1]; /* G1 B1 R2 G2 */
		uint c = words[2]; /* B2 R3 G3 B3 */
		uint grey = grey_of(a, a >> 8, a >> 16);

		grey |= grey_of(a >> 24, b, b >> 8) << 8;
		grey |= grey_of(b >> 16, b >> 24, c) << 16;
		grey |= grey_of(c >> 8, c >> 16, c >> 24) << 24;
		*(__global uint *)(GRAY + pixel) = grey;
	} else {
		for (; pixel < pixels; pixel++) {
			__global const uchar *from = RGB + 3 * pixel;

			GRAY[pixel] = (uchar)grey_of(from[0], from[1], from[2]);
		}
	}
}
