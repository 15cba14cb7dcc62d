/*
 * Every kernel file with every row's macros compiles without a warning. The first argument is the
 * engine, whose compiler is used (CXX for the emulator). Nothing runs. The tests that run kernels
 * also check the warnings of the plain build (session_pass).
 */
#include "common/family.h"
#include "host/suite/launch.h"
#include "tests/support/engine.h"
#include "tests/support/test.h"

static struct engine engines[MAX_ENGINES];

static struct row {
	struct row *next;
	const struct variant *variant;
	struct problem problem;
} * last_row;

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
	struct gpu_device *device = engine_open(&engines[0]);

	if (row->variant->needs & ~engines[0].info.capabilities) {
		gpu_close(&device);
		test_skip("this device cannot compile it");
	}
	compile(device, row, engines[0].traced);
	gpu_close(&device);
}

/* Whether a row has the same file, macros and choices already. */
static bool is_known(const struct row *row)
{
	const struct choice_macros choices = problem_macros(&row->problem);

	for (const struct row *other = last_row; other; other = other->next) {
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
	struct row *row = calloc(1, sizeof *row);
	char text[80];

	if (!row)
		exit(1);
	*row = (struct row){last_row, variant, problem_default(variant_family(variant))};
	problem_choose(&row->problem, choice);
	if (is_known(row)) {
		free(row);
		return;
	}
	last_row = row;
	problem_choices_text(&row->problem, text, sizeof text);
	test_add(run_row, row, "%s/%s %s", variant_family(variant)->name, variant->name, text);
}

static void no_device(const void *context)
{
	(void)context;
	test_skip_backend(engines[0].backend, engines[0].reason);
}

int main(int argc, char **argv)
{
	int code;

	if (argc < 2 || engine_list(argv[1], engines) == 0)
		return 1;
	bool cuda = strcmp(gpu_backend_kernel_extension(engines[0].backend), ".cu") == 0;
	if (!engines[0].usable)
		test_add(no_device, NULL, "%s", engines[0].name);
	for (size_t f = 0; engines[0].usable && f < family_count; f++)
		for (size_t v = 0; v < families[f]->variant_count; v++)
			for (size_t c = 0; c < family_choice_count(families[f]); c++)
				if (!(cuda ? families[f]->variants[v].one_sided
					   : families[f]->variants[v].cuda_only))
					add_row(&families[f]->variants[v], c);
	code = test_run(argc - 1, argv + 1);
	while (last_row) {
		struct row *next = last_row->next;
		free(last_row);
		last_row = next;
	}
	return code;
}
