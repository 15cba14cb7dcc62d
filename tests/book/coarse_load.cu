/* The coarsened product with the wrong load of M only. Width: a multiple of 128. */
#define TILE 32
#define FACTOR 4

__global__ void coarse_product(const float *M, const float *N, float *P, int Width)
{
	__shared__ float m_tile[TILE][TILE], n_tile[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int row = blockIdx.y * TILE + ty;
	int first = blockIdx.x * TILE * FACTOR + tx;
	float sum[FACTOR] = {0.0f};

	for (int phase = 0; phase < Width / TILE; phase++) {
		m_tile[ty][tx] = M[row * Width + phase * TILE + ty];
		for (int c = 0; c < FACTOR; c++) {
			n_tile[ty][tx] = N[(phase * TILE + ty) * Width + first + c * TILE];
			__syncthreads();
			for (int k = 0; k < TILE; k++)
				sum[c] += m_tile[ty][k] * n_tile[k][tx];
			__syncthreads();
		}
	}
	for (int c = 0; c < FACTOR; c++)
		P[row * Width + first + c * TILE] = sum[c];
}

void launch(float *M, float *N, float *P, int Width)
{
	coarse_product<<<dim3(Width / (TILE * FACTOR), Width / TILE), dim3(TILE, TILE)>>>(M, N, P, Width);
}
