#include "common/family.h"

#include <stdio.h>
#include <string.h>

static int64_t extent(int dim, const struct problem *problem)
{
	return dim == DIM_ONE ? 1 : problem->dim[dim];
}

int64_t operand_rows(const struct operand *operand, const struct problem *problem)
{
	return extent(operand->rows_dim, problem);
}

int64_t operand_columns(const struct operand *operand, const struct problem *problem)
{
	return extent(operand->columns_dim, problem);
}

uint64_t operand_bytes(const struct operand *operand, const struct problem *problem)
{
	uint64_t elements;
	uint64_t bytes;

	if (__builtin_mul_overflow((uint64_t)operand_rows(operand, problem),
		    (uint64_t)operand_columns(operand, problem), &elements) ||
		__builtin_mul_overflow(elements, sizeof(float), &bytes))
		return UINT64_MAX;
	return bytes;
}

double problem_bytes_compulsory(const struct problem *problem)
{
	double bytes = 0;

	for (size_t i = 0; i < problem->family->operand_count; i++)
		bytes += (double)operand_bytes(&problem->family->operands[i], problem);
	return bytes;
}

int config_value(const struct config *config, const char *name)
{
	const struct macro *macros = config->variant->macros;

	for (size_t i = 0; macros[i].name; i++)
		if (strcmp(macros[i].name, name) == 0)
			return config->value[i];
	return 0;
}

struct config config_default(const struct variant *variant)
{
	struct config config = {.variant = variant};

	for (size_t i = 0; variant->macros[i].name; i++)
		config.value[i] = variant->macros[i].value;
	return config;
}

const char *reproducibility_name(enum reproducibility repro)
{
	static const char *const names[] = {
		[REPRO_BITWISE] = "bitwise", [REPRO_RUN] = "run", [REPRO_BOUND] = "bound"};
	return names[repro];
}

void problem_text(const struct problem *problem, char *ret_text, size_t size)
{
	const struct family *family = problem->family;
	bool equal = true;
	size_t used = 0;

	for (size_t i = 1; i < family->dim_count; i++)
		equal = equal && problem->dim[i] == problem->dim[0];
	ret_text[0] = '\0';
	for (size_t i = 0; i < family->dim_count && used < size; i++) {
		bool last = i + 1 == family->dim_count;
		int length = equal && !last ? snprintf(ret_text + used, size - used,
						      "%s=", family->dim_names[i])
					    : snprintf(ret_text + used, size - used, "%s=%lld%s",
						      family->dim_names[i],
						      (long long)problem->dim[i], last ? "" : " ");
		used += length > 0 ? (size_t)length : 0;
	}
}
