/*
 * Is the answer right? A variant is run in one or more passes (docs/verification.md); every pass
 * starts from a poisoned output and ends with the same questions: is every element finite and
 * within its bound, are the guards untouched, are the inputs what they were?
 */
#include "host/suite/internal.h"

#include "common/bound.h"

#include <math.h>
#include <pthread.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCAN_ELEMENTS ((int64_t)1 << 20)
#define ORDER_SEED 1

bool verify_passed(const struct verify_result *result)
{
	return result->done && result->mismatches == 0 && result->nan == 0 && result->canary_ok &&
	       result->inputs_intact;
}

/* ---- Comparing an output with the reference ------------------------------------------------ */

/* Shared by the tasks of one comparison; totals under the lock. */
struct comparison {
	const struct problem *problem;
	const void *const *inputs;
	const struct reference *reference;
	const void *output;
	enum dtype dtype; /* of the output */
	int64_t rows, columns;
	double gamma;

	pthread_mutex_t lock;
	double max_ratio;
	uint64_t nan, mismatches;
	int64_t first; /* element number by rows; -1 = none */
	bool out_of_memory;
};

struct tally {
	double max_ratio;
	uint64_t nan, mismatches;
	int64_t first;
};

static void tally_mismatch(struct tally *tally, int64_t element)
{
	tally->mismatches++;
	if (tally->first < 0 || element < tally->first)
		tally->first = element;
}

static void tally_add(struct comparison *comparison, const struct tally *tally)
{
	pthread_mutex_lock(&comparison->lock);
	comparison->max_ratio = fmax(comparison->max_ratio, tally->max_ratio);
	comparison->nan += tally->nan;
	comparison->mismatches += tally->mismatches;
	if (tally->first >= 0 && (comparison->first < 0 || tally->first < comparison->first))
		comparison->first = tally->first;
	pthread_mutex_unlock(&comparison->lock);
}

/* Elements that are not finite, which includes those never written: looked for everywhere, also
 * where the reference is sampled. */
static void scan_part(void *context, size_t index)
{
	struct comparison *comparison = context;
	struct tally tally = {.first = -1};
	int64_t begin = (int64_t)index * SCAN_ELEMENTS;
	int64_t end = begin + SCAN_ELEMENTS;
	int64_t total = comparison->rows * comparison->columns;

	for (int64_t i = begin; i < (end < total ? end : total); i++)
		if (!dtype_is_finite(comparison->dtype, comparison->output, i)) {
			tally.nan++;
			tally_mismatch(&tally, i);
		}
	if (tally.nan)
		tally.max_ratio = INFINITY;
	tally_add(comparison, &tally);
}

static void compare_region(const struct comparison *comparison, const struct region *region,
	const struct expected *expected, struct tally *tally)
{
	for (int64_t r = 0; r < region->rows; r++)
		for (int64_t c = 0; c < region->columns; c++) {
			int64_t element =
				(region->row + r) * comparison->columns + region->column + c;
			double got = dtype_load(comparison->dtype, comparison->output, element);
			if (!dtype_is_finite(comparison->dtype, comparison->output, element))
				continue; /* scan_part has it */
			double ratio = bound_ratio(comparison->dtype, got,
				&expected[r * region->columns + c], comparison->gamma);
			tally->max_ratio = fmax(tally->max_ratio, ratio);
			if (!(ratio <= 1))
				tally_mismatch(tally, element);
		}
}

static void compare_part(void *context, size_t index)
{
	struct comparison *comparison = context;
	const struct reference_part *part = &comparison->reference->parts[index];
	size_t count = (size_t)(part->region.rows * part->region.columns);
	struct tally tally = {.first = -1};
	struct expected *streamed = part->expected ? NULL : malloc(count * sizeof *streamed);

	if (part->expected) {
		compare_region(comparison, &part->region, part->expected, &tally);
	} else if (streamed) {
		reference_region(comparison->reference->variant, comparison->problem,
			comparison->inputs, part->region, streamed);
		compare_region(comparison, &part->region, streamed, &tally);
	} else {
		pthread_mutex_lock(&comparison->lock);
		comparison->out_of_memory = true;
		pthread_mutex_unlock(&comparison->lock);
	}
	free(streamed);
	tally_add(comparison, &tally);
}

