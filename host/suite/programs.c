#include "host/suite/programs.h"

#include "host/suite/kernel_file.h"

#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void entry_destroy(struct program_entry *entry)
{
	for (size_t i = 0; i < entry->kernel_count; i++)
		gpu_kernel_destroy(&entry->kernels[i]);
	gpu_program_destroy(&entry->program);
	kernel_warnings_finish(&entry->warnings);
	free(entry);
}

void programs_finish(struct programs *programs)
{
	while (programs->entries) {
		struct program_entry *next = programs->entries->next;
		entry_destroy(programs->entries);
		programs->entries = next;
	}
}

/* Writes everything that the binary depends on for this device, as text. */
static enum pmpp_status make_key(const struct program_request *request,
	const struct choice_macros *choices, const char *name, char *ret_key, size_t size,
	struct pmpp_error *error)
{
	const struct config *config = request->config;
	const struct macro *macros = config->variant->macros;
	int used = snprintf(ret_key, size, "%s math=%d traced=%d fill=%d", name, (int)request->math,
		(int)request->traced, (int)request->fill);

	for (size_t i = 0; macros[i].name && used >= 0 && (size_t)used < size; i++)
		used += snprintf(ret_key + used, size - (size_t)used, " %s=%d", macros[i].name,
			config->value[i]);
	for (size_t i = 0; i < choices->count && used >= 0 && (size_t)used < size; i++)
		used += snprintf(ret_key + used, size - (size_t)used, " %s", choices->name[i]);
	if (used < 0 || (size_t)used >= size)
		return PMPP_FAIL(error, PMPP_INTERNAL, "%s: too many macros", name);
	return PMPP_OK;
}

static enum pmpp_status build(const struct programs *programs,
	const struct program_request *request, struct program_entry *entry,
	struct pmpp_error *error)
{
	struct kernel_file file = {0};
	/* The kernels that measure the device never come from the user's kernel folder. */
	const char *root = variant_family(request->config->variant)->internal
				   ? programs->roof_dir
				   : programs->kernel_dir;
	enum pmpp_status status = kernel_file_load(request->config, request->problem,
		programs->device->info.backend, root, &file, error);

	if (status != PMPP_OK)
		return status;
	struct gpu_program_desc desc = kernel_file_desc(&file, request->math);
	desc.traced = request->traced;
	desc.fill = request->fill;
	SHA256Data((const uint8_t *)file.source, strlen(file.source), entry->source_sha256);
	if (!code_digest(file.source, entry->code_sha256))
		status = PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "%s: no host memory for its digest", file.name);
	if (status == PMPP_OK)
		status = gpu_program_create(programs->device, &desc, &entry->program, error);
	if (status == PMPP_OK &&
		!kernel_warnings_read(entry->program, file.name, file.source, &entry->warnings))
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY,
			"%s: no host memory for the compiler's warnings", file.name);
	if (status == PMPP_OK)
		kernel_warnings_report(
			&entry->warnings, file.name, programs->note, programs->note_context);
	kernel_file_finish(&file);
	return status;
}

enum pmpp_status programs_get(struct programs *programs, const struct program_request *request,
	struct program_entry **ret_entry, struct pmpp_error *error)
{
	struct choice_macros choices = problem_macros(request->problem);
	struct program_entry *entry;
	enum pmpp_status status;
	char name[KERNEL_NAME_BYTES];
	char key[sizeof entry->key];

	kernel_file_name(request->config->variant, programs->device->info.backend, name);
	status = make_key(request, &choices, name, key, sizeof key, error);
	if (status != PMPP_OK)
		return status;
	for (entry = programs->entries; entry; entry = entry->next)
		if (strcmp(entry->key, key) == 0) {
			*ret_entry = entry;
			return PMPP_OK;
		}
	entry = calloc(1, sizeof *entry);
	if (!entry)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for %s", name);
	memcpy(entry->key, key, sizeof key);
	entry->family = request->problem->family;
	status = build(programs, request, entry, error);
	if (status != PMPP_OK) {
		entry_destroy(entry);
		return status;
	}
	entry->next = programs->entries;
	programs->entries = entry;
	*ret_entry = entry;
	return PMPP_OK;
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
