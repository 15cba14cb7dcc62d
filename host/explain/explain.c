#include "host/explain/explain.h"

#include <math.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/traced_work.h"
#include "common/own/kernel.h"
#include "common/text.h"
#include "host/gpu/backend_text.h"
#include "host/gpu/ptx.h"
#include "host/io/sources.h"
#include "host/suite/device.h"
#include "host/suite/kernel_file.h"
#include "host/suite/outcome.h"
#include "host/suite/roofs.h"

/* ---- Trace ----------------------------------------------------------------------------------- */

#define MAX_BYTES 0x1p33              /* of all operands; only accessed parts take memory */
#define MAX_STEPS ((uint64_t)1 << 22) /* watched basic blocks: about a second */
#define MIN_INNER 64                  /* size of a dimension that the output does not have */

/* Bytes of the memory of a multiprocessor that remain for the first-level cache: the resident blocks have their shared
 * memory in it. */
static uint64_t cache_bytes(const struct explanation *explanation)
{
	int64_t most = 0;

	for (size_t i = 0; i < explanation->launch_count; i++) {
		const struct launch_explanation *launch = &explanation->launches[i];
		int64_t each = (int64_t)launch->planned->shared_bytes;
		if (launch->resources.shared_bytes > 0)
			each += launch->resources.shared_bytes;
		int64_t blocks = launch->occupancy_known ? launch->occupancy.blocks : 1;
		most = each * blocks > most ? each * blocks : most;
	}
	int64_t left = explanation->target.unit.l1_bytes - most;
	return left > 0 ? (uint64_t)left : 1;
}

static double bytes_of_operands(const struct problem *problem)
{
	double bytes = 0;

	for (size_t i = 0; i < problem->family->operand_count; i++)
		bytes += (double)operand_bytes(&problem->family->operands[i], problem);
	return bytes;
}

/* Halves the sizes that the output does not have: they are those of the loops of a thread, and the grid stays the
 * same. */
static bool halve_inner(struct problem *problem)
{
	const struct family *family = problem->family;
	const struct operand *output = &family->operands[family->operand_count - 1];
	struct problem smaller = *problem;
	bool changed = false;

	for (size_t i = 0; i < family->dim_count; i++) {
		if (family->dim_default[i] || smaller.dim[i] < 2 * MIN_INNER ||
			(int)i == output->rows_dim || (int)i == output->columns_dim)
			continue;
		smaller.dim[i] /= 2;
		changed = true;
	}
	if (!changed || (family->invalid && family->invalid(&smaller)))
		return false;
	*problem = smaller;
	return true;
}

/* Returns false if the problem is as small as possible. */
static bool halve(const struct explanation *explanation, struct problem *problem)
{
	const struct own_kernel *own = explanation->config.variant->own;
	bool free_sizes = !own || !own->square;

	if (!(free_sizes && bytes_of_operands(problem) <= MAX_BYTES && halve_inner(problem)) &&
		!problem_halve(problem))
		return false;
	if (own)
		own_kernel_fit(own, problem->dim);
	return true;
}

/* The work that each kernel of the problem has: launches, bytes of memory and the operations of the problem. The
 * formulas of the row are those of another kernel. */
static struct floor_work least_work(
	const struct explanation *explanation, const struct problem *problem)
{
	struct variant variant = *explanation->config.variant;
	struct config config = explanation->config;

	variant.traffic = NULL;
	variant.flops = NULL;
	config.variant = &variant;
	struct floor_work work = config_traffic(&config, problem);
	const struct floor_work certain = config_certain(&config, problem);
	for (int i = 0; i < OPERATIONS_COUNT; i++)
		if (!isnan(certain.operations[i]))
			work.operations[i] = certain.operations[i];
	return work;
}

/* Sets the work if all launches were traced. Returns by how much the size must be divided at least; 0: it is
 * small enough, or there is no trace. */
static unsigned use_traces(struct explanation *explanation, const struct suite_trace *traced,
	const struct problem *problem)
{
	struct traced_launch launches[PMPP_MAX_STEPS];
	size_t count = 0;

	for (size_t s = 0; s < traced->plan.step_count; s++) {
		const struct trace *trace = &traced->traces[s];
		const struct plan_launch *launch = &traced->plan.steps[s].as.launch;
		if (traced->plan.steps[s].kind != PLAN_LAUNCH)
			continue;
		if (trace->defect.kind != TRACE_NO_DEFECT || !trace->model) {
			text_format(&explanation->no_work,
				"no trace at the size of the floors: %.200s", trace->defect.text);
			return 0;
		}
		if (trace->unwatched_steps > 0)
			return (unsigned)((trace->steps + trace->unwatched_steps) / MAX_STEPS) + 1;
		launches[count++] =
			(struct traced_launch){trace, launch->groups[0], launch->groups[1]};
	}
	const struct floor_work least = least_work(explanation, problem);
	explanation->work = traced_work(&least, launches, count);
	explanation->floor_problem = *problem;
	explanation->has_work = true;
	return 0;
}

/* Traces at one size. *ret_divisor: as use_traces(). */
static enum pmpp_status trace_at(struct explanation *explanation, struct suite *emulator,
	const struct problem *problem, unsigned *ret_divisor, struct pmpp_error *error)
{
	const struct trace_request request = {.blocks = TRACE_BLOCKS_SPREAD,
		.repeated = true,
		.step_limit = MAX_STEPS,
		.cache_bytes = cache_bytes(explanation)};
	struct suite_trace traced = {0};

	enum pmpp_status status =
		suite_trace(emulator, &explanation->config, problem, &request, &traced, error);
	*ret_divisor = 0;
	if (status == PMPP_TOO_LARGE || status == PMPP_OUT_OF_MEMORY) {
		pmpp_error_clear(error);
		*ret_divisor = 2;
		status = PMPP_OK;
	} else if (status == PMPP_OK && *traced.reason) {
		text_set_known(&explanation->no_work, traced.reason);
	} else if (status == PMPP_OK) {
		*ret_divisor = use_traces(explanation, &traced, problem);
	}
	suite_trace_finish(&traced);
	return status;
}

/*
 * Sets floor_problem and work of the explanation from a trace of a few blocks (traced_work.h) at the size that `run`
 * takes on a GPU. If the trace of a block or the operands are too large, the size is halved. Otherwise sets
 * no_work: the reason. Call it when the occupancy is known. Fails like suite_trace().
 */
static enum pmpp_status own_work_trace(
	struct explanation *explanation, struct suite *emulator, struct pmpp_error *error)
{
	const struct own_kernel *own = explanation->config.variant->own;
	struct problem problem = explanation->problem;
	enum pmpp_status status = PMPP_OK;
	unsigned divisor = 0;

	problem.source = INPUT_RANDOM; /* files have the traced size */
	problem_default_size(&problem, DEVICE_CLASS_GPU);
	if (own)
		own_kernel_fit(own, problem.dim);
	while (bytes_of_operands(&problem) > MAX_BYTES && halve(explanation, &problem)) {
	}
	while (status == PMPP_OK) {
		status = trace_at(explanation, emulator, &problem, &divisor, error);
		if (divisor == 0)
			break;
		for (unsigned i = 1; i < divisor; i *= 2)
			if (!halve(explanation, &problem)) {
				text_set(&explanation->no_work,
					"the trace of a block is too long at every size");
				return status;
			}
	}
	return status;
}

/* ---- Advice ---------------------------------------------------------------------------------- */

#define PASS_BYTES ((double)(BANKS * BANK_BYTES))
#define WORTH 1.2      /* an earlier item of the order is chosen if it gains this much */
#define WORTHLESS 1.02 /* gains below it are not reported */

/* Returns `now`, reduced in the ratio of the least count to the count. */
static double scaled(double now, double least, double count)
{
	return count > 0 ? now * fmin(1, least / count) : now;
}

/* Passes of the accesses of a space, and the least passes that their bytes need. */
struct pass_sums {
	double passes, least;
};

static struct pass_sums sum_passes(const struct explanation *explanation, enum trace_space space)
{
	struct pass_sums sums = {0, 0};

	for (size_t i = 0; i < explanation->launch_count; i++) {
		const struct trace *trace = &explanation->launches[i].trace;
		for (size_t k = 0; k < trace->access_count; k++) {
			const struct access_record *access = &trace->accesses[k];
			bool shared = space == TRACE_SHARED;
			if (access->space != (int)space || access->kind == TRACE_ATOMIC)
				continue;
			double least = fmax((double)access->requests,
				(double)access->bytes_unique / PASS_BYTES);
			sums.passes +=
				trace_estimate(trace, shared ? access->wavefronts : access->passes);
			sums.least += shared ? trace_estimate(trace, access->phases)
					     : least * trace_estimate(trace, 1);
		}
	}
	return sums;
}

/* Different bytes of the requests of loads and stores / bytes of the sectors of these requests. */
static double coalesced_share(const struct explanation *explanation)
{
	double unique = 0, moved = 0;

	for (size_t i = 0; i < explanation->launch_count; i++) {
		const struct trace *trace = &explanation->launches[i].trace;
		unsigned kinds = TRACE_BIT(TRACE_LOAD) | TRACE_BIT(TRACE_STORE);
		unique += trace_estimate(
			trace, trace_sum(trace, TRACE_COUNT(bytes_unique), TRACE_GLOBAL, kinds));
		moved += trace_estimate(
			trace, trace_sum(trace, TRACE_COUNT(sectors), TRACE_GLOBAL, kinds) *
				       trace->model->sector_bytes);
	}
	return moved > 0 ? fmin(1, unique / moved) : 1;
}

