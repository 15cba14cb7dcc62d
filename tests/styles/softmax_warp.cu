#include <stdio.h>
#include <math.h>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

// one warp per row, cooperative groups
extern "C" __global__ void softmax_safe(const float* inp, float* out, int C) {
    namespace cg = cooperative_groups;
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);

    int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    const float* x = inp + idx * C;
    float* const y = out + idx * C;

    // maximum
    float maxval = -INFINITY;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) {
        maxval = max(maxval, __ldg(x + i));
    }
    maxval = cg::reduce(warp, maxval, cg::greater<float>{});

    // sum of exponentials
    float sumval = 0.0f;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) {
        float ev = expf(__ldcs(x + i) - maxval);
        sumval += ev;
        __stcs(y + i, ev);
    }
    sumval = cg::reduce(warp, sumval, cg::plus<float>{});
    float norm = 1.0f / sumval;

    for (int i = warp.thread_rank(); i < C; i += warp.size()) {
        y[i] = __ldcs(y + i) * norm;
    }
}
