#include "common/model/ladder.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static bool has_macro(const struct ladder_rung *rung, const struct ladder_macro *macro)
{
	for (size_t i = 0; i < rung->macro_count; i++)
		if (strcmp(rung->macros[i].name, macro->name) == 0)
			return rung->macros[i].value == macro->value;
	return false;
}

static size_t equal_macros(const struct ladder_rung *a, const struct ladder_rung *b)
{
	size_t count = 0;

	for (size_t i = 0; i < a->macro_count; i++)
		count += has_macro(b, &a->macros[i]);
	return count;
}

double ladder_median(const char *variant, const struct ladder_rung *rung,
	const struct ladder_rung *before, size_t count)
{
	const struct ladder_rung *best = NULL;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(before[i].variant, variant) != 0 ||
			strcmp(before[i].backend, rung->backend) != 0 ||
			!isfinite(before[i].median_ns))
			continue;
		if (!best || equal_macros(rung, &before[i]) > equal_macros(rung, best))
			best = &before[i];
	}
	return best ? best->median_ns : NAN;
}

static double factor(double over_ns, double ns)
{
	double ratio = over_ns / ns;

	return isfinite(ratio) ? ratio : NAN;
}

struct ladder_factors ladder_factors(const char *base, const char *first,
	const struct ladder_rung *rung, const struct ladder_rung *before, size_t count)
{
	double base_ns = base ? ladder_median(base, rung, before, count) : NAN;
	double first_ns = strcmp(rung->variant, first) == 0
				  ? rung->median_ns
				  : ladder_median(first, rung, before, count);

	return (struct ladder_factors){
		factor(base_ns, rung->median_ns), factor(first_ns, rung->median_ns)};
}
