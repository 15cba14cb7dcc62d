/*
 * An OpenCL layer with which PoCL reports the profile of another device. The variable OPENCL_LAYERS
 * has the layer's path for the ICD loader (cl_layer.h of Khronos's headers). The layer changes
 * answers, and rejects what the profile's driver rejects. Kernels still execute on PoCL.
 *
 * Environment:
 *   PMPP_PROFILE          path of the profile (profile.h). Without it the layer changes nothing.
 *   PMPP_PROFILE_ANSWERS  set: the extension list is the profile's. Not set: the list lacks
 *                         extensions that PoCL's compiler does not have, so that programs do not
 *                         build kernels that use them.
 *   PMPP_PROFILE_LIMITS   path of a file of the same form, with the maximum of each reported
 *                         number. Programs choose sizes by the memory and the compute units. PoCL
 *                         would take minutes for the sizes of a GPU.
 */
#ifndef PMPP_TESTS_OPENCL_LAYER_LAYER_H
#define PMPP_TESTS_OPENCL_LAYER_LAYER_H

#include "tests/opencl_layer/profile.h"

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl_icd.h>

#define PROFILE_VARIABLE "PMPP_PROFILE"
#define ANSWERS_VARIABLE "PMPP_PROFILE_ANSWERS"
#define LIMITS_VARIABLE "PMPP_PROFILE_LIMITS"

/* The calls below this layer, and the profile. Set once by clInitLayer(). */
extern struct layer {
	cl_icd_dispatch below;
	struct profile profile;
	struct profile limits; /* empty without PMPP_PROFILE_LIMITS */
	bool answers_only;     /* PMPP_PROFILE_ANSWERS */
} layer;

/* Reports a defect of the layer or of a profile, and ends the process. */
_Noreturn void layer_stop(const char *text, const char *value);

/* Each puts its functions into the layer's table of calls. */
void layer_add_queries(cl_icd_dispatch *table);
void layer_add_programs(cl_icd_dispatch *table);
void layer_add_launches(cl_icd_dispatch *table);
void layer_add_timers(cl_icd_dispatch *table);

/* ---- queries.c ------------------------------------------------------------------------------- */

/* Whether the list that the device reports has an extension. */
bool layer_lists(const char *extension);
/* Whether PoCL's own list has it. */
bool layer_executes(const char *extension);
/* The version of OpenCL that the device reports, times 10: 12, 20, 30. */
int layer_version(void);
/* A number of the profile; `otherwise` without the key. */
uint64_t layer_number(const char *key, uint64_t otherwise);
/* Copies an answer as clGet*Info() does. Any pointer may be NULL. */
cl_int layer_answer(const void *value, size_t bytes, size_t room, void *target, size_t *ret_bytes);

/* ---- programs.c ------------------------------------------------------------------------------ */

/* The largest block of a kernel: CL_KERNEL_WORK_GROUP_SIZE. */
size_t layer_kernel_block(cl_kernel kernel, cl_device_id device);
/* The number of -cl-std that a kernel's program was built with, times 10; 12 without the option. */
int layer_language_of(cl_kernel kernel);

#endif
