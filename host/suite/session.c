#include "host/suite/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/own/kernel.h"
#include "common/text.h"
#include "host/io/host_memory.h"
#include "host/suite/device.h"

/* ---- Libraries ------------------------------------------------------------------------------ */

enum pmpp_status bench_library(struct bench *bench, enum peer_library id,
	char ret_text[GPU_LIBRARY_TEXT_BYTES], struct pmpp_error *error)
{
	bool opened = !bench->libraries[id];
	enum pmpp_status status = PMPP_OK;

	if (opened)
		status = gpu_library_open(bench->device, id, &bench->libraries[id], error);
	if (status != PMPP_OK)
		return status;
	const struct gpu_library *library = bench->libraries[id];
	snprintf(ret_text, GPU_LIBRARY_TEXT_BYTES, "%s%s%s%s%s", library->name,
		*library->version ? " " : "", library->version, *library->detail ? ", " : "",
		library->detail);
	if (opened)
		programs_note(&bench->programs, "peer: %s", ret_text);
	return PMPP_OK;
}

/* ---- Memory that a problem needs ------------------------------------------------------------ */

/* Compares the memory that a problem needs, on the device and on the host, with the free memory. */

/* Bytes that the problem can use: free memory, and memory that will be freed for the problem. */
struct memory_room {
	double device, host;
};

/* Shares of the free memory for default sizes. Compilers also need host memory. */
#define DEVICE_SHARE 0.8
#define HOST_SHARE 0.5

/* ---- Checks -------------------------------------------------------------------------------- */

static void amount_text(double bytes, int digits, char text[GPU_TEXT_BYTES])
{
	static const struct {
		double bytes;
		const char *name;
	} units[] = {{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}};
	size_t unit = bytes >= 1e9 ? 0 : bytes >= 1e6 ? 1 : 2;

	snprintf(text, GPU_TEXT_BYTES, "%.*f %s", digits, bytes / units[unit].bytes,
		units[unit].name);
}

/* Formats two amounts of bytes, "12.3 GB", with enough digits to show their difference. */
static void memory_amounts_text(double needed, double available, char ret_needed[GPU_TEXT_BYTES],
	char ret_available[GPU_TEXT_BYTES])
{
	for (int digits = 1; digits <= 9; digits++) {
		amount_text(needed, digits, ret_needed);
		amount_text(available, digits, ret_available);
		if (strcmp(ret_needed, ret_available) != 0)
			return;
	}
}

/* "matmul m=n=k=9 needs 12.3 GB of WHAT; WHERE 8.0 GB". */
static enum pmpp_status refuse(const struct problem *problem, double needed, const char *what,
	double available, const char *where, struct pmpp_error *error)
{
	char text[128], needed_text[GPU_TEXT_BYTES], available_text[GPU_TEXT_BYTES];

	problem_text(problem, text, sizeof text);
	memory_amounts_text(needed, available, needed_text, available_text);
	return PMPP_FAIL(error, PMPP_TOO_LARGE, "%s %s needs %s of %s; %s %s",
		problem->family->name, text, needed_text, what, where, available_text);
}

/* PMPP_TOO_LARGE if the needs exceed the device's limits or the room; the message has both amounts.
 * Allocates nothing. */
static enum pmpp_status memory_check(const struct memory_needs *needs,
	const struct memory_room *room, const struct gpu_device_info *info,
	const struct problem *problem, struct pmpp_error *error)
{
	const struct gpu_limits *limits = &info->limits;
	char text[sizeof info->name + 32];

	snprintf(text, sizeof text, "%s has", info->name);
	if (needs->device > (double)limits->global_bytes)
		return refuse(problem, needs->device, "device memory", (double)limits->global_bytes,
			text, error);
	if (needs->largest > (double)limits->max_buffer_bytes) {
		char what[96];
		snprintf(what, sizeof what, "device memory for %.64s", needs->largest_name);
		snprintf(text, sizeof text, "the buffer limit of %s is", info->name);
		return refuse(problem, needs->largest, what, (double)limits->max_buffer_bytes, text,
			error);
	}
	if (needs->host > room->host)
		return refuse(problem, needs->host, "host memory", room->host,
			"this process can allocate", error);
	snprintf(text, sizeof text, "the free memory of %s is", info->name);
	if (needs->device > room->device)
		return refuse(problem, needs->device, "device memory", room->device, text, error);
	return PMPP_OK;
}

