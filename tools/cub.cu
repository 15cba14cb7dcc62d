/*
 * CUB's reductions and histogram behind the interface of host/gpu/cuda/cub_api.h, for `run --peers`. meson builds it
 * with -Dcub=ARCHITECTURE (native, sm_90, ...). By hand:
 *
 *     nvcc -O3 -arch=native -shared -Xcompiler -fPIC -I . -o libpmpp_cub.so tools/cub.cu
 */
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

#include "host/gpu/cuda/cub_api.h"

template <class Type>
static cudaError_t fold(const pmpp_cub_call *call, void *scratch, size_t &scratch_bytes)
{
	const Type *from = (const Type *)call->from;
	Type *to = (Type *)call->to;

	switch (call->operation) {
	case PMPP_CUB_SUM:
		return cub::DeviceReduce::Sum(
			scratch, scratch_bytes, from, to, call->count, call->stream);
	case PMPP_CUB_MAX:
		return cub::DeviceReduce::Max(
			scratch, scratch_bytes, from, to, call->count, call->stream);
	case PMPP_CUB_MIN:
		return cub::DeviceReduce::Min(
			scratch, scratch_bytes, from, to, call->count, call->stream);
	default:
		return cudaErrorInvalidValue;
	}
}

/* CUB accepts limits of bins in any type. `Limit` must hold the upper limit of the last bin, such as 256 for u8. */
template <class Type, class Limit>
static cudaError_t count(const pmpp_cub_call *call, void *scratch, size_t &scratch_bytes)
{
	return cub::DeviceHistogram::HistogramEven(scratch, scratch_bytes, (const Type *)call->from,
		(unsigned *)call->to, (int)call->bins + 1, (Limit)0, (Limit)call->bins, call->count,
		call->stream);
}

extern "C" int pmpp_cub_version(void)
{
	return CUB_VERSION;
}

extern "C" const char *pmpp_cub_error(int code)
{
	return cudaGetErrorName((cudaError_t)code);
}

extern "C" int pmpp_cub_run(const pmpp_cub_call *call, void *scratch, size_t *scratch_bytes)
{
	bool counts = call->operation == PMPP_CUB_COUNT;

	if (call->type == PMPP_CUB_F32 && !counts)
		return fold<float>(call, scratch, *scratch_bytes);
	if (call->type == PMPP_CUB_I32 && !counts)
		return fold<int>(call, scratch, *scratch_bytes);
	if (call->type == PMPP_CUB_U8 && counts)
		return count<unsigned char, int>(call, scratch, *scratch_bytes);
	if (call->type == PMPP_CUB_U32 && counts)
		return count<unsigned, unsigned>(call, scratch, *scratch_bytes);
	return cudaErrorInvalidValue;
}
