/*
 * Kernels with one defect each, whose line carries a mark "@name": the error must name it.
 */

__kernel void fill(__global int *out, int value)
{
	out[get_global_id(0)] = value;
}

/* ---- Barriers and warps ---- */

__kernel void returned(__global int *out)
{
	if (get_local_id(0) == 3)
		return;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* @returned */
	out[get_local_id(0)] = 1;
}

__kernel void elsewhere(__global int *out)
{
	if (get_local_id(0) < 40)
		barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* @elsewhere-1 */
	else
		barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* @elsewhere-2 */
	out[get_local_id(0)] = 1;
}

__kernel void elsewhere_line(__global int *out)
{
	if (get_local_id(0) < 40) barrier(CLK_LOCAL_MEM_FENCE); else barrier(CLK_LOCAL_MEM_FENCE); /* @elsewhere-line */
	out[get_local_id(0)] = 1;
}

__attribute__((noinline)) static void wait_for_all(void)
{
	barrier(CLK_LOCAL_MEM_FENCE); /* @elsewhere-called */
}

__kernel void elsewhere_called(__global int *out)
{
	if (get_local_id(0) < 40)
		wait_for_all();
	else
		wait_for_all();
	out[get_local_id(0)] = 1;
}

__kernel void elsewhere_called_line(__global int *out)
{
	if (get_local_id(0) < 40) wait_for_all(); else wait_for_all();
	out[get_local_id(0)] = 1;
}

static inline __attribute__((always_inline)) void wait_inlined(void)
{
	barrier(CLK_LOCAL_MEM_FENCE); /* @elsewhere-inlined */
}

__kernel void elsewhere_inlined(__global int *out)
{
	if (get_local_id(0) < 40)
		wait_inlined();
	else
		wait_inlined();
	out[get_local_id(0)] = 1;
}

__kernel void lanes_apart(__global int *out)
{
	int v = (int)get_local_id(0);

	if (get_local_id(0) < 16)
		v = sub_group_reduce_add(v); /* @lanes-apart */
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	out[get_local_id(0)] = v;
}

/* Lanes 16 to 31 return, the other lanes need them. */
__kernel void left_out(__global int *out)
{
	if (get_local_id(0) % 32 >= 16)
		return;
	out[get_local_id(0)] = sub_group_broadcast((int)get_local_id(0), 0); /* @left-out */
}

/* Right only when each thread's neighbour to the left, or to the right, ran before it. */
__kernel void no_barrier(__global int *out)
{
	__local int cells[64];
	int t = (int)get_local_id(0);

	cells[t] = t; /* @no-barrier-write */
	out[t] = cells[t == 0 ? 0 : t - 1]; /* @no-barrier-read */
}

/* ---- Signals and runaways ---- */

__kernel void null_store(__global int *out, ulong address)
{
	if (get_local_id(0) == 5)
		*(__global volatile int *)address = 1; /* @null-store */
	out[get_local_id(0)] = 1;
}

__kernel void stray(__global int *out, ulong index)
{
	if (get_local_id(0) == 5)
		out[index] = 1; /* @stray */
}

__kernel void divide(__global int *out, int by)
{
	out[get_local_id(0)] = 100 / (by - (int)get_local_id(0)); /* @divide */
}

static __attribute__((noinline)) int deep(int n)
{
	volatile int here[64];

	here[n % 64] = n;
	return n == 0 ? here[0] : deep(n - 1) + here[n % 64]; /* @recursion */
}

__kernel void recursion(__global int *out, int n)
{
	out[get_local_id(0)] = deep(n);
}

/* A frame larger than a stack and its guard page: must not reach what lies below. */
static __attribute__((noinline)) int wide(int n)
{
	volatile char here[4 << 20]; /* @wide */

	here[n] = 1;
	return here[n];
}

__kernel void wide_frame(__global int *out, int n)
{
	out[get_local_id(0)] = wide(n);
}

__kernel void endless(__global volatile int *flag)
{
	if (get_local_id(0) == 7)
		while (*flag == 0) /* @endless */
			;
}

__kernel void endless_barriers(__global volatile int *flag)
{
	for (; *flag == 0; barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)) /* @endless-barriers */
		;
}

/* Block 0 waits for ever for a block that fails. */
__kernel void one_fails(__global volatile int *flag, ulong address)
{
	if (get_group_id(0) == 0)
		while (*flag == 0)
			;
	else
		*(__global volatile int *)address = 1; /* @one-fails */
}

/* Block 0 spends most of its time in functions of the C library that take a lock. */
__kernel void one_fails_printing(__global volatile int *flag, ulong address)
{
	if (get_group_id(0) == 0)
		while (*flag == 0)
			printf("%s", "");
	else
		*(__global volatile int *)address = 1; /* @one-fails-printing */
}