/* true: the needs are at most 80 % of the device memory and half of the host memory of the room.
 * For the choice of default sizes. */
static bool memory_fits_well(const struct memory_needs *needs, const struct memory_room *room,
	const struct gpu_device_info *info)
{
	return needs->largest <= (double)info->limits.max_buffer_bytes &&
	       needs->device <= DEVICE_SHARE * room->device &&
	       needs->host <= HOST_SHARE * room->host;
}

/* ---- Notes about a device ------------------------------------------------------------------------------- */

/* Without the fill the emulator does not detect uninitialised variables. */
static void note_missing_fill(const struct programs *programs)
{
	const struct gpu_device *device = programs->device;

	if (device->info.engine != GPU_ENGINE_EMULATOR || gpu_can_fill(device, GPU_FILL_PATTERN))
		return;
	programs_note(programs,
		"%s: %s has no -ftrivial-auto-var-init: a kernel with an uninitialised variable "
		"may pass; use g++ 12 or clang++ 8 or later",
		gpu_backend_name(device->info.backend), device->info.compiler);
}

/* Guards do not show a store far outside them. Notes CPU devices that cannot detect such stores. */
static void fence(const struct programs *programs)
{
	struct gpu_device *device = programs->device;
	char name[GPU_TEXT_BYTES];
	bool is_cpu =
		device->info.type == GPU_TYPE_CPU && device->info.engine != GPU_ENGINE_INTERPRETER;

	if (gpu_fence_buffers(device) || !is_cpu)
		return;
	programs_note(programs,
		"%s: buffers cannot lie between unmapped pages: stores more than 64 KiB outside an "
		"operand are not detected",
		gpu_device_text(&device->info, name));
}

void bench_release_problem(struct bench *bench)
{
	verifier_release(&bench->verifier);
	timer_release(&bench->timer, TIMER_FLUSH);
	bench->problem.family = NULL;
}

/* ---- Open and close ------------------------------------------------------------------------- */

void suite_set_environment(void)
{
	/* Otherwise PoCL's worker threads may share a core, and short kernels take twice as
	 * long. */
	setenv("POCL_AFFINITY", "1", 0);
}

enum pmpp_status suite_open(const struct gpu_device_info *info, const struct suite_options *options,
	struct suite **ret_suite, struct pmpp_error *error)
{
	struct suite *suite = calloc(1, sizeof *suite);

	if (!suite)
		return PMPP_NO_MEMORY(error, "a suite");
	suite_set_environment();
	suite->options = *options;
	struct bench *bench = &suite->bench;
	enum pmpp_status status = gpu_open(info, &bench->device, error);
	if (status != PMPP_OK) {
		free(suite);
		return status;
	}
	record_init(&roofs_type, &suite->roofs.roofs); /* unknown */
	bench->options = &suite->options;
	if (options->model && gpu_is_emulator(bench->device))
		gpu_set_model(bench->device, options->model, options->model_limits);
	memcpy(bench->inputs.user, options->user_inputs, sizeof bench->inputs.user);
	bench->programs = (struct programs){.device = bench->device,
		.kernel_dir = options->kernel_dir,
		.roof_dir = options->roof_dir,
		.note = options->note,
		.note_context = options->note_context};
	note_missing_fill(&bench->programs);
	if (options->fenced)
		fence(&bench->programs);
	bench->operands = (struct operands){.device = bench->device, .inputs = &bench->inputs};
	bench->verifier =
		(struct verifier){.programs = &bench->programs, .operands = &bench->operands};
	bench->timer = (struct timer){.programs = &bench->programs};
	*ret_suite = suite;
	return PMPP_OK;
}

void suite_close(struct suite **suite)
{
	if (!suite || !*suite)
		return;
	struct bench *bench = &(*suite)->bench;
	verifier_release(&bench->verifier);
	timer_finish(&bench->timer);
	sensors_finish(&bench->sensors);
	programs_finish(&bench->programs);
	for (size_t i = 0; i < PEER_LIBRARY_COUNT; i++)
		gpu_library_close(&bench->libraries[i]);
	gpu_close(&bench->device);
	free(bench->earlier.items);
	free(bench->fallbacks.items);
	free(*suite);
	*suite = NULL;
}

/* ---- Memory -------------------------------------------------------------------------------- */

