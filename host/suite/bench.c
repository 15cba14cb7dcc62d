#include "host/suite/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/model/ladder.h"
#include "host/io/host_memory.h"

/* ---- Earlier rows --------------------------------------------------------------------------- */

/* The rows of a problem that passed and were timed in this session, and peers that another process
 * has timed. A later variant can be timed in turn with them. */

/* The rounding of the inputs and the owner of the kernel are properties of the variant. */
static bool is_same_problem(const struct problem *a, const struct problem *b)
{
	struct problem rounded = *b;

	rounded.rounding = a->rounding;
	rounded.own_kernel = a->own_kernel;
	return problem_equal(a, &rounded);
}

static void earlier_rows_finish(struct earlier_rows *rows)
{
	free(rows->items);
	*rows = (struct earlier_rows){0};
}

void earlier_rows_add(struct earlier_rows *rows, const struct outcome *outcome)
{
	if (outcome->problem.family->internal)
		return;
	if (rows->count && !is_same_problem(&rows->items[0].problem, &outcome->problem))
		earlier_rows_finish(rows);
	struct earlier_row *items = realloc(rows->items, (rows->count + 1) * sizeof *items);
	if (!items) {
		earlier_rows_finish(rows);
		return;
	}
	rows->items = items;
	struct earlier_row *row = &items[rows->count++];
	*row = (struct earlier_row){.config = outcome->config,
		.problem = outcome->problem,
		.median_ns = result_row_median_ns(&outcome->row)};
	snprintf(row->output_sha256, sizeof row->output_sha256, "%s",
		text_or_empty(outcome->row.verify.output_sha256));
}

/* All rows belong to one backend, so it has no name here. */
static struct ladder_rung make_rung(const struct config *config, double median_ns)
{
	struct ladder_rung rung = {
		.variant = config->variant->name, .backend = "", .median_ns = median_ns};

	for (; config->variant->macros[rung.macro_count].name; rung.macro_count++)
		rung.macros[rung.macro_count] =
			(struct ladder_macro){config->variant->macros[rung.macro_count].name,
				config->value[rung.macro_count]};
	return rung;
}

const struct earlier_row *earlier_rows_find(
	const struct earlier_rows *rows, const char *variant, const struct outcome *outcome)
{
	const struct ladder_rung own = make_rung(&outcome->config, 0);
	const struct earlier_row *row = NULL;

	if (!rows->count || !is_same_problem(&rows->items[0].problem, &outcome->problem))
		return NULL;
	struct ladder_rung *rungs = calloc(rows->count, sizeof *rungs);
	if (!rungs)
		return NULL;
	for (size_t i = 0; i < rows->count; i++)
		rungs[i] = make_rung(&rows->items[i].config, rows->items[i].median_ns);
	const struct ladder_rung *found = ladder_find(variant, &own, rungs, rows->count);
	if (found)
		row = &rows->items[found - rungs];
	free(rungs);
	return row;
}

_Static_assert(LADDER_MAX_MACROS >= PMPP_MAX_MACROS, "a rung has all macros of a variant");

size_t earlier_rows_peers(const struct earlier_rows *rows, const struct outcome *outcome,
	const struct earlier_row **ret_peers, size_t max)
{
	const struct variant *variant = outcome->config.variant;
	size_t count = 0;

	if (variant->peer != PEER_NONE)
		return 0;
	for (size_t i = 0; i < rows->count && count < max; i++) {
		const struct earlier_row *row = &rows->items[i];
		if (row->config.variant->peer != PEER_NONE &&
			row->config.variant->rounding == variant->rounding &&
			is_same_problem(&row->problem, &outcome->problem))
			ret_peers[count++] = row;
	}
	return count;
}

/* ---- Libraries ------------------------------------------------------------------------------ */

/* Libraries of a device, for the rows of peers. */

enum pmpp_status peers_open(struct peers *peers, enum peer_library id,
	char ret_text[GPU_LIBRARY_TEXT_BYTES], struct pmpp_error *error)
{
	bool opened = !peers->libraries[id];
	enum pmpp_status status = PMPP_OK;

	if (opened)
		status =
			gpu_library_open(peers->programs->device, id, &peers->libraries[id], error);
	if (status != PMPP_OK)
		return status;
	const struct gpu_library *library = peers->libraries[id];
	snprintf(ret_text, GPU_LIBRARY_TEXT_BYTES, "%s%s%s%s%s", library->name,
		*library->version ? " " : "", library->version, *library->detail ? ", " : "",
		library->detail);
	if (opened)
		programs_note(peers->programs, "peer: %s", ret_text);
	return PMPP_OK;
}

enum pmpp_status peers_bind(struct peers *peers, struct outcome *outcome,
	struct gpu_buffer *const *buffers, struct bound_run *ret_run, struct pmpp_error *error)
{
	enum peer_library id = outcome->config.variant->peer;
	char text[GPU_LIBRARY_TEXT_BYTES];
	enum pmpp_status status = peers_open(peers, id, text, error);

	if (status != PMPP_OK)
		return status;
	text_set(&outcome->row.peer, text);
	launch_bind_library(peers->libraries[id], &outcome->plan, buffers, ret_run);
	return PMPP_OK;
}

