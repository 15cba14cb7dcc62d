#include "host/cli/cmd.h"

#include <stdio.h>
#include <string.h>

#include "common/model/exit_code.h"
#include "common/model/occupancy.h"
#include "common/model/warp.h"
#include "host/record/document.h"
#include "host/record/model.h"
#include "host/report/table.h"
#include "host/report/terminal.h"
#include "host/report/wrap.h"

/* ---- Hardware ------------------------------------------------------------------------------ */

static enum pmpp_status unknown_capability(const char *name, struct pmpp_error *error)
{
	char names[128];

	occupancy_unit_ccs(names, sizeof names);
	return PMPP_FAIL(error, PMPP_USAGE,
		"--cc=%s: give one of %s; for other hardware give --model or --threads-per-sm",
		name, names);
}

static enum pmpp_status unknown_model(const char *name, struct pmpp_error *error)
{
	char names[400];

	occupancy_unit_names(names, sizeof names);
	return PMPP_FAIL(error, PMPP_USAGE, "--model=%s: give one of %s", name, names);
}

static enum pmpp_status bad_width(
	const struct occupancy_unit *unit, size_t width, struct pmpp_error *error)
{
	char widths[40] = "";

	for (uint32_t lanes = 1; lanes <= unit->widths; lanes *= 2)
		if (unit->widths & lanes)
			snprintf(widths + strlen(widths), sizeof widths - strlen(widths), "%s%u",
				*widths ? ", " : "", lanes);
	return PMPP_FAIL(error, PMPP_USAGE, "--width=%zu: %s has %s", width, unit->name, widths);
}

/* The options that belong to one vendor. */
static enum pmpp_status check_vendor(const struct model_options *model,
	const struct occupancy_unit *unit, struct pmpp_error *error)
{
	const struct {
		bool given;
		const char *option;
		const struct occupancy_rules *rules;
		const char *vendor;
	} rows[] = {
		{model->scalars, "--sgprs", &occupancy_amd, "AMD"},
		{model->acc_registers, "--accvgprs", &occupancy_amd, "AMD"},
		{model->barrier, "--barrier", &occupancy_intel, "Intel"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].given && rows[i].rules != unit->rules)
			return PMPP_FAIL(error, PMPP_USAGE, "%s is for models of %s: give --model",
				rows[i].option, rows[i].vendor);
	return PMPP_OK;
}

/* A row of the table with the width and the mode of the options. */
static enum pmpp_status choose_row(const struct cli_options *options,
	const struct occupancy_unit *row, struct occupancy_unit *ret_unit, struct pmpp_error *error)
{
	size_t width = options->job.width;

	*ret_unit = *row;
	if (width && !occupancy_unit_set_width(ret_unit, (int64_t)width))
		return bad_width(row, width, error);
	if (options->model.cu_mode && !occupancy_unit_halve(ret_unit))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--cu-mode: a %s of %s is not a pair of compute units", row->unit,
			row->name);
	return check_vendor(&options->model, ret_unit, error);
}

static enum pmpp_status choose_given(const struct cli_options *options,
	struct occupancy_unit *ret_unit, struct pmpp_error *error)
{
	const struct model_options *model = &options->model;

	if (!model->threads_per_sm)
		return PMPP_FAIL(error, PMPP_USAGE,
			"the hardware is missing: give --model (such as --model=gfx942), --cc (such as "
			"--cc=9.0) or --threads-per-sm");
	if (model->registers && !model->registers_per_sm)
		return PMPP_FAIL(
			error, PMPP_USAGE, "--registers needs --regs-per-sm, --model or --cc");
	if (model->shared_bytes && !model->shared_per_sm_bytes)
		return PMPP_FAIL(
			error, PMPP_USAGE, "--shared needs --shared-per-sm, --model or --cc");
	if (options->job.width || model->cu_mode)
		return PMPP_FAIL(error, PMPP_USAGE, "--width and --cu-mode need --model");
	*ret_unit =
		occupancy_unit_given((int64_t)model->threads_per_sm, (int64_t)model->blocks_per_sm,
			(int64_t)model->registers_per_sm, (int64_t)model->shared_per_sm_bytes);
	return check_vendor(model, ret_unit, error);
}

static enum pmpp_status choose_hardware(const struct cli_options *options,
	struct occupancy_unit *ret_unit, struct pmpp_error *error)
{
	const struct model_options *model = &options->model;
	const char *name = options->job.model;
	const struct occupancy_unit *row = NULL;
	bool figures = model->threads_per_sm || model->blocks_per_sm || model->registers_per_sm ||
		       model->shared_per_sm_bytes;

