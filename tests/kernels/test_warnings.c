/*
 * Every kernel file with every row's macros compiles without a warning. The first argument is the
 * engine, whose compiler is used (CXX for the emulator). Nothing runs. The tests that run kernels
 * also check the warnings of the plain build (session_pass).
 */
#include "common/family.h"
#include "host/suite/launch.h"
#include "tests/support/engine.h"
#include "tests/support/test.h"

static struct engine engine;

static struct row {
	const struct variant *variant;
	struct problem problem;
} rows[2000];
static size_t row_count;

static void compile(struct gpu_device *device, const struct row *row, bool traced)
{
	const struct config config = config_default(row->variant);
	const struct program_request request = {
		.config = &config, .problem = &row->problem, .traced = traced};
	struct programs programs = {.device = device};
	struct program_entry *entry;

	test_ok(programs_get(&programs, &request, &entry, &test_error));
	if (entry->warnings.texts.count)
		test_fail("the compiler warns: %.1500s", entry->program->log);
	programs_finish(&programs);
}

static void run_row(const void *context)
{
	const struct row *row = context;
	FINISHED(gpu_close) struct gpu_device *device = engine_open(&engine);

	if (row->variant->needs & ~engine.info.capabilities) {
		gpu_close(&device);
		test_skip("this device cannot compile it");
	}
	compile(device, row, engine.traced);
}

/* Whether a row has the same file, macros and choices already. */
static bool is_known(const struct row *row)
{
	const struct choice_macros choices = problem_macros(&row->problem);

	for (const struct row *other = rows; other < row; other++) {
		const struct choice_macros others = problem_macros(&other->problem);
		const struct config a = config_default(row->variant);
		const struct config b = config_default(other->variant);
		bool same = variant_family(row->variant) == variant_family(other->variant) &&
			    strcmp(row->variant->file, other->variant->file) == 0 &&
			    memcmp(a.value, b.value, sizeof a.value) == 0 &&
			    row->variant->constants == other->variant->constants &&
			    choices.count == others.count;
		for (size_t i = 0; i < choices.count && same; i++)
			same = strcmp(choices.name[i], others.name[i]) == 0;
		if (same)
			return true;
	}
	return false;
}

static void add_row(const struct variant *variant, size_t choice)
{
	struct row *row = &rows[row_count];
	char text[80];

	if (row_count == sizeof rows / sizeof *rows)
		exit(1);
	*row = (struct row){variant, problem_default(variant_family(variant))};
	problem_choose(&row->problem, choice);
	if (is_known(row))
		return;
	row_count++;
	problem_choices_text(&row->problem, text, sizeof text);
	test_add(run_row, row, "%s/%s %s", variant_family(variant)->name, variant->name, text);
}

int main(int argc, char **argv)
{
	engine = engine_first(argv[1]);
	bool cuda = strcmp(gpu_backend_kernel_extension(engine.backend), ".cu") == 0;
	bool usable = engine_add_rows(&engine);
	for (size_t f = 0; usable && f < family_count; f++)
		for (size_t v = 0; v < families[f]->variant_count; v++)
			for (size_t c = 0; c < family_choice_count(families[f]); c++)
				if (!(cuda ? families[f]->variants[v].one_sided
					   : families[f]->variants[v].cuda_only))
					add_row(&families[f]->variants[v], c);
	return test_run(argc - 1, argv + 1);
}
