/*
 * The same bits: OpenCL and the emulated CUDA kernel against the emulated OpenCL kernel, for every row
 * that promises them, and all rows of matmul on OpenCL against its first row: they add in one order by
 * design (except rows that round their inputs first). Each comparison is a row of the report, so that
 * a missing engine or capability skips the comparisons that need it, and no other.
 */
#include "common/check_sizes.h"
#include "tests/kernels/session.h"

static struct session opencl, cuda_emu, opencl_emu;

static const int64_t shapes[][PMPP_MAX_DIMS] = {
	{1, 1, 1}, {37, 41, 43}, {129, 65, 33}, {1, 300, 77}, {150, 1, 501}, {64, 256, 128}};
static const int64_t lengths[][PMPP_MAX_DIMS] = {{1}, {37}, {1000}, {65537}, {300001}};
#define SHAPE_COUNT (sizeof shapes / sizeof *shapes)
#define LENGTH_COUNT (sizeof lengths / sizeof *lengths)
#define SMALL_WORK 0x1p18

/* Two runs of one problem. */
struct row {
	struct {
		struct session *session;
		const struct variant *variant;
	} sides[2];
	struct problem problem;
};

static void same_bits(const void *context)
{
	const struct row *row = context;
	char digests[2][65];

	for (size_t i = 0; i < 2; i++) {
		const struct config config = config_default(row->sides[i].variant);

		session_pass(row->sides[i].session, &config, &row->problem, digests[i]);
		EQUAL(strlen(digests[i]), 64);
	}
	STRING(digests[1], digests[0]);
}

/* The tiles of C depend on the number of cores. The bits of C must not. Together the sizes have several
 * tiles along m and n, and several steps along k. */
static void any_cores(const void *context)
{
	const struct problem *problem = context;
	struct config config = config_default(variant_find(family_find("matmul"), "cpu-packed"));
	char first[65], other[65];

	session_pass(&opencl, &config, problem, first);
	EQUAL(strlen(first), 64);
	for (config.shape.cores = 2; config.shape.cores <= 64; config.shape.cores *= 3) {
		session_pass(&opencl, &config, problem, other);
		STRING(first, other);
	}
}

static void row_text(const struct problem *problem, char *ret_text, size_t size)
{
	char choices[50];

	problem_choices_text(problem, choices, sizeof choices);
	problem_text(problem, ret_text, size);
	snprintf(ret_text + strlen(ret_text), size - strlen(ret_text), " %s", choices);
}

static void add_row(struct session *first, struct session *second, const struct variant *base,
	const struct variant *variant, const struct problem *problem)
{
	const struct row row = {{{first, base}, {second, variant}}, .problem = *problem};
	char text[150];

	row_text(problem, text, sizeof text);
	test_add_copy(same_bits, &row, sizeof row, "%s/%s %s: %s%s%s and %s", problem->family->name,
		variant->name, text, gpu_backend_name(first->engine.backend),
		base == variant ? "" : " ", base == variant ? "" : base->name,
		gpu_backend_name(second->engine.backend));
}

/* A row that promises bits, with every choice, at the sizes that are not large. */
static void add_variant(const struct variant *variant)
{
	const struct family *family = variant_family(variant);
	struct config config = config_default(variant);
	struct problem problem = problem_default(family);

	for (size_t c = 0; c < family_choice_count(family); c++) {
		int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS] = {0};

		problem_choose(&problem, c);
		size_t count = check_sizes_make(&config, &problem, SMALL_WORK, sizes);
		for (size_t i = 0; i < count; i++) {
			memcpy(problem.dim, sizes[i], sizeof problem.dim);
			if (!variant->one_sided)
				add_row(&opencl_emu, &cuda_emu, variant, variant, &problem);
			add_row(&opencl_emu, &opencl, variant, variant, &problem);
		}
	}
}

/* Families whose rows all compute in one order. */
static void add_alike(const char *name, const int64_t *dim)
{
	const struct family *family = family_find(name);
	const struct problem problem = session_problem(family, dim);

	for (size_t v = 1; v < family->variant_count; v++) {
		const struct variant *variant = &family->variants[v];

		/* A chain of its own is another order. */
		if (variant->repro == REPRO_BITWISE && variant->rounding == ROUND_NONE &&
			!variant->chain)
			add_row(&opencl, &opencl, family->variants, variant, &problem);
	}
}

static void add_cores(const int64_t *dim)
{
	const struct problem problem = session_problem(family_find("matmul"), dim);
	char text[150];

	row_text(&problem, text, sizeof text);
	test_add_copy(any_cores, &problem, sizeof problem,
		"cpu-packed on 1, 2, 6, 18 and 54 cores %s", text);
}

int main(int argc, char **argv)
{
	static const int64_t packed[][PMPP_MAX_DIMS] = {
		{100, 1100, 400}, {1027, 65, 385}, {8, 1536, 769}, {1, 1, 1}};

	opencl.engine = engine_first("opencl");
	cuda_emu.engine = engine_first("cuda-emu");
	opencl_emu.engine = engine_first("opencl-emu");
	EACH_VARIANT (variant)
		if (!variant_family(variant)->internal && variant->repro == REPRO_BITWISE)
			add_variant(variant);
	for (size_t i = 0; i < SHAPE_COUNT; i++)
		add_alike("matmul", shapes[i]);
	for (size_t i = 0; i < LENGTH_COUNT; i++)
		add_alike("vecadd", lengths[i]);
	for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
		add_cores(packed[i]);
	int code = test_run(argc, argv);
	session_close(&opencl);
	session_close(&cuda_emu);
	session_close(&opencl_emu);
	return code;
}
