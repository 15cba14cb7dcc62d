#include "host/suite/launch.h"

#include <sha256.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/compiler_log.h"
#include "common/model/access_model.h"
#include "common/model/occupancy.h"
#include "common/text.h"
#include "common/words.h"
#include "host/gpu/ptx.h"
#include "host/io/parallel.h"
#include "host/suite/kernel_file.h"

/* ---- Warnings ------------------------------------------------------------------------------- */

#define MAX_NOTES 10

/* true: a statement that begins with __local (or local) declares the name. Parameter lists do not
 * count. */
static bool is_local(const char *source, const char *name)
{
	static const char mark[] = "local ";

	for (const char *at = source; (at = strstr(at, mark)); at += strlen(mark)) {
		const char *end = at + strcspn(at, ";{)");
		if (*end == ';' && has_word(at, end, name))
			return true;
	}
	return false;
}

/* Keeps the first warning of each kind. Returns false if there is no memory. */
static bool set_reasons(
	const struct compiler_warning *warning, const char *place, struct kernel_warnings *warnings)
{
	char **reason = warning->kind == WARNING_UNINITIALISED         ? &warnings->uninitialised
			: warning->kind == WARNING_MAYBE_UNINITIALISED ? &warnings->suspicion
								       : NULL;

	if (!reason || *reason)
		return true;
	if (reason == &warnings->uninitialised)
		text_format(reason, "uninitialised: \"%s\" is used before its value is set (%s)",
			warning->name, place);
	else
		text_format(reason, "perhaps uninitialised: \"%s\" (%s)", warning->name, place);
	return *reason != NULL;
}

/* ---- Faults of compilers -------------------------------------------------------------------- */

/* Returns the end of the part in brackets at `at`. */
static const char *end_of_brackets(const char *at, char open, char close)
{
	int depth = 0;

	do
		depth += (*at == open) - (*at == close);
	while (*at++ && depth > 0 && *at);
	return at;
}

