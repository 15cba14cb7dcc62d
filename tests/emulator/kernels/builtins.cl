/* Built-in functions that connect work-items. Lines with a mark (@name) are named by builtins.c. */
#include "pmpp_subgroups.h"

/* The two sides of a branch have ballots and sums of their own. */
__kernel void divergent(__global int *out)
{
	int i = get_local_id(0);
	int lane = get_sub_group_local_id();

	if (i % 3 == 0) {
		uint4 lanes = sub_group_ballot(1);
		out[i] = popcount(lanes.x) + popcount(lanes.y);
	} else {
		out[i] = sub_group_non_uniform_reduce_add(i);
	}
	out[64 + i] = sub_group_elect() ? 1 : 0;
	for (int k = 0; k < lane % 3; k++)
		out[64 + i] += 10 * sub_group_non_uniform_scan_exclusive_add(1);
	out[128 + i] = sub_group_shuffle_xor(i, 1);
	out[192 + i] = sub_group_reduce_max(i) * 100 + sub_group_scan_inclusive_add(1);
}

/* Not all lanes arrive. */
__kernel void partial(__global int *out)
{
	int i = get_local_id(0);

	if (i % 4)
		out[i] = sub_group_reduce_add(i); /* @partial-reduce */
}

__kernel void together(__global int *out)
{
	int i = get_local_linear_id();

	out[i] = work_group_reduce_add(i);
	out[128 + i] = work_group_scan_exclusive_max(i % 10);
	out[256 + i] = work_group_broadcast(i, 3, 2) + work_group_any(i == 70) + 2 * work_group_all(i == 70);
}

/* Two buffers: a copy is under way while the other buffer is read. After a copy to a variable of the file, each
 * work-item may read all of it. */
__global int kept[32];

