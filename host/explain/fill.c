/* Explanations as records. */
#include "host/explain/internal.h"

#include <math.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#include "host/suite/device.h"
#include "host/suite/outcome.h"

/* The trace of a launch as a record. */

/* ---- Accesses ------------------------------------------------------------------------------ */

/* Copies line `line` (from 1) of the source, without blanks at its ends. NULL: there is no such
 * line. */
static void fill_source(const struct explanation *explanation, int64_t line, char **ret_text)
{
	const char *text = explanation->source;

	for (int64_t i = 1; text && i < line; i++) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	if (!text || line < 1)
		return;
	text += strspn(text, " \t");
	size_t length = strcspn(text, "\r\n");
	while (length > 0 && strchr(" \t", text[length - 1]))
		length--;
	text_format(ret_text, "%.*s", (int)length, text);
}

/* Sets the name of the operand of an argument of the kernel. argument: its number, from 1. */
static void fill_operand(const struct explanation *explanation, const struct plan_launch *launch,
	int argument, char **ret_text)
{
	if (argument < 1 || (size_t)argument > launch->arg_count)
		return;
	const struct plan_arg *arg = &launch->args[argument - 1];
	if (arg->kind == PLAN_ARG_OPERAND)
		text_set(ret_text, explanation->problem.family->operands[arg->value].name);
	if (arg->kind == PLAN_ARG_SCRATCH)
		text_format(ret_text, "scratch %d", (int)arg->value + 1);
}

static bool fill_access(const struct explanation *explanation, const struct plan_launch *launch,
	struct access_record *access)
{
	const struct access_model *model = explanation->model;
	bool global = access->space == TRACE_GLOBAL, banks = !global && model->banks;
	double requests = (double)access->requests;
	int64_t moved = access->sectors * model->sector_bytes;
	char pattern[64];

	access_pattern_text(&access->lane_pattern, model, pattern, sizeof pattern);
	access->record.present = true;
	text_set(&access->file, explanation->record.file);
	fill_source(explanation, access->line, &access->text);
	fill_operand(explanation, launch, access->argument, &access->operand);
	text_set(&access->pattern, pattern);
	access->active_lanes = (double)access->lanes / requests;
	access->sectors_per_request = global ? (double)access->sectors / requests : NAN;
	access->lines128_per_request = global ? (double)access->lines / requests : NAN;
	access->bytes_moved = global ? moved : -1;
	access->efficiency = global ? (double)access->bytes_unique / (double)moved : NAN;
	access->alignment_bytes = global ? access->alignment_bytes : -1;
	access->ways = banks ? access->ways : -1;
	access->wavefronts_per_request = banks ? (double)access->wavefronts / requests : NAN;
	access->multiplicity =
		access->kind == TRACE_ATOMIC ? (double)access->same_address / requests : NAN;
	access->coalescing = (int)trace_access_coalescing(access, model);
	return request_record_set(&access->request, access->space, &access->typical);
}

/* ---- Lines --------------------------------------------------------------------------------- */

static bool fill_defects(const struct trace *trace, struct defect_list *list)
{
	const struct trace_defect *defect = &trace->defect;

	if (defect->kind == TRACE_NO_DEFECT)
		return true;
	struct defect_record *record = record_list_add(&defect_type, list);
	if (!record)
		return false;
	record->kind = (int)defect->kind;
	record->line = defect->line ? defect->line : -1;
	record->other_line = defect->other_line ? defect->other_line : -1;
	text_set_known(&record->text, defect->text);
	return true;
}

/* Whether a line has only braces, jumps and a comment. */
static bool has_only_jumps(const char *text)
{
	static const char *const words[] = {
		"{", "}", ";", "else", "do", "return;", "break;", "continue;", "default:"};

	while (*text && strncmp(text, "//", 2) != 0 && strncmp(text, "/*", 2) != 0) {
		size_t length = 0;

		for (size_t i = 0; i < sizeof words / sizeof *words && length == 0; i++)
			if (strncmp(text, words[i], strlen(words[i])) == 0)
				length = strlen(words[i]);
		if (length == 0)
			return false;
		text += length;
		text += strspn(text, " \t");
	}
	return true;
}

