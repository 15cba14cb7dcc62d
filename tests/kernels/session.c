#include "tests/kernels/session.h"

double session_work_budget(const struct session *session)
{
	static const struct gpu_device_info slowest = {.engine = GPU_ENGINE_INTERPRETER};

	if (test_is_short())
		return suite_work_budget(&slowest, false);
	return suite_work_budget(&session->engine.info, session->engine.traced);
}

struct problem session_problem(const struct family *family, const int64_t *dim)
{
	struct problem problem = problem_default(family);

	memcpy(problem.dim, dim, family->dim_count * sizeof *dim);
	return problem;
}

void session_choose_inside(const struct config *config, struct problem *problem)
{
	size_t choice = 0;

	while (config->variant->domain && config->variant->domain(config, problem) &&
		++choice < family_choice_count(problem->family))
		problem_choose(problem, choice);
}

void session_close(struct session *session)
{
	suite_close(&session->suite);
}

static void open_suite(struct session *session)
{
	struct suite_options options = SUITE_OPTIONS_DEFAULT;

	if (!session->engine.usable)
		engine_skip(&session->engine, session->engine.reason);
	options.traced = session->engine.traced;
	options.kernel_dir = session->kernel_dir;
	options.as_project = true; /* mutants are rows of the project */
	options.roof_dir = session->kernel_dir;
	test_ok(suite_open(&session->engine.info, &options, &session->suite, &test_error));
}

struct outcome session_verify(
	struct session *session, const struct config *config, const struct problem *problem)
{
	struct outcome outcome;
	enum pmpp_status status;

	if (!session->suite)
		open_suite(session);
	memset(&outcome, 0, sizeof outcome);
	status = suite_run(session->suite, config, problem, SUITE_VERIFY, &outcome, &test_error);
	if (status != PMPP_OK) {
		outcome_finish(&outcome);
		session_close(session);
		test_ok(status);
	}
	/* A kernel that broke its device must not break the next row. */
	if (outcome.row.status == OUTCOME_LAUNCH_ERROR || outcome.row.status == OUTCOME_CRASHED ||
		outcome.row.status == OUTCOME_TIMEOUT)
		session_close(session);
	return outcome;
}

#define SHARED_FLOOR_BYTES (48u << 10) /* what every GPU gives a block */

/* A CPU may have less (rusticl): what does not fit there is no fault of the backend. */
static bool is_small(const struct gpu_device_info *info)
{
	return info->type == GPU_TYPE_CPU && info->limits.shared_bytes < SHARED_FLOOR_BYTES;
}

/* More than that is not to be had everywhere: it is no fault of the backend. */
static bool asks_beyond_floor(const struct plan *plan)
{
	for (size_t s = 0; s < plan->step_count; s++) {
		const struct plan_launch *launch = plan_step_launch(&plan->steps[s]);
		if (launch && launch->shared_bytes > SHARED_FLOOR_BYTES)
			return true;
	}
	return false;
}

void session_pass(struct session *session, const struct config *config,
	const struct problem *problem, char ret_sha256[65])
{
	const struct variant *variant = config->variant;
	FINISHED(outcome_finish) struct outcome outcome = session_verify(session, config, problem);
	enum outcome_status status = (enum outcome_status)outcome.row.status;
	bool passed = verify_record_passed(&outcome.row.verify);
	bool demanding = variant->needs || variant->one_sided || asks_beyond_floor(&outcome.plan);
	char reason[700];

	if (status == OUTCOME_OK)
		snprintf(reason, sizeof reason, "ok %.2g, %s", outcome.row.verify.max_ratio,
			outcome.row.verify.coverage);
	else if (status == OUTCOME_SKIPPED)
		snprintf(reason, sizeof reason, "%s", text_or_empty(outcome.row.reason));
	else
		snprintf(reason, sizeof reason, "%s: %s", outcome_status_name(status),
			text_or_empty(outcome.row.reason));
	if (outcome.row.log)
		test_note("log: %.800s", outcome.row.log);
	if (outcome.row.build.warnings.count)
		test_fail("the compiler warns: %s", outcome.row.build.warnings.items[0]);
	if (ret_sha256)
		snprintf(ret_sha256, 65, "%s", text_or_empty(outcome.row.verify.output_sha256));

	bool outside = variant->domain && variant->domain(config, problem);
	bool skipped = status == OUTCOME_SKIPPED || status == OUTCOME_UNSUPPORTED;
	if (skipped && (demanding || outside || is_small(&session->engine.info)))
		test_skip("%s", reason);
	if (skipped)
		engine_skip(&session->engine, reason);
	if (status != OUTCOME_OK || !passed)
		test_fail("%s", reason);
	test_note("%s", reason);
}
