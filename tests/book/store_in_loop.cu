/* The tiled product with the store of P inside the loop over phases. Width: a multiple of 16. */
#define TILE 16

__global__ void tiled_product(const float *M, const float *N, float *P, int Width)
{
	__shared__ float m_tile[TILE][TILE], n_tile[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int row = blockIdx.y * TILE + ty;
	int column = blockIdx.x * TILE + tx;
	float sum = 0.0f;

	for (int phase = 0; phase < Width / TILE; phase++) {
		m_tile[ty][tx] = M[row * Width + phase * TILE + tx];
		n_tile[ty][tx] = N[(phase * TILE + ty) * Width + column];
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			sum += m_tile[ty][k] * n_tile[k][tx];
		__syncthreads();
		P[row * Width + column] = sum;
	}
}

void launch(float *M, float *N, float *P, int Width)
{
	tiled_product<<<dim3(Width / TILE, Width / TILE), dim3(TILE, TILE)>>>(M, N, P, Width);
}