void explain_drop_jumps(const struct explanation *explanation, struct trace *trace)
{
	size_t count = 0;

	for (size_t i = 0; i < trace->line_count; i++) {
		char *text = NULL;
		fill_source(explanation, trace->lines[i].line, &text);
		if (!has_only_jumps(text_or_empty(text)))
			trace->lines[count++] = trace->lines[i];
		free(text);
	}
	trace->line_count = count;
}

/* ---- The launch ---------------------------------------------------------------------------- */

/* The totals are present only if the trace reached the end of each traced block: the first part of a block
 * may have no store. */
static void fill_totals(const struct explanation *explanation, const struct trace *trace,
	struct totals_record *totals)
{
	const struct {
		enum trace_kind kind;
		double *requested, *moved;
	} rows[] = {
		{TRACE_LOAD, &totals->bytes_loaded_requested, &totals->bytes_loaded_moved},
		{TRACE_STORE, &totals->bytes_stored_requested, &totals->bytes_stored_moved},
		{TRACE_ATOMIC, &totals->bytes_atomic_requested, &totals->bytes_atomic_moved},
	};

	if (trace->defect.kind != TRACE_NO_DEFECT || trace->unwatched_steps > 0)
		return;
	totals->record.present = true;
	totals->estimated = trace->estimated;
	totals->bytes_compulsory = problem_bytes_compulsory(&explanation->problem);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		unsigned kind = TRACE_BIT(rows[i].kind);
		*rows[i].requested = trace_estimate(
			trace, trace_sum(trace, TRACE_COUNT(bytes_requested), TRACE_GLOBAL, kind));
		*rows[i].moved = trace_estimate(
			trace, trace_sum(trace, TRACE_COUNT(sectors), TRACE_GLOBAL, kind) *
				       explanation->model->sector_bytes);
	}
}

/* Completes the records of the trace. */
static bool fill_counts(const struct explanation *explanation, const struct plan_launch *launch,
	const struct trace *trace)
{
	bool stored = true;

	for (size_t i = 0; i < trace->access_count && stored; i++)
		stored = fill_access(explanation, launch, &trace->accesses[i]);
	for (size_t i = 0; i < trace->line_count; i++) {
		struct line_record *line = &trace->lines[i];
		line->record.present = true;
		fill_source(explanation, line->line, &line->text);
		line->simt =
			(double)line->lanes / trace->model->lanes / (double)line->warp_executions;
	}
	for (size_t i = 0; i < trace->branch_count && stored; i++) {
		struct branch_record *branch = &trace->branches[i];
		branch->record.present = true;
		fill_source(explanation, branch->line, &branch->text);
		stored = split_record_set(&branch->split, &branch->votes, trace->model);
	}
	return stored;
}

/* Fills the members that depend on the launch's trace, and moves its arrays into the record. Returns
 * false if there is no memory. */
static bool fill_trace(const struct explanation *explanation, struct launch_explanation *launch,
	struct explanation_record *record)
{
	struct trace *trace = &launch->trace;
	bool ended = trace->defect.kind != TRACE_NO_DEFECT; /* in the middle of a block */
	bool stored = fill_counts(explanation, launch->planned, trace);

	record->estimated = trace->estimated && !ended;
	record->simt_efficiency = ended ? NAN : trace_simt_efficiency(trace);
	if (!record->no_trace) {
		access_model_record_set(&record->model, explanation->model);
		record->sampled.record.present = true;
		record->sampled.blocks = (int64_t)trace->sampled_blocks;
		record->sampled.total = (int64_t)trace->total_blocks;
		record->sampled.in_part = trace->unwatched_steps > 0;
		record->warps = ended ? -1 : (int64_t)trace->warps;
		record->divergent_warps = ended ? -1 : (int64_t)trace->divergent_warps;
		fill_totals(explanation, trace, &record->totals);
	}
	record->accesses = (struct access_list){trace->accesses, trace->access_count};
	record->lines = (struct line_list){trace->lines, trace->line_count};
	record->branches = (struct branch_list){trace->branches, trace->branch_count};
	trace->access_count = trace->line_count = trace->branch_count = 0;
	trace->accesses = NULL;
	trace->lines = NULL;
	trace->branches = NULL;
	return stored && fill_defects(trace, &record->defects);
}

