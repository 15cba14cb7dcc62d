/*
 * Memory bandwidth, reading and writing: with outputs = n and one pass this is a copy, 16 bytes per
 * thread, all accesses coalesced. In general B[j] = passes * sum of A[i] over i = j modulo outputs.
 *
 * Block: BLOCK threads. Groups: ceil(outputs / (4 * BLOCK)). Operands begin on 16-byte boundaries.
 * Limited by: memory.
 */
extern "C" __global__ void __launch_bounds__(BLOCK) roof_copy(const float *__restrict__ A,
	float *__restrict__ B, unsigned long long n, unsigned long long outputs, int passes)
{
	unsigned long long first = ((unsigned long long)blockIdx.x * BLOCK + threadIdx.x) * 4;
	float scale = (float)passes;

	if (first >= outputs)
		return;
	if (n % 4 == 0 && outputs % 4 == 0) {
		float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

		for (unsigned long long i = first; i < n; i += outputs) {
			float4 a = *(const float4 *)(A + i);

			sum = make_float4(sum.x + a.x, sum.y + a.y, sum.z + a.z, sum.w + a.w);
		}
		*(float4 *)(B + first) = make_float4(
			sum.x * scale, sum.y * scale, sum.z * scale, sum.w * scale);
	} else {
		for (unsigned long long j = first; j < outputs && j < first + 4; j++) {
			float sum = 0.0f;

			for (unsigned long long i = j; i < n; i += outputs)
				sum += A[i];
			B[j] = sum * scale;
		}
	}
}
