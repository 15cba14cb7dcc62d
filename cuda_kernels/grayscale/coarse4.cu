/*
 * Colour to grey, four neighbouring pixels per thread: their 12 bytes are three words, and the four
 * grey bytes are one word. So a quarter of the loads and stores move the same bytes. The rows of
 * the picture follow each other without gaps, and pixels are independent. Therefore the kernel
 * treats the picture as one line of width * height pixels: every fourth pixel begins at a word for
 * any width, and only the last thread has fewer than four.
 *
 * The three products are added by fused multiply-adds in this order, beginning with 0.5. Therefore
 * truncating the fraction rounds to nearest, and a grey pixel keeps its value.
 *
 * Block: BLOCK threads. Groups: ceil(width * height / (4 * BLOCK)). Operands begin at a word.
 * Limited by: memory.
 * Book: PMPP 4th ed., 3.2, Fig. 3.4, with 6.3 (coarsening).
 */
static __device__ unsigned grey_of(unsigned red, unsigned green, unsigned blue)
{
	float grey = fmaf(0.21f, (float)(red & 255), 0.5f);

	grey = fmaf(0.72f, (float)(green & 255), grey);
	grey = fmaf(0.07f, (float)(blue & 255), grey);
	return (unsigned)grey;
}

extern "C" __global__ void __launch_bounds__(BLOCK) grayscale_coarse4(
	const unsigned char *__restrict__ RGB, unsigned char *__restrict__ GRAY, int width,
	int height)
{
	unsigned long long pixels = (unsigned long long)width * height;
	unsigned long long pixel = ((unsigned long long)blockIdx.x * BLOCK + threadIdx.x) * 4;

	if (pixel + 4 <= pixels) {
		const unsigned *words = (const unsigned *)(RGB + 3 * pixel);
		unsigned a = words[0]; /* R0 G0 B0 R1, from the lowest byte up */
		unsigned b = words[1]; /* G1 B1 R2 G2 */
		unsigned c = words[2]; /* B2 R3 G3 B3 */
		unsigned grey = grey_of(a, a >> 8, a >> 16);

		grey |= grey_of(a >> 24, b, b >> 8) << 8;
		grey |= grey_of(b >> 16, b >> 24, c) << 16;
		grey |= grey_of(c >> 8, c >> 16, c >> 24) << 24;
		*(unsigned *)(GRAY + pixel) = grey;
	} else {
		for (; pixel < pixels; pixel++) {
			const unsigned char *from = RGB + 3 * pixel;

			GRAY[pixel] = (unsigned char)grey_of(from[0], from[1], from[2]);
		}
	}
}
