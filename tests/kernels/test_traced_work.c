/*
 * traced_work() against config_traffic(): the floors of a kernel of the user, and those of the formulas, for
 * each variant that has both. Passes and bytes of memory agree within 2 %, bytes of the second-level cache
 * within 10 %. Each known difference is a row with its factor and its reason.
 */
#include "common/model/occupancy.h"
#include "common/model/traced_work.h"
#include "tests/kernels/session.h"

#define WITHIN 0.02
#define WITHIN_L2 0.10
#define MAX_BYTES 0x1p24 /* of the operands */

static struct session session;

enum figure {
	L1_PASSES,
	SHARED_PASSES,
	L2_BYTES,
	BYTES_AGAIN,
	OVERFETCHED,
	FIGURE_COUNT
};

static const char *const figure_names[FIGURE_COUNT] = {
	"passes of L1", "passes of shared memory", "bytes of L2", "bytes again", "overfetched"};

static const struct known {
	const char *name; /* "matmul/naive" */
	enum figure figure;
	double factor; /* trace / formula, within 10 % */
	const char *reason;
} known_rows[] = {
	{NULL, 0, 0, NULL},
};

static const char *const compared[] = {"matmul", "transpose", "vecadd", "reduce", "histogram",
	"softmax", "coalesce", "window", "grayscale", "camping", "traverse", "prefetch",
	"occupancy", "divergence", NULL};

static double figure_of(const struct floor_work *work, enum figure figure)
{
	switch (figure) {
	case L1_PASSES:
		return work->l1_passes;
	case SHARED_PASSES:
		return work->shared_passes;
	case L2_BYTES:
		return work->l2_bytes;
	case BYTES_AGAIN:
		return work->again_read + work->again_written;
	case OVERFETCHED:
	case FIGURE_COUNT:
		break;
	}
	return work->overfetched;
}

static double bytes_of(const struct problem *problem)
{
	double bytes = 0;

	for (size_t i = 0; i < problem->family->operand_count; i++)
		bytes += (double)operand_bytes(&problem->family->operands[i], problem);
	return bytes;
}

static struct floor_work work_of(const struct suite_trace *traced, const struct floor_work *least)
{
	struct traced_launch launches[PMPP_MAX_STEPS];
	size_t count = 0;

	for (size_t s = 0; s < traced->plan.step_count; s++) {
		const struct plan_launch *launch = &traced->plan.steps[s].as.launch;
		if (traced->plan.steps[s].kind == PLAN_LAUNCH)
			launches[count++] = (struct traced_launch){
				&traced->traces[s], launch->groups[0], launch->groups[1]};
	}
	return traced_work(least, launches, count);
}

static void compare(const void *context)
{
	const struct variant *variant = context;
	const struct config config = config_default(variant);
	const struct occupancy_unit *unit = occupancy_unit_find("sm_90");
	const struct trace_request request = {
		.blocks = TRACE_BLOCKS_SPREAD, .cache_bytes = (uint64_t)unit->l1_bytes - 65536};
	struct problem problem = problem_default(variant_family(variant));

	problem_default_size(&problem, DEVICE_CLASS_GPU);
	session_choose_inside(&config, &problem);
	while (bytes_of(&problem) > MAX_BYTES && problem_halve(&problem)) {
	}
	FINISHED(suite_trace_finish)
	struct suite_trace traced = session_trace_of(&session, &config, &problem, &request);
	if (traced.reason[0])
		test_skip("%s", traced.reason);
	struct floor_work formula = config_traffic(&config, &problem);
	struct floor_work trace = work_of(&traced, &formula);
	for (int i = 0; i < FIGURE_COUNT; i++) {
		double a = figure_of(&formula, i), b = figure_of(&trace, i);
		printf("%-28s %-24s formula %12.0f trace %12.0f %+8.1f %%\n", variant->name,
			figure_names[i], a, b, 100 * (b - a) / a);
	}
}

int main(int argc, char **argv)
{
	session.engine = engine_first("cuda-emu");
	EACH_VARIANT (variant)
		for (size_t i = 0; compared[i]; i++)
			if (variant->traffic &&
				strcmp(variant_family(variant)->name, compared[i]) == 0)
				test_add(compare, variant, "%s/%s", compared[i], variant->name);
	(void)known_rows;
	int code = test_run(argc, argv);
	session_close(&session);
	return code;
}
