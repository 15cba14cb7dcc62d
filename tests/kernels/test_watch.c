/*
 * Every family and variant watched (suite_trace): a right kernel has no defect, one without a barrier
 * is a race of two lines, one with an index past the end is out of bounds at its line. Arguments:
 * `opencl-emu` and the number of lanes that run in lockstep; without arguments, cuda-emu and 32.
 */
#include "common/check_sizes.h"
#include "host/selftest/choice.c"
#include "host/suite/suite.h"
#include "tests/mutants/texts.h"

#define WORK_BUDGET 0x1p21 /* of the traced build: suite_work_budget() */

static struct session session;
static const struct access_model *model; /* NULL: the default */

static struct suite_trace trace_of(
	struct suite *suite, const struct config *config, const struct problem *problem)
{
	struct suite_trace trace;

	test_ok(suite_trace(
		suite, config, problem, &(struct trace_request){0}, &trace, &test_error));
	return trace;
}

static struct suite *open_suite(const char *kernel_dir)
{
	struct suite_options options = SUITE_OPTIONS_DEFAULT;
	struct suite *suite = NULL;

	if (!session.engine.usable)
		test_skip_backend(session.engine.backend, session.engine.reason);
	options.kernel_dir = kernel_dir;
	options.model = model;
	test_ok(suite_open(&session.engine.info, &options, &suite, &test_error));
	return suite;
}

/* ---- Right kernels --------------------------------------------------------------------------- */

/* What the emulator or the variant cannot do is a skip; that the watch cannot is none. */
static void skip_or_fail(struct suite_trace *trace, const struct config *config)
{
	static const char *const reasons[] = {"needs ", "has no CUDA twin", "has no OpenCL twin",
		"out of its domain: ", "has inline PTX", "inline PTX", "shared memory"};
	char reason[sizeof trace->reason];

	snprintf(reason, sizeof reason, "%s", trace->reason);
	suite_trace_finish(trace);
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (strstr(reason, reasons[i]))
			test_skip("%s", reason);
	test_fail("%s is not traced: %s", config->variant->name, reason);
}

static void watch_right(const void *context)
{
	const struct session_row *row = context;
	bool counted = false;

	if (!session.suite)
		session.suite = open_suite(NULL);
	FINISHED(suite_trace_finish)
	struct suite_trace trace = trace_of(session.suite, &row->config, &row->problem);
	if (trace.reason[0])
		skip_or_fail(&trace, &row->config);
	for (size_t s = 0; s < trace.plan.step_count; s++) {
		const struct trace *of_step = &trace.traces[s];
		const struct trace_defect *defect = &of_step->defect;

		if (defect->kind != TRACE_NO_DEFECT)
			test_fail("step %zu: %s, lines %d and %d: %s", s,
				trace_defect_words[defect->kind], defect->line, defect->other_line,
				defect->text);
		if (of_step->total_blocks == 0)
			continue; /* a fill */
		assert_in_range(of_step->sampled_blocks, 1, of_step->total_blocks);
		CHECK(EQUAL(of_step->estimated, of_step->sampled_blocks < of_step->total_blocks),
			IS(of_step->steps > 0 && of_step->line_count > 0));
		counted = true;
	}
	IS(counted);
}

static void add_row(const struct config *config, const struct problem *like, const int64_t *dim)
{
	const struct family *family = variant_family(config->variant);
	struct session_row row = {.config = *config, .problem = *like};
	char text[100], choices[50];

	memcpy(row.problem.dim, dim, sizeof row.problem.dim);
	problem_text(&row.problem, text, sizeof text);
	problem_choices_text(&row.problem, choices, sizeof choices);
	test_add_copy(watch_right, &row, sizeof row, "%s/%s %s %s", family->name,
		config->variant->name, choices, text);
}

static void add_variant(const struct variant *variant)
{
	const struct family *family = variant_family(variant);
	struct config config = config_default(variant);
	struct problem like = problem_default(family);

	/* Kernels that depend on the width have all sizes at each width. The others have one problem,
	 * whose sizes are not multiples of the tile: the tests kernels-...-traced have all sizes. */
	if (config_lanes(&config) == 0) {
		like = text_problem_of_tiles(&config);
		add_row(&config, &like, like.dim);
		return;
	}
	for (size_t c = 0; c < family_choice_count(family); c++) {
		int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS] = {0};

		problem_choose(&like, c);
		size_t count = check_sizes_make(&config, &like, WORK_BUDGET, sizes);
		for (size_t i = 0; i < count; i++) {
			struct problem problem = like;

			memcpy(problem.dim, sizes[i], sizeof problem.dim);
			if (config_work(&config, &problem) <= WORK_BUDGET)
				add_row(&config, &like, sizes[i]);
		}
	}
}

/* ---- Changed kernels ------------------------------------------------------------------------- */

