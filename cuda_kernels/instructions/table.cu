/*
 * A table of 256 coefficients in constant memory or in global memory: every thread reads it once
 * per trip for each of its CHAINS chains. LANES neighbouring elements share an index: with 128 a
 * warp of any width reads one coefficient, with 1 each lane reads a different one. The sum of the
 * coefficients is added to the chain's element of A.
 *
 * Block: BLOCK threads, CHAINS elements each, BLOCK apart. Groups: ceil(n / (BLOCK * CHAINS)).
 * Limited by: constant memory serves one address at a time: a warp with 32 different addresses
 * waits 32 times as long. The first-level cache of global memory serves 32 neighbours at a time.
 * Book: PMPP 4th ed., 5.2 and 7.3 (constant memory), 6.4 (the checklist).
 */
/* The numbers 1 to 256, shuffled, divided by 256: sums of 65536 entries are exact in f32. */
#define ENTRY(j) ((float)((j) * 37 % 256 + 1) / 256.0f)
#define ENTRIES4(j) ENTRY(j), ENTRY((j) + 1), ENTRY((j) + 2), ENTRY((j) + 3)
#define ENTRIES16(j) ENTRIES4(j), ENTRIES4((j) + 4), ENTRIES4((j) + 8), ENTRIES4((j) + 12)
#define ENTRIES64(j) ENTRIES16(j), ENTRIES16((j) + 16), ENTRIES16((j) + 32), ENTRIES16((j) + 48)

static __constant__ float coefficients[256] = {
	ENTRIES64(0), ENTRIES64(64), ENTRIES64(128), ENTRIES64(192)};

extern "C" __global__ void __launch_bounds__(BLOCK) instructions_constant(
	const float *__restrict__ A, float *__restrict__ B, unsigned long long n, int trips)
{
	unsigned long long first = (unsigned long long)blockIdx.x * BLOCK * CHAINS + threadIdx.x;
	int start[CHAINS];
	float x[CHAINS];

#pragma unroll
	for (int chain = 0; chain < CHAINS; chain++) {
		start[chain] = (int)((first + chain * BLOCK) / LANES % 256);
		x[chain] = 0.0f;
	}
#pragma unroll 4
	for (int trip = 0; trip < trips; trip++) {
#pragma unroll
		for (int chain = 0; chain < CHAINS; chain++)
			x[chain] += coefficients[(start[chain] + trip) & 255];
	}
#pragma unroll
	for (int chain = 0; chain < CHAINS; chain++) {
		unsigned long long i = first + chain * BLOCK;

		if (i < n)
			B[i] = A[i] + x[chain];
	}
}

extern "C" __global__ void __launch_bounds__(BLOCK) instructions_global(
	const float *__restrict__ A, const float *__restrict__ T, float *__restrict__ B,
	unsigned long long n, int trips)
{
	unsigned long long first = (unsigned long long)blockIdx.x * BLOCK * CHAINS + threadIdx.x;
	int start[CHAINS];
	float x[CHAINS];

#pragma unroll
	for (int chain = 0; chain < CHAINS; chain++) {
		start[chain] = (int)((first + chain * BLOCK) / LANES % 256);
		x[chain] = 0.0f;
	}
#pragma unroll 4
	for (int trip = 0; trip < trips; trip++) {
#pragma unroll
		for (int chain = 0; chain < CHAINS; chain++)
			x[chain] += T[(start[chain] + trip) & 255];
	}
#pragma unroll
	for (int chain = 0; chain < CHAINS; chain++) {
		unsigned long long i = first + chain * BLOCK;

		if (i < n)
			B[i] = A[i] + x[chain];
	}
}