/* Whether the condition of a loop with a barrier calls get_local_size(). */
static bool has_size_in_loop(const char *source)
{
	static const char *const words[] = {"for", "while"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		for (const char *at = source; (at = strstr(at, words[i])); at++) {
			const char *head = at + strlen(words[i]);
			head += strspn(head, " \t\n");
			if ((at > source && is_word(at[-1])) || *head != '(')
				continue;
			const char *body = end_of_brackets(head, '(', ')');
			const char *brace = body + strspn(body, " \t\n");
			const char *end = *brace == '{' ? end_of_brackets(brace, '{', '}')
							: body + strcspn(body, ";");
			if (has_word(head, body, "get_local_size") &&
				has_word(body, end, "barrier"))
				return true;
		}
	return false;
}

/* Known faults that make the result of a right kernel wrong (docs/porting.md). */
static const struct fault {
	const char *platform;
	bool (*meets)(const char *source);
	const char *text;
} faults[] = {{"PoCL", has_size_in_loop,
	"perhaps a fault of PoCL (3.1 compiles get_local_size() in the condition of a loop with "
	"a barrier wrongly: docs/porting.md, Barriers on PoCL): verify with --backend=opencl-emu"}};

static bool find_faults(
	const struct gpu_device_info *info, const char *source, struct kernel_warnings *warnings)
{
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		if (!warnings->suspicion && strcmp(info->platform, faults[i].platform) == 0 &&
			faults[i].meets(source)) {
			warnings->suspicion = strdup(faults[i].text);
			return warnings->suspicion != NULL;
		}
	return true;
}

/* Reads the program's log. own: a file of the user, without a folder. name: name of the kernel file
 * in the log. Ignores warnings about other files (headers of the emulator and of vendors). Also ignores
 * warnings that a variable in OpenCL's local memory may be uninitialised: clang cannot see that other
 * work-items set it. Returns false if there is no memory; a reason to reject the kernel may then be
 * missing. */
static bool kernel_warnings_read(const struct gpu_program *program, bool own, const char *name,
	const char *source, struct kernel_warnings *warnings)
{
	const char *folder = gpu_backend_kernel_folder(program->device->info.backend);
	const char *at = program->log;
	struct compiler_warning warning;

	while (compiler_log_next(&at, &warning)) {
		char place[sizeof warning.file + 60];
		char text[sizeof place + sizeof warning.text + 2];

		if (strcmp(warning.file, name) != 0 ||
			(warning.kind == WARNING_MAYBE_UNINITIALISED &&
				is_local(source, warning.name)))
			continue;
		snprintf(place, sizeof place, "%.20s%s%s:%d", own ? "" : folder, own ? "" : "/",
			warning.file, warning.line);
		snprintf(text, sizeof text, "%s: %s", place, warning.text);
		if ((!text_list_has(&warnings->texts, text) &&
			    !text_list_add(&warnings->texts, text)) ||
			!set_reasons(&warning, place, warnings))
			return false;
	}
	return find_faults(&program->device->info, source, warnings);
}

static void kernel_warnings_finish(struct kernel_warnings *warnings)
{
	text_list_finish(&warnings->texts);
	free(warnings->uninitialised);
	free(warnings->suspicion);
	*warnings = (struct kernel_warnings){0};
}

void programs_note(const struct programs *programs, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (programs->note)
		programs->note(programs->note_context, text);
}

/* Reports the first ten warnings of a file as notes. */
static void kernel_warnings_report(
	const struct programs *programs, const struct kernel_warnings *warnings, const char *name)
{
	size_t count = warnings->texts.count;

	for (size_t i = 0; i < count && i < MAX_NOTES; i++)
		programs_note(programs, COMPILER_WARNS ": %s", warnings->texts.items[i]);
	if (count > MAX_NOTES)
		programs_note(programs, COMPILER_WARNS " %zu more times about %s",
			count - MAX_NOTES, name);
}

/* ---- Cached programs ------------------------------------------------------------------------ */

static void entry_destroy(struct program_entry *entry)
{
	for (size_t i = 0; i < entry->kernel_count; i++)
		gpu_kernel_destroy(&entry->kernels[i]);
	gpu_program_destroy(&entry->program);
	kernel_warnings_finish(&entry->warnings);
	pmpp_error_clear(&entry->rejected);
	free(entry);
}

void programs_finish(struct programs *programs)
{
	while (programs->entries) {
		struct program_entry *next = programs->entries->next;
		entry_destroy(programs->entries);
		programs->entries = next;
	}
	while (programs->early) {
		struct early_program *next = programs->early->next;
		gpu_program_destroy(&programs->early->program);
		free(programs->early);
		programs->early = next;
	}
}

/* Writes everything that the binary depends on for this device, as text. */
static enum pmpp_status make_key(const struct program_request *request,
	const struct choice_macros *choices, const char *name, char *ret_key, size_t size,
	struct pmpp_error *error)
{
	const struct config *config = request->config;
	const struct macro *macros = config->variant->macros;

	snprintf(ret_key, size, "%s math=%d traced=%d fill=%d", name, (int)request->math,
		(int)request->traced, (int)request->fill);
	for (size_t i = 0; macros[i].name; i++)
		text_append(ret_key, size, " %s=%d", macros[i].name, config->value[i]);
	for (size_t i = 0; i < choices->count; i++)
		text_append(ret_key, size, " %s", choices->name[i]);
	if (strlen(ret_key) + 1 == size)
		return PMPP_FAIL(error, PMPP_INTERNAL, "%s: too many macros", name);
	return PMPP_OK;
}

/* A user's OpenCL kernel that is not OpenCL C 1.2 is compiled as the newest version of the device. If that
 * fails too, the error is that of the newest version: 1.2 rejects all that is newer. */
static enum pmpp_status create_program(const struct programs *programs, bool own,
	struct gpu_program_desc *desc, struct gpu_program **ret_program, struct pmpp_error *error)
{
	enum gpu_backend_id backend = programs->device->info.backend;
	struct pmpp_error newer = PMPP_ERROR_INIT;
	enum pmpp_status status = gpu_program_create(programs->device, desc, ret_program, error);

	if (status != PMPP_BUILD || !own ||
		gpu_backend_row(backend)->language != GPU_LANGUAGE_OPENCL_C)
		return status;
	desc->newest = true;
	status = gpu_program_create(programs->device, desc, ret_program, &newer);
	pmpp_error_clear(error);
	pmpp_error_move(error, &newer);
	return status;
}

/* Returns the length of the first line of a log that contains an error, and its start. */
static int first_error(const char *log, const char **ret_line)
{
	const char *found = strstr(log, "error");

	if (!found)
		found = log;
	while (found > log && found[-1] != '\n')
		found--;
	*ret_line = found;
	return (int)strcspn(found, "\n");
}

/* Notes if a block of the kernel needs more registers than a multiprocessor of the model has, as NVRTC compiles it. */
static void note_registers(const struct programs *programs, const struct program_request *request,
	const struct kernel_file *file, const char *model)
{
	const struct occupancy_unit *unit = occupancy_unit_find(model);
	const struct plan_launch *launch = NULL;
	struct gpu_kernel_resources resources;
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	struct occupancy found;
	struct plan plan;

	config_plan(request->config, request->problem, &plan);
	for (size_t s = 0; s < plan.step_count && !launch; s++)
		launch = plan_step_launch(&plan.steps[s]);
	if (launch && unit &&
		gpu_source_resources(GPU_BACKEND_CUDA, &file->desc, model,
			(const char *const[]){launch->entry}, 1, &resources, &ignored) == PMPP_OK) {
		const struct kernel_use use = {.threads = (int64_t)plan_launch_threads(launch),
			.registers = resources.registers};
		if (occupancy_of(unit, &use, &found, &ignored) == PMPP_OK && found.blocks == 0)
			programs_note(programs,
				"%s: %d registers per thread, compiled by NVRTC: a block of %lld "
				"threads does not fit a multiprocessor of %s: add __launch_bounds__",
				file->name, resources.registers, (long long)use.threads, model);
	}
	pmpp_error_clear(&ignored);
}

/* Compiles a CUDA kernel of the user with NVRTC too, after cuda-emu compiled it with this status. Notes if
 * only one of them accepts the kernel. Without NVRTC there is no note. */
static void compare_with_nvrtc(const struct programs *programs,
	const struct program_request *request, const struct kernel_file *file,
	enum pmpp_status emulated)
{
	const struct gpu_device_info *info = &programs->device->info;
	const char *model = info->shape.model ? info->shape.model : "";
	struct pmpp_error error = PMPP_ERROR_INIT;
	char *ptx = NULL;
	const char *line;

	if (info->backend != GPU_BACKEND_CUDA_EMU ||
		!kernel_file_is_own(request->config->variant, info->backend, programs->kernel_dir))
		return;
	if (strncmp(model, "sm_", 3) != 0)
		model = access_model_default()->name;
	enum pmpp_status status =
		gpu_source_ptx(GPU_BACKEND_CUDA, &file->desc, model, &ptx, &error);
	if (status == PMPP_BUILD && emulated == PMPP_OK) {
		int length = first_error(text_or_empty(error.log), &line);
		programs_note(programs, "NVRTC rejects %s, but cuda-emu accepts it: %.*s",
			file->name, length < 400 ? length : 400, line);
	}
	if (status == PMPP_OK && (emulated == PMPP_BUILD || emulated == PMPP_UNSUPPORTED))
		programs_note(programs, "NVRTC accepts %s, but cuda-emu rejects it", file->name);
	if (status == PMPP_OK && emulated == PMPP_OK)
		note_registers(programs, request, file, model);
	free(ptx);
	pmpp_error_clear(&error);
}

/* The kernels that measure the device never come from the user's kernel folder. */
static const char *root_of(const struct programs *programs, const struct variant *variant)
{
	return variant_family(variant)->internal ? programs->roof_dir
						 : kernel_file_root(variant, programs->kernel_dir);
}

static enum pmpp_status load_file(const struct programs *programs,
	const struct program_request *request, struct kernel_file *ret_file,
	struct pmpp_error *error)
{
	enum pmpp_status status =
		kernel_file_load(request->config, request->problem, programs->device->info.backend,
			root_of(programs, request->config->variant), ret_file, error);

	ret_file->desc.math = request->math;
	ret_file->desc.traced = request->traced;
	ret_file->desc.fill = request->fill;
	return status;
}

static struct early_program *find_early(const struct programs *programs, const char *key)
{
	for (struct early_program *early = programs->early; early; early = early->next)
		if (strcmp(early->key, key) == 0)
			return early;
	return NULL;
}

static enum pmpp_status build(const struct programs *programs,
	const struct program_request *request, struct program_entry *entry,
	struct pmpp_error *error)
{
	struct kernel_file file = {0};
	const char *root = root_of(programs, request->config->variant);
	struct early_program *early = find_early(programs, entry->key);
	enum pmpp_status status = load_file(programs, request, &file, error);

	if (status != PMPP_OK)
		return status;
	SHA256Data((const uint8_t *)file.source, strlen(file.source), entry->source_sha256);
	if (!code_digest(file.source, entry->code_sha256))
		status = PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "%s: no host memory for its digest", file.name);
	if (status == PMPP_OK && early && early->program) {
		entry->program = early->program;
		early->program = NULL;
	} else if (status == PMPP_OK) {
		status = create_program(programs, root, &file.desc, &entry->program, error);
	}
	if (status == PMPP_OK &&
		!kernel_warnings_read(entry->program, request->config->variant->own != NULL,
			file.name, file.source, &entry->warnings))
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY,
			"%s: no host memory for the compiler's warnings", file.name);
	if (status == PMPP_OK)
		kernel_warnings_report(programs, &entry->warnings, file.name);
	/* Once, although a kernel has several builds. */
	bool notes = !request->traced && request->fill == GPU_FILL_PATTERN;
	if (notes && (status == PMPP_OK || status == PMPP_BUILD || status == PMPP_UNSUPPORTED))
		compare_with_nvrtc(programs, request, &file, status);
	if (notes && *file.host_code)
		programs_note(programs, "%s: host code is skipped: %s", file.name, file.host_code);
	kernel_file_finish(&file);
	return status;
}

