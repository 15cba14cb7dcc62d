/*
 * Compares one variant with itself, many times in one process, on a real device, and counts the
 * verdicts of parity that report a difference although there is none.
 *
 *     self_parity BUFFERS BACKEND FAMILY/VARIANT COMPARISONS [SIZE]
 *
 * BUFFERS is `shared` or `own`. With `shared` both sides run the same kernel on the same buffers.
 * With `own` the device is open twice, as for `parity`, and each side has its own buffers. On a CPU
 * the addresses of the buffers then cause a real difference.
 * BACKEND is opencl or cuda; its first GPU is used, or its first device if there is no GPU.
 * PMPP_TEST_DEVICES (engine.h) leaves out devices. Prints the verdicts. Exit code 0: SAME in at least 95 % of the comparisons, and FAST or SLOW in at most
 * 1 %; 1: otherwise; 77: no device.
 */
#include "common/model/parity.h"
#include "common/stats.h"
#include "host/suite/device.h"
#include "host/suite/session.h"
#include "host/suite/suite.h"
#include "host/suite/variant.h"
#include "tests/support/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SAMPLES 200

struct target {
	struct gpu_device_info info;
	struct config config;
	struct problem problem;
};

static bool find_device(const char *backend, struct gpu_device_info *ret_info)
{
	struct engine engines[MAX_ENGINES];
	size_t count = engine_list(backend, engines), chosen = 0;

	if (count == 0 || !engines[0].usable)
		return false;
	while (chosen < count && engines[chosen].info.type != GPU_TYPE_GPU)
		chosen++;
	*ret_info = engines[chosen < count ? chosen : 0].info;
	/* PoCL reports no identity. A UUID makes both sides the same device. */
	if (!*ret_info->uuid && !*ret_info->pci)
		snprintf(ret_info->uuid, sizeof ret_info->uuid, "%s", "self");
	return true;
}

static bool find_variant(char *name, const char *size, struct target *target)
{
	char *slash = strchr(name, '/');

	if (!slash)
		return false;
	*slash = '\0';
	const struct family *family = family_find(name);
	const struct variant *variant = family ? variant_find(family, slash + 1) : NULL;
	if (!variant)
		return false;
	target->config = config_default(variant);
	target->problem = problem_default(family);
	problem_default_size(&target->problem, suite_device_class(&target->info));
	target->problem.seed = 1;
	for (size_t d = 0; size && d < family->dim_count; d++)
		target->problem.dim[d] = strtoll(size, NULL, 10);
	return true;
}

/* Two sides, open at the same time, are compared as the program compares them. */
static enum pmpp_status compare_own(struct suite *const sides[2], const struct target *target,
	struct parity_row *ret_row, struct pmpp_error *error)
{
	struct parity_result result;
	enum pmpp_status status = suite_parity(
		sides[0], sides[1], &target->config, &target->problem, NAN, &result, error);

	record_move(&parity_row_type, &result.row, ret_row);
	parity_result_finish(&result);
	return status;
}

/* The same buffers and kernel on both sides, with the ratio and the tolerance of parity. */
static enum pmpp_status compare_shared(struct suite *const sides[2], const struct target *target,
	struct parity_row *ret_row, struct pmpp_error *error)
{
	struct suite *suite = sides[0];
	struct timing_record timings[2];
	struct timed_run timed[2];
	struct outcome outcome;
	struct bound_run run;
	const struct timer_record *timer = NULL;
	enum pmpp_status status = suite_calibration(suite, &timer, error);

	record_init(&parity_row_type, ret_row);
	outcome_init(
		&outcome, &target->config, &target->problem, suite_device(suite), &suite->options);
	if (status == PMPP_OK)
		status = variant_verify(&suite->bench, &outcome, &run, error);
	if (status == PMPP_OK && outcome.row.status != OUTCOME_OK)
		status = PMPP_FAIL(error, PMPP_USAGE, "the variant does not pass: %s",
			text_or_empty(outcome.row.reason));
	for (int i = 0; i < 2; i++) {
		record_init(&timing_type, &timings[i]);
		timed[i] = (struct timed_run){.timer = &suite->bench.timer,
			.operands = &suite->bench.operands,
			.options = &suite->options,
			.run = &run,
			.timing = &timings[i]};
	}
	if (status == PMPP_OK)
		status = timing_run(timed, 2, error);
	if (status == PMPP_OK) {
		const struct samples_record *a = timing_record_primary(&timings[0]);
		const struct samples_record *b = timing_record_primary(&timings[1]);
		double scratch[2 * MAX_SAMPLES];
		const struct stats_ratio ratio =
			stats_ratio_of(a->ns.items, b->ns.items, a->ns.count, scratch);
		ret_row->round_ratio = ratio.median;
		memcpy(ret_row->ci95, ratio.ci95, sizeof ratio.ci95);
		ret_row->tolerance = NAN;
		ret_row->verdict = (int)parity_judge(ratio.ci95, &ret_row->tolerance);
		ret_row->n = a->n;
	}
	for (int i = 0; i < 2; i++)
		record_finish(&timing_type, &timings[i]);
	outcome_finish(&outcome);
	return status;
}

