/* The trace of a launch as a record. */
#include "host/explain/internal.h"

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

bool explain_fill_trace(const struct explanation *explanation, struct launch_explanation *launch,
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
