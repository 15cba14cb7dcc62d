/* Programs and their kernels. */
#include "host/gpu/gpu.h"

#include "host/gpu/arguments.h"
#include "host/gpu/backend.h"
#include "host/io/clock.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *gpu_cache_outcome_name(enum gpu_cache_outcome outcome)
{
	static const char *const names[] = {
		[GPU_CACHE_NONE] = "none",
		[GPU_CACHE_HIT] = "hit",
		[GPU_CACHE_MISS] = "miss",
		[GPU_CACHE_REBUILT] = "rebuilt",
	};
	return (size_t)outcome < sizeof names / sizeof *names ? names[outcome] : "unknown";
}

static enum pmpp_status check_macro(const struct gpu_macro *macro, struct pmpp_error *error)
{
	size_t length = strlen(macro->name);

	if (length < 4)
		return PMPP_FAIL(error, PMPP_INTERNAL,
			"macro %s: names of fewer than four letters break vendors' headers",
			macro->name);
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)macro->name[i]) && macro->name[i] != '_')
			return PMPP_FAIL(error, PMPP_INTERNAL, "macro '%s' is not an identifier",
				macro->name);
	return PMPP_OK;
}

/* Adds the first line of a compiler's log that contains an error. */
static void append_first_error(struct pmpp_error *error)
{
	const char *line = error->log;

	while (line && *line) {
		size_t length = strcspn(line, "\n");

		if (memmem(line, length, "error", strlen("error"))) {
			pmpp_error_append(
				error, ": %.*s", (int)(length < 300 ? length : 300), line);
			return;
		}
		line += length + (line[length] == '\n');
	}
}

enum pmpp_status gpu_program_create(struct gpu_device *device, const struct gpu_program_desc *desc,
	struct gpu_program **ret_program, struct pmpp_error *error)
{
	struct gpu_program *program = NULL;
	char name[GPU_TEXT_BYTES];
	double begin_ns;
	enum pmpp_status status;

	for (size_t i = 0; i < desc->macro_count; i++) {
		status = check_macro(&desc->macros[i], error);
		if (status != PMPP_OK)
			return status;
	}

	begin_ns = host_clock_ns();
	status = device->backend->program_create(device, desc, &program, error);
	if (status != PMPP_OK) {
		pmpp_error_prefix(
			error, "%s on %s", desc->name, gpu_device_text(&device->info, name));
		append_first_error(error);
		return status;
	}
	program->device = device;
	kernel_names_text(desc->source, program->kernels, sizeof program->kernels);
	program->compile_ms = (host_clock_ns() - begin_ns) * 1e-6;
	*ret_program = program;
	return PMPP_OK;
}

void gpu_program_destroy(struct gpu_program **program)
{
	char *options, *log;

	if (!program || !*program)
		return;
	options = (*program)->options;
	log = (*program)->log;
	(*program)->device->backend->program_destroy(*program);
	free(options);
	free(log);
	*program = NULL;
}

/* Some drivers detect too much shared memory only at the launch; PoCL 3.1 aborts the process. */
static enum pmpp_status check_static_shared(struct gpu_kernel *kernel, struct pmpp_error *error)
{
	const struct gpu_device *device = kernel->program->device;
	struct gpu_kernel_resources resources;
	char name[GPU_TEXT_BYTES];
	enum pmpp_status status = gpu_kernel_resources(kernel, &resources, error);

	if (status != PMPP_OK)
		return status;
	if (resources.shared_bytes <= (int64_t)device->info.limits.shared_bytes)
		return PMPP_OK;
	PMPP_FAIL(error, PMPP_UNSUPPORTED,
		"kernel %s: %lld bytes of shared memory per block, %s has %lu", kernel->entry,
		(long long)resources.shared_bytes, gpu_device_text(&device->info, name),
		(unsigned long)device->info.limits.shared_bytes);
	return pmpp_error_set_block_limit(error);
}

enum pmpp_status gpu_kernel_create(struct gpu_program *program, const char *entry,
	struct gpu_kernel **ret_kernel, struct pmpp_error *error)
{
	const struct gpu_backend *backend = program->device->backend;
	struct gpu_kernel *kernel = NULL;
	enum pmpp_status status;

	if (strlen(entry) >= sizeof kernel->entry)
		return PMPP_FAIL(error, PMPP_INTERNAL, "the entry name %s is too long", entry);

	status = backend->kernel_create(program, entry, &kernel, error);
	if (status != PMPP_OK) {
		pmpp_error_prefix(error, "kernel %s", entry);
		return status;
	}
	kernel->program = program;
	snprintf(kernel->entry, sizeof kernel->entry, "%s", entry);

	status = check_static_shared(kernel, error);
	if (status != PMPP_OK) {
		backend->kernel_destroy(kernel);
		return status;
	}
	*ret_kernel = kernel;
	return PMPP_OK;
}

void gpu_kernel_destroy(struct gpu_kernel **kernel)
{
	if (!kernel || !*kernel)
		return;
	(*kernel)->program->device->backend->kernel_destroy(*kernel);
	*kernel = NULL;
}

enum pmpp_status gpu_kernel_resources(struct gpu_kernel *kernel,
	struct gpu_kernel_resources *ret_resources, struct pmpp_error *error)
{
	return kernel->program->device->backend->kernel_resources(kernel, ret_resources, error);
}