/* Sets the work that is left at least, if the item were done. */
static void do_coalescing(const struct explanation *explanation, struct floor_work *work)
{
	struct pass_sums passes = sum_passes(explanation, TRACE_GLOBAL);
	double bytes = work->bytes_read + work->bytes_written;

	work->l1_passes = scaled(work->l1_passes, passes.least, passes.passes);
	work->l2_bytes = fmax(bytes, work->l2_bytes * coalesced_share(explanation));
	work->again_read = work->again_written = work->overfetched = 0;
}

static void do_banks(const struct explanation *explanation, struct floor_work *work)
{
	struct pass_sums passes = sum_passes(explanation, TRACE_SHARED);

	work->shared_passes = scaled(work->shared_passes, passes.least, passes.passes);
}

static void do_tiling(const struct explanation *explanation, struct floor_work *work)
{
	double bytes = work->bytes_read + work->bytes_written;

	(void)explanation;
	work->l1_passes = fmin(work->l1_passes, bytes / PASS_BYTES);
	work->l2_bytes = fmin(work->l2_bytes, bytes);
	work->again_read = work->again_written = work->overfetched = 0;
}

/* Registers replace the repeated reads of shared memory: each byte is written to it once and read once. */
static void do_coarsening(const struct explanation *explanation, struct floor_work *work)
{
	do_tiling(explanation, work);
	work->shared_passes = fmin(work->shared_passes, 2 * work->bytes_read / PASS_BYTES);
}

/* In the order of the choice. */
static const struct {
	enum checklist_item item;
	void (*do_it)(const struct explanation *explanation, struct floor_work *work);
} techniques[] = {
	{CHECK_COALESCING, do_coalescing},
	{CHECK_BANKS, do_banks},
	{CHECK_TILING, do_tiling},
	{CHECK_COARSENING, do_coarsening},
};

#define TECHNIQUE_COUNT (sizeof techniques / sizeof *techniques)

static bool is_open(const struct explanation *explanation, enum checklist_item item)
{
	return explanation->record.checklist.items[item].state == CHECK_OPEN;
}

/* The floors that are left if the techniques in the set are applied. */
static struct floors floors_with(const struct explanation *explanation, unsigned set)
{
	struct floor_work work = explanation->work;

	for (size_t i = 0; i < TECHNIQUE_COUNT; i++)
		if (set >> i & 1)
			techniques[i].do_it(explanation, &work);
	return floors_of(&work, &explanation->target.hardware.rates);
}

static double gain_of(const struct explanation *explanation, const struct floors *after)
{
	const struct floors *now = &explanation->floors;

	return now->ns[now->largest] / after->ns[after->largest];
}

#define CONSTANT_BYTES 65536

/* Whether all lanes of a warp read one address of an operand that fits in constant memory at the size for a GPU. */
static bool is_for_constants(const struct explanation *explanation,
	const struct plan_launch *launch, const struct access_record *access)
{
	struct problem problem = explanation->problem;

	if (access->lane_pattern.kind != PATTERN_BROADCAST ||
		access->lane_pattern.run < (int)explanation->model->lanes || access->argument < 1 ||
		(size_t)access->argument > launch->arg_count ||
		launch->args[access->argument - 1].kind != PLAN_ARG_OPERAND)
		return false;
	problem_default_size(&problem, DEVICE_CLASS_GPU);
	return operand_bytes(&problem.family->operands[launch->args[access->argument - 1].value],
		       &problem) <= CONSTANT_BYTES;
}

/* The line of the load of global memory that requests most bytes; 0: there is none. *ret_constants: whether all
 * its lanes read one address of an operand that fits in constant memory. */
static int64_t own_work_busiest_load(const struct explanation *explanation, bool *ret_constants)
{
	double max = -1;
	int64_t line = 0;

	*ret_constants = false;

	for (size_t i = 0; i < explanation->launch_count; i++) {
		const struct trace *trace = &explanation->launches[i].trace;
		for (size_t j = 0; j < trace->access_count; j++) {
			const struct access_record *access = &trace->accesses[j];
			double bytes = trace_estimate(trace, access->bytes_requested);
			if (access->space != TRACE_GLOBAL || access->kind != TRACE_LOAD ||
				bytes <= max)
				continue;
			max = bytes;
			line = access->line;
			*ret_constants = is_for_constants(
				explanation, explanation->launches[i].planned, access);
		}
	}
	return line;
}

static void write_advice(
	struct explanation *explanation, size_t technique, const struct floors *after)
{
	struct advice_record *advice = &explanation->record.advice;
	char time[32];

	format_ns(after->ns[after->largest], time, sizeof time);
	advice->record.present = true;
	advice->item = (int)techniques[technique].item;
	advice->max_gain = gain_of(explanation, after);
	advice->floor = after->largest;
	advice->floor_ns = after->ns[after->largest];
	const char *place = "";
	bool constants = false;
	if (techniques[technique].item == CHECK_TILING)
		own_work_busiest_load(explanation, &constants);
	if (constants) {
		advice->item = -1;
		place = gpu_backend_row(explanation->traced)->language == GPU_LANGUAGE_CUDA_C
				? "constant memory (__constant__): "
				: "constant memory (__constant): ";
	}
	text_format(&advice->text, "%sat most %.3g times as fast: %s %s is then the largest floor",
		place, advice->max_gain, floor_words[after->largest], time);
}

/* No open item, and no other kernel of the problem has a lower largest floor. */
static void advise_nothing(struct explanation *explanation)
{
	struct floors least = floors_with(explanation, (1u << TECHNIQUE_COUNT) - 1);
	struct advice_record *advice = &explanation->record.advice;
	const struct floors *now = &explanation->floors;
	bool open = false;

	for (int item = 0; item < CHECKLIST_COUNT; item++)
		open = open || is_open(explanation, (enum checklist_item)item);
	if (open || explanation->record.limited_by == LIMITED_BY_LATENCY ||
		gain_of(explanation, &least) >= WORTHLESS)
		return;
	advice->record.present = true;
	text_format(&advice->text, "nothing: every kernel of this problem has the floor %s",
		floor_words[now->largest]);
}

/* Sets the record `advice`: the open item of the checklist that lowers the largest floor, and by how much at
 * most. Call it after the floors and the checklist are set. */
static void own_work_advise(struct explanation *explanation)
{
	struct floors best = {0};
	size_t technique = TECHNIQUE_COUNT;

	if (!explanation->has_floors)
		return;
	for (size_t i = 0; i < TECHNIQUE_COUNT; i++) {
		if (!is_open(explanation, techniques[i].item))
			continue;
		struct floors after = floors_with(explanation, 1u << i);
		double gain = gain_of(explanation, &after);
		if (gain < WORTHLESS ||
			(technique < TECHNIQUE_COUNT && gain <= gain_of(explanation, &best)))
			continue;
		technique = i;
		best = after;
		if (gain >= WORTH)
			break;
	}
	if (technique < TECHNIQUE_COUNT)
		write_advice(explanation, technique, &best);
	else
		advise_nothing(explanation);
}

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

/* true: a variant for CPUs. The models of GPUs do not apply to it. */
static bool is_for_cpus(const struct explanation *explanation)
{
	return explanation->config.variant->needs & PMPP_CAP_OPENCL_CPU;
}

/* true: the measuring device is the target. */
static bool is_on_device(const struct explanation *explanation)
{
	return has_gpu(explanation) &&
	       strcmp(explanation->target.name, explanation->device.name) == 0;
}

/* true: target.hardware has roofs of the target: measured on it, or those of the reference device
 * for its compute capability without a device. A page never has the roofs of another GPU. false for a
 * variant for CPUs, which never runs on the target. */
static bool has_roofs(const struct explanation *explanation)
{
	const struct explain_target *target = &explanation->target;
	const char *cc = target->has_unit ? target->unit.cc : NULL;
	bool is_reference = cc && strcmp(cc, ROOFLINE_REFERENCE_CC) == 0;

	return !is_for_cpus(explanation) &&
	       (target->roofs_measured || (is_reference && !is_on_device(explanation)));
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
	const struct plan_launch *launch;

	for (size_t s = 0; (launch = plan_launch_from(&outcome->plan, &s)); s++)
		if (strcmp(launch->entry, entry) == 0 && outcome->step_resources[s].registers >= 0)
			return &outcome->step_resources[s];
	return NULL;
}

/* A file without the names of compilers is complete: lack of memory is ignored. */
static void add_compiler(struct explanation *explanation, const char *text)
{
	struct text_list *list = &explanation->record.compilers;

	if (*text && !text_list_has(list, text))
		text_list_add(list, text);
}

