/*
 * The first variant of each family at one size, on each device of OpenCL. The rows
 * test whether an ICD loader forwards all calls. implementations.py chooses the loader.
 */
#include "common/check_sizes.h"
#include "tests/kernels/session.h"
#include "tests/support/loader.h"

static void run_row(const void *context)
{
	const struct session_row *row = context;

	session_pass(row->session, &row->config, &row->problem, NULL);
}

/* The second size of the list: the rows test the loader, and some devices need minutes for others. */
static struct problem some_problem(const struct session *session, const struct config *config)
{
	struct problem problem = problem_default(variant_family(config->variant));
	int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS] = {0};
	size_t count = check_sizes_make(
		config, &problem, suite_work_budget(&session->engine.info, false), sizes);

	problem = session_problem(problem.family, sizes[count > 1 ? 1 : 0]);
	session_choose_inside(config, &problem);
	return problem;
}

static void add_row(struct session *session, const struct variant *variant)
{
	struct session_row row = {session, .config = config_default(variant)};
	char text[100];

	row.problem = some_problem(session, &row.config);
	problem_text(&row.problem, text, sizeof text);
	test_add_copy(run_row, &row, sizeof row, "%s %s/%s %s", session->engine.name,
		variant_family(variant)->name, variant->name, text);
}

int main(int argc, char **argv)
{
	static struct engine engines[MAX_ENGINES];
	static struct session sessions[MAX_ENGINES];
	size_t count = engine_list("opencl", engines);
	int code;

	loader_add_rows();
	for (size_t e = 0; e < count; e++) {
		sessions[e].engine = engines[e];
		bool usable = engine_add_rows(&engines[e]);
		for (size_t f = 0; usable && f < family_count; f++)
			if (!families[f]->internal)
				add_row(&sessions[e], &families[f]->variants[0]);
	}
	code = test_run(argc, argv);
	for (size_t e = 0; e < count; e++)
		session_close(&sessions[e]);
	return code;
}
