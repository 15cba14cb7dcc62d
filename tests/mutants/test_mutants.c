/*
 * The checker checked: every mutant is rejected, every control passes, on the engine that the first
 * argument names. What a checker cannot fail it does not check. The short form has one mutant of
 * each family, and the first of each table.
 */
#include "host/io/sources.h"
#include "tests/mutants/mutants.h"
#include "tests/mutants/texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
		assert_int_equal(outcome->row.status, OUTCOME_OK);
		assert_true(verify_record_passed(verify));
		return;
	}
	if (!failed && !stopped)
		test_fail("not rejected: %s",
			outcome_status_name((enum outcome_status)outcome->row.status));
	assert_true(strlen(text_or_empty(outcome->row.reason)) > 0);
	if (verdict == UNSET_NOTICED && !strstr(outcome->row.reason, "uninitialised"))
		test_fail("the reason does not name an uninitialised variable");
	/* Other defects are not reported as uninitialised variables. */
	if (verdict != UNSET_NOTICED && strstr(outcome->row.reason, "uninitialised local"))
		test_fail("the reason names an uninitialised variable");
	if (stopped)
		return;
	assert_false(verify_record_passed(verify));
	if (verdict == GUARD_NOTICED)
		assert_false(verify->canary_ok);
	if (verdict == INPUT_NOTICED)
		assert_false(verify->inputs_intact);
	if (verdict == NAN_NOTICED)
		assert_true(verify->nan > 0);
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
	char path[200], full[800];
	struct outcome outcome;

	text_kernel_path(variant, engines[0].backend, path, sizeof path);
	snprintf(full, sizeof full, "%s/%s", session.kernel_dir, path);
	test_write_file(full, text, strlen(text));
	outcome = session_verify(&session, &config, problem);
	session_close(&session);
	skip_if_too_large(problem, &outcome);
	expect_verdict(&outcome, verdict);
	outcome_finish(&outcome);
}

/*
 * Each row has data of its own. Local memory keeps its values from kernel to kernel on some devices:
 * with the same data, an element that a kernel leaves uninitialised can have the right value from
 * the row before.
 */
static uint64_t seed_of(const struct mutant *mutant)
{
	uint64_t seed = 1;

	for (size_t t = 0; mutant_tables[t]; t++)
		for (const struct mutant *m = mutant_tables[t]; m->name; m++, seed++)
			if (m == mutant)
				return seed;
	return seed;
}

static void run_mutant(const void *context)
{
	const struct mutant *mutant = context;
	const struct variant *variant = variant_find(family_find(mutant->family), mutant->variant);
	struct problem problem = session_problem(variant_family(variant), mutant->dim);
	bool opencl = gpu_backend_row(engines[0].backend)->language == GPU_LANGUAGE_OPENCL_C;
	const char *replacement =
		opencl || !mutant->replace_cu ? mutant->replace_cl : mutant->replace_cu;
	char path[200];
	const char *text;
	char *changed;

	problem.seed = seed_of(mutant);
	problem.op = mutant->op;
	problem.data = mutant->data;
	if (mutant->dtype)
		problem.dtype = mutant->dtype;
	if (variant->needs & ~engines[0].info.capabilities)
		test_skip("%s cannot run %s/%s", engines[0].name, mutant->family, mutant->variant);
	text_kernel_path(variant, engines[0].backend, path, sizeof path);
	text = sources_embedded(path);
	assert_non_null(text);
	if (!mutant->find) {
		judge(variant, &problem, text, mutant->verdict);
		return;
	}
	if (text_occurrences(text, mutant->find) == 0)
		test_fail("%s does not hold '%s': the mutation is out of date", path, mutant->find);
	changed = text_replaced(text, mutant->find, replacement, -1);
	judge(variant, &problem, changed, mutant->verdict);
	free(changed);
}

/* A row that the engine cannot run gives no test: nothing would be rejected. */
static bool can_run(const struct mutant *mutant, const struct engine *engine, unsigned bit)
{
	const struct variant *variant = variant_find(family_find(mutant->family), mutant->variant);
	unsigned missing = (variant->needs | mutant->needs) & ~engine->info.capabilities;

	return (mutant->engines & bit) && missing == 0;
}

/* Whether this is the first mutant with its verdict, of its family or of all families, by the order of
 * the tables. */
static bool is_first_of_verdict(const struct mutant *mutant, unsigned engine, bool of_family)
{
	for (size_t t = 0; mutant_tables[t]; t++)
		for (const struct mutant *m = mutant_tables[t]; m->name; m++)
			if (m->verdict == mutant->verdict && can_run(m, &engines[0], engine) &&
				(!of_family || strcmp(m->family, mutant->family) == 0))
				return m == mutant;
	return false;
}

