/*
 * Copy B = A, four neighbouring elements per thread in one 16-byte access: a warp's load covers 512
 * contiguous bytes, which are four whole lines. contiguous is already fully coalesced; this kernel
 * has more bytes in flight and fewer instructions. The last thread copies the remaining elements
 * one by one.
 *
 * Block: BLOCK threads. Groups: ceil(n / (4 * BLOCK)). The operands begin on 16-byte boundaries.
 * Limited by: memory.
 * Book: PMPP 4th ed., 6.1 and 6.3.
 */
extern "C" __global__ void __launch_bounds__(BLOCK) coalesce_vector4(
	const float *__restrict__ A, float *__restrict__ B, unsigned long long n)
{
	unsigned long long i = ((unsigned long long)blockIdx.x * BLOCK + threadIdx.x) * 4;

	if (i + 4 <= n) {
		*(float4 *)(B + i) = *(const float4 *)(A + i);
	} else {
		for (; i < n; i++)
			B[i] = A[i];
	}
}
