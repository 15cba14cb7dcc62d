/*
 * The integer operations of `divergence` (config_traffic()) against the traced emulator: a warp
 * executes the line of the loop over steps once per step, on each side of a branch that it takes.
 */
#include "host/io/sources.h"
#include "host/suite/kernel_file.h"
#include "host/suite/suite.h"
#include "tests/kernels/session.h"

#define STEP "step < STEPS"
#define STEPS 512 /* of a trip: too many to unroll. The 16 of the row may count as one */

static struct session session;

enum {
	ALTERNATING,
	RANDOM,
	EVEN
};

static const struct steps_row {
	const char *variant;
	size_t choice;
	int form;       /* FORM; 0: as the row has it */
	int operations; /* of a step */
} steps_rows[] = {
	{"branchy", ALTERNATING, .operations = 3},
	{"branchy", RANDOM, .operations = 3},
	{"branchy", EVEN, .operations = 3},
	{"branchless", ALTERNATING, .operations = 3},
	{"warp-aligned", ALTERNATING, .operations = 3},
	{"warp-aligned", RANDOM, .operations = 3},
	{"uniform-branch", ALTERNATING, .operations = 3},
	{"compiled-branch", ALTERNATING, .operations = 3},
	{"compiled-branch", ALTERNATING, .form = 2, .operations = 4},
	{"ragged-loop", ALTERNATING, .operations = 3},
	{"sorted-loop", ALTERNATING, .operations = 3},
};

static void set(struct config *config, const char *name, int value)
{
	for (size_t i = 0; config->variant->macros[i].name; i++)
		if (strcmp(config->variant->macros[i].name, name) == 0)
			config->value[i] = value;
}

static bool is_step(const char *source, int line)
{
	for (int i = 1; i < line; i++)
		source = strchr(source, '\n') + 1;
	const char *found = strstr(source, STEP);

	return found && found < strchr(source, '\n');
}

/* Steps that warps executed, times their threads. */
static double steps_of(const struct suite_trace *trace, const struct variant *variant)
{
	char path[KERNEL_PATH_BYTES];
	double steps = 0;

	kernel_file_path(variant, GPU_BACKEND_CUDA_EMU, path);
	for (size_t i = 0; i < trace->traces[0].line_count; i++) {
		const struct line_record *line = &trace->traces[0].lines[i];

		if (is_step(sources_embedded(path), line->line))
			steps += (double)line->warp_executions * WARP_THREADS;
	}
	return steps;
}

TEST_ROWS(operations, steps_rows, "%s, data %zu, form %d", row->variant, row->choice, row->form)
{
	const struct family *family = family_find("divergence");
	struct config config = config_default(variant_find(family, row->variant));
	struct problem problem = problem_default(family);

	problem_choose(&problem, row->choice);
	problem.dim[0] = 512;
	set(&config, "STEPS", STEPS);
	if (row->form)
		set(&config, "FORM", row->form);
	FINISHED(suite_trace_finish)
	struct suite_trace trace = session_trace(&session, &config, &problem);
	STRING(trace.reason, "");
	double steps = steps_of(&trace, config.variant);
	test_note("%.0f steps", steps);
	test_near(config_traffic(&config, &problem).operations[OPERATIONS_INTEGER],
		steps * row->operations, 0);
}

int main(int argc, char **argv)
{
	session.engine = engine_first("cuda-emu");
	int code = test_run(argc, argv);
	session_close(&session);
	return code;
}
