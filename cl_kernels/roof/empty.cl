/*
 * The time of a launch: an empty kernel. It has no result to check, so a second kernel writes
 * the answer (B[j] = passes * sum of A[i] over i = j modulo outputs), one output per
 * work-item.
 *
 * Block: BLOCK work-items. Groups: one; ceil(outputs / BLOCK) for the answer.
 * Limited by: the latency of the driver and of the device.
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
