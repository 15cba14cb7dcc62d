#include "host/suite/outcome.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool verify_passed(const struct verify_result *result)
{
	return result->done && result->mismatches == 0 && result->nan == 0 && result->canary_ok &&
	       result->inputs_intact;
}

const struct sample_set *timing_primary(const struct timing *timing)
{
	return timing->primary_is_hot ? &timing->hot : &timing->cold;
}

void timing_finish(struct timing *timing)
{
	free(timing->cold.ns);
	free(timing->hot.ns);
	free(timing->host.ns);
	*timing = (struct timing){0};
}

const char *timing_flag_name(enum timing_flag flag)
{
	static const struct {
		enum timing_flag flag;
		const char *name;
	} names[TIMING_FLAG_COUNT] = {
		{TIMING_BELOW_RESOLUTION, "below_resolution"},
		{TIMING_THROTTLED, "throttled"},
		{TIMING_HOST_CLOCK, "host_clock"},
		{TIMING_NOISY, "noisy"},
		{TIMING_UNFLUSHED, "unflushed"},
	};

	for (size_t i = 0; i < TIMING_FLAG_COUNT; i++)
		if (names[i].flag == flag)
			return names[i].name;
	return "unknown";
}

struct roofs roofs_unknown(void)
{
	return (struct roofs){.copy_gbps = NAN,
		.read_gbps = NAN,
		.fma_gflops = NAN,
		.shared_gbps = NAN,
		.h2d_gbps = NAN,
		.d2h_gbps = NAN};
}

void outcome_init(
	struct outcome *outcome, const struct config *config, const struct problem *problem)
{
	*outcome = (struct outcome){.status = OUTCOME_UNVERIFIED,
		.config = *config,
		.problem = *problem,
		.resources = {-1, -1, -1, -1},
		.verify = {.first_row = -1, .first_column = -1},
		.flops = problem->family->flops(problem),
		.bytes_compulsory = problem_bytes_compulsory(problem),
		.bytes_issued = config->variant->bytes_issued(config, problem),
		.gflops = NAN,
		.gbps = NAN,
		.fraction_of_roof = NAN,
		.metric = NAN,
		.limited_by = LIMITED_BY_UNKNOWN};
	for (size_t s = 0; s < PMPP_MAX_STEPS; s++)
		outcome->step_resources[s] = outcome->resources;
	outcome->problem.rounding = config->variant->rounding;
	outcome->intensity = outcome->flops / outcome->bytes_compulsory;
}

void outcome_finish(struct outcome *outcome)
{
	free(outcome->log);
	outcome->log = NULL;
	timing_finish(&outcome->timing);
}

bool outcome_refuse(
	struct outcome *outcome, enum outcome_status status, const char *what, const char *detail)
{
	outcome->status = status;
	snprintf(outcome->reason, sizeof outcome->reason, "%s%s", what, detail);
	return false;
}
