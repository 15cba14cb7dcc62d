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

const struct ladder_rung *ladder_find(const char *variant, const struct ladder_rung *rung,
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
	return best;
}

static double quotient(double a, double b)
{
	double ratio = a / b;

	return isfinite(ratio) ? ratio : NAN;
}

struct stats_ratio ladder_ratio(const struct ladder_rung *over, const struct ladder_rung *rung)
{
	struct stats_ratio ratio = {NAN, {NAN, NAN}};

	if (!over)
		return ratio;
	ratio.median = quotient(over->median_ns, rung->median_ns);
	ratio.ci95[0] = quotient(over->ci95_ns[0], rung->ci95_ns[1]);
	ratio.ci95[1] = quotient(over->ci95_ns[1], rung->ci95_ns[0]);
	return ratio;
}