/* Adds to the totals; the first mismatch of the first pass that has one is kept. */
static void add_to_result(struct verify_result *result, const struct comparison *comparison,
	const void *output, double want)
{
	result->max_ratio = fmax(result->max_ratio, comparison->max_ratio);
	result->nan += comparison->nan;
	result->mismatches += comparison->mismatches;
	if (comparison->first < 0 || result->first_row >= 0)
		return;
	result->first_row = comparison->first / comparison->columns;
	result->first_column = comparison->first % comparison->columns;
	result->first_got = dtype_load(comparison->dtype, output, comparison->first);
	result->first_want = want;
}

static double unit_roundoff(const struct suite *suite, const struct variant *variant)
{
	return variant->unit_roundoff > 0 ? variant->unit_roundoff
					  : dtype_info(suite->output_dtype)->unit_roundoff;
}

/* problem: the outcome's, or that on integers, where nothing is rounded and no error is allowed. */
static enum pmpp_status compare_bound(struct suite *suite, const struct outcome *outcome,
	const struct problem *problem, const void *output, struct verify_result *result,
	struct pmpp_error *error)
{
	const struct variant *variant = outcome->config.variant;
	const void *inputs[PMPP_MAX_OPERANDS];
	const struct reference *reference;
	int64_t chain = variant->chain ? variant->chain(&outcome->config, problem)
				       : problem->family->chain(problem);
	enum pmpp_status status = inputs_get(suite, problem, inputs, error);

	if (status == PMPP_OK)
		status = reference_get(suite, variant, problem, inputs, &reference, error);
	if (status != PMPP_OK)
		return status;
	struct comparison comparison = {.problem = problem,
		.inputs = inputs,
		.reference = reference,
		.output = output,
		.rows = suite->output_rows,
		.columns = suite->output_columns,
		.dtype = suite->output_dtype,
		.gamma = problem->data == DATA_INTEGER
				 ? 0
				 : bound_gamma(chain, unit_roundoff(suite, variant)),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.first = -1};
	int64_t total = comparison.rows * comparison.columns;
	parallel_for((size_t)((total + SCAN_ELEMENTS - 1) / SCAN_ELEMENTS), scan_part, &comparison);
	parallel_for(reference->part_count, compare_part, &comparison);
	if (comparison.out_of_memory)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no host memory for the reference");
	double want = NAN;
	if (comparison.first >= 0)
		want = reference_element(variant, problem, inputs,
			comparison.first / comparison.columns,
			comparison.first % comparison.columns);
	add_to_result(result, &comparison, output, want);
	return PMPP_OK;
}

/* ---- Integers: every element, exactly ------------------------------------------------------ */

/* The family's check names a row at least; the element there is found by the reference. */
static int64_t find_wrong_column(const struct suite *suite, const struct variant *variant,
	const struct problem *problem, const void *const *inputs, const void *output, int64_t row,
	int64_t column)
{
	int64_t columns = suite->output_columns;
	struct expected *expected = malloc((size_t)columns * sizeof *expected);
	int64_t wrong = column;

	if (!expected)
		return wrong;
	reference_region(variant, problem, inputs, (struct region){row, 1, 0, columns}, expected);
	for (int64_t c = columns - 1; c >= 0; c--)
		if (!(dtype_load(suite->output_dtype, output, row * columns + c) ==
			    expected[c].value))
			wrong = c;
	free(expected);
	return wrong;
}

static enum pmpp_status compare_exact(struct suite *suite, const struct variant *variant,
	const struct problem *problem, const void *output, struct verify_result *result,
	struct pmpp_error *error)
{
	const void *inputs[PMPP_MAX_OPERANDS];
	struct comparison comparison = {
		.columns = suite->output_columns, .dtype = suite->output_dtype, .first = -1};
	int64_t row = 0;
	int64_t column = 0;
	enum pmpp_status status = inputs_get(suite, problem, inputs, error);

