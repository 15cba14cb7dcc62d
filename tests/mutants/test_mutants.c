/*
 * The checker checked: every mutant is rejected, every control passes, on the engine that the first
 * argument names. What a checker cannot fail it does not check. The short form has one mutant of
 * each family, and the first of each table.
 */
#include "host/selftest/choice.c"
#include "tests/mutants/texts.h"

static struct engine engine;
static struct engine traced_engine; /* the traced engine of the language */

/* ---- Verdicts ------------------------------------------------------------------------------ */

/* A kernel that was stopped (out of bounds, race, signal) is rejected too. */
static void expect_verdict(const struct outcome *outcome, enum mutant_verdict verdict)
{
	const struct verify_record *verify = &outcome->row.verify;
	bool failed = outcome->row.status == OUTCOME_FAILED;
	bool stopped = outcome->row.status == OUTCOME_LAUNCH_ERROR ||
		       outcome->row.status == OUTCOME_TIMEOUT;

	test_note("%s: %s", outcome_status_name((enum outcome_status)outcome->row.status),
		text_or_empty(outcome->row.reason));
	if (outcome->row.log)
		test_note("log: %.600s", outcome->row.log);
	if (verdict == PASSES) {
		CHECK(EQUAL(outcome->row.status, OUTCOME_OK), IS(verify_record_passed(verify)));
		return;
	}
	if (!failed && !stopped)
		test_fail("not rejected: %s",
			outcome_status_name((enum outcome_status)outcome->row.status));
	IS(strlen(text_or_empty(outcome->row.reason)) > 0);
	if (verdict == UNSET_NOTICED && !strstr(outcome->row.reason, "uninitialised"))
		test_fail("the reason does not name an uninitialised variable");
	/* Other defects are not reported as uninitialised variables. */
	if (verdict != UNSET_NOTICED && strstr(outcome->row.reason, "uninitialised local"))
		test_fail("the reason names an uninitialised variable");
	if (stopped)
		return;
	NOT(verify_record_passed(verify));
	if (verdict == GUARD_NOTICED)
		NOT(verify->canary_ok);
	if (verdict == INPUT_NOTICED)
		NOT(verify->inputs_intact);
	if (verdict == NAN_NOTICED)
		IS(verify->nan > 0);
}

#define LARGE_BYTES 1e9 /* operands that do not fit on every machine and device */

static void skip_if_too_large(const struct problem *problem, struct outcome *outcome)
{
	char reason[200];

	if (outcome->row.status != OUTCOME_UNSUPPORTED ||
		problem_bytes_compulsory(problem) < LARGE_BYTES)
		return;
	snprintf(reason, sizeof reason, "%s", text_or_empty(outcome->row.reason));
	outcome_finish(outcome);
	test_skip("%s", reason);
}

/* Runs the text in the place of the variant's file. */
static void judge(const struct variant *variant, const struct problem *problem, const char *text,
	enum mutant_verdict verdict)
{
	struct session session = {.engine = engine, .kernel_dir = test_folder()};
	struct config config = config_default(variant);
	FINISHED(outcome_finish) struct outcome outcome;

	session_write_kernel(session.kernel_dir, variant, engine.backend, text);
	outcome = session_verify(&session, &config, problem);
	session_close(&session);
	skip_if_too_large(problem, &outcome);
	expect_verdict(&outcome, verdict);
}

static void run_mutant(const void *context)
{
	const struct mutant *mutant = context;
	const struct problem problem = mutant_problem(mutant);
	FREED char *text = NULL;

	test_ok(mutant_text(mutant, engine.backend, &text, &test_error));
	judge(mutant_variant(mutant), &problem, text, mutant->verdict);
}

static bool is_first(const struct mutant *mutant, unsigned like)
{
	return mutant_is_first(mutant, &engine.info, engine.traced, like);
}

/*
 * Without a GPU, the traced engine of the language runs all mutants. Its verification includes the
 * passes of the plain build, on the same kernel. The other engines run the first mutant of each
 * family and verdict, and the mutants that the traced engine cannot run. An OpenCL compiler for a
 * CPU takes more than a second for each mutant: there, the first defect of each family and the first
 * mutant of each verdict run.
 */
static bool is_left_to_traced(const struct mutant *mutant)
{
	bool is_cpu = engine.info.type == GPU_TYPE_CPU;

	if (engine.traced || engine.info.type == GPU_TYPE_GPU)
		return false;
	return traced_engine.usable && mutant_can_run(mutant, &traced_engine.info, true) &&
	       !(is_cpu && is_first(mutant, LIKE_FAMILY | LIKE_DEFECTS)) &&
	       !is_first(mutant, is_cpu ? LIKE_VERDICT : LIKE_VERDICT | LIKE_FAMILY);
}

/* A row that the engine cannot run gives no test: nothing would be rejected. */
static void add_mutants(const struct mutant *table)
{
	for (const struct mutant *m = table; m->name; m++) {
		if (!mutant_can_run(m, &engine.info, engine.traced) || is_left_to_traced(m))
			continue;
		test_add(run_mutant, m, "%s/%s: %s", m->family, m->variant, m->name);
		if (!is_first(m, LIKE_FAMILY | LIKE_DEFECTS) && m != table)
			test_mark_long();
	}
}

/* ---- Barriers: each one of every kernel is needed -------------------------------------------- */

static void without_barrier(const void *context)
{
	const struct barrier_row *row = context;
	struct config config = config_default(row->variant);
	struct problem problem = text_problem_of_tiles(&config);
	FREED char *changed = text_without_barrier(
		session_kernel(row->variant, engine.backend), engine.backend, row->number);

	judge(row->variant, &problem, changed, REJECTED);
}

int main(int argc, char **argv)
{
	engine = engine_first(argv[1]);
	bool is_opencl = gpu_backend_row(engine.backend)->language == GPU_LANGUAGE_OPENCL_C;
	traced_engine = engine_first(is_opencl ? "opencl-emu-traced" : "cuda-emu-traced");
	bool usable = engine_add_rows(&engine);
	for (size_t t = 0; usable && t < MUTANT_TABLE_COUNT; t++)
		add_mutants(mutant_tables[t].rows);
	for (size_t f = 0; f < family_count; f++)
		if (usable && engine.traced && !families[f]->internal)
			text_add_barriers(families[f], &engine, without_barrier, true);
	return test_run(argc - 1, argv + 1);
}