/* Bytes that the last problem, the flush and the probe's memory part hold on the device. */
static double device_held_bytes(const struct bench *bench)
{
	return (double)operands_held_bytes(&bench->operands) +
	       (double)timer_held_bytes(&bench->timer, TIMER_FLUSH) +
	       (double)timer_held_bytes(&bench->timer, TIMER_PROBE);
}

static double host_held_bytes(const struct bench *bench)
{
	bool shared = gpu_shares_host_memory(&bench->device->info);

	return verifier_held_bytes(&bench->verifier) + (shared ? device_held_bytes(bench) : 0);
}

/* Returns the bytes of memory that the next problem can use: the free bytes, and the bytes that are held. */
static struct memory_room bench_room(const struct bench *bench)
{
	struct host_memory host;

	host_memory_read(&host);
	return (struct memory_room){
		.device = (double)gpu_free_bytes(bench->device) + device_held_bytes(bench),
		.host = (double)host.available_bytes + host_held_bytes(bench)};
}

/* PMPP_TOO_LARGE if the variant's problem does not fit in the free memory plus the memory of the
 * last problem. Call it before anything is allocated for the problem. Frees the memory of the last
 * problem if both do not fit together. keeps_copy: see verify_needs(). */
static enum pmpp_status check_memory(struct bench *bench, const struct config *config,
	const struct problem *problem, bool keeps_copy, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &bench->device->info;
	struct memory_needs needs = verify_needs(info, config, problem, keeps_copy);
	struct memory_room room = bench_room(bench);
	double probe = (double)timer_held_bytes(&bench->timer, TIMER_PROBE);
	double probe_on_host = gpu_shares_host_memory(info) ? probe : 0;

	if (needs.device > room.device - probe || needs.host > room.host - probe_on_host) {
		timer_release(&bench->timer, TIMER_PROBE);
		room = bench_room(bench);
	}
	enum pmpp_status status = memory_check(&needs, &room, info, problem, error);

	if (status != PMPP_OK)
		return status;
	if (needs.host > room.host - host_held_bytes(bench) &&
		!problem_equal(&bench->problem, problem))
		bench_release_problem(bench);
	bench->problem = *problem;
	return PMPP_OK;
}

bool bench_fits_companion(const struct bench *bench, const struct outcome *outcome, uint64_t bytes)
{
	const struct gpu_device_info *info = &bench->device->info;
	uint64_t wanted = bench->options->flush ? FLUSH_CACHES * suite_cache_bytes(info) : 0;
	uint64_t held = timer_held_bytes(&bench->timer, TIMER_FLUSH);
	struct host_memory host;
	struct memory_needs needs = {
		.device = (double)bytes + (double)(wanted > held ? wanted - held : 0),
		.host = (double)operands_staging_bytes(&outcome->config, &outcome->problem)};

	host_memory_read(&host);
	if (gpu_shares_host_memory(info))
		needs.host += needs.device;
	const struct memory_room room = {.device = (double)gpu_free_bytes(bench->device),
		.host = (double)host.available_bytes};
	return memory_fits_well(&needs, &room, info);
}

const struct gpu_device_info *suite_device(const struct suite *suite)
{
	return &suite->bench.device->info;
}

/* The suite keeps copies of the inputs with the rounding of the variant. */
static struct memory_needs needs_of(
	const struct suite *suite, const struct config *config, const struct problem *problem)
{
	struct problem rounded = *problem;

	rounded.rounding = config->variant->rounding;
	return verify_needs(suite_device(suite), config, &rounded, false);
}

bool suite_fits_well(
	const struct suite *suite, const struct config *config, const struct problem *problem)
{
	const struct memory_needs needs = needs_of(suite, config, problem);
	struct memory_room room = bench_room(&suite->bench);

	return memory_fits_well(&needs, &room, suite_device(suite));
}

void suite_memory_text(const struct suite *suite, const struct config *config,
	const struct problem *problem, char ret_text[SUITE_MEMORY_BYTES])
{
	const struct memory_needs needs = needs_of(suite, config, problem);
	struct memory_room room = bench_room(&suite->bench);
	char text[96], needed[GPU_TEXT_BYTES], available[GPU_TEXT_BYTES];

	problem_text(problem, text, sizeof text);
	memory_amounts_text(needs.host, room.host, needed, available);
	snprintf(ret_text, SUITE_MEMORY_BYTES, "%s %s needs %s of host memory; %s are available",
		problem->family->name, text, needed, available);
}

