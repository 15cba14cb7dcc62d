/*
 * Memory bandwidth, reading: a thread goes through A in steps of `outputs` elements and adds the
 * elements, 16 bytes at a time, with eight loads in flight. Neighbouring threads read neighbouring
 * elements. B[j] = passes * sum of A[i] over i = j modulo outputs. There are few outputs, so almost
 * nothing is written.
 *
 * Block: BLOCK threads. Groups: ceil(outputs / (4 * BLOCK)), all resident at the same time.
 * Operands begin on 16-byte boundaries.
 * Limited by: memory.
 */
static __device__ float4 add(float4 a, float4 b)
{
	return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

extern "C" __global__ void __launch_bounds__(BLOCK) roof_read(const float *__restrict__ A,
	float *__restrict__ B, unsigned long long n, unsigned long long outputs, int passes)
{
	unsigned long long first = ((unsigned long long)blockIdx.x * BLOCK + threadIdx.x) * 4;
	float scale = (float)passes;

	if (first >= outputs)
		return;
	if (n % 4 == 0 && outputs % 4 == 0) {
		float4 sum0 = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
		float4 sum1 = sum0, sum2 = sum0, sum3 = sum0;
		unsigned long long i = first;

		for (; i + 7 * outputs < n; i += 8 * outputs) {
			sum0 = add(sum0, *(const float4 *)(A + i));
			sum1 = add(sum1, *(const float4 *)(A + i + outputs));
			sum2 = add(sum2, *(const float4 *)(A + i + 2 * outputs));
			sum3 = add(sum3, *(const float4 *)(A + i + 3 * outputs));
			sum0 = add(sum0, *(const float4 *)(A + i + 4 * outputs));
			sum1 = add(sum1, *(const float4 *)(A + i + 5 * outputs));
			sum2 = add(sum2, *(const float4 *)(A + i + 6 * outputs));
			sum3 = add(sum3, *(const float4 *)(A + i + 7 * outputs));
		}
		for (; i < n; i += outputs)
			sum0 = add(sum0, *(const float4 *)(A + i));
		sum0 = add(add(sum0, sum1), add(sum2, sum3));
		*(float4 *)(B + first) = make_float4(
			sum0.x * scale, sum0.y * scale, sum0.z * scale, sum0.w * scale);
	} else {
		for (unsigned long long j = first; j < outputs && j < first + 4; j++) {
			float sum = 0.0f;

			for (unsigned long long i = j; i < n; i += outputs)
				sum += A[i];
			B[j] = sum * scale;
		}
	}
}
