#include "host/results/encode_explain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/gpu/gpu.h"
#include "host/results/encode.h"
#include "host/suite/fill_device.h"

/* ---- Source -------------------------------------------------------------------------------- */

/* Line `line`, from 1, without blanks at its ends; null where the file has no such line. */
static json_t *encode_line(const struct explanation *explanation, int line)
{
	const char *text = explanation->source;

	for (int i = 1; text && i < line; i++) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	if (!text || line < 1)
		return json_null();
	text += strspn(text, " \t");
	size_t length = strcspn(text, "\r\n");
	while (length > 0 && strchr(" \t", text[length - 1]))
		length--;
	json_t *value = json_stringn(text, length);
	return value ? value : json_null(); /* no UTF-8 */
}

/* ---- The variant --------------------------------------------------------------------------- */

/* The first rung below that builds on this one. */
static json_t *encode_next(const struct explanation *explanation)
{
	const struct family *family = explanation->problem.family;
	const struct variant *variant = explanation->config.variant;

	for (const struct variant *next = variant + 1;
		next < family->variants + family->variant_count; next++)
		if (next->base && strcmp(next->base, variant->name) == 0)
			return json_pack("{s:s, s:s, s:s, s:s?}", "variant", next->name,
				"technique", next->technique, "idea", next->idea, "claim",
				next->claim.text);
	return json_null();
}

static json_t *encode_head(const struct explanation *explanation)
{
	const struct variant *variant = explanation->config.variant;
	const struct problem *problem = &explanation->problem;
	char text[160], choices[80];

	problem_text(problem, text, sizeof text);
	problem_choices_text(problem, choices, sizeof choices);
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s?, s:s, s:o, s:o, s:s, s:s, s:o, s:o, s:o}",
		"family", problem->family->name, "variant", variant->name, "technique",
		variant->technique, "idea", variant->idea, "book", variant->book, "base",
		variant->base, "title", problem->family->title, "next", encode_next(explanation),
		"problem", encode_dims(problem), "problem_text", text, "choices", choices, "macros",
		encode_macros(&explanation->config), "file", encode_text_or_null(explanation->file),
		"no_trace", encode_text_or_null(explanation->no_trace));
}

/* ---- Trace --------------------------------------------------------------------------------- */

/* The operand that an argument of the kernel, from 1, stands for. */
static json_t *encode_operand(
	const struct explanation *explanation, const struct plan_launch *launch, int argument)
{
	if (argument < 1 || (size_t)argument > launch->arg_count)
		return json_null();
	const struct plan_arg *arg = &launch->args[argument - 1];
	if (arg->kind == PLAN_ARG_OPERAND)
		return json_string(explanation->problem.family->operands[arg->value].name);
	if (arg->kind == PLAN_ARG_SCRATCH)
		return json_sprintf("scratch %d", (int)arg->value + 1);
	return json_null();
}

static json_t *encode_access(const struct explanation *explanation,
	const struct launch_explanation *launch, const struct trace_access *access)
{
	bool global = access->space == TRACE_GLOBAL;
	double requests = (double)access->requests;
	double moved = (double)access->sectors * SECTOR_BYTES;
	char pattern[64];

	access_pattern_text(&access->pattern, pattern, sizeof pattern);
	json_t *value = json_pack("{s:o, s:i, s:o, s:s, s:s, s:I, s:o, s:I, s:I, s:I, s:s, s:o}",
		"file", encode_text_or_null(explanation->file), "line", access->line, "text",
		encode_line(explanation, access->line), "space", trace_space_name(access->space),
		"kind", trace_kind_name(access->kind), "width_bytes",
		(json_int_t)access->width_bytes, "operand",
		encode_operand(explanation, launch->planned, access->argument), "requests",
		(json_int_t)access->requests, "bytes_requested",
		(json_int_t)access->bytes_requested, "bytes_unique",
		(json_int_t)access->bytes_unique, "pattern", pattern, "active_lanes",
		encode_number((double)access->lanes / requests));
	json_t *of_space = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"sectors_per_request",
		encode_number(global ? (double)access->sectors / requests : NAN),
		"lines128_per_request",
		encode_number(global ? (double)access->lines128 / requests : NAN), "bytes_moved",
		global ? json_integer((json_int_t)access->sectors * SECTOR_BYTES) : json_null(),
		"efficiency", encode_number(global ? (double)access->bytes_unique / moved : NAN),
		"alignment_bytes", global ? json_integer(access->alignment_bytes) : json_null(),
		"ways", global ? json_null() : json_integer(access->ways), "wavefronts_per_request",
		encode_number(global ? NAN : (double)access->wavefronts / requests), "multiplicity",
		encode_number(access->kind == TRACE_ATOMIC ? (double)access->multiplicity / requests
							   : NAN));
	json_object_update(value, of_space);
	json_decref(of_space);
	return value;
}

