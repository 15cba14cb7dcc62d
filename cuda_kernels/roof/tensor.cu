/*
 * Tensor cores: each warp has CHAINS independent sums of 16 x 8 elements in f32. Each pass adds one
 * product of mma.sync to each sum. The inputs are f16 (INPUT_BITS 16, 16 elements deep) or TF32
 * (INPUT_BITS 32, 8 deep). The left matrix holds elements of A: 16 outputs with `DEPTH` elements
 * each. All elements of the right matrix are `one`, which is 1. It is an argument, so the compiler
 * cannot remove a product. Each of the 8 columns then holds passes times the sum of the row. The
 * mean of the 8 columns is the answer, so a missing instruction, row or column gives a wrong
 * answer. B[j] = passes * sum of A[i] over i = j modulo outputs, CHAINS * DEPTH elements of an
 * output at a time.
 *
 * Sums of integers below 2^24 are exact (M. Fasi, N. J. Higham, M. Mikaitis, S. Pranesh, Numerical
 * behavior of NVIDIA tensor cores, PeerJ Computer Science 7:e330, 2021: at least 24 bits are kept).
 *
 * Block: BLOCK threads: BLOCK / 32 warps of 16 outputs each. Groups: ceil(outputs / (BLOCK / 2)).
 * n = CHAINS * DEPTH * outputs uses every chain.
 * Limited by: the tensor cores, as far as mma.sync uses them: on compute capability 9.0 about 58 %
 * (f16) and 62 % (TF32) of the published rate. W. Luo and others also measured 62 % (Benchmarking and
 * Dissecting the Nvidia Hopper GPU Architecture, arXiv:2402.13499, 2024). wgmma takes a matrix from
 * shared memory, and reaches about 96 % (`tensor_groups`, in CUDA).
 */
#include "tensor_words.inc"

#define CHAINS 8

#if INPUT_BITS == 16
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
#else
#define MMA "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
#endif

/* sum += x times a matrix of `ones`, for 16 x 8 elements of the warp. */
static __device__ void multiply_add(float *sum, const unsigned *x, unsigned ones)
{
	asm volatile(MMA "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %8}, {%0, %1, %2, %3};"
		: "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
		: "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(ones));
}

/* Adds the values of this lane and of the lane whose number differs in the bit `bit`. */
static __device__ float add_lane(float value, int bit)
{
	return value + __shfl_xor_sync(0xffffffff, value, bit);
}

extern "C" __global__ void __launch_bounds__(BLOCK) roof_tensor(const element *__restrict__ A,
	float *__restrict__ B, unsigned long long n, unsigned long long outputs, int passes,
	int one)
{
	/* Lane 4 g + t of a warp holds words t and t + 4 of rows g and g + 8 of the left matrix,
	 * and columns 2 t and 2 t + 1 of the same rows of the sum (PTX ISA, matrix fragments for
	 * mma.m16n8k8 and m16n8k16). */
	int lane = threadIdx.x % 32;
	int word = lane % 4;
	unsigned long long warp = (unsigned long long)blockIdx.x * (BLOCK / 32) + threadIdx.x / 32;
	unsigned long long j = warp * 16 + lane / 4;
	unsigned ones = (unsigned)one * ONE;
	float low = 0.0f, high = 0.0f; /* of outputs j and j + 8, all columns of this lane */

	for (unsigned long long first = 0; first < n; first += CHAINS * DEPTH * outputs) {
		unsigned x[CHAINS][4];
		float y[CHAINS][4];

#pragma unroll
		for (int c = 0; c < CHAINS; c++) {
			unsigned long long from = first + c * DEPTH * outputs;

			x[c][0] = load_word(A, from, n, j, outputs, word);
			x[c][1] = load_word(A, from, n, j + 8, outputs, word);
			x[c][2] = load_word(A, from, n, j, outputs, word + 4);
			x[c][3] = load_word(A, from, n, j + 8, outputs, word + 4);
#pragma unroll
			for (int e = 0; e < 4; e++)
				y[c][e] = 0.0f;
		}
#pragma unroll 1
		for (int p = 0; p < passes; p++)
#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				multiply_add(y[c], x[c], ones);
#pragma unroll
		for (int c = 0; c < CHAINS; c++) {
			low += y[c][0] + y[c][1];
			high += y[c][2] + y[c][3];
		}
	}
	low = add_lane(add_lane(low, 1), 2) * 0.125f;
	high = add_lane(add_lane(high, 1), 2) * 0.125f;
	if (word == 0 && j < outputs)
		B[j] = low;
	if (word == 0 && j + 8 < outputs)
		B[j + 8] = high;
}
