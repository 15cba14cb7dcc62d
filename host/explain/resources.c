#include "host/explain/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/gpu/backend_text.h"
#include "host/gpu/ptx.h"
#include "host/suite/kernel_file.h"

/* ---- The target ------------------------------------------------------------------------------ */

/* The hardware of the models. */

/* The name of the device is set even if the variant did not run on it. */
static bool has_gpu(const struct explanation *explanation)
{
	const struct gpu_device_info *info = &explanation->device;

	return *info->name && suite_device_class(info) == DEVICE_CLASS_GPU;
}

/* The name of the device's model; NULL: there is none. */
static const char *model_of_device(const struct gpu_device_info *info)
{
	const struct occupancy_unit *unit = occupancy_unit_find(info->arch);

	return info->shape.model ? info->shape.model : unit ? unit->name : NULL;
}

bool explain_for_cpus(const struct explanation *explanation)
{
	return explanation->config.variant->needs & PMPP_CAP_OPENCL_CPU;
}

bool explain_on_device(const struct explanation *explanation)
{
	return has_gpu(explanation) &&
	       strcmp(explanation->target.name, explanation->device.name) == 0;
}

bool explain_has_roofs(const struct explanation *explanation)
{
	const struct explain_target *target = &explanation->target;
	const char *cc = target->has_unit ? target->unit.cc : NULL;
	bool is_reference = cc && strcmp(cc, ROOFLINE_REFERENCE_CC) == 0;

	return !explain_for_cpus(explanation) &&
	       (target->roofs_measured || (is_reference && !explain_on_device(explanation)));
}

/* lanes: the width of a warp; 0: the usual one. */
static void set_unit(struct explain_target *target, const char *name, int64_t lanes)
{
	const struct occupancy_unit *row = name ? occupancy_unit_find(name) : NULL;

	if (!row)
		return;
	target->unit = *row;
	target->has_unit = lanes == 0 || occupancy_unit_set_width(&target->unit, lanes);
}

static void target_device(struct explanation *explanation)
{
	struct explain_target *target = &explanation->target;
	const struct gpu_device_info *info = &explanation->device;
	const struct floor_rates *rates = &explanation->device_rates;

	set_unit(target, model_of_device(info), shape_value_or(&info->shape, SHAPE_LANES, 0));
	snprintf(target->name, sizeof target->name, "%s", info->name);
	target->roofs_measured = rates->copy_gbps > 0 && rates->gops[OPERATIONS_F32] > 0;
	if (target->roofs_measured)
		target->hardware = (struct roofline_device){.name = info->name,
			.rates = *rates,
			.multiprocessors = info->limits.compute_units};
}

static void target_model(struct explain_target *target, const char *name, int64_t lanes)
{
	set_unit(target, name, lanes);
	if (target->has_unit && target->unit.cc)
		snprintf(target->name, sizeof target->name, "compute capability %s",
			target->unit.cc);
	else if (target->has_unit && target->unit.lanes != occupancy_unit_find(name)->lanes)
		snprintf(target->name, sizeof target->name, "%s with %lld lanes", name,
			(long long)lanes);
	else
		snprintf(target->name, sizeof target->name, "%s", name);
}

static void choose_target(struct explanation *explanation, const struct explain_options *options)
{
	struct explain_target *target = &explanation->target;
	const struct access_model *model = explanation->model;
	const char *asked = options->sm      ? options->sm->name
			    : options->model ? options->model->name
					     : NULL;
	const char *own = model_of_device(&explanation->device);

	*target = (struct explain_target){.hardware = roofline_reference};
	if (has_gpu(explanation) && (!asked || (own && strcmp(asked, own) == 0)))
		target_device(explanation);
	else
		target_model(target, asked ? asked : model->name, model->lanes);
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
	text_set(
		&explanation->record.resources.source, gpu_device_text(&explanation->device, text));
	return true;
}

/* ---- Compilers ------------------------------------------------------------------------------ */

/* A compiler that reports the resources of a kernel without a GPU. */
struct compiler {
	const struct occupancy_rules *rules; /* of the units that it compiles for */
	enum gpu_backend_id backend;         /* that runs it */
	enum gpu_language language;
	const char *name;   /* "NVRTC" */
	const char *folder; /* for messages: "the CUDA file" */
};

