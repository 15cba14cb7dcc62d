/*
 * Right kernels, each with one feature of OpenCL C. They give the same answer in every order of
 * work-items and blocks, with every width of sub-groups. The traced build reports no defect.
 *
 * Macros: TILE_SIZE, the side of matmul's tiles.
 */

__kernel void add(__global const float *A, __global const float *B, __global float *C, int n)
{
	int i = (int)get_global_id(0);

	if (i < n)
		C[i] = A[i] + B[i];
}

__kernel __attribute__((reqd_work_group_size(TILE_SIZE, TILE_SIZE, 1))) void matmul(
	__global const float *restrict A, __global const float *restrict B,
	__global float *restrict C, int m, int n, int k)
{
	__local float tile_a[TILE_SIZE][TILE_SIZE];
	__local float tile_b[TILE_SIZE][TILE_SIZE];
	int x = (int)get_local_id(0), y = (int)get_local_id(1);
	int row = (int)get_group_id(1) * TILE_SIZE + y;
	int col = (int)get_group_id(0) * TILE_SIZE + x;
	float sum = 0.0f;

	for (int k0 = 0; k0 < k; k0 += TILE_SIZE) {
		tile_a[y][x] = row < m && k0 + x < k ? A[row * k + k0 + x] : 0.0f;
		tile_b[y][x] = k0 + y < k && col < n ? B[(k0 + y) * n + col] : 0.0f;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int kk = 0; kk < TILE_SIZE; kk++)
			sum = fma(tile_a[y][kk], tile_b[kk][x], sum);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (row < m && col < n)
		C[row * n + col] = sum;
}

/* Sums a block by shuffles, the sub-groups' sums through local memory, the blocks' sums by an
 * atomic operation. */
__kernel void sum_shuffled(__global const int *in, __global int *out, int n)
{
	__local int sums[64];
	int i = (int)get_global_id(0);
	int sum = i < n ? in[i] : 0;

	for (uint d = get_max_sub_group_size() / 2; d > 0; d /= 2)
		sum += sub_group_shuffle_xor(sum, d);
	if (get_sub_group_local_id() == 0)
		sums[get_sub_group_id()] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0) {
		sum = 0;
		for (uint g = 0; g < get_num_sub_groups(); g++)
			sum += sums[g];
		atomic_add(out, sum);
	}
}

/* The last steps of a tree in one sub-group, ordered by sub_group_barrier() alone. */
__kernel void sum_syncwarp(__global const int *in, __global int *out, int n, __local int *cells)
{
	int t = (int)get_local_id(0), lanes = (int)get_max_sub_group_size();

	cells[t] = t < n ? in[t] : 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int d = (int)get_local_size(0) / 2; d >= lanes; d /= 2) {
		if (t < d)
			cells[t] += cells[t + d];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (t < lanes) {
		int sum = cells[t];

		for (int d = lanes / 2; d > 0; d /= 2) {
			int other = cells[t ^ d];

			sub_group_barrier(CLK_LOCAL_MEM_FENCE);
			sum += other;
			cells[t] = sum;
			sub_group_barrier(CLK_LOCAL_MEM_FENCE);
		}
		if (t == 0)
			out[0] = sum;
	}
}

/* Many threads write one value: allowed, and often done. */
__kernel void same_value(__global const int *in, __global int *out)
{
	__local int found[1];
	__local float8 wide[1];

	if (get_local_id(0) == 0)
		found[0] = 0;
	wide[0] = (float8)(1.0f);
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (in[get_local_id(0)] > 0)
		found[0] = 1;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	out[get_local_id(0)] = found[0] * (int)wide[0].s7;
}

/* A histogram in shared memory: plain zeroes, a barrier, atomics, a barrier, plain reads. */
__kernel void histogram(__global const int *in, __global int *out, int n)
{
	__local uint bins[16];

	if (get_local_id(0) < 16)
		bins[get_local_id(0)] = 0;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	for (int i = (int)get_global_id(0); i < n; i += (int)get_global_size(0))
		atomic_add(&bins[in[i] & 15], 1u);
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (get_local_id(0) < 16)
		atomic_add((__global uint *)out + get_local_id(0), bins[get_local_id(0)]);
}

/* The block that finishes last sums the partial sums of all. */
__kernel void last_block(__global const int *in, __global int *partial, __global uint *ticket,
	__global int *out, int n)
{
	__local int last[1]; /* arrays: clang warns about scalars that one work-item sets */
	__local int sum[1];
	int i = (int)get_global_id(0);

	if (get_local_id(0) == 0)
		sum[0] = 0;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (i < n)
		atomic_add(sum, in[i]);
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (get_local_id(0) == 0) {
		partial[get_group_id(0)] = sum[0];
		mem_fence(CLK_GLOBAL_MEM_FENCE);
		last[0] = atomic_add(ticket, 1u) == get_num_groups(0) - 1;
	}
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (last[0] && get_local_id(0) == 0) {
		int all = 0;

		for (uint b = 0; b < get_num_groups(0); b++)
			all += partial[b];
		out[0] = all;
	}
}

