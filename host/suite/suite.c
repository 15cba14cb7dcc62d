#include "host/suite/suite.h"

#include "host/suite/session.h"
#include "host/suite/variant.h"

#include <stdio.h>
#include <stdlib.h>

void suite_set_environment(void)
{
	/* Otherwise PoCL's worker threads may share a core, and short kernels take twice as
	 * long. */
	setenv("POCL_AFFINITY", "1", 0);
}

enum pmpp_status suite_open(const struct gpu_device_info *info, const struct suite_options *options,
	struct suite **ret_suite, struct pmpp_error *error)
{
	struct suite *suite = calloc(1, sizeof *suite);

	if (!suite)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a suite");
	suite->options = *options;
	device_roofs_init(&suite->roofs);
	suite_set_environment();
	enum pmpp_status status = bench_open(&suite->bench, info, &suite->options, error);
	if (status != PMPP_OK) {
		free(suite);
		return status;
	}
	*ret_suite = suite;
	return PMPP_OK;
}

void suite_close(struct suite **suite)
{
	if (!suite || !*suite)
		return;
	bench_close(&(*suite)->bench);
	free(*suite);
	*suite = NULL;
}

const struct gpu_device_info *suite_device(const struct suite *suite)
{
	return &suite->bench.device->info;
}

bool suite_is_fenced(const struct suite *suite)
{
	return suite->bench.device->fenced;
}

/* The suite keeps copies of the inputs with the rounding of the variant. */
static struct memory_needs needs_of(
	const struct suite *suite, const struct config *config, const struct problem *problem)
{
	struct problem rounded = *problem;

	rounded.rounding = config->variant->rounding;
	return memory_needs_of(suite_device(suite), config, &rounded, false);
}

bool suite_fits_well(
	const struct suite *suite, const struct config *config, const struct problem *problem)
{
	struct memory_needs needs = needs_of(suite, config, problem);
	struct memory_room room = bench_room(&suite->bench);

	return memory_fits_well(&needs, &room, suite_device(suite));
}

void suite_memory_text(const struct suite *suite, const struct config *config,
	const struct problem *problem, char ret_text[SUITE_MEMORY_BYTES])
{
	struct memory_needs needs = needs_of(suite, config, problem);
	struct memory_room room = bench_room(&suite->bench);
	char text[96], needed[GPU_TEXT_BYTES], available[GPU_TEXT_BYTES];

	problem_text(problem, text, sizeof text);
	memory_amounts_text(needs.host, room.host, needed, available);
	snprintf(ret_text, SUITE_MEMORY_BYTES, "%s %s needs %s of host memory; %s are available",
		problem->family->name, text, needed, available);
}

const void *suite_output(struct suite *suite, int64_t *ret_rows, int64_t *ret_columns)
{
	return verifier_output(&suite->bench.verifier, ret_rows, ret_columns);
}

enum pmpp_status suite_calibration(
	struct suite *suite, const struct timer_record **ret_timer, struct pmpp_error *error)
{
	enum pmpp_status status = bench_calibrate(&suite->bench, suite->options.math, error);

	if (status == PMPP_OK)
		*ret_timer = &suite->bench.calibrator.timer;
	return status;
}

enum pmpp_status suite_library(struct suite *suite, enum peer_library id,
	char ret_text[GPU_LIBRARY_TEXT_BYTES], struct pmpp_error *error)
{
	return peers_open(&suite->bench.peers, id, ret_text, error);
}

enum pmpp_status suite_roofs(struct suite *suite, bool force, const struct roofs_record **ret_roofs,
	struct pmpp_error *error)
{
	enum pmpp_status status = device_roofs_get(&suite->roofs, &suite->bench, force, error);

	if (status == PMPP_OK)
		*ret_roofs = &suite->roofs.roofs;
	return status;
}

void suite_resume_peer(
	struct suite *suite, const struct config *config, const struct problem *problem)
{
	struct outcome outcome;

	outcome_init(&outcome, config, problem, suite_device(suite), &suite->options);
	earlier_rows_add(&suite->bench.earlier, &outcome);
	outcome_finish(&outcome);
}

enum pmpp_status suite_run(struct suite *suite, const struct config *config,
	const struct problem *problem, enum suite_action action, struct outcome *ret_outcome,
	struct pmpp_error *error)
{
	char untimed[sizeof ret_outcome->untimed] = "";
	enum pmpp_status status = PMPP_OK;

	outcome_init(ret_outcome, config, problem, suite_device(suite), &suite->options);
	if (action != SUITE_TIME)
		snprintf(untimed, sizeof untimed, "not requested");
	else if (suite_is_emulated(suite_device(suite)))
		snprintf(untimed, sizeof untimed, "emulated: times are not performance");
	else if (!suite->bench.lost)
		status = session_prepare_timing(
			suite, problem->family, untimed, sizeof untimed, error);
	if (status == PMPP_OK)
		status = variant_run(&suite->bench, untimed, ret_outcome, error);
	if (status == PMPP_OK)
		session_derive(suite, ret_outcome);
	if (status == PMPP_OK && ret_outcome->row.timing.record.present)
		earlier_rows_add(&suite->bench.earlier, ret_outcome);
	return status;
}