	if (status != PMPP_OK)
		return status;
	if (problem->family->exact_check(problem, inputs, output, &row, &column))
		return PMPP_OK;
	column = find_wrong_column(suite, variant, problem, inputs, output, row, column);
	comparison.first = row * comparison.columns + column;
	comparison.mismatches = 1; /* at least: the check stops at the first */
	comparison.max_ratio = INFINITY;
	add_to_result(result, &comparison, output,
		reference_element(variant, problem, inputs, row, column));
	return PMPP_OK;
}

/* ---- Bits: the same in every run ----------------------------------------------------------- */

/* A row that promises the same bits on one engine must not differ between two runs there: if it
 * does, threads race. */
static void compare_bits(struct suite *suite, struct outcome *outcome, const void *output)
{
	struct comparison comparison = {
		.columns = suite->output_columns, .dtype = suite->output_dtype, .first = -1};
	size_t bytes = dtype_info(suite->output_dtype)->bytes;
	int64_t total = suite->output_rows * suite->output_columns;
	const char *first = suite->output;
	const char *second = output;

	if (outcome->config.variant->repro == REPRO_BOUND ||
		memcmp(second, first, (size_t)total * bytes) == 0)
		return;
	for (int64_t i = total - 1; i >= 0; i--)
		if (memcmp(second + i * (int64_t)bytes, first + i * (int64_t)bytes, bytes) != 0) {
			comparison.first = i;
			comparison.mismatches++;
		}
	add_to_result(&outcome->verify, &comparison, output,
		dtype_load(suite->output_dtype, first, comparison.first));
	snprintf(outcome->reason, sizeof outcome->reason, "two runs differ: ");
}

/* ---- Passes -------------------------------------------------------------------------------- */

struct pass {
	bool integer;
	bool traced;
	bool reversed; /* threads and blocks, last first */
};

#define MOST_PASSES 4

/* The bound of h terms grows as h times h u, their signed sum with the root of h only: beside it
 * the bound is sqrt(h) h u. From here on it would hide a lost term, and integers are looked at too.
 * A row of reduced precision counts its own h u, with as many terms. */
#define WEAK_BOUND 0x1p-8

static bool needs_integers(const struct config *config, const struct problem *problem)
{
	const struct variant *variant = config->variant;
	double terms = (double)problem->family->chain(problem);
	double own_chain = variant->chain ? (double)variant->chain(config, problem) : terms;
	double hu = fmax(terms * F32_UNIT_ROUNDOFF, own_chain * variant->unit_roundoff);
	bool weak = !problem->family->internal && sqrt(terms) * hu > WEAK_BOUND;

	return (weak || reference_is_sampled(problem)) && inputs_integer_limit(problem) > 0;
}

/* The first pass is the one whose output is kept. The integers come last, because their inputs
 * replace the problem's on the device. */
static size_t choose_passes(const struct suite *suite, const struct config *config,
	const struct problem *problem, struct pass ret_passes[MOST_PASSES])
{
	const struct gpu_device_info *info = &suite->device->info;
	size_t count = 0;

	ret_passes[count++] = (struct pass){0};
	if (gpu_can_order(suite->device))
		ret_passes[count++] = (struct pass){.reversed = true};
	if (gpu_can_trace(suite->device) && suite->options.traced &&
		problem->family->work(problem) <= suite_work_budget(info, true))
		ret_passes[count++] = (struct pass){.traced = true};
	if (needs_integers(config, problem))
		ret_passes[count++] = (struct pass){.integer = true};
	return count;
}

static void set_coverage(
	struct suite *suite, const struct problem *problem, struct outcome *outcome)
{
	struct verify_result *result = &outcome->verify;
	const struct reference *reference = &suite->reference;

	if (!reference->sampled)
		snprintf(result->coverage, sizeof result->coverage, "all elements%s",
			needs_integers(&outcome->config, problem) ? "; all on integers" : "");
	else
		snprintf(result->coverage, sizeof result->coverage, "%zu rows and %zu columns; %s",
			reference->row_count, reference->column_count,
			inputs_integer_limit(problem) > 0 ? "all on integers"
							  : "too large for integers");
}

