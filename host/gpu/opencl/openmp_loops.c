/* The build compiles only this file with OpenMP and -ffast-math. The latter lets the compiler reorder sums, and use the
 * C library's vector form of expf(). Inputs are finite. */
#include "host/gpu/opencl/openmp_loops.h"

#include <math.h>
#include <string.h>

#define OWN_BINS 4096 /* each thread has counters of its own for at most this number of bins */
#define TILE 32       /* edge of the squares of a transpose: whole cache lines of both matrices */
#define PRAGMA(...) _Pragma(#__VA_ARGS__)

int openmp_version(void)
{
	return _OPENMP;
}

/* ---- reduce --------------------------------------------------------------------------------- */

/* Defines the function `name`, which folds the elements. operator: of the clause `reduction`. fold: an expression with
 * the element x and the result y. */
#define REDUCTION(name, type, operator, fold)                                              \
	static void name(const struct peer_work *work, void *const *operands, int threads) \
	{                                                                                  \
		const type *a = operands[0];                                               \
		type y = a[0];                                                             \
		PRAGMA(omp parallel for num_threads(threads) reduction(operator : y))      \
		for (int64_t i = 1; i < work->m; i++) {                                    \
			type x = a[i];                                                     \
			y = (fold);                                                        \
		}                                                                          \
		*(type *)operands[1] = y;                                                  \
	}

/* Sums of u32 are those of i32 modulo 2^32. */
REDUCTION(sum_f32, float, +, y + x)
REDUCTION(sum_i32, uint32_t, +, y + x)
REDUCTION(max_f32, float, max, x > y ? x : y)
REDUCTION(max_i32, int32_t, max, x > y ? x : y)
REDUCTION(min_f32, float, min, x < y ? x : y)
REDUCTION(min_i32, int32_t, min, x < y ? x : y)

/* ---- histogram ------------------------------------------------------------------------------- */

/* A byte has a counter for each of its values, of which the first `bins` count. */
static void count_u8(const struct peer_work *work, void *const *operands, int threads)
{
	const uint8_t *a = operands[0];
	uint32_t *h = operands[1];

#pragma omp parallel num_threads(threads)
	{
		uint32_t own[UINT8_MAX + 1] = {0};

#pragma omp for
		for (int64_t i = 0; i < work->m; i++)
			own[a[i]]++;
#pragma omp critical
		for (int64_t b = 0; b < work->n; b++)
			h[b] += own[b];
	}
}

static void count_few(const struct peer_work *work, void *const *operands, int threads)
{
	const uint32_t *a = operands[0];
	uint32_t *h = operands[1];

#pragma omp parallel num_threads(threads)
	{
		uint32_t own[OWN_BINS] = {0};

#pragma omp for
		for (int64_t i = 0; i < work->m; i++)
			if (a[i] < work->n)
				own[a[i]]++;
#pragma omp critical
		for (int64_t b = 0; b < work->n; b++)
			h[b] += own[b];
	}
}

static void count_many(const struct peer_work *work, void *const *operands, int threads)
{
	const uint32_t *a = operands[0];
	uint32_t *h = operands[1];

#pragma omp parallel for num_threads(threads)
	for (int64_t i = 0; i < work->m; i++)
		if (a[i] < work->n) {
#pragma omp atomic
			h[a[i]]++;
		}
}

static void count(const struct peer_work *work, void *const *operands, int threads)
{
	memset(operands[1], 0, (size_t)work->n * sizeof(uint32_t));
	if (work->dtype == DTYPE_U8)
		count_u8(work, operands, threads);
	else if (work->n <= OWN_BINS)
		count_few(work, operands, threads);
	else
		count_many(work, operands, threads);
}

/* ---- softmax, transpose, copy ---------------------------------------------------------------- */

static void softmax_row(const float *a, float *b, int64_t n)
{
	float largest = a[0], sum = 0;

#pragma omp simd reduction(max : largest)
	for (int64_t i = 1; i < n; i++)
		largest = a[i] > largest ? a[i] : largest;
#pragma omp simd reduction(+ : sum)
	for (int64_t i = 0; i < n; i++) {
		b[i] = expf(a[i] - largest);
		sum += b[i];
	}
#pragma omp simd
	for (int64_t i = 0; i < n; i++)
		b[i] /= sum;
}

static void softmax(const struct peer_work *work, void *const *operands, int threads)
{
	const float *a = operands[0];
	float *b = operands[1];

#pragma omp parallel for num_threads(threads)
	for (int64_t row = 0; row < work->m; row++)
		softmax_row(a + row * work->n, b + row * work->n, work->n);
}

static void transpose(const struct peer_work *work, void *const *operands, int threads)
{
	const float *a = operands[0];
	float *b = operands[1];
	int64_t m = work->m, n = work->n;

#pragma omp parallel for collapse(2) num_threads(threads)
	for (int64_t row = 0; row < n; row += TILE)
		for (int64_t column = 0; column < m; column += TILE)
			for (int64_t j = row; j < row + TILE && j < n; j++)
				for (int64_t i = column; i < column + TILE && i < m; i++)
					b[j * m + i] = a[i * n + j];
}

static void copy(const struct peer_work *work, void *const *operands, int threads)
{
	const float *a = operands[0];
	float *b = operands[1];

#pragma omp parallel for simd num_threads(threads)
	for (int64_t i = 0; i < work->m; i++)
		b[i] = a[i];
}

typedef void compute_function(const struct peer_work *work, void *const *operands, int threads);

void openmp_compute(const struct peer_work *work, void *const *operands, int threads)
{
	static compute_function *const functions[PEER_OPERATION_COUNT][DTYPE_COUNT] = {
		[PEER_SUM] = {[DTYPE_F32] = sum_f32, [DTYPE_I32] = sum_i32},
		[PEER_MAX] = {[DTYPE_F32] = max_f32, [DTYPE_I32] = max_i32},
		[PEER_MIN] = {[DTYPE_F32] = min_f32, [DTYPE_I32] = min_i32},
		[PEER_COUNT] = {[DTYPE_U8] = count, [DTYPE_U32] = count},
		[PEER_SOFTMAX] = {[DTYPE_F32] = softmax},
		[PEER_TRANSPOSE] = {[DTYPE_F32] = transpose},
		[PEER_COPY] = {[DTYPE_F32] = copy},
	};

	functions[work->operation][work->dtype](work, operands, threads);
}
