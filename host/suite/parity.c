#include "host/suite/parity.h"

#include "host/gpu/ptx.h"
#include "host/suite/device.h"
#include "host/suite/fallback.h"
#include "host/suite/kernel_file.h"
#include "host/suite/outcome.h"
#include "host/suite/session.h"
#include "host/suite/variant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void parity_result_finish(struct parity_result *result)
{
	outcome_finish(&result->a);
	outcome_finish(&result->b);
	record_finish(&parity_row_type, &result->row);
}

/* PMPP_OUT_OF_MEMORY on the host; the row is then untouched. */
static enum pmpp_status compare_times(
	struct parity_result *result, double tolerance, struct pmpp_error *error)
{
	const struct samples_record *a = timing_record_primary(&result->a.row.timing);
	const struct samples_record *b = timing_record_primary(&result->b.row.timing);
	struct parity_row *row = &result->row;
	struct stats_ratio ratio;
	enum pmpp_status status =
		timing_ratio(&result->a.row.timing, &result->b.row.timing, &ratio, error);

	if (status != PMPP_OK)
		return status;
	row->ratio = a->median / b->median;
	row->round_ratio = ratio.median;
	row->ci95[0] = ratio.ci95[0];
	row->ci95[1] = ratio.ci95[1];
	row->n = a->n;
	row->tolerance = isnan(tolerance) ? parity_tolerance(row->ci95) : tolerance;
	row->verdict = (int)parity_judge(row->ci95, row->tolerance);
	return PMPP_OK;
}

/* ---- PTX ----------------------------------------------------------------------------------- */

/* Returns the PTX of one side: the program's binary, or the output of a compiler without a device.
 */
static enum pmpp_status side_ptx(const struct suite *suite, const struct outcome *outcome,
	const struct bound_run *run, char **ret_ptx, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &suite->bench.device->info;
	const struct bound_step *first = &run->steps[feasible_main_launch(outcome)];
	struct pmpp_error other = PMPP_ERROR_INIT;
	enum pmpp_status status = gpu_program_ptx(first->as.launch.kernel->program, ret_ptx, error);

	if (status != PMPP_UNSUPPORTED)
		return status;
	status = kernel_ptx_of_file(&outcome->config, &outcome->problem, info->backend,
		suite->options.kernel_dir, outcome->math, info->arch, ret_ptx, &other);
	/* If no such compiler exists, the first error is reported. */
	if (status != PMPP_UNSUPPORTED)
		pmpp_error_move(error, &other);
	pmpp_error_clear(&other);
	return status;
}

/* After PMPP_OUT_OF_MEMORY the counts are incomplete. */
static enum pmpp_status add_counts(
	const struct ptx_table *table, struct ptx_record *record, struct pmpp_error *error)
{
	bool complete = true;

	for (size_t side = 0; side < 2; side++)
		complete = complete && integer_list_add(&record->totals, table->total[side]);
	for (size_t i = 0; i < table->count && complete; i++) {
		const struct ptx_count *row = &table->rows[i];
		if (row->count[0] == row->count[1])
			continue;
		struct instruction_record *added =
			record_list_add(&instruction_type, &record->instructions);
		complete = added && integer_list_add(&added->counts, row->count[0]) &&
			   integer_list_add(&added->counts, row->count[1]);
		if (added)
			text_set(&added->name, row->name);
	}
	return complete ? PMPP_OK
			: PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the counts");
}

/* A side without PTX is not an error of the variant: the record has the reason. */
static void compare_ptx(
	struct suite *const suites[2], const struct bound_run runs[2], struct parity_result *result)
{
	const struct outcome *outcomes[2] = {&result->a, &result->b};
	struct ptx_record *record = &result->row.ptx;
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct ptx_table table = {0};
	char *texts[2] = {NULL, NULL};
	enum pmpp_status status = PMPP_OK;

	for (int i = 0; i < 2 && status == PMPP_OK; i++)
		status = side_ptx(suites[i], outcomes[i], &runs[i], &texts[i], &error);
	if (status == PMPP_OK)
		status = kernel_ptx_count(
			&result->a.plan, (const char *const *)texts, &table, &error);
	if (status == PMPP_OK)
		status = add_counts(&table, record, &error);
	if (status != PMPP_OK) {
		record_finish(&ptx_type, record);
		text_format(&record->reason, "%.200s", error.message);
	}
	record->record.present = true;
	pmpp_error_clear(&error);
	ptx_table_finish(&table);
	for (int i = 0; i < 2; i++)
		free(texts[i]);
}

/* ---- Times --------------------------------------------------------------------------------- */

/* Call it if both sides passed. Takes samples in turn, checks the outputs again, and sets the
 * figures and the ratio. */
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
			.timing = &outcomes[i]->row.timing};
	status = timing_run(timed, 2, error);
	for (int i = 0; i < 2; i++)
		bench_read_state(&suites[i]->bench, outcomes[i]);
	for (int i = 0; i < 2; i++) {
		struct verifier *verifier = &suites[i]->bench.verifier;
		if (status == PMPP_OK)
			status = verify_again(verifier, &runs[i], outcomes[i], error);
		if (status == PMPP_OK && outcomes[i]->row.status == OUTCOME_OK)
			status = verify_other_data(verifier, &runs[i], outcomes[i], error);
		status = bench_absorb(&suites[i]->bench, outcomes[i], status, error);
		session_derive(suites[i], outcomes[i]);
	}
	if (status == PMPP_OK && result->a.row.status == OUTCOME_OK &&
		result->b.row.status == OUTCOME_OK)
		status = bench_absorb(&suites[0]->bench, outcomes[0],
			compare_times(result, tolerance, error), error);
	if (status != PMPP_OK || result->a.row.status != OUTCOME_OK ||
		result->b.row.status != OUTCOME_OK) {
		bench_drop_times(&result->a);
		bench_drop_times(&result->b);
		outcome_leave_untimed(&result->a, "a side did not pass");
		outcome_leave_untimed(&result->b, "a side did not pass");
		return status;
	}
	if (result->row.verdict != PARITY_SAME)
		compare_ptx(suites, runs, result);
	return PMPP_OK;
}

