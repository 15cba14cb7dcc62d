#include "host/run/kernel_dir.h"

#include <stdlib.h>
#include <string.h>

#include "host/io/includes.h"
#include "host/io/sources.h"
#include "host/suite/kernel_file.h"

/* Keeps one backend per kernel language. */
static unsigned one_of_each_language(unsigned backends)
{
	unsigned languages = 0;
	unsigned kept = 0;

	for (enum gpu_backend_id id = 0; id < GPU_BACKEND_COUNT; id++) {
		unsigned language = 1u << gpu_backend_row(id)->language;
		if (!(backends & BACKEND_BIT(id)) || (languages & language))
			continue;
		languages |= language;
		kept |= BACKEND_BIT(id);
	}
	return kept;
}

/* Several variants may share a file. */
static bool is_first_user(const struct target *target, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(target->variants[i]->file, target->variants[index]->file) == 0)
			return false;
	return true;
}

/* Counts the target's files that cannot be read. *error keeps the first error. If no file is
 * missing, an error in an included file ends the check. */
static enum pmpp_status check_target(const char *root, const struct target *target,
	enum gpu_backend_id backend, size_t *count, struct pmpp_error *error)
{
	struct pmpp_error other = PMPP_ERROR_INIT;
	char path[KERNEL_PATH_BYTES];

	for (size_t i = 0; i < target->variant_count; i++) {
		char *text = NULL;
		const struct variant *variant = target->variants[i];
		if (!kernel_file_exists(variant, backend) || !is_first_user(target, i))
			continue;
		kernel_file_path(variant, backend, path);
		enum pmpp_status status =
			source_load_file(root, path, &text, *count ? &other : error);
		free(text);
		pmpp_error_clear(&other);
		if (status == PMPP_OK && *count == 0) {
			status = source_load(root, path, &text, error);
			if (status != PMPP_OK)
				return status;
			free(text);
		}
		if (status != PMPP_OK && status != PMPP_USAGE)
			return status;
		*count += status == PMPP_USAGE;
	}
	return PMPP_OK;
}

enum pmpp_status kernel_dir_check(const char *root, const struct target_list *targets,
	unsigned backends, struct pmpp_error *error)
{
	unsigned readers = one_of_each_language(backends);
	size_t count = 0;
	enum pmpp_status status = root ? source_check_root(root, error) : PMPP_OK;

	if (!root || status != PMPP_OK)
		return status;
	for (size_t t = 0; t < targets->count; t++)
		for (enum gpu_backend_id id = 0; id < GPU_BACKEND_COUNT; id++)
			if ((readers & BACKEND_BIT(id)) && status == PMPP_OK)
				status = check_target(root, &targets->items[t], id, &count, error);
	if (status != PMPP_OK || count == 0)
		return status;
	if (count > 1)
		pmpp_error_append(error, "; %zu other kernel file%s cannot be read", count - 1,
			count > 2 ? "s" : "");
	pmpp_error_append(
		error, "; copy the missing files from the project, or choose other variants");
	return PMPP_USAGE;
}
