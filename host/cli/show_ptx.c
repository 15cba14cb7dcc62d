#include "host/cli/show_ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/gpu/ptx.h"
#include "host/report/format.h"
#include "host/report/terminal.h"
#include "host/run/device_select.h"
#include "host/suite/kernel_file.h"

#define DEFAULT_ARCH "sm_90"

/* ---- Making -------------------------------------------------------------------------------- */

/* The first device of NVIDIA's driver; NULL = none. */
static const struct gpu_device_info *nvidia_device(
	const struct inventory *inventory, enum gpu_backend_id backend)
{
	for (size_t i = 0; i < inventory->count; i++) {
		const struct gpu_device_info *info = &inventory->devices[i].info;
		if (info->backend == backend && (info->capabilities & PMPP_CAP_NVIDIA_PTX))
			return info;
	}
	return NULL;
}

static enum pmpp_status choose_arch(const struct cli_options *options, const struct show_row *row,
	const struct inventory *inventory, struct show_ptx *ptx, struct pmpp_error *error)
{
	const struct gpu_device_info *info = nvidia_device(inventory, GPU_BACKEND_CUDA);
	int min = pmpp_capability_min_cc(row->variant->needs);

	if (!info)
		info = nvidia_device(inventory, GPU_BACKEND_OPENCL);
	if (options->arch) {
		enum pmpp_status status = gpu_arch_check(GPU_BACKEND_CUDA, options->arch, error);
		if (status == PMPP_USAGE)
			pmpp_error_prefix(error, "--arch");
		if (status != PMPP_OK)
			return status;
		if (atoi(options->arch + strlen("sm_")) < min)
			return PMPP_FAIL(error, PMPP_USAGE,
				"--arch=%s: %s/%s needs %s: give sm_%d or newer", options->arch,
				row->family->name, row->variant->name,
				pmpp_capability_text(row->variant->needs), min);
	}
	snprintf(ptx->cuda_arch, sizeof ptx->cuda_arch, "%s",
		options->arch ? options->arch
		: info        ? info->arch
			      : DEFAULT_ARCH);
	return PMPP_OK;
}

static enum pmpp_status make_opencl(const struct cli_options *options, const struct show_row *row,
	const struct gpu_device_info *info, struct show_ptx *ptx, struct pmpp_error *error)
{
	struct gpu_device *device = NULL;
	struct gpu_program *program = NULL;
	struct kernel_file file = {0};
	enum pmpp_status status = kernel_file_load(&row->config, &row->problem, GPU_BACKEND_OPENCL,
		options->job.kernel_dir, &file, error);

	if (status != PMPP_OK)
		return status;
	struct gpu_program_desc desc = kernel_file_desc(&file, options->job.math);
	status = gpu_open(info, &device, error);
	if (status == PMPP_OK)
		status = gpu_program_create(device, &desc, &program, error);
	if (status == PMPP_OK)
		status = gpu_program_ptx(program, &ptx->opencl, error);
	gpu_program_destroy(&program);
	gpu_close(&device);
	kernel_file_finish(&file);
	return status;
}

/* Sets the PTX of the OpenCL file, or the reason why there is none. */
static enum pmpp_status try_opencl(const struct cli_options *options, const struct show_row *row,
	const struct inventory *inventory, struct show_ptx *ptx, struct pmpp_error *error)
{
	const struct gpu_device_info *info = nvidia_device(inventory, GPU_BACKEND_OPENCL);
	const struct gpu_backend_state *state = &inventory->states[GPU_BACKEND_OPENCL];
	enum pmpp_status status;

	if (!info) {
		snprintf(ptx->opencl_reason, sizeof ptx->opencl_reason,
			"no NVIDIA OpenCL device (only its binaries are PTX)%s%s",
			state->usable ? "" : ": ", state->reason);
		return PMPP_OK;
	}
	if (row->variant->needs & ~info->capabilities) {
		snprintf(ptx->opencl_reason, sizeof ptx->opencl_reason, "%s has no %s", info->name,
			pmpp_capability_text(row->variant->needs & ~info->capabilities));
		return PMPP_OK;
	}
	snprintf(ptx->opencl_origin, sizeof ptx->opencl_origin, "%s", info->name);
	status = make_opencl(options, row, info, ptx, error);
	if (status != PMPP_UNSUPPORTED)
		return status;
	snprintf(ptx->opencl_reason, sizeof ptx->opencl_reason, "%.390s", error->message);
	pmpp_error_clear(error);
	return PMPP_OK;
}

