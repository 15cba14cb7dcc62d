#include "host/suite/bench.h"

#include <stdio.h>
#include <stdlib.h>

enum pmpp_status bench_open(struct bench *bench, const struct gpu_device_info *info,
	const struct suite_options *options, struct pmpp_error *error)
{
	struct gpu_device *device = NULL;
	enum pmpp_status status = gpu_open(info, &device, error);

	if (status != PMPP_OK)
		return status;
	*bench = (struct bench){.device = device};
	for (size_t i = 0; i < PMPP_MAX_OPERANDS; i++)
		bench->inputs.user[i] = options->user_inputs[i];
	bench->programs = (struct programs){.device = device,
		.kernel_dir = options->kernel_dir,
		.roof_dir = options->roof_dir,
		.note = options->note,
		.note_context = options->note_context};
	bench->operands = (struct operands){.device = device, .inputs = &bench->inputs};
	bench->verifier =
		(struct verifier){.programs = &bench->programs, .operands = &bench->operands};
	bench->timer = (struct timer){.operands = &bench->operands,
		.probe = &bench->probe,
		.calibrator = &bench->calibrator};
	return PMPP_OK;
}

void bench_close(struct bench *bench)
{
	operands_release(&bench->operands);
	probe_finish(&bench->probe);
	timer_finish(&bench->timer);
	calibrator_finish(&bench->calibrator);
	programs_finish(&bench->programs);
	gpu_close(&bench->device);
	verifier_finish(&bench->verifier);
	inputs_release(&bench->inputs);
	*bench = (struct bench){0};
}

enum pmpp_status bench_place(struct bench *bench, const struct suite_options *options,
	const struct config *config, const struct problem *problem, struct pmpp_error *error)
{
	uint64_t bytes = 0;
	enum pmpp_status status =
		operands_plan(&bench->operands, config, problem, options->unguarded, &bytes, error);

	if (status != PMPP_OK)
		return status;
	verifier_forget_output(&bench->verifier);
	timer_make_room(&bench->timer, bytes);
	return operands_create(&bench->operands, error);
}

void bench_release_problem(struct bench *bench)
{
	operands_release(&bench->operands);
	inputs_release(&bench->inputs);
	reference_finish(&bench->verifier.reference);
}

enum pmpp_status bench_calibrate(struct bench *bench, enum gpu_math math, struct pmpp_error *error)
{
	return calibrator_measure(&bench->calibrator, &bench->probe, &bench->programs, math, error);
}

enum pmpp_status bench_absorb(struct bench *bench, struct outcome *outcome, enum pmpp_status status,
	struct pmpp_error *error)
{
	static const struct {
		enum pmpp_status status;
		enum outcome_status outcome;
	} rows[] = {
		{PMPP_UNSUPPORTED, OUTCOME_UNSUPPORTED},
		{PMPP_BUILD, OUTCOME_BUILD_ERROR},
		{PMPP_LAUNCH, OUTCOME_LAUNCH_ERROR},
		{PMPP_TIMEOUT, OUTCOME_TIMEOUT},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (rows[i].status != status)
			continue;
		outcome->row.status = (int)rows[i].outcome;
		text_set(&outcome->row.reason, error->message);
		text_set(&outcome->row.log, error->log);
		error_record_set(&outcome->row.error, error);
		text_set(&outcome->row.error.log, NULL); /* the row has it */
		pmpp_error_clear(error);
		if (status == PMPP_BUILD || status == PMPP_UNSUPPORTED)
			return PMPP_OK;
		/* After a failed launch the buffers are undefined, and the device may be lost. */
		operands_forget(&bench->operands);
		verifier_forget_output(&bench->verifier);
		bench->lost = gpu_finish(bench->device, error) != PMPP_OK;
		pmpp_error_clear(error);
		return PMPP_OK;
	}
	return status;
}

void bench_progress(
	const struct suite_options *options, const struct outcome *outcome, const char *stage)
{
	char text[256];

	if (!options->progress)
		return;
	snprintf(text, sizeof text, "%s/%s: %s", outcome->problem.family->name,
		outcome->config.variant->name, stage);
	options->progress(options->progress_context, text);
}
