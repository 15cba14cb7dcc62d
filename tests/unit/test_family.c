/* The tables of all families: what docs/adding-a-variant.md promises about a row. */
#include "common/check_sizes.h"
#include "common/family.h"
#include "tests/support/test.h"
#include "tests/support/variants.h"

static struct problem problem_of(const struct family *family, const int64_t dim[PMPP_MAX_DIMS])
{
	struct problem problem = problem_default(family);

	for (size_t i = 0; i < family->dim_count; i++)
		problem.dim[i] = dim[i];
	return problem;
}

static size_t variant_index(const struct family *family, const char *name)
{
	size_t i = 0;

	while (i < family->variant_count && strcmp(family->variants[i].name, name) != 0)
		i++;
	return i;
}

static void assert_text(const char *text, const char *what)
{
	if (!text || !*text)
		test_fail("no %s", what);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static void row_text(const void *context)
{
	const struct variant *variant = context;
	const struct family *family = variant_family(variant);

	SOME(family);
	assert_text(variant->name, "name");
	assert_text(variant->technique, "technique");
	assert_text(variant->idea, "idea");
	assert_text(variant->book, "book");
	assert_text(variant->file, "file");
	assert_text(variant->entry, "entry");
	EQUAL(strspn(variant->name, "abcdefghijklmnopqrstuvwxyz0123456789-"),
		strlen(variant->name));
	SAME(variant_find(family, variant->name), variant); /* also unique */
}

static void row_ladder(const void *context)
{
	const struct variant *variant = context;
	const struct family *family = variant_family(variant);
	size_t own = (size_t)(variant - family->variants);

	if (variant->base && variant_index(family, variant->base) >= own)
		test_fail("base %s is no earlier row", variant->base);
	if (!variant->base && own > 0 && !family->internal)
		test_fail("only the first rung has no base");
	if (variant->claim.over && variant_index(family, variant->claim.over) >= own)
		test_fail("claim over %s, which is no earlier row", variant->claim.over);
	if (variant->claim.text) {
		assert_text(variant->claim.text, "claim text");
		IS(variant->claim.at_least > 0 || variant->claim.at_most > 0);
		IS(variant->claim.over || variant->base);
	}
	if (variant->one_sided && variant->needs == 0)
		test_fail("one-sided without a need that says why");
	if (variant->cuda_only && variant->needs == 0)
		test_fail("only in CUDA without a need that says why");
	EQUAL((int)variant->repro >= REPRO_BITWISE && variant->repro <= REPRO_BOUND, 1);
	IS(variant->by_columns >> family->operand_count == 0);
}

static void check_macro(const struct macro *macros, size_t i)
{
	const struct macro *macro = &macros[i];
	bool is_choice = macro->choices == NULL;

	if (strlen(macro->name) < 4)
		test_fail("macro %s: fewer than four letters", macro->name);
	for (size_t j = 0; j < i; j++)
		assert_string_not_equal(macros[j].name, macro->name);
	for (const int *choice = macro->choices; choice && *choice; choice++) {
		IS(*choice > 0);
		if (choice > macro->choices && choice[-1] >= *choice)
			test_fail("choices of %s do not ascend", macro->name);
		is_choice = is_choice || *choice == macro_default(macro, &kernel_shape_reference);
	}
	if (!is_choice)
		test_fail("%s: the default %d is no choice", macro->name, macro->value);
}

static void row_macros(const void *context)
{
	const struct variant *variant = context;
	struct config config = config_default(variant);
	size_t count = 0;

	for (; variant->macros[count].name; count++) {
		IS(count < PMPP_MAX_MACROS);
		check_macro(variant->macros, count);
		int value = macro_default(&variant->macros[count], &kernel_shape_reference);

		EQUAL(config.value[count], value);
		EQUAL(config_value(&config, variant->macros[count].name), value);
	}
	if (variant->infeasible && variant->infeasible(&config))
		test_fail("the default is infeasible: %s", variant->infeasible(&config));
}

/* Constants are part of the kernel file, not macros, so the key of a program does not have them. */
static void row_constants(const void *context)
{
	const struct variant *variant = context;
	const struct family *family = variant_family(variant);
	struct config config = config_default(variant);

	for (size_t i = 0; variant->constants[i].name; i++) {
		CHECK(IS(i < PMPP_MAX_CONSTANTS), IS(strlen(variant->constants[i].name) >= 4),
			EQUAL(config_value_or(&config, variant->constants[i].name, -1), -1));
	}
	for (size_t v = 0; v < family->variant_count; v++) {
		const struct constant *other = family->variants[v].constants;

		if (strcmp(family->variants[v].file, variant->file) != 0)
			continue;
		for (size_t i = 0; i <= PMPP_MAX_CONSTANTS; i++) {
			EQUAL(other[i].name == NULL, variant->constants[i].name == NULL);
			if (!other[i].name)
				break;
			STRING(other[i].name, variant->constants[i].name);
			EQUAL(other[i].value, variant->constants[i].value);
		}
	}
}

/* ---- Plans --------------------------------------------------------------------------------- */

static void check_arg(const struct plan_arg *arg, const struct problem *problem)
{
	if (arg->kind == PLAN_ARG_OPERAND)
		IS(arg->value >= 0 && arg->value < (int64_t)problem->family->operand_count);
	else if (arg->kind == PLAN_ARG_SCRATCH)
		IS(arg->value >= 0 && arg->value < PMPP_MAX_SCRATCH);
	else if (arg->kind == PLAN_ARG_INT)
		IS(arg->value >= INT32_MIN && arg->value <= INT32_MAX);
	else if (arg->kind == PLAN_ARG_TILE_MAP)
		IS(arg->value >= 0 && arg->value < PMPP_MAX_TILE_MAPS);
	else
		EQUAL(arg->kind, PLAN_ARG_ULONG);
}

/* The limits of gpu_tile_map_desc. */
static void check_tile_map(const struct plan_tile_map *map, const struct problem *problem)
{
	check_arg(&map->buffer, problem);
	IS(map->element_bytes == 2 || map->element_bytes == 4);
	IS(map->rows >= 1 && map->columns >= 1 && map->columns <= map->pitch);
	EQUAL(map->pitch * map->element_bytes % 16, 0);
	IS(map->tile_rows >= 1 && map->tile_rows <= 256);
	IS(map->tile_columns >= 1 && map->tile_columns <= 256);
	EQUAL(map->tile_columns * map->element_bytes % 16, 0);
	IS(!map->swizzled || map->tile_columns * map->element_bytes <= 128);
}

static void check_launch(const struct plan_launch *launch, const struct problem *problem)
{
	SOME(launch->entry);
	for (int i = 0; i < 3; i++)
		IS(launch->groups[i] >= 1 && launch->block[i] >= 1);
	if (plan_launch_threads(launch) > 1024)
		test_fail(
			"a block of %llu threads", (unsigned long long)plan_launch_threads(launch));
	IS(launch->arg_count >= 1 && launch->arg_count <= PMPP_MAX_ARGS);
	for (size_t i = 0; i < launch->arg_count; i++)
		check_arg(&launch->args[i], problem);
	for (size_t i = 0; i < launch->arg_count; i++)
		if (launch->args[i].kind == PLAN_ARG_TILE_MAP)
			check_tile_map(&launch->tile_maps[launch->args[i].value], problem);
}

/* The target of a fill is a buffer. */
static void check_fill(const struct plan_fill *fill, const struct problem *problem)
{
	IS(fill->buffer.kind == PLAN_ARG_OPERAND || fill->buffer.kind == PLAN_ARG_SCRATCH);
	check_arg(&fill->buffer, problem);
}

/* Lines of an operand do not overlap. */
static void check_pitch(const struct config *config, const struct problem *problem)
{
	const struct variant *variant = config->variant;

	for (size_t i = 0; i < problem->family->operand_count && variant->pitch; i++) {
		const struct operand *operand = &problem->family->operands[i];
		bool by_columns = variant->by_columns >> i & 1;
		int64_t line = by_columns ? operand_rows(operand, problem)
					  : operand_columns(operand, problem);

		IS(variant->pitch(config, problem, i) >= line);
	}
}

static void check_plan(const struct config *config, const struct problem *problem)
{
	struct plan plan;

	config_plan(config, problem, &plan);
	IS(plan.step_count >= 1 && plan.step_count <= PMPP_MAX_STEPS);
	for (size_t s = 0; s < plan.step_count; s++) {
		const struct plan_step *step = &plan.steps[s];

		if (plan_step_launch(step))
			check_launch(&step->as.launch, problem);
		else
			check_fill(&step->as.fill, problem);
	}
	check_pitch(config, problem);
}

/* Steps to the next combination of choices. Returns false after the last. */
static bool next_config(struct config *config)
{
	const struct macro *macros = config->variant->macros;

	for (size_t i = 0; macros[i].name; i++) {
		const int *choice = macros[i].choices;

		if (!choice)
			continue;
		while (*choice != config->value[i])
			choice++;
		if (choice[1]) {
			config->value[i] = choice[1];
			return true;
		}
		config->value[i] = macros[i].choices[0];
	}
	return false;
}

static struct config first_config(const struct variant *variant)
{
	struct config config = config_default(variant);

	for (size_t i = 0; variant->macros[i].name; i++)
		if (variant->macros[i].choices)
			config.value[i] = variant->macros[i].choices[0];
	return config;
}

/* Every feasible tuning, at extreme sizes. */
static void row_plans(const void *context)
{
	static const int64_t sizes[][PMPP_MAX_DIMS] = {{1, 1, 1, 1}, {37, 41, 43, 47},
		{2000000, 1, 1, 1}, {1, 2000000, 1, 1}, {1, 1, 2000000, 1},
		{4096, 4096, 4096, 4096}};
	static const int64_t ones[PMPP_MAX_DIMS] = {1, 1, 1, 1};
	const struct variant *variant = context;
	const struct family *family = variant_family(variant);
	struct config config = first_config(variant);
	size_t feasible = 0;

	do {
		if (variant->infeasible && variant->infeasible(&config))
			continue;
		feasible++;
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			struct problem problem = problem_of(family, sizes[i]);
			check_plan(&config, &problem);
		}
		struct problem largest = problem_default(family);
		for (size_t i = 0; i < family->dim_count; i++) {
			largest.dim[i] = family->dim_max;
			struct problem line = problem_of(family, ones);
			line.dim[i] = family->dim_max;
			check_plan(&config, &line);
		}
		check_plan(&config, &largest);
	} while (next_config(&config));
	test_note("%zu feasible tunings", feasible);
	IS(feasible >= 1);
}

