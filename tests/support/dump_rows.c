/* Prints the tables of all families as JSON, for the tests that are scripts
 * (kernels/test_pairs.py). */
#include "tests/support/variants.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* The launches of a plan can depend on the sizes. Together, these sizes use every launch. */
static const int64_t sizes[][PMPP_MAX_DIMS] = {{37, 37, 37, 37}, {2, 5003, 2, 2}, {2, 10007, 2, 2},
	{2, 20011, 2, 2}, {2, 200003, 2, 2}, {2, 2, 1000, 2}};

static const char *arg_text(const struct family *family, const struct plan_arg *arg)
{
	if (arg->kind == PLAN_ARG_INT)
		return "int";
	if (arg->kind == PLAN_ARG_ULONG)
		return "ulong";
	if (arg->kind == PLAN_ARG_SCRATCH)
		return "scratch";
	if (arg->kind == PLAN_ARG_TILE_MAP)
		return "tensor_map";
	return family->operands[arg->value].role == OPERAND_IN ? "in" : "out";
}

static json_t *launch_json(const struct family *family, const struct plan_launch *launch)
{
	json_t *args = json_array();

	for (size_t i = 0; i < launch->arg_count; i++)
		json_array_append_new(args, json_string(arg_text(family, &launch->args[i])));
	return json_pack("{s:s, s:o, s:b}", "entry", launch->entry, "args", args, "shared",
		launch->shared_bytes > 0);
}

/* Adds the launches of a plan. Fills have no kernel and are skipped. */
static void add_steps(const struct config *config, const struct problem *problem, json_t *steps)
{
	struct plan plan;

	config_plan(config, problem, &plan);
	for (size_t i = 0; i < plan.step_count; i++) {
		const struct plan_launch *launch = plan_step_launch(&plan.steps[i]);
		if (launch)
			json_array_append_new(steps, launch_json(problem->family, launch));
	}
}

static json_t *variant_json(const struct family *family, const struct variant *variant)
{
	struct config config = config_default(variant);
	json_t *steps = json_array();
	json_t *macros = json_object();

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct problem problem = problem_default(family);
		memcpy(problem.dim, sizes[i], sizeof problem.dim);
		add_steps(&config, &problem, steps);
	}
	for (size_t i = 0; variant->macros[i].name; i++)
		json_object_set_new(macros, variant->macros[i].name, json_integer(config.value[i]));
	for (size_t i = 0; variant->constants[i].name; i++)
		json_object_set_new(macros, variant->constants[i].name,
			json_integer(variant->constants[i].value));
	return json_pack("{s:s, s:s, s:s, s:s, s:b, s:b, s:i, s:s, s:o, s:o}", "family",
		family->name, "name", variant->name, "file", variant->file, "entry", variant->entry,
		"one_sided", variant->one_sided, "cuda_only", variant->cuda_only, "needs",
		(int)variant->needs, "repro", reproducibility_name(variant->repro), "steps", steps,
		"macros", macros);
}

int main(void)
{
	json_t *rows = json_array();
	int failed;

	EACH_VARIANT (variant)
		json_array_append_new(rows, variant_json(variant_family(variant), variant));
	failed = json_dumpf(rows, stdout, JSON_INDENT(1));
	json_decref(rows);
	return failed ? 1 : 0;
}