/* Returns the status of the entry. Sets a copy of its error: the compiler would reject the source again for each
 * size. */
static enum pmpp_status entry_status(const struct program_entry *entry, struct pmpp_error *error)
{
	if (entry->rejected.status == PMPP_OK)
		return PMPP_OK;
	*error = entry->rejected;
	error->log = strdup(entry->rejected.log);
	return error->status;
}

static struct program_entry *find_entry(const struct programs *programs, const char *key)
{
	for (struct program_entry *entry = programs->entries; entry; entry = entry->next)
		if (strcmp(entry->key, key) == 0)
			return entry;
	return NULL;
}

enum pmpp_status programs_get(struct programs *programs, const struct program_request *request,
	struct program_entry **ret_entry, struct pmpp_error *error)
{
	struct choice_macros choices = problem_macros(request->problem);
	struct program_entry *entry;
	enum pmpp_status status;
	char name[KERNEL_PATH_BYTES];
	char key[sizeof entry->key];

	kernel_file_path(request->config->variant, programs->device->info.backend, name);
	status = make_key(request, &choices, name, key, sizeof key, error);
	if (status != PMPP_OK)
		return status;
	entry = find_entry(programs, key);
	if (entry) {
		*ret_entry = entry;
		return entry_status(entry, error);
	}
	entry = calloc(1, sizeof *entry);
	if (!entry)
		return PMPP_NO_MEMORY(error, "%s", name);
	memcpy(entry->key, key, sizeof key);
	entry->family = request->problem->family;
	status = build(programs, request, entry, error);
	if (status == PMPP_BUILD && error->log) {
		pmpp_error_move(&entry->rejected, error);
		status = entry_status(entry, error);
	} else if (status != PMPP_OK) {
		entry_destroy(entry);
		return status;
	}
	entry->next = programs->entries;
	programs->entries = entry;
	*ret_entry = entry;
	return status;
}

