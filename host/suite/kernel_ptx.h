/*
 * PTX of a variant's kernel files, and its instruction counts (common/ptx.h).
 */
#ifndef PMPP_HOST_SUITE_KERNEL_PTX_H
#define PMPP_HOST_SUITE_KERNEL_PTX_H

#include "common/family.h"
#include "common/ptx.h"
#include "host/gpu/gpu.h"

/* Compiles the variant's file for an architecture ("sm_90") without a device. root: folder of the
 * kernel files (NULL: embedded). *ret_ptx is malloc'ed. Fails as kernel_file_load() and
 * gpu_source_ptx(). */
enum pmpp_status kernel_ptx_of_file(const struct config *config, const struct problem *problem,
	enum gpu_backend_id backend, const char *root, enum gpu_math math, const char *arch,
	char **ret_ptx, struct pmpp_error *error);

/* Counts the instructions of the kernels that the plan launches. texts: PTX of the two sides; NULL
 * gives counts of 0. The caller finishes the table, also after a failure (PMPP_OUT_OF_MEMORY). */
enum pmpp_status kernel_ptx_count(const struct plan *plan, const char *const texts[2],
	struct ptx_table *table, struct pmpp_error *error);

#endif
