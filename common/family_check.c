#include "common/check_sizes.h"

#include <string.h>

#define CHECK_WORK 0x1p18 /* budget of the sizes: small, but every kind of plan occurs */

/* Ignores the results: config_value() records the name of a missing macro. */
static void call_sized(const struct config *config, const struct problem *problem)
{
	const struct variant *variant = config->variant;
	const struct metric *metric = &problem->family->metric;
	uint64_t bytes[PMPP_MAX_SCRATCH];
	struct plan plan;

	config_plan(config, problem, &plan);
	config_bytes_issued(config, problem);
	if (variant->flops)
		variant->flops(config, problem);
	if (variant->scratch)
		variant->scratch(config, problem, bytes);
	for (size_t i = 0; variant->pitch && i < problem->family->operand_count; i++)
		variant->pitch(config, problem, i);
	if (variant->domain)
		variant->domain(config, problem);
	if (variant->chain)
		variant->chain(config, problem);
	if (metric->count)
		metric->count(config, problem);
}

static void call_all(const struct config *config, struct problem *problem)
{
	int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS] = {{0}};
	size_t count = check_sizes_make(config, problem, CHECK_WORK, sizes);

	if (config->variant->infeasible)
		config->variant->infeasible(config);
	for (size_t i = 0; i < count; i++) {
		memcpy(problem->dim, sizes[i], sizeof problem->dim);
		call_sized(config, problem);
	}
	for (enum device_class class = 0; class < DEVICE_CLASS_COUNT; class ++) {
		problem_default_size(problem, class);
		call_sized(config, problem);
		config_traffic(config, problem);
	}
}

enum pmpp_status family_check(const struct family *family, struct pmpp_error *error)
{
	config_take_missing();
	for (size_t v = 0; v < family->variant_count + family->peer_count; v++) {
		const struct variant *variant = v < family->variant_count
							? &family->variants[v]
							: &family->peers[v - family->variant_count];
		struct config config = config_default(variant);
		struct problem problem = problem_default(family);

		for (size_t c = 0; c < family_choice_count(family); c++) {
			problem_choose(&problem, c);
			call_all(&config, &problem);
		}
		const char *name = config_take_missing();
		if (name)
			return PMPP_FAIL(error, PMPP_INTERNAL,
				"%s/%s reads the macro %s, which its row does not have",
				family->name, variant->name, name);
	}
	return PMPP_OK;
}
