/*
 * The kernel of exercise 6.3, which asks of each access to memory whether it is coalesced, is not,
 * or whether the question does not apply. Answers (a to i) stand at the accesses; what they rest
 * on: coalescing is about the global addresses of neighbouring work-items in one instruction. Local
 * memory has no bursts to share, only banks to collide in.
 *
 * What the exercise leaves open: b is 4 x n and c is n x 4, and a block that is not full counts
 * what its missing work-items would have added as 0. d, n + 8 elements, and e, 8 n, lie behind each
 * other in one array; the elements that the kernel leaves out were set to 0 before.
 *
 * Block: BLOCK work-items (256 in the book: which sums e gets depends on it). Groups: ceil(n /
 * BLOCK).
 * Limited by: memory, and most of all by the store to e: 128 bytes of 32 items in 32 sectors.
 * Book: PMPP 4th ed., chapter 6, exercise 3.
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void audit_foo(
	__global const float *restrict a, __global const float *restrict b,
	__global const float *restrict c, __global float *restrict de, ulong n)
{
	__local float a_s[BLOCK] __attribute__((aligned(16)));
	__local float bc_s[4 * BLOCK] __attribute__((aligned(16)));
	ulong i = (ulong)get_group_id(0) * BLOCK + get_local_id(0);
	int t = (int)get_local_id(0);
	__global float *d = de;
	__global float *e = de + n + 8;

	/* a. a[i]: coalesced, neighbours read neighbours.
	 * b. a_s[t]: does not apply, local memory (and no two items in one bank). */
	a_s[t] = i < n ? a[i] : 0.0f;

	/* c. b[j * n + i]: coalesced, j n is the same for all items. Where n is no multiple of 32, rows
	 *    begin off the lines' boundaries: misaligned, five sectors instead of four.
	 * d. c[i * 4 + j]: not coalesced, neighbours lie 4 elements apart: 32 items' load touches 16
	 *    sectors and uses a quarter of each. The next three j find the rest in the L1 cache, if it
	 *    is still there.
	 * e. bc_s[j * BLOCK + t]: does not apply (and no bank conflict). */
	for (int j = 0; j < 4; j++)
		bc_s[j * BLOCK + t] = i < n ? b[j * n + i] + c[i * 4 + j] : 0.0f;
	barrier(CLK_LOCAL_MEM_FENCE);

	/* f. a_s[t]: does not apply.
	 * g. d[i + 8]: coalesced. 8 elements are 32 bytes, so 32 items' store straddles two lines, in
	 *    four whole sectors all the same.
	 * h. bc_s[t * 4]: does not apply. But four items meet in each of 8 banks: a conflict of 4 ways.
	 * i. e[i * 8]: not coalesced, neighbours lie 8 elements apart: each writes 4 bytes of a sector
	 *    of its own. */
	if (i < n) {
		d[i + 8] = a_s[t];
		e[i * 8] = bc_s[t * 4];
	}
}