__kernel void one_fails_copying(__global volatile int *flag, ulong address)
{
	__local int tile[32 * 64];

	if (get_group_id(0) == 0)
		while (*flag == 0) {
			event_t events[64];
			for (int i = 0; i < 64; i++)
				events[i] = async_work_group_copy(
					tile + 32 * i, (__global const int *)flag, 1, 0);
			wait_group_events(64, events);
		}
	else
		*(__global volatile int *)address = 1; /* @one-fails-copying */
}

__kernel void endless_print(__global volatile int *flag)
{
	if (*flag == 0)
		for (;;)
			printf("%s", ""); /* @endless-print */
}

/* ---- Out of bounds: seen by the traced build alone ---- */

__kernel void load_behind(__global const int *in, __global int *out, int n)
{
	int i = (int)get_global_id(0);

	if (i <= n)
		out[i < n ? i : 0] = in[i]; /* @load-behind */
}

__kernel void store_before(__global int *out)
{
	out[(int)get_local_id(0) - 2] = 1; /* @store-before */
}

__kernel void half_outside(__global const float *in, __global float *out, int n)
{
	if (get_local_id(0) == 0)
		*(__global float4 *)out = *(__global const float4 *)(in + n - 2); /* @half-outside */
}

/* clang loads and stores three elements at once. */
__kernel void pair_behind(__global int *out, int n)
{
	((__global int3 *)out)[n / 4].yz = (int2)(1, 2); /* @pair-behind */
}

__kernel void atomic_behind(__global int *out, int n)
{
	atomic_add(&out[n], 1); /* @atomic-behind */
}

__kernel void dynamic_behind(__global int *out, int n, __local int *cells)
{
	cells[get_local_id(0)] = 1;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	out[get_local_id(0)] = cells[get_local_id(0) + n]; /* @dynamic-behind */
}

__kernel void static_behind(__global int *out, int n)
{
	__local int cells[64];

	cells[get_local_id(0)] = 1;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	out[get_local_id(0)] = cells[get_local_id(0) + n]; /* @static-behind */
}

/* ---- Shared memory: seen by the traced build alone ---- */

__kernel void never_written(__global int *out)
{
	__local int cells[64];

	if (get_local_id(0) != 9)
		cells[get_local_id(0)] = 1;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	out[get_local_id(0)] = cells[get_local_id(0)]; /* @never-written */
}

/* Fifteen bytes of sixteen. */
__kernel void partly_written(__global int *out)
{
	__local int4 cells[1];
	int t = (int)get_local_id(0);

	if (t < 15)
		((volatile __local char *)cells)[t] = (char)t;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (t == 0)
		out[0] = cells[0].x + cells[0].w; /* @partly-written */
}

/* A vector, and a byte in the middle of it. Both stores are on one line: each can be the one reported. */
__kernel void byte_of_vector(__global int *out)
{
	__local int4 cells[1];
	int t = (int)get_local_id(0);

	/* @byte-of-vector */ if (t == 1) cells[0] = (int4)(1, 2, 3, 4); else if (t == 2) ((volatile __local char *)cells)[9] = 7;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	out[t] = cells[0].z;
}

/* An atomic operation on an uninitialised cell depends on its old value. */
__kernel void never_zeroed(__global const int *in, __global int *out)
{
	__local int bins[64];

	if (get_local_id(0) != 9)
		bins[get_local_id(0)] = 0;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	atomic_add(&bins[in[get_local_id(0)]], 1); /* @never-zeroed */
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	out[get_local_id(0)] = get_local_id(0) == 9 ? 0 : bins[get_local_id(0)];
}

__kernel void two_writers(__global int *out)
{
	__local int cell[1];

	cell[0] = get_local_id(0); /* @two-writers */
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	out[get_local_id(0)] = cell[0];
}

/* The barrier between setting to zero and counting is missing. */
__kernel void zero_late(__global const int *in, __global int *out)
{
	__local int bins[64];

	bins[get_local_id(0)] = 0; /* @zero-late-write */
	atomic_add(&bins[63 - in[get_local_id(0)]], 1); /* @zero-late-atomic */
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	out[get_local_id(0)] = bins[get_local_id(0)];
}

/* The barrier between counting and reading is missing. */
__kernel void read_early(__global const int *in, __global int *out)
{
	__local int bins[64];

	bins[get_local_id(0)] = 0;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	atomic_add(&bins[63 - in[get_local_id(0)]], 1); /* @read-early-atomic */
	out[get_local_id(0)] = bins[get_local_id(0)]; /* @read-early-read */
}

/* All read what one of them then writes: that it reads it last must not hide the others. */
__kernel void write_late(__global int *out)
{
	__local int cell[1];

	if (get_local_id(0) == 0)
		cell[0] = 1;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	out[get_local_id(0)] = cell[0]; /* @write-late-read */
	if (get_local_id(0) == get_local_size(0) - 1)
		cell[0] = 2; /* @write-late-write */
}
