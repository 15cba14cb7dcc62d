#include "host/gpu/ptx.h"

#include "common/nearest.h"
#include "host/gpu/backend_text.h"
#include "host/gpu/cuda/internal.h"
#include "host/gpu/cuda/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum pmpp_status gpu_cuda_arch_check(const char *arch, struct pmpp_error *error)
{
	const struct nvrtc_library *library = nvrtc_library();
	char names[NVRTC_MAX_ARCHS][16], list[400] = "", near[96];
	const char *pointers[NVRTC_MAX_ARCHS];
	int known[NVRTC_MAX_ARCHS];
	size_t count = 0, used = 0;
	enum pmpp_status status = nvrtc_archs(known, &count, error);

	if (status != PMPP_OK)
		return status;
	for (size_t i = 0; i < count; i++) {
		snprintf(names[i], sizeof names[i], "sm_%d", known[i]);
		if (strcmp(names[i], arch) == 0)
			return PMPP_OK;
		pointers[i] = names[i];
		if (used < sizeof list)
			used += (size_t)snprintf(
				list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
	}
	nearest_names(arch, pointers, count, near, sizeof near);
	return PMPP_FAIL(error, PMPP_USAGE, "NVRTC %d.%d has no architecture '%s'%s%s%s: it has %s",
		library->major, library->minor, arch, *near ? " (did you mean " : "", near,
		*near ? "?)" : "", list);
}

enum pmpp_status gpu_cuda_ptx(const struct gpu_program_desc *desc, const char *arch, char **ret_ptx,
	struct pmpp_error *error)
{
	struct option_list options = {0};
	char option[32];
	char *log = NULL;
	void *ptx = NULL;
	size_t size = 0;
	enum pmpp_status status =
		nvrtc_arch_option(atoi(arch + strlen("sm_")), option, sizeof option, error);

	if (status != PMPP_OK)
		return status;
	/* For an architecture that exists NVRTC would go on to a cubin. */
	option_list_add(&options, "-arch=compute_%s", strchr(option, '_') + 1);
	cuda_compile_options(desc, &options);
	if (options.failed)
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	else
		status = nvrtc_compile(desc->source, desc->name, (const char *const *)options.items,
			options.count, &ptx, &size, &log, error);
	option_list_finish(&options);
	free(log);
	if (status != PMPP_OK) {
		pmpp_error_prefix(error, "%s for %s", desc->name, arch);
		return status;
	}
	*ret_ptx = ptx;
	return PMPP_OK;
}
