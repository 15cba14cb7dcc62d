/*
 * The same bits: OpenCL against both emulated kernels for every row that promises them, and all
 * rows of matmul on OpenCL against each other, which add in one order by design (those that round
 * their inputs first aside).
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

static struct row {
	struct row *next;
	const struct variant *variant;
	struct problem problem;
} * last_row;

static void same_bits(const void *context)
{
	const struct row *row = context;
	struct config config = config_default(row->variant);
	char first[65], second[65];

	session_pass(&opencl_emu, &config, &row->problem, first);
	assert_int_equal(strlen(first), 64);
	if (!row->variant->one_sided) {
		session_pass(&cuda_emu, &config, &row->problem, second);
		assert_string_equal(first, second);
	}
	/* Last: what a CPU lacks (shuffles, half precision) is compared on the emulators. */
	session_pass(&opencl, &config, &row->problem, second);
	assert_string_equal(first, second);
}

static void all_the_same(const void *context)
{
	const struct problem *problem = context;
	const struct family *family = problem->family;
	char first[65] = "", other[65];

	for (size_t v = 0; v < family->variant_count; v++) {
		struct config config = config_default(&family->variants[v]);

		if (family->variants[v].repro != REPRO_BITWISE ||
			family->variants[v].rounding != ROUND_NONE || family->variants[v].chain)
			continue; /* a chain of its own: another order */
		if (family->variants[v].needs & ~opencl.engine.info.capabilities)
			continue;
		session_pass(&opencl, &config, problem, other);
		if (!*first)
			memcpy(first, other, sizeof first);
		if (strcmp(first, other) != 0)
			test_fail("%s gives other bits than %s", family->variants[v].name,
				family->variants[0].name);
	}
	EQUAL(strlen(first), 64);
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

static struct row *new_row(const struct variant *variant, const struct problem *problem)
{
	struct row *row = calloc(1, sizeof *row);

	if (!row)
		exit(1);
	*row = (struct row){last_row, variant, *problem};
	last_row = row;
	return row;
}

static void row_text(const struct problem *problem, char *ret_text, size_t size)
{
	char choices[50];

	problem_choices_text(problem, choices, sizeof choices);
	problem_text(problem, ret_text, size);
	snprintf(ret_text + strlen(ret_text), size - strlen(ret_text), " %s", choices);
}

/* A row that promises bits, with every choice, at the sizes that are not large. */
static void add_variant(const struct variant *variant)
{
	const struct family *family = variant_family(variant);
	struct config config = config_default(variant);
	struct problem problem = problem_default(family);
	char text[150];

	for (size_t c = 0; c < family_choice_count(family); c++) {
		int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS] = {0};

		problem_choose(&problem, c);
		size_t count = check_sizes_make(&config, &problem, SMALL_WORK, sizes);
		for (size_t i = 0; i < count; i++) {
			memcpy(problem.dim, sizes[i], sizeof problem.dim);
			row_text(&problem, text, sizeof text);
			test_add(same_bits, new_row(variant, &problem), "%s/%s %s", family->name,
				variant->name, text);
		}
	}
}

/* Families whose rows all compute in one order. */
static void add_alike(const char *name, const int64_t *dim)
{
	struct problem problem = problem_default(family_find(name));
	char text[150];

	memcpy(problem.dim, dim, sizeof problem.dim);
	row_text(&problem, text, sizeof text);
	test_add(all_the_same, &new_row(NULL, &problem)->problem, "all of %s %s", name, text);
}

static void add_cores(const int64_t *dim)
{
	struct problem problem = problem_default(family_find("matmul"));
	char text[150];

	memcpy(problem.dim, dim, sizeof problem.dim);
	row_text(&problem, text, sizeof text);
	test_add(any_cores, &new_row(NULL, &problem)->problem,
		"cpu-packed on 1, 2, 6, 18 and 54 cores %s", text);
}

int main(int argc, char **argv)
{
	static const int64_t packed[][PMPP_MAX_DIMS] = {
		{100, 1100, 400}, {1027, 65, 385}, {8, 1536, 769}, {1, 1, 1}};
	struct engine engines[MAX_ENGINES];
	int code;

	engine_list("opencl", engines);
	opencl.engine = engines[0];
	engine_list("cuda-emu", engines);
	cuda_emu.engine = engines[0];
	engine_list("opencl-emu", engines);
	opencl_emu.engine = engines[0];
	for (size_t f = 0; f < family_count; f++)
		for (size_t v = 0; v < families[f]->variant_count && !families[f]->internal; v++) {
			const struct variant *variant = &families[f]->variants[v];
			if (variant->repro == REPRO_BITWISE)
				add_variant(variant);
		}
	for (size_t i = 0; i < SHAPE_COUNT; i++)
		add_alike("matmul", shapes[i]);
	for (size_t i = 0; i < LENGTH_COUNT; i++)
		add_alike("vecadd", lengths[i]);
	for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
		add_cores(packed[i]);
	code = test_run(argc, argv);
	session_close(&opencl);
	session_close(&cuda_emu);
	session_close(&opencl_emu);
	while (last_row) {
		struct row *next = last_row->next;
		free(last_row);
		last_row = next;
	}
	return code;
}
