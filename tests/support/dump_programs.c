/*
 * Prints every OpenCL program of the suite as JSON, for compilers that need no device
 * (tools/compile_check.py):
 *
 *     dump_programs LANES [tunables]
 *
 * LANES: the width of a warp, for the macro LANES. A program is a row with one choice of type,
 * operation and data. With "tunables" there are also the programs that differ from the defaults in
 * one tunable.
 */
#include "host/suite/kernel_file.h"
#include "tests/support/variants.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The launches of a plan can depend on the sizes. Together, these sizes use every launch. */
static const int64_t sizes[][PMPP_MAX_DIMS] = {
	{37, 37, 37, 37}, {2, 20011, 2, 2}, {2, 200003, 2, 2}};

/* Adds a launch: entry, threads of a block, bytes of dynamic shared memory. */
static void add_launch(json_t *launches, const struct plan_launch *launch)
{
	json_t *entry = json_pack("{s:s, s:i, s:i}", "entry", launch->entry, "threads",
		(int)plan_launch_threads(launch), "shared_bytes", (int)launch->shared_bytes);

	for (size_t i = 0; i < json_array_size(launches); i++) {
		if (json_equal(json_array_get(launches, i), entry)) {
			json_decref(entry);
			return;
		}
	}
	json_array_append_new(launches, entry);
}

static json_t *launches_json(const struct config *config, const struct problem *problem)
{
	json_t *launches = json_array();

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct problem sized = *problem;
		struct plan plan;

		memcpy(sized.dim, sizes[i], sizeof sized.dim);
		config_plan(config, &sized, &plan);
		for (size_t s = 0; s < plan.step_count; s++) {
			const struct plan_launch *launch = plan_step_launch(&plan.steps[s]);
			if (launch)
				add_launch(launches, launch);
		}
	}
	return launches;
}

/* set: "TILE=32", the tunable that differs from its default; "" = none. */
static void add_program(json_t *programs, const struct config *config,
	const struct problem *problem, const char *set)
{
	const struct variant *variant = config->variant;
	char row[128], path[KERNEL_PATH_BYTES], choice[80];
	struct pmpp_error error = PMPP_ERROR_INIT;
	json_t *macros = json_object(), *needs = json_array();
	struct kernel_file file;

	if (kernel_file_load(config, problem, GPU_BACKEND_OPENCL, NULL, &file, &error) != PMPP_OK) {
		fprintf(stderr, "%s\n", error.message);
		exit(1);
	}
	for (size_t i = 0; i < file.desc.macro_count; i++)
		json_object_set_new(
			macros, file.macros[i].name, json_integer(file.macros[i].value));
#define XX(name, bit, text)                   \
	if (variant->needs & PMPP_CAP_##name) \
		json_array_append_new(needs, json_string(#name));
	PMPP_CAPABILITY_MAP(XX)
#undef XX
	kernel_file_path(variant, GPU_BACKEND_OPENCL, path);
	problem_choices_text(problem, choice, sizeof choice);
	snprintf(row, sizeof row, "%s/%s", variant_family(variant)->name, variant->name);
	json_array_append_new(programs,
		json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:b, s:o}", "row", row, "choice", choice,
			"set", set, "path", path, "macros", macros, "needs", needs, "device_scope",
			file.desc.device_scope, "launches", launches_json(config, problem)));
	kernel_file_finish(&file);
}

/* The programs that differ from the defaults in one tunable, with the first choice. */
static void add_tunables(json_t *programs, const struct config *defaults)
{
	const struct macro *macros = defaults->variant->macros;
	const struct problem problem = problem_default(variant_family(defaults->variant));

	for (size_t m = 0; macros[m].name; m++) {
		for (const int *choice = macros[m].choices; choice && *choice; choice++) {
			struct config config = *defaults;
			char set[64];

			config.value[m] = *choice;
			snprintf(set, sizeof set, "%s=%d", macros[m].name, *choice);
			if (*choice != defaults->value[m] &&
				!(config.variant->infeasible &&
					config.variant->infeasible(&config)))
				add_program(programs, &config, &problem, set);
		}
	}
}

static void add_variant(json_t *programs, const struct variant *variant,
	const struct kernel_shape *shape, bool tunables)
{
	const struct config config = config_for(variant, shape);
	const struct family *family = variant_family(variant);

	for (size_t i = 0; i < family_choice_count(family); i++) {
		struct problem problem = problem_default(family);

		problem_choose(&problem, i);
		add_program(programs, &config, &problem, "");
	}
	if (tunables)
		add_tunables(programs, &config);
}

int main(int argc, char **argv)
{
	struct kernel_shape shape = kernel_shape_reference;
	json_t *programs = json_array();
	int failed;

	if (argc < 2 || (shape.lanes = (int32_t)strtol(argv[1], NULL, 10)) < 1) {
		fprintf(stderr, "usage: dump_programs LANES [tunables]\n");
		return 1;
	}
	EACH_VARIANT (variant)
		if (!variant->cuda_only)
			add_variant(programs, variant, &shape, argc > 2);
	failed = json_dumpf(programs, stdout, JSON_INDENT(1));
	json_decref(programs);
	return failed ? 1 : 0;
}
