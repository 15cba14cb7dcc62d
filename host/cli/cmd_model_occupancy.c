#include "host/cli/cmd.h"

#include <stdio.h>
#include <string.h>

#include "common/model/exit_code.h"
#include "common/model/occupancy.h"
#include "host/record/document.h"
#include "host/record/model.h"
#include "host/report/format.h"
#include "host/report/terminal.h"

/* ---- Hardware ------------------------------------------------------------------------------ */

static enum pmpp_status unknown_capability(const char *name, struct pmpp_error *error)
{
	char names[128];

	multiprocessor_names(names, sizeof names);
	return PMPP_FAIL(error, PMPP_USAGE,
		"--cc=%s: give one of %s; for other hardware give --threads-per-sm", name, names);
}

static enum pmpp_status choose_hardware(
	const struct model_options *model, struct multiprocessor *ret_sm, struct pmpp_error *error)
{
	bool figures = model->threads_per_sm || model->blocks_per_sm || model->registers_per_sm ||
		       model->shared_per_sm_bytes;

	if (model->cc && figures)
		return PMPP_FAIL(error, PMPP_USAGE,
			"give --cc, or --threads-per-sm and other limits of the hardware, not both");
	if (model->cc) {
		const struct multiprocessor *sm = multiprocessor_find(model->cc);
		if (!sm)
			return unknown_capability(model->cc, error);
		*ret_sm = *sm;
		return PMPP_OK;
	}
	if (!model->threads_per_sm)
		return PMPP_FAIL(error, PMPP_USAGE,
			"the hardware is missing: give --cc, for example --cc=9.0, or "
			"--threads-per-sm");
	if (model->registers && !model->registers_per_sm)
		return PMPP_FAIL(error, PMPP_USAGE, "--registers needs --regs-per-sm or --cc");
	if (model->shared_bytes && !model->shared_per_sm_bytes)
		return PMPP_FAIL(error, PMPP_USAGE, "--shared needs --shared-per-sm or --cc");
	*ret_sm =
		multiprocessor_given((int64_t)model->threads_per_sm, (int64_t)model->blocks_per_sm,
			(int64_t)model->registers_per_sm, (int64_t)model->shared_per_sm_bytes);
	return PMPP_OK;
}

/* ---- Text ---------------------------------------------------------------------------------- */

static void limits_text(unsigned limited_by, char *text, size_t size)
{
	*text = '\0';
	for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
		if (limited_by >> i & 1)
			snprintf(text + strlen(text), size - strlen(text), "%s%s",
				*text ? ", " : "", occupancy_limit_text(i));
}

static void put_summary(const struct multiprocessor *sm, const struct kernel_use *use,
	const struct occupancy *found)
{
	char limits[64];

	limits_text(found->limited_by, limits, sizeof limits);
	printf("%s%s: blocks of %lld threads",
		sm->name ? "Compute capability " : "Hardware of the options",
		sm->name ? sm->name : "", (long long)use->threads);
	if (use->registers)
		printf(", %lld registers per thread", (long long)use->registers);
	printf(", %lld bytes of shared memory.\n", (long long)use->shared_bytes);
	if (found->blocks == 0)
		printf("No block fits: too many %s.\n", limits);
	else
		printf("Resident: %lld blocks, %lld of %lld threads, %lld warps. Occupancy %.1f %%, "
		       "limited by %s.\n",
			(long long)found->blocks, (long long)found->threads, (long long)sm->threads,
			(long long)found->warps, 100 * found->ratio, limits);
	fputs("Blocks that each resource allows:", stdout);
	for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
		if (found->allowed[i] != INT64_MAX)
			printf("%s %s %lld", i ? "," : "", occupancy_limit_text(i),
				(long long)found->allowed[i]);
	puts(".");
	if (found->cliff_registers)
		printf("With %lld registers per thread, only %lld blocks fit.\n",
			(long long)found->cliff_registers, (long long)found->cliff_blocks);
}

static void put_row(
	const struct kernel_use *use, const struct occupancy *found, bool asked, bool colour)
{
	char limits[64];
	char drop[48] = "";
	bool cliff = found->cliff_registers && found->cliff_registers == use->registers + 1;

	limits_text(found->limited_by, limits, sizeof limits);
	if (found->cliff_registers)
		snprintf(drop, sizeof drop, "%lld registers: %lld blocks",
			(long long)found->cliff_registers, (long long)found->cliff_blocks);
	printf("%c%7lld  %6lld  %8lld  %5lld  %8.1f %%  ", asked ? '>' : ' ',
		(long long)use->threads, (long long)found->blocks, (long long)found->threads,
		(long long)found->warps, 100 * found->ratio);
	if (cliff)
		printf("%-29s  %-24s  %scliff%s\n", limits, drop, style_code(colour, STYLE_YELLOW),
			style_code(colour, STYLE_PLAIN));
	else
		printf(*drop ? "%-29s  %s\n" : "%s%s\n", limits, drop);
}

/* ---- Command ------------------------------------------------------------------------------- */

/* The same kernel in blocks of 32 to 1024 threads. */
static enum pmpp_status block_sizes(const struct multiprocessor *sm, const struct kernel_use *use,
	bool print, bool colour, struct model_document *document, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;
	struct kernel_use other = *use;
	struct occupancy found;

	if (print)
		puts("\n threads  blocks  resident  warps   occupancy  limited by                   "
		     "  with more registers");
	for (other.threads = 32; other.threads <= sm->block_threads; other.threads += 32) {
		status = occupancy_of(sm, &other, &found, error);
		if (status == PMPP_OK)
			status = model_add_occupancy(document, &other, &found, error);
		if (status != PMPP_OK)
			return status;
		if (print)
			put_row(&other, &found, other.threads == use->threads, colour);
	}
	return PMPP_OK;
}

enum pmpp_status cmd_model_occupancy(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	const struct model_options *model = &options->model;
	struct kernel_use use = {.threads = (int64_t)model->threads,
		.registers = (int64_t)model->registers,
		.shared_bytes = (int64_t)model->shared_bytes};
	bool print =
		!options->terminal.quiet && !(options->json && strcmp(options->json, "-") == 0);
	struct model_document document;
	struct multiprocessor sm;
	struct occupancy found;
	enum pmpp_status status = choose_hardware(model, &sm, error);

	model_document_init(MODEL_OCCUPANCY, &document);
	if (status == PMPP_OK && options->json)
		status = document_check_path(options->json, error);
	if (status == PMPP_OK && !model->threads)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"model occupancy needs --threads, the number of threads per block");
	if (status == PMPP_OK)
		status = occupancy_of(&sm, &use, &found, error);
	if (status != PMPP_OK)
		goto out;
	text_set(&document.cc, sm.name);
	document.registers = use.registers;
	document.shared_bytes = use.shared_bytes;
	occupancy_row_fill(&use, &found, &document.result);
	if (print)
		put_summary(&sm, &use, &found);
	status = block_sizes(&sm, &use, print,
		terminal_wants_colour(options->terminal.colour, stdout), &document, error);
	if (status == PMPP_OK && options->json)
		status = document_save(&model_document_type, &document, options->json, error);
	*ret_exit = EXIT_CODE_OK;
out:
	record_finish(&model_document_type, &document);
	return status;
}
