#include "common/check_sizes.h"
#include "common/integers.h"

#include <math.h>
#include <string.h>

/* The bases of the extents of one row's sizes. */
struct bases {
	int64_t tile[PMPP_MAX_DIMS];
	int64_t large;
};

static void config_tiles(const struct config *config, int64_t ret_tile[PMPP_MAX_DIMS])
{
	for (size_t i = 0; i < PMPP_MAX_DIMS; i++)
		ret_tile[i] = config_tile(config, i);
}

static int64_t large_of(const struct check_large *large, double work_times, double budget)
{
	double max = budget <= PMPP_FEW_WORK && large->few > 0 ? large->few : large->max;
	double quotient = budget / work_times / (large->work_each > 0 ? large->work_each : 1);
	const double roots[] = {quotient, quotient, sqrt(quotient), cbrt(quotient)};

	return (int64_t)fmin(roots[large->root], max > 0 ? max : INFINITY);
}

static int64_t extent_of(const struct check_extent *extent, const struct bases *bases)
{
	int64_t tile = bases->tile[extent->tile_dim];
	const int64_t values[] = {[CHECK_NUMBER] = 0,
		[CHECK_TILE] = tile,
		[CHECK_TILE_SQUARED] = tile * tile,
		[CHECK_LARGE] = bases->large};
	int64_t value = (extent->times * values[extent->base] + extent->before) / extent->divisor +
			extent->plus;

	return extent->max > 0 ? min(value, extent->max) : value;
}

static bool has_bit(unsigned mask, size_t bit)
{
	return mask == 0 || (mask >> bit & 1);
}

/* Returns NULL if no set matches the choices. */
static const struct check_set *find_set(const struct problem *problem)
{
	const struct check_set *sets = problem->family->check->sets;

	for (size_t i = 0; i < PMPP_MAX_CHECK_SETS && sets[i].sizes; i++)
		if (has_bit(sets[i].dtypes, problem->dtype) && has_bit(sets[i].ops, problem->op) &&
			has_bit(sets[i].data, problem->data))
			return &sets[i];
	return NULL;
}

static bool fits(
	const struct config *config, const struct problem *problem, int64_t max, double budget)
{
	for (size_t d = 0; d < problem->family->dim_count; d++)
		if (problem->dim[d] < 1)
			return false;
	return problem->dim[0] <= max && config_work(config, problem) <= budget;
}

size_t check_sizes_make(const struct config *config, const struct problem *problem, double budget,
	int64_t ret_sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS])
{
	const struct check_rule *rule = problem->family->check;
	const struct check_set *set = find_set(problem);
	struct bases bases = {
		.large = large_of(&rule->large, variant_work_times(config->variant), budget)};
	size_t count = 0;

	config_tiles(config, bases.tile);
	int64_t max = rule->max.divisor ? extent_of(&rule->max, &bases) : INT64_MAX;

	for (size_t i = 0; set && i < set->count && count < PMPP_MAX_CHECK_SIZES; i++) {
		struct problem sized = *problem;

		memset(sized.dim, 0, sizeof sized.dim);
		for (size_t d = 0; d < problem->family->dim_count; d++)
			sized.dim[d] = extent_of(&set->sizes[i].dim[d], &bases);
		if (fits(config, &sized, max, budget))
			memcpy(ret_sizes[count++], sized.dim, sizeof sized.dim);
	}
	return count;
}

/* ---- Cases --------------------------------------------------------------------------------- */

#define CASES_WORK 32768
#define CASE_PARTS 4
#define MAX_WHOLE_WORK 0x1p23

/* The work if no block is cut at the edges of the problem. Kernels written for CPUs have loops in place
 * of idle threads. */
double check_whole_work(const struct config *config, const struct problem *problem)
{
	int64_t tile[PMPP_MAX_DIMS] = {0};
	double work = config_work(config, problem);

	if (!(config->variant->needs & PMPP_CAP_OPENCL_CPU))
		config_tiles(config, tile);
	for (size_t d = 0; d < problem->family->dim_count; d++)
		if (tile[d] > 0)
			work *= ceil((double)problem->dim[d] / (double)tile[d]) * (double)tile[d] /
				(double)problem->dim[d];
	return work;
}

/* The part of a problem, from 0. The numbers are chosen so that the check sizes of every row have all
 * parts (tests/unit/test_family.c). */
static unsigned case_part(const struct problem *problem)
{
	static const int64_t factors[PMPP_MAX_DIMS] = {1, 10, 4, 18};
	const int64_t prime = 31;
	int64_t sum = 0;

	for (size_t d = 0; d < problem->family->dim_count; d++)
		sum += factors[d] * (problem->dim[d] % prime);
	return (unsigned)(sum % prime % CASE_PARTS);
}

unsigned check_cases(const struct config *config, const struct problem *problem)
{
	unsigned cases = problem->family->cases | CHECK_SEED, part = 0;

	if (config_work(config, problem) > CASES_WORK)
		return 0;
	/* Large elements leave the range of f16 if a row multiplies them in this type. */
	if (problem->rounding == ROUND_F16)
		cases &= ~CASE_BIT(CASE_LARGE);
	double whole = check_whole_work(config, problem);
	if (whole <= CASES_WORK)
		return cases;
	if (whole > MAX_WHOLE_WORK)
		return 0;
	for (unsigned c = case_part(problem); c <= CASE_COUNT; c += CASE_PARTS)
		part |= CASE_BIT(c);
	return cases & part;
}