void peers_describe(
	const struct peers *peers, const struct outcome *peer, struct peer_record *record)
{
	const struct gpu_library *library = peers->libraries[peer->config.variant->peer];

	text_set(&record->variant, peer->config.variant->name);
	text_set(&record->library, library->name);
	text_set_known(&record->version, library->version);
	text_set_known(&record->detail, library->detail);
}

static void peers_finish(struct peers *peers)
{
	for (size_t i = 0; i < PEER_LIBRARY_COUNT; i++)
		gpu_library_close(&peers->libraries[i]);
}

/* ---- Memory that a problem needs ------------------------------------------------------------ */

/* Compares the memory that a problem needs, on the device and on the host, with the free memory. */

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

void memory_amounts_text(double needed, double available, char ret_needed[GPU_TEXT_BYTES],
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

bool memory_fits_well(const struct memory_needs *needs, const struct memory_room *room,
	const struct gpu_device_info *info)
{
	return needs->largest <= (double)info->limits.max_buffer_bytes &&
	       needs->device <= DEVICE_SHARE * room->device &&
	       needs->host <= HOST_SHARE * room->host;
}

/* ---- The bench ------------------------------------------------------------------------------ */

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

enum pmpp_status bench_open(struct bench *bench, const struct gpu_device_info *info,
	const struct suite_options *options, struct pmpp_error *error)
{
	struct gpu_device *device = NULL;
	enum pmpp_status status = gpu_open(info, &device, error);

	if (status != PMPP_OK)
		return status;
	*bench = (struct bench){
		.device = device, .options = options, .sensor_places = options->sensor_places};
	if (options->model && gpu_can_set_model(device))
		gpu_set_model(device, options->model);
	if (options->model && options->model_limits && gpu_can_set_model(device))
		gpu_limit_to_model(device, options->model);
	for (size_t i = 0; i < PMPP_MAX_OPERANDS; i++)
		bench->inputs.user[i] = options->user_inputs[i];
	bench->programs = (struct programs){.device = device,
		.kernel_dir = options->kernel_dir,
		.roof_dir = options->roof_dir,
		.note = options->note,
		.note_context = options->note_context};
	note_missing_fill(&bench->programs);
	if (options->fenced)
		fence(&bench->programs);
	bench->peers = (struct peers){.programs = &bench->programs};
	bench->operands = (struct operands){.device = device, .inputs = &bench->inputs};
	bench->verifier =
		(struct verifier){.programs = &bench->programs, .operands = &bench->operands};
	bench->timer = (struct timer){.programs = &bench->programs};
	return PMPP_OK;
}

void bench_close(struct bench *bench)
{
	verifier_release(&bench->verifier);
	earlier_rows_finish(&bench->earlier);
	free(bench->fallbacks.items);
	timer_finish(&bench->timer);
	sensors_finish(&bench->sensors);
	programs_finish(&bench->programs);
	peers_finish(&bench->peers);
	gpu_close(&bench->device);
	*bench = (struct bench){0};
}

enum pmpp_status bench_place(struct bench *bench, const struct config *config,
	const struct problem *problem, struct pmpp_error *error)
{
	uint64_t bytes =
		operands_plan(&bench->operands, config, problem, bench->options->unguarded);

	verifier_forget_output(&bench->verifier);
	timer_make_room(&bench->timer, bytes);
	return operands_create(&bench->operands, error);
}

void bench_release_problem(struct bench *bench)
{
	verifier_release(&bench->verifier);
	timer_release(&bench->timer, TIMER_FLUSH);
	bench->problem.family = NULL;
}

void bench_forget_kernels(struct bench *bench)
{
	bench_release_problem(bench);
	free(bench->fallbacks.items);
	bench->fallbacks = (struct fallbacks){0};
	programs_finish(&bench->programs);
}

/* ---- Memory -------------------------------------------------------------------------------- */

static double host_held_bytes(const struct bench *bench)
{
	const struct operands *operands = &bench->operands;
	double bytes = verifier_held_bytes(&bench->verifier);

	if (gpu_shares_host_memory(&bench->device->info))
		bytes += (double)operands_held_bytes(operands) +
			 (double)timer_held_bytes(&bench->timer, TIMER_FLUSH) +
			 (double)timer_held_bytes(&bench->timer, TIMER_PROBE);
	return bytes;
}

struct memory_room bench_room(const struct bench *bench)
{
	struct host_memory host;

	host_memory_read(&host);
	return (struct memory_room){.device = (double)gpu_free_bytes(bench->device) +
					      (double)operands_held_bytes(&bench->operands) +
					      (double)timer_held_bytes(&bench->timer, TIMER_FLUSH) +
					      (double)timer_held_bytes(&bench->timer, TIMER_PROBE),
		.host = (double)host.available_bytes + host_held_bytes(bench)};
}

enum pmpp_status bench_check_memory(struct bench *bench, const struct config *config,
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

enum pmpp_status bench_calibrate(struct bench *bench, enum gpu_math math, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &bench->device->info;
	bool gpu = info->type == GPU_TYPE_GPU;

	if (!bench->sensors.open)
		sensors_init(&bench->sensors, &bench->sensor_places, gpu ? info->uuid : "",
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
