/*
 * Shared memory, read: a thread stores DEPTH times 16 bytes in shared memory and reads them in each
 * pass. Each pass begins one element further, so that the compiler cannot remove a pass or use
 * registers. Neighbouring threads read neighbouring 16 bytes: no bank conflicts. No barrier: each
 * thread reads only its own data. B[j] = passes * sum of A[i] over i = j modulo outputs.
 *
 * Block: BLOCK threads, 16 * DEPTH * BLOCK bytes of shared memory. Groups: ceil(outputs / (4 *
 * BLOCK)). n = DEPTH * outputs uses every row.
 * Limited by: shared memory.
 */
#define DEPTH 8 /* a power of two */

/* 4 elements from A[i], for the outputs j to j + 3; zero beyond the last output. */
static __device__ float4 load_guarded(const float *A, unsigned long long i, unsigned long long n,
	unsigned long long j, unsigned long long outputs)
{
	return make_float4(i < n && j < outputs ? A[i] : 0.0f,
		i + 1 < n && j + 1 < outputs ? A[i + 1] : 0.0f,
		i + 2 < n && j + 2 < outputs ? A[i + 2] : 0.0f,
		i + 3 < n && j + 3 < outputs ? A[i + 3] : 0.0f);
}

extern "C" __global__ void __launch_bounds__(BLOCK) roof_shared(const float *__restrict__ A,
	float *__restrict__ B, unsigned long long n, unsigned long long outputs, int passes)
{
	__shared__ float4 tile[DEPTH][BLOCK];
	int t = threadIdx.x;
	unsigned long long j = ((unsigned long long)blockIdx.x * BLOCK + t) * 4;
	float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

	for (unsigned long long first = 0; first < n; first += DEPTH * outputs) {
#pragma unroll
		for (int k = 0; k < DEPTH; k++)
			tile[k][t] = load_guarded(A, first + k * outputs + j, n, j, outputs);
		/* Two passes unrolled would share their loads. */
#pragma unroll 1
		for (int p = 0; p < passes; p++)
#pragma unroll
			for (int k = 0; k < DEPTH; k++) {
				float4 x = tile[(p + k) % DEPTH][t];

				sum = make_float4(
					sum.x + x.x, sum.y + x.y, sum.z + x.z, sum.w + x.w);
			}
	}
	if (j < outputs)
		B[j] = sum.x;
	if (j + 1 < outputs)
		B[j + 1] = sum.y;
	if (j + 2 < outputs)
		B[j + 2] = sum.z;
	if (j + 3 < outputs)
		B[j + 3] = sum.w;
}