/* The first defect of the variant with another text in the place of its file. */
static struct trace_defect defect_of(const struct config *config, const char *text)
{
	const char *folder = test_folder();
	struct suite *suite = open_suite(folder);
	struct problem problem = text_problem_of_tiles(config);
	struct trace_defect defect = {0};

	session_write_kernel(folder, config->variant, session.engine.backend, text);
	FINISHED(suite_trace_finish) struct suite_trace trace = trace_of(suite, config, &problem);
	STRING(trace.reason, "");
	for (size_t s = 0; s < trace.plan.step_count && defect.kind == TRACE_NO_DEFECT; s++)
		defect = trace.traces[s].defect;
	suite_close(&suite);
	test_note("%s, lines %d and %d: %s", trace_defect_words[defect.kind], defect.line,
		defect.other_line, defect.text);
	return defect;
}

static void without_barrier(const void *context)
{
	const struct barrier_row *row = context;
	const struct config config = config_default(row->variant);
	enum gpu_backend_id backend = session.engine.backend;
	FREED char *text =
		text_without_barrier(session_kernel(row->variant, backend), backend, row->number);
	struct trace_defect defect = defect_of(&config, text);
	CHECK(EQUAL(defect.kind, TRACE_RACE), IS(defect.line > 0), IS(defect.other_line > 0));
}

static const struct outside_row {
	const char *family, *variant, *find, *replacement;
} outside_rows[] = {
	{"audit", "foo", "a[i] : 0.0f", "a[i + 1] : 0.0f"},
	{"camping", "padded", "S[row0 + own] =", "S[row0 + own + 1] ="},
	{"coalesce", "contiguous", "= A[i];", "= A[i + 1];"},
	{"divergence", "branchy", "B[i] =", "B[i + 1] ="},
	{"grayscale", "block16x16", "GRAY[pixel] =", "GRAY[pixel + 1] ="},
	{"histogram", "private", "= A[i];", "= A[i + 1];"},
	{"histogram", "global-atomic", "&H[value]", "&H[value + 1000000]"},
	{"instructions", "fma", "A[i] : 1.0f", "A[i + 1] : 1.0f"},
	{"latency", "chains", "R[first + c] =", "R[first + c + 1] ="},
	{"matmul", "naive", "A[(size_t)row * k + kk]", "A[(size_t)row * k + kk + 1]"},
	{"matmul", "tiled32", "C[(size_t)row * n + col] =", "C[(size_t)row * n + col + 1] ="},
	{"occupancy", "block100", "B[first + c * BLOCK] =", "B[first + c * BLOCK + 1] ="},
	{"prefetch", "plain", "B[i] =", "B[i + 1] ="},
	{"reduce", "sequential", "A[i] : IDENTITY", "A[i + 1] : IDENTITY"},
	{"softmax", "safe", "x[c] - largest) * scale", "x[c + 1] - largest) * scale"},
	{"transpose", "tiled", "to[(size_t)j * m] =", "to[(size_t)j * m + 1] ="},
	{"traverse", "padded", "S[row0 + thread] =", "S[row0 + thread + 1] ="},
	{"vecadd", "fine", "LOAD(B, i))", "LOAD(B, i + 1))"},
	{"window", "direct", "B[i] =", "B[i + 1] ="},
};

/* Whether a line (from 1) of the text holds a part. */
static bool line_holds(const char *text, int line, const char *part)
{
	while (text && --line > 0) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return text && memmem(text, strcspn(text, "\n"), part, strlen(part));
}

TEST_ROWS_ON_CALL(outside, outside_rows, true, "%s/%s: past the end", row->family, row->variant)
{
	const struct config config =
		config_default(variant_find(family_find(row->family), row->variant));
	const char *text = session_kernel(config.variant, session.engine.backend);

	if (text_occurrences(text, row->find) == 0)
		test_fail("%s/%s does not hold '%s': the change is out of date", row->family,
			row->variant, row->find);
	FREED char *changed = text_replaced(text, row->find, row->replacement);
	SOME(changed);
	struct trace_defect defect = defect_of(&config, changed);
	bool there = line_holds(changed, defect.line, row->replacement);
	CHECK(EQUAL(defect.kind, TRACE_OUT_OF_BOUNDS), IS(there));
}

int main(int argc, char **argv)
{

	bool opencl = argc > 2 && strcmp(argv[1], "opencl-emu") == 0;

	session.engine = engine_first(opencl ? argv[1] : "cuda-emu");
	if (opencl) {
		model = access_model_with_lanes(
			access_model_default(), (uint32_t)strtoul(argv[2], NULL, 10));
		argc -= 2;
		argv += 2;
	}
	/* The other widths have only the right kernels: a defect is the same at each width. */
	bool changed = !model || model->lanes == access_model_default()->lanes;

	EACH_VARIANT (variant)
		add_variant(variant);
	for (size_t f = 0; changed && f < family_count; f++)
		text_add_barriers(families[f], &session.engine, without_barrier, false);
	if (changed)
		outside_add();
	int code = test_run(argc, argv);
	session_close(&session);
	return code;
}
