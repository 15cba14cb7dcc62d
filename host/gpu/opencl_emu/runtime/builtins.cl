/*
 * The built-in functions of OpenCL C for kernels that run on the host. Each function and all of
 * its overloads are under `#ifdef NEED_<name>` or in `PMPP_IF(<name>)(...)`, so that an object
 * file has only what its needs.h names.
 *
 * The host compiles this file once for each function that the kernel's IR declares, but that neither the
 * kernel's file nor support.c defines. It keeps the object file for other programs (backend.c).
 * needs.h in the folder of this file has one line for each needed function:
 *
 *	#define NEED_<name>     name: the source name inside the mangled name (`_Z3fmafff`: fma)
 *
 * The macro has no value, as PMPP_IF expects.
 *
 * For each name convert_<type>[_sat][_rte|_rtz|_rtp|_rtn] it has this line instead (the file is
 * included twice: the lines may be in any order, but a conversion must not be repeated):
 *
 *	PMPP_CONVERT(name, destination type, its scalar, vector size, sat, rounding)
 *	PMPP_CONVERT(convert_uchar4_sat_rtz, uchar4, uchar, 4, 1, rtz)
 *	PMPP_CONVERT(convert_float, float, float, 1, 0, default)
 *
 * If needs.h also has
 *
 *	#define PMPP_ONLY
 *	#define PMPP_HAS_<code>  for each type in the parameters of the needed functions, in
 *	                         mangled form: c, h, s, t, i, j, l, m, f, d or Dh
 *	#define PMPP_HAS_v<n>    for each vector size there (Dv4_f: v4 and f)
 *
 * then functions have only the overloads of these types and sizes, and the build takes a third of
 * the time of a build with all overloads. The words between them in a mangled name (U8CLglobal,
 * U7_Atomic, 12memory_order, 9ocl_event) are not types.
 *
 *	#define PMPP_HALF_CALLS
 *
 * adds the functions of builtins_half.cl that clang calls. One object file of each program has them.
 *
 * vector size: 1, 2, 3, 4, 8, 16. sat: 0, 1. rounding: default, rte, rtz, rtp, rtn. Every line
 * defines the conversion from all 11 types.
 *
 * Command: `builtin_command` in backend.c.
 * Always CL2.0, for kernels of every version: it has the generic address space, and the mangled
 * names and the ABI are those of the other versions. No sanitizers; -DPMPP_EMU_TRACED for the
 * traced build. Link with -lm. The definitions match the declarations that clang makes itself,
 * so a wrong type of a result is a compile error. All symbols are hidden. Symbols that
 * several object files define are weak.
 *
 * Commands for kernels need the same -march: it decides how vectors and f16 are passed. The
 * traced build needs -fno-optimize-sibling-calls: a built-in finds the place of its caller by
 * its return address. CL3.0 needs -D__opencl_c_atomic_order_seq_cst=1
 * -D__opencl_c_atomic_scope_device=1 with clang 14, otherwise the atomic functions without
 * memory orders are not declared.
 *
 * The C functions that the built-ins call are declared in builtins_base.cl (support.c). Other
 * files for kernels: builtins_print.c (printf), pmpp_subgroups.h (declarations for kernels that
 * use sub-groups).
 *
 * Not here: images, pipes, enqueued kernels, the extensions of AMD and Arm, and Intel's block
 * reads of images and video functions.
 */
#if __OPENCL_C_VERSION__ < 200
#error compile this file with -cl-std=CL2.0
#endif
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define PMPP_CONVERT(...)
#include "needs.h"
#undef PMPP_CONVERT

#include "builtins_base.cl"
#include "builtins_half.cl"
#include "builtins_math.cl"
#include "builtins_math_rest.cl"
#include "builtins_integer.cl"
#include "builtins_common.cl"
#include "builtins_relational.cl"
#include "builtins_vector.cl"
#include "builtins_shuffle.cl"
#include "builtins_atomic.cl"
#include "builtins_atomic2.cl"
#include "builtins_copy.cl"
#include "builtins_group.cl"
#include "builtins_subgroup.cl"
#include "builtins_reduce.cl"
#include "builtins_convert.cl"