/* Whether this is the first defect of its family, by the order of the tables. */
static bool is_first(const struct mutant *mutant, unsigned engine)
{
	for (size_t t = 0; mutant_tables[t]; t++)
		for (const struct mutant *m = mutant_tables[t]; m->name; m++)
			if (m->verdict != PASSES && can_run(m, &engines[0], engine) &&
				strcmp(m->family, mutant->family) == 0)
				return m == mutant;
	return false;
}

/*
 * Without a GPU, the traced engine of the language runs all mutants. Its verification includes the
 * passes of the plain build, on the same kernel. The other engines run the first mutant of each
 * family and verdict, and the mutants that the traced engine cannot run. An OpenCL compiler for a
 * CPU takes more than a second for each mutant: there, the first defect of each family and the first
 * mutant of each verdict run.
 */
static bool is_left_to_traced(const struct mutant *mutant, unsigned engine)
{
	bool is_opencl = gpu_backend_row(engines[0].backend)->language == GPU_LANGUAGE_OPENCL_C;
	bool is_cpu = engines[0].info.type == GPU_TYPE_CPU;

	if (engines[0].traced || engines[0].info.type == GPU_TYPE_GPU)
		return false;
	return traced_engine.usable &&
	       can_run(mutant, &traced_engine, is_opencl ? ON_CL_TRACED : ON_TRACED) &&
	       !(is_cpu && is_first(mutant, engine)) &&
	       !is_first_of_verdict(mutant, engine, !is_cpu);
}

static void add_mutants(struct test_list *list, const struct mutant *table, unsigned engine)
{
	for (const struct mutant *m = table; m->name; m++) {
		if (!can_run(m, &engines[0], engine) || is_left_to_traced(m, engine))
			continue;
		test_add(list, run_mutant, m, "%s/%s: %s", m->family, m->variant, m->name);
		if (!is_first(m, engine) && m != table)
			test_mark_long(list);
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
	char path[200];
	char *changed;

	text_kernel_path(row->variant, engines[0].backend, path, sizeof path);
	changed = text_without_barrier(sources_embedded(path), engines[0].backend, row->number);
	judge(row->variant, &problem, changed, REJECTED);
	free(changed);
}

/* The first variant of each file that has barriers. */
static void add_barriers(struct test_list *list, const struct family *family)
{
	static struct barrier_row rows[MAX_BARRIERS];
	static size_t count;

	for (size_t v = 0; v < family->variant_count; v++) {
		const struct variant *variant = &family->variants[v];
		bool seen = false;
		char path[200];

		if (variant->needs & ~engines[0].info.capabilities ||
			text_needs_no_barrier(variant, engines[0].backend))
			continue; /* cannot run here: nothing would be rejected */
		for (size_t w = 0; w < v; w++)
			seen = seen || strcmp(family->variants[w].file, variant->file) == 0;
		text_kernel_path(variant, engines[0].backend, path, sizeof path);
		const char *text = seen ? NULL : sources_embedded(path);
		size_t barriers = text ? text_barriers(text, engines[0].backend) : 0;
		for (size_t b = 0; b < barriers; b++) {
			if (count == MAX_BARRIERS)
				exit(1);
			rows[count] = (struct barrier_row){variant, b};
			test_add(list, without_barrier, &rows[count++],
				"%s/%s: without barrier %zu of %zu", family->name, variant->name,
				b + 1, barriers);
			test_mark_long(list);
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
	static const unsigned bits[] = {[GPU_BACKEND_OPENCL] = ON_OPENCL,
		[GPU_BACKEND_CUDA] = ON_CUDA,
		[GPU_BACKEND_CUDA_EMU] = ON_EMULATOR};
	static const unsigned traced_bits[GPU_BACKEND_COUNT] = {
		[GPU_BACKEND_CUDA_EMU] = ON_TRACED, [GPU_BACKEND_OPENCL_EMU] = ON_CL_TRACED};
	struct test_list list = {0};
	unsigned engine;

	if (argc < 2 || engine_list(argv[1], engines) == 0 || !find_traced_engine())
		return 1;
	engine = traced_bits[engines[0].backend];
	if (!engines[0].traced)
		engine = bits[engines[0].backend];
	if (!engines[0].usable)
		test_add(&list, no_device, NULL, "%s", engines[0].name);
	for (size_t t = 0; engines[0].usable && mutant_tables[t]; t++)
		add_mutants(&list, mutant_tables[t], engine);
	for (size_t f = 0; f < family_count; f++)
		if (engines[0].usable && engines[0].traced && !families[f]->internal)
			add_barriers(&list, families[f]);
	return test_run(&list, argc - 1, argv + 1);
}