	/* --regs is short for --regs-per-sm. */
	if (model->registers_per_sm && !model->threads_per_sm)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--regs-per-sm is the registers of a multiprocessor and needs --threads-per-sm%s "
			"(did you mean --registers, the registers of a thread?)",
			model->cc || name ? "; give only one of it, --model and --cc" : "");
	if ((model->cc != NULL) + (name != NULL) + figures > 1)
		return PMPP_FAIL(error, PMPP_USAGE,
			"give only one of --model, --cc, and --threads-per-sm with other limits of the "
			"hardware");
	if (model->cc && !(row = occupancy_unit_of_cc(model->cc)))
		return unknown_capability(model->cc, error);
	if (name && !(row = occupancy_unit_find(name)))
		return unknown_model(name, error);
	return row ? choose_row(options, row, ret_unit, error)
		   : choose_given(options, ret_unit, error);
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

/* "Compute capability 9.0"; "gfx942, compute units with waves of 64 lanes" */
static void put_hardware(FILE *out, const struct occupancy_unit *unit)
{
	if (unit->cc)
		fprintf(out, "Compute capability %s", unit->cc);
	else if (unit->name)
		fprintf(out, "%s, %ss with %s of %lld lanes", unit->name, unit->unit,
			unit->rules->warps, (long long)unit->lanes);
	else
		fputs("Hardware of the options", out);
}

static void put_kernel(FILE *out, const struct occupancy_unit *unit, const struct kernel_use *use)
{
	const char *owner = unit->rules == &occupancy_intel ? unit->rules->warp : "thread";

	fprintf(out, ": blocks of %lld threads", (long long)use->threads);
	if (use->registers)
		fprintf(out, ", %lld registers per %s", (long long)use->registers, owner);
	if (use->acc_registers)
		fprintf(out, ", %lld AccVGPRs per thread", (long long)use->acc_registers);
	if (use->scalars)
		fprintf(out, ", %lld scalar registers per wave", (long long)use->scalars);
	fprintf(out, ", %lld bytes of shared memory.\n", (long long)use->shared_bytes);
}

/* "Each SIMD holds at most 5 of 8 waves. LLVM would print: Occupancy 6." */
static void put_simd(FILE *out, const struct occupancy_unit *unit, const struct occupancy *found)
{
	if (!unit->rules->simd)
		return;
	fprintf(out, "Each %s holds at most %lld of %lld %s.", unit->rules->simd,
		(long long)found->simd_warps, (long long)unit->simd_warps, unit->rules->warps);
	if (found->compiler_warps)
		fprintf(out, " LLVM would print: Occupancy %lld.",
			(long long)found->compiler_warps);
	fputc('\n', out);
}

static void put_summary(FILE *out, const struct occupancy_unit *unit, const struct kernel_use *use,
	const struct occupancy *found)
{
	char limits[80];

	limits_text(found->limited_by, limits, sizeof limits);
	put_hardware(out, unit);
	put_kernel(out, unit, use);
	if (found->blocks == 0)
		fprintf(out, "No block fits: too many %s.\n", limits);
	else
		fprintf(out,
			"Resident: %lld block%s, %lld of %lld threads, %lld %s. Occupancy %.1f %%, "
			"limited by %s.\n",
			(long long)found->blocks, found->blocks == 1 ? "" : "s",
			(long long)found->threads, (long long)occupancy_unit_threads(unit),
			(long long)found->warps, unit->rules->warps, 100 * found->ratio, limits);
	put_simd(out, unit, found);
	fputs("Blocks that each resource allows:", out);
	for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
		if (found->allowed[i] != INT64_MAX)
			fprintf(out, "%s %s %lld", i ? "," : "", occupancy_limit_text(i),
				(long long)found->allowed[i]);
	fputs(".\n", out);
	if (found->cliff_registers)
		fprintf(out, "With %lld registers per %s, only %lld block%s.\n",
			(long long)found->cliff_registers,
			unit->rules == &occupancy_intel ? unit->rules->warp : "thread",
			(long long)found->cliff_blocks,
			found->cliff_blocks == 1 ? " fits" : "s fit");
}

static void table_make(struct table *table, const struct occupancy_unit *unit)
{
	const struct table_column columns[] = {{.title = ""},
		{.title = "threads", .align = TABLE_RIGHT},
		{.title = "blocks", .align = TABLE_RIGHT},
		{.title = "resident", .align = TABLE_RIGHT},
		{.title = unit->rules->warps, .align = TABLE_RIGHT},
		{.title = "occupancy", .unit = "%", .align = TABLE_RIGHT}, {.title = "limited by"},
		{.title = "with more registers", .priority = 1}, {.title = ""}};

	table_init(table, columns, ARRAY_COUNT(columns));
}