static const struct compiler compilers[] = {
	{&occupancy_nvidia, GPU_BACKEND_CUDA, GPU_LANGUAGE_CUDA_C, "NVRTC", "CUDA"},
	{&occupancy_amd, GPU_BACKEND_OPENCL_EMU, GPU_LANGUAGE_OPENCL_C, "clang", "OpenCL"},
};

/* NULL: there is none for the target. */
static const struct compiler *compiler_of(const struct explanation *explanation)
{
	const struct explain_target *target = &explanation->target;

	for (size_t i = 0; target->has_unit && i < sizeof compilers / sizeof *compilers; i++)
		if (compilers[i].rules == target->unit.rules)
			return &compilers[i];
	return NULL;
}

/* The language of the kernel file that is compiled for the target. */
static enum gpu_language language_of(const struct explanation *explanation)
{
	const struct compiler *compiler = compiler_of(explanation);

	return compiler ? compiler->language : GPU_LANGUAGE_CUDA_C;
}

/* What the variant needs that only NVIDIA's GPUs have, if the target is another vendor's GPU; or NULL. */
static const char *missing_need(const struct explanation *explanation)
{
	const struct explain_target *target = &explanation->target;
	unsigned needs =
		explanation->config.variant->needs &
		(PMPP_CAP_NVIDIA_PTX | PMPP_CAP_TENSOR | PMPP_CAP_WGMMA | PMPP_CAP_BULK_COPY);

	return needs && target->has_unit && target->unit.rules != &occupancy_nvidia
		       ? pmpp_capability_text(needs)
		       : NULL;
}

/* Sets record.no_resources if the compiler would fail. */
static void find_obstacle(struct explanation *explanation, bool has_file)
{
	char **reason = &explanation->record.no_resources;
	unsigned needs = explanation->config.variant->needs;
	int min = pmpp_capability_min_cc(needs);
	const struct explain_target *target = &explanation->target;
	const struct compiler *compiler = compiler_of(explanation);

	if (missing_need(explanation))
		text_format(reason, "the variant does not run on %s: needs %s", target->name,
			missing_need(explanation));
	else if (!compiler && explain_on_device(explanation))
		text_format(reason, "%s does not report the registers of a kernel", target->name);
	else if (!compiler)
		text_format(reason,
			"no compiler on this machine reports the registers of a kernel on %s with %u "
			"lanes",
			target->name, explanation->model->lanes);
	else if (!has_file && !explanation->config.variant->one_sided)
		text_format(reason, "--kernel-dir does not have the %s file, which %s compiles",
			compiler->folder, compiler->name);
	else if (!has_file)
		text_format(reason, "there is no %s file: needs %s", compiler->folder,
			pmpp_capability_text(needs));
	else if (target->unit.cc && atoi(target->unit.name + strlen("sm_")) < min)
		text_format(reason, "needs %s: sm_%d or newer", pmpp_capability_text(needs), min);
}

static enum pmpp_status take_from_compiler(struct explanation *explanation,
	const struct kernel_file *file, enum gpu_math math, struct pmpp_error *error)
{
	const struct compiler *compiler = compiler_of(explanation);
	const struct occupancy_unit *unit = &explanation->target.unit;
	struct gpu_program_desc desc = file->desc;
	struct gpu_kernel_resources resources[PMPP_MAX_STEPS];
	const char *entries[PMPP_MAX_STEPS];
	char arch[32];

	desc.math = math;
	snprintf(arch, sizeof arch, "%s", unit->name);
	if (unit->lanes != occupancy_unit_find(unit->name)->lanes)
		snprintf(arch, sizeof arch, "%s/%lld", unit->name, (long long)unit->lanes);
	for (size_t i = 0; i < explanation->launch_count; i++)
		entries[i] = explanation->launches[i].planned->entry;
	enum pmpp_status status = gpu_source_resources(compiler->backend, &desc, arch, entries,
		explanation->launch_count, resources, error);
	if (status == PMPP_UNAVAILABLE || status == PMPP_UNSUPPORTED || status == PMPP_BUILD) {
		text_set(&explanation->record.no_resources, error->message);
		pmpp_error_clear(error);
		return PMPP_OK;
	}
	if (status != PMPP_OK)
		return status;
	for (size_t i = 0; i < explanation->launch_count; i++)
		explanation->launches[i].resources = resources[i];
	bool same_kernel = gpu_backend_row(explanation->traced)->language == compiler->language;
	text_format(&explanation->record.resources.source, "%s %s%s%s%s", compiler->name,
		unit->name, same_kernel ? "" : ", the ", same_kernel ? "" : compiler->folder,
		same_kernel ? "" : " kernel");
	return PMPP_OK;
}