/* ---- Programs that are built early ---------------------------------------------------------- */

/* A program of programs_build_early(). */
struct early_build {
	struct gpu_device *device;
	struct kernel_file *file; /* its description points into it: it does not move */
	struct early_program *early;
};

static void build_early(void *context, size_t index)
{
	struct early_build *item = &((struct early_build *)context)[index];
	struct pmpp_error ignored = PMPP_ERROR_INIT;

	if (gpu_program_create(item->device, &item->file->desc, &item->early->program, &ignored) !=
		PMPP_OK)
		item->early->program = NULL;
	pmpp_error_clear(&ignored);
}

/* Adds an early program without its build. Returns false if the program is known, or cannot be built early. */
static bool prepare_early(struct programs *programs, const struct program_request *request,
	struct early_build *ret_build)
{
	struct choice_macros choices = problem_macros(request->problem);
	struct early_program *early = calloc(1, sizeof *early);
	struct kernel_file *file = calloc(1, sizeof *file);
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	char name[KERNEL_PATH_BYTES];

	kernel_file_path(request->config->variant, programs->device->info.backend, name);
	if (early && file &&
		make_key(request, &choices, name, early->key, sizeof early->key, &ignored) ==
			PMPP_OK &&
		!find_entry(programs, early->key) && !find_early(programs, early->key) &&
		load_file(programs, request, file, &ignored) == PMPP_OK) {
		early->next = programs->early;
		programs->early = early;
		*ret_build = (struct early_build){programs->device, file, early};
		return true;
	}
	pmpp_error_clear(&ignored);
	free(early);
	free(file);
	return false;
}