/* asked: the row of --threads */
static void add_row(struct table *table, const struct kernel_use *use,
	const struct occupancy *found, bool asked)
{
	char limits[64];

	limits_text(found->limited_by, limits, sizeof limits);
	table_row(table, STYLE_PLAIN);
	table_text(table, asked ? ">" : "");
	table_format(table, "%lld", (long long)use->threads);
	table_format(table, "%lld", (long long)found->blocks);
	table_format(table, "%lld", (long long)found->threads);
	table_format(table, "%lld", (long long)found->warps);
	table_format(table, "%.1f %%", 100 * found->ratio);
	table_text(table, limits);
	if (found->cliff_registers)
		table_format(table, "%lld registers: %lld block%s",
			(long long)found->cliff_registers, (long long)found->cliff_blocks,
			found->cliff_blocks == 1 ? "" : "s");
	else
		table_text(table, "");
	if (found->cliff_registers && found->cliff_registers == use->registers + 1)
		table_text(table, "cliff")->style = STYLE_YELLOW;
}

/* ---- Command ------------------------------------------------------------------------------- */

/* The same kernel in blocks of every usable size. out: NULL = do not print. */
static enum pmpp_status block_sizes(FILE *out, const struct occupancy_unit *unit,
	const struct kernel_use *use, bool colour, struct model_document *document,
	struct pmpp_error *error)
{
	const struct page_style style = {.colour = colour, .width = terminal_width(stdout)};
	enum pmpp_status status = PMPP_OK;
	struct kernel_use other = *use;
	struct occupancy found;
	struct table table;
	int64_t step = unit->lanes > WARP_THREADS ? unit->lanes : WARP_THREADS;

	table_make(&table, unit);
	for (other.threads = step; other.threads <= unit->block_threads && status == PMPP_OK;
		other.threads += step) {
		status = occupancy_of(unit, &other, &found, error);
		if (status == PMPP_OK)
			status = model_add_occupancy(document, &other, &found, error);
		if (status == PMPP_OK)
			add_row(&table, &other, &found, other.threads == use->threads);
	}
	if (out && status == PMPP_OK) {
		fputc('\n', out);
		table_put(&table, out, &style);
	}
	table_finish(&table);
	return status;
}

static void describe(struct model_document *document, const struct occupancy_unit *unit,
	const struct kernel_use *use)
{
	text_set(&document->cc, unit->cc);
	document->registers = use->registers;
	document->shared_bytes = use->shared_bytes;
	if (unit->name) {
		text_set(&document->hardware, unit->name);
		text_set(&document->unit, unit->unit);
		document->width = unit->lanes;
	}
	if (unit->rules == &occupancy_amd) {
		document->sgprs = use->scalars;
		document->accvgprs = use->acc_registers;
	}
}

enum pmpp_status cmd_model_occupancy(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	const struct model_options *model = &options->model;
	struct kernel_use use = {.threads = (int64_t)model->threads,
		.registers = (int64_t)model->registers,
		.shared_bytes = (int64_t)model->shared_bytes,
		.scalars = (int64_t)model->scalars,
		.acc_registers = (int64_t)model->acc_registers,
		.barrier = model->barrier};
	bool print =
		!options->terminal.quiet && !(options->json && strcmp(options->json, "-") == 0);
	struct model_document document;
	struct wrap wrap;
	FILE *lines = wrap_begin(&wrap, stdout, terminal_width(stdout));
	struct occupancy_unit unit;
	struct occupancy found;
	enum pmpp_status status = choose_hardware(options, &unit, error);

	model_document_init(MODEL_OCCUPANCY, &document);
	if (status == PMPP_OK && options->json)
		status = document_check_path(options->json, error);
	if (status == PMPP_OK && !model->threads)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"model occupancy needs --threads, the number of threads per block");
	if (status == PMPP_OK)
		status = occupancy_of(&unit, &use, &found, error);
	if (status != PMPP_OK)
		goto out;
	describe(&document, &unit, &use);
	occupancy_row_fill(&use, &found, &document.result);
	if (print)
		put_summary(lines, &unit, &use, &found);
	status = block_sizes(print ? lines : NULL, &unit, &use,
		terminal_wants_colour(options->terminal.colour, stdout), &document, error);
	if (status == PMPP_OK && options->json)
		status = document_save(&model_document_type, &document, options->json, error);
	*ret_exit = EXIT_CODE_OK;
out:
	wrap_end(&wrap);
	record_finish(&model_document_type, &document);
	return status;
}
