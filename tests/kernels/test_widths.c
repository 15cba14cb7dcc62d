/*
 * Rows with the macro LANES on warps of each width. On an emulator warps have 8, 16, 32 or 64 lanes,
 * and each row is right with LANES of the same width and of other widths. On an OpenCL device the
 * width is the one that the kernel requires, or the device's own.
 *
 * usage: test_widths ENGINE [ROW...]
 */
#include "common/model/access_model.h"
#include "host/selftest/choice.c"
#include "host/suite/suite.h"
#include "tests/kernels/session.h"

static struct engine engine;

/* Names of the files with another kernel in the place of reduce/shuffle.cl. */
static const struct form {
	const char *name, *find, *replacement;
} forms[] = {
	{"", NULL, NULL},
	/* Devices with sub-groups and without shuffles, such as AMD's */
	{", sub_group_reduce", "cl_khr_subgroup_shuffle_relative", "no_such_extension"},
};

struct row {
	const struct variant *variant;
	const struct form *form;
	uint32_t width; /* of the emulator; 0: a device */
	int lanes;      /* LANES; 0: that of the shape */
	size_t choice;
};

/* ---- Right at each width --------------------------------------------------------------------- */

static struct suite *open_suite(const struct row *row)
{
	struct suite_options options = SUITE_OPTIONS_DEFAULT;
	struct suite *suite = NULL;

	if (!engine.usable)
		engine_skip(&engine, engine.reason);
	options.traced = engine.traced;
	if (row->width)
		options.model = access_model_with_lanes(access_model_default(), row->width);
	if (row->form && row->form->find) {
		const char *folder = test_folder();
		const char *kernel = session_kernel(row->variant, engine.backend);
		FREED char *text = text_replaced(kernel, row->form->find, row->form->replacement);
		SOME(text);
		IS(text_occurrences(kernel, row->form->find) > 0);
		session_write_kernel(folder, row->variant, engine.backend, text);
		options.kernel_dir = folder;
	}
	test_ok(suite_open(&engine.info, &options, &suite, &test_error));
	return suite;
}

/* Several tiles, and a part of one; for `reduce` several levels. */
static struct problem problem_of(const struct config *config, size_t choice)
{
	const struct family *family = variant_family(config->variant);
	int64_t dim[PMPP_MAX_DIMS] = {0};
	struct problem problem;

	for (size_t d = 0; d < PMPP_MAX_DIMS; d++)
		dim[d] = config_tile(config, d);
	for (size_t i = 0; i < family->dim_count; i++)
		dim[i] = 3 * dim[i] + 5;
	problem = session_problem(family, dim);
	problem_choose(&problem, choice);
	if (family->invalid && family->invalid(&problem))
		problem.dim[1] = 37; /* bins of u8 */
	return problem;
}

/* The config of the row; LANES as the row has it. */
static struct config config_of(const struct row *row)
{
	struct kernel_shape shape = kernel_shape_reference;
	struct config config;

	if (row->width)
		shape.lanes = (int32_t)row->width;
	config = config_for(row->variant, &shape);
	for (size_t i = 0; row->lanes && row->variant->macros[i].name; i++)
		if (row->variant->macros[i].value == MACRO_OF_LANES)
			config.value[i] = row->lanes;
	return config;
}

static bool has_width(const struct gpu_device_info *info, int lanes)
{
	bool found = info->shape.width_count == 0;

	for (size_t i = 0; i < info->shape.width_count; i++)
		found |= info->shape.widths[i] == (uint32_t)lanes;
	return found;
}

static void right(const void *context)
{
	const struct row *row = context;
	const struct config config = config_of(row);
	struct suite *suite = open_suite(row);
	struct problem problem = problem_of(&config, row->choice);
	struct outcome outcome;

	test_ok(suite_run(suite, &config, &problem, SUITE_VERIFY, &outcome, &test_error));
	enum outcome_status status = (enum outcome_status)outcome.row.status;
	int64_t lanes = outcome.row.lanes;
	char reason[300];
	snprintf(reason, sizeof reason, "%s", text_or_empty(outcome.row.reason));
	outcome_finish(&outcome);
	suite_close(&suite);
	test_note("%s %s", outcome_status_name(status), reason);
	if (status == OUTCOME_SKIPPED)
		test_skip("%s", reason);
	if (row->variant->infeasible && row->variant->infeasible(&config)) {
		EQUAL(status, OUTCOME_UNSUPPORTED);
		return;
	}
	/* Only a kernel that requires the width is not possible at another one. */
	if (status == OUTCOME_UNSUPPORTED && row->variant->sub_groups && !row->width) {
		NOT(has_width(&engine.info, config_lanes(&config)));
		HAS(reason, "this device has warps of");
		return;
	}
	EQUAL(status, OUTCOME_OK);
	EQUAL(lanes, config_lanes(&config) ? config_lanes(&config) : -1);
}

