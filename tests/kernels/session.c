#include "tests/kernels/session.h"

#include "host/io/sources.h"
#include "host/suite/kernel_file.h"

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

static struct suite *session_suite(struct session *session)
{
	struct suite_options options = SUITE_OPTIONS_DEFAULT;

	if (session->suite)
		return session->suite;
	if (!session->engine.usable)
		engine_skip(&session->engine, session->engine.reason);
	options.traced = session->engine.traced;
	options.kernel_dir = session->kernel_dir;
	options.as_project = true; /* mutants are rows of the project */
	options.roof_dir = session->kernel_dir;
	test_ok(suite_open(&session->engine.info, &options, &session->suite, &test_error));
	return session->suite;
}

struct suite_trace session_trace(
	struct session *session, const struct config *config, const struct problem *problem)
{
	const struct trace_request all = {.blocks = TRACE_BLOCKS_ALL};

	return session_trace_of(session, config, problem, &all);
}

struct suite_trace session_trace_of(struct session *session, const struct config *config,
	const struct problem *problem, const struct trace_request *request)
{
	struct suite_trace trace;

	test_ok(suite_trace(session_suite(session), config, problem, request, &trace, &test_error));
	return trace;
}

const char *session_kernel(const struct variant *variant, enum gpu_backend_id backend)
{
	char path[KERNEL_PATH_BYTES];

	kernel_file_path(variant, backend, path);
	return sources_embedded(path);
}

void session_write_kernel(const char *kernel_dir, const struct variant *variant,
	enum gpu_backend_id backend, const char *text)
{
	char path[KERNEL_PATH_BYTES], full[800];

	kernel_file_path(variant, backend, path);
	snprintf(full, sizeof full, "%s/%s", kernel_dir, path);
	test_write_file(full, text, strlen(text));
}

const struct variant *session_variant(const char *path)
{
	const char *slash = strchr(path, '/');
	char name[64];

	snprintf(name, sizeof name, "%.*s", slash ? (int)(slash - path) : 0, path);
	const struct family *family = family_find(name);
	return family ? variant_find(family, slash + 1) : NULL;
}

struct outcome session_verify(
	struct session *session, const struct config *config, const struct problem *problem)
{
	struct outcome outcome;
	enum pmpp_status status;

	memset(&outcome, 0, sizeof outcome);
	status = suite_run(
		session_suite(session), config, problem, SUITE_VERIFY, &outcome, &test_error);
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

/* Notes what the outcome says. Returns whether the row passes, if it is not skipped. */
static bool note_outcome(const struct outcome *outcome, char *ret_reason, size_t size)
{
	const struct result_row *row = &outcome->row;

	if (row->status == OUTCOME_OK)
		snprintf(ret_reason, size, "ok %.2g, %s", row->verify.max_ratio,
			row->verify.coverage);
	else if (row->status == OUTCOME_SKIPPED)
		snprintf(ret_reason, size, "%s", text_or_empty(row->reason));
	else
		snprintf(ret_reason, size, "%s: %s",
			outcome_status_name((enum outcome_status)row->status),
			text_or_empty(row->reason));
	if (row->log)
		test_note("log: %.800s", row->log);
	if (row->build.warnings.count)
		test_fail("the compiler warns: %s", row->build.warnings.items[0]);
	return row->status == OUTCOME_OK && verify_record_passed(&row->verify);
}

void session_pass(struct session *session, const struct config *config,
	const struct problem *problem, char ret_sha256[65])
{
	const struct variant *variant = config->variant;
	struct outcome outcome = session_verify(session, config, problem);
	enum outcome_status status = (enum outcome_status)outcome.row.status;
	bool skipped = status == OUTCOME_SKIPPED || status == OUTCOME_UNSUPPORTED;
	bool outside = variant->domain && variant->domain(config, problem);
	bool demanding = variant->needs || variant->one_sided || asks_beyond_floor(&outcome.plan);
	char reason[700];
	bool passed = note_outcome(&outcome, reason, sizeof reason);

	if (ret_sha256)
		snprintf(ret_sha256, 65, "%s", text_or_empty(outcome.row.verify.output_sha256));
	/* A skip leaves the row without the end of a scope. */
	outcome_finish(&outcome);
	if (skipped && (demanding || outside || is_small(&session->engine.info)))
		test_skip("%s", reason);
	if (skipped)
		engine_skip(&session->engine, reason);
	if (!passed)
		test_fail("%s", reason);
	test_note("%s", reason);
}