/* Poison, run, read back. */
static enum pmpp_status run_once(struct suite *suite, const struct bound_run *run,
	const struct problem *problem, void *output, struct pmpp_error *error)
{
	enum pmpp_status status = operands_upload(suite, problem, error);

	if (status == PMPP_OK)
		status = operands_poison(suite, true, error);
	if (status == PMPP_OK)
		status = launch_run(run, error);
	if (status == PMPP_OK)
		status = gpu_finish(suite->device, error);
	if (status == PMPP_OK)
		status = operands_read_output(suite, output, error);
	return status;
}

static enum pmpp_status check_surroundings(struct suite *suite, const struct problem *problem,
	struct verify_result *result, struct pmpp_error *error)
{
	bool canary_ok = false;
	bool inputs_intact = false;
	enum pmpp_status status = operands_check_guards(suite, &canary_ok, error);

	if (status == PMPP_OK)
		status = operands_check_inputs(suite, problem, &inputs_intact, error);
	result->canary_ok = result->canary_ok && canary_ok;
	result->inputs_intact = result->inputs_intact && inputs_intact;
	return status;
}

static enum pmpp_status run_pass(struct suite *suite, const struct pass *pass, bool first,
	const struct bound_run *run, struct outcome *outcome, struct pmpp_error *error)
{
	struct problem problem = outcome->problem;
	struct program_entry *entry;
	struct bound_run traced;
	void *output = first ? suite->output : suite->again;
	enum pmpp_status status = PMPP_OK;

	if (pass->integer)
		problem.data = DATA_INTEGER;
	if (pass->traced) {
		status = programs_get(suite, &outcome->config, &problem, true, &entry, error);
		if (status == PMPP_OK)
			status = launch_bind(
				entry, &outcome->plan, suite->operands.buffers, &traced, error);
		run = &traced;
	}
	if (pass->reversed)
		gpu_set_order(suite->device, GPU_ORDER_REVERSED, ORDER_SEED);
	if (status == PMPP_OK)
		status = run_once(suite, run, &problem, output, error);
	if (pass->reversed)
		gpu_set_order(suite->device, GPU_ORDER_FORWARD, ORDER_SEED);
	if (status == PMPP_OK && pass->integer && problem.family->exact_check)
		status = compare_exact(
			suite, outcome->config.variant, &problem, output, &outcome->verify, error);
	else if (status == PMPP_OK)
		status = compare_bound(suite, outcome, &problem, output, &outcome->verify, error);
	if (status == PMPP_OK && !first && !pass->integer && verify_passed(&outcome->verify))
		compare_bits(suite, outcome, output);
	if (status == PMPP_OK)
		status = check_surroundings(suite, &problem, &outcome->verify, error);
	return status;
}

/* ---- Judging ------------------------------------------------------------------------------- */

/* Adds to what the reason says already. */
static void explain_failure(struct outcome *outcome)
{
	const struct verify_result *result = &outcome->verify;
	const struct family *family = outcome->problem.family;
	char *text = outcome->reason;
	size_t size = sizeof outcome->reason;
	int used = (int)strlen(text);

	if (result->mismatches && result->first_row >= 0)
		used += snprintf(text + used, size - (size_t)used,
			"%llu wrong (%llu unwritten or not finite), the first %s[%lld,%lld] = %.9g, "
			"not %.9g",
			(unsigned long long)result->mismatches, (unsigned long long)result->nan,
			family->operands[family->operand_count - 1].name,
			(long long)result->first_row, (long long)result->first_column,
			result->first_got, result->first_want);
	if (!result->canary_ok)
		used += snprintf(text + used, size - (size_t)used, "%swrites outside its operands",
			result->mismatches ? "; " : "");
	if (!result->inputs_intact)
		snprintf(text + used, size - (size_t)used, "%schanges its inputs",
			result->mismatches || !result->canary_ok ? "; " : "");
	outcome->status = OUTCOME_FAILED;
}

static enum pmpp_status prepare_output(
	struct suite *suite, const struct problem *problem, struct pmpp_error *error)
{
	const struct operand *operand =
		&problem->family->operands[problem->family->operand_count - 1];
	int64_t rows = operand_rows(operand, problem);
	int64_t columns = operand_columns(operand, problem);

