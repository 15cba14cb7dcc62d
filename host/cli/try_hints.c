/* Hints about a wrong kernel: what the file can say so that `try` runs the kernel as its author does. */
#include "host/cli/try_outputs.h"

#include <stdio.h>
#include <string.h>

#include "common/words.h"

static bool is_failed(const struct result_row *row)
{
	return result_row_class(row) == OUTCOME_CLASS_FAILED;
}

/* Sums by atomic operations need an output that is 0 before the launch. */
static bool misses_clear(const struct trial *trial, char *ret_text, size_t size)
{
	const struct own_kernel *kernel = trial->kernel;
	const char *end = kernel->code + strlen(kernel->code), *name = "out";
	size_t length;
	bool found = false;

	for (const char *at = next_word(kernel->code, end, &length); length > 0 && !found;
		at = next_word(at + length, end, &length))
		found = length >= strlen("atomic_") && strncmp(at, "atomic", strlen("atomic")) == 0;
	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_OPERAND &&
			kernel->params[i].index + 1 == kernel->family->operand_count)
			name = kernel->params[i].name;
	snprintf(ret_text, size,
		"the kernel uses atomic operations. If the host sets %s to 0 before the launch, add the "
		"line '//pmpp: clear = %s'",
		name, name);
	return found && !kernel->cleared;
}

/* Whether the required sizes of a row are equal. */
static bool has_equal_sizes(const struct result_row *row, const struct family *family)
{
	for (size_t d = 1; d < family->dim_count; d++)
		if (!family->dim_default[d] &&
			named_list_get(&row->problem, family->dim_names[d], 0) !=
				named_list_get(&row->problem, family->dim_names[0], 0))
			return false;
	return true;
}

/* Whether each size has a parameter of its own name: the roles are not in doubt. */
static bool has_own_names(const struct own_kernel *kernel)
{
	size_t named = 0, required = 0;

	for (size_t d = 0; d < kernel->family->dim_count; d++)
		required += !kernel->family->dim_default[d];
	for (size_t i = 0; i < kernel->param_count; i++) {
		const struct own_param *param = &kernel->params[i];
		named += param->role == OWN_SIZE && !kernel->family->dim_default[param->index] &&
			 strcmp(param->name, kernel->family->dim_names[param->index]) == 0;
	}
	return named == required;
}

/* Right for equal sizes only: perhaps the parameters have other roles. */
static bool has_other_roles(const struct trial *trial, char *ret_text, size_t size)
{
	const struct own_kernel *kernel = trial->kernel;
	const struct own_param *last = NULL;
	size_t sizes = 0, right = 0;

	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_SIZE) {
			last = &kernel->params[i];
			sizes++;
		}
	for (size_t i = 0; i < trial->rows.results.count; i++) {
		const struct result_row *row = &trial->rows.results.items[i];
		bool equal = has_equal_sizes(row, kernel->family);
		if (equal && is_failed(row))
			return false;
		right += equal && row->status == OUTCOME_OK &&
			 named_list_get(&row->problem, kernel->family->dim_names[0], 0) > 1;
	}
	if (sizes < 2 || right == 0 || has_own_names(kernel))
		return false;
	snprintf(ret_text, size,
		"the result is wrong only if the sizes differ. If a parameter stands for another size, "
		"add a line such as '//pmpp: %s = %s'",
		last->name,
		kernel->family->dim_names[(last->index + 1) % kernel->family->dim_count]);
	return true;
}

/* The fourth edition of the book prints 0.71 for green in its kernel, so that white is not white. */
static bool has_dark_green(const struct trial *trial, char *ret_text, size_t size)
{
	snprintf(ret_text, size,
		"the weights of grayscale are 0.21, 0.72 and 0.07, whose sum is 1. The kernel has 0.71, "
		"like one figure of the book");
	return strcmp(trial->kernel->family->name, "grayscale") == 0 &&
	       strstr(trial->kernel->code, "0.71");
}

/* A compiler of OpenCL allocates registers for the block size of the attribute. Without it, it assumes a size. */
static bool has_unknown_block(const struct trial *trial, char *ret_text, size_t size)
{
	const struct own_kernel *kernel = trial->kernel;
	bool refused = false;

	for (size_t i = 0; i < trial->rows.results.count; i++)
		refused |= trial->rows.results.items[i].status == OUTCOME_UNSUPPORTED;
	snprintf(ret_text, size,
		"a device may accept a larger block if the kernel has the attribute "
		"__attribute__((reqd_work_group_size(%u, %u, %u)))",
		kernel->block[0], kernel->block[1], kernel->block[2]);
	return refused && !kernel->cuda && !strstr(kernel->code, "reqd_work_group_size");
}

bool try_hint(const struct trial *trial, char *ret_text, size_t size)
{
	static bool (*const hints[])(const struct trial *, char *, size_t) = {
		has_dark_green, misses_clear, has_other_roles};
	bool failed = false;

	for (size_t i = 0; i < trial->rows.results.count; i++)
		failed |= is_failed(&trial->rows.results.items[i]);
	if (trial->kernel && has_unknown_block(trial, ret_text, size))
		return true;
	for (size_t i = 0; i < ARRAY_COUNT(hints) && failed && trial->kernel; i++)
		if (hints[i](trial, ret_text, size))
			return true;
	return false;
}
