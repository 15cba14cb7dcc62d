/*
 * The part of cuBLAS's binary interface that this backend uses, so that the build needs no CUDA
 * Toolkit. Source: cuBLAS documentation, docs.nvidia.com/cuda/cublas: "cuBLAS Datatypes Reference",
 * "cuBLAS Helper Function Reference", "cublasGemmEx()" and "cublas<t>geam()". tests/unit/test_cuda_api.py compares all
 * of it with the headers of a toolkit, where one is installed.
 */
#ifndef PMPP_HOST_GPU_CUDA_CUBLAS_API_H
#define PMPP_HOST_GPU_CUDA_CUBLAS_API_H

typedef struct cublasContext *cublasHandle_t;
typedef struct CUstream_st *cudaStream_t;

/* clang-format off */
/* Symbol, code, status (enum pmpp_status) of a failed call; OK: the caller of the function decides. */
#define CUBLAS_STATUS_MAP(XX) \
	XX(CUBLAS_STATUS_SUCCESS, 0, OK) \
	XX(CUBLAS_STATUS_NOT_INITIALIZED, 1, UNSUPPORTED) \
	XX(CUBLAS_STATUS_ALLOC_FAILED, 3, OUT_OF_MEMORY) \
	XX(CUBLAS_STATUS_INVALID_VALUE, 7, OK) \
	XX(CUBLAS_STATUS_ARCH_MISMATCH, 8, UNSUPPORTED) \
	XX(CUBLAS_STATUS_MAPPING_ERROR, 11, OK) \
	XX(CUBLAS_STATUS_EXECUTION_FAILED, 13, OK) \
	XX(CUBLAS_STATUS_INTERNAL_ERROR, 14, OK) \
	XX(CUBLAS_STATUS_NOT_SUPPORTED, 15, UNSUPPORTED) \
	XX(CUBLAS_STATUS_LICENSE_ERROR, 16, UNSUPPORTED)
/* clang-format on */

typedef enum {
#define XX(symbol, code, status) symbol = code,
	CUBLAS_STATUS_MAP(XX)
#undef XX
} cublasStatus_t;

typedef enum {
	CUBLAS_OP_N = 0,
	CUBLAS_OP_T = 1
} cublasOperation_t;

typedef enum {
	CUDA_R_32F = 0,
	CUDA_R_16F = 2
} cudaDataType;

typedef enum {
	CUBLAS_COMPUTE_32F = 68,
	CUBLAS_COMPUTE_32F_PEDANTIC = 69, /* no tensor cores */
	CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;

typedef enum {
	CUBLAS_GEMM_DEFAULT = -1
} cublasGemmAlgo_t;

/* clang-format off */
/* name, symbol, parameters. All functions return cublasStatus_t and are in cuBLAS 11 and newer. */
#define CUBLAS_FUNCTION_MAP(XX) \
	XX(cublasCreate, "cublasCreate_v2", (cublasHandle_t *handle)) \
	XX(cublasDestroy, "cublasDestroy_v2", (cublasHandle_t handle)) \
	XX(cublasGetVersion, "cublasGetVersion_v2", (cublasHandle_t handle, int *version)) \
	XX(cublasSetStream, "cublasSetStream_v2", (cublasHandle_t handle, cudaStream_t stream)) \
	XX(cublasGemmEx, "cublasGemmEx", \
		(cublasHandle_t handle, cublasOperation_t transpose_a, cublasOperation_t transpose_b, \
			int m, int n, int k, const void *alpha, const void *a, cudaDataType a_type, \
			int a_pitch, const void *b, cudaDataType b_type, int b_pitch, \
			const void *beta, void *c, cudaDataType c_type, int c_pitch, \
			cublasComputeType_t compute, cublasGemmAlgo_t algorithm)) \
	XX(cublasSgeam, "cublasSgeam", \
		(cublasHandle_t handle, cublasOperation_t transpose_a, cublasOperation_t transpose_b, \
			int m, int n, const float *alpha, const float *a, int a_pitch, \
			const float *beta, const float *b, int b_pitch, float *c, int c_pitch))
/* clang-format on */

/* The functions, by the names of the manual. */
struct cublas_api {
#define XX(name, symbol, parameters) cublasStatus_t(*name) parameters;
	CUBLAS_FUNCTION_MAP(XX)
#undef XX
};

#endif
