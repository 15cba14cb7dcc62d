#include "common/nearest.h"
#include "common/ptxas.h"
#include "host/gpu/backend_text.h"
#include "host/gpu/cuda/internal.h"
#include "host/gpu/cuda/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum pmpp_status cuda_arch_check(const char *arch, struct pmpp_error *error)
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
	return PMPP_FAIL(error, PMPP_USAGE,
		"NVRTC %d.%d does not support '%s'%s%s%s: use one of %s", library->major,
		library->minor, arch, *near ? " (did you mean " : "", near, *near ? "?)" : "",
		list);
}

/* Compiles with the architecture's option, then `extra`, then the options of the cuda backend. */
static enum pmpp_status compile_for(const struct gpu_program_desc *desc, const char *arch_option,
	const char *extra, const char *arch, void **ret_binary, char **ret_log,
	struct pmpp_error *error)
{
	struct option_list options = {0};
	size_t size = 0;
	enum pmpp_status status;

	option_list_add(&options, "%s", arch_option);
	option_list_add_words(&options, extra, NULL);
	cuda_compile_options(desc, &options);
	if (options.failed)
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	else
		status = nvrtc_compile(desc->source, desc->name, (const char *const *)options.items,
			options.count, ret_binary, &size, ret_log, error);
	option_list_finish(&options);
	if (status != PMPP_OK)
		pmpp_error_prefix(error, "%s for %s", desc->name, arch);
	return status;
}

enum pmpp_status cuda_source_ptx(const struct gpu_program_desc *desc, const char *arch,
	char **ret_ptx, struct pmpp_error *error)
{
	char real[32], option[48];
	char *log = NULL;
	void *ptx = NULL;
	enum pmpp_status status = nvrtc_arch_option(
		atoi(arch + strlen("sm_")), desc->arch_specific, real, sizeof real, error);

	if (status != PMPP_OK)
		return status;
	/* A virtual architecture: with a real one NVRTC compiles the PTX to a cubin. */
	snprintf(option, sizeof option, "-arch=compute_%s", strchr(real, '_') + 1);
	status = compile_for(desc, option, "", arch, &ptx, &log, error);
	free(log);
	if (status == PMPP_OK)
		*ret_ptx = ptx;
	return status;
}

static enum pmpp_status take_resources(const char *log, const char *const *entries,
	size_t entry_count, struct gpu_kernel_resources *ret_resources, struct pmpp_error *error)
{
	struct ptxas_report report;

	for (size_t i = 0; i < entry_count; i++)
		if (!ptxas_report(log, entries[i], &report))
			return PMPP_FAIL(error, PMPP_BUILD,
				"NVRTC %d.%d does not report the resources of '%s'",
				nvrtc_library()->major, nvrtc_library()->minor, entries[i]);
	for (size_t i = 0; i < entry_count; i++) {
		ptxas_report(log, entries[i], &report);
		ret_resources[i] = (struct gpu_kernel_resources){.registers = report.registers,
			.shared_bytes = report.shared_bytes,
			.spill_bytes = report.stack_bytes,
			.max_block_threads = -1};
	}
	return PMPP_OK;
}

enum pmpp_status cuda_source_resources(const struct gpu_program_desc *desc, const char *arch,
	const char *const *entries, size_t entry_count, struct gpu_kernel_resources *ret_resources,
	struct pmpp_error *error)
{
	const struct nvrtc_library *library = nvrtc_library();
	char option[32];
	char *log = NULL;
	void *cubin = NULL;
	enum pmpp_status status = nvrtc_arch_option(
		atoi(arch + strlen("sm_")), desc->arch_specific, option, sizeof option, error);

	if (status != PMPP_OK)
		return status;
	if (strncmp(option, "-arch=sm_", strlen("-arch=sm_")) != 0)
		return PMPP_FAIL(error, PMPP_UNSUPPORTED,
			"NVRTC %d.%d cannot make machine code for %s: install a newer CUDA Toolkit",
			library->major, library->minor, arch);
	status = compile_for(desc, option, "--ptxas-options=-v", arch, &cubin, &log, error);
	if (status == PMPP_OK)
		status = take_resources(log, entries, entry_count, ret_resources, error);
	free(cubin);
	free(log);
	return status;
}