/* ---- Check sizes --------------------------------------------------------------------------- */

static bool is_prime(int64_t n)
{
	for (int64_t i = 2; i * i <= n; i++)
		if (n % i == 0)
			return false;
	return n >= 2;
}

/* Returns whether a size is a multiple of the tile in every dimension. */
static bool is_even(const struct config *config, const int64_t *size, size_t dims)
{
	int64_t tile[PMPP_MAX_DIMS] = {0};

	for (size_t d = 0; d < PMPP_MAX_DIMS; d++)
		tile[d] = config_tile(config, d);
	for (size_t i = 0; i < dims; i++)
		if (tile[i] > 0 && size[i] % tile[i] != 0)
			return false;
	return true;
}

static void check_sizes_of(const struct config *config, double budget)
{
	const struct family *family = variant_family(config->variant);
	int64_t sizes[PMPP_MAX_CHECK_SIZES + 1][PMPP_MAX_DIMS] = {0};
	struct problem like = problem_default(family);
	size_t count = check_sizes_make(config, &like, budget, sizes);
	size_t free_dims = 0; /* dimensions without a default */
	bool one = false, prime = false, uneven = false, rectangular;
	double max = 0;

	while (free_dims < family->dim_count && family->dim_default[free_dims] == 0)
		free_dims++;
	rectangular = free_dims == 1;
	IS(count >= 4 && count <= PMPP_MAX_CHECK_SIZES);
	for (size_t i = 0; i < count; i++) {
		struct problem problem = problem_of(family, sizes[i]);
		double work = config_work(config, &problem);
		bool ones = true, primes = true;

		for (size_t d = 0; d < family->dim_count; d++) {
			IS(sizes[i][d] >= 1 && sizes[i][d] <= family->dim_max);
			if (d >= free_dims)
				continue;
			ones = ones && sizes[i][d] == 1;
			primes = primes && is_prime(sizes[i][d]);
			rectangular = rectangular || sizes[i][d] != sizes[i][0];
		}
		one = one || ones;
		prime = prime || primes;
		uneven = uneven || !is_even(config, sizes[i], family->dim_count);
		IS(work <= budget);
		if (family->invalid && family->invalid(&problem))
			test_fail("no problem of the family: %s", family->invalid(&problem));
		max = work > max ? work : max;
	}
	IS(one && prime && uneven && rectangular);
	if (max < budget / 8 && max < 0x1p23)
		test_fail("the largest size has %g units of work; the budget is %g", max, budget);
}

