/*
 * Tensor cores by warp groups: computes the same sums as `tensor`, with wgmma. A warp group has sums of
 * 64 x 128 elements in f32. A pass adds PRODUCTS products of 64 x DEPTH by DEPTH x 128 elements. The left
 * matrix is in registers: 64 outputs with DEPTH elements of A each. The right matrix is in shared memory,
 * and all its elements are `one`, which is 1. `one` is an argument, so the compiler cannot remove a
 * product. Each of the 128 columns then holds passes times the sum of the row. B[j] is the mean of the 128
 * columns. So a missing instruction, row or column gives a wrong answer, unless its share is smaller than
 * the rounding error of the mean. B[j] = passes * sum of A[i] over i = j modulo outputs, PRODUCTS * DEPTH
 * elements of an output at a time.
 *
 * The inputs are f16 (INPUT_BITS 16, DEPTH 16) or TF32 (INPUT_BITS 32, DEPTH 8). Sums of integers below
 * 2^24 are exact: the check of the row confirms this.
 *
 * Block: BLOCK threads: BLOCK / 128 warp groups of 64 outputs each. Groups: ceil(outputs / (BLOCK / 2)).
 * n = PRODUCTS * DEPTH * outputs uses every product.
 * Shared memory: 4 KiB, the right matrix.
 * Limited by: the tensor cores, and the power limit. At full rate the GPU lowers its clock.
 */
#include "tensor_words.inc"

#define PRODUCTS 4
#define COLUMNS 128
#define GROUP_THREADS 128 /* threads of a warp group, by the definition of wgmma */
#define GROUP_ROWS 64
#define RIGHT_WORDS (DEPTH * COLUMNS / PER_WORD) /* 4 KiB */
#define SUMS (GROUP_ROWS * COLUMNS / GROUP_THREADS)

#if INPUT_BITS == 16
#define MMA "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
#define SIGNS "1, 1, 0" /* signs of both matrices; 0: the right matrix is not transposed */
#else
#define MMA "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 "
#define SIGNS "1, 1"
#endif

#define SUMS_4(sums, i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define SUMS_16(sums, i) SUMS_4(sums, i), SUMS_4(sums, i + 4), SUMS_4(sums, i + 8), SUMS_4(sums, i + 12)

/* sums += x times the right matrix. */
static inline __device__ void multiply_add(
	float (&sums)[SUMS], const unsigned *x, unsigned long long right)
{
	asm volatile("{\n\t.reg .pred p;\n\tsetp.eq.b32 p, 0, 0;\n\t" MMA
		     "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
		     "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
		     "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
		     "{%64, %65, %66, %67}, %68, p, " SIGNS ";\n\t}"
		     : SUMS_16(sums, 0), SUMS_16(sums, 16), SUMS_16(sums, 32), SUMS_16(sums, 48)
		     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(right));
}

/* Waits for all products. `sums` are operands, so that no code that reads them moves before the wait. */
static inline __device__ void wait_for_all(float (&sums)[SUMS])
{
	asm volatile("wgmma.wait_group.sync.aligned 0;"
		     : SUMS_16(sums, 0), SUMS_16(sums, 16), SUMS_16(sums, 32), SUMS_16(sums, 48)
		     : : "memory");
}

/* Returns the mean of this lane's 32 columns in row lane / 4 + 8 * half of its warp. The mean of equal
 * values is exact. */
static inline __device__ float mean(const float (&sums)[SUMS], int half)
{
	float part[SUMS / 4];

#pragma unroll
	for (int j = 0; j < SUMS / 4; j++)
		part[j] = (sums[4 * j + 2 * half] + sums[4 * j + 2 * half + 1]) * 0.5f;
#pragma unroll
	for (int width = SUMS / 8; width > 0; width /= 2)
#pragma unroll
		for (int j = 0; j < width; j++)
			part[j] = (part[j] + part[j + width]) * 0.5f;
	return part[0];
}

/* Returns the mean of the values of this lane and of lane ^ bit. */
static inline __device__ float mean_of_lanes(float value, int bit)
{
	return (value + __shfl_xor_sync(0xffffffff, value, bit)) * 0.5f;
}

extern "C" __global__ void __launch_bounds__(BLOCK, 2) roof_tensor_groups(
	const element *__restrict__ A, float *__restrict__ B, unsigned long long n,
	unsigned long long outputs, int passes, int one)
{
	/* All elements are equal, so their order has no effect. No swizzle: parts of 8 columns x 16 bytes
	 * of k. The next part along k is at +128 bytes, the next 8 columns are at +256 bytes. */
	__shared__ alignas(128) unsigned right[RIGHT_WORDS];
	const unsigned address = (unsigned)__cvta_generic_to_shared(right);
	const unsigned long long matrix = (address & 0x3ffff) >> 4 | (128ull >> 4) << 16 |
					  (256ull >> 4) << 32;
	/* Warp w of a group has rows 16 w to 16 w + 15. Its lanes hold words of the left matrix as in
	 * mma.sync (tensor.cu). */
	const int lane = threadIdx.x % 32;
	const int word = lane % 4;
	const unsigned long long warp =
		(unsigned long long)blockIdx.x * (BLOCK / 32) + threadIdx.x / 32;
	const unsigned long long j = warp * 16 + lane / 4;
	float low = 0.0f, high = 0.0f; /* of outputs j and j + 8 */

	for (int i = threadIdx.x; i < RIGHT_WORDS; i += BLOCK)
		right[i] = (unsigned)one * ONE;
	/* wgmma reads through the async proxy, so ordinary stores need this fence. */
	asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
	__syncthreads();

	for (unsigned long long first = 0; first < n; first += PRODUCTS * DEPTH * outputs) {
		unsigned x[PRODUCTS][4];
		float sums[SUMS];

#pragma unroll
		for (int c = 0; c < PRODUCTS; c++) {
			const unsigned long long from = first + c * DEPTH * outputs;

			x[c][0] = load_word(A, from, n, j, outputs, word);
			x[c][1] = load_word(A, from, n, j + 8, outputs, word);
			x[c][2] = load_word(A, from, n, j, outputs, word + 4);
			x[c][3] = load_word(A, from, n, j + 8, outputs, word + 4);
		}
#pragma unroll
		for (int e = 0; e < SUMS; e++)
			sums[e] = 0.0f;
#pragma unroll 1
		for (int p = 0; p < passes; p++) {
			asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
#pragma unroll
			for (int c = 0; c < PRODUCTS; c++)
				multiply_add(sums, x[c], matrix);
			asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
			asm volatile("wgmma.wait_group.sync.aligned 1;" : : : "memory");
		}
		wait_for_all(sums);
		low += mean(sums, 0);
		high += mean(sums, 1);
	}
	low = mean_of_lanes(mean_of_lanes(low, 1), 2);
	high = mean_of_lanes(mean_of_lanes(high, 1), 2);
	if (word == 0 && j < outputs)
		B[j] = low;
	if (word == 0 && j + 8 < outputs)
		B[j + 8] = high;
}