/* Sets the fields that are known before the two sides run. */
static void fill_head(const struct config *config, const struct problem *problem,
	const struct gpu_device_info *const infos[2], struct parity_row *ret_row)
{
	char key[DEVICE_KEY_BYTES];

	record_init(&parity_row_type, ret_row);
	fill_device_key(infos[0], key, sizeof key);
	text_set(&ret_row->family, problem->family->name);
	text_set(&ret_row->variant, config->variant->name);
	text_set(&ret_row->device, key);
	for (int i = 0; i < 2; i++)
		text_list_add(&ret_row->backends, gpu_backend_name(infos[i]->backend));
	ret_row->same_device = suite_same_device(infos[0], infos[1]);
	fill_dims(problem, &ret_row->problem);
	ret_row->verdict = PARITY_RESULTS_ONLY;
	ret_row->n = 0;
}

/* Unknown unless both sides passed. */
static enum record_truth bits_of(const struct outcome *a, const struct outcome *b)
{
	const char *first = a->row.verify.output_sha256;

	if (a->row.status != OUTCOME_OK || b->row.status != OUTCOME_OK)
		return TRUTH_UNKNOWN;
	return truth_of(first && text_equal(first, b->row.verify.output_sha256));
}

/* Copies the config of the side with a fallback to the other side, which has not run this config. */
static void pass_config(const struct suite *const suites[2], struct outcome *const outcomes[2],
	size_t from, size_t to)
{
	const struct outcome *source = outcomes[from];
	const struct gpu_device_info *info = suite_device(suites[to]);
	char text[GPU_TEXT_BYTES];

	outcome_finish(outcomes[to]);
	outcome_init(outcomes[to], &source->config, &source->problem, info, &suites[to]->options);
	if (source->row.fallback)
		text_format(&outcomes[to]->row.fallback, "%s (%s)", source->row.fallback,
			gpu_device_text(suite_device(suites[from]), text));
}

static bool same_values(const struct config *a, const struct config *b)
{
	return memcmp(a->value, b->value, sizeof a->value) == 0;
}

/* Both sides run the same config: the one of the side that needs the smaller blocks. */
static enum pmpp_status verify_both(struct suite *const suites[2],
	struct outcome *const outcomes[2], struct bound_run runs[2], struct pmpp_error *error)
{
	const struct suite *const both[2] = {suites[0], suites[1]};
	enum pmpp_status status = variant_verify(&suites[0]->bench, outcomes[0], &runs[0], error);

	if (status == PMPP_OK && !same_values(&outcomes[0]->config, &outcomes[1]->config))
		pass_config(both, outcomes, 0, 1);
	if (status == PMPP_OK)
		status = variant_verify(&suites[1]->bench, outcomes[1], &runs[1], error);
	if (status != PMPP_OK || same_values(&outcomes[0]->config, &outcomes[1]->config))
		return status;
	pass_config(both, outcomes, 1, 0);
	return variant_verify(&suites[0]->bench, outcomes[0], &runs[0], error);
}

enum pmpp_status suite_parity(struct suite *a, struct suite *b, const struct config *config,
	const struct problem *problem, double tolerance, struct parity_result *ret_result,
	struct pmpp_error *error)
{
	struct suite *const suites[2] = {a, b};
	struct outcome *outcomes[2] = {&ret_result->a, &ret_result->b};
	struct bound_run runs[2];
	char why[sizeof ret_result->a.untimed] = "";
	const struct gpu_device_info *infos[2] = {suite_device(a), suite_device(b)};
	bool common = suite_same_device(infos[0], infos[1]) && !suite_is_emulated(infos[0]) &&
		      !suite_is_emulated(infos[1]);
	enum pmpp_status status = PMPP_OK;

	fill_head(config, problem, infos, &ret_result->row);
	for (int i = 0; i < 2; i++)
		outcome_init(outcomes[i], config, problem, infos[i], &suites[i]->options);
	if (!common)
		snprintf(why, sizeof why, "no common device");
	for (int i = 0; status == PMPP_OK && !*why && i < 2; i++)
		status = session_prepare_timing(suites[i], problem->family, why, sizeof why, error);
	if (status == PMPP_OK)
		status = verify_both(suites, outcomes, runs, error);
	/* An error of the second side does not hide a wrong result of the first side. */
	if (status != PMPP_OK)
		status = bench_absorb(&a->bench, outcomes[0], status, error);
	if (status != PMPP_OK)
		return status;
	fill_macros(&outcomes[0]->config, &ret_result->row.macros);
	ret_result->row.bit_identical = bits_of(outcomes[0], outcomes[1]);
	if (!*why &&
		(ret_result->a.row.status != OUTCOME_OK || ret_result->b.row.status != OUTCOME_OK))
		snprintf(why, sizeof why, "a side did not pass");
	if (!*why)
		return time_both(suites, runs, tolerance, ret_result, error);
	outcome_leave_untimed(outcomes[0], why);
	outcome_leave_untimed(outcomes[1], why);
	return PMPP_OK;
}