/* ---- Head ---------------------------------------------------------------------------------- */

static const char own_idea[] =
	"it replaces the kernel of the project (--kernel-dir). explain does not "
	"check its result: pmpp-run verify does";

static void fill_head(const struct config *config, const struct problem *problem, bool own_kernel,
	struct explanation_record *record)
{
	const struct variant *variant = config->variant;
	char text[160], choices[80];

	problem_text(problem, text, sizeof text);
	problem_choices_text(problem, choices, sizeof choices);
	text_set(&record->family, problem->family->name);
	text_set(&record->variant, variant->name);
	text_set(&record->technique, own_kernel ? OWN_KERNEL_TECHNIQUE : variant->technique);
	text_set(&record->idea, own_kernel ? own_idea : variant->idea);
	record->own_kernel = own_kernel;
	text_set(&record->title, problem->family->title);
	text_set(&record->problem_text, text);
	text_set(&record->choices, choices);
}

void explain_fill_head(const struct config *config, const struct problem *problem,
	const char *label, bool own_kernel, struct explanation_record *ret_record)
{
	record_init(&explanation_type, ret_record);
	explanation_record_set_head_only(ret_record, true);
	text_set(&ret_record->label, label);
	fill_head(config, problem, own_kernel, ret_record);
}

/* ---- The variant --------------------------------------------------------------------------- */

/* Fills in the next variant of the ladder whose base is this variant. */
static void fill_next(const struct explanation *explanation, struct next_record *next)
{
	const struct family *family = explanation->problem.family;
	const struct variant *variant = explanation->config.variant;
	const struct variant *end = family->variants + family->variant_count;

	for (const struct variant *other = variant + 1; other < end; other++) {
		if (!other->base || strcmp(other->base, variant->name) != 0)
			continue;
		next->record.present = true;
		text_set(&next->variant, other->name);
		text_set(&next->technique, other->technique);
		text_set(&next->idea, other->idea);
		text_set(&next->claim, other->claim.text);
		return;
	}
}

static void fill_variant(const struct explanation *explanation, struct explanation_record *record)
{
	const struct variant *variant = explanation->config.variant;
	const char *source = explanation->source;
	char hash[SHA256_DIGEST_STRING_LENGTH];

	fill_head(&explanation->config, &explanation->problem, explanation->own_kernel, record);
	if (explanation->own_kernel) {
		record_set_absent(&explanation_type, record, "book", true);
	} else {
		text_set(&record->book, variant->book);
		text_set(&record->base, variant->base);
		fill_next(explanation, &record->next);
	}
	fill_dims(&explanation->problem, &record->problem);
	fill_macros(&explanation->config, &record->macros);
	if (explanation->measured)
		text_set(&record->fallback, explanation->outcome.row.fallback);
	if (source)
		text_set(&record->source_sha256,
			SHA256Data((const uint8_t *)source, strlen(source), hash));
	if (!record->no_trace)
		text_set(&record->traced, gpu_backend_name(explanation->traced));
}

/* ---- Launch -------------------------------------------------------------------------------- */

static void fill_launch(
	const struct explanation *explanation, size_t index, struct launch_record *record)
{
	const struct plan_launch *launch = explanation->launches[index].planned;

	record->record.present = true;
	text_set(&record->kernel, launch->entry);
	for (size_t i = 0; i < 3; i++) {
		record->grid[i] = (int64_t)launch->groups[i];
		record->block[i] = (int64_t)launch->block[i];
	}
	record->shared_bytes = (int64_t)launch->shared_bytes;
	record->index = (int64_t)index + 1;
	record->count = (int64_t)explanation->launch_count;
}

