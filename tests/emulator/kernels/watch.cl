/*
 * Kernels whose counts are known for each line with a mark "@name" (tests/emulator/watch.c). Each
 * kernel has an array to read and an array to write.
 */

/* ---- Lockstep ---- */

__kernel void ragged(__global const int *in, __global int *out) /* @ragged-first */
{
	int t = (int)get_local_id(0);
	int sum = 0;

	for (int i = 0; i < 9; i++)
		if ((t + i) % 3 == 0) /* @ragged-if */
			sum += in[32 * i + t]; /* @ragged-load */
	out[t] = sum; /* @ragged-store */
}

__kernel void early_return(__global const int *in, __global int *out)
{
	int t = (int)get_local_id(0);

	if (t % 32 >= 20) /* @return-if */
		return;
	out[t] = in[t] + 1; /* @return-store */
}

__kernel void breaks(__global const int *in, __global int *out)
{
	int t = (int)get_local_id(0);
	int sum = 0;

	for (int i = 0; i < 8; i++) {
		if (i == t % 4) /* @break-if */
			break;
		sum += in[32 * i + t]; /* @break-load */
	}
	out[t] = sum; /* @break-store */
}

__kernel void nested(__global const int *in, __global int *out)
{
	int t = (int)get_local_id(0);
	int sum = 0;

	if (t & 1) { /* @nested-outer */
		sum += in[t]; /* @nested-odd */
		if (t & 2) /* @nested-inner */
			sum += in[64 + t]; /* @nested-both */
		else
			sum += in[128 + t]; /* @nested-one */
		sum += in[192 + t]; /* @nested-met */
	} else {
		sum += in[256 + t]; /* @nested-even */
	}
	out[t] = sum; /* @nested-store */
}

static __attribute__((noinline)) int fetch(__global const int *in, int i)
{
	return in[i]; /* @called-load */
}

/* Both sides call the same function: not together, as their lanes are never in it together. */
__kernel void calls(__global const int *in, __global int *out)
{
	int t = (int)get_local_id(0);
	int sum = 0;

	if (t % 32 < 8) /* @called-if */
		sum = fetch(in, t);
	else
		sum = fetch(in, 64 + t) + 1;
	out[t] = sum; /* @called-store */
}

__kernel void exchanges(__global const int *in, __global int *out)
{
	__local int cells[64];
	int t = (int)get_local_id(0);
	int v = in[t];

	for (int distance = 16; distance > 0; distance /= 2)
		v += sub_group_shuffle_xor(v, distance);
	cells[t] = v; /* @exchange-put */
	sub_group_barrier(CLK_LOCAL_MEM_FENCE);
	if (t % 32 == 0) /* @exchange-if */
		out[t] = cells[t + 31]; /* @exchange-get */
	sub_group_barrier(CLK_LOCAL_MEM_FENCE);
	out[64 + t] = cells[t ^ 1]; /* @exchange-all */
}

__kernel void chooses(__global const int *in, __global int *out)
{
	int t = (int)get_local_id(0);
	int a = in[t]; /* @choose-load */
	int b = a > 20 ? a : 20; /* @choose-one */

	out[t] = b; /* @choose-store */
}

__kernel void at_least_once(__global const int *in, __global int *out)
{
	int t = (int)get_local_id(0);
	int left = t % 5;
	int sum = 0;

	do {
		sum += in[32 * left + t]; /* @once-load */
	} while (left-- > 0);
	out[t] = sum;
}

/* In blocks of 72: all lanes of warp 0 pass, some of warp 1, none of warp 2, which is short. */
__kernel void guarded(__global const int *in, __global int *out)
{
	int t = (int)get_local_id(0);

	if (t < 40) /* @guard-if */
		out[t] = in[t]; /* @guard-store */
}

__kernel void counts(__global const int *in, __global int *out)
{
	__local int bins[4];
	int t = (int)get_local_id(0);

	if (t < 4)
		bins[t] = 0;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	atomic_add(&bins[t % 4], 1); /* @count-shared */
	atomic_add(&out[0], 1); /* @count-one */
	atomic_add(&out[64 + t], in[t]); /* @count-each */
}

__kernel void columns(__global const int *in, __global int *out)
{
	__local int tile[32 * 32];
	__local int padded[32 * 33];
	int t = (int)get_local_id(0);

	tile[t * 32] = in[4 * t]; /* @column-put */
	padded[t * 33] = in[t + 1]; /* @padded-put */
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	out[t] = tile[(t ^ 1) * 32] + /* @column-get */
		 padded[(t ^ 1) * 33]; /* @padded-get */
	out[32 + t] = tile[(t ^ 2) * 32] - padded[(t ^ 2) * 33]; /* @both-get */
	out[64 + t] = in[64 + t] - in[96 + t]; /* @both-load */
}

/* The inside of a conversion has no branches of the kernel. */
__kernel void halves(__global const int *in, __global int *out)
{
	int t = (int)get_local_id(0);
	ushort half_bits = 0;

	vstore_half_rte((float)in[t], 0, (half *)&half_bits); /* @half-load */
	out[t] = (int)vload_half(0, (half *)&half_bits) + in[64 + t]; /* @half-store */
}