static bool take_from_device(struct explanation *explanation)
{
	const struct outcome *outcome = &explanation->outcome;
	char text[GPU_TEXT_BYTES];

	if (!explanation->measured || !is_on_device(explanation))
		return false;
	for (size_t i = 0; i < explanation->launch_count; i++)
		if (!built_on_device(outcome, explanation->launches[i].planned->entry))
			return false;
	for (size_t i = 0; i < explanation->launch_count; i++)
		explanation->launches[i].resources =
			*built_on_device(outcome, explanation->launches[i].planned->entry);
	text_set(
		&explanation->record.resources.source, gpu_device_text(&explanation->device, text));
	add_compiler(explanation, explanation->device.compiler);
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
	unsigned needs = explanation->config.variant->needs &
			 (PMPP_CAP_NVIDIA_PTX | PMPP_CAP_TENSOR | PMPP_CAP_WGMMA |
				 PMPP_CAP_BULK_COPY | PMPP_CAP_CLUSTER);

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
	else if (!compiler && is_on_device(explanation))
		text_format(reason, "%s does not report the registers of a kernel", target->name);
	else if (!compiler)
		text_format(reason,
			"no compiler on this machine reports the registers of a kernel on %s with %u "
			"lanes",
			target->name, explanation->model->lanes);
	else if (!has_file && explanation->config.variant->own)
		text_format(reason, "%s compiles no file in this language", compiler->name);
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
	char arch[32], version[GPU_TEXT_BYTES];

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
	gpu_compiler_text(compiler->backend, version, sizeof version);
	add_compiler(explanation, version);
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

	if (is_for_cpus(explanation))
		return;
	if (missing_need(explanation)) {
		text_format(&launch->no_occupancy, "the variant does not run on %s", target->name);
	} else if (!target->has_unit && !is_on_device(explanation)) {
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

/* Chooses the target, and reads the kernel file in the language of its compiler. The compiler reports
 * the resources without a GPU. */
static enum pmpp_status find_resources(struct explanation *explanation,
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

/* ---- The checklist --------------------------------------------------------------------------- */

/*
 * The checklist: the six items of PMPP 4th ed., Table 6.1, and bank conflicts. One rule decides each
 * item. All sums are over the launches of the variant, scaled from the traced blocks to whole
 * launches. The thresholds are chosen for this program: the book names the items, but gives no
 * figures.
 *
 *   occupancy      open below half of the threads that a multiprocessor of the target holds
 *   coalescing     open if a load or store with 5 % of the sectors or more transfers 1.5 times the
 *                  sectors that it needs. It needs the sectors of its bytes, and at least one
 *                  sector for each different address of a broadcast
 *   divergence     open below a SIMT efficiency of 92 %. A tree in which every warp diverges
 *                  (reduce) has 87 to 91 %; a tree in which whole warps become idle has 98 %
 *   tiling         open if blocks request 1.5 times the different bytes that they load, or more.
 *                  Else done if they read each byte in shared memory twice, or more
 *   privatisation  atomics on global memory: open if lanes of one warp update the same address (1.5
 *                  lanes per address). Also open if there is more than one atomic per warp of
 *                  threads, four or more per element of the buffer, and none on shared memory
 *   coarsening     done from two elements per thread, at the traced size or at the default size of
 *                  `run` on a GPU: a fixed number of blocks is coarse only on large problems. Else
 *                  open if fewer blocks would save work: the blocks tile and still load each input
 *                  byte 1.5 times in total, or they move each loaded byte 2.5 times to and from
 *                  shared memory. The rule counts elements of the output. If the output has less
 *                  than half an element per thread, it counts elements of the largest input
 *   bank conflicts open if an access with 5 % of the wavefronts of shared memory or more takes 1.5
 *                  times the wavefronts that it needs without a conflict
 *
 * No rule applies to a variant for CPUs: a CPU has no warps.
 */

/* ---- Launches -------------------------------------------------------------------------------- */

/* Sums over the launches and their traces. */

static double launch_threads(const struct plan_launch *launch)
{
	return (double)plan_launch_groups(launch) * (double)plan_launch_threads(launch);
}

/* Threads of the plan's largest launch. */
static double max_threads(const struct plan *plan)
{
	const struct plan_launch *launch;
	double threads = 0;

	for (size_t s = 0; (launch = plan_launch_from(plan, &s)); s++)
		threads = fmax(threads, launch_threads(launch));
	return threads;
}

/* The launch with the most threads: it represents the variant. There is at least one launch. */
static const struct launch_explanation *main_launch(const struct explanation *explanation)
{
	const struct launch_explanation *launch = &explanation->launches[0];

	for (size_t i = 1; i < explanation->launch_count; i++) {
		const struct launch_explanation *other = &explanation->launches[i];
		if (launch_threads(other->planned) > launch_threads(launch->planned))
			launch = other;
	}
	return launch;
}

/* Returns NULL if every launch was traced to its end, else the reason, which is valid as long as
 * the explanation. */
static const char *why_no_trace(const struct explanation *explanation)
{
	if (explanation->record.no_trace)
		return explanation->record.no_trace;
	for (size_t i = 0; i < explanation->launch_count; i++)
		if (explanation->launches[i].trace.defect.kind != TRACE_NO_DEFECT)
			return explanation->launches[i].trace.defect.text;
	return NULL;
}

/* trace_sum() over all launches, each scaled from the traced blocks to the whole launch. */
static double sum_of(
	const struct explanation *explanation, size_t count, enum trace_space space, unsigned kinds)
{
	double sum = 0;

	for (size_t i = 0; i < explanation->launch_count; i++) {
		const struct trace *trace = &explanation->launches[i].trace;
		sum += trace_estimate(trace, trace_sum(trace, count, space, kinds));
	}
	return sum;
}

#define LOW_OCCUPANCY 0.5
#define MUCH_COST 1.5 /* sectors or wavefronts / those that are needed */
#define FEW_COST 0.05 /* share of all of them: smaller shares are not reported */
#define NO_MORE 1.005 /* ratios below it round to 1.00 */
#define LOW_SIMT 0.92
#define MUCH_REUSE 1.5      /* requests per byte, of one block or of all blocks */
#define SHARED_REUSE 2.0    /* loads per store */
#define MUCH_CONTENTION 1.5 /* lanes per address */
#define FEW_ADDRESSES 4.0   /* atomics per element */
#define COARSE_ELEMENTS 2.0 /* elements per thread */
#define SHARED_WORK 2.5     /* bytes of shared memory per byte loaded from global memory */

#define SAY(check, new_state, ...) \
	((check)->state = (new_state), text_format(&(check)->text, __VA_ARGS__))

/* ---- Sums ---------------------------------------------------------------------------------- */

static double atomic_lanes(const struct explanation *explanation, enum trace_space space)
{
	return sum_of(explanation, TRACE_COUNT(lanes), space, TRACE_BIT(TRACE_ATOMIC));
}

/* kinds: bits of enum trace_kind */
static double bytes_of(
	const struct explanation *explanation, enum trace_space space, unsigned kinds)
{
	return sum_of(explanation, TRACE_COUNT(bytes_requested), space, kinds);
}

static double bytes_loaded(const struct explanation *explanation)
{
	return bytes_of(explanation, TRACE_GLOBAL, TRACE_BIT(TRACE_LOAD));
}

static double shared_bytes(const struct explanation *explanation)
{
	return bytes_of(explanation, TRACE_SHARED, TRACE_ALL_KINDS);
}

static double input_bytes(const struct explanation *explanation)
{
	const struct family *family = explanation->problem.family;
	double bytes = 0;

	for (size_t i = 0; i < family->operand_count; i++)
		if (family->operands[i].role == OPERAND_IN)
			bytes += (double)operand_bytes(&family->operands[i], &explanation->problem);
	return bytes;
}

static double elements(const struct operand *operand, const struct problem *problem)
{
	return (double)operand_rows(operand, problem) * (double)operand_columns(operand, problem);
}

/* ---- Occupancy ----------------------------------------------------------------------------- */

/* "; waves 0.0303: 8 blocks / (132 multiprocessors x 2) of NVIDIA H200". Empty if unknown. */
static void waves_text(const struct explanation *explanation, char *text, size_t size)
{
	const struct launch_explanation *launch = main_launch(explanation);
	const struct roofline_device *hardware = &explanation->target.hardware;
	const uint64_t *groups = launch->planned->groups;
	double blocks = (double)groups[0] * (double)groups[1] * (double)groups[2];
	double places = (double)hardware->multiprocessors * (double)launch->occupancy.blocks;

	*text = '\0';
	if (has_roofs(explanation) && places > 0)
		snprintf(text, size,
			"; waves %.3g: %.0f block%s / (%lld multiprocessors x %lld) of %s",
			blocks / places, blocks, blocks == 1 ? "" : "s",
			(long long)hardware->multiprocessors, (long long)launch->occupancy.blocks,
			hardware->name);
}

static void check_occupancy(const struct explanation *explanation, struct check_record *check)
{
	const struct launch_explanation *launch = main_launch(explanation);
	const struct occupancy *found = &launch->occupancy;
	char limits[64] = "", registers[32] = "not known", waves[160];

	if (!launch->occupancy_known) {
		SAY(check, CHECK_UNKNOWN, "%s", text_or_empty(launch->no_occupancy));
		return;
	}
	for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
		if (found->limited_by >> i & 1)
			text_append(limits, sizeof limits, "%s%s", *limits ? ", " : "",
				occupancy_limit_words[i]);
	if (launch->resources.registers >= 0)
		snprintf(registers, sizeof registers, "%d a thread", launch->resources.registers);
	waves_text(explanation, waves, sizeof waves);
	SAY(check, found->occupancy < LOW_OCCUPANCY ? CHECK_OPEN : CHECK_DONE,
		"%.3g %% of the threads: %lld block%s of %lld, limited by %s; registers %s%s",
		100 * found->occupancy, (long long)found->blocks, found->blocks == 1 ? "" : "s",
		(long long)plan_launch_threads(launch->planned), limits, registers, waves);
}

/* ---- Coalescing, bank conflicts ------------------------------------------------------------- */

/* The sectors that all requests of the access need. */
static double min_sectors(const struct access_record *access, const struct access_model *model)
{
	double addresses = 1; /* of one request: each run has one address */

	if (access->lane_pattern.kind == PATTERN_BROADCAST && access->lane_pattern.run > 0)
		addresses = (double)model->lanes / access->lane_pattern.run;
	return fmax(addresses * (double)access->requests,
		(double)access->bytes_unique / model->sector_bytes);
}

static double min_wavefronts(const struct access_record *access, const struct access_model *model)
{
	(void)model;
	return (double)access->phases;
}

/* What the accesses of a memory cost, and what they need. */
static const struct cost_rule {
	enum trace_space space;
	unsigned kinds; /* of accesses that can be too expensive */
	size_t cost;    /* TRACE_COUNT() */
	double (*needed)(const struct access_record *access, const struct access_model *model);
	const char *unit, *good, *nearly; /* words of the text */
} sector_rule = {TRACE_GLOBAL, TRACE_BIT(TRACE_LOAD) | TRACE_BIT(TRACE_STORE), TRACE_COUNT(sectors),
	min_sectors, "sectors", "no more sectors than the bytes need",
	"the sectors that the bytes need"},
  bank_rule = {TRACE_SHARED, TRACE_ALL_KINDS, TRACE_COUNT(wavefronts), min_wavefronts, "wavefronts",
	  "no conflict", "the wavefronts without a conflict"};

struct worst_access {
	const struct access_record *access; /* NULL: no access is above the threshold */
	double cost, needed;                /* of each of its requests */
	double excess;                      /* its unneeded cost, as a share of the cost of all */
	double max;                         /* largest ratio of cost to needed cost */
	size_t accesses;                    /* above the threshold */
};

static void find_worst_access(const struct trace *trace, const struct cost_rule *rule, double all,
	struct worst_access *worst)
{
	for (size_t i = 0; i < trace->access_count; i++) {
		const struct access_record *access = &trace->accesses[i];
		int64_t count;
		memcpy(&count, (const char *)access + rule->cost, sizeof count);
		double cost = (double)count, min = rule->needed(access, trace->model);
		double share = trace_estimate(trace, count) / all;
		if (access->space != (int)rule->space || !(rule->kinds & TRACE_BIT(access->kind)) ||
			share < FEW_COST)
			continue;
		worst->max = fmax(worst->max, cost / min);
		if (cost / min < MUCH_COST)
			continue;
		worst->accesses++;
		double excess = share * (1 - min / cost);
		if (excess > worst->excess)
			*worst = (struct worst_access){access, cost / (double)access->requests,
				min / (double)access->requests, excess, worst->max,
				worst->accesses};
	}
}

/* all: cost of all accesses */
static void judge_cost(const struct explanation *explanation, const struct cost_rule *rule,
	double all, struct check_record *check)
{
	struct worst_access worst = {.max = 1};
	char others[32] = "";

	for (size_t i = 0; i < explanation->launch_count; i++)
		find_worst_access(&explanation->launches[i].trace, rule, all, &worst);
	if (worst.accesses > 1)
		snprintf(others, sizeof others, ", and %zu more", worst.accesses - 1);
	if (worst.access)
		SAY(check, CHECK_OPEN, "%.1f %s per %s, %.1f needed, line %lld%s", worst.cost,
			rule->unit, trace_kind_words[worst.access->kind], worst.needed,
			(long long)worst.access->line, others);
	else if (worst.max < NO_MORE)
		SAY(check, CHECK_DONE, "%s", rule->good);
	else
		SAY(check, CHECK_DONE, "at most %.3g times %s", worst.max, rule->nearly);
}

static void check_coalescing(const struct explanation *explanation, struct check_record *check)
{
	double all = sum_of(explanation, sector_rule.cost, TRACE_GLOBAL, sector_rule.kinds);

	if (!(all > 0))
		SAY(check, CHECK_NOT_APPLICABLE, "no load or store of global memory");
	else
		judge_cost(explanation, &sector_rule, all, check);
}

static void check_banks(const struct explanation *explanation, struct check_record *check)
{
	double all = sum_of(explanation, bank_rule.cost, TRACE_SHARED,
		TRACE_ALL_KINDS & ~TRACE_BIT(TRACE_COPY));

	if (!(shared_bytes(explanation) > 0))
		SAY(check, CHECK_NOT_APPLICABLE, "no access of shared memory");
	else if (!(all > 0))
		SAY(check, CHECK_UNKNOWN, "the banks of %s are unknown", explanation->model->name);
	else
		judge_cost(explanation, &bank_rule, all, check);
}

/* ---- Divergence ---------------------------------------------------------------------------- */

struct divergence {
	double executions, lanes;       /* of all lines */
	const struct line_record *line; /* with the most inactive lanes; NULL: no line has any */
	double lost;                    /* its inactive lanes */
	const struct branch_record *branch; /* splits the most warps; NULL: no branch splits any */
	double splits;                      /* warps that it splits */
};

static void add_divergence(const struct trace *trace, struct divergence *found)
{
	int64_t executions, lanes;

	trace_sum_lines(trace, &executions, &lanes);
	found->executions += trace_estimate(trace, executions);
	found->lanes += trace_estimate(trace, lanes);
	for (size_t i = 0; i < trace->line_count; i++) {
		const struct line_record *line = &trace->lines[i];
		double lost = trace_estimate(
			trace, line->warp_executions * trace->model->lanes - line->lanes);
		if (lost > found->lost) {
			found->lost = lost;
			found->line = line;
		}
	}
	for (size_t i = 0; i < trace->branch_count; i++) {
		double splits = trace_estimate(trace, trace->branches[i].divergent);
		if (splits > found->splits) {
			found->splits = splits;
			found->branch = &trace->branches[i];
		}
	}
}

static void check_divergence(const struct explanation *explanation, struct check_record *check)
{
	const unsigned lanes = explanation->model->lanes;
	struct divergence found = {0};
	char where[80] = "no branch splits a warp";

	for (size_t i = 0; i < explanation->launch_count; i++)
		add_divergence(&explanation->launches[i].trace, &found);
	double simt = found.lanes / lanes / found.executions;
	if (!(found.executions > 0)) {
		SAY(check, CHECK_UNKNOWN, "no line was executed");
		return;
	}
	if (found.branch)
		snprintf(where, sizeof where, "line %lld splits %.3g %% of the warps that reach it",
			(long long)found.branch->line,
			100 * (double)found.branch->divergent / (double)found.branch->executions);
	if (simt >= LOW_SIMT || !found.line)
		SAY(check, CHECK_DONE, "SIMT efficiency %.1f %%; %s", 100 * simt, where);
	else
		SAY(check, CHECK_OPEN, "SIMT efficiency %.1f %%: %.1f of %u lanes at line %lld; %s",
			100 * simt, (double)found.line->lanes / (double)found.line->warp_executions,
			lanes, (long long)found.line->line, where);
}

/* ---- Tiling -------------------------------------------------------------------------------- */

/* How often the blocks request each byte that they load; NaN: they load nothing. */
static double block_reuse(const struct explanation *explanation)
{
	double different = 0;

	for (size_t i = 0; i < explanation->launch_count; i++) {
		const struct trace *trace = &explanation->launches[i].trace;
		different += trace_estimate(trace, trace->block_bytes_loaded);
	}
	return bytes_loaded(explanation) / different;
}

static double shared_reuse(const struct explanation *explanation)
{
	return bytes_of(explanation, TRACE_SHARED, TRACE_BIT(TRACE_LOAD)) /
	       bytes_of(explanation, TRACE_SHARED, TRACE_BIT(TRACE_STORE) | TRACE_BIT(TRACE_COPY));
}

static void check_tiling(const struct explanation *explanation, struct check_record *check)
{
	double reuse = block_reuse(explanation);
	double shared = shared_reuse(explanation);
	bool constants;
	long long line = own_work_busiest_load(explanation, &constants);

	if (isnan(reuse))
		SAY(check, CHECK_NOT_APPLICABLE, "no load of global memory");
	else if (reuse >= MUCH_REUSE)
		SAY(check, CHECK_OPEN,
			"a block requests each byte %.1f times on average, line %lld%s", reuse,
			line,
			constants ? ": all lanes read one address, so use constant memory" : "");
	else if (shared >= SHARED_REUSE)
		SAY(check, CHECK_DONE,
			"a block loads each byte %.1f times and reads it %.1f times in shared "
			"memory",
			reuse, shared);
	else
		SAY(check, CHECK_NOT_APPLICABLE, "blocks do not reuse the bytes that they load");
}

/* ---- Privatisation ------------------------------------------------------------------------- */

struct contention {
	double per_address; /* lanes per address of a request: maximum of all accesses */
	double per_element; /* atomics per element of the buffer in a launch: maximum */
	int64_t line;       /* line of the access with the most lanes */
	double lanes;       /* lanes of that access in the launch */
};

/* Elements of the buffer of an argument. argument: its number, from 1. */
static double buffer_elements(
	const struct explanation *explanation, const struct plan_launch *launch, int argument)
{
	const struct problem *problem = &explanation->problem;
	const struct variant *variant = explanation->config.variant;
	uint64_t bytes[PMPP_MAX_SCRATCH] = {0};

	if (argument < 1 || (size_t)argument > launch->arg_count)
		return INFINITY;
	const struct plan_arg *arg = &launch->args[argument - 1];
	if (arg->kind == PLAN_ARG_OPERAND)
		return elements(&problem->family->operands[arg->value], problem);
	if (arg->kind != PLAN_ARG_SCRATCH || !variant->scratch)
		return INFINITY;
	variant->scratch(&explanation->config, problem, bytes);
	return (double)bytes[arg->value] / 4;
}

static struct contention find_contention(const struct explanation *explanation)
{
	struct contention found = {0};

	for (size_t i = 0; i < explanation->launch_count; i++) {
		const struct launch_explanation *launch = &explanation->launches[i];
		const struct trace *trace = &launch->trace;
		for (size_t j = 0; j < trace->access_count; j++) {
			const struct access_record *access = &trace->accesses[j];
			double lanes = trace_estimate(trace, access->lanes);
			if (access->space != TRACE_GLOBAL || access->kind != TRACE_ATOMIC)
				continue;
			found.per_address = fmax(found.per_address,
				(double)access->same_address / (double)access->requests);
			found.per_element = fmax(found.per_element,
				lanes / buffer_elements(
						explanation, launch->planned, access->argument));
			if (lanes > found.lanes) {
				found.lanes = lanes;
				found.line = access->line;
			}
		}
	}
	return found;
}

static void check_privatisation(const struct explanation *explanation, struct check_record *check)
{
	double global = atomic_lanes(explanation, TRACE_GLOBAL);
	double shared = atomic_lanes(explanation, TRACE_SHARED);
	double threads = launch_threads(main_launch(explanation)->planned);
	struct contention found = find_contention(explanation);
	bool crowded = shared == 0 && global > threads / explanation->model->lanes &&
		       found.per_element >= FEW_ADDRESSES;

	if (global == 0 && shared == 0)
		SAY(check, CHECK_NOT_APPLICABLE, "no atomic operation");
	else if (global == 0)
		SAY(check, CHECK_DONE, "atomic operations on shared memory only");
	else if (found.per_address >= MUCH_CONTENTION)
		SAY(check, CHECK_OPEN, "%.1f lanes of a warp update the same address, line %lld",
			found.per_address, (long long)found.line);
	else if (crowded)
		SAY(check, CHECK_OPEN, "%.4g atomic operations per element, line %lld",
			found.per_element, (long long)found.line);
	else
		SAY(check, CHECK_DONE,
			"%.3g atomic operations per thread on global memory, %.3g on shared",
			global / threads, shared / threads);
}

/* ---- Coarsening ---------------------------------------------------------------------------- */

static double elements_per_thread(const struct problem *problem, double threads)
{
	const struct family *family = problem->family;
	double output = 0, input = 0;

	for (size_t i = 0; i < family->operand_count; i++) {
		double count = elements(&family->operands[i], problem);
		if (family->operands[i].role == OPERAND_OUT)
			output = fmax(output, count);
		else
			input = fmax(input, count);
	}
	return (output >= threads / 2 ? output : input) / threads;
}

static double tenths(double value)
{
	return round(10 * value) / 10;
}

static double elements_at_gpu_size(const struct explanation *explanation)
{
	struct problem problem = explanation->problem;
	struct plan plan;

	problem_default_size(&problem, DEVICE_CLASS_GPU);
	config_plan(&explanation->config, &problem, &plan);
	return elements_per_thread(&problem, max_threads(&plan));
}

static void check_coarsening(const struct explanation *explanation, struct check_record *check)
{
	double each = elements_per_thread(
		&explanation->problem, launch_threads(main_launch(explanation)->planned));
	double large = elements_at_gpu_size(explanation);
	double again = bytes_loaded(explanation) / input_bytes(explanation);
	double work = shared_bytes(explanation) / bytes_loaded(explanation);
	bool tiles =
		block_reuse(explanation) < MUCH_REUSE && shared_reuse(explanation) >= SHARED_REUSE;

	const char *plural = tenths(each) == 1 ? "" : "s";
	if (each >= COARSE_ELEMENTS)
		SAY(check, CHECK_DONE, "%.6g elements per thread", tenths(each));
	else if (large >= COARSE_ELEMENTS)
		SAY(check, CHECK_DONE, "%.6g elements per thread at the default size on a GPU",
			tenths(large));
	else if (tiles && again >= MUCH_REUSE)
		SAY(check, CHECK_OPEN,
			"%.6g element%s per thread; the blocks load each input byte %.1f times",
			tenths(each), plural, again);
	else if (!tiles && work >= SHARED_WORK)
		SAY(check, CHECK_OPEN,
			"%.6g element%s per thread; %.1f bytes of shared memory per byte loaded",
			tenths(each), plural, work);
	else
		SAY(check, CHECK_NOT_APPLICABLE,
			"%.6g element%s per thread; more elements would not save work",
			tenths(each), plural);
}

/* ---- All items ----------------------------------------------------------------------------- */

static const struct {
	bool traced; /* the rule uses the trace */
	void (*decide)(const struct explanation *explanation, struct check_record *check);
} rules[CHECKLIST_COUNT] = {
	[CHECK_OCCUPANCY] = {false, check_occupancy},
	[CHECK_COALESCING] = {true, check_coalescing},
	[CHECK_DIVERGENCE] = {true, check_divergence},
	[CHECK_TILING] = {true, check_tiling},
	[CHECK_PRIVATISATION] = {true, check_privatisation},
	[CHECK_COARSENING] = {true, check_coarsening},
	[CHECK_BANKS] = {true, check_banks},
};

/* PMPP_OUT_OF_MEMORY is the only error. */
static enum pmpp_status decide_items(struct explanation *explanation, struct pmpp_error *error)
{
	const char *no_trace = why_no_trace(explanation);

	for (size_t i = 0; i < CHECKLIST_COUNT; i++) {
		struct check_record *check =
			record_list_add(&check_item_type, &explanation->record.checklist);
		if (!check)
			return PMPP_NO_MEMORY(error, "the checklist");
		check->item = (int)i;
		if (is_for_cpus(explanation))
			SAY(check, CHECK_NOT_APPLICABLE, "a kernel for CPUs");
		else if (no_trace && rules[i].traced)
			SAY(check, CHECK_UNKNOWN, "no trace: %.140s", no_trace);
		else
			rules[i].decide(explanation, check);
	}
	return PMPP_OK;
}

/* ---- Intensities --------------------------------------------------------------------------- */

/* NAN: a kernel of the user. */
static double issued_bytes(const struct explanation *explanation, const struct problem *problem)
{
	return explanation->own_kernel ? NAN : config_bytes_issued(&explanation->config, problem);
}

/* Whether all traced blocks were watched to their end. */
static bool has_totals(const struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->launch_count; i++)
		if (explanation->launches[i].trace.unwatched_steps > 0)
			return false;
	return !why_no_trace(explanation);
}

static void set_intensities(struct explanation *explanation)
{
	const struct problem *problem = &explanation->problem;
	double flops = explanation->own_kernel ? problem_flops(problem)
					       : config_flops(&explanation->config, problem);

	struct intensity_record *intensity = &explanation->record.intensity;

	*intensity = (struct intensity_record){.record = {.present = true},
		.compulsory = flops / problem_bytes_compulsory(problem),
		.issued = flops / issued_bytes(explanation, problem),
		.requested = NAN,
		.loads = NAN,
		.moved = NAN};
	if (!has_totals(explanation))
		return;
	intensity->requested = flops / sum_of(explanation, TRACE_COUNT(bytes_requested),
					       TRACE_GLOBAL, TRACE_ALL_KINDS);
	intensity->loads = flops / sum_of(explanation, TRACE_COUNT(bytes_requested), TRACE_GLOBAL,
					   TRACE_BIT(TRACE_LOAD));
	intensity->moved =
		flops / (sum_of(explanation, TRACE_COUNT(sectors), TRACE_GLOBAL, TRACE_ALL_KINDS) *
				explanation->model->sector_bytes);
}

/* ---- The limit ----------------------------------------------------------------------------- */

static void set_measured_limit(struct explanation *explanation)
{
	const struct result_row *row = &explanation->outcome.row;
	char text[120], size[160], time[32];

	explanation->floors = explanation->outcome.floors;
	explanation->has_floors = true;
	explanation->floor_problem = explanation->measured_problem;
	problem_text(&explanation->measured_problem, size, sizeof size);
	format_ns(result_row_median_ns(row), time, sizeof time);
	floors_text(&explanation->floors, text, sizeof text);
	explanation->record.limited_by = row->derived.limited_by;
	text_format(&explanation->record.limit_text, "floors at %s on %s: %s; measured %s", size,
		explanation->device.name, text, time);
}

/* Predicts the limit at the size of the work. */
static void set_predicted_limit(struct explanation *explanation)
{
	const struct launch_explanation *launch = main_launch(explanation);
	const struct explain_target *target = &explanation->target;
	char size[160], where[250], text[480];
	struct plan plan = {0};

	config_plan(&explanation->config, &explanation->floor_problem, &plan);
	problem_text(&explanation->floor_problem, size, sizeof size);
	snprintf(where, sizeof where, "%s on %s%s", size, target->hardware.name,
		target->roofs_measured ? "" : " (for reference)");
	const struct roofline_work work = {.floor = explanation->work,
		.threads = max_threads(&plan),
		.resident_threads =
			launch->occupancy_known ? (double)launch->occupancy.threads : NAN,
		.one_each =
			target->has_unit ? (double)(target->unit.simds * target->unit.lanes) : NAN,
		.unit = target->has_unit ? target->unit.unit : "multiprocessor",
		.where = where};

	explanation->floors = floors_of(&work.floor, &target->hardware.rates);
	explanation->has_floors = explanation->floors.largest >= 0;
	explanation->record.limited_by =
		(int)roofline_limit(&target->hardware, &work, text, sizeof text);
	text_set_known(&explanation->record.limit_text, text);
}

/* A variant of the project: the formulas of its row, at the default size of `run` on a GPU. */
static void set_work(struct explanation *explanation)
{
	struct problem *problem = &explanation->floor_problem;

	*problem = explanation->problem;
	problem_default_size(problem, DEVICE_CLASS_GPU);
	explanation->work = config_traffic(&explanation->config, problem);
	explanation->has_work = true;
}

/* Why a kernel of the user has no floors. */
static const char *why_no_work(const struct explanation *explanation)
{
	if (explanation->no_work)
		return explanation->no_work;
	return why_no_trace(explanation) ? "there is no complete trace of your kernel"
					 : "the rates of the modelled GPU are not known";
}

/* Call it after decide_items(). limited_by is LIMITED_BY_UNKNOWN for a variant for CPUs. */
static void set_limit(struct explanation *explanation)
{
	struct explanation_record *record = &explanation->record;
	const struct check_record *contention = &record->checklist.items[CHECK_PRIVATISATION];

	record->limited_by = LIMITED_BY_UNKNOWN;
	if (!explanation->own_kernel)
		set_work(explanation);
	if (explanation->measured &&
		explanation->outcome.row.derived.limited_by != LIMITED_BY_UNKNOWN &&
		is_on_device(explanation)) {
		set_measured_limit(explanation);
		return;
	}
	if (explanation->has_work && has_roofs(explanation))
		set_predicted_limit(explanation);
	else if (explanation->own_kernel)
		text_set(&record->limit_text, why_no_work(explanation));
	if (contention->state == CHECK_OPEN) {
		/* Atomic operations on one address run one after the other, far below every roof. */
		record->limited_by = LIMITED_BY_LATENCY;
		text_set_known(&record->limit_text, contention->text);
	}
	record->limit_predicted = record->limit_text != NULL;
	if (explanation->own_kernel)
		own_work_advise(explanation);
}

/* Traces a kernel of the user at the size of the floors, if there are rates for floors. */
static enum pmpp_status find_own_work(
	struct explanation *explanation, struct suite *emulator, struct pmpp_error *error)
{
	if (!explanation->own_kernel || !emulator || why_no_trace(explanation) ||
		!has_roofs(explanation))
		return PMPP_OK;
	return own_work_trace(explanation, emulator, error);
}

/* ---- Examples ---------------------------------------------------------------------------------- */

#define BOUNDARY_BYTES 128 /* a multiple of the lines of all models */

/* Returns the 128-byte boundary at or below the lowest address. */
static uint64_t boundary_of(const struct warp_access *access)
{
	uint64_t lowest = UINT64_MAX;

	for (uint32_t lane = 0; lane < access->model->lanes; lane++)
		if (access->lanes >> lane & 1 && access->address[lane] < lowest)
			lowest = access->address[lane];
	return lowest / BOUNDARY_BYTES * BOUNDARY_BYTES;
}

/* Fill a record with a typical request, or with a divergent execution (common/model/trace.h). Return false if
 * there is no memory. If there are no requests or executions, the record stays not present. */
static bool request_record_set(
	struct request_record *record, enum trace_space space, const struct pattern_votes *typical)
{
	const struct warp_access *access = &typical->example;
	const struct access_model *model = access->model;
	char pattern[64];
	bool done = true;

	if (!typical->requests)
		return true;
	uint64_t boundary = boundary_of(access);
	access_pattern_text(&typical->pattern, model, pattern, sizeof pattern);
	record->record.present = true;
	record->block = (int64_t)typical->place.block;
	record->warp = typical->place.warp;
	text_set(&record->pattern, pattern);
	record->requests = (int64_t)typical->requests;
	for (uint32_t lane = 0; lane < model->lanes && done; lane++) {
		bool active = access->lanes >> lane & 1;
		int64_t offset =
			active ? (int64_t)(access->address[lane] - boundary) : LANE_INACTIVE;
		done = integer_list_add(&record->offsets, offset);
		if (done && space == TRACE_SHARED && model->banks)
			done = integer_list_add(&record->banks,
				active ? offset / model->bank_bytes % model->banks : LANE_INACTIVE);
	}
	return done;
}

static bool split_record_set(struct split_record *record, const struct split_votes *votes,
	const struct access_model *model)
{
	bool done = true;

	if (!votes->executions)
		return true;
	record->record.present = true;
	record->block = (int64_t)votes->place.block;
	record->warp = votes->place.warp;
	record->lanes = (int64_t)votes->lanes;
	record->first_lanes = (int64_t)votes->first_lanes;
	for (uint32_t lane = 0; lane < model->lanes && done; lane++) {
		bool active = votes->example >> lane & 1;
		bool first = votes->first >> lane & 1;
		done = integer_list_add(&record->ways, active ? !first : LANE_INACTIVE);
	}
	return done;
}

/* Fills the record unless the model is the default one. */
static void access_model_record_set(
	struct access_model_record *record, const struct access_model *model)
{
	if (model == access_model_default())
		return;
	record->record.present = true;
	text_set(&record->name, model->name);
	record->width = model->lanes;
	record->sector_bytes = model->sector_bytes;
	record->line_bytes = model->line_bytes;
	record->banks = model->banks;
	record->bank_bytes = model->bank_bytes;
}

/* The trace of a launch as a record. */

/* ---- Accesses ------------------------------------------------------------------------------ */

/* Copies line `line` (from 1) of the source, without blanks at its ends. NULL: there is no such
 * line. */
static void fill_source(const struct explanation *explanation, int64_t line, char **ret_text)
{
	const char *text = explanation->source;

	for (int64_t i = 1; text && i < line; i++) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	if (!text || line < 1)
		return;
	text += strspn(text, " \t");
	size_t length = strcspn(text, "\r\n");
	while (length > 0 && strchr(" \t", text[length - 1]))
		length--;
	text_format(ret_text, "%.*s", (int)length, text);
}

/* Sets the name of the operand of an argument of the kernel. argument: its number, from 1. */
static void fill_operand(const struct explanation *explanation, const struct plan_launch *launch,
	int argument, char **ret_text)
{
	if (argument < 1 || (size_t)argument > launch->arg_count)
		return;
	const struct plan_arg *arg = &launch->args[argument - 1];
	if (arg->kind == PLAN_ARG_OPERAND)
		text_set(ret_text, explanation->problem.family->operands[arg->value].name);
	if (arg->kind == PLAN_ARG_SCRATCH)
		text_format(ret_text, "scratch %d", (int)arg->value + 1);
}

static bool fill_access(const struct explanation *explanation, const struct plan_launch *launch,
	struct access_record *access)
{
	const struct access_model *model = explanation->model;
	bool global = access->space == TRACE_GLOBAL, banks = !global && model->banks;
	double requests = (double)access->requests;
	int64_t moved = access->sectors * model->sector_bytes;
	char pattern[64];

	access_pattern_text(&access->lane_pattern, model, pattern, sizeof pattern);
	access->record.present = true;
	text_set(&access->file, explanation->record.file);
	fill_source(explanation, access->line, &access->text);
	fill_operand(explanation, launch, access->argument, &access->operand);
	text_set(&access->pattern, pattern);
	access->active_lanes = (double)access->lanes / requests;
	access->sectors_per_request = global ? (double)access->sectors / requests : NAN;
	access->lines128_per_request = global ? (double)access->lines / requests : NAN;
	access->bytes_moved = global ? moved : -1;
	access->efficiency = global ? (double)access->bytes_unique / (double)moved : NAN;
	access->alignment_bytes = global ? access->alignment_bytes : -1;
	access->ways = banks ? access->ways : -1;
	access->wavefronts_per_request = banks ? (double)access->wavefronts / requests : NAN;
	access->multiplicity =
		access->kind == TRACE_ATOMIC ? (double)access->same_address / requests : NAN;
	access->coalescing = (int)trace_access_coalescing(access, model);
	return request_record_set(&access->request, access->space, &access->typical);
}

/* ---- Lines --------------------------------------------------------------------------------- */

static bool fill_defects(const struct trace *trace, struct defect_list *list)
{
	const struct trace_defect *defect = &trace->defect;

	if (defect->kind == TRACE_NO_DEFECT)
		return true;
	struct defect_record *record = record_list_add(&defect_type, list);
	if (!record)
		return false;
	record->kind = (int)defect->kind;
	record->line = defect->line ? defect->line : -1;
	record->other_line = defect->other_line ? defect->other_line : -1;
	text_set_known(&record->text, defect->text);
	return true;
}

/* Whether a line has only braces, jumps and a comment. */
static bool has_only_jumps(const char *text)
{
	static const char *const words[] = {
		"{", "}", ";", "else", "do", "return;", "break;", "continue;", "default:"};

	while (*text && strncmp(text, "//", 2) != 0 && strncmp(text, "/*", 2) != 0) {
		size_t length = 0;

		for (size_t i = 0; i < sizeof words / sizeof *words && length == 0; i++)
			if (strncmp(text, words[i], strlen(words[i])) == 0)
				length = strlen(words[i]);
		if (length == 0)
			return false;
		text += length;
		text += strspn(text, " \t");
	}
	return true;
}

/* Removes the lines with only braces and jumps (`else`, `return;`). Some compilers have no code for
 * them, and others add the code of a function's end to them. So the counts of all compilers have
 * the same lines. */
static void drop_jumps(const struct explanation *explanation, struct trace *trace)
{
	size_t count = 0;

	for (size_t i = 0; i < trace->line_count; i++) {
		char *text = NULL;
		fill_source(explanation, trace->lines[i].line, &text);
		if (!has_only_jumps(text_or_empty(text)))
			trace->lines[count++] = trace->lines[i];
		free(text);
	}
	trace->line_count = count;
}

/* ---- The launch ---------------------------------------------------------------------------- */

/* The totals are present only if the trace reached the end of each traced block: the first part of a block
 * may have no store. */
static void fill_totals(const struct explanation *explanation, const struct trace *trace,
	struct totals_record *totals)
{
	const struct {
		enum trace_kind kind;
		double *requested, *moved;
	} rows[] = {
		{TRACE_LOAD, &totals->bytes_loaded_requested, &totals->bytes_loaded_moved},
		{TRACE_STORE, &totals->bytes_stored_requested, &totals->bytes_stored_moved},
		{TRACE_ATOMIC, &totals->bytes_atomic_requested, &totals->bytes_atomic_moved},
	};

	if (trace->defect.kind != TRACE_NO_DEFECT || trace->unwatched_steps > 0)
		return;
	totals->record.present = true;
	totals->estimated = trace->estimated;
	totals->bytes_compulsory = problem_bytes_compulsory(&explanation->problem);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		unsigned kind = TRACE_BIT(rows[i].kind);
		*rows[i].requested = trace_estimate(
			trace, trace_sum(trace, TRACE_COUNT(bytes_requested), TRACE_GLOBAL, kind));
		*rows[i].moved = trace_estimate(
			trace, trace_sum(trace, TRACE_COUNT(sectors), TRACE_GLOBAL, kind) *
				       explanation->model->sector_bytes);
	}
}

/* Completes the records of the trace. */
static bool fill_counts(const struct explanation *explanation, const struct plan_launch *launch,
	const struct trace *trace)
{
	bool stored = true;

	for (size_t i = 0; i < trace->access_count && stored; i++)
		stored = fill_access(explanation, launch, &trace->accesses[i]);
	for (size_t i = 0; i < trace->line_count; i++) {
		struct line_record *line = &trace->lines[i];
		line->record.present = true;
		fill_source(explanation, line->line, &line->text);
		line->simt =
			(double)line->lanes / trace->model->lanes / (double)line->warp_executions;
	}
	for (size_t i = 0; i < trace->branch_count && stored; i++) {
		struct branch_record *branch = &trace->branches[i];
		branch->record.present = true;
		fill_source(explanation, branch->line, &branch->text);
		stored = split_record_set(&branch->split, &branch->votes, trace->model);
	}
	for (size_t i = 0; i < trace->barrier_count; i++) {
		trace->barriers[i].record.present = true;
		fill_source(explanation, trace->barriers[i].line, &trace->barriers[i].text);
	}
	return stored;
}

/* Fills the members that depend on the launch's trace, and moves its arrays into the record. Returns
 * false if there is no memory. */
static bool fill_trace(const struct explanation *explanation, struct launch_explanation *launch,
	struct explanation_record *record)
{
	struct trace *trace = &launch->trace;
	bool ended = trace->defect.kind != TRACE_NO_DEFECT; /* in the middle of a block */
	bool stored = fill_counts(explanation, launch->planned, trace);

	record->estimated = trace->estimated && !ended;
	record->simt_efficiency = ended ? NAN : trace_simt_efficiency(trace);
	if (!record->no_trace) {
		access_model_record_set(&record->model, explanation->model);
		record->sampled.record.present = true;
		record->sampled.blocks = (int64_t)trace->sampled_blocks;
		record->sampled.total = (int64_t)trace->total_blocks;
		record->sampled.in_part = trace->unwatched_steps > 0;
		record->warps = ended ? -1 : (int64_t)trace->warps;
		record->divergent_warps = ended ? -1 : (int64_t)trace->divergent_warps;
		fill_totals(explanation, trace, &record->totals);
	}
	record->accesses = (struct access_list){trace->accesses, trace->access_count};
	record->lines = (struct line_list){trace->lines, trace->line_count};
	record->branches = (struct branch_list){trace->branches, trace->branch_count};
	record->barriers = (struct barrier_list){trace->barriers, trace->barrier_count};
	trace->access_count = trace->line_count = trace->branch_count = trace->barrier_count = 0;
	trace->accesses = NULL;
	trace->lines = NULL;
	trace->branches = NULL;
	trace->barriers = NULL;
	return stored && fill_defects(trace, &record->defects);
}

/* ---- Head ---------------------------------------------------------------------------------- */

static const char own_idea[] =
	"it replaces the kernel of the project (--kernel-dir). explain does not "
	"check its result: pmpp-run verify does";

static void fill_head(const struct config *config, const struct problem *problem, bool own_kernel,
	struct explanation_record *record)
{
	const struct variant *variant = config->variant;
	char text[160], choices[80];

	problem_text(problem, text, sizeof text);
	problem_choices_text(problem, choices, sizeof choices);
	text_set(&record->family, problem->family->name);
	text_set(&record->variant, variant->name);
	text_set(&record->technique, own_kernel ? OWN_KERNEL_TECHNIQUE : variant->technique);
	text_set(&record->idea, own_kernel && !variant->own ? own_idea : variant->idea);
	record->own_kernel = own_kernel;
	text_set(&record->title, problem->family->title);
	text_set(&record->problem_text, text);
	text_set(&record->choices, choices);
}

void explain_fill_head(const struct config *config, const struct problem *problem,
	const char *label, bool own_kernel, struct explanation_record *ret_record)
{
	record_init(&explanation_type, ret_record);
	explanation_record_set_head_only(ret_record, true);
	text_set(&ret_record->label, label);
	fill_head(config, problem, own_kernel, ret_record);
}

/* ---- The variant --------------------------------------------------------------------------- */

/* Fills in the next variant of the ladder whose base is this variant. */
static void fill_next(const struct explanation *explanation, struct next_record *next)
{
	const struct family *family = explanation->problem.family;
	const struct variant *variant = explanation->config.variant;
	const struct variant *end = family->variants + family->variant_count;

	for (const struct variant *other = variant + 1; other < end; other++) {
		if (!other->base || strcmp(other->base, variant->name) != 0)
			continue;
		next->record.present = true;
		text_set(&next->variant, other->name);
		text_set(&next->technique, other->technique);
		text_set(&next->idea, other->idea);
		text_set(&next->claim, other->claim.text);
		return;
	}
}

static void fill_variant(const struct explanation *explanation, struct explanation_record *record)
{
	const struct variant *variant = explanation->config.variant;
	const char *source = explanation->source;
	char hash[SHA256_DIGEST_STRING_LENGTH];

	fill_head(&explanation->config, &explanation->problem, explanation->own_kernel, record);
	if (explanation->own_kernel) {
		record_set_absent(&explanation_type, record, "book", true);
	} else {
		text_set(&record->book, variant->book);
		text_set(&record->base, variant->base);
		fill_next(explanation, &record->next);
	}
	fill_dims(&explanation->problem, &record->problem);
	fill_macros(&explanation->config, &record->macros);
	if (explanation->measured)
		text_set(&record->fallback, explanation->outcome.row.fallback);
	if (source)
		text_set(&record->source_sha256,
			SHA256Data((const uint8_t *)source, strlen(source), hash));
	if (!record->no_trace)
		text_set(&record->traced, gpu_backend_name(explanation->traced));
}

/* ---- Launch -------------------------------------------------------------------------------- */

static void fill_launch(
	const struct explanation *explanation, size_t index, struct launch_record *record)
{
	const struct plan_launch *launch = explanation->launches[index].planned;

	record->record.present = true;
	text_set(&record->kernel, launch->entry);
	for (size_t i = 0; i < 3; i++) {
		record->grid[i] = (int64_t)launch->groups[i];
		record->block[i] = (int64_t)launch->block[i];
	}
	record->shared_bytes = (int64_t)launch->shared_bytes;
	record->index = (int64_t)index + 1;
	record->count = (int64_t)explanation->launch_count;
}

static void fill_occupancy(const struct explanation *explanation,
	const struct launch_explanation *launch, struct occupancy_record *record)
{
	const struct occupancy *found = &launch->occupancy;

	if (!launch->occupancy_known)
		return;
	record->record.present = true;
	record->ratio = found->occupancy;
	record->blocks = found->blocks;
	record->threads = found->threads;
	record->warps = found->warps;
	record->limited_by = found->limited_by;
	if (explanation->target.has_unit && explanation->target.unit.rules->simd) {
		const struct occupancy_unit *unit = &explanation->target.unit;
		text_set(&record->unit, unit->unit);
		text_set(&record->simd, unit->rules->simd);
		record->simd_warps = found->simd_warps;
		record->compiler_warps = found->compiler_warps;
	}
	text_format(&record->target, "%s%s", explanation->target.name,
		explanation->target.has_unit
			? ""
			: ": at least; only its maximum block size and shared memory are known");
}

/* ---- Models and measurement ---------------------------------------------------------------- */

static void fill_roofs(const struct explanation *explanation, struct target_roofs_record *record)
{
	const struct explain_target *target = &explanation->target;

	if (!has_roofs(explanation))
		return;
	record->record.present = true;
	text_set(&record->name, target->hardware.name);
	record->measured = target->roofs_measured;
	record->copy_gbps = target->hardware.rates.copy_gbps;
	record->fma_gflops = target->hardware.rates.gops[OPERATIONS_F32];
	record->ridge = roofline_ridge(&target->hardware);
}

static void fill_floors(const struct explanation *explanation, struct floors_record *record)
{
	const struct floors *floors = &explanation->floors;
	double *const ns[FLOOR_COUNT] = {
		[FLOOR_LAUNCH] = &record->launch,
		[FLOOR_MEMORY] = &record->memory,
		[FLOOR_L2] = &record->l2,
		[FLOOR_L1] = &record->l1,
		[FLOOR_SHARED] = &record->shared,
		[FLOOR_COMPUTE] = &record->compute,
		[FLOOR_TENSOR] = &record->tensor,
	};
	char text[160];

	if (!explanation->has_floors)
		return;
	record->record.present = true;
	problem_text(&explanation->floor_problem, text, sizeof text);
	fill_dims(&explanation->floor_problem, &record->problem);
	text_set(&record->problem_text, text);
	text_set(&record->device, explanation->target.hardware.name);
	record->traced = explanation->own_kernel;
	for (int i = 0; i < FLOOR_COUNT; i++)
		*ns[i] = floors->ns[i];
}

static void fill_measured(const struct explanation *explanation, struct measured_record *record)
{
	const struct result_row *row = &explanation->outcome.row;
	const struct derived_record *derived = &row->derived;
	const struct roofline_device device = {.rates = explanation->device_rates};
	char text[160], title[DEVICE_TITLE_BYTES];

	if (!explanation->measured)
		return;
	problem_text(&explanation->measured_problem, text, sizeof text);
	record->record.present = true;
	text_set(&record->backend, gpu_backend_name(explanation->device.backend));
	text_set(&record->device, device_key(&explanation->device).text);
	fill_device_title(&explanation->device, title, sizeof title);
	text_set(&record->device_name, title);
	fill_dims(&explanation->measured_problem, &record->problem);
	text_set(&record->problem_text, text);
	record->ns = result_row_median_ns(row);
	record->gflops = derived->gflops;
	record->gbps = derived->gbps;
	record->fraction_of_roof = derived->pct_roof / 100;
	record->flags = result_row_flags(row);
	device_state_load_text(&row->device_state, &record->load);
	record->limited_by = derived->limited_by;
	if (device.rates.copy_gbps > 0 && device.rates.gops[OPERATIONS_F32] > 0) {
		const struct attainable attainable = roofline_at(&device, derived->intensity);

		record->attainable_gflops = attainable.gflops;
		record->attainable_gbps = attainable.gbps;
	}
	record->status = row->status;
}

/* ---- All of it ----------------------------------------------------------------------------- */

enum pmpp_status explain_fill(
	struct explanation *explanation, struct explanation_list *list, struct pmpp_error *error)
{
	struct explanation_record *common = &explanation->record;
	enum pmpp_status status = PMPP_OK;

	fill_variant(explanation, common);
	fill_roofs(explanation, &common->roofs);
	fill_floors(explanation, &common->floors);
	fill_measured(explanation, &common->measured);
	for (size_t i = 0; i < explanation->launch_count && status == PMPP_OK; i++) {
		struct launch_explanation *launch = &explanation->launches[i];
		status = record_list_add_copy(&explanation_type, list, common, error);
		if (status != PMPP_OK)
			break;
		struct explanation_record *record = &list->items[list->count - 1];
		fill_launch(explanation, i, &record->launch);
		if (!record->no_resources)
			fill_resources(&launch->resources, &record->resources);
		fill_occupancy(explanation, launch, &record->occupancy);
		if (!fill_trace(explanation, launch, record))
			status = PMPP_NO_MEMORY(error, "an explanation");
	}
	return status;
}

/* ---- Trace --------------------------------------------------------------------------------- */

static enum pmpp_status trace_variant(struct explanation *explanation, struct suite *emulator,
	const struct explain_options *options, struct pmpp_error *error)
{
	struct suite_trace traced = {0};

	if (!emulator) {
		text_set(&explanation->record.no_trace,
			options->no_emulator ? options->no_emulator : "no emulator");
		return PMPP_OK;
	}
	enum pmpp_status status = suite_trace(emulator, &explanation->config, &explanation->problem,
		&options->trace, &traced, error);
	if (status != PMPP_OK)
		goto out;
	text_set_known(&explanation->record.no_trace, traced.reason);
	add_compiler(explanation, suite_device(emulator)->compiler);
	if (*traced.reason)
		goto out;
	for (size_t i = 0; i < explanation->launch_count; i++) {
		struct launch_explanation *launch = &explanation->launches[i];
		struct trace *trace = &traced.traces[launch->step];
		launch->trace = *trace;
		*trace = (struct trace){0};
		drop_jumps(explanation, &launch->trace);
	}

out:
	suite_trace_finish(&traced);
	return status;
}

/* ---- Measurement --------------------------------------------------------------------------- */

/* Sets the rates of the device. If calibration or roofs fail, they are unknown, and the variant
 * still runs. */
static enum pmpp_status set_device_rates(
	struct explanation *explanation, struct suite *device, struct pmpp_error *error)
{
	const struct timer_record *timer = NULL;
	const struct roofs_record *roofs = NULL;
	enum pmpp_status status = suite_calibration(device, &timer, error);

	if (status == PMPP_OK)
		status = suite_roofs(device, false, &roofs, error);
	if (status == PMPP_OK)
		explanation->device_rates =
			floor_rates_of(suite_device(device), roofs, timer, TIMING_COLD, 0);
	if (!suite_is_about_timing(status))
		return status;
	pmpp_error_clear(error);
	return PMPP_OK;
}

static enum pmpp_status measure(struct explanation *explanation, struct suite *device,
	const struct explain_options *options, struct pmpp_error *error)
{
	struct outcome *outcome = &explanation->outcome;

	if (!device) {
		text_set(&explanation->record.no_measurement,
			options->no_device ? options->no_device : "not requested");
		return PMPP_OK;
	}
	explanation->device = *suite_device(device);
	enum pmpp_status status = set_device_rates(explanation, device, error);
	if (status != PMPP_OK)
		return status;
	status = suite_run(device, &explanation->config, &explanation->measured_problem, SUITE_TIME,
		outcome, error);
	if (status != PMPP_OK) {
		outcome_finish(outcome);
		return status;
	}
	explanation->measured = true;
	if (!outcome->row.timing.record.present)
		text_set_known(&explanation->record.no_measurement, outcome->row.reason);
	return PMPP_OK;
}

/* ---- All of it ----------------------------------------------------------------------------- */

/* Loads the explained file without its include files: the line numbers of the trace are those of this
 * file. The trace counts an access in an include file at the line that calls it. */
static enum pmpp_status load_source(struct explanation *explanation,
	const struct explain_options *options, struct pmpp_error *error)
{
	const struct variant *variant = explanation->config.variant;
	char path[KERNEL_PATH_BYTES];

	if (!kernel_file_exists(variant, options->traced))
		return PMPP_OK;
	kernel_file_path(variant, options->traced, path);
	text_set(&explanation->record.file, path);
	return source_load_file(
		kernel_file_root(variant, options->kernel_dir), path, &explanation->source, error);
}

static void set_config(struct explanation *explanation, const struct config *config)
{
	const struct plan_launch *planned;

	explanation->config = *config;
	explanation->plan = (struct plan){0};
	explanation->problem.rounding = config->variant->rounding;
	config_plan(config, &explanation->problem, &explanation->plan);
	explanation->launch_count = 0;
	for (size_t s = 0; (planned = plan_launch_from(&explanation->plan, &s)); s++)
		explanation->launches[explanation->launch_count++] = (struct launch_explanation){
			.step = s, .planned = planned, .resources = {-1, -1, -1, -1}};
}

static void init(struct explanation *explanation, const struct config *config,
	const struct problem *problem, const struct problem *measured_problem,
	const struct explain_options *options)
{
	*explanation = (struct explanation){
		.model = options->model ? options->model : access_model_default(),
		.traced = options->traced,
		.problem = *problem,
		.measured_problem = *measured_problem};
	record_init(&explanation_type, &explanation->record);
	explanation->own_kernel =
		kernel_file_is_own(config->variant, options->traced, options->kernel_dir);
	set_config(explanation, config);
}

enum pmpp_status explain_variant(struct suite *emulator, struct suite *device,
	const struct config *config, const struct problem *problem,
	const struct problem *measured_problem, const struct explain_options *options,
	struct explanation *ret_explanation, struct pmpp_error *error)
{
	const struct variant *variant = config->variant;
	const char *infeasible = variant->infeasible ? variant->infeasible(config) : NULL;

	*ret_explanation = (struct explanation){0};
	if (infeasible)
		return PMPP_FAIL(error, PMPP_USAGE, "%s/%s: %s", problem->family->name,
			variant->name, infeasible);
	init(ret_explanation, config, problem, measured_problem, options);
	enum pmpp_status status = measure(ret_explanation, device, options, error);
	/* The device may have run smaller tiles. */
	if (status == PMPP_OK && ret_explanation->measured) {
		set_config(ret_explanation, &ret_explanation->outcome.config);
		ret_explanation->own_kernel |= ret_explanation->outcome.row.own_kernel;
	}
	if (status == PMPP_OK)
		status = load_source(ret_explanation, options, error);
	if (status == PMPP_OK)
		status = trace_variant(ret_explanation, emulator, options, error);
	if (status == PMPP_OK)
		status = find_resources(ret_explanation, options, error);
	if (status == PMPP_OK)
		status = find_own_work(ret_explanation, emulator, error);
	if (status == PMPP_OK)
		status = decide_items(ret_explanation, error);
	if (status == PMPP_OK) {
		set_intensities(ret_explanation);
		set_limit(ret_explanation);
	}
	return status;
}

void explanation_finish(struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->launch_count; i++) {
		trace_finish(&explanation->launches[i].trace);
		free(explanation->launches[i].no_occupancy);
	}
	record_finish(&explanation_type, &explanation->record);
	if (explanation->measured)
		outcome_finish(&explanation->outcome);
	free(explanation->source);
	free(explanation->no_work);
	*explanation = (struct explanation){0};
}