/* The check sizes of a problem together have every case. */
static void check_cases_of(const struct config *config, const struct problem *like, double budget)
{
	const struct family *family = variant_family(config->variant);
	int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS] = {{0}};
	struct problem problem = *like;
	size_t count = check_sizes_make(config, &problem, budget, sizes);
	char choices[100], macros[200] = "";
	unsigned cases = 0;

	problem.rounding = config->variant->rounding;
	for (size_t i = 0; i < count; i++) {
		memcpy(problem.dim, sizes[i], sizeof problem.dim);
		cases |= check_cases(config, &problem);
	}
	unsigned missing = (family->cases | CHECK_SEED) & ~cases;
	if (problem.rounding == ROUND_F16)
		missing &= ~CASE_BIT(CASE_LARGE);
	if (!missing)
		return;
	problem_choices_text(&problem, choices, sizeof choices);
	for (size_t i = 0; config->variant->macros[i].name; i++)
		snprintf(macros + strlen(macros), sizeof macros - strlen(macros), " %s=%d",
			config->variant->macros[i].name, config->value[i]);
	test_fail("budget %g, %s%s: cases %x are missing", budget, choices, macros, missing);
}

/* A size of `reduce` ends in the middle of a tile, so that a kernel that leaves out most of a partial tile fails. */
static void check_middle_of(const struct config *config, const struct problem *like, double budget)
{
	int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS] = {{0}};
	size_t count = check_sizes_make(config, like, budget, sizes);
	int64_t tile = config_tile(config, 0);
	bool found =
		strcmp(like->family->name, "reduce") != 0 || like->op == 0 /* sum */ || tile < 8;

	for (size_t i = 0; i < count; i++) {
		int64_t rest = tile > 0 ? sizes[i][0] % tile : 0;
		found = found || (rest > tile / 4 && rest <= tile * 3 / 4);
	}
	IS(found);
}

