/*
 * Vector addition C = A + B, four elements a thread as one 16-byte access: a quarter of the load
 * and store instructions for the same bytes, and every warp instruction still covers contiguous
 * memory. The last thread takes what is left one by one.
 *
 * Block: BLOCK threads. Groups: ceil(n / (4 * BLOCK)). The operands begin on 16-byte boundaries.
 * Limited by: memory: with 32 bytes under way for each thread, its latency is covered.
 * Book: PMPP 4th ed., 6.1 and 6.3 (coarsening, with the thread's elements fetched in one go).
 */
extern "C" __global__ void __launch_bounds__(BLOCK) vecadd_vector4(const float *__restrict__ A,
	const float *__restrict__ B, float *__restrict__ C, unsigned long long n)
{
	unsigned long long i = ((unsigned long long)blockIdx.x * BLOCK + threadIdx.x) * 4;

	if (i + 4 <= n) {
		float4 a = *(const float4 *)(A + i);
		float4 b = *(const float4 *)(B + i);

		*(float4 *)(C + i) = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
	} else {
		for (; i < n; i++)
			C[i] = A[i] + B[i];
	}
}