/* A thread of a block, whose number is seen in what it reads. */
__kernel void of_block(__global const int *in, __global int *out)
{
	out[get_global_id(0)] = /* @block-store */
		in[(int)get_group_id(0) * 32 * (int)(get_local_id(0) % 2)]; /* @block-load */
}

/* ---- No defects ---- */

__kernel void flags(__global const int *in, __global int *out)
{
	__local int flag;

	flag = 7;
	if (in[get_local_id(0)] >= 0)
		out[0] = 1;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	out[64 + get_global_id(0)] = flag;
}

__kernel void ticket(__global const int *in, __global int *out)
{
	__local int last[1];
	int t = (int)get_local_id(0);

	out[64 + get_group_id(0) * get_local_size(0) + t] = in[t] + 1;
	mem_fence(CLK_GLOBAL_MEM_FENCE);
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (t == 0)
		last[0] = atomic_add(&out[0], 1) == (int)get_num_groups(0) - 1;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (last[0])
		for (uint b = 1; b < get_num_groups(0); b++)
			out[64 + t] += out[64 + b * get_local_size(0) + t];
}

/* As ticket(), but the barriers are also the fences. */
__kernel void scopes(__global const int *in, __global int *out)
{
	__local int last[1];
	int t = (int)get_local_id(0);

	out[64 + get_group_id(0) * get_local_size(0) + t] = in[t] + 1;
	work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, __OPENCL_MEMORY_SCOPE_DEVICE);
	if (t == 0)
		last[0] = atomic_add(&out[0], 1) == (int)get_num_groups(0) - 1;
	work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, __OPENCL_MEMORY_SCOPE_DEVICE);
	if (last[0])
		for (uint b = 1; b < get_num_groups(0); b++)
			out[64 + t] += out[64 + b * get_local_size(0) + t];
}

/* The first warp writes and one lane of it releases; one lane of the second warp acquires. */
__kernel void handed(__global const int *in, __global int *out)
{
	int t = (int)get_local_id(0);

	if (t < 32)
		out[64 + t] = in[t];
	sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
	if (t == 0) {
		mem_fence(CLK_GLOBAL_MEM_FENCE);
		atomic_xchg(&out[0], 1);
	}
	if (t == 32)
		atomic_add(&out[0], 0);
	sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
	if (t >= 32)
		out[128 + t] = out[32 + t];
}

/* ---- Defects ---- */

__kernel void shared_race(__global const int *in, __global int *out)
{
	__local int cells[64];
	int t = (int)get_local_id(0);

	cells[t] = in[t]; /* @shared-write */
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	int v = cells[63 - t]; /* @shared-read */
	cells[t] = v + 1; /* @shared-late */
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	out[t] = cells[t];
}

__kernel void warp_race(__global const int *in, __global int *out)
{
	__local int cells[64];
	int t = (int)get_local_id(0);

	cells[t] = in[t]; /* @warp-write */
	out[t] = cells[t ^ 1]; /* @warp-read */
}

__kernel void global_race(__global const int *in, __global int *out)
{
	int t = (int)get_local_id(0);

	out[t] = in[t]; /* @global-write */
	out[64 + t] = out[63 - t]; /* @global-read */
}

__kernel void blocks_write(__global const int *in, __global int *out)
{
	out[get_local_id(0)] = in[0] + (int)get_group_id(0); /* @blocks-write */
}

__kernel void blocks_read(__global const int *in, __global int *out)
{
	int i = (int)get_global_id(0);

	out[i] = in[get_local_id(0)]; /* @blocks-put */
	if (get_group_id(0) > 0)
		out[256 + i] = out[i - (int)get_local_size(0)]; /* @blocks-get */
}

/* Without the fence the writes of the other blocks are not ordered before the reads. */
__kernel void no_fence(__global const int *in, __global int *out)
{
	__local int last[1];
	int t = (int)get_local_id(0);

	out[64 + get_group_id(0) * get_local_size(0) + t] = in[t] + 1; /* @fence-put */
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (t == 0)
		last[0] = atomic_add(&out[0], 1) == (int)get_num_groups(0) - 1;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (last[0])
		for (uint b = 1; b < get_num_groups(0); b++)
			out[320 + t] += out[64 + (b - 1) * get_local_size(0) + t]; /* @fence-get */
}

/* The fence is before the write, so it does not order the write. */
__kernel void early_fence(__global const int *in, __global int *out)
{
	__local int last[1];
	int t = (int)get_local_id(0);

	mem_fence(CLK_GLOBAL_MEM_FENCE);
	out[64 + get_group_id(0) * get_local_size(0) + t] = in[t] + 1; /* @early-put */
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (t == 0)
		last[0] = atomic_add(&out[0], 1) == (int)get_num_groups(0) - 1;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (last[0])
		out[320 + t] = out[64 + t]; /* @early-get */
}