void programs_build_early(
	struct programs *programs, const struct program_request *requests, size_t count)
{
	struct early_build *builds = calloc(count + 1, sizeof *builds);
	size_t build_count = 0;

	for (size_t i = 0; builds && i < count; i++)
		build_count += prepare_early(programs, &requests[i], &builds[build_count]);
	parallel_for(build_count, build_early, builds);
	for (size_t i = 0; i < build_count; i++) {
		kernel_file_finish(builds[i].file);
		free(builds[i].file);
	}
	free(builds);
}

enum pmpp_status programs_kernel(struct program_entry *entry, const char *name,
	struct gpu_kernel **ret_kernel, struct pmpp_error *error)
{
	for (size_t i = 0; i < entry->kernel_count; i++)
		if (strcmp(entry->kernels[i]->entry, name) == 0) {
			*ret_kernel = entry->kernels[i];
			return PMPP_OK;
		}
	if (entry->kernel_count == PMPP_MAX_STEPS)
		return PMPP_FAIL(error, PMPP_INTERNAL, "%s: too many kernels in one file", name);
	struct gpu_kernel **slot = &entry->kernels[entry->kernel_count];
	enum pmpp_status status = gpu_kernel_create(entry->program, name, slot, error);
	if (status != PMPP_OK)
		return status;
	entry->kernel_count++;
	*ret_kernel = *slot;
	return PMPP_OK;
}

/* ---- Binding -------------------------------------------------------------------------------- */

static struct gpu_buffer *buffer_of(const struct plan_arg *arg, struct gpu_buffer *const *buffers)
{
	return buffers[arg->kind == PLAN_ARG_SCRATCH ? PMPP_MAX_OPERANDS + arg->value : arg->value];
}

