/* Prints the tables of all families as JSON, for the tests that are scripts
 * (kernels/test_pairs.py). */
#include "common/family.h"

#include <jansson.h>
#include <stdio.h>

static const char *arg_text(const struct family *family, const struct plan_arg *arg)
{
	if (arg->kind == PLAN_ARG_INT)
		return "int";
	if (arg->kind == PLAN_ARG_ULONG)
		return "ulong";
	return family->operands[arg->value].role == OPERAND_IN ? "in" : "out";
}

static json_t *step_json(const struct family *family, const struct plan_step *step)
{
	json_t *args = json_array();

	for (size_t i = 0; i < step->arg_count; i++)
		json_array_append_new(args, json_string(arg_text(family, &step->args[i])));
	return json_pack("{s:s, s:o, s:b}", "entry", step->entry, "args", args, "shared",
		step->shared_bytes > 0);
}

static json_t *variant_json(const struct family *family, const struct variant *variant)
{
	struct config config = config_default(variant);
	struct problem problem = {.family = family, .dim = {37, 37, 37, 37}};
	struct plan plan = {0};
	json_t *steps = json_array();
	json_t *macros = json_object();

	variant->plan(&config, &problem, &plan);
	for (size_t i = 0; i < plan.step_count; i++)
		json_array_append_new(steps, step_json(family, &plan.steps[i]));
	for (size_t i = 0; variant->macros[i].name; i++)
		json_object_set_new(
			macros, variant->macros[i].name, json_integer(variant->macros[i].value));
	return json_pack("{s:s, s:s, s:s, s:s, s:b, s:i, s:s, s:o, s:o}", "family", family->name,
		"name", variant->name, "file", variant->file, "entry", variant->entry, "one_sided",
		variant->one_sided, "needs", (int)variant->needs, "repro",
		reproducibility_name(variant->repro), "steps", steps, "macros", macros);
}

int main(void)
{
	json_t *rows = json_array();
	int failed;

	for (size_t f = 0; f < family_count; f++)
		for (size_t v = 0; v < families[f]->variant_count; v++)
			json_array_append_new(
				rows, variant_json(families[f], &families[f]->variants[v]));
	failed = json_dumpf(rows, stdout, JSON_INDENT(1));
	json_decref(rows);
	return failed ? 1 : 0;
}
