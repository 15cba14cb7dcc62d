/* A sliding sum from a shared tile without a halo. The barrier is behind a test of the boundary. */
__global__ void window_sum(const float *A, float *B, int n, int width)
{
	__shared__ float tile[256];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int half = width / 2;

	if (i >= n)
		return;
	tile[threadIdx.x] = A[i];
	__syncthreads();
	float sum = 0.0f;
	for (int offset = -half; offset <= half; offset++) {
		int t = (int)threadIdx.x + offset;
		if (t >= 0 && t < (int)blockDim.x && i + offset >= 0 && i + offset < n)
			sum += tile[t];
	}
	B[i] = sum;
}

void launch(float *A, float *B, int n, int width)
{
	window_sum<<<(n + 255) / 256, 256>>>(A, B, n, width);
}
