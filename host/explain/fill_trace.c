/* The trace of a launch as a record. */
#include "host/explain/internal.h"

#include "host/record/explanation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Fills the figures that differ between global and shared memory. */
static void fill_cost(const struct trace_access *access, const struct access_model *model,
	struct access_record *record)
{
	double requests = (double)access->requests;
	int64_t moved = (int64_t)(access->sectors * model->sector_bytes);

	if (access->space == TRACE_GLOBAL) {
		record->sectors_per_request = (double)access->sectors / requests;
		record->lines128_per_request = (double)access->lines / requests;
		record->bytes_moved = moved;
		record->efficiency = (double)access->bytes_unique / (double)moved;
		record->alignment_bytes = access->alignment_bytes;
	} else if (model->banks) {
		record->ways = access->ways;
		record->wavefronts_per_request = (double)access->wavefronts / requests;
	}
	if (access->kind == TRACE_ATOMIC)
		record->multiplicity = (double)access->multiplicity / requests;
}

static bool fill_access(const struct explanation *explanation,
	const struct launch_explanation *launch, const struct trace_access *access,
	struct access_record *record)
{
	const struct access_model *model = launch->trace.model;
	char pattern[64];

	access_pattern_text(&access->pattern, model, pattern, sizeof pattern);
	text_set_known(&record->file, explanation->file);
	record->line = access->line;
	fill_source(explanation, access->line, &record->text);
	record->space = (int)access->space;
	record->kind = (int)access->kind;
	record->width_bytes = access->width_bytes;
	fill_operand(explanation, launch->planned, access->argument, &record->operand);
	record->requests = (int64_t)access->requests;
	record->bytes_requested = (int64_t)access->bytes_requested;
	record->bytes_unique = (int64_t)access->bytes_unique;
	text_set(&record->pattern, pattern);
	record->active_lanes = (double)access->lanes / (double)access->requests;
	fill_cost(access, model, record);
	record->coalescing = (int)trace_access_coalescing(access, model);
	return request_record_set(&record->request, access->space, &access->typical);
}

static bool fill_accesses(const struct explanation *explanation,
	const struct launch_explanation *launch, struct access_list *list)
{
	for (size_t i = 0; i < launch->trace.access_count; i++) {
		struct access_record *record = record_list_add(&access_type, list);
		if (!record ||
			!fill_access(explanation, launch, &launch->trace.accesses[i], record))
			return false;
	}
	return true;
}

/* ---- Lines --------------------------------------------------------------------------------- */

static bool fill_lines(
	const struct explanation *explanation, const struct trace *trace, struct line_list *list)
{
	for (size_t i = 0; i < trace->line_count; i++) {
		const struct trace_line *line = &trace->lines[i];
		struct line_record *record = record_list_add(&line_type, list);
		if (!record)
			return false;
		record->line = line->line;
		fill_source(explanation, line->line, &record->text);
		record->warp_executions = (int64_t)line->warp_executions;
		record->lanes = (int64_t)line->lanes;
		record->simt =
			(double)line->lanes / trace->model->lanes / (double)line->warp_executions;
	}
	return true;
}

static bool fill_branches(
	const struct explanation *explanation, const struct trace *trace, struct branch_list *list)
{
	for (size_t i = 0; i < trace->branch_count; i++) {
		const struct trace_branch *branch = &trace->branches[i];
		struct branch_record *record = record_list_add(&branch_type, list);
		if (!record)
			return false;
		record->line = branch->line;
		fill_source(explanation, branch->line, &record->text);
		record->executions = (int64_t)branch->executions;
		record->divergent = (int64_t)branch->divergent;
		if (!split_record_set(&record->split, &branch->split, trace->model))
			return false;
	}
	return true;
}

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

bool explain_fill_trace(const struct explanation *explanation,
	const struct launch_explanation *launch, struct explanation_record *record)
{
	const struct trace *trace = &launch->trace;
	bool ended = trace->defect.kind != TRACE_NO_DEFECT; /* in the middle of a block */

	record->estimated = trace->estimated && !ended;
	record->simt_efficiency = ended ? NAN : trace_simt_efficiency(trace);
	if (!*explanation->no_trace) {
		access_model_record_set(&record->model, explanation->model);
		record->sampled.record.present = true;
		record->sampled.blocks = (int64_t)trace->sampled_blocks;
		record->sampled.total = (int64_t)trace->total_blocks;
		record->sampled.in_part = trace->unwatched_steps > 0;
		record->warps = ended ? -1 : (int64_t)trace->warps;
		record->divergent_warps = ended ? -1 : (int64_t)trace->divergent_warps;
		fill_totals(explanation, trace, &record->totals);
	}
	return fill_accesses(explanation, launch, &record->accesses) &&
	       fill_lines(explanation, trace, &record->lines) &&
	       fill_branches(explanation, trace, &record->branches) &&
	       fill_defects(trace, &record->defects);
}
