//pmpp: problem = transpose
//pmpp: block = 32 x 8

// A has m rows and n columns. B has n rows and m columns: B[column][row] = A[row][column].
__global__ void transpose(const float *A, float *B, int m, int n)
{
	int column = blockIdx.x * blockDim.x + threadIdx.x;
	int row = blockIdx.y * blockDim.y + threadIdx.y;

	if (row < m && column < n)
		B[column * m + row] = A[row * n + column];
}