/* The acquire comes after the read, so the read is a race. */
__kernel void late_acquire(__global const int *in, __global int *out)
{
	int i = (int)get_global_id(0);

	if (get_group_id(0) > 0)
		out[320 + i] = out[64 + i - (int)get_local_size(0)]; /* @late-get */
	out[64 + i] = in[get_local_id(0)] + 1; /* @late-put */
	mem_fence(CLK_GLOBAL_MEM_FENCE);
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (get_local_id(0) == 0)
		atomic_add(&out[0], 1);
}

/* With the fence, but without an acquire. */
__kernel void no_acquire(__global const int *in, __global int *out)
{
	int i = (int)get_global_id(0);

	out[64 + i] = in[get_local_id(0)] + 1; /* @ticket-put */
	mem_fence(CLK_GLOBAL_MEM_FENCE);
	if (get_group_id(0) > 0)
		out[320 + i] = out[64 + i - (int)get_local_size(0)]; /* @ticket-get */
}

/* Without the last warp operation the other lanes have not acquired. */
__kernel void not_handed(__global const int *in, __global int *out)
{
	int t = (int)get_local_id(0);

	if (t < 32)
		out[64 + t] = in[t]; /* @handed-put */
	sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
	if (t == 0) {
		mem_fence(CLK_GLOBAL_MEM_FENCE);
		atomic_xchg(&out[0], 1);
	}
	if (t == 32)
		atomic_add(&out[0], 0);
	if (t >= 32)
		out[128 + t] = out[32 + t]; /* @handed-get */
}

/* The second warp reads another flag. */
__kernel void other_flag(__global const int *in, __global int *out)
{
	int t = (int)get_local_id(0);

	if (t < 32)
		out[64 + t] = in[t]; /* @flag-put */
	sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
	if (t == 0) {
		mem_fence(CLK_GLOBAL_MEM_FENCE);
		atomic_xchg(&out[0], 1);
	}
	if (t == 32)
		atomic_add(&out[2], 0);
	sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
	if (t >= 32)
		out[128 + t] = out[32 + t]; /* @flag-get */
}

__kernel void beside_atomics(__global const int *in, __global int *out)
{
	atomic_add(&out[0], in[0] + 1); /* @beside-atomic */
	if (get_local_id(0) == 40)
		out[0] = 5; /* @beside-store */
}

__kernel void outside(__global const int *in, __global int *out)
{
	int t = (int)get_local_id(0);

	out[t] = in[t]; /* @outside-before */
	out[64 + t] = in[t + 512 - 63]; /* @outside-load */
}

__kernel void unwritten(__global const int *in, __global int *out)
{
	__local int cells[65];
	int t = (int)get_local_id(0);

	cells[t] = in[t];
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	out[t] = cells[t + 1]; /* @unwritten */
}

__kernel void not_all(__global const int *in, __global int *out)
{
	if (in[get_local_id(0)] < 60)
		barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* @not-all */
	out[get_local_id(0)] = 1;
}

__kernel void guesses(__global const int *in, __global int *out)
{
	int old = out[0]; /* @guesses */
	int seen;

	while ((seen = atomic_cmpxchg(&out[0], old, old + in[get_local_id(0)])) != old)
		old = seen;
}

__kernel void apart(__global const int *in, __global int *out)
{
	if (in[get_local_id(0)] < 32)
		barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* @apart-1 */
	else
		barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* @apart-2 */
	out[get_local_id(0)] = 1;
}

__kernel void lanes_apart(__global const int *in, __global int *out)
{
	int v = in[get_local_id(0)];

	if (v < 16)
		v = sub_group_reduce_add(v); /* @lanes-apart */
	out[get_local_id(0)] = v;
}

/* No access to memory, and no end. */
__kernel void runs_away(__global const int *in, __global int *out)
{
	uint v = (uint)in[get_local_id(0)];

	while (v != 1000) v = v * 4; /* @runs-away */
	out[get_local_id(0)] = (int)v;
}

__kernel void runs_away_waiting(__global const int *in, __global int *out)
{
	for (int i = 0; in[i & 1] < 2; i++) { out[get_local_id(0)] = i; barrier(CLK_GLOBAL_MEM_FENCE); } /* @runs-away-waiting */
}

static inline int mixed(int value)
{
	value = value * 5 + (value >> 3); /* @mixed-line */
	return value;
}

/* A function that is inlined twice; a constant that the loop needs too. */
__kernel void inlined(__global const int *in, __global int *out)
{
	int t = (int)get_local_id(0);
	int a = mixed(in[t]);
	int b = mixed(in[64 + t]);
	float sum = 0.0f; /* @inlined-sum */

	for (int i = 0; i < 9; i++)
		sum = sum * 0.5f + (float)in[32 * i + t];
	out[t] = a + b + (int)sum;
}

static __attribute__((noinline)) int fetched(__global const int *in, int t)
{
	return t % 4 ? in[t] : 0;
}

__kernel void returned(__global const int *in, __global int *out)
{
	int t = (int)get_local_id(0);
	int value = fetched(in, t);

	if (t % 2 == 0) /* @returned-if */
		out[t] = value;
}