	uint64_t bytes = operand_bytes(operand, problem);

	if (bytes != suite->output_bytes) {
		free(suite->output);
		free(suite->again);
		suite->output_bytes = 0;
		suite->output = malloc(bytes);
		suite->again = malloc(bytes);
		if (!suite->output || !suite->again)
			return PMPP_FAIL(
				error, PMPP_OUT_OF_MEMORY, "no host memory for the output");
		suite->output_bytes = bytes;
	}
	suite->output_dtype = operand_dtype(operand, problem);
	suite->output_rows = rows;
	suite->output_columns = columns;
	return PMPP_OK;
}

#define PIECE_BYTES ((uint64_t)1 << 20)

struct pieces {
	const uint8_t *bytes;
	uint64_t count;
	uint8_t (*digests)[SHA256_DIGEST_LENGTH];
};

static void hash_piece(void *context, size_t index)
{
	const struct pieces *pieces = context;
	uint64_t first = index * PIECE_BYTES;
	uint64_t left = pieces->count - first;
	SHA2_CTX hash;

	SHA256Init(&hash);
	SHA256Update(&hash, pieces->bytes + first, left < PIECE_BYTES ? left : PIECE_BYTES);
	SHA256Final(pieces->digests[index], &hash);
}

/* A hash of pieces, so that large outputs are hashed on all cores: see suite.h. */
static enum pmpp_status hash_output(
	const struct suite *suite, char ret_text[65], struct pmpp_error *error)
{
	size_t count = (suite->output_bytes + PIECE_BYTES - 1) / PIECE_BYTES;
	struct pieces pieces = {suite->output, suite->output_bytes, NULL};

	pieces.digests = malloc(count * sizeof *pieces.digests);
	if (!pieces.digests)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no host memory for the output's hash");
	parallel_for(count, hash_piece, &pieces);
	SHA256Data((const uint8_t *)pieces.digests, count * sizeof *pieces.digests, ret_text);
	free(pieces.digests);
	return PMPP_OK;
}

enum pmpp_status verify_run(struct suite *suite, const struct bound_run *run,
	struct outcome *outcome, struct pmpp_error *error)
{
	struct verify_result *result = &outcome->verify;
	const struct problem *problem = &outcome->problem;
	struct pass passes[MOST_PASSES];
	size_t count = choose_passes(suite, &outcome->config, problem, passes);
	enum pmpp_status status = prepare_output(suite, problem, error);

	/* Until a pass has said otherwise; done is what makes them count. */
	result->done = result->canary_ok = result->inputs_intact = true;
	for (size_t i = 0; status == PMPP_OK && i < count; i++)
		status = run_pass(suite, &passes[i], i == 0, run, outcome, error);
	if (status == PMPP_OK)
		status = operands_upload(suite, problem, error);
	if (status != PMPP_OK) {
		*result = (struct verify_result){.first_row = -1, .first_column = -1};
		return status;
	}
	set_coverage(suite, problem, outcome);
	/* The device's own rows have no result file to go into. */
	if (!problem->family->internal)
		status = hash_output(suite, result->output_sha256, error);
	if (!verify_passed(result))
		explain_failure(outcome);
	return status;
}

enum pmpp_status verify_again(
	struct suite *suite, struct outcome *outcome, struct pmpp_error *error)
{
	const struct problem *problem = &outcome->problem;
	struct verify_result *result = &outcome->verify;
	enum pmpp_status status = operands_read_output(suite, suite->again, error);

	if (status != PMPP_OK)
		return status;
	/* The same bits need no second comparison. */
	if (memcmp(suite->again, suite->output, suite->output_bytes) != 0) {
		status = compare_bound(suite, outcome, problem, suite->again, result, error);
		if (status == PMPP_OK && verify_passed(result))
			compare_bits(suite, outcome, suite->again);
	}
	if (status == PMPP_OK)
		status = check_surroundings(suite, problem, result, error);
	if (status == PMPP_OK && !verify_passed(result)) {
		if (!*outcome->reason)
			snprintf(outcome->reason, sizeof outcome->reason, "after timing: ");
		explain_failure(outcome);
	}
	return status;
}