static json_t *encode_accesses(
	const struct explanation *explanation, const struct launch_explanation *launch)
{
	json_t *accesses = json_array();

	for (size_t i = 0; i < launch->trace.access_count; i++)
		json_array_append_new(
			accesses, encode_access(explanation, launch, &launch->trace.accesses[i]));
	return accesses;
}

/* What the compiler does on entry to a function it calls the line of its brace. */
static bool is_brace(const struct explanation *explanation, int line)
{
	json_t *text = encode_line(explanation, line);
	const char *string = json_string_value(text);
	bool brace = string && (strcmp(string, "{") == 0 || strcmp(string, "}") == 0);

	json_decref(text);
	return brace;
}

static json_t *encode_lines(const struct explanation *explanation, const struct trace *trace)
{
	json_t *lines = json_array();

	for (size_t i = 0; i < trace->line_count; i++) {
		const struct trace_line *line = &trace->lines[i];
		double simt = (double)line->lanes / WARP_THREADS / (double)line->warp_executions;
		if (is_brace(explanation, line->line))
			continue;
		json_array_append_new(
			lines, json_pack("{s:i, s:o, s:I, s:I, s:o}", "line", line->line, "text",
				       encode_line(explanation, line->line), "warp_executions",
				       (json_int_t)line->warp_executions, "lanes",
				       (json_int_t)line->lanes, "simt", encode_number(simt)));
	}
	return lines;
}

static json_t *encode_branches(const struct explanation *explanation, const struct trace *trace)
{
	json_t *branches = json_array();

	for (size_t i = 0; i < trace->branch_count; i++) {
		const struct trace_branch *branch = &trace->branches[i];
		json_array_append_new(
			branches, json_pack("{s:i, s:o, s:I, s:I}", "line", branch->line, "text",
					  encode_line(explanation, branch->line), "executions",
					  (json_int_t)branch->executions, "divergent",
					  (json_int_t)branch->divergent));
	}
	return branches;
}

/* Of the whole launch; null without a trace that reached its end. */
static json_t *encode_totals(const struct explanation *explanation, const struct trace *trace)
{
	static const struct {
		enum trace_kind kind;
		const char *requested, *moved;
	} rows[] = {
		{TRACE_LOAD, "bytes_loaded_requested", "bytes_loaded_moved"},
		{TRACE_STORE, "bytes_stored_requested", "bytes_stored_moved"},
		{TRACE_ATOMIC, "bytes_atomic_requested", "bytes_atomic_moved"},
	};

	if (*explanation->no_trace || trace->defect.kind != TRACE_NO_DEFECT)
		return json_null();
	json_t *totals = json_pack("{s:b, s:o}", "estimated", trace->estimated, "bytes_compulsory",
		encode_number(problem_bytes_compulsory(&explanation->problem)));
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t requested = trace_bytes_requested(trace, TRACE_GLOBAL, rows[i].kind);
		uint64_t moved = trace_bytes_moved(trace, rows[i].kind);
		json_object_set_new(
			totals, rows[i].requested, encode_number(trace_estimate(trace, requested)));
		json_object_set_new(
			totals, rows[i].moved, encode_number(trace_estimate(trace, moved)));
	}
	return totals;
}