enum pmpp_status suite_calibration(
	struct suite *suite, const struct timer_record **ret_timer, struct pmpp_error *error)
{
	enum pmpp_status status = bench_calibrate(&suite->bench, suite->options.math, error);

	if (status == PMPP_OK)
		*ret_timer = &suite->bench.timer.record;
	return status;
}

/* ---- What can run --------------------------------------------------------------------------- */

/* Whether the device executes warps of LANES, if the kernel requires them. CPUs and emulators whose
 * compiler has no such option have no widths. */
static bool feasible_lanes(struct outcome *outcome, const struct gpu_device_info *info)
{
	const struct device_shape *shape = &info->shape;
	int lanes = config_lanes(&outcome->config);
	char text[160] = "this device has warps of";
	bool known = !outcome->config.variant->sub_groups || shape->width_count == 0 ||
		     info->type == GPU_TYPE_EMULATED || info->capabilities & PMPP_CAP_NVIDIA_PTX ||
		     gpu_backend_row(info->backend)->language != GPU_LANGUAGE_OPENCL_C;

	for (size_t i = 0; i < shape->width_count && !known; i++) {
		known = shape->widths[i] == (uint32_t)lanes;
		text_append(text, sizeof text, "%s %u", i ? "," : "", shape->widths[i]);
	}
	if (!known)
		text_append(text, sizeof text, " threads, not of LANES=%d", lanes);
	return known || outcome_refuse(outcome, OUTCOME_UNSUPPORTED, "", text);
}

/* Whether the variant's needs, macros and domain allow it to run on the device. If not, returns false and
 * sets the outcome's status and reason. */
static bool feasible_here(struct outcome *outcome, const struct gpu_device_info *info)
{
	const struct variant *variant = outcome->config.variant;
	unsigned missing = variant->needs & ~info->capabilities;
	const char *reason = variant->infeasible ? variant->infeasible(&outcome->config) : NULL;
	const char *outside =
		variant->domain ? variant->domain(&outcome->config, &outcome->problem) : NULL;

	if (missing)
		return outcome_refuse(
			outcome, OUTCOME_SKIPPED, "needs ", pmpp_capability_text(missing));
	if (variant->own && variant->own->cuda != (gpu_backend_row(info->backend)->language ==
							  GPU_LANGUAGE_CUDA_C))
		return outcome_refuse(outcome, OUTCOME_SKIPPED, "the file is in ",
			variant->own->cuda ? "CUDA C" : "OpenCL C");
	if (variant->one_sided && gpu_backend_row(info->backend)->language != GPU_LANGUAGE_OPENCL_C)
		return outcome_refuse(outcome, OUTCOME_SKIPPED, "has no CUDA twin: needs ",
			pmpp_capability_text(variant->needs));
	if (variant->cuda_only && gpu_backend_row(info->backend)->language != GPU_LANGUAGE_CUDA_C)
		return outcome_refuse(outcome, OUTCOME_SKIPPED, "has no OpenCL twin: needs ",
			pmpp_capability_text(variant->needs));
	if (reason)
		return outcome_refuse(outcome, OUTCOME_UNSUPPORTED, "", reason);
	if (outside)
		return outcome_refuse(outcome, OUTCOME_SKIPPED, "out of its domain: ", outside);
	return feasible_lanes(outcome, info);
}

/* Kernels of the user are not built early: a compiler may hang or end the process, and then it must be known which
 * kernel it compiled. */
static bool is_built_early(const struct suite *suite, const struct program_request *request)
{
	const struct variant *variant = request->config->variant;
	const struct gpu_device_info *info = suite_device(suite);
	struct outcome outcome;

	if (variant->own || variant->peer != PEER_NONE || suite->options.kernel_dir)
		return false;
	outcome_init(&outcome, request->config, request->problem, info, &suite->options);
	bool feasible = feasible_here(&outcome, info);
	outcome_finish(&outcome);
	return feasible;
}

