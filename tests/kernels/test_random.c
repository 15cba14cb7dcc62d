/*
 * Random problems that every kernel must solve. Variant, type, operation, data, tunables, sizes and
 * the seed of the inputs are random. Each row of the report is one build of a kernel, with several
 * problems.
 *
 *   test_random ENGINE [PATTERN]     ENGINE: a word of engine_list()
 *
 * Environment: PMPP_RANDOM_PROBLEMS, number of problems (default 400, in the short form 200); PMPP_RANDOM_SEED, seed of
 * the random choices (default 1).
 */
#include "common/data.h"
#include "tests/kernels/session.h"

#define PROBLEMS_A_ROW 8
#define TRIES 200
#define MAX_BYTES ((uint64_t)32 << 20) /* of one operand */

struct row {
	struct session *session;
	struct config config;
	struct problem problems[PROBLEMS_A_ROW];
};

/* ---- Drawing ------------------------------------------------------------------------------- */

static uint64_t draw_seed, draw_index;

static uint64_t draw(uint64_t below)
{
	return data_bits(draw_seed, 0, draw_index++) % below;
}

/* Draws a variant that the engine can run; other variants would only be skipped. */
static const struct variant *draw_variant(const struct engine *engine)
{
	for (;;) {
		const struct family *family = families[draw(family_count)];
		const struct variant *variant = &family->variants[draw(family->variant_count)];
		bool is_opencl =
			gpu_backend_row(engine->backend)->language == GPU_LANGUAGE_OPENCL_C;
		bool twin = is_opencl ? !variant->cuda_only : !variant->one_sided;

		if (!family->internal && twin && !(variant->needs & ~engine->info.capabilities))
			return variant;
	}
}

/* Half of the configs are the defaults; the others take any value of each tunable. */
static struct config draw_config(const struct variant *variant)
{
	for (size_t attempt = 0; attempt < TRIES && draw(2); attempt++) {
		struct config config = config_default(variant);

		for (size_t m = 0; variant->macros[m].name; m++) {
			const int *choices = variant->macros[m].choices;
			uint64_t count = 0;

			while (choices && choices[count])
				count++;
			if (count)
				config.value[m] = choices[draw(count)];
		}
		if (!variant->infeasible || !variant->infeasible(&config))
			return config;
	}
	return config_default(variant);
}

/* All orders of magnitude are equally likely. One size in three is at the edge of a tile. */
static int64_t draw_size(int64_t tile, int64_t max)
{
	int64_t size;

	if (tile > 0 && draw(3) == 0) {
		size = tile * (1 + (int64_t)draw(3)) - 1 + (int64_t)draw(3);
	} else {
		int64_t magnitude = (int64_t)1 << draw(23);
		size = magnitude + (int64_t)draw((uint64_t)magnitude);
	}
	return size < 1 ? 1 : size > max ? max : size;
}

static bool fits(const struct config *config, const struct problem *problem, double budget)
{
	const struct family *family = problem->family;

	if (family->invalid && family->invalid(problem))
		return false;
	if (config->variant->domain && config->variant->domain(config, problem))
		return false;
	for (size_t i = 0; i < family->operand_count; i++)
		if (operand_bytes(&family->operands[i], problem) > MAX_BYTES)
			return false;
	return config_work(config, problem) <= budget;
}

/* ret_problem already has type, operation and data. Returns false if no size was found. */
static bool draw_problem(const struct config *config, double budget, struct problem *ret_problem)
{
	const struct family *family = ret_problem->family;
	int64_t tile[PMPP_MAX_DIMS] = {0};

	for (size_t d = 0; d < PMPP_MAX_DIMS; d++)
		tile[d] = config_tile(config, d);
	for (size_t attempt = 0; attempt < TRIES; attempt++) {
		for (size_t d = 0; d < family->dim_count; d++)
			ret_problem->dim[d] = family->dim_default[d] && draw(2)
						      ? family->dim_default[d]
						      : draw_size(tile[d], family->dim_max);
		ret_problem->seed = data_bits(draw_seed, 1, draw_index++) >> 1;
		if (fits(config, ret_problem, budget))
			return true;
	}
	return false;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static void run_row(const void *context)
{
	const struct row *row = context;
	size_t passed = 0;

	for (size_t i = 0; i < PROBLEMS_A_ROW; i++) {
		const struct problem *problem = &row->problems[i];
		struct outcome outcome = session_verify(row->session, &row->config, problem);
		enum outcome_status status = (enum outcome_status)outcome.row.status;
		char text[100], reason[600];

		problem_text(problem, text, sizeof text);
		snprintf(reason, sizeof reason, "%s, seed %llu: %s %s", text,
			(unsigned long long)problem->seed, outcome_status_name(status),
			text_or_empty(outcome.row.reason));
		bool ok = status == OUTCOME_OK && verify_record_passed(&outcome.row.verify);
		/* A skip leaves the row without the end of a scope. */
		outcome_finish(&outcome);
		/* A tunable may need more than this device has, at every size. */
		if (status == OUTCOME_UNSUPPORTED && i == 0)
			test_skip("%s", reason);
		if (!ok)
			test_fail("%s", reason);
		passed++;
	}
	test_note("%zu problems", passed);
}

static int64_t from_environment(const char *name, int64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoll(text, NULL, 10) : otherwise;
}

static void config_text(const struct config *config, char *ret_text, size_t size)
{
	size_t used = 0;

	ret_text[0] = '\0';
	for (size_t m = 0; config->variant->macros[m].name && used < size; m++)
		if (config->value[m] !=
			macro_default(&config->variant->macros[m], &kernel_shape_reference))
			used += (size_t)snprintf(ret_text + used, size - used, " %s=%d",
				config->variant->macros[m].name, config->value[m]);
}

static void add_row(struct session *session, int number)
{
	const struct engine *engine = &session->engine;
	/* A small part of the work budget of `verify`, because there are many problems. */
	double budget = suite_work_budget(&engine->info, engine->traced) / 64;
	struct row row = {.session = session};
	char choices[50], macros[200];
	struct problem problem;
	bool drawn;

	do {
		row.config = draw_config(draw_variant(engine));
		problem = problem_default(variant_family(row.config.variant));
		problem_choose(&problem, draw(family_choice_count(problem.family)));
		drawn = true;
		for (size_t i = 0; drawn && i < PROBLEMS_A_ROW; i++) {
			drawn = draw_problem(&row.config, budget, &problem);
			row.problems[i] = problem;
		}
	} while (!drawn);
	problem_choices_text(&problem, choices, sizeof choices);
	config_text(&row.config, macros, sizeof macros);
	test_add_copy(run_row, &row, sizeof row, "%d %s %s/%s %s%s", number, engine->name,
		problem.family->name, row.config.variant->name, choices, macros);
}

int main(int argc, char **argv)
{
	static struct session session;
	int64_t problems = from_environment("PMPP_RANDOM_PROBLEMS", test_is_short() ? 200 : 400);

	session.engine = engine_first(argv[1]);
	draw_seed = (uint64_t)from_environment("PMPP_RANDOM_SEED", 1);
	bool usable = engine_add_rows(&session.engine);
	for (int64_t i = 0; usable && i * PROBLEMS_A_ROW < problems; i++)
		add_row(&session, (int)i);
	int code = test_run(argc - 1, argv + 1);
	session_close(&session);
	return code;
}