enum pmpp_status show_ptx_make(const struct cli_options *options, const struct show_row *row,
	struct show_ptx *ret_ptx, struct pmpp_error *error)
{
	struct inventory inventory = {0};
	enum pmpp_status status = inventory_take(
		BACKEND_BIT(GPU_BACKEND_OPENCL) | BACKEND_BIT(GPU_BACKEND_CUDA), &inventory, error);

	if (status == PMPP_OK)
		status = choose_arch(options, row, &inventory, ret_ptx, error);
	if (status == PMPP_OK)
		status = kernel_ptx_of_file(&row->config, &row->problem, GPU_BACKEND_CUDA,
			options->job.kernel_dir, options->job.math, ret_ptx->cuda_arch,
			&ret_ptx->cuda, error);
	if (status == PMPP_OK)
		status = try_opencl(options, row, &inventory, ret_ptx, error);
	inventory_finish(&inventory);
	return status;
}

void show_ptx_finish(struct show_ptx *ptx)
{
	free(ptx->opencl);
	free(ptx->cuda);
	*ptx = (struct show_ptx){0};
}

/* ---- Printing ------------------------------------------------------------------------------ */

/* opencl: whether the OpenCL file has PTX; otherwise its count is "-". */
static void put_row(const char *name, const unsigned count[2], bool opencl, bool colour)
{
	bool differs = opencl && count[0] != count[1];
	char left[16] = "-";

	if (opencl)
		snprintf(left, sizeof left, "%u", count[0]);
	printf("%s%c %-24s %8s %8u%s\n", style_code(colour && differs, STYLE_YELLOW),
		differs ? '*' : ' ', name, left, count[1],
		style_code(colour && differs, STYLE_PLAIN));
}

static enum pmpp_status put_counts(const struct show_ptx *ptx, const struct show_row *row,
	bool colour, struct pmpp_error *error)
{
	const char *const texts[2] = {ptx->opencl, ptx->cuda};
	struct ptx_table table = {0};
	enum pmpp_status status = kernel_ptx_count(&row->plan, texts, &table, error);

	if (status == PMPP_OK) {
		printf("\n  %-24s %8s %8s   counted in the text, not when they run%s\n",
			"PTX instructions", "opencl", "cuda", ptx->opencl ? "; * differs" : "");
		for (size_t i = 0; i < table.count; i++)
			put_row(table.rows[i].name, table.rows[i].count, ptx->opencl != NULL,
				colour);
		put_row("all", table.total, ptx->opencl != NULL, colour);
	}
	ptx_table_finish(&table);
	return status;
}

/* The line above the text names the kernel file and the target. */
static void put_text(const struct show_row *row, enum gpu_backend_id backend, const char *target,
	const char *text, bool colour)
{
	printf("\n%s---- PTX of %s/%s/%s%s for %s%s\n%s", style_code(colour, STYLE_DIM),
		gpu_backend_kernel_folder(backend), row->family->name, row->variant->file,
		gpu_backend_kernel_extension(backend), target, style_code(colour, STYLE_PLAIN),
		text + strspn(text, "\n"));
}

enum pmpp_status show_ptx_put(const struct show_ptx *ptx, const struct show_row *row, bool counts,
	bool colour, struct pmpp_error *error)
{
	enum pmpp_status status = counts ? put_counts(ptx, row, colour, error) : PMPP_OK;

	if (status != PMPP_OK)
		return status;
	if (ptx->opencl)
		put_text(row, GPU_BACKEND_OPENCL, ptx->opencl_origin, ptx->opencl, colour);
	else
		printf("\n%s---- no PTX of the OpenCL file: %s%s\n", style_code(colour, STYLE_DIM),
			ptx->opencl_reason, style_code(colour, STYLE_PLAIN));
	put_text(row, GPU_BACKEND_CUDA, ptx->cuda_arch, ptx->cuda, colour);
	return PMPP_OK;
}
