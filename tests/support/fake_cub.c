/*
 * Replaces libpmpp_cub.so beside the fake driver (fake_cuda.c): device memory is host memory. Computes sums of f32 and
 * histograms of bytes. tests/cli/test_peers.py compiles this file.
 *
 * Environment: FAKE_CUB_WRONG: the first element of each result is wrong.
 */
#include "host/gpu/cuda/cub_api.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define XX(name, result, parameters) result name parameters;
CUB_FUNCTION_MAP(XX)
#undef XX

int pmpp_cub_version(void)
{
	return 300102;
}

const char *pmpp_cub_error(int code)
{
	return code == 1 ? "cudaErrorInvalidValue" : "cudaErrorUnknown";
}

int pmpp_cub_run(const struct pmpp_cub_call *call, void *scratch, size_t *scratch_bytes)
{
	float *sum = call->to;
	uint32_t *counts = call->to;

	if (!scratch)
		*scratch_bytes = 64;
	if (!scratch || *scratch_bytes < 64 || !call->stream)
		return scratch != NULL;
	if (call->operation == PMPP_CUB_SUM && call->type == PMPP_CUB_F32) {
		*sum = getenv("FAKE_CUB_WRONG") ? 1e3f : 0;
		for (long long i = 0; i < call->count; i++)
			*sum += ((const float *)call->from)[i];
		return 0;
	}
	if (call->operation != PMPP_CUB_COUNT || call->type != PMPP_CUB_U8)
		return 1;
	memset(counts, 0, (size_t)call->bins * sizeof *counts);
	for (long long i = 0; i < call->count; i++)
		if (((const uint8_t *)call->from)[i] < call->bins)
			counts[((const uint8_t *)call->from)[i]]++;
	return 0;
}
