#include "host/suite/fallback.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Limits -------------------------------------------------------------------------------- */

static void find_limit(const struct plan_launch *launch, const struct gpu_limits *limits,
	char *ret_text, size_t size)
{
	uint64_t threads = plan_launch_threads(launch);

	*ret_text = '\0';
	for (int d = 0; d < 3; d++)
		if (launch->block[d] > limits->max_block[d])
			snprintf(ret_text, size,
				"a block has %lu threads along %c; this device allows at most %lu",
				(unsigned long)launch->block[d], "xyz"[d],
				(unsigned long)limits -> max_block[d]);
	if (threads > limits->max_block_threads)
		snprintf(ret_text, size, "a block has %llu threads; this device allows at most %lu",
			(unsigned long long)threads, (unsigned long)limits->max_block_threads);
	if (launch->shared_bytes > limits->shared_optin_bytes)
		snprintf(ret_text, size,
			"%lu bytes of dynamic shared memory per block; this device has %lu",
			(unsigned long)launch->shared_bytes,
			(unsigned long)limits->shared_optin_bytes);
}

void fallback_block_limit(
	const struct plan *plan, const struct gpu_limits *limits, char *ret_text, size_t size)
{
	const struct plan_launch *launch;

	*ret_text = '\0';
	if (plan->other_threads > limits->max_block_threads)
		snprintf(ret_text, size,
			"a block of another kernel of the file has %llu threads; this device "
			"allows at most %lu",
			(unsigned long long)plan->other_threads,
			(unsigned long)limits->max_block_threads);
	for (size_t s = 0; !*ret_text && (launch = plan_launch_from(plan, &s)); s++)
		find_limit(launch, limits, ret_text, size);
}

/* ---- Points -------------------------------------------------------------------------------- */

static size_t macro_count(const struct config *config)
{
	size_t count = 0;

	while (config->variant->macros[count].name)
		count++;
	return count;
}

/* Whether the macro can have the value in a fallback of the config. */
static bool may_have(const struct config *config, size_t macro, int value)
{
	const struct macro *row = &config->variant->macros[macro];

	return row->choices && row->value != MACRO_OF_LANES && !(config->chosen >> macro & 1) &&
	       value < config->value[macro];
}

/* The number of values that the macro can have, its own value included. */
static size_t value_count(const struct config *config, size_t macro)
{
	const int *choice = config->variant->macros[macro].choices;
	size_t count = 1;

	for (; choice && *choice; choice++)
		count += may_have(config, macro, *choice);
	return count;
}

/* The value number `index` of the macro; 0: its own. */
static int value_at(const struct config *config, size_t macro, size_t index)
{
	const int *choice = config->variant->macros[macro].choices;

	for (; index > 0 && choice && *choice; choice++)
		if (may_have(config, macro, *choice) && --index == 0)
			return *choice;
	return config->value[macro];
}

/* Macros without choices may be 0. */
static double product(const struct config *config)
{
	double value = 1;

	for (size_t i = 0; i < macro_count(config); i++)
		if (config->variant->macros[i].choices)
			value *= config->value[i];
	return value;
}

static int compare_points(const void *left, const void *right)
{
	const struct config *a = left, *b = right;
	double product_a = product(a), product_b = product(b);

	if (product_a > product_b || product_a < product_b)
		return product_a > product_b ? -1 : 1;
	for (size_t i = macro_count(a); i-- > 0;)
		if (a->value[i] != b->value[i])
			return a->value[i] > b->value[i] ? -1 : 1;
	return 0;
}

/* Makes all points in their order, also those that do not fit. */
static bool make_all(const struct config *config, struct fallback_points *ret_points)
{
	const struct variant *variant = config->variant;
	size_t macros = macro_count(config);
	size_t total = 1;

	*ret_points = (struct fallback_points){.smallest = *config};
	for (size_t i = 0; i < macros; i++)
		total *= value_count(config, i);
	struct config *items = calloc(total, sizeof *items);
	if (!items)
		return false;
	for (size_t point = 1; point < total; point++) { /* point 0 is the config */
		struct config *item = &items[ret_points->count];
		size_t rest = point;

		*item = *config;
		for (size_t i = 0; i < macros; i++) {
			item->value[i] = value_at(config, i, rest % value_count(config, i));
			rest /= value_count(config, i);
		}
		ret_points->count += !variant->infeasible || !variant->infeasible(item);
	}
	qsort(items, ret_points->count, sizeof *items, compare_points);
	ret_points->items = items;
	return true;
}

bool fallback_points_make(const struct config *config, const struct problem *problem,
	const struct gpu_limits *limits, struct fallback_points *ret_points)
{
	struct plan plan;
	char text[160];
	size_t kept = 0;

	if (!make_all(config, ret_points))
		return false;
	if (ret_points->count)
		ret_points->smallest = ret_points->items[ret_points->count - 1];
	for (size_t i = 0; i < ret_points->count; i++) {
		config_plan(&ret_points->items[i], problem, &plan);
		fallback_block_limit(&plan, limits, text, sizeof text);
		if (!*text)
			ret_points->items[kept++] = ret_points->items[i];
	}
	ret_points->count = kept;
	return true;
}
