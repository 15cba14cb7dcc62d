/*
 * The interface of libpmpp_cub.so (tools/cub.cu), which makes functions of CUB callable at run time: CUB consists of
 * templates, so only NVIDIA's compiler can build it.
 */
#ifndef PMPP_HOST_GPU_CUDA_CUB_API_H
#define PMPP_HOST_GPU_CUDA_CUB_API_H

#include <stddef.h>

typedef struct CUstream_st *cudaStream_t;

/* Operation and types of a call; input types: f32 and i32 for the reductions, u8 and u32 for PMPP_CUB_COUNT. */
enum pmpp_cub_operation {
	PMPP_CUB_SUM,
	PMPP_CUB_MAX,
	PMPP_CUB_MIN,
	PMPP_CUB_COUNT /* a histogram of the values 0 to bins - 1, in u32 */
};
enum pmpp_cub_type {
	PMPP_CUB_F32,
	PMPP_CUB_I32,
	PMPP_CUB_U8,
	PMPP_CUB_U32
};

struct pmpp_cub_call {
	enum pmpp_cub_operation operation;
	enum pmpp_cub_type type;
	const void *from;
	void *to;
	long long count, bins;
	cudaStream_t stream;
};

/* clang-format off */
/* name, result, parameters. */
#define CUB_FUNCTION_MAP(XX) \
	/* CUB_VERSION: 300300 is 3.3.0 */ \
	XX(pmpp_cub_version, int, (void)) \
	/* Queues the call. Without scratch memory, only sets its bytes. Returns a cudaError_t. */ \
	XX(pmpp_cub_run, int, (const struct pmpp_cub_call *call, void *scratch, size_t *scratch_bytes)) \
	/* The name of a cudaError_t: "cudaErrorInvalidValue" */ \
	XX(pmpp_cub_error, const char *, (int code))
/* clang-format on */

#endif