void suite_build_early(struct suite *suite, const struct program_request *requests, size_t count)
{
	struct program_request *chosen = NULL;
	size_t chosen_count = 0;

	if (gpu_builds_in_threads(suite->bench.programs.device))
		chosen = calloc(count + 1, sizeof *chosen);
	for (size_t i = 0; chosen && i < count; i++)
		if (is_built_early(suite, &requests[i])) {
			chosen[chosen_count] = requests[i];
			chosen[chosen_count++].math = suite->options.math;
		}
	if (chosen_count > 1 && suite->options.progress)
		suite->options.progress(
			suite->options.progress_context, "building the programs of a family");
	if (chosen)
		programs_build_early(&suite->bench.programs, chosen, chosen_count);
	free(chosen);
}

/* Whether the blocks and grids of the outcome's plan fit the device. If a block does not fit, sets
 * outcome->block_limit. */
static bool feasible_plan(struct outcome *outcome, const struct gpu_limits *limits)
{
	const struct plan_launch *launch;
	char text[160];

	fallback_block_limit(&outcome->plan, limits, text, sizeof text);
	outcome->block_limit = *text;
	for (size_t s = 0; !*text && (launch = plan_launch_from(&outcome->plan, &s)); s++)
		for (int d = 0; d < 3 && !*text; d++)
			if (launch->groups[d] > limits->max_groups[d])
				snprintf(text, sizeof text,
					"%llu blocks along %c; this device allows at most %llu",
					(unsigned long long)launch->groups[d], "xyz"[d],
					(unsigned long long)limits -> max_groups[d]);
	return *text ? outcome_refuse(outcome, OUTCOME_UNSUPPORTED, "", text) : true;
}

static void fill_launch(const struct plan_launch *launch, struct step_record *record)
{
	text_set(&record->kernel, launch->entry);
	for (int d = 0; d < 3; d++) {
		record->grid[d] = (int64_t)launch->groups[d];
		record->block[d] = (int64_t)launch->block[d];
	}
	record->shared_bytes = (int64_t)launch->shared_bytes;
}

static void leave_launch(struct step_record *record)
{
	static const char *const of_launches[] = {"kernel", "grid", "block", "shared_bytes"};

	for (size_t i = 0; i < sizeof of_launches / sizeof *of_launches; i++)
		record_set_absent(&step_type, record, of_launches[i], true);
}

/* Appends the steps of a plan to an empty list. */
static void fill_steps(const struct plan *plan, struct step_list *list)
{
	for (size_t s = 0; s < plan->step_count; s++) {
		const struct plan_step *step = &plan->steps[s];
		const struct plan_launch *launch = plan_step_launch(step);
		struct step_record *record = record_list_add(&step_type, list);

		if (record && launch)
			fill_launch(launch, record);
		else if (record && step->kind == PLAN_CALL)
			text_set(&record->function, step->as.call.function);
		else if (record && step->kind == PLAN_COPY)
			text_set(&record->function, "copy");
		else if (record)
			record->fill = (int64_t)step->as.fill.pattern;
		if (record && !launch)
			leave_launch(record);
		if (record && step->kind != PLAN_FILL)
			record_set_absent(&step_type, record, "fill", true);
	}
}

#define UNVERIFIABLE                                                                               \
	"rounding errors can be as large as the result, and integer inputs do not make it exact; " \
	"choose a smaller size"

enum pmpp_status bench_place(struct bench *bench, struct outcome *outcome, bool traced,
	bool *ret_placed, struct pmpp_error *error)
{
	const struct gpu_limits *limits = &bench->device->info.limits;
	const struct config *config = &outcome->config;
	const struct problem *problem = &outcome->problem;

	*ret_placed = false;
	if (!feasible_here(outcome, &bench->device->info))
		return PMPP_OK;
	if (!traced && !verify_is_possible(config, problem)) {
		outcome_refuse(outcome, OUTCOME_UNVERIFIED,
			"cannot be verified at this size: ", UNVERIFIABLE);
		return PMPP_OK;
	}
	enum pmpp_status status = check_memory(bench, config, problem, traced, error);
	if (status != PMPP_OK)
		return status;
	config_plan(config, problem, &outcome->plan);
	fill_steps(&outcome->plan, &outcome->row.launches);
	if (!feasible_plan(outcome, limits))
		return PMPP_OK;
	uint64_t bytes =
		operands_plan(&bench->operands, config, problem, bench->options->unguarded);
	verifier_forget_output(&bench->verifier);
	timer_make_room(&bench->timer, bytes);
	status = operands_create(&bench->operands, error);
	*ret_placed = status == PMPP_OK;
	return status;
}

/* ---- Calibration and state ------------------------------------------------------------------ */

