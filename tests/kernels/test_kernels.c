/*
 * Every family, variant and check size on the engine that the first argument names (a word of
 * engine_list()): a row each. The short form has all of them with smaller sizes, without
 * long and thin sizes.
 */
#include "common/check_sizes.h"
#include "tests/kernels/session.h"
#include "tests/support/loader.h"

/* llvmpipe ends the loops of a thread after 65536 iterations. */
static bool has_short_loops(const struct session *session)
{
	return strstr(session->engine.info.name, "llvmpipe");
}

/* It does not unroll the loops over a thread's sums. Iterations: of all loops, for each k. */
static const struct {
	const char *variant;
	int iterations;
} short_loops[] = {{"registers", 77}, {"prefetch", 152}, {"thread-tile", 64}, {"vector-loads", 64},
	{"a-transposed", 64}, {"block-order", 64}, {"async-tiles", 64}};

static bool is_too_long(const struct session_row *row)
{
	const size_t count = sizeof short_loops / sizeof *short_loops;
	size_t i = 0;

	if (!has_short_loops(row->session) || row->problem.family != family_find("matmul"))
		return false;
	while (i < count && strcmp(row->config.variant->name, short_loops[i].variant) != 0)
		i++;
	return i < count && row->problem.dim[2] > 65536 / short_loops[i].iterations;
}

static void run_row(const void *context)
{
	const struct session_row *row = context;

	if (is_too_long(row))
		test_skip("llvmpipe ends the loops of a thread after 65536 iterations");
	session_pass(row->session, &row->config, &row->problem, NULL);
}

/* Whole tiles of such a problem are computed for one element of each. */
static bool is_long_and_thin(const struct problem *problem)
{
	bool thin = false, is_long = false;

	for (size_t d = 0; d < problem->family->dim_count; d++) {
		thin = thin || problem->dim[d] == 1;
		is_long = is_long || problem->dim[d] > 100000;
	}
	return thin && is_long;
}

/* These sizes take more than half of the time of all sizes on the traced emulators. Their kernels have smaller sizes
 * with the same tails, and the tests on PoCL have the large sizes. */
static bool is_slow_traced(const struct session *session, const struct problem *problem)
{
	static const struct {
		const char *family;
		size_t dim;
	} slow[] = {{"matmul", 0}, {"matmul", 2}, {"softmax", 0}};

	for (size_t i = 0; session->engine.traced && i < sizeof slow / sizeof *slow; i++)
		if (problem->family == family_find(slow[i].family) &&
			problem->dim[slow[i].dim] > 1000)
			return true;
	return false;
}

/* PoCL compiles each of these variants for 5 to 8 seconds, so drivers do not have them in the short form. block-order
 * has the parts of all of them, and the traced emulator runs their CUDA kernels. */