/* Every atomic operation, by all threads on one cell each: 11 cells. */
__kernel void atomics(__global int *cells)
{
	int i = (int)get_global_id(0);

	atomic_add(&cells[0], i);
	atomic_sub(&cells[1], 1);
	atomic_min(&cells[2], -i);
	atomic_max(&cells[3], i);
	atomic_or(&cells[4], 1 << (i % 31));
	atomic_and(&cells[5], ~(1 << (i % 31)));
	atomic_xor(&cells[6], i);
	atomic_xchg(&cells[7], 77);
	for (int old = 0, seen;; old = seen) {
		seen = atomic_cmpxchg(&cells[8], old, old + 2);
		if (seen == old)
			break;
	}
	for (int old = 0, seen;; old = seen) {
		seen = atomic_cmpxchg(&cells[9], old, as_int(as_float(old) + 1.0f));
		if (seen == old)
			break;
	}
	atomic_max((__global uint *)&cells[10], 0x80000000u + i);
}

/* An exchange needs no value in its cell. Blocks of 32. */
__kernel void exchange(__global int *out)
{
	__local int cells[32];

	atomic_xchg(&cells[get_local_id(0)], (int)get_local_id(0));
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	out[get_local_id(0)] = cells[31 - get_local_id(0)];
}

/* Vector types as values, members, initialisers and memory. n groups of 4. */
static float4 scaled(float4 v, float by)
{
	v.x *= by;
	v.w = v.w * by;
	return (float4)(v.x, v.y * by, v.z * by, v.w);
}

__kernel void vectors(__global const float *in, __global float *out, int n)
{
	__local float4 tile[64];
	int i = (int)get_global_id(0);

	if (i < n)
		tile[get_local_id(0)] = scaled(((__global const float4 *)in)[i], 2.0f);
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (i < n) {
		float4 v = tile[get_local_id(0)];
		float4 one = (float4)(1.0f, 1.0f, 1.0f, 1.0f);
		float2 low = (float2)(v.x, v.y);
		int4 k = (int4)(1, 2, 3, 4);
		uchar4 b = (uchar4)(250, 1, 2, 3);

		v.x = low.x + one.x;
		v.y = low.y + k.y;
		v.z += b.z;
		v.w += k.w;
		((__global float4 *)out)[i] = v;
	}
}

/* Vectors, bytes, halves and words of the same 16 bytes, by other threads after each barrier. Without a
 * barrier between them, threads access neighbouring bytes. */
__kernel void parts(__global int *out)
{
	__local int4 cells[4];
	__local uchar *bytes = (__local uchar *)cells;
	__local ushort *halves = (__local ushort *)cells;
	__local int *words = (__local int *)cells;
	int t = (int)get_local_id(0);

	if (t < 4)
		cells[t] = (int4)(t, t, t, t);
	barrier(CLK_LOCAL_MEM_FENCE);
	bytes[t] = (uchar)(bytes[t] + t);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t >= 32)
		halves[63 - t] = (ushort)(halves[63 - t] + 1);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t % 4 == 0)
		words[t / 4] += 1;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t >= 60) {
		int4 v = cells[t - 60];
		cells[t - 60] = (int4)(v.w, v.z, v.y, v.x);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[t] = bytes[t];
}

static __attribute__((noinline)) int vote_alone(void)
{
	return sub_group_reduce_add(1) != 0;
}

static __attribute__((noinline)) int vote_deeper(void)
{
	volatile int more = 1;

	return vote_alone() + more;
}

/* Operations at two depths of calls. The last sub-group has one work-item, which completes its operation by
 * itself. Then the work-item ends. The answer is 1. */
__kernel void alone(__global int *out)
{
	int t = (int)get_local_id(0);

	out[t] = get_sub_group_id() % 2 ? vote_deeper() - 1 : vote_alone();
}

__constant int factors[4] = {1, 10, 100, 1000};

/* Constants, the three dimensions of everything. */
__kernel void shapes(__global uint *out)
{
	size_t block = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) +
		       get_group_id(0);
	size_t thread = get_local_linear_id();

	out[block * get_local_size(0) * get_local_size(1) * get_local_size(2) + thread] =
		2 * factors[thread % 4] + 10000 * (uint)get_local_id(2) +
		20000 * (uint)get_group_id(2);
}

/* Which thread ran when: the answer does depend on the order. */
__kernel void who_when(__global int *ticket, __global int *out)
{
	int when = atomic_add(ticket, 1);

	out[when] = get_global_id(0);
}