/* Each choice of the problem, with the default macros and with each choice of one macro. */
static void check_all_cases_of(const struct config *config, double budget)
{
	const struct variant *variant = config->variant;
	const struct family *family = variant_family(variant);
	struct problem problem = problem_default(family);

	for (size_t c = 0; c < family_choice_count(family); c++) {
		problem_choose(&problem, c);
		check_cases_of(config, &problem, budget);
		check_middle_of(config, &problem, budget);
		for (size_t m = 0; variant->macros[m].name; m++)
			for (const int *choice = variant->macros[m].choices; choice && *choice;
				choice++) {
				struct config other = *config;

				other.value[m] = *choice;
				check_cases_of(&other, &problem, budget);
			}
	}
}

static void row_check_sizes(const void *context)
{
	const struct variant *variant = context;
	struct config config = config_default(variant);
	static const double budgets[] = {64.0 * 64 * 64, 0x1p21, 0x1p24, 0x1p26, 0x1p36};

	for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++)
		check_sizes_of(&config, budgets[i]);
	for (size_t i = 1; i < sizeof budgets / sizeof *budgets; i++) /* not Oclgrind's budget */
		check_all_cases_of(&config, budgets[i]);
}

/* ---- Families ------------------------------------------------------------------------------ */

static void family_row(const void *context)
{
	const struct family *family = context;
	size_t outputs = 0;

	SAME(family_find(family->name), family);
	assert_text(family->title, "title");
	assert_text(family->size_help, "problem line");
	assert_text(family->book, "book");
	IS(family->dim_count >= 1 && family->dim_count <= PMPP_MAX_DIMS);
	IS(family->operand_count >= 1 && family->operand_count <= PMPP_MAX_OPERANDS);
	for (size_t i = 0; i < family->dim_count; i++) {
		assert_text(family->dim_names[i], "dimension's name");
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(family->dim_names[i], family->dim_names[j]);
	}
	for (size_t i = 0; i < family->operand_count; i++) {
		const struct operand *operand = &family->operands[i];

		assert_text(operand->name, "operand's name");
		IS(operand->rows_dim >= DIM_ONE && operand->rows_dim < (int)family->dim_count);
		IS(operand->columns_dim >= DIM_ONE &&
			operand->columns_dim < (int)family->dim_count);
		outputs += operand->role == OPERAND_OUT;
	}
	EQUAL(outputs, 1);
	EQUAL(family->operands[family->operand_count - 1].role, OPERAND_OUT);
	for (size_t i = 0; i < DEVICE_CLASS_COUNT && !family->internal; i++) {
		struct problem problem = problem_default(family);

		problem_default_size(&problem, (enum device_class)i);
		for (size_t d = 0; d < family->dim_count; d++)
			IS(problem.dim[d] >= 1 && problem.dim[d] <= family->dim_max);
		IS(!family->invalid || !family->invalid(&problem));
	}
	for (size_t i = 1; i < family->dim_count; i++) /* dimensions with a default are the last */
		IS(family->dim_default[i - 1] == 0 || family->dim_default[i] > 0);
	IS(family->variant_count >= 1);
}

