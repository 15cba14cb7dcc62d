/*
 * The table of backends. There is no other list of them: names, messages, help texts and choices of
 * devices are made from these rows. docs/adding-a-backend.md describes how to add one.
 */
#ifndef PMPP_HOST_GPU_BACKENDS_H
#define PMPP_HOST_GPU_BACKENDS_H

/* clang-format off */
/*
 * The build reads ID and folder too: keep both on the first line of a row.
 *
 * ID          GPU_BACKEND_<ID>
 * folder      of host/gpu, and gpu_backend_<folder>, its vtable
 * name        the word of --backend and of result files
 * language    GPU_LANGUAGE_<...> of its kernels
 * preference  1 = first: where several backends see one device, the lowest number represents it
 * on_request  chosen by default, or only where the user names it (or a command uses every backend)
 * text        what it is, one phrase
 * options of its compiler for --math=default, strict and fast, separated by spaces
 *
 * default: division and square root rounded correctly, a*b+c may fuse. CUDA does so without an
 * option. strict: no fusing either. OpenCL has no option for that: its backend puts "#pragma OPENCL
 * FP_CONTRACT OFF" before the source. fast: NVRTC's option flushes denormals, so OpenCL has the
 * same. The emulator ignores --math and is always strict.
 */
#define GPU_BACKEND_MAP(XX)                                                                  \
	XX(OPENCL, opencl, "opencl", OPENCL_C, 2, false, "OpenCL devices",                   \
		"-cl-fp32-correctly-rounded-divide-sqrt",                                    \
		"-cl-fp32-correctly-rounded-divide-sqrt",                                    \
		"-cl-fast-relaxed-math -cl-denorms-are-zero")                                \
	XX(CUDA, cuda, "cuda", CUDA_C, 1, false, "NVIDIA GPUs through the CUDA driver",      \
		"", "-fmad=false", "-use_fast_math")                                         \
	XX(CUDA_EMU, cuda_emu, "cuda-emu", CUDA_C, 3, true, "the CUDA emulator on the CPU",  \
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
	GPU_BACKEND_REGISTERED = GPU_BACKEND_COUNT /* the one added at run time, by tests */
};

/* Language of a backend's kernels. */
enum gpu_language {
	GPU_LANGUAGE_OPENCL_C, /* cl_kernels, .cl */
	GPU_LANGUAGE_CUDA_C    /* cuda_kernels, .cu */
};

#endif
