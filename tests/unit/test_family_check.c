/*
 * A row reads a macro that it does not have: an assertion fails, and a build without assertions
 * reports the row and the macro. meson.build compiles this file, family.c and
 * family_check.c twice, with and without assertions.
 */
#include "common/check_sizes.h"
#include "tests/support/test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- A family with one defect -------------------------------------------------------------- */

#define ABSENT "TILE" /* the row has BLOCK only */

/* The function that reads the absent macro. */
enum asks {
	ASKS_NOBODY,
	ASKS_PLAN,
	ASKS_SCRATCH,
	ASKS_PITCH,
	ASKS_DOMAIN,
	ASKS_FLOPS,
	ASKS_ISSUED,
	ASKS_TRAFFIC,
	ASKS_TILE,
	ASKS_INFEASIBLE,
	ASKS_CHAIN,
	ASKS_METRIC
};

#pragma GCC diagnostic ignored "-Wunused-parameter"

static enum asks asking;

static int64_t ask(enum asks who, const struct config *config)
{
	return config_value(config, asking == who ? ABSENT : "BLOCK");
}

static void plan(const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	plan_add_kernel(ret_plan, "kernel", 1, ask(ASKS_PLAN, config), NULL, 0);
}

static void scratch(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH])
{
	ret_bytes[0] = (uint64_t)ask(ASKS_SCRATCH, config);
}

static int64_t pitch(const struct config *config, const struct problem *problem, size_t operand)
{
	(void)operand;
	return problem->dim[0] + ask(ASKS_PITCH, config);
}

static const char *domain(const struct config *config, const struct problem *problem)
{
	return ask(ASKS_DOMAIN, config) ? NULL : "outside";
}

static double flops(const struct config *config, const struct problem *problem)
{
	return (double)ask(ASKS_FLOPS, config);
}

static double bytes_issued(const struct config *config, const struct problem *problem)
{
	return (double)ask(ASKS_ISSUED, config);
}

static void traffic(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	work->l1_passes = (double)ask(ASKS_TRAFFIC, config);
}

static const char *infeasible(const struct config *config)
{
	return ask(ASKS_INFEASIBLE, config) ? NULL : "infeasible";
}

static int64_t chain(const struct config *config, const struct problem *problem)
{
	return ask(ASKS_CHAIN, config);
}

static double count(const struct config *config, const struct problem *problem)
{
	return (double)ask(ASKS_METRIC, config);
}

static double work(const struct problem *problem)
{
	return (double)problem->dim[0];
}

static const struct check_size sizes[] = {{{AT(1)}}, {{TILES(0, 1, 1)}}};
static const struct check_rule check = {.sets = {{.sizes = sizes, .count = 2}}};

static const struct operand operands[] = {
	{.name = "A", .role = OPERAND_OUT, .rows_dim = 0, .columns_dim = DIM_ONE}};

static struct variant variants[] = {{.name = "row",
	.entry = "kernel",
	.macros = {{"BLOCK", 32, NULL}},
	.plan = plan,
	.scratch = scratch,
	.pitch = pitch,
	.domain = domain,
	.flops = flops,
	.bytes_issued = bytes_issued,
	.traffic = traffic,
	.tile = {{"BLOCK"}},
	.infeasible = infeasible,
	.chain = chain}};

static const struct family family = {.name = "made-up",
	.dim_names = {"n"},
	.dim_count = 1,
	.dim_max = 100,
	.default_size = {{10}, {10}, {10}},
	.operands = operands,
	.operand_count = 1,
	.work = work,
	.check = &check,
	.metric = {.kind = METRIC_NS_EACH, .name = "ns/thing", .count = count},
	.variants = variants,
	.variant_count = 1};

/* ---- Rows ---------------------------------------------------------------------------------- */

/* The extent of a tile is data: its macro is in the row. */
static void set_asking(enum asks who)
{
	asking = who;
	variants[0].tile[0].macro = who == ASKS_TILE ? ABSENT : "BLOCK";
}

static const struct asks_row {
	enum asks asks;
	const char *name;
} asks_rows[] = {{ASKS_PLAN, "plan"}, {ASKS_SCRATCH, "scratch"}, {ASKS_PITCH, "pitch"},
	{ASKS_DOMAIN, "domain"}, {ASKS_FLOPS, "flops"}, {ASKS_ISSUED, "bytes_issued"},
	{ASKS_TRAFFIC, "traffic"}, {ASKS_TILE, "tile"}, {ASKS_INFEASIBLE, "infeasible"},
	{ASKS_CHAIN, "chain"}, {ASKS_METRIC, "metric"}};

TEST_ROWS(check_row, asks_rows, "%s reads an absent macro", row->name)
{
#ifdef NDEBUG
	set_asking(row->asks);
	test_refused(family_check(&family, &test_error), PMPP_INTERNAL,
		"made-up/row reads the macro TILE");
#else
	int state;
	pid_t child = fork();

	if (child == 0) {
		static const struct rlimit none = {0, 0};
		setrlimit(RLIMIT_CORE, &none);
		signal(SIGABRT, SIG_DFL); /* CMocka catches it */
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		set_asking(row->asks);
		family_check(&family, &test_error);
		_exit(0);
	}
	CHECK(IS(child > 0), EQUAL(waitpid(child, &state, 0), child), IS(WIFSIGNALED(state)),
		EQUAL(WTERMSIG(state), SIGABRT));
#endif
	set_asking(ASKS_NOBODY);
	test_ok(family_check(&family, &test_error));
}

/* A macro that only some rows have. */
TEST(optional, "a macro that some rows have")
{
	struct config config = config_default(&variants[0]);

	config.value[0] = 64;
	CHECK(EQUAL(config_value(&config, "BLOCK"), 64),
		EQUAL(config_value_or(&config, "BLOCK", 7), 64),
		EQUAL(config_value_or(&config, ABSENT, 7), 7), NIL(config_take_missing()));
}

TEST(all_families, "no family reads an absent macro")
{
	for (size_t f = 0; f < family_count; f++)
		test_ok(family_check(families[f], &test_error));
}
