/*
 * Every value that --set may give a tunable, one away from the defaults, at a size around its tile:
 * on the engine that the first argument names. Infeasible ones must say so. If a value is infeasible with the
 * defaults of the others, it is also run with the first values of the others that make it feasible.
 */
#include "tests/kernels/session.h"

/* Steps in which each stage of a ring is used several times, also if many blocks share them. */
#define RING_STEPS 4

/*
 * A bit more than two tiles across, a bit more than one down, an odd depth: for a ring of stages so
 * many tiles deep that the ring turns RING_STEPS times. On a GPU blocks may share the depth of a tile,
 * so it is larger there.
 */
static struct problem problem_around(const struct config *config, bool on_gpu)
{
	const struct family *family = variant_family(config->variant);
	int stages = config_value_or(config, "STAGES", 1);
	int64_t dim[PMPP_MAX_DIMS] = {0};

	for (size_t d = 0; d < PMPP_MAX_DIMS; d++)
		dim[d] = config_tile(config, d);
	for (size_t i = 0; i < family->dim_count; i++)
		dim[i] = i == 0 ? dim[i] + 3 : i == 1 ? 2 * dim[i] + 1 : dim[i] + 5;
	if (stages > 1)
		dim[2] += dim[2] * stages * RING_STEPS * (on_gpu ? 16 : 1);
	return session_problem(family, dim);
}

static void run_row(const void *context)
{
	const struct session_row *row = context;
	const struct variant *variant = row->config.variant;
	struct problem problem =
		problem_around(&row->config, row->session->engine.info.type == GPU_TYPE_GPU);
	const char *reason = variant->infeasible ? variant->infeasible(&row->config) : NULL;
	struct outcome outcome;
	enum outcome_status status;

	session_choose_inside(&row->config, &problem);
	if (!reason) {
		session_pass(row->session, &row->config, &problem, NULL);
		return;
	}
	outcome = session_verify(row->session, &row->config, &problem);
	status = (enum outcome_status)outcome.row.status;
	test_note("%s: %s", outcome_status_name(status), text_or_empty(outcome.row.reason));
	outcome_finish(&outcome);
	/* The need of the row is checked first. */
	bool lacks = variant->needs & ~row->session->engine.info.capabilities;
	EQUAL(status, lacks ? OUTCOME_SKIPPED : OUTCOME_UNSUPPORTED);
}

static void add_row(struct session *session, const struct config *config, const struct macro *macro,
	int value, const char *more)
{
	const struct session_row row = {session, .config = *config};

	test_add_copy(run_row, &row, sizeof row, "%s %s/%s %s=%d%s", session->engine.name,
		variant_family(config->variant)->name, config->variant->name, macro->name, value,
		more);
}

/* Sets the tunables from m on, except `fixed`, to the first values that are feasible. Returns false if there
 * are none. */
static bool make_feasible(struct config *config, size_t m, size_t fixed)
{
	const struct macro *macro = &config->variant->macros[m];
	int before = config->value[m];

	if (!macro->name)
		return !config->variant->infeasible(config);
	if (make_feasible(config, m + 1, fixed))
		return true;
	for (const int *choice = macro->choices; m != fixed && choice && *choice; choice++) {
		config->value[m] = *choice;
		if (make_feasible(config, m + 1, fixed))
			return true;
	}
	config->value[m] = before;
	return false;
}

static void add_variant(struct session *session, const struct variant *variant)
{
	for (size_t m = 0; variant->macros[m].name; m++) {
		const struct macro *macro = &variant->macros[m];

		for (const int *choice = macro->choices; choice && *choice; choice++) {
			struct config config = config_default(variant);

			config.value[m] = *choice;
			if (*choice == macro_default(macro, &kernel_shape_reference))
				continue;
			add_row(session, &config, macro, *choice, "");
			if (variant->infeasible && variant->infeasible(&config) &&
				make_feasible(&config, 0, m))
				add_row(session, &config, macro, *choice, " and others that fit");
		}
	}
}

int main(int argc, char **argv)
{
	static struct session session;
	bool opencl, is_gpu;

	session.engine = engine_first(argv[1]);
	is_gpu = session.engine.info.type == GPU_TYPE_GPU;
	opencl = gpu_backend_row(session.engine.backend)->language == GPU_LANGUAGE_OPENCL_C;
	/* GPUs have all variants. Of the others, the CUDA emulator compiles fast: it has those with a
	 * twin. Engines of OpenCL have the variants without a twin. */
	EACH_VARIANT (variant)
		if (!variant_family(variant)->internal && (is_gpu || variant->one_sided == opencl))
			add_variant(&session, variant);
	int code = test_run(argc - 1, argv + 1);
	session_close(&session);
	return code;
}