static bool compiles_long(const struct session *session, const struct config *config)
{
	static const char *const names[] = {"prefetch", "async-tiles", "split-k"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (variant_family(config->variant) == family_find("matmul") &&
			strcmp(config->variant->name, names[i]) == 0)
			return session->engine.info.engine != GPU_ENGINE_EMULATOR;
	return false;
}

/* The short form has the first choice of type, operation and data on each engine. On the emulators every second
 * variant also has one other choice, which changes from one of these variants to the next. Another choice can need
 * another program, and PoCL takes longest to compile one. */
static bool is_left_out(const struct session *session, const struct config *config, size_t choice)
{
	const struct family *family = variant_family(config->variant);
	size_t number = (size_t)(config->variant - family->variants);
	size_t others = family_choice_count(family) - 1;

	if (compiles_long(session, config))
		return true;
	return choice > 0 && (session->engine.info.engine != GPU_ENGINE_EMULATOR ||
				     number % 2 == 1 || choice - 1 != number / 2 % others);
}

/* choice: the number of the choice of `like` */
static void add_row(struct session *session, const struct config *config,
	const struct problem *like, size_t choice, const int64_t *dim)
{
	const struct family *family = variant_family(config->variant);
	struct session_row row = {session, .config = *config, .problem = *like};
	char text[100], choices[50];

	memcpy(row.problem.dim, dim, sizeof row.problem.dim);
	problem_text(&row.problem, text, sizeof text);
	problem_choices_text(&row.problem, choices, sizeof choices);
	test_add_copy(run_row, &row, sizeof row, "%s %s/%s %s %s", session->engine.name,
		family->name, config->variant->name, choices, text);
	if (is_long_and_thin(&row.problem) || is_slow_traced(session, &row.problem) ||
		is_left_out(session, config, choice))
		test_mark_long();
}

/* Sizes that break grids, beyond those of every run: long and thin. */
static void add_long_sizes(struct session *session, const struct config *config)
{
	static const int64_t any[][PMPP_MAX_DIMS] = {
		{200003, 1, 1}, {1, 200003, 1}, {1, 1, 100003}};
	/* A CPU has no limits of a grid, and computes whole tiles for minutes. */
	static const int64_t on_gpu[][PMPP_MAX_DIMS] = {{2000000, 1, 1}, {1, 2000000, 1}};
	struct problem like = problem_default(variant_family(config->variant));

	if (variant_family(config->variant) != family_find("matmul") ||
		session->engine.info.type == GPU_TYPE_EMULATED || has_short_loops(session))
		return; /* too long */
	for (size_t i = 0; i < sizeof any / sizeof *any; i++)
		add_row(session, config, &like, 0, any[i]);
	for (size_t i = 0; i < sizeof on_gpu / sizeof *on_gpu; i++)
		if (session->engine.info.type == GPU_TYPE_GPU)
			add_row(session, config, &like, 0, on_gpu[i]);
}

typedef int64_t size_list[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS];

/* Writes the sizes of an engine. A traced engine of an emulator has the passes of the plain build
 * too. So the plain engine only has the sizes that are too large for the traced engine. */
static size_t sizes_of(const struct session *session, const struct config *config,
	const struct problem *like, size_list ret_sizes)
{
	const struct gpu_device_info *info = &session->engine.info;
	size_list traced = {{0}};
	size_t count = check_sizes_make(config, like, session_work_budget(session), ret_sizes);
	size_t traced_count, kept = 0;

	if (info->engine != GPU_ENGINE_EMULATOR || session->engine.traced || test_is_short())
		return count;
	traced_count = check_sizes_make(config, like, suite_work_budget(info, true), traced);
	for (size_t i = 0; i < count; i++) {
		size_t j = 0;

		while (j < traced_count && memcmp(ret_sizes[i], traced[j], sizeof traced[j]) != 0)
			j++;
		if (j == traced_count)
			memmove(ret_sizes[kept++], ret_sizes[i], sizeof ret_sizes[i]);
	}
	return kept;
}

static void add_variant(struct session *session, const struct variant *variant)
{
	const struct family *family = variant_family(variant);
	struct config config = config_default(variant);
	static const int64_t one[PMPP_MAX_DIMS] = {1, 1, 1, 1};
	struct problem like = problem_default(family);

	/* One row says why nothing runs. */
	if (!session->engine.usable) {
		add_row(session, &config, &like, 0, one);
		return;
	}
	for (size_t c = 0; c < family_choice_count(family); c++) {
		size_list sizes = {{0}};

		problem_choose(&like, c);
		size_t count = sizes_of(session, &config, &like, sizes);
		for (size_t i = 0; i < count; i++)
			add_row(session, &config, &like, c, sizes[i]);
	}
	add_long_sizes(session, &config);
}

int main(int argc, char **argv)
{
	static struct engine engines[MAX_ENGINES];
	static struct session sessions[MAX_ENGINES];
	size_t count = argc > 1 ? engine_list(argv[1], engines) : 0;
	int code;

	loader_add_rows();
	for (size_t e = 0; e < count; e++) {
		sessions[e].engine = engines[e];
		EACH_VARIANT (variant)
			if (!(variant_family(variant)->internal && has_short_loops(&sessions[e])))
				add_variant(&sessions[e], variant);
	}
	code = test_run(argc - 1, argv + 1);
	for (size_t e = 0; e < count; e++)
		session_close(&sessions[e]);
	return code;
}
