/*
 * The kernel of exercise 6.3: which accesses to memory are coalesced, which are not, and for which
 * does the question not apply? The answers (a to i) are at the accesses. Coalescing is about the
 * global addresses of neighbouring threads in one instruction. It does not apply to shared memory,
 * where only bank conflicts matter.
 *
 * Details that the exercise does not define: b is 4 x n, c is n x 4, and the missing threads of a
 * partial block count as 0. d (n + 8 elements) and e (8 n elements) follow each other in one array.
 * The elements that the kernel does not write were set to 0 before.
 *
 * Block: BLOCK threads (256 in the book: the sums in e depend on it). Groups: ceil(n / BLOCK).
 * Limited by: memory, mainly by the store to e: 128 bytes of a warp are in 32 sectors.
 * Book: PMPP 4th ed., chapter 6, exercise 3.
 */
extern "C" __global__ void __launch_bounds__(BLOCK) audit_foo(const float *__restrict__ a,
	const float *__restrict__ b, const float *__restrict__ c, float *__restrict__ de,
	unsigned long long n)
{
	__shared__ float a_s[BLOCK];
	__shared__ float bc_s[4 * BLOCK];
	unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
	int t = threadIdx.x;
	float *d = de;
	float *e = de + n + 8;

	/* a. a[i]: coalesced, neighbouring threads read neighbouring elements.
	 * b. a_s[t]: does not apply, shared memory (without bank conflicts). */
	a_s[t] = i < n ? a[i] : 0.0f;

	/* c. b[j * n + i]: coalesced: j n is equal for all threads. Unless 32 divides n, rows
	 *    do not begin on line boundaries: misaligned, five sectors instead of four.
	 * d. c[i * 4 + j]: not coalesced, neighbours are 4 elements apart: a warp's load is in 16
	 *    sectors and uses a quarter of each. The next three j read the rest from the L1 cache,
	 *    if it is still there.
	 * e. bc_s[j * BLOCK + t]: does not apply (and no bank conflict). */
	for (int j = 0; j < 4; j++)
		bc_s[j * BLOCK + t] = i < n ? b[j * n + i] + c[i * 4 + j] : 0.0f;
	__syncthreads();

	/* f. a_s[t]: does not apply.
	 * g. d[i + 8]: coalesced. 8 elements are 32 bytes, so a warp's store straddles two lines,
	 *    but in four whole sectors.
	 * h. bc_s[t * 4]: does not apply. But four threads share each of 8 banks: 4-way conflict.
	 * i. e[i * 8]: not coalesced, neighbours are 8 elements apart: each thread writes 4
	 *    bytes of its own sector. */
	if (i < n) {
		d[i + 8] = a_s[t];
		e[i * 8] = bc_s[t * 4];
	}
}
