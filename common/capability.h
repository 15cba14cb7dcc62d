/*
 * What a variant may need beyond the floor (OpenCL 1.2; CUDA on compute capability 7.5), and what a
 * device has: the same bits on both sides, so that "needs & ~has" is the reason of a skip.
 */
#ifndef PMPP_COMMON_CAPABILITY_H
#define PMPP_COMMON_CAPABILITY_H

/* name, bit, what is missing where it is missing */
#define PMPP_CAPABILITY_MAP(XX)                                                            \
	XX(OPENCL_CPU, 0, "an OpenCL CPU device (a CPU-shaped form)")                      \
	XX(NVIDIA_PTX, 1, "inline PTX (an NVIDIA GPU)")                                    \
	XX(FP64, 2, "double precision")                                                    \
	XX(FP16, 3, "half precision arithmetic")                                           \
	XX(SHUFFLE, 4, "exchange of registers within a warp (shuffles, sub-groups)")       \
	XX(ASYNC_COPY, 5, "asynchronous copies to shared memory (compute capability 8.0)") \
	XX(TENSOR, 6, "tensor cores by mma.sync (compute capability 8.0)")

enum pmpp_capability {
#define XX(name, bit, text) PMPP_CAP_##name = 1 << (bit),
	PMPP_CAPABILITY_MAP(XX)
#undef XX
};

/* The least compute capability, as 10 major + minor, of an NVIDIA GPU that has all of mask: 75 for
 * what the floor has. */
int pmpp_capability_min_cc(unsigned mask);

/* The text of the lowest bit set in mask; "nothing" for 0. */
const char *pmpp_capability_text(unsigned mask);

#endif
