#include "host/explain/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/gpu/backend_text.h"
#include "host/gpu/ptx.h"
#include "host/suite/kernel_file.h"

#define DEFAULT_CC "9.0" /* compute capability of the reference device */

/* ---- Target -------------------------------------------------------------------------------- */

/* NULL: the device is not from NVIDIA, or it is not in the table. */
static const struct occupancy_unit *device_sm(const struct gpu_device_info *info)
{
	return occupancy_unit_find(info->arch);
}

/* The name of the device is set even if the variant did not run on it. */
static bool has_gpu(const struct explanation *explanation)
{
	const struct gpu_device_info *info = &explanation->device;

	return *info->name && suite_device_class(info) == DEVICE_CLASS_GPU;
}

bool explain_on_device(const struct explanation *explanation)
{
	return has_gpu(explanation) &&
	       strcmp(explanation->target.name, explanation->device.name) == 0;
}

static void target_device(struct explanation *explanation)
{
	struct explain_target *target = &explanation->target;
	const struct gpu_device_info *info = &explanation->device;
	const struct floor_rates *rates = &explanation->device_rates;

	target->sm = device_sm(info);
	snprintf(target->name, sizeof target->name, "%s", info->name);
	target->roofs_measured = rates->copy_gbps > 0 && rates->gops[OPERATIONS_F32] > 0;
	if (target->roofs_measured)
		target->hardware = (struct roofline_device){.name = info->name,
			.rates = *rates,
			.multiprocessors = info->limits.compute_units};
}

void explain_choose_target(struct explanation *explanation, const struct explain_options *options)
{
	struct explain_target *target = &explanation->target;
	const struct occupancy_unit *sm = options->sm;

	*target = (struct explain_target){.hardware = roofline_reference};
	if (has_gpu(explanation) && (!sm || sm == device_sm(&explanation->device))) {
		target_device(explanation);
	} else {
		target->sm = sm ? sm : occupancy_unit_of_cc(DEFAULT_CC);
		snprintf(
			target->name, sizeof target->name, "compute capability %s", target->sm->cc);
	}
	if (target->sm)
		snprintf(target->arch, sizeof target->arch, "%s", target->sm->name);
}

/* ---- Resources ----------------------------------------------------------------------------- */

/* The resources of a kernel as built for the device. Returns NULL if the driver does not report
 * registers, or if the kernel is not part of the measured plan, whose size differs. */
static const struct gpu_kernel_resources *built_on_device(
	const struct outcome *outcome, const char *entry)
{
	for (size_t s = 0; s < outcome->plan.step_count; s++) {
		const struct plan_launch *launch = plan_step_launch(&outcome->plan.steps[s]);
		if (launch && strcmp(launch->entry, entry) == 0 &&
			outcome->step_resources[s].registers >= 0)
			return &outcome->step_resources[s];
	}
	return NULL;
}

static bool take_from_device(struct explanation *explanation)
{
	const struct outcome *outcome = &explanation->outcome;
	char text[GPU_TEXT_BYTES];

	if (!explanation->measured || !explain_on_device(explanation))
		return false;
	for (size_t i = 0; i < explanation->launch_count; i++)
		if (!built_on_device(outcome, explanation->launches[i].planned->entry))
			return false;
	for (size_t i = 0; i < explanation->launch_count; i++)
		explanation->launches[i].resources =
			*built_on_device(outcome, explanation->launches[i].planned->entry);
	snprintf(explanation->resources_source, sizeof explanation->resources_source, "%s",
		gpu_device_text(&explanation->device, text));
	return true;
}

/* Writes the reason why NVRTC would fail; "" = no reason is known. */
static void find_nvrtc_obstacle(
	const struct explanation *explanation, bool has_file, char *ret_text, size_t size)
{
	unsigned needs = explanation->config.variant->needs;
	int min = pmpp_capability_min_cc(needs);
	const char *arch = explanation->target.arch;
	const struct access_model *model = explanation->model, *own = access_model_default();

	*ret_text = '\0';
	if (!explain_for_nvidia(explanation))
		snprintf(ret_text, size,
			"NVRTC's figures are only for the model %s with %u lanes; the model is %s "
			"with %u lanes",
			own->name, own->lanes, model->name, model->lanes);
	else if (!has_file && !explanation->config.variant->one_sided)
		snprintf(ret_text, size,
			"--kernel-dir does not have the CUDA file, which NVRTC "
			"compiles");
	else if (!has_file)
		snprintf(ret_text, size, "there is no CUDA file: needs %s",
			pmpp_capability_text(needs));
	else if (!*arch)
		snprintf(ret_text, size, "%.100s does not report the registers of a kernel",
			explanation->target.name);
	else if (atoi(arch + strlen("sm_")) < min)
		snprintf(ret_text, size, "needs %s: sm_%d or newer", pmpp_capability_text(needs),
			min);
}

