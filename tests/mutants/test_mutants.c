/*
 * The checker checked: every mutant is rejected, every control passes, on the engine that the first
 * argument names. What a checker cannot fail it does not check. The short form has one mutant of
 * each family, and the first of each table.
 */
#include "host/io/sources.h"
#include "host/selftest/choice.c"
#include "host/suite/kernel_file.h"
#include "tests/mutants/texts.h"

#define MAX_BARRIERS 256

static struct engine engines[MAX_ENGINES];
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
	struct session session = {.engine = engines[0], .kernel_dir = test_folder()};
	struct config config = config_default(variant);
	char path[KERNEL_PATH_BYTES], full[800];
	FINISHED(outcome_finish) struct outcome outcome;

	kernel_file_path(variant, engines[0].backend, path);
	snprintf(full, sizeof full, "%s/%s", session.kernel_dir, path);
	test_write_file(full, text, strlen(text));
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

	test_ok(mutant_text(mutant, engines[0].backend, &text, &test_error));
	judge(mutant_variant(mutant), &problem, text, mutant->verdict);
}

static bool is_first(const struct mutant *mutant, unsigned like)
{
	return mutant_is_first(mutant, &engines[0].info, engines[0].traced, like);
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
	bool is_cpu = engines[0].info.type == GPU_TYPE_CPU;

	if (engines[0].traced || engines[0].info.type == GPU_TYPE_GPU)
		return false;
	return traced_engine.usable && mutant_can_run(mutant, &traced_engine.info, true) &&
	       !(is_cpu && is_first(mutant, LIKE_FAMILY | LIKE_DEFECTS)) &&
	       !is_first(mutant, is_cpu ? LIKE_VERDICT : LIKE_VERDICT | LIKE_FAMILY);
}

/* A row that the engine cannot run gives no test: nothing would be rejected. */
static void add_mutants(const struct mutant *table)
{
	for (const struct mutant *m = table; m->name; m++) {
		if (!mutant_can_run(m, &engines[0].info, engines[0].traced) || is_left_to_traced(m))
			continue;
		test_add(run_mutant, m, "%s/%s: %s", m->family, m->variant, m->name);
		if (!is_first(m, LIKE_FAMILY | LIKE_DEFECTS) && m != table)
			test_mark_long();
	}
}

/* ---- Barriers: each one of every kernel is needed -------------------------------------------- */

struct barrier_row {
	const struct variant *variant;
	size_t number;
};

static void without_barrier(const void *context)
{
	const struct barrier_row *row = context;
	struct config config = config_default(row->variant);
	struct problem problem = text_problem_of_tiles(&config);
	char path[KERNEL_PATH_BYTES];
	FREED char *changed;

	kernel_file_path(row->variant, engines[0].backend, path);
	changed = text_without_barrier(sources_embedded(path), engines[0].backend, row->number);
	judge(row->variant, &problem, changed, REJECTED);
}

/* The first variant of each file that has barriers. */
static void add_barriers(const struct family *family)
{
	static struct barrier_row rows[MAX_BARRIERS];
	static size_t count;

	for (size_t v = 0; v < family->variant_count; v++) {
		const struct variant *variant = &family->variants[v];
		bool seen = false;
		char path[KERNEL_PATH_BYTES];

		if (variant->needs & ~engines[0].info.capabilities ||
			text_needs_no_barrier(variant, engines[0].backend))
			continue; /* cannot run here: nothing would be rejected */
		for (size_t w = 0; w < v; w++)
			seen = seen || strcmp(family->variants[w].file, variant->file) == 0;
		kernel_file_path(variant, engines[0].backend, path);
		const char *text = seen ? NULL : sources_embedded(path);
		size_t barriers = text ? text_barriers(text, engines[0].backend) : 0;
		for (size_t b = 0; b < barriers; b++) {
			if (count == MAX_BARRIERS)
				exit(1);
			rows[count] = (struct barrier_row){variant, b};
			test_add(without_barrier, &rows[count++],
				"%s/%s: without barrier %zu of %zu", family->name, variant->name,
				b + 1, barriers);
			test_mark_long();
		}
	}
}

static void no_device(const void *context)
{
	(void)context;
	test_skip_backend(engines[0].backend, engines[0].reason);
}

static bool find_traced_engine(void)
{
	bool is_opencl = gpu_backend_row(engines[0].backend)->language == GPU_LANGUAGE_OPENCL_C;
	struct engine found[MAX_ENGINES];

	if (engine_list(is_opencl ? "opencl-emu-traced" : "cuda-emu-traced", found) == 0)
		return false;
	traced_engine = found[0];
	return true;
}

int main(int argc, char **argv)
{
	if (argc < 2 || engine_list(argv[1], engines) == 0 || !find_traced_engine())
		return 1;
	if (!engines[0].usable)
		test_add(no_device, NULL, "%s", engines[0].name);
	for (size_t t = 0; engines[0].usable && t < MUTANT_TABLE_COUNT; t++)
		add_mutants(mutant_tables[t].rows);
	for (size_t f = 0; f < family_count; f++)
		if (engines[0].usable && engines[0].traced && !families[f]->internal)
			add_barriers(families[f]);
	return test_run(argc - 1, argv + 1);
}