enum pmpp_status bench_calibrate(struct bench *bench, enum gpu_math math, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &bench->device->info;
	bool gpu = info->type == GPU_TYPE_GPU;

	if (!bench->sensors.open)
		sensors_init(&bench->sensors, &bench->options->sensor_places, gpu ? info->uuid : "",
			gpu ? info->pci : "");
	return timer_calibrate(&bench->timer, math, error);
}

void bench_read_state(const struct bench *bench, struct outcome *outcome)
{
	sensors_read(&bench->sensors, &outcome->row.device_state);
	if (bench->device->info.type == GPU_TYPE_CPU)
		outcome->row.device_state.cpu_cores = sysconf(_SC_NPROCESSORS_ONLN);
}

void bench_drop_times(struct outcome *outcome)
{
	record_finish(&timing_type, &outcome->row.timing);
	outcome->row.timing.record.present = false;
	record_finish(&device_state_type, &outcome->row.device_state);
	outcome->row.device_state.record.present = false;
	result_row_drop_comparisons(&outcome->row);
}

/* ---- Failures ------------------------------------------------------------------------------ */

static const struct absorbed {
	enum pmpp_status status;
	enum outcome_status outcome;
	bool launched; /* the contents of the buffers are unknown, and the device may be lost */
	bool out_of_memory; /* frees the memory of the problem */
} absorbed_rows[] = {
	{PMPP_UNSUPPORTED, OUTCOME_UNSUPPORTED, false, false},
	{PMPP_TOO_LARGE, OUTCOME_UNSUPPORTED, false, false},
	{PMPP_BUILD, OUTCOME_BUILD_ERROR, false, false},
	{PMPP_LAUNCH, OUTCOME_LAUNCH_ERROR, true, false},
	{PMPP_OUT_OF_MEMORY, OUTCOME_LAUNCH_ERROR, true, true},
	{PMPP_TIMEOUT, OUTCOME_TIMEOUT, true, false},
};

static void set_failure(
	struct outcome *outcome, enum outcome_status status, struct pmpp_error *error)
{
	struct result_row *row = &outcome->row;
	char reason[2 * sizeof error->message];

	if (row->status == OUTCOME_FAILED) {
		snprintf(reason, sizeof reason, "%.500s; then: %s", text_or_empty(row->reason),
			error->message);
		text_set(&row->reason, reason);
	} else {
		row->status = (int)status;
		text_set(&row->reason, error->message);
	}
	outcome->block_limit = row->status == OUTCOME_UNSUPPORTED && error->block_limit;
	text_set(&row->log, error->log);
	error_record_set(&row->error, error);
	text_set(&row->error.log, NULL); /* the row has the log in its build record */
}

/* NULL: the error ends the job. After a wrong result every error ends only the row; if the device
 * or a file is lost, the next row ends the job. */
static const struct absorbed *find_absorbed(const struct outcome *outcome, enum pmpp_status status)
{
	static const struct absorbed failed = {.launched = true};

	for (size_t i = 0; i < sizeof absorbed_rows / sizeof *absorbed_rows; i++)
		if (absorbed_rows[i].status == status)
			return &absorbed_rows[i];
	return status != PMPP_OK && outcome->row.status == OUTCOME_FAILED ? &failed : NULL;
}

enum pmpp_status bench_absorb(struct bench *bench, struct outcome *outcome, enum pmpp_status status,
	struct pmpp_error *error)
{
	const struct absorbed *absorbed = find_absorbed(outcome, status);

	if (!absorbed)
		return status;
	set_failure(outcome, absorbed->outcome, error);
	pmpp_error_clear(error);
	if (absorbed->launched) {
		operands_forget(&bench->operands);
		verifier_forget_output(&bench->verifier);
		bench->lost = gpu_finish(bench->device, error) != PMPP_OK;
		pmpp_error_clear(error);
	}
	if (absorbed->out_of_memory) {
		bench_release_problem(bench);
		timer_release(&bench->timer, TIMER_PROBE);
	}
	return PMPP_OK;
}

void bench_progress(const struct bench *bench, const struct outcome *outcome, const char *stage)
{
	const struct suite_options *options = bench->options;
	char text[256];

	if (!options->progress)
		return;
	snprintf(text, sizeof text, "%s/%s: %s", outcome->problem.family->name,
		outcome->config.variant->name, stage);
	options->progress(options->progress_context, text);
}
