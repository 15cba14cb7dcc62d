#include "host/explain/internal.h"

#include "host/io/sources.h"
#include "host/suite/roofs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Trace --------------------------------------------------------------------------------- */

static enum pmpp_status trace_variant(struct explanation *explanation, struct suite *emulator,
	const struct explain_options *options, struct pmpp_error *error)
{
	struct suite_trace traced = {0};

	if (!emulator) {
		text_set(&explanation->record.no_trace,
			options->no_emulator ? options->no_emulator : "no emulator");
		return PMPP_OK;
	}
	enum pmpp_status status = suite_trace(emulator, &explanation->config, &explanation->problem,
		&options->trace, &traced, error);
	if (status != PMPP_OK)
		goto out;
	text_set_known(&explanation->record.no_trace, traced.reason);
	if (*traced.reason)
		goto out;
	for (size_t i = 0; i < explanation->launch_count; i++) {
		struct launch_explanation *launch = &explanation->launches[i];
		struct trace *trace = &traced.traces[launch->step];
		launch->trace = *trace;
		*trace = (struct trace){0};
		explain_drop_jumps(explanation, &launch->trace);
	}

out:
	suite_trace_finish(&traced);
	return status;
}

/* ---- Measurement --------------------------------------------------------------------------- */

/* Sets the rates of the device. If calibration or roofs fail, they are unknown, and the variant
 * still runs. */
static enum pmpp_status set_device_rates(
	struct explanation *explanation, struct suite *device, struct pmpp_error *error)
{
	const struct timer_record *timer = NULL;
	const struct roofs_record *roofs = NULL;
	enum pmpp_status status = suite_calibration(device, &timer, error);

	if (status == PMPP_OK)
		status = suite_roofs(device, false, &roofs, error);
	if (status == PMPP_OK)
		explanation->device_rates =
			floor_rates_of(suite_device(device), roofs, timer, TIMING_COLD, 0);
	if (!suite_is_about_timing(status))
		return status;
	pmpp_error_clear(error);
	return PMPP_OK;
}

static enum pmpp_status measure(struct explanation *explanation, struct suite *device,
	const struct explain_options *options, struct pmpp_error *error)
{
	struct outcome *outcome = &explanation->outcome;

	if (!device) {
		text_set(&explanation->record.no_measurement,
			options->no_device ? options->no_device : "not requested");
		return PMPP_OK;
	}
	explanation->device = *suite_device(device);
	enum pmpp_status status = set_device_rates(explanation, device, error);
	if (status != PMPP_OK)
		return status;
	status = suite_run(device, &explanation->config, &explanation->measured_problem, SUITE_TIME,
		outcome, error);
	if (status != PMPP_OK) {
		outcome_finish(outcome);
		return status;
	}
	explanation->measured = true;
	if (!outcome->row.timing.record.present)
		text_set_known(&explanation->record.no_measurement, outcome->row.reason);
	return PMPP_OK;
}

/* ---- All of it ----------------------------------------------------------------------------- */

/* Loads the explained file without its include files: the line numbers of the trace are those of this
 * file. The trace counts an access in an include file at the line that calls it. */
static enum pmpp_status load_source(struct explanation *explanation,
	const struct explain_options *options, struct pmpp_error *error)
{
	const struct variant *variant = explanation->config.variant;
	char path[KERNEL_PATH_BYTES];

	if (!kernel_file_exists(variant, options->traced))
		return PMPP_OK;
	kernel_file_path(variant, options->traced, path);
	text_set(&explanation->record.file, path);
	return source_load_file(options->kernel_dir, path, &explanation->source, error);
}

static void set_config(struct explanation *explanation, const struct config *config)
{
	explanation->config = *config;
	explanation->plan = (struct plan){0};
	explanation->problem.rounding = config->variant->rounding;
	config_plan(config, &explanation->problem, &explanation->plan);
	explanation->launch_count = 0;
	for (size_t s = 0; s < explanation->plan.step_count; s++) {
		const struct plan_launch *planned = plan_step_launch(&explanation->plan.steps[s]);
		if (planned)
			explanation->launches[explanation->launch_count++] =
				(struct launch_explanation){.step = s,
					.planned = planned,
					.resources = {-1, -1, -1, -1}};
	}
}

static void init(struct explanation *explanation, const struct config *config,
	const struct problem *problem, const struct problem *measured_problem,
	const struct explain_options *options)
{
	*explanation = (struct explanation){
		.model = options->model ? options->model : access_model_default(),
		.traced = options->traced,
		.problem = *problem,
		.measured_problem = *measured_problem};
	record_init(&explanation_type, &explanation->record);
	explanation->own_kernel =
		kernel_file_is_own(config->variant, options->traced, options->kernel_dir);
	set_config(explanation, config);
}

enum pmpp_status explain_variant(struct suite *emulator, struct suite *device,
	const struct config *config, const struct problem *problem,
	const struct problem *measured_problem, const struct explain_options *options,
	struct explanation *ret_explanation, struct pmpp_error *error)
{
	const struct variant *variant = config->variant;
	const char *infeasible = variant->infeasible ? variant->infeasible(config) : NULL;

	*ret_explanation = (struct explanation){0};
	if (infeasible)
		return PMPP_FAIL(error, PMPP_USAGE, "%s/%s: %s", problem->family->name,
			variant->name, infeasible);
	init(ret_explanation, config, problem, measured_problem, options);
	enum pmpp_status status = measure(ret_explanation, device, options, error);
	/* The device may have run smaller tiles. */
	if (status == PMPP_OK && ret_explanation->measured) {
		set_config(ret_explanation, &ret_explanation->outcome.config);
		ret_explanation->own_kernel |= ret_explanation->outcome.row.own_kernel;
	}
	if (status == PMPP_OK)
		status = load_source(ret_explanation, options, error);
	if (status == PMPP_OK)
		status = trace_variant(ret_explanation, emulator, options, error);
	if (status == PMPP_OK)
		status = explain_resources(ret_explanation, options, error);
	if (status == PMPP_OK)
		status = explain_checklist(ret_explanation, error);
	if (status == PMPP_OK) {
		explain_intensities(ret_explanation);
		explain_limit(ret_explanation);
	}
	return status;
}

void explanation_finish(struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->launch_count; i++) {
		trace_finish(&explanation->launches[i].trace);
		free(explanation->launches[i].no_occupancy);
	}
	record_finish(&explanation_type, &explanation->record);
	if (explanation->measured)
		outcome_finish(&explanation->outcome);
	free(explanation->source);
	*explanation = (struct explanation){0};
}
