#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <cfloat>

namespace cg = cooperative_groups;

// struct for the reduction operation, guarantees 8-byte alignment
struct __align__(8) SumMax
{
    float maxval;
    float sum;
};

// forceinline helps avoid function call overhead
__device__ __forceinline__ SumMax reduce_sum_max_op(SumMax a, SumMax b) {
    bool a_bigger = (a.maxval > b.maxval);
    SumMax bigger_m = a_bigger ? a : b;
    SumMax smaller_m = a_bigger ? b : a;
    SumMax res;
    res.maxval = bigger_m.maxval;
    res.sum = bigger_m.sum + smaller_m.sum * expf(smaller_m.maxval - bigger_m.maxval);
    return res;
}

// online softmax: maximum and sum in one pass, one warp per row
extern "C" __global__ void softmax_online(const float* inp, float* out, int C) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;

    const float* x = inp + row * C;
    float* const y = out + row * C;

    // base case for the reduction
    SumMax sm_partial;
    sm_partial.maxval = -FLT_MAX;
    sm_partial.sum = 0.0f;

    // first, thread coarsening by directly accessing global memory in series
    for (int i = warp.thread_rank(); i < C; i += warp.size()) {
        sm_partial = reduce_sum_max_op(sm_partial, { x[i], 1.0f });
    }

    // second, the reduction
    SumMax sm_total = cg::reduce(warp, sm_partial, reduce_sum_max_op);

    // divide the whole row by the sum
    for (int i = warp.thread_rank(); i < C; i += warp.size()) {
        // the below is equivalent to
        // y[i] = expf(x[i] - sm_total.maxval) / sm_total.sum;
        // but uses special instruction that bypasses the cache
        __stcs(y + i, expf(__ldcs(x + i) - sm_total.maxval) / sm_total.sum);
    }
}