static enum pmpp_status take_from_nvrtc(struct explanation *explanation,
	const struct kernel_file *file, enum gpu_math math, struct pmpp_error *error)
{
	const char *arch = explanation->target.arch;
	struct gpu_program_desc desc = kernel_file_desc(file, math);
	struct gpu_kernel_resources resources[PMPP_MAX_STEPS];
	const char *entries[PMPP_MAX_STEPS];

	for (size_t i = 0; i < explanation->launch_count; i++)
		entries[i] = explanation->launches[i].planned->entry;
	enum pmpp_status status = gpu_source_resources(GPU_BACKEND_CUDA, &desc, arch, entries,
		explanation->launch_count, resources, error);
	if (status == PMPP_UNAVAILABLE || status == PMPP_UNSUPPORTED || status == PMPP_BUILD) {
		snprintf(explanation->no_resources, sizeof explanation->no_resources, "%.190s",
			error->message);
		pmpp_error_clear(error);
		return PMPP_OK;
	}
	if (status != PMPP_OK)
		return status;
	for (size_t i = 0; i < explanation->launch_count; i++)
		explanation->launches[i].resources = resources[i];
	bool same_kernel = gpu_backend_row(explanation->traced)->language == GPU_LANGUAGE_CUDA_C;
	snprintf(explanation->resources_source, sizeof explanation->resources_source, "NVRTC %s%s",
		arch, same_kernel ? "" : ", the CUDA kernel");
	return PMPP_OK;
}

/* ---- Occupancy ----------------------------------------------------------------------------- */

/* For a GPU that is not in the table, only the maximum block size and the shared memory are known.
 * At least one block of that size is resident. */
static struct occupancy_unit multiprocessor_of_limits(const struct gpu_device_info *info)
{
	return occupancy_unit_given(
		info->limits.max_block_threads, 0, 0, info->limits.shared_bytes);
}

static void find_occupancy(const struct explanation *explanation, struct launch_explanation *launch)
{
	const struct occupancy_unit *sm = explanation->target.sm;
	const struct occupancy_unit minimal = multiprocessor_of_limits(&explanation->device);
	const struct gpu_kernel_resources *resources = &launch->resources;
	struct kernel_use use = {.threads = (int64_t)plan_launch_threads(launch->planned),
		.registers = sm && resources->registers > 0 ? resources->registers : 0,
		.shared_bytes = (resources->shared_bytes > 0 ? resources->shared_bytes : 0) +
				launch->planned->shared_bytes};
	struct pmpp_error error = PMPP_ERROR_INIT;

	if (explain_for_cpus(explanation)) {
		snprintf(launch->no_occupancy, sizeof launch->no_occupancy,
			"a variant for CPUs: occupancy does not apply");
		return;
	}
	if (!explain_for_nvidia(explanation) && !explain_on_device(explanation)) {
		snprintf(launch->no_occupancy, sizeof launch->no_occupancy,
			"no model of the occupancy of %s with %u lanes", explanation->model->name,
			explanation->model->lanes);
		return;
	}
	launch->occupancy_known =
		occupancy_of(sm ? sm : &minimal, &use, &launch->occupancy, &error) == PMPP_OK;
	if (!launch->occupancy_known)
		snprintf(
			launch->no_occupancy, sizeof launch->no_occupancy, "%.150s", error.message);
	pmpp_error_clear(&error);
}

enum pmpp_status explain_resources(struct explanation *explanation, const struct kernel_file *file,
	enum gpu_math math, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	if (!take_from_device(explanation)) {
		find_nvrtc_obstacle(explanation, file != NULL, explanation->no_resources,
			sizeof explanation->no_resources);
		if (!*explanation->no_resources)
			status = take_from_nvrtc(explanation, file, math, error);
	}
	for (size_t i = 0; i < explanation->launch_count; i++)
		find_occupancy(explanation, &explanation->launches[i]);
	return status;
}