static struct gpu_arg bind_arg(
	const struct plan_arg *arg, const struct family *family, struct gpu_buffer *const *buffers)
{
	static const char *const scratch_names[PMPP_MAX_SCRATCH] = {
		"scratch 1", "scratch 2", "scratch 3"};

	switch (arg->kind) {
	case PLAN_ARG_OPERAND:
		return (struct gpu_arg){.kind = GPU_ARG_BUFFER,
			.name = family->operands[arg->value].name,
			.input = (size_t)arg->value + 1 < family->operand_count,
			.as.buffer = buffer_of(arg, buffers)};
	case PLAN_ARG_SCRATCH:
		return (struct gpu_arg){.kind = GPU_ARG_BUFFER,
			.name = scratch_names[arg->value],
			.as.buffer = buffer_of(arg, buffers)};
	case PLAN_ARG_INT:
		return (struct gpu_arg){.kind = GPU_ARG_INT, .as.i = (int32_t)arg->value};
	case PLAN_ARG_FLOAT:
		return (struct gpu_arg){.kind = GPU_ARG_FLOAT, .as.u = (uint32_t)arg->value};
	case PLAN_ARG_TILE_MAP: /* bind_launch() */
	case PLAN_ARG_ULONG:
		break;
	}
	return (struct gpu_arg){.kind = GPU_ARG_ULONG, .as.ul = (uint64_t)arg->value};
}

static enum pmpp_status bind_tile_map(const struct plan_tile_map *planned,
	struct gpu_buffer *const *buffers, struct gpu_tile_map *ret_map, struct pmpp_error *error)
{
	const struct gpu_tile_map_desc desc = {.buffer = buffer_of(&planned->buffer, buffers),
		.element_bytes = (uint32_t)planned->element_bytes,
		.rows = (uint64_t)planned->rows,
		.columns = (uint64_t)planned->columns,
		.pitch_bytes = (uint64_t)planned->pitch * (uint64_t)planned->element_bytes,
		.tile_rows = (uint32_t)planned->tile_rows,
		.tile_columns = (uint32_t)planned->tile_columns,
		.swizzled = planned->swizzled};

	return gpu_tile_map_make(&desc, ret_map, error);
}

static enum pmpp_status bind_launch(struct program_entry *entry, const struct plan_launch *planned,
	struct gpu_buffer *const *buffers, struct bound_launch *ret_bound, struct pmpp_error *error)
{
	enum pmpp_status status = programs_kernel(entry, planned->entry, &ret_bound->kernel, error);

	if (status != PMPP_OK)
		return status;
	/* The expression of a kernel of the user can be 0. */
	if (plan_launch_groups(planned) == 0)
		return PMPP_FAIL(error, PMPP_LAUNCH,
			"kernel %s: a grid of 0 blocks (%llu x %llu x %llu)", planned->entry,
			(unsigned long long)planned->groups[0],
			(unsigned long long)planned->groups[1],
			(unsigned long long)planned->groups[2]);
	ret_bound->launch = (struct gpu_launch){.shared_bytes = planned->shared_bytes,
		.args = ret_bound->args,
		.arg_count = planned->arg_count};
	for (int d = 0; d < 3; d++) {
		ret_bound->launch.groups[d] = planned->groups[d];
		ret_bound->launch.block[d] = planned->block[d];
	}
	for (size_t i = 0; i < planned->arg_count && status == PMPP_OK; i++) {
		const struct plan_arg *arg = &planned->args[i];

		if (arg->kind != PLAN_ARG_TILE_MAP) {
			ret_bound->args[i] = bind_arg(arg, entry->family, buffers);
			continue;
		}
		struct gpu_tile_map *map = &ret_bound->tile_maps[arg->value];
		status = bind_tile_map(&planned->tile_maps[arg->value], buffers, map, error);
		ret_bound->args[i] = (struct gpu_arg){.kind = GPU_ARG_TILE_MAP, .as.tile_map = map};
	}
	return status;
}