__kernel void buffered(__global int *out, __global const int *in)
{
	__local int tiles[2][32];
	int i = get_local_id(0), sum = 0;
	event_t events[2];

	events[0] = async_work_group_copy(tiles[0], in, 32, 0);
	for (int t = 0; t < 4; t++) {
		if (t < 3)
			events[(t + 1) % 2] =
				async_work_group_copy(tiles[(t + 1) % 2], in + 32 * (t + 1), 32, 0);
		wait_group_events(1, &events[t % 2]);
		for (int k = 0; k < 32; k++)
			sum += tiles[t % 2][(k + i) % 32] * (t + 1);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[i] = sum;
	tiles[0][i] = 2 * sum + i;
	barrier(CLK_LOCAL_MEM_FENCE);
	events[0] = async_work_group_copy(out + 32, tiles[0], 32, 0);
	events[1] = async_work_group_copy(kept, tiles[0], 32, 0);
	wait_group_events(2, events);
	out[i] += kept[31 - i] - (2 * sum + 31 - i);
}

__kernel void early(__global int *out, __global const int *in)
{
	__local int tile[32];
	int i = get_local_id(0);
	event_t event = async_work_group_copy(tile, in, 32, 0);

	out[i] = tile[i]; /* @early-read */
	wait_group_events(1, &event);
}

/* A thread reads outside of an operand by a vector load. */
__kernel void outside(__global float *out, __global const float *in)
{
	int i = get_local_id(0);

	vstore4(vload4(i, in), i, out); /* @outside-load */
}

/* Equal calls on both sides of a branch: those of each side have their own lanes. */
__kernel void sides(__global int *out)
{
	int i = get_local_id(0);
	int sum, first;

	if (i & 1) {
		sum = sub_group_non_uniform_reduce_add(1);
		first = sub_group_elect();
	} else {
		sum = sub_group_non_uniform_reduce_add(100);
		first = sub_group_elect();
	}
	out[i] = sum;
	out[64 + i] = first;
}

/* All lanes must call the same function. */
__kernel void two_reductions(__global int *out)
{
	int i = get_local_id(0);

	if (i & 1)
		out[i] = sub_group_reduce_add(1);
	else
		out[i] = sub_group_reduce_add(100); /* @two-reductions */
}

__kernel void two_votes(__global int *out)
{
	int i = get_local_id(0);

	if (i & 1)
		out[i] = work_group_any(i == 3);
	else
		out[i] = work_group_any(i == 2); /* @two-votes */
}

__kernel void one_line(__global int *out)
{
	/* clang-format off */
	if (get_local_id(0) & 1) barrier(CLK_LOCAL_MEM_FENCE); else barrier(CLK_LOCAL_MEM_FENCE); /* @one-line */
	/* clang-format on */
	out[get_local_id(0)] = 1;
}

/* Nine events at a time. */
__kernel void nine(__global int *out, __global const int *in)
{
	__local uchar tiles[9][32];
	event_t events[9];
	int i = get_local_id(0);

	for (int k = 0; k < 9; k++)
		events[k] = async_work_group_copy(tiles[k], (__global const uchar *)in + k, 32, 0);
	wait_group_events(9, events);
	out[i] = 0;
	for (int k = 0; k < 9; k++)
		out[i] += tiles[k][i];
	for (int k = 0; k < 9; k++)
		events[k] = async_work_group_copy((__global uchar *)(out + 32) + 32 * k, tiles[k], 32, 0);
	wait_group_events(9, events);
}

/* The wait is for the other event. */
__kernel void other_event(__global int *out, __global const int *in)
{
	__local int tiles[2][16];
	int i = get_local_id(0);
	event_t events[2];

	events[0] = async_work_group_copy(tiles[0], in, 16, 0);
	events[1] = async_work_group_copy(tiles[1], in + 16, 16, 0);
	wait_group_events(1, &events[1]);
	out[i] = tiles[0][i % 16]; /* @other-event */
	wait_group_events(1, &events[0]);
}

/* A wait is no barrier. */
__kernel void wait_only(__global int *out, __global const int *in)
{
	__local int tile[32], other[32];
	int i = get_local_id(0);
	event_t event = async_work_group_copy(tile, in, 32, 0);

	other[i] = in[i]; /* @wait-store */
	wait_group_events(1, &event);
	out[i] = tile[i] + other[31 - i]; /* @wait-load */
}

/* After the wait each work-item may access what others copied, in the order of the source. */
__kernel void after_wait(__global int *out, __global const int *in)
{
	__local int tile[32];
	__local uchar bytes[32];
	int i = get_local_id(0);
	event_t events[2];

	events[0] = async_work_group_copy(tile, in, 32, 0);
	events[1] = async_work_group_copy(bytes, (__global const uchar *)in, 32, 0);
	wait_group_events(2, events);
	int sum = tile[31 - i] + bytes[31 - i];
	tile[31 - i] = sum;
	bytes[31 - i] = 1;
	barrier(CLK_LOCAL_MEM_FENCE);
	events[0] = async_work_group_copy(out, tile, 32, 0);
	wait_group_events(1, events);
	out[31 - i] += bytes[i]; /* @after-wait-sum */
	tile[31 - i] = 0;
}

/* Some work-items copy one element more than the others; an access follows before the wait. */
__kernel void ragged(__global int *out, __global const int *in)
{
	__local int tile[64];
	int i = get_local_id(0);
	event_t event = async_work_group_copy(tile, in, 34, 0); /* @ragged-copy */
	int other = in[40 + i]; /* @ragged-load */

	wait_group_events(1, &event);
	out[i] = tile[i] + tile[i + 2] + other;
}

/* Parts of vectors: work-items write, and read, different elements of a vector. */
__kernel void elements(__global int *out, __global const int *in)
{
	__local int4 tile[32];
	int i = get_local_id(0);

	tile[i].xyz = (int3)(in[i], in[i + 1], in[i + 2]); /* @elements-three */
	barrier(CLK_LOCAL_MEM_FENCE);
	if (i & 1)
		((__global int4 *)out)[i / 2].hi = tile[i ^ 1].xy; /* @elements-two */
	else
		((__global int4 *)out)[i / 2].lo = tile[i ^ 1].yz;
	switch (i & 3) {
	case 0:
		((__global int4 *)out)[32 + i / 4].x = tile[i].z; /* @elements-one */
		break;
	case 1:
		((__global int4 *)out)[32 + i / 4].y = tile[i].z;
		break;
	case 2:
		((__global int4 *)out)[32 + i / 4].z = tile[i].z;
		break;
	default:
		((__global int4 *)out)[32 + i / 4].w = tile[i].z;
	}
}

/* An address without memory. */
__kernel void far(__global float *out, __global const float *in)
{
	int i = get_local_id(0);

	out[i] = 1.0f;
	vstore4((float4)(in[i]), i, out + 100000000000ul); /* @far-store */
}

/* Names of the C library. */
float expf(float x)
{
	return exp(x) + 1.0f;
}

__constant float sinf[2] = {2.0f, 3.0f};

__kernel void library_names(__global int *out)
{
	int i = get_local_id(0);

	out[i] = (int)(expf((float)(i & 1) * 0.0f) + sinf[i & 1] + sin(0.0f * (float)i));
}

/* Some lanes fail, and get the value of the others. */
__kernel void exchanges(__global int *out, __global const int *in)
{
	int i = get_local_id(0);
	int expected = 0;
	bool done = atomic_compare_exchange_strong(
		(volatile __global atomic_int *)&out[64 + (i & 1)], &expected, i + 1);

	out[i] = expected + done + in[i]; /* @exchanges-load */
}

/* Formats with words of LLVM IR. */
__kernel void formats(__global int *out)
{
	if (get_local_id(0) == 99)
		printf("a = internal x global y undef @printf( \"label %%5 %d\n", 3);
	out[get_local_id(0)] = 1;
}

__kernel __attribute__((intel_reqd_sub_group_size(16))) void sixteen(__global int *out)
{
	out[get_local_id(0)] = get_sub_group_size();
}

/* The same store on both sides of a branch. */
__kernel void both_sides(__global int *out, __global const int *in)
{
	int i = get_local_id(0);

	if (in[i] & 1)
		out[i + 1000] = in[i] * 3;
	else
		out[i + 1000] = in[i] + 7; /* @both-sides */
}