static json_t *encode_defects(const struct trace *trace)
{
	const struct trace_defect *defect = &trace->defect;
	json_t *defects = json_array();

	if (defect->kind != TRACE_NO_DEFECT)
		json_array_append_new(defects,
			json_pack("{s:s, s:o, s:o, s:o}", "kind", trace_defect_name(defect->kind),
				"line", encode_count(defect->line ? defect->line : -1),
				"other_line",
				encode_count(defect->other_line ? defect->other_line : -1), "text",
				encode_text_or_null(defect->text)));
	return defects;
}

static json_t *encode_sampled(const struct explanation *explanation, const struct trace *trace)
{
	if (*explanation->no_trace)
		return json_null();
	return json_pack("{s:I, s:I}", "blocks", (json_int_t)trace->sampled_blocks, "total",
		(json_int_t)trace->total_blocks);
}

/* Counts are null without a trace. */
static json_t *encode_trace(
	const struct explanation *explanation, const struct launch_explanation *launch)
{
	const struct trace *trace = &launch->trace;
	int64_t unknown = *explanation->no_trace ? -1 : 0;

	return json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "sampled",
		encode_sampled(explanation, trace), "estimated", trace->estimated, "accesses",
		encode_accesses(explanation, launch), "lines", encode_lines(explanation, trace),
		"branches", encode_branches(explanation, trace), "simt_efficiency",
		encode_number(trace_simt_efficiency(trace)), "warps",
		encode_count(unknown ? unknown : (int64_t)trace->warps), "divergent_warps",
		encode_count(unknown ? unknown : (int64_t)trace->divergent_warps), "totals",
		encode_totals(explanation, trace), "defects", encode_defects(trace));
}

/* ---- Launch -------------------------------------------------------------------------------- */

static json_t *encode_launch(const struct explanation *explanation, size_t index)
{
	const struct plan_launch *launch = explanation->launches[index].planned;

	return json_pack("{s:s, s:[I,I,I], s:[I,I,I], s:I, s:I, s:I}", "kernel", launch->entry,
		"grid", (json_int_t)launch->groups[0], (json_int_t)launch->groups[1],
		(json_int_t)launch->groups[2], "block", (json_int_t)launch->block[0],
		(json_int_t)launch->block[1], (json_int_t)launch->block[2], "shared_bytes",
		(json_int_t)launch->shared_bytes, "index", (json_int_t)index + 1, "count",
		(json_int_t)explanation->launch_count);
}

static json_t *encode_build(
	const struct explanation *explanation, const struct launch_explanation *launch)
{
	if (*explanation->no_resources)
		return json_null();
	json_t *resources = encode_resources(&launch->resources);
	json_object_set_new(
		resources, "source", encode_text_or_null(explanation->resources_source));
	return resources;
}

static json_t *encode_occupancy(
	const struct explanation *explanation, const struct launch_explanation *launch)
{
	const struct occupancy *found = &launch->occupancy;
	char target[256];

	if (!launch->occupancy_known)
		return json_null();
	snprintf(target, sizeof target, "%s%s", explanation->target.name,
		explanation->target.sm ? ""
				       : ", which tells its largest group and no more: at least");
	json_t *limits = json_array();
	for (unsigned i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
		if (found->limited_by >> i & 1)
			json_array_append_new(limits, json_string(occupancy_limit_text(i)));
	return json_pack("{s:o, s:I, s:I, s:I, s:o, s:s}", "ratio", encode_number(found->ratio),
		"blocks", (json_int_t)found->blocks, "threads", (json_int_t)found->threads, "warps",
		(json_int_t)found->warps, "limited_by", limits, "target", target);
}

/* ---- Models and measurement ---------------------------------------------------------------- */

static json_t *encode_intensities(const struct intensities *intensity)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "compulsory",
		encode_number(intensity->compulsory), "issued", encode_number(intensity->issued),
		"requested", encode_number(intensity->requested), "loads",
		encode_number(intensity->loads), "moved", encode_number(intensity->moved));
}

