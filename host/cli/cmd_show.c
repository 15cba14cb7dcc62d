#include "host/cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/console.h"
#include "host/cli/exit_code.h"
#include "host/io/sources.h"

static void put_fact(const char *name, const char *text)
{
	printf("%-10s %s\n", name, text);
}

static void put_macros(const struct variant *variant)
{
	for (const struct macro *macro = variant->macros; macro->name; macro++) {
		printf("%-10s %s=%d", macro == variant->macros ? "macros" : "", macro->name,
			macro->value);
		for (const int *choice = macro->choices; choice && *choice; choice++)
			printf("%s%d", choice == macro->choices ? "  (--set: " : ", ", *choice);
		puts(macro->choices ? ")" : "");
	}
}

/* The launch of the default problem of a GPU: the block is the row's, whatever the size. */
static void put_launch(const struct family *family, const struct variant *variant)
{
	struct config config = config_default(variant);
	struct problem problem = problem_default(family);
	struct plan plan = {0};
	char text[96];

	problem_default_size(&problem, DEVICE_CLASS_GPU);
	variant->plan(&config, &problem, &plan);
	problem_text(&problem, text, sizeof text);
	for (size_t i = 0; i < plan.step_count; i++) {
		const struct plan_step *step = &plan.steps[i];
		if (!step->entry) {
			printf("%-10s a fill with %#x\n", i ? "" : "launch", step->pattern);
			continue;
		}
		printf("%-10s %s: block %u x %u x %u, grid %llu x %llu x %llu at %s\n",
			i ? "" : "launch", step->entry, step->block[0], step->block[1],
			step->block[2], (unsigned long long)step->groups[0],
			(unsigned long long)step->groups[1], (unsigned long long)step->groups[2],
			text);
	}
}

static void put_facts(const struct family *family, const struct variant *variant, bool colour)
{
	printf("%s%s/%s%s  %s\n", style_code(colour, STYLE_BOLD), family->name, variant->name,
		style_code(colour, STYLE_PLAIN), family->title);
	put_fact("technique", variant->technique);
	put_fact("idea", variant->idea);
	put_fact("book", variant->book);
	put_fact("step from", variant->base ? variant->base : "- (first rung)");
	if (variant->claim.text)
		put_fact("claim", variant->claim.text);
	put_macros(variant);
	put_launch(family, variant);
	for (size_t i = 0; i < family->operand_count; i++)
		if (variant->by_columns >> i & 1)
			printf("%-10s %s lies by columns\n", "layout", family->operands[i].name);
	put_fact("needs", pmpp_capability_text(variant->needs));
	put_fact("repro", reproducibility_name(variant->repro));
}

static enum pmpp_status put_source(const char *root, enum gpu_backend_id backend,
	const struct family *family, const struct variant *variant, bool colour,
	struct pmpp_error *error)
{
	char path[256];
	char *text = NULL;

	snprintf(path, sizeof path, "%s/%s/%s%s", gpu_backend_kernel_folder(backend), family->name,
		variant->file, gpu_backend_kernel_extension(backend));
	enum pmpp_status status = source_load(root, path, &text, error);
	if (status != PMPP_OK)
		return status;
	printf("\n%s---- %s%s\n%s", style_code(colour, STYLE_DIM), path,
		style_code(colour, STYLE_PLAIN), text);
	free(text);
	return PMPP_OK;
}

enum pmpp_status cmd_show(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	bool colour = console_wants_colour(options, stdout);
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < options->argument_count && status == PMPP_OK; i++) {
		const char *const *word = &options->arguments[i];
		struct target_list targets = {0};
		status = targets_parse(word, 1, &targets, error);
		if (status == PMPP_OK && !strchr(*word, '/'))
			status = PMPP_FAIL(error, PMPP_USAGE,
				"show takes FAMILY/VARIANT, as %s/%s; see pmpp-run list %s",
				targets.items[0].family->name, targets.items[0].variants[0]->name,
				targets.items[0].family->name);
		if (status == PMPP_OK) {
			const struct family *family = targets.items[0].family;
			const struct variant *variant = targets.items[0].variants[0];
			fputs(i ? "\n" : "", stdout);
			put_facts(family, variant, colour);
			status = put_source(options->kernel_dir, GPU_BACKEND_OPENCL, family,
				variant, colour, error);
			if (status == PMPP_OK && !variant->one_sided)
				status = put_source(options->kernel_dir, GPU_BACKEND_CUDA, family,
					variant, colour, error);
		}
		targets_finish(&targets);
	}
	*ret_exit = EXIT_CODE_OK;
	return status;
}
