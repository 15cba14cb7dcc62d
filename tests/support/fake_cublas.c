/*
 * Replaces cuBLAS beside the fake driver (fake_cuda.c): device memory is host memory, so the product
 * is computed here. tests/cli/test_peers.py compiles this file as libcublas.so.13 and others.
 *
 * Environment: FAKE_CUBLAS_CREATE, FAKE_CUBLAS_GEMM: codes that these functions return;
 * FAKE_CUBLAS_LOG: a file that gets a line with the arguments of each product; FAKE_CUBLAS_WRONG: the
 * first element of each product is wrong. WITHOUT_GEMM: a library without cublasGemmEx().
 */
#include "host/gpu/cuda/cublas_api.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct cublasContext {
	cudaStream_t stream;
};

#define FUNCTION(name, ...)               \
	cublasStatus_t name(__VA_ARGS__); \
	cublasStatus_t name(__VA_ARGS__)

static cublasStatus_t code_of(const char *name)
{
	const char *text = getenv(name);

	return (cublasStatus_t)(text ? atoi(text) : CUBLAS_STATUS_SUCCESS);
}

FUNCTION(cublasCreate_v2, cublasHandle_t *handle)
{
	*handle = calloc(1, sizeof **handle);
	return code_of("FAKE_CUBLAS_CREATE");
}

FUNCTION(cublasDestroy_v2, cublasHandle_t handle)
{
	free(handle);
	return CUBLAS_STATUS_SUCCESS;
}

FUNCTION(cublasGetVersion_v2, cublasHandle_t handle, int *version)
{
	(void)handle;
	*version = 130102;
	return CUBLAS_STATUS_SUCCESS;
}

FUNCTION(cublasSetStream_v2, cublasHandle_t handle, cudaStream_t stream)
{
	handle->stream = stream;
	return CUBLAS_STATUS_SUCCESS;
}

#ifndef WITHOUT_GEMM

/* IEEE 754 binary16; infinities and NaN are not used. */
static float half_of(uint16_t bits)
{
	int exponent = bits >> 10 & 31;
	float fraction = (float)(bits & 1023) / 1024;
	float value = exponent ? 1 + fraction : fraction;

	for (exponent = exponent ? exponent - 15 : -14; exponent > 0; exponent--)
		value *= 2;
	for (; exponent < 0; exponent++)
		value /= 2;
	return bits >> 15 ? -value : value;
}

static float element(const void *matrix, cudaDataType type, int64_t index)
{
	return type == CUDA_R_16F ? half_of(((const uint16_t *)matrix)[index])
				  : ((const float *)matrix)[index];
}

/* By columns: element (i, j) of A is a[i + j * a_pitch]. */
FUNCTION(cublasGemmEx, cublasHandle_t handle, cublasOperation_t transpose_a,
	cublasOperation_t transpose_b, int m, int n, int k, const void *alpha, const void *a,
	cudaDataType a_type, int a_pitch, const void *b, cudaDataType b_type, int b_pitch,
	const void *beta, void *c, cudaDataType c_type, int c_pitch, cublasComputeType_t compute,
	cublasGemmAlgo_t algorithm)
{
	const char *log = getenv("FAKE_CUBLAS_LOG");
	FILE *file = log ? fopen(log, "a") : NULL;

	if (file) {
		fprintf(file,
			"%d %d, %d x %d x %d, pitches %d %d %d, types %d %d %d, compute %d, %d\n",
			(int)transpose_a, (int)transpose_b, m, n, k, a_pitch, b_pitch, c_pitch,
			(int)a_type, (int)b_type, (int)c_type, (int)compute, (int)algorithm);
		fclose(file);
	}
	if (!handle->stream || a_pitch < m || b_pitch < k || c_pitch < m ||
		*(const float *)alpha != 1 || *(const float *)beta != 0)
		return CUBLAS_STATUS_INVALID_VALUE;
	for (int64_t j = 0; j < n; j++)
		for (int64_t i = 0; i < m; i++) {
			float sum = 0;
			for (int64_t l = 0; l < k; l++)
				sum += element(a, a_type, i + l * a_pitch) *
				       element(b, b_type, l + j * b_pitch);
			((float *)c)[i + j * c_pitch] = sum;
		}
	if (getenv("FAKE_CUBLAS_WRONG"))
		*(float *)c += 0.1f;
	return code_of("FAKE_CUBLAS_GEMM");
}

/* By columns, the only form that the program calls: C = A^T + 0 C. */
FUNCTION(cublasSgeam, cublasHandle_t handle, cublasOperation_t transpose_a,
	cublasOperation_t transpose_b, int m, int n, const float *alpha, const float *a,
	int a_pitch, const float *beta, const float *b, int b_pitch, float *c, int c_pitch)
{
	if (!handle->stream || transpose_a != CUBLAS_OP_T || transpose_b != CUBLAS_OP_N ||
		*alpha != 1 || *beta != 0 || b != c || a_pitch < n || b_pitch < m || c_pitch < m)
		return CUBLAS_STATUS_INVALID_VALUE;
	for (int64_t j = 0; j < n; j++)
		for (int64_t i = 0; i < m; i++)
			c[i + j * c_pitch] = a[j + i * a_pitch];
	return CUBLAS_STATUS_SUCCESS;
}

#endif
