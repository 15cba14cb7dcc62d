#include "host/suite/parity.h"

#include "host/suite/session.h"
#include "host/suite/variant.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BOOTSTRAP_SEED 1

void parity_result_finish(struct parity_result *result)
{
	outcome_finish(&result->a);
	outcome_finish(&result->b);
}

static void set_reason(struct outcome *outcome, const char *reason)
{
	snprintf(outcome->timing.reason, sizeof outcome->timing.reason, "%s", reason);
}

/* Both passed: samples in turn, then the check after timing, figures and the ratio. */
static enum pmpp_status time_both(struct suite *const suites[2], const struct bound_run runs[2],
	double tolerance, struct parity_result *result, struct pmpp_error *error)
{
	struct outcome *outcomes[2] = {&result->a, &result->b};
	struct timed_run timed[2];
	enum pmpp_status status = PMPP_OK;

	for (int i = 0; i < 2; i++)
		timed[i] = (struct timed_run){.timer = &suites[i]->bench.timer,
			.options = &suites[i]->options,
			.run = &runs[i],
			.timing = &outcomes[i]->timing};
	status = timing_run(timed, 2, error);
	for (int i = 0; i < 2; i++) {
		if (status == PMPP_OK)
			status = verify_again(&suites[i]->bench.verifier, outcomes[i], error);
		status = bench_absorb(&suites[i]->bench, outcomes[i], status, error);
	}
	if (status != PMPP_OK || result->a.status != OUTCOME_OK || result->b.status != OUTCOME_OK) {
		timing_finish(&result->a.timing);
		timing_finish(&result->b.timing);
		set_reason(&result->a, "a side did not pass");
		set_reason(&result->b, "a side did not pass");
		return status;
	}
	for (int i = 0; i < 2; i++)
		session_derive(suites[i], outcomes[i]);
	const struct sample_set *a = timing_primary(&result->a.timing);
	const struct sample_set *b = timing_primary(&result->b.timing);
	result->ratio = a->stats.median / b->stats.median;
	stats_ratio_interval(
		a->ns, a->stats.n, b->ns, b->stats.n, BOOTSTRAP_SEED, result->interval);
	result->n = a->stats.n;
	result->verdict = parity_judge(result->interval, tolerance);
	result->timed = true;
	return PMPP_OK;
}

enum pmpp_status suite_parity(struct suite *a, struct suite *b, const struct config *config,
	const struct problem *problem, double tolerance, struct parity_result *ret_result,
	struct pmpp_error *error)
{
	struct suite *const suites[2] = {a, b};
	struct outcome *outcomes[2] = {&ret_result->a, &ret_result->b};
	struct bound_run runs[2];
	char why[sizeof ret_result->a.timing.reason] = "";
	const struct gpu_device_info *infos[2] = {suite_device(a), suite_device(b)};
	bool common = suite_same_device(infos[0], infos[1]) && !suite_is_emulated(infos[0]) &&
		      !suite_is_emulated(infos[1]);
	enum pmpp_status status = PMPP_OK;

	*ret_result = (struct parity_result){
		.ratio = NAN, .interval = {NAN, NAN}, .verdict = parity_judge(NULL, tolerance)};
	for (int i = 0; i < 2; i++)
		outcome_init(outcomes[i], config, problem);
	if (!common)
		snprintf(why, sizeof why, "no common device");
	for (int i = 0; status == PMPP_OK && !*why && i < 2; i++)
		status = session_know_device(suites[i], problem->family, why, sizeof why, error);
	for (int i = 0; status == PMPP_OK && i < 2; i++)
		status = variant_verify(
			&suites[i]->bench, &suites[i]->options, outcomes[i], &runs[i], error);
	if (status != PMPP_OK)
		return status;
	ret_result->bit_identical =
		ret_result->a.status == OUTCOME_OK && ret_result->b.status == OUTCOME_OK &&
		*ret_result->a.verify.output_sha256 &&
		strcmp(ret_result->a.verify.output_sha256, ret_result->b.verify.output_sha256) == 0;
	if (!*why && (ret_result->a.status != OUTCOME_OK || ret_result->b.status != OUTCOME_OK))
		snprintf(why, sizeof why, "a side did not pass");
	if (!*why)
		return time_both(suites, runs, tolerance, ret_result, error);
	set_reason(outcomes[0], why);
	set_reason(outcomes[1], why);
	return PMPP_OK;
}
