/* Explanations that are made up, for tests. */
#ifndef PMPP_TESTS_SUPPORT_EXPLANATIONS_H
#define PMPP_TESTS_SUPPORT_EXPLANATIONS_H

#include "host/explain/explain.h"
#include "tests/support/test.h"

/* An explanation of a variant with the default macros for sm_90. Nothing is known of its launches. size: of the
 * dimensions without a default; 0: the default size of an emulator. */
static inline struct explanation *explanation_of(
	const char *family, const char *variant, int64_t size)
{
	struct explanation *explanation = calloc(1, sizeof *explanation);

	SOME(explanation);
	record_init(&explanation_type, &explanation->record);
	explanation->model = access_model_default();
	explanation->problem = problem_default(family_find(family));
	explanation->config = config_default(variant_find(explanation->problem.family, variant));
	problem_default_size(&explanation->problem, DEVICE_CLASS_EMULATED);
	for (size_t d = 0; size > 0 && d < explanation->problem.family->dim_count; d++)
		explanation->problem.dim[d] = explanation->problem.family->dim_default[d]
						      ? explanation->problem.family->dim_default[d]
						      : size;
	config_plan(&explanation->config, &explanation->problem, &explanation->plan);
	for (size_t s = 0; s < explanation->plan.step_count; s++) {
		const struct plan_launch *planned = plan_step_launch(&explanation->plan.steps[s]);
		if (planned)
			explanation->launches[explanation->launch_count++] =
				(struct launch_explanation){.step = s,
					.planned = planned,
					.resources = {.registers = -1,
						.shared_bytes = -1,
						.spill_bytes = -1,
						.max_block_threads = -1}};
	}
	explanation->target = (struct explain_target){.name = "compute capability 9.0",
		.unit = *occupancy_unit_find("sm_90"),
		.has_unit = true,
		.hardware = roofline_reference};
	return explanation;
}

#endif
