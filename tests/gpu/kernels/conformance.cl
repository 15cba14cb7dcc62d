/*
 * The kernels of the GPU layer's conformance tests, beside conformance.cu: each shows one thing that
 * a backend must carry over. No family uses them.
 *
 * Macros: CONF_VALUE, an integer.
 */

/* One work-item: the macro, and the address of the operand. */
__kernel void conf_value(__global long *out)
{
	out[0] = CONF_VALUE;
	out[1] = (long)out;
}

/* One work-item: every kind of scalar argument comes back bit for bit. */
__kernel void conf_scalars(
	__global int *out_int, __global uint *out_uint, __global ulong *out_ulong,
	__global float *out_float, int i, uint u, ulong ul, float f)
{
	*out_int = i;
	*out_uint = u;
	*out_ulong = ul;
	*out_float = f;
}

/* Any range: each work-item leaves who it is at its own place. */
__kernel void conf_indices(__global uint *out)
{
	uint items = get_local_size(0) * get_local_size(1) * get_local_size(2);
	uint group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) +
		     get_group_id(0);
	uint item = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) +
		    get_local_id(0);
	__global uint *own = out + 6 * (group * items + item);

	own[0] = get_group_id(0);
	own[1] = get_group_id(1);
	own[2] = get_group_id(2);
	own[3] = get_local_id(0);
	own[4] = get_local_id(1);
	own[5] = get_local_id(2);
}

/* One work-item a group: counts the groups that ran. */
__kernel void conf_mark(__global uint *out)
{
	uint group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) +
		     get_group_id(0);

	out[group] += 1;
}

/* One group of n work-items and 4 n bytes of local memory: turns the order round. */
__kernel void conf_reverse(
	__global const int *in, __global int *out, int n, __local int *buffer)
{
	int item = get_local_id(0);

	buffer[item] = in[item];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[item] = buffer[n - 1 - item];
}

/* One group of 64 work-items, 4096 bytes of static local memory. */
__kernel void conf_static(__global int *out)
{
	__local int buffer[1024];
	int item = get_local_id(0);

	for (int i = item; i < 1024; i += 64)
		buffer[i] = 3 * i;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = item; i < 1024; i += 64)
		out[i] = buffer[1023 - i];
}

/* n work-items: the order of what was queued shows in the value. */
__kernel void conf_step(__global uint *values, uint factor, uint add, int n)
{
	int i = get_global_id(0);

	if (i < n)
		values[i] = values[i] * factor + add;
}