/* ---- What the width is for ------------------------------------------------------------------- */

static const struct split_row {
	const char *variant;
	bool splits; /* warps of the width diverge */
} split_rows[] = {
	{"branchy", true},
	{"warp-aligned", false},
	{"ragged-loop", true},
	{"sorted-loop", false},
};

struct split {
	const struct split_row *row;
	uint32_t width;
};

static void diverges(const void *context)
{
	const struct split *split = context;
	const struct trace_request all = {.blocks = TRACE_BLOCKS_ALL};
	const struct family *family = family_find("divergence");
	const struct row row = {
		.variant = variant_find(family, split->row->variant), .width = split->width};
	const struct config config = config_of(&row);
	struct problem problem = problem_default(family);
	FINISHED(suite_close) struct suite *suite = open_suite(&row);
	FINISHED(suite_trace_finish) struct suite_trace trace;

	problem.dim[0] = 1024; /* whole blocks */
	test_ok(suite_trace(suite, &config, &problem, &all, &trace, &test_error));
	CHECK(STRING(trace.reason, ""), EQUAL(trace.traces[0].warps, 1024 / split->width),
		EQUAL(trace.traces[0].divergent_warps,
			split->row->splits ? trace.traces[0].warps : 0));
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void add(struct row row)
{
	struct problem problem = problem_default(variant_family(row.variant));
	const struct config config = config_of(&row);
	char choices[60];

	problem_choose(&problem, row.choice);
	problem_choices_text(&problem, choices, sizeof choices);
	test_add_copy(right, &row, sizeof row, "%s/%s %s, LANES=%d on warps of %u%s",
		problem.family->name, row.variant->name, choices, config_lanes(&config), row.width,
		row.form ? row.form->name : "");
}

/* The first choice, and for the kernels with functions of the device each operation and type. */
static void add_choices(struct row row)
{
	const struct family *family = variant_family(row.variant);

	for (size_t c = 0; c < (row.variant->sub_groups ? family_choice_count(family) : 1); c++) {
		row.choice = c;
		add(row);
	}
}

static void add_variant(const struct variant *variant)
{
	const struct config config = config_default(variant);
	bool emulated = engine.info.type == GPU_TYPE_EMULATED;
	bool shuffles = variant->needs & PMPP_CAP_WARP_REDUCE;
	bool opencl = gpu_backend_row(engine.backend)->language == GPU_LANGUAGE_OPENCL_C;

	for (uint32_t width = MIN_LANES; emulated && width <= MAX_LANES; width *= 2) {
		if (!config_lanes(&config) && variant->reads & KERNEL_SHAPE_LANES)
			add((struct row){.variant = variant, .width = width});
		for (const int *lanes = lanes_choices; *lanes && config_lanes(&config); lanes++)
			add_choices(
				(struct row){.variant = variant, .width = width, .lanes = *lanes});
		if (shuffles && opencl)
			add_choices((struct row){
				.variant = variant, .form = &forms[1], .width = width});
	}
	for (const int *lanes = lanes_choices; *lanes && !emulated && config_lanes(&config);
		lanes++)
		for (size_t f = 0; f < (shuffles && opencl ? 2 : 1); f++)
			add_choices((struct row){
				.variant = variant, .form = &forms[f], .lanes = *lanes});
}

int main(int argc, char **argv)
{

	engine = engine_first(argv[1]);
	EACH_VARIANT (variant)
		add_variant(variant);
	for (uint32_t width = MIN_LANES;
		engine.info.type == GPU_TYPE_EMULATED && width <= MAX_LANES; width *= 2)
		for (size_t i = 0; i < sizeof split_rows / sizeof *split_rows; i++) {
			const struct split split = {&split_rows[i], width};

			test_add_copy(diverges, &split, sizeof split, "divergence/%s: warps of %u",
				split_rows[i].variant, width);
		}
	return test_run(argc - 1, argv + 1);
}
