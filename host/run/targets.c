#include "host/run/targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "host/suite/kernel_file.h"

/* ---- Targets ------------------------------------------------------------------------------- */

#define MAX_NAMES 64

/* "no family 'matmull' (did you mean matmul?)" */
static enum pmpp_status unknown_family(const char *word, struct pmpp_error *error)
{
	const char *names[MAX_NAMES];
	size_t count = 0;
	char near[128];

	for (size_t i = 0; i < family_count && count < MAX_NAMES; i++)
		if (!families[i]->internal)
			names[count++] = families[i]->name;
	nearest_names(word, names, count, near, sizeof near);
	return PMPP_FAIL(error, PMPP_USAGE, "no family '%s'%s%s%s; see pmpp-run list", word,
		*near ? " (did you mean " : "", near, *near ? "?)" : "");
}

static enum pmpp_status unknown_variant(
	const struct family *family, const char *word, struct pmpp_error *error)
{
	const char *names[MAX_NAMES];
	size_t count = 0;
	char near[128];

	for (size_t i = 0; i < family->variant_count && count < MAX_NAMES; i++)
		names[count++] = family->variants[i].name;
	nearest_names(word, names, count, near, sizeof near);
	return PMPP_FAIL(error, PMPP_USAGE, "%s has no variant '%s'%s%s%s; see pmpp-run list %s",
		family->name, word, *near ? " (did you mean " : "", near, *near ? "?)" : "",
		family->name);
}

enum pmpp_status targets_refuse_file(const char *word, struct pmpp_error *error)
{
	static const enum gpu_backend_id backends[] = {GPU_BACKEND_CUDA, GPU_BACKEND_OPENCL};
	const struct variant *example = variant_find(family_find("matmul"), "naive");
	const char *ending = strrchr(word, '.');
	char path[KERNEL_PATH_BYTES];

	for (size_t i = 0; ending && i < sizeof backends / sizeof *backends; i++) {
		if (strcmp(ending, gpu_backend_kernel_extension(backends[i])) != 0)
			continue;
		kernel_file_path(example, backends[i], path);
		return PMPP_FAIL(error, PMPP_USAGE,
			"'%s' is a file; give FAMILY[/VARIANT] and a folder of kernels. Example: "
			"save the file as DIR/%s, with the kernel's name and parameters of `pmpp-run "
			"show matmul/%s`, then give matmul/%s --kernel-dir=DIR "
			"(docs/verification.md)",
			word, path, example->name, example->name);
	}
	return PMPP_OK;
}

/* Marks in chosen[family index] the variants that a word names, one bit each. */
static enum pmpp_status mark_word(const char *word, uint64_t *chosen, struct pmpp_error *error)
{
	char name[64];
	const char *slash = strchr(word, '/');
	bool all = strcmp(word, "all") == 0;

	if (all) {
		for (size_t i = 0; i < family_count; i++)
			if (!families[i]->internal)
				chosen[i] = UINT64_MAX;
		return PMPP_OK;
	}
	enum pmpp_status status = targets_refuse_file(word, error);
	if (status != PMPP_OK)
		return status;
	snprintf(name, sizeof name, "%.*s", slash ? (int)(slash - word) : (int)strlen(word), word);
	const struct family *family = family_find(name);
	if (!family || family->internal)
		return unknown_family(name, error);
	const struct variant *variant = slash ? variant_find(family, slash + 1) : NULL;
	if (slash && !variant)
		return unknown_variant(family, slash + 1, error);
	uint64_t bits = variant ? (uint64_t)1 << (variant - family->variants) : UINT64_MAX;
	for (size_t i = 0; i < family_count; i++)
		if (families[i] == family)
			chosen[i] |= bits;
	return PMPP_OK;
}

static bool add_target(struct target_list *list, const struct family *family, uint64_t chosen)
{
	struct target *target = &list->items[list->count];

	target->variants = calloc(family->variant_count, sizeof *target->variants);
	if (!target->variants)
		return false;
	list->count++;
	target->family = family;
	for (size_t i = 0; i < family->variant_count; i++)
		if (chosen >> i & 1)
			target->variants[target->variant_count++] = &family->variants[i];
	return true;
}

enum pmpp_status targets_parse(const char *const *words, size_t word_count,
	struct target_list *ret_list, struct pmpp_error *error)
{
	struct target_list list = {0};
	enum pmpp_status status = PMPP_OK;
	uint64_t *chosen = calloc(family_count, sizeof *chosen);

	list.items = calloc(family_count, sizeof *list.items);
	if (!chosen || !list.items) {
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the families");
		goto out;
	}
	for (size_t i = 0; i < word_count && status == PMPP_OK; i++)
		status = mark_word(words[i], chosen, error);
	for (size_t i = 0; i < family_count && status == PMPP_OK; i++)
		if (chosen[i] && !add_target(&list, families[i], chosen[i]))
			status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the variants");
	if (status != PMPP_OK)
		goto out;
	*ret_list = list;
	list = (struct target_list){0};
out:
	targets_finish(&list);
	free(chosen);
	return status;
}

void targets_finish(struct target_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].variants);
	free(list->items);
	*list = (struct target_list){0};
}
