/*
 * The table of backends, which is their only list: names, messages, help texts and the selection of
 * devices use these rows. docs/adding-a-backend.md describes how to add a backend.
 */
#ifndef PMPP_HOST_GPU_BACKENDS_H
#define PMPP_HOST_GPU_BACKENDS_H

/* clang-format off */
/*
 * The build reads ID and folder too: keep both on the first line of a row.
 *
 * ID          GPU_BACKEND_<ID>
 * folder      folder in host/gpu; the vtable is gpu_backend_<folder>
 * name        word in --backend and in result files
 * language    GPU_LANGUAGE_<...> of the kernels
 * preference  1 = first: if several backends have one device, the lowest number represents it
 * on_request  false: selected by default. true: only if the user names it, or if a command uses
 *             every backend
 * emulated    true: its devices are emulators, which trace kernels. One for each language
 * text        description, one phrase
 * (3 texts)   options of the compiler for --math=default, strict and fast, separated by spaces
 *
 * default: division and square root are rounded correctly, and the compiler may fuse a*b+c. CUDA
 * needs no option for that. strict: as default, but without fusing. OpenCL has no option against
 * fusing: its backend puts "#pragma OPENCL FP_CONTRACT OFF" before the source. fast: NVRTC's option
 * also flushes denormal numbers, so OpenCL gets an option for the same. The emulator ignores --math
 * and is always strict.
 */
#define GPU_BACKEND_MAP(XX)                                                                  \
	XX(OPENCL, opencl, "opencl", OPENCL_C, 2, false, false, "OpenCL devices",                   \
		"-cl-fp32-correctly-rounded-divide-sqrt",                                    \
		"-cl-fp32-correctly-rounded-divide-sqrt",                                    \
		"-cl-fast-relaxed-math -cl-denorms-are-zero")                                \
	XX(CUDA, cuda, "cuda", CUDA_C, 1, false, false, "NVIDIA GPUs through the CUDA driver",      \
		"", "-fmad=false", "-use_fast_math")                                         \
	XX(CUDA_EMU, cuda_emu, "cuda-emu", CUDA_C, 3, true, true, "the CUDA emulator on the CPU",  \
		"-ffp-contract=off", "-ffp-contract=off", "-ffp-contract=off")               \
	XX(OPENCL_EMU, opencl_emu, "opencl-emu", OPENCL_C, 4, true, true,                          \
		"the OpenCL emulator on the CPU",                                            \
		"-ffp-contract=off", "-ffp-contract=off", "-ffp-contract=off")
/* clang-format on */

/* "opencl, cuda, cuda-emu, ": for texts that are constants. */
#define GPU_BACKEND_WORD(ID, folder, name, ...) name ", "
#define GPU_BACKEND_WORDS GPU_BACKEND_MAP(GPU_BACKEND_WORD)

enum gpu_backend_id {
#define XX(ID, ...) GPU_BACKEND_##ID,
	GPU_BACKEND_MAP(XX)
#undef XX
	GPU_BACKEND_COUNT,
	GPU_BACKEND_REGISTERED = GPU_BACKEND_COUNT /* the backend that a test adds at run time */
};

/* Language of a backend's kernels. */
enum gpu_language {
	GPU_LANGUAGE_OPENCL_C, /* cl_kernels, .cl */
	GPU_LANGUAGE_CUDA_C    /* cuda_kernels, .cu */
};

#endif
