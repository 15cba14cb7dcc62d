#include "host/suite/internal.h"

#include "host/io/sources.h"

#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void entry_destroy(struct program_entry *entry)
{
	for (size_t i = 0; i < entry->kernel_count; i++)
		gpu_kernel_destroy(&entry->kernels[i]);
	gpu_program_destroy(&entry->program);
	free(entry);
}

void programs_finish(struct program_entry **programs)
{
	while (*programs) {
		struct program_entry *next = (*programs)->next;
		entry_destroy(*programs);
		*programs = next;
	}
}

/* Everything that decides the binary on this device, as text. */
static enum pmpp_status make_key(struct suite *suite, const struct config *config,
	const struct choice_macros *choices, const char *name, bool traced, char *ret_key,
	size_t size, struct pmpp_error *error)
{
	const struct macro *macros = config->variant->macros;
	int used = snprintf(
		ret_key, size, "%s math=%d traced=%d", name, (int)suite->options.math, (int)traced);

	for (size_t i = 0; macros[i].name && used >= 0 && (size_t)used < size; i++)
		used += snprintf(ret_key + used, size - (size_t)used, " %s=%d", macros[i].name,
			config->value[i]);
	for (size_t i = 0; i < choices->count && used >= 0 && (size_t)used < size; i++)
		used += snprintf(ret_key + used, size - (size_t)used, " %s", choices->name[i]);
	if (used < 0 || (size_t)used >= size)
		return PMPP_FAIL(error, PMPP_INTERNAL, "%s: too many macros", name);
	return PMPP_OK;
}

static void file_name(const struct variant *variant, enum gpu_backend_id backend,
	char ret_name[KERNEL_NAME_BYTES])
{
	snprintf(ret_name, KERNEL_NAME_BYTES, "%s/%s%s", variant_family(variant)->name,
		variant->file, gpu_backend_kernel_extension(backend));
}

enum pmpp_status kernel_file_load(const struct config *config, const struct problem *problem,
	enum gpu_backend_id backend, const char *root, struct kernel_file *ret_file,
	struct pmpp_error *error)
{
	const struct macro *macros = config->variant->macros;
	char name[sizeof ret_file->name], path[256];
	char *source = NULL;
	size_t count = 0;
	enum pmpp_status status;

	file_name(config->variant, backend, name);
	snprintf(path, sizeof path, "%s/%s", gpu_backend_kernel_folder(backend), name);
	status = source_load(root, path, &source, error);
	if (status != PMPP_OK)
		return status;
	*ret_file = (struct kernel_file){.source = source, .choices = problem_macros(problem)};
	memcpy(ret_file->name, name, sizeof name);
	for (; macros[count].name; count++)
		ret_file->macros[count] =
			(struct gpu_macro){macros[count].name, config->value[count]};
	for (size_t i = 0; i < ret_file->choices.count; i++)
		ret_file->macros[count++] = (struct gpu_macro){ret_file->choices.name[i], 1};
	ret_file->macro_count = count;
	return PMPP_OK;
}

void kernel_file_finish(struct kernel_file *file)
{
	free(file->source);
	file->source = NULL;
}

static enum pmpp_status build(struct suite *suite, const struct config *config,
	const struct problem *problem, bool traced, struct program_entry *entry,
	struct pmpp_error *error)
{
	struct kernel_file file = {0};
	/* The rows that measure the device are never the user's experiment. */
	const char *root =
		variant_family(config->variant)->internal ? NULL : suite->options.kernel_dir;
	enum pmpp_status status =
		kernel_file_load(config, problem, suite->device->info.backend, root, &file, error);

	if (status != PMPP_OK)
		return status;
	SHA256Data((const uint8_t *)file.source, strlen(file.source), entry->source_sha256);
	status = gpu_program_create(suite->device,
		&(struct gpu_program_desc){.name = file.name,
			.source = file.source,
			.macros = file.macros,
			.macro_count = file.macro_count,
			.math = suite->options.math,
			.traced = traced},
		&entry->program, error);
	kernel_file_finish(&file);
	return status;
}

enum pmpp_status programs_get(struct suite *suite, const struct config *config,
	const struct problem *problem, bool traced, struct program_entry **ret_entry,
	struct pmpp_error *error)
{
	struct choice_macros choices = problem_macros(problem);
	struct program_entry *entry;
	enum pmpp_status status;
	char name[KERNEL_NAME_BYTES];
	char key[sizeof entry->key];

	file_name(config->variant, suite->device->info.backend, name);
	status = make_key(suite, config, &choices, name, traced, key, sizeof key, error);
	if (status != PMPP_OK)
		return status;
	for (entry = suite->programs; entry; entry = entry->next)
		if (strcmp(entry->key, key) == 0) {
			*ret_entry = entry;
			return PMPP_OK;
		}
	entry = calloc(1, sizeof *entry);
	if (!entry)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for %s", name);
	memcpy(entry->key, key, sizeof key);
	status = build(suite, config, problem, traced, entry, error);
	if (status != PMPP_OK) {
		entry_destroy(entry);
		return status;
	}
	entry->next = suite->programs;
	suite->programs = entry;
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
