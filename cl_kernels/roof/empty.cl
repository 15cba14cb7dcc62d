/*
 * What a launch costs: a kernel that does nothing. Nothing cannot be checked, so a second kernel
 * writes the answer (B[j] = passes * sum of A[i] over i = j modulo outputs), one output a work-
 * item.
 *
 * Block: BLOCK work-items. Groups: one; ceil(outputs / BLOCK) for the answer.
 * Limited by: latency, the driver's and the device's.
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void roof_empty(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong outputs,
	int passes)
{
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void roof_answer(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong outputs,
	int passes)
{
	ulong j = (ulong)get_group_id(0) * BLOCK + get_local_id(0);
	float sum = 0.0f;

	if (j >= outputs)
		return;
	for (ulong i = j; i < n; i += outputs)
		sum += A[i];
	B[j] = sum * (float)passes;
}
