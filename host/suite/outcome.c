#include "host/suite/outcome.h"

#include "host/gpu/math_options.h"
#include "host/suite/fill_row.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void init_build(struct build_record *build, const struct gpu_device_info *info)
{
	build->record.present = true;
	text_set(&build->options, "");
	text_set(&build->math, gpu_math_name((enum gpu_math)0));
	text_set(&build->cache, gpu_cache_outcome_name((enum gpu_cache_outcome)0));
	text_set_known(&build->compiler, info->compiler);
	build->compile_ms = 0;
}

static void init_work(struct outcome *outcome, const struct problem *problem)
{
	const struct config *config = &outcome->config;
	struct result_row *row = &outcome->row;
	struct work_record *work = &row->work;
	bool own = row->own_kernel;

	work->record.present = true;
	work->flops = own ? problem->family->flops(problem) : config_flops(config, problem);
	work->bytes_compulsory = problem_bytes_compulsory(&outcome->problem);
	work->operations = (int)(own ? operations_of_dtype(problem->dtype)
				     : config_operations(config, problem));
	work->bytes_issued = own ? NAN : config->variant->bytes_issued(config, problem);
	row->derived.record.present = true;
	row->derived.intensity = work->flops / work->bytes_compulsory;
	text_set(&row->derived.metric_name, problem->family->metric.name);
}

void outcome_init(struct outcome *outcome, const struct config *config,
	const struct problem *problem, const struct gpu_device_info *info,
	const struct suite_options *options)
{
	struct result_row *row = &outcome->row;

	*outcome = (struct outcome){
		.config = *config, .problem = *problem, .resources = {-1, -1, -1, -1}};
	for (size_t s = 0; s < PMPP_MAX_STEPS; s++)
		outcome->step_resources[s] = outcome->resources;
	outcome->problem.rounding = config->variant->rounding;
	outcome->problem.arithmetic = info->arithmetic[options->math];
	fill_row_head(config, &outcome->problem, info, options->kernel_dir, row);
	bool lenient = row->own_kernel && !options->as_project;
	outcome->problem.own_kernel = lenient;
	outcome->promises_bits =
		config->variant->repro != REPRO_BOUND && (!lenient || options->bitwise);
	if (lenient && !options->bitwise)
		text_set(&row->repro, reproducibility_name(REPRO_BOUND));
	row->status = OUTCOME_UNVERIFIED;
	init_build(&row->build, info);
	fill_resources(&outcome->resources, &row->resources);
	init_work(outcome, problem);
	result_row_drop_comparisons(row);
	if (!row->own_kernel)
		fill_claim(config, info, row);
}

void outcome_finish(struct outcome *outcome)
{
	record_finish(&result_row_type, &outcome->row);
}

bool outcome_refuse(
	struct outcome *outcome, enum outcome_status status, const char *what, const char *detail)
{
	outcome->row.status = (int)status;
	text_format(&outcome->row.reason, "%s%s", what, detail);
	return false;
}

void outcome_note(struct outcome *outcome, const char *text)
{
	struct text_list *notes = &outcome->row.notes;
	char note[200];

	snprintf(note, sizeof note, "%s/%s: %s", outcome->problem.family->name,
		outcome->config.variant->name, text);
	for (size_t i = 0; i < notes->count; i++)
		if (strcmp(notes->items[i], note) == 0)
			return;
	text_list_add(notes, note);
}

void outcome_leave_untimed(struct outcome *outcome, const char *reason)
{
	snprintf(outcome->untimed, sizeof outcome->untimed, "%s", reason);
	if (!outcome->row.reason)
		text_set(&outcome->row.reason, outcome->untimed);
}
