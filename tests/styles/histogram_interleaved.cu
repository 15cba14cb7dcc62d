#include <stdio.h>
#include <cooperative_groups.h>
using namespace cooperative_groups;

// fig 9.14, with the bins in dynamic shared memory
extern "C" __global__ void histogram_coarse(const char *input, unsigned int *bins,
                                            size_t num_elements, size_t num_bins) {
  extern __shared__ unsigned int bins_s[];
  auto g = this_thread_block();

  for (unsigned int binIdx = g.thread_rank(); binIdx < num_bins; binIdx += g.size()) {
    bins_s[binIdx] = 0;
  }
  g.sync();

  unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned int i = tid; i < num_elements; i += blockDim.x * gridDim.x) {
    unsigned char v = static_cast<unsigned char>(input[i]);
    if (v < num_bins) atomicAdd(&(bins_s[v]), 1);
  }
  g.sync();

  for (unsigned int binIdx = g.thread_rank(); binIdx < num_bins; binIdx += g.size()) {
    atomicAdd(&(bins[binIdx]), bins_s[binIdx]);
  }
}
