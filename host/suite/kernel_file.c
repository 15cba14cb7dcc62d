#include "host/suite/kernel_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/host_code.h"
#include "common/own/kernel.h"
#include "host/gpu/ptx.h"
#include "host/io/code_digest.h"
#include "host/io/sources.h"

bool kernel_file_exists(const struct variant *variant, enum gpu_backend_id backend)
{
	bool cuda = gpu_backend_row(backend)->language == GPU_LANGUAGE_CUDA_C;

	return variant->peer == PEER_NONE && !(cuda ? variant->one_sided : variant->cuda_only);
}

/* "matmul/tiled.cu" */
static void kernel_file_name(const struct variant *variant, enum gpu_backend_id backend,
	char ret_name[KERNEL_NAME_BYTES])
{
	if (variant->own)
		snprintf(ret_name, KERNEL_NAME_BYTES, "%s", variant->own->file);
	else
		snprintf(ret_name, KERNEL_NAME_BYTES, "%s/%s%s", variant_family(variant)->name,
			variant->file, gpu_backend_kernel_extension(backend));
}

void kernel_file_path(const struct variant *variant, enum gpu_backend_id backend,
	char ret_path[KERNEL_PATH_BYTES])
{
	char name[KERNEL_NAME_BYTES];

	kernel_file_name(variant, backend, name);
	if (variant->own)
		snprintf(ret_path, KERNEL_PATH_BYTES, "%s", name);
	else
		snprintf(ret_path, KERNEL_PATH_BYTES, "%s/%s", gpu_backend_kernel_folder(backend),
			name);
}

const char *kernel_file_root(const struct variant *variant, const char *root)
{
	return variant->own ? variant->own->folder : root;
}

/* Changes a file of the user to a text for compilers of kernels: a CUDA file may have host code. Returns false if
 * there is no memory. */
static bool make_kernel_text(const struct variant *variant, enum gpu_backend_id backend,
	char **source, char ret_host_code[HOST_CODE_BYTES])
{
	if (gpu_backend_row(backend)->language == GPU_LANGUAGE_CUDA_C &&
		!host_code_blank(*source, ret_host_code, HOST_CODE_BYTES))
		return false;
	if (!variant->own)
		return true;
	host_code_blank_headers(*source, true);
	return own_kernel_export(variant->own, source);
}

static enum pmpp_status load_source(const char *root, const struct variant *variant,
	enum gpu_backend_id backend, char **ret_source, char ret_host_code[HOST_CODE_BYTES],
	struct pmpp_error *error)
{
	char path[KERNEL_PATH_BYTES];

	kernel_file_path(variant, backend, path);
	enum pmpp_status status = source_load(root, path, ret_source, error);
	if (status != PMPP_OK || !root ||
		make_kernel_text(variant, backend, ret_source, ret_host_code))
		return status;
	free(*ret_source);
	return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for %s", path);
}

enum pmpp_status kernel_file_load(const struct config *config, const struct problem *problem,
	enum gpu_backend_id backend, const char *root, struct kernel_file *ret_file,
	struct pmpp_error *error)
{
	const struct macro *macros = config->variant->macros;
	const struct constant *constants = config->variant->constants;
	char name[sizeof ret_file->name];
	char host_code[sizeof ret_file->host_code] = "";
	char *source = NULL;
	size_t count = 0;
	enum pmpp_status status;

	kernel_file_name(config->variant, backend, name);
	status = load_source(kernel_file_root(config->variant, root), config->variant, backend,
		&source, host_code, error);
	if (status != PMPP_OK)
		return status;
	*ret_file = (struct kernel_file){.source = source,
		.choices = problem_macros(problem),
		.desc = {.name = ret_file->name,
			.source = source,
			.macros = ret_file->macros,
			.device_scope = config->variant->blocks_meet,
			.sub_groups = config->variant->sub_groups,
			.max_registers = config->variant->max_registers,
			.arch_specific = pmpp_capability_is_specific(config->variant->needs)}};
	memcpy(ret_file->name, name, sizeof name);
	source_clean_name(ret_file->name);
	memcpy(ret_file->host_code, host_code, sizeof host_code);
	for (; macros[count].name; count++)
		ret_file->macros[count] =
			(struct gpu_macro){macros[count].name, config->value[count]};
	for (size_t i = 0; constants[i].name; i++)
		ret_file->macros[count++] =
			(struct gpu_macro){constants[i].name, constants[i].value};
	for (size_t i = 0; i < ret_file->choices.count; i++)
		ret_file->macros[count++] = (struct gpu_macro){ret_file->choices.name[i], 1};
	ret_file->desc.macro_count = count;
	return PMPP_OK;
}

void kernel_file_finish(struct kernel_file *file)
{
	free(file->source);
	file->source = NULL;
}

/* "": the file cannot be read. */
static void digest_of(const char *root, const char *path, char ret_digest[CODE_DIGEST_BYTES])
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	char *source = NULL;

	*ret_digest = '\0';
	if (source_load(root, path, &source, &ignored) == PMPP_OK)
		code_digest(source, ret_digest);
	free(source);
	pmpp_error_clear(&ignored);
}

bool kernel_file_is_own(
	const struct variant *variant, enum gpu_backend_id backend, const char *root)
{
	char path[KERNEL_PATH_BYTES], own[CODE_DIGEST_BYTES], embedded[CODE_DIGEST_BYTES];

	if (variant->own)
		return true;
	if (!root || variant_family(variant)->internal || !kernel_file_exists(variant, backend))
		return false;
	kernel_file_path(variant, backend, path);
	digest_of(root, path, own);
	digest_of(NULL, path, embedded);
	return *own && strcmp(own, embedded) != 0;
}

/* ---- PTX ------------------------------------------------------------------------------------ */

/* PTX of a variant's kernel files, and its instruction counts (common/ptx.h). */

enum pmpp_status kernel_ptx_of_file(const struct config *config, const struct problem *problem,
	enum gpu_backend_id backend, const char *root, enum gpu_math math, const char *arch,
	char **ret_ptx, struct pmpp_error *error)
{
	struct kernel_file file = {0};
	enum pmpp_status status = kernel_file_load(config, problem, backend, root, &file, error);

	if (status != PMPP_OK)
		return status;
	file.desc.math = math;
	status = gpu_source_ptx(backend, &file.desc, arch, ret_ptx, error);
	kernel_file_finish(&file);
	return status;
}

enum pmpp_status kernel_ptx_count(const struct plan *plan, const char *const texts[2],
	struct ptx_table *table, struct pmpp_error *error)
{
	const char *entries[PMPP_MAX_STEPS];
	const struct plan_launch *launch;
	size_t entry_count = 0;
	enum pmpp_status status = PMPP_OK;

	/* A file may also contain kernels of other variants. */
	for (size_t i = 0; (launch = plan_launch_from(plan, &i)); i++)
		entries[entry_count++] = launch->entry;
	for (int i = 0; i < 2 && status == PMPP_OK; i++)
		if (texts[i])
			status = ptx_count(texts[i], entries, entry_count, i, table, error);
	return status;
}
