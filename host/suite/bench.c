#include "host/suite/bench.h"

#include "host/io/host_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Without the fill the emulator does not detect uninitialised variables. */
static void note_missing_fill(const struct gpu_device *device, const struct suite_options *options)
{
	char text[300];

	if (!options->note || device->info.engine != GPU_ENGINE_EMULATOR ||
		gpu_can_fill(device, GPU_FILL_PATTERN))
		return;
	snprintf(text, sizeof text,
		"%s: %s has no -ftrivial-auto-var-init: a kernel with an uninitialised variable "
		"may pass; use g++ 12 or clang++ 8 or later",
		gpu_backend_name(device->info.backend), device->info.compiler);
	options->note(options->note_context, text);
}

/* Guards do not show a store far outside them. Notes CPU devices that cannot detect such stores. */
static void fence(struct gpu_device *device, const struct suite_options *options)
{
	char name[GPU_TEXT_BYTES], text[300];
	bool is_cpu =
		device->info.type == GPU_TYPE_CPU && device->info.engine != GPU_ENGINE_INTERPRETER;

	if (!options->fenced || gpu_fence_buffers(device) || !is_cpu || !options->note)
		return;
	snprintf(text, sizeof text,
		"%s: buffers cannot lie between unmapped pages: stores more than 64 KiB outside an "
		"operand are not detected",
		gpu_device_text(&device->info, name));
	options->note(options->note_context, text);
}

enum pmpp_status bench_open(struct bench *bench, const struct gpu_device_info *info,
	const struct suite_options *options, struct pmpp_error *error)
{
	struct gpu_device *device = NULL;
	enum pmpp_status status = gpu_open(info, &device, error);

	if (status != PMPP_OK)
		return status;
	*bench = (struct bench){.device = device, .sensor_places = options->sensor_places};
	note_missing_fill(device, options);
	fence(device, options);
	if (options->model && gpu_can_set_model(device))
		gpu_set_model(device, options->model);
	for (size_t i = 0; i < PMPP_MAX_OPERANDS; i++)
		bench->inputs.user[i] = options->user_inputs[i];
	bench->programs = (struct programs){.device = device,
		.kernel_dir = options->kernel_dir,
		.roof_dir = options->roof_dir,
		.note = options->note,
		.note_context = options->note_context};
	bench->peers = (struct peers){
		.device = device, .note = options->note, .note_context = options->note_context};
	bench->operands = (struct operands){.device = device, .inputs = &bench->inputs};
	bench->verifier =
		(struct verifier){.programs = &bench->programs, .operands = &bench->operands};
	bench->flush = (struct flusher){.programs = &bench->programs};
	bench->timer = (struct timer){.operands = &bench->operands,
		.probe = &bench->probe,
		.calibrator = &bench->calibrator,
		.flush = &bench->flush};
	return PMPP_OK;
}

void bench_close(struct bench *bench)
{
	operands_release(&bench->operands);
	earlier_rows_finish(&bench->earlier);
	fallbacks_finish(&bench->fallbacks);
	probe_finish(&bench->probe);
	flush_release(&bench->flush);
	calibrator_finish(&bench->calibrator);
	sensors_finish(&bench->sensors);
	programs_finish(&bench->programs);
	peers_finish(&bench->peers);
	gpu_close(&bench->device);
	verifier_finish(&bench->verifier);
	inputs_release(&bench->inputs);
	*bench = (struct bench){0};
}

enum pmpp_status bench_place(struct bench *bench, const struct suite_options *options,
	const struct config *config, const struct problem *problem, struct pmpp_error *error)
{
	uint64_t bytes = operands_plan(&bench->operands, config, problem, options->unguarded);

	verifier_forget_output(&bench->verifier);
	flush_make_room(&bench->flush, bytes);
	return operands_create(&bench->operands, error);
}

void bench_release_problem(struct bench *bench)
{
	operands_release(&bench->operands);
	flush_release(&bench->flush);
	inputs_release(&bench->inputs);
	verifier_release(&bench->verifier);
	bench->problem.family = NULL;
}

/* ---- Memory -------------------------------------------------------------------------------- */

static double host_held_bytes(const struct bench *bench)
{
	const struct operands *operands = &bench->operands;
	double bytes = (double)inputs_held_bytes(&bench->inputs) +
		       verifier_held_bytes(&bench->verifier) + 2 * (double)operands->staging_bytes;

	if (gpu_shares_host_memory(&bench->device->info))
		bytes += (double)operands_held_bytes(operands) +
			 (double)flush_held_bytes(&bench->flush) +
			 (double)probe_memory_bytes(&bench->probe);
	return bytes;
}

struct memory_room bench_room(const struct bench *bench)
{
	struct host_memory host;

	host_memory_read(&host);
	return (struct memory_room){.device = (double)gpu_free_bytes(bench->device) +
					      (double)operands_held_bytes(&bench->operands) +
					      (double)flush_held_bytes(&bench->flush) +
					      (double)probe_memory_bytes(&bench->probe),
		.host = (double)host.available_bytes + host_held_bytes(bench)};
}

enum pmpp_status bench_check_memory(struct bench *bench, const struct config *config,
	const struct problem *problem, bool keeps_copy, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &bench->device->info;
	struct memory_needs needs = memory_needs_of(info, config, problem, keeps_copy);
	struct memory_room room = bench_room(bench);
	double probe = (double)probe_memory_bytes(&bench->probe);
	double probe_on_host = gpu_shares_host_memory(info) ? probe : 0;

	if (needs.device > room.device - probe || needs.host > room.host - probe_on_host) {
		probe_release_memory(&bench->probe);
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

enum pmpp_status bench_calibrate(struct bench *bench, enum gpu_math math, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &bench->device->info;
	bool gpu = info->type == GPU_TYPE_GPU;

	if (!bench->sensors.open)
		sensors_init(&bench->sensors, &bench->sensor_places, gpu ? info->uuid : "",
			gpu ? info->pci : "");
	return calibrator_measure(&bench->calibrator, &bench->probe, &bench->programs, math, error);
}

void bench_read_state(const struct bench *bench, struct outcome *outcome)
{
	sensors_read(&bench->sensors, &outcome->row.device_state);
	if (bench->device->info.type == GPU_TYPE_CPU)
		outcome->row.device_state.cpu_cores = sysconf(_SC_NPROCESSORS_ONLN);
}

void bench_drop_times(struct outcome *outcome)
{
	timing_drop(&outcome->row.timing);
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
		probe_release_memory(&bench->probe);
	}
	return PMPP_OK;
}

void bench_progress(
	const struct suite_options *options, const struct outcome *outcome, const char *stage)
{
	char text[256];

	if (!options->progress)
		return;
	snprintf(text, sizeof text, "%s/%s: %s", outcome->problem.family->name,
		outcome->config.variant->name, stage);
	options->progress(options->progress_context, text);
}