static const struct mode {
	const char *name;
	enum pmpp_status (*compare)(struct suite *const sides[2], const struct target *target,
		struct parity_row *ret_row, struct pmpp_error *error);
} modes[] = {{"shared", compare_shared}, {"own", compare_own}};

static const struct mode *find_mode(const char *name)
{
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (strcmp(modes[i].name, name) == 0)
			return &modes[i];
	return NULL;
}

static void print_row(const struct parity_row *row)
{
	printf("%s %.4f [%.4f, %.4f], tolerance %.4f, %lld rounds\n",
		parity_verdict_name((enum parity_verdict)row->verdict), row->round_ratio,
		row->ci95[0], row->ci95[1], row->tolerance, (long long)row->n);
}

static enum pmpp_status compare(const struct mode *mode, const struct target *target,
	int comparisons, int verdicts[PARITY_VERDICT_COUNT], struct pmpp_error *error)
{
	struct suite_options options = SUITE_OPTIONS_DEFAULT;
	struct suite *sides[2] = {NULL, NULL};
	size_t count = mode->compare == compare_own ? 2 : 1;
	enum pmpp_status status = PMPP_OK;

	options.max_samples = MAX_SAMPLES;
	for (size_t i = 0; status == PMPP_OK && i < count; i++)
		status = suite_open(&target->info, &options, &sides[i], error);
	for (int i = 0; status == PMPP_OK && i < comparisons; i++) {
		struct parity_row row;
		status = mode->compare(sides, target, &row, error);
		if (status == PMPP_OK) {
			verdicts[row.verdict]++;
			if (row.verdict != PARITY_SAME)
				print_row(&row);
		}
		record_finish(&parity_row_type, &row);
	}
	suite_close(&sides[0]);
	suite_close(&sides[1]);
	return status;
}

static int report(const int verdicts[PARITY_VERDICT_COUNT], int comparisons)
{
	int wrong = verdicts[PARITY_FAST] + verdicts[PARITY_SLOW];
	bool kept = verdicts[PARITY_SAME] * 100 >= comparisons * 95 && wrong * 100 <= comparisons;

	for (int i = 0; i < PARITY_VERDICT_COUNT; i++)
		printf("%s %d  ", parity_verdict_words[i], verdicts[i]);
	printf("of %d: %s\n", comparisons, kept ? "within the limits" : "outside the limits");
	return kept ? 0 : 1;
}

int main(int argc, char **argv)
{
	const struct mode *mode = argc > 1 ? find_mode(argv[1]) : NULL;
	int comparisons = argc > 4 ? atoi(argv[4]) : 0;
	struct target target;
	struct pmpp_error error = PMPP_ERROR_INIT;
	int verdicts[PARITY_VERDICT_COUNT] = {0};

	if (!mode || argc > 6 || comparisons < 1) {
		fputs("usage: self_parity shared|own BACKEND FAMILY/VARIANT COMPARISONS [SIZE]\n",
			stderr);
		return 1;
	}
	suite_set_environment();
	if (!find_device(argv[2], &target.info)) {
		fprintf(stderr, "no device of the backend '%s'\n", argv[2]);
		return 77;
	}
	if (!find_variant(argv[3], argc > 5 ? argv[5] : NULL, &target)) {
		fputs("the third argument is no FAMILY/VARIANT of `pmpp-run list`\n", stderr);
		return 1;
	}
	if (compare(mode, &target, comparisons, verdicts, &error) == PMPP_OK)
		return report(verdicts, comparisons);
	fprintf(stderr, "%s\n", error.message);
	pmpp_error_clear(&error);
	return 1;
}
