/*
 * The same bits: OpenCL against the emulated CUDA kernel for every row that promises them, and all
 * rows of matmul on OpenCL against each other, which add in one order by design.
 */
#include "tests/kernels/session.h"

#include <stdio.h>
#include <string.h>

static struct session opencl, emulated;

static const int64_t sizes[][PMPP_MAX_DIMS] = {
	{1, 1, 1}, {37, 41, 43}, {129, 65, 33}, {1, 300, 77}, {150, 1, 501}, {64, 256, 128}};
static const int64_t lengths[] = {1, 37, 1000, 65537, 300001};
#define SIZE_COUNT (sizeof sizes / sizeof *sizes)
#define LENGTH_COUNT (sizeof lengths / sizeof *lengths)
#define ROWS_MAX 400

static struct row {
	const struct variant *variant;
	struct problem problem;
} rows[ROWS_MAX];
static size_t row_count;

static void same_bits(const void *context)
{
	const struct row *row = context;
	struct config config = config_default(row->variant);
	char first[65], second[65];

	session_pass(&opencl, &config, &row->problem, first);
	session_pass(&emulated, &config, &row->problem, second);
	assert_int_equal(strlen(first), 64);
	assert_string_equal(first, second);
}

static void all_the_same(const void *context)
{
	const struct problem *problem = context;
	const struct family *family = problem->family;
	char first[65] = "", other[65];

	for (size_t v = 0; v < family->variant_count; v++) {
		struct config config = config_default(&family->variants[v]);

		if (family->variants[v].repro != REPRO_BITWISE)
			continue;
		if (family->variants[v].needs & ~opencl.engine.info.capabilities)
			continue;
		session_pass(&opencl, &config, problem, other);
		if (!*first)
			memcpy(first, other, sizeof first);
		if (strcmp(first, other) != 0)
			test_fail("%s gives other bits than %s", family->variants[v].name,
				family->variants[0].name);
	}
	assert_int_equal(strlen(first), 64);
}

static void add_row(struct test_list *list, test_fn *run, const struct family *family,
	const struct variant *variant, const int64_t *dim)
{
	struct row *row = &rows[row_count++];
	char text[100];

	*row = (struct row){variant, session_problem(family, dim)};
	problem_text(&row->problem, text, sizeof text);
	if (variant)
		test_add(list, run, row, "%s/%s %s", family->name, variant->name, text);
	else
		test_add(list, run, &row->problem, "all of %s %s", family->name, text);
}

static void add_family(struct test_list *list, const struct family *family)
{
	size_t count = family->dim_count == 1 ? LENGTH_COUNT : SIZE_COUNT;

	for (size_t i = 0; i < count; i++) {
		const int64_t *dim = family->dim_count == 1 ? &lengths[i] : sizes[i];

		for (size_t v = 0; v < family->variant_count; v++) {
			const struct variant *variant = &family->variants[v];
			if (variant->repro == REPRO_BITWISE && !variant->one_sided)
				add_row(list, same_bits, family, variant, dim);
		}
		add_row(list, all_the_same, family, NULL, dim);
	}
}

int main(int argc, char **argv)
{
	struct engine engines[ENGINES_MAX];
	struct test_list list = {0};
	int code;

	engine_list("opencl", engines);
	opencl.engine = engines[0];
	engine_list("cuda-emu", engines);
	emulated.engine = engines[0];
	for (size_t f = 0; f < family_count; f++)
		if (!families[f]->internal)
			add_family(&list, families[f]);
	code = test_run(&list, argc, argv);
	session_close(&opencl);
	session_close(&emulated);
	return code;
}