/* ---- Occupancy ----------------------------------------------------------------------------- */

/* For a GPU that is not in the table, only the maximum block size and the shared memory are known.
 * At least one block of that size is resident. */
static struct occupancy_unit unit_of_limits(const struct gpu_device_info *info)
{
	return occupancy_unit_given(
		info->limits.max_block_threads, 0, 0, info->limits.shared_bytes);
}

/* A kernel with shared memory has barriers between its writes and its reads. */
static struct kernel_use use_of(
	const struct launch_explanation *launch, const struct occupancy_unit *unit)
{
	const struct gpu_kernel_resources *resources = &launch->resources;
	int64_t shared = (resources->shared_bytes > 0 ? resources->shared_bytes : 0) +
			 launch->planned->shared_bytes;

	return (struct kernel_use){.threads = (int64_t)plan_launch_threads(launch->planned),
		.registers = unit->registers && resources->registers > 0 ? resources->registers : 0,
		.shared_bytes = shared,
		.scalars = resources->scalar_registers,
		.acc_registers = resources->acc_registers,
		.barrier = shared > 0};
}

static void find_occupancy(const struct explanation *explanation, struct launch_explanation *launch)
{
	const struct explain_target *target = &explanation->target;
	const struct occupancy_unit minimal = unit_of_limits(&explanation->device);
	const struct occupancy_unit *unit = target->has_unit ? &target->unit : &minimal;
	struct pmpp_error error = PMPP_ERROR_INIT;

	if (explain_for_cpus(explanation))
		return;
	if (missing_need(explanation)) {
		text_format(&launch->no_occupancy, "the variant does not run on %s", target->name);
	} else if (!target->has_unit && !explain_on_device(explanation)) {
		text_format(&launch->no_occupancy, "no model of the occupancy of %s with %u lanes",
			explanation->model->name, explanation->model->lanes);
	} else {
		struct kernel_use use = use_of(launch, unit);
		launch->occupancy_known =
			occupancy_of(unit, &use, &launch->occupancy, &error) == PMPP_OK;
		if (!launch->occupancy_known)
			text_set(&launch->no_occupancy, error.message);
	}
	pmpp_error_clear(&error);
}

/* file: NULL if there is no file in this language. Fails only if there is no memory. */
static enum pmpp_status use_file(struct explanation *explanation, const struct kernel_file *file,
	enum gpu_math math, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	if (!take_from_device(explanation)) {
		find_obstacle(explanation, file != NULL);
		if (!explanation->record.no_resources)
			status = take_from_compiler(explanation, file, math, error);
	}
	for (size_t i = 0; i < explanation->launch_count; i++)
		find_occupancy(explanation, &explanation->launches[i]);
	return status;
}

enum pmpp_status explain_resources(struct explanation *explanation,
	const struct explain_options *options, struct pmpp_error *error)
{
	struct kernel_file file = {0};
	const struct variant *variant = explanation->config.variant;

	choose_target(explanation, options);
	enum gpu_language language = language_of(explanation);
	enum gpu_backend_id backend =
		language == GPU_LANGUAGE_CUDA_C ? GPU_BACKEND_CUDA : GPU_BACKEND_OPENCL;
	bool found = kernel_file_exists(variant, backend);
	enum pmpp_status status = PMPP_OK;

	explanation->own_kernel |= kernel_file_is_own(variant, backend, options->kernel_dir);
	if (found)
		status = kernel_file_load(&explanation->config, &explanation->problem, backend,
			options->kernel_dir, &file, error);
	/* --kernel-dir may have the kernels of one language only. */
	if (status == PMPP_USAGE && gpu_backend_row(options->traced)->language != language) {
		pmpp_error_clear(error);
		found = false;
		status = PMPP_OK;
	}
	if (status == PMPP_OK)
		status = use_file(explanation, found ? &file : NULL, options->math, error);
	kernel_file_finish(&file);
	return status;
}
