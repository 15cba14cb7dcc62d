// 2-D convolution (a stencil with a square filter); the image is 0 outside.
//pmpp: sizes = h, w, r = 2
//pmpp: in  = image[h][w] f32
//pmpp: in  = filter[2 * r + 1][2 * r + 1] f32
//pmpp: out = result[h][w] f32
//pmpp: check = 1x1, 7x13, 64x64, 61x127, 33x70x1
//pmpp: default = 2048x2048
//pmpp: tolerance = 1e-5

void reference(const real *image, const real *filter, real *result, int h, int w, int r)
{
	int width = 2 * r + 1;

	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++) {
			real sum = 0;
			for (int j = -r; j <= r; j++)
				for (int i = -r; i <= r; i++)
					if (y + j >= 0 && y + j < h && x + i >= 0 && x + i < w)
						sum += image[(y + j) * w + x + i] *
						       filter[(j + r) * width + i + r];
			result[y * w + x] = sum;
		}
}