static json_t *encode_roofs(const struct explain_target *target)
{
	return json_pack("{s:s, s:b, s:o, s:o, s:o}", "name", target->hardware.name, "measured",
		target->roofs_measured, "copy_gbps", encode_number(target->hardware.copy_gbps),
		"fma_gflops", encode_number(target->hardware.fma_gflops), "ridge",
		encode_number(roofline_ridge(&target->hardware)));
}

static json_t *encode_checklist(const struct explanation *explanation)
{
	json_t *checklist = json_array();

	for (enum checklist_item i = 0; i < CHECKLIST_COUNT; i++)
		json_array_append_new(checklist,
			json_pack("{s:s, s:s, s:o}", "item", check_item_name(i), "state",
				check_state_name(explanation->checklist[i].state), "text",
				encode_text_or_null(explanation->checklist[i].text)));
	return checklist;
}

static json_t *encode_measured(const struct explanation *explanation)
{
	const struct result_row *row = &explanation->outcome.row;
	const struct derived_record *derived = &row->derived;
	const struct roofline_device device = {.copy_gbps = explanation->device_roofs.copy_gbps,
		.fma_gflops = explanation->device_roofs.fma_gflops.f32};
	double intensity = derived->intensity;
	bool known = device.copy_gbps > 0 && device.fma_gflops > 0;
	char key[DEVICE_KEY_BYTES], text[160];

	if (!explanation->measured)
		return json_null();
	device_key(&explanation->device, key, sizeof key);
	problem_text(&explanation->measured_problem, text, sizeof text);
	return json_pack("{s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}",
		"backend", gpu_backend_name(explanation->device.backend), "device", key,
		"device_name", explanation->device.name, "problem",
		encode_dims(&explanation->measured_problem), "problem_text", text, "ns",
		encode_number(result_row_median_ns(row)), "gflops", encode_number(derived->gflops),
		"gbps", encode_number(derived->gbps), "fraction_of_roof",
		encode_number(derived->pct_roof / 100), "limited_by",
		encode_text_or_null(limited_by_name((enum limited_by)derived->limited_by)),
		"attainable_gflops",
		encode_number(known ? roofline_gflops(&device, intensity) : NAN), "attainable_gbps",
		encode_number(known ? roofline_gbps(&device, intensity) : NAN), "status",
		outcome_status_name((enum outcome_status)row->status));
}

/* ---- All of it ----------------------------------------------------------------------------- */

static json_t *encode_explanation(const struct explanation *explanation, size_t index)
{
	const struct launch_explanation *launch = &explanation->launches[index];
	json_t *value = encode_head(explanation);
	json_t *trace = encode_trace(explanation, launch);

	json_object_set_new(value, "launch", encode_launch(explanation, index));
	json_object_update(value, trace);
	json_decref(trace);
	json_t *rest = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "resources",
		encode_build(explanation, launch), "no_resources",
		encode_text_or_null(explanation->no_resources), "occupancy",
		encode_occupancy(explanation, launch), "intensity",
		encode_intensities(&explanation->intensity), "roofs",
		encode_roofs(&explanation->target), "limited_by",
		encode_text_or_null(limited_by_name(explanation->limited_by)), "limit_text",
		encode_text_or_null(explanation->limit_text), "checklist",
		encode_checklist(explanation), "measured", encode_measured(explanation),
		"no_measurement", encode_text_or_null(explanation->no_measurement));
	json_object_update(value, rest);
	json_decref(rest);
	return value;
}

json_t *encode_explanations(const struct explanation *explanation)
{
	json_t *array = json_array();

	for (size_t i = 0; i < explanation->launch_count; i++)
		json_array_append_new(array, encode_explanation(explanation, i));
	return array;
}