static void fill_occupancy(const struct explanation *explanation,
	const struct launch_explanation *launch, struct occupancy_record *record)
{
	const struct occupancy *found = &launch->occupancy;

	if (!launch->occupancy_known)
		return;
	record->record.present = true;
	record->ratio = found->occupancy;
	record->blocks = found->blocks;
	record->threads = found->threads;
	record->warps = found->warps;
	record->limited_by = found->limited_by;
	if (explanation->target.has_unit && explanation->target.unit.rules->simd) {
		const struct occupancy_unit *unit = &explanation->target.unit;
		text_set(&record->unit, unit->unit);
		text_set(&record->simd, unit->rules->simd);
		record->simd_warps = found->simd_warps;
		record->compiler_warps = found->compiler_warps;
	}
	text_format(&record->target, "%s%s", explanation->target.name,
		explanation->target.has_unit
			? ""
			: ": at least; only its maximum block size and shared memory are known");
}

/* ---- Models and measurement ---------------------------------------------------------------- */

static void fill_roofs(const struct explanation *explanation, struct target_roofs_record *record)
{
	const struct explain_target *target = &explanation->target;

	if (!explain_has_roofs(explanation))
		return;
	record->record.present = true;
	text_set(&record->name, target->hardware.name);
	record->measured = target->roofs_measured;
	record->copy_gbps = target->hardware.rates.copy_gbps;
	record->fma_gflops = target->hardware.rates.gops[OPERATIONS_F32];
	record->ridge = roofline_ridge(&target->hardware);
}

static void fill_measured(const struct explanation *explanation, struct measured_record *record)
{
	const struct result_row *row = &explanation->outcome.row;
	const struct derived_record *derived = &row->derived;
	const struct roofline_device device = {.rates = explanation->device_rates};
	char key[DEVICE_KEY_BYTES], text[160], title[DEVICE_TITLE_BYTES];

	if (!explanation->measured)
		return;
	fill_device_key(&explanation->device, key, sizeof key);
	problem_text(&explanation->measured_problem, text, sizeof text);
	record->record.present = true;
	text_set(&record->backend, gpu_backend_name(explanation->device.backend));
	text_set(&record->device, key);
	fill_device_title(&explanation->device, title, sizeof title);
	text_set(&record->device_name, title);
	fill_dims(&explanation->measured_problem, &record->problem);
	text_set(&record->problem_text, text);
	record->ns = result_row_median_ns(row);
	record->gflops = derived->gflops;
	record->gbps = derived->gbps;
	record->fraction_of_roof = derived->pct_roof / 100;
	record->flags = result_row_flags(row);
	device_state_load_text(&row->device_state, &record->load);
	record->limited_by = derived->limited_by;
	if (device.rates.copy_gbps > 0 && device.rates.gops[OPERATIONS_F32] > 0) {
		const struct attainable attainable = roofline_at(&device, derived->intensity);

		record->attainable_gflops = attainable.gflops;
		record->attainable_gbps = attainable.gbps;
	}
	record->status = row->status;
}

/* ---- All of it ----------------------------------------------------------------------------- */

enum pmpp_status explain_fill(
	struct explanation *explanation, struct explanation_list *list, struct pmpp_error *error)
{
	struct explanation_record *common = &explanation->record;
	enum pmpp_status status = PMPP_OK;

	fill_variant(explanation, common);
	fill_roofs(explanation, &common->roofs);
	fill_measured(explanation, &common->measured);
	for (size_t i = 0; i < explanation->launch_count && status == PMPP_OK; i++) {
		struct launch_explanation *launch = &explanation->launches[i];
		status = record_list_add_copy(&explanation_type, list, common, error);
		if (status != PMPP_OK)
			break;
		struct explanation_record *record = &list->items[list->count - 1];
		fill_launch(explanation, i, &record->launch);
		if (!record->no_resources)
			fill_resources(&launch->resources, &record->resources);
		fill_occupancy(explanation, launch, &record->occupancy);
		if (!fill_trace(explanation, launch, record))
			status = PMPP_FAIL(
				error, PMPP_OUT_OF_MEMORY, "no memory for an explanation");
	}
	return status;
}
