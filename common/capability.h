/*
 * Capabilities beyond the minimum (OpenCL 1.2; CUDA with compute capability 7.5). Variants need
 * them and devices have them. Both use the same bits: a variant is skipped if "needs & ~has" is not
 * 0.
 */
#ifndef PMPP_COMMON_CAPABILITY_H
#define PMPP_COMMON_CAPABILITY_H

#include <stdbool.h>
#include <stddef.h>

/* name, bit, text for the reason of a skip. The bits have no gap: result files have a word for each
 * bit. */
#define PMPP_CAPABILITY_MAP(XX)                                                                    \
	XX(OPENCL_CPU, 0, "an OpenCL CPU device (kernel written for CPUs)")                        \
	XX(NVIDIA_PTX, 1, "inline PTX (an NVIDIA GPU)")                                            \
	XX(FP64, 2, "double precision")                                                            \
	XX(FP16, 3, "half precision arithmetic")                                                   \
	XX(SHUFFLE, 4, "exchange of registers within a warp (shuffles, sub-groups)")               \
	XX(ASYNC_COPY, 5, "asynchronous copies to shared memory (NVIDIA: compute capability 8.0)") \
	XX(TENSOR, 6, "tensor cores by mma.sync (compute capability 8.0, or an emulator)")         \
	XX(WARP_REDUCE, 7, "reduction within a warp (shuffles, or sub_group_reduce)")              \
	XX(WGMMA, 8, "wgmma or setmaxnreg (only compute capability 9.0, CUDA 12)")                 \
	XX(BULK_COPY, 9, "bulk copies to shared memory (compute capability 9.0, CUDA 12)")         \
	XX(CLUSTER, 10, "clusters of blocks (compute capability 9.0, CUDA 12)")

enum pmpp_capability {
#define XX(name, bit, text) PMPP_CAP_##name = 1 << (bit),
	PMPP_CAPABILITY_MAP(XX)
#undef XX
};

/* Returns the least compute capability (10 * major + minor) with which an NVIDIA GPU has all
 * capabilities of the mask. At least 75, the minimum. */
int pmpp_capability_min_cc(unsigned mask);

/* Returns whether a capability of the mask exists only in one compute capability, and not in later
 * ones. CUDA's compilers then need the architecture with the suffix "a": "sm_90a". */
bool pmpp_capability_is_specific(unsigned mask);

/* Returns whether mma.sync reaches the rate of the tensor cores of this architecture ("sm_86").
 * Architectures with an instruction for larger products reach it only by this instruction. On
 * compute capability 9.0 (wgmma) mma.sync reaches about 58 % (f16) and 62 % (TF32). W. Luo and others
 * also measured 62 % (Benchmarking and Dissecting the Nvidia Hopper GPU Architecture,
 * arXiv:2402.13499, 2024). 10.0, 10.3 and 11.0 have tcgen05 (PTX ISA 9.0, target ISA notes). */
bool pmpp_mma_reaches_rate(const char *arch);

/* Returns the text of the lowest bit set in the mask; "nothing" for 0. */
const char *pmpp_capability_text(unsigned mask);

/* Writes the texts of all bits set in the mask, with " and " between them; "nothing" for 0. */
void pmpp_capability_texts(unsigned mask, char *ret_text, size_t size);

#endif
