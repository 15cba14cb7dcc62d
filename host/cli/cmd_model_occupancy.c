#include "host/cli/cmd.h"

#include <stdio.h>
#include <string.h>

#include "common/model/exit_code.h"
#include "common/model/occupancy.h"
#include "host/record/document.h"
#include "host/record/model.h"
#include "host/report/format.h"
#include "host/report/terminal.h"
#include "host/report/wrap.h"

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

static void put_summary(FILE *out, const struct multiprocessor *sm, const struct kernel_use *use,
	const struct occupancy *found)
{
	char limits[64];

	limits_text(found->limited_by, limits, sizeof limits);
	fprintf(out, "%s%s: blocks of %lld threads",
		sm->name ? "Compute capability " : "Hardware of the options",
		sm->name ? sm->name : "", (long long)use->threads);
	if (use->registers)
		fprintf(out, ", %lld registers per thread", (long long)use->registers);
	fprintf(out, ", %lld bytes of shared memory.\n", (long long)use->shared_bytes);
	if (found->blocks == 0)
		fprintf(out, "No block fits: too many %s.\n", limits);
	else
		fprintf(out,
			"Resident: %lld blocks, %lld of %lld threads, %lld warps. Occupancy %.1f %%, "
			"limited by %s.\n",
			(long long)found->blocks, (long long)found->threads, (long long)sm->threads,
			(long long)found->warps, 100 * found->ratio, limits);
	fputs("Blocks that each resource allows:", out);
	for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
		if (found->allowed[i] != INT64_MAX)
			fprintf(out, "%s %s %lld", i ? "," : "", occupancy_limit_text(i),
				(long long)found->allowed[i]);
	fputs(".\n", out);
	if (found->cliff_registers)
		fprintf(out, "With %lld registers per thread, only %lld blocks fit.\n",
			(long long)found->cliff_registers, (long long)found->cliff_blocks);
}

/* A terminal that is narrower has no column "with more registers". */
#define WIDE_COLUMNS 109

static void put_titles(FILE *out, bool wide)
{
	fprintf(out, "\n threads  blocks  resident  warps   occupancy  %-29s%s\n", "limited by",
		wide ? "  with more registers" : "");
}

static void put_row(FILE *out, const struct kernel_use *use, const struct occupancy *found,
	bool asked, bool wide, bool colour)
{
	char limits[64];
	char drop[48] = "";
	bool cliff = found->cliff_registers && found->cliff_registers == use->registers + 1;

	limits_text(found->limited_by, limits, sizeof limits);
	if (found->cliff_registers)
		snprintf(drop, sizeof drop, "%lld registers: %lld blocks",
			(long long)found->cliff_registers, (long long)found->cliff_blocks);
	fprintf(out, "%c%7lld  %6lld  %8lld  %5lld  %8.1f %%  ", asked ? '>' : ' ',
		(long long)use->threads, (long long)found->blocks, (long long)found->threads,
		(long long)found->warps, 100 * found->ratio);
	if (wide)
		fprintf(out, "%-29s  %-24s", limits, drop);
	else
		fputs(limits, out);
	if (cliff)
		fprintf(out, "  %scliff%s", style_code(colour, STYLE_YELLOW),
			style_code(colour, STYLE_PLAIN));
	fputc('\n', out);
}

/* ---- Command ------------------------------------------------------------------------------- */

/* The same kernel in blocks of 32 to 1024 threads. out: NULL = do not print. */
static enum pmpp_status block_sizes(FILE *out, const struct multiprocessor *sm,
	const struct kernel_use *use, bool colour, struct model_document *document,
	struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;
	struct kernel_use other = *use;
	struct occupancy found;
	int width = terminal_width(stdout);
	bool wide = width == 0 || width >= WIDE_COLUMNS;

	if (out)
		put_titles(out, wide);
	for (other.threads = 32; other.threads <= sm->block_threads; other.threads += 32) {
		status = occupancy_of(sm, &other, &found, error);
		if (status == PMPP_OK)
			status = model_add_occupancy(document, &other, &found, error);
		if (status != PMPP_OK)
			return status;
		if (out)
			put_row(out, &other, &found, other.threads == use->threads, wide, colour);
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
	struct wrap wrap;
	FILE *lines = wrap_begin(&wrap, stdout, terminal_width(stdout));
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
		put_summary(lines, &sm, &use, &found);
	status = block_sizes(print ? lines : NULL, &sm, &use,
		terminal_wants_colour(options->terminal.colour, stdout), &document, error);
	if (status == PMPP_OK && options->json)
		status = document_save(&model_document_type, &document, options->json, error);
	*ret_exit = EXIT_CODE_OK;
out:
	wrap_end(&wrap);
	record_finish(&model_document_type, &document);
	return status;
}