enum pmpp_status launch_bind(struct program_entry *entry, const struct plan *plan,
	struct gpu_buffer *const *buffers, struct bound_run *ret_run, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t s = 0; status == PMPP_OK && s < plan->step_count; s++) {
		const struct plan_step *step = &plan->steps[s];
		struct bound_step *bound = &ret_run->steps[s];

		bound->kind = step->kind;
		if (step->kind == PLAN_FILL)
			bound->as.fill = (struct bound_fill){
				.buffer = buffer_of(&step->as.fill.buffer, buffers),
				.pattern = step->as.fill.pattern,
				.kept = step->as.fill.kept};
		else if (step->kind == PLAN_COPY)
			bound->as.copy = (struct bound_copy){
				.target = buffer_of(&step->as.copy.target, buffers),
				.source = buffer_of(&step->as.copy.source, buffers)};
		else
			status = bind_launch(
				entry, &step->as.launch, buffers, &bound->as.launch, error);
	}
	ret_run->library = NULL;
	if (status == PMPP_OK)
		ret_run->step_count = plan->step_count;
	return status;
}

enum pmpp_status launch_build(struct programs *programs, const struct program_request *request,
	const struct plan *plan, struct gpu_buffer *const *buffers, struct bound_run *ret_run,
	struct pmpp_error *error)
{
	struct program_entry *entry;
	enum pmpp_status status = programs_get(programs, request, &entry, error);

	return status == PMPP_OK ? launch_bind(entry, plan, buffers, ret_run, error) : status;
}

static enum pmpp_status queue_launch(const struct bound_step *step, struct pmpp_error *error)
{
	return gpu_launch(step->as.launch.kernel, &step->as.launch.launch, error);
}

static enum pmpp_status queue_fill(const struct bound_step *step, struct pmpp_error *error)
{
	const struct bound_fill *fill = &step->as.fill;

	return gpu_buffer_fill(fill->buffer, 0, fill->buffer->bytes, fill->pattern, error);
}

static enum pmpp_status queue_copy(const struct bound_step *step, struct pmpp_error *error)
{
	return gpu_buffer_copy(step->as.copy.target, step->as.copy.source, error);
}

static enum pmpp_status queue_call(const struct bound_step *step, struct pmpp_error *error)
{
	return gpu_library_call(step->as.call.library, &step->as.call.call, error);
}

enum pmpp_status launch_step(const struct bound_step *step, struct pmpp_error *error)
{
	static enum pmpp_status (*const queue[])(
		const struct bound_step *step, struct pmpp_error *error) = {
		[PLAN_LAUNCH] = queue_launch,
		[PLAN_FILL] = queue_fill,
		[PLAN_COPY] = queue_copy,
		[PLAN_CALL] = queue_call,
	};

	return queue[step->kind](step, error);
}

enum pmpp_status launch_part(const struct bound_run *run, bool kept, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t s = 0; status == PMPP_OK && s < run->step_count; s++) {
		const struct bound_step *step = &run->steps[s];
		if ((step->kind == PLAN_FILL && step->as.fill.kept) == kept)
			status = launch_step(step, error);
	}
	return status;
}

enum pmpp_status launch_run(const struct bound_run *run, struct pmpp_error *error)
{
	enum pmpp_status status = launch_part(run, true, error);

	return status == PMPP_OK ? launch_part(run, false, error) : status;
}

/* All kernels of a run are of one program. */
struct gpu_variables launch_variables(const struct bound_run *run)
{
	for (size_t s = 0; s < run->step_count; s++)
		if (run->steps[s].kind == PLAN_LAUNCH)
			return run->steps[s].as.launch.kernel->program->variables;
	return (struct gpu_variables){0};
}

void launch_reset(const struct bound_run *run)
{
	struct gpu_variables variables = launch_variables(run);

	if (variables.bytes)
		memcpy(variables.now, variables.initial, variables.bytes);
}