TEST(finding, "finding families and variants")
{
	CHECK(SOME(family_find("matmul")), SOME(family_find("vecadd")), NIL(family_find("matmull")),
		NIL(family_find("")), NIL(variant_find(family_find("matmul"), "fine")),
		SOME(variant_find(family_find("vecadd"), "fine")),
		NIL(variant_find(family_find("vecadd"), "")),
		NIL(variant_family(&(struct variant){.name = "foreign"})));
	for (size_t i = 0; i < family_count; i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(families[i]->name, families[j]->name);
}

/* The variants of each ladder, in order. */
TEST(ladders, "the ladders are complete")
{
	static const char *const matmul[] = {"naive-uncoalesced", "naive", "tiled16", "tiled32",
		"colmajor-naive", "corner-turned", "coarse2", "coarse4", "coarse8", "thread-column",
		"thread-tile", "vector-loads", "a-transposed", "registers", "prefetch",
		"async-tiles", "block-order", "split-k", "bulk-copies", "best", "f16", "f16-tensor",
		"tf32-tensor", "f16-mma", "f16-mma96", "tf32-mma", "f16-wgmma", "f16-wgmma64",
		"tf32-wgmma", "tf32-wgmma64", "cpu-packed"};
	static const char *const vecadd[] = {
		"fine", "coarse2", "coarse4", "grid-stride", "vector4"};
	const struct family *family = family_find("matmul");

	EQUAL(family->variant_count, sizeof matmul / sizeof *matmul);
	for (size_t i = 0; i < family->variant_count; i++) {
		STRING(family->variants[i].name, matmul[i]);
		if (strstr(matmul[i], "-tensor") || strstr(matmul[i], "-mma") ||
			family->variants[i].cuda_only || strcmp(matmul[i], "bulk-copies") == 0)
			EQUAL(family->variants[i].repro, REPRO_RUN);
		else if (strcmp(matmul[i], "cpu-packed") != 0)
			EQUAL(family->variants[i].repro, REPRO_BITWISE);
	}
	family = family_find("vecadd");
	for (size_t i = 0; i < sizeof vecadd / sizeof *vecadd; i++)
		SOME(variant_find(family, vecadd[i]));
}

/* The variants that do not solve the problem of their family at full precision. */
TEST(no_solutions, "variants that do not solve the family's problem")
{
	static const char *const names[] = {"matmul/colmajor-naive", "matmul/corner-turned",
		"matmul/f16", "matmul/f16-tensor", "matmul/tf32-tensor", "matmul/f16-mma",
		"matmul/f16-mma96", "matmul/tf32-mma", "matmul/f16-wgmma", "matmul/f16-wgmma64",
		"matmul/tf32-wgmma", "matmul/tf32-wgmma64", "traverse/column-walk",
		"transpose/copy"};
	size_t found = 0;

	EACH_VARIANT (variant) {
		const struct family *family = variant_family(variant);
		if (variant_solves_family(family->name, variant->name)) {
			IS(variant->unit_roundoff == 0);
			continue;
		}
		if (family->internal || strcmp(family->name, "instructions") == 0)
			continue;
		CHECK(IS(found < sizeof names / sizeof *names),
			STRING(test_text("%s/%s", family->name, variant->name), names[found]));
		found++;
	}
	EQUAL(found, sizeof names / sizeof *names);
	NOT(variant_solves_family("instructions", "fma"));
	IS(variant_solves_family("matmul", "of a later version"));
	IS(variant_solves_family("of a later version", "copy"));
}

static const struct text_row {
	const char *family;
	int64_t dim[PMPP_MAX_DIMS];
	const char *text;
} text_rows[] = {
	{"matmul", {512, 512, 512}, "m=n=k=512"},
	{"matmul", {7, 5, 3}, "m=7 n=5 k=3"},
	{"matmul", {2, 2, 3}, "m=2 n=2 k=3"},
	{"matmul", {1, 1, 1}, "m=n=k=1"},
	{"vecadd", {1 << 20}, "n=1048576"},
	{"vecadd", {(int64_t)1 << 40}, "n=1099511627776"},
};

TEST_ROWS(problem_texts, text_rows, "problem text %s", row->text)
{
	struct problem problem = problem_of(family_find(row->family), row->dim);
	char text[80], small[12];

	problem_text(&problem, text, sizeof text);
	STRING(text, row->text);
	memset(small, '#', sizeof small);
	problem_text(&problem, small, 6);
	CHECK(SOME(memchr(small, '\0', 6)), EQUAL(small[6], '#'));
}

TEST(operand_sizes, "operand sizes")
{
	const struct family *family = family_find("matmul");
	struct problem problem = {.family = family, .dim = {7, 5, 3}};

	EQUAL(operand_rows(&family->operands[0], &problem), 7);
	EQUAL(operand_columns(&family->operands[0], &problem), 3);
	EQUAL(operand_bytes(&family->operands[0], &problem), 84);
	EQUAL(operand_bytes(&family->operands[1], &problem), 60);
	EQUAL(operand_bytes(&family->operands[2], &problem), 140);
	test_near(problem_bytes_compulsory(&problem), 284, 0);
	problem.rounding = ROUND_TF32;
	test_near(problem_bytes_compulsory(&problem), 284, 0);
	problem.rounding = ROUND_F16; /* A and B have half the bytes */
	test_near(problem_bytes_compulsory(&problem), 42 + 30 + 140, 0);

	problem.dim[0] = problem.dim[2] = (int64_t)1 << 31;
	IS(operand_bytes(&family->operands[0], &problem) == UINT64_MAX);
	problem.dim[2] = (int64_t)1 << 30;
	IS(operand_bytes(&family->operands[0], &problem) == UINT64_C(1) << 63);

	family = family_find("vecadd");
	problem = (struct problem){.family = family, .dim = {1000}};
	EQUAL(operand_columns(&family->operands[0], &problem), 1);
	test_near(problem_bytes_compulsory(&problem), 12000, 0);
}

/* ---- Smaller problems ---------------------------------------------------------------------- */

static const struct halve_row {
	const char *family;
	int64_t dim[3], want[3]; /* want 0: no smaller problem exists */
} halve_rows[] = {
	{"matmul", {2048, 2048, 2048}, {1024, 1024, 1024}},
	{"matmul", {1, 5, 2}, {1, 2, 1}},
	{"matmul", {1, 1, 1}, {0}},
	{"vecadd", {1 << 26}, {1 << 25}},
	{"vecadd", {3}, {1}},
	{"latency", {1 << 20, 2048}, {1 << 19, 2048}}, /* the number of trips has a default */
	{"latency", {1, 2048}, {0}},
};

TEST_ROWS(halve, halve_rows, "halve: %s, %lld", row->family, (long long)row->dim[0])
{
	struct problem problem = problem_default(family_find(row->family));

	memcpy(problem.dim, row->dim, sizeof row->dim);
	EQUAL(problem_halve(&problem), row->want[0] > 0);
	assert_memory_equal(problem.dim, row->want[0] ? row->want : row->dim, sizeof row->dim);
}

/* Every default size can be halved down to a size that fits everywhere. */
TEST(halve_defaults, "halve: default sizes")
{
	for (size_t f = 0; f < family_count; f++) {
		struct problem problem = problem_default(families[f]);
		int steps = 0;

		problem_default_size(&problem, DEVICE_CLASS_GPU);
		for (; problem_halve(&problem); steps++)
			IS(!families[f]->invalid || !families[f]->invalid(&problem));
		assert_in_range(steps, 3, 63);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		test_fn *run;
		const char *name;
	} checks[] = {{row_text, "texts"}, {row_ladder, "ladder"}, {row_macros, "macros"},
		{row_constants, "constants"}, {row_plans, "plans"},
		{row_check_sizes, "check sizes"}};

	for (size_t f = 0; f < family_count; f++) {
		test_add(family_row, families[f], "%s", families[f]->name);
		for (size_t v = 0; v < families[f]->variant_count; v++)
			for (size_t c = 0; c < sizeof checks / sizeof *checks; c++)
				test_add(checks[c].run, &families[f]->variants[v], "%s/%s: %s",
					families[f]->name, families[f]->variants[v].name,
					checks[c].name);
	}
	return test_run(argc, argv);
}
