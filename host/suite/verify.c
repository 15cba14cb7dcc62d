/*
 * Every pass starts with a poisoned output and ends with the same checks: every element is finite
 * and within its bound, the guards are unchanged, the inputs are unchanged.
 */
#include "host/suite/verify.h"

#include "common/check_sizes.h"
#include "host/suite/device.h"
#include "host/suite/parallel.h"

#include <math.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORDER_SEED 1

/* ---- Passes -------------------------------------------------------------------------------- */

struct pass {
	enum input_source source; /* INPUT_RANDOM: that of the problem */
	enum data_case data_case;
	bool traced;
	bool reversed; /* run the last blocks and threads first */
	enum poison poison;
};

#define MAX_PASSES (6 + CASE_COUNT)

/* Operands of at most this size are also checked on other data after the timing. Larger data would
 * take too long to generate and copy for each row. */
#define OTHER_DATA_BYTES 0x1p29

/* A problem of at most this work has at least two passes, because one poison may hide a mistake. */
#define TWO_POISONS_WORK 0x1p22

/* The bound of a sum of h terms grows as h * (h u); the sum of signed terms grows as sqrt(h). The
 * ratio of both is sqrt(h) * (h u). Above WEAK_BOUND the bound may hide a missing term, so integers
 * are checked too. A row of reduced precision uses its own chain length and unit roundoff in (h u).
 *
 * A kernel with full precision must not round its inputs to 11 bits. This rounding changes a sum by
 * about 2^-12.5 of its standard deviation. The largest error of many elements is at least four
 * times as large. */
#define WEAK_BOUND 0x1p-8
#define WEAK_FOR_INPUTS 0x1p-13
#define MANY_ELEMENTS 4096
#define MANY_WEAK_FOR_INPUTS 0x1p-11

static double weak_bound(const struct problem *problem)
{
	const struct operand *output =
		&problem->family->operands[problem->family->operand_count - 1];

	if (problem->dtype != DTYPE_F32 || problem->rounding != ROUND_NONE)
		return WEAK_BOUND;
	return operand_rows(output, problem) * operand_columns(output, problem) < MANY_ELEMENTS
		       ? WEAK_FOR_INPUTS
		       : MANY_WEAK_FOR_INPUTS;
}

static bool is_weak(const struct config *config, const struct problem *problem)
{
	const struct variant *variant = config->variant;
	double terms = (double)problem->family->chain(problem);
	double own_chain = variant->chain ? (double)variant->chain(config, problem) : terms;
	double hu = fmax(terms * F32_UNIT_ROUNDOFF, own_chain * variant->unit_roundoff);

	return !problem->family->internal && sqrt(terms) * hu > weak_bound(problem);
}

/* true: random data check only a small part of the output, or nothing. */
static bool depends_on_integers(const struct config *config, const struct problem *problem)
{
	return reference_is_sampled(problem) || config_bound(config, problem) >= BLIND_BOUND;
}

bool verify_checks_integers(const struct config *config, const struct problem *problem)
{
	return (is_weak(config, problem) || depends_on_integers(config, problem)) &&
	       inputs_integer_limit(problem) > 0;
}

bool verify_is_possible(const struct config *config, const struct problem *problem)
{
	return !depends_on_integers(config, problem) || inputs_integer_limit(problem) > 0;
}

/* Adds the cases of the problem, and another seed. Their poisons differ. */
static size_t add_cases(const struct config *config, const struct problem *problem, size_t count,
	struct pass ret_passes[MAX_PASSES])
{
	unsigned cases = problem->source == INPUT_RANDOM ? check_cases(config, problem) : 0;

	for (unsigned c = 0; c <= CASE_COUNT; c++) {
		if (!(cases & CASE_BIT(c)))
			continue;
		ret_passes[count] =
			(struct pass){.source = c == CASE_COUNT ? INPUT_SEED : INPUT_CASE,
				.data_case = c == CASE_COUNT ? 0 : (enum data_case)c,
				.poison = (enum poison)(count % POISON_COUNT)};
		count++;
	}
	return count;
}

/* The poison of a large problem that has only one pass. Other check sizes, and the timed runs, have
 * other poisons (TIMED_POISON is none of these). 0, the least value of an unsigned type, would hide an
 * element that is added to. */
static enum poison only_poison(const struct problem *problem)
{
	const struct operand *output =
		&problem->family->operands[problem->family->operand_count - 1];
	enum dtype dtype = operand_dtype(output, problem);
	int64_t sum = 0;

	if (dtype == DTYPE_U8 || dtype == DTYPE_U32)
		return POISON_NAN;
	for (size_t d = 0; d < problem->family->dim_count; d++)
		sum += problem->dim[d];
	return sum % 2 ? POISON_BELOW : POISON_NAN;
}

/* The output of the first pass is kept. Passes on other data are last, because their inputs replace
 * those of the problem on the device. */
static size_t choose_passes(const struct gpu_device *device, const struct config *config,
	const struct problem *problem, bool traced, struct pass ret_passes[MAX_PASSES])
{
	size_t count = 0;

	ret_passes[count++] = (struct pass){0};
	if (gpu_can_order(device))
		ret_passes[count++] = (struct pass){.reversed = true, .poison = POISON_BELOW};
	if (traced && gpu_can_trace(device) &&
		config_work(config, problem) <= suite_work_budget(&device->info, true))
		ret_passes[count++] = (struct pass){.traced = true, .poison = POISON_ABOVE};
	if (verify_checks_integers(config, problem))
		ret_passes[count++] =
			(struct pass){.source = INPUT_INTEGER, .poison = POISON_BELOW};
	count = add_cases(config, problem, count, ret_passes);
	if (count == 1 && config_work(config, problem) <= TWO_POISONS_WORK)
		ret_passes[count++] = (struct pass){.poison = POISON_BELOW};
	else if (count == 1)
		ret_passes[0].poison = only_poison(problem);
	return count;
}

static void set_coverage(const struct reference *reference, struct outcome *outcome)
{
	struct verify_record *result = &outcome->row.verify;

	if (!reference->sampled)
		text_format(&result->coverage, "all elements%s",
			verify_checks_integers(&outcome->config, &outcome->problem)
				? "; all on integers"
				: "");
	else
		text_format(&result->coverage, "%zu rows and %zu columns; all on integers",
			reference->row_count, reference->column_count);
}

enum pmpp_status verify_output(struct operands *operands, const struct bound_run *run,
	const struct problem *problem, enum poison poison, void *ret_output,
	struct pmpp_error *error)
{
	enum pmpp_status status = operands_upload(operands, problem, error);

	if (status == PMPP_OK)
		status = operands_poison(operands, poison, error);
	if (status == PMPP_OK)
		status = launch_run(run, error);
	if (status == PMPP_OK)
		status = gpu_finish(operands->device, error);
	if (status == PMPP_OK)
		status = operands_read_output(operands, ret_output, error);
	return status;
}

static enum pmpp_status check_surroundings(struct operands *operands, const struct problem *problem,
	struct verify_record *result, struct pmpp_error *error)
{
	bool canary_ok = false;
	bool inputs_intact = false;
	enum pmpp_status status = operands_check_guards(operands, &canary_ok, error);

	if (status == PMPP_OK)
		status = operands_check_inputs(operands, problem, &inputs_intact, error);
	if (status != PMPP_OK) /* nothing was checked: keep the earlier results */
		return status;
	result->canary_ok = result->canary_ok && canary_ok;
	result->inputs_intact = result->inputs_intact && inputs_intact;
	return PMPP_OK;
}

static struct output output_of(const struct verifier *verifier, const void *values)
{
	return (struct output){.values = values,
		.dtype = verifier->dtype,
		.rows = verifier->rows,
		.columns = verifier->columns};
}

/* Compares with the reference within the bound, or exactly. */
static enum pmpp_status compare(struct verifier *verifier, const struct problem *problem,
	bool exact, const void *values, struct outcome *outcome, struct pmpp_error *error)
{
	struct reference *reference =
		problem_equal(problem, &outcome->problem) ? &verifier->reference : &verifier->other;
	const struct variant *variant = outcome->config.variant;
	const struct output output = output_of(verifier, values);
	const void *inputs[PMPP_MAX_OPERANDS];
	enum pmpp_status status = inputs_get(verifier->operands->inputs, problem, inputs, error);

	if (status != PMPP_OK)
		return status;
	if (exact)
		return check_output_exact(
			variant, problem, inputs, &output, &outcome->row.verify, error);
	status = reference_prepare(reference, variant, problem, inputs, error);
	if (status != PMPP_OK)
		return status;
	return check_output_bound(
		reference, &outcome->config, problem, inputs, &output, &outcome->row.verify, error);
}

/* If a row promises the same bits in all runs on one engine, but two runs differ, the kernel has a
 * race. */
static void compare_runs(
	const struct verifier *verifier, const void *values, struct outcome *outcome)
{
	const struct output first = output_of(verifier, verifier->values);
	const struct output second = output_of(verifier, values);

	if (outcome->promises_bits && !check_output_bits(&first, &second, &outcome->row.verify))
		text_set(&outcome->row.reason, "two runs differ: ");
	else if (outcome->row.own_kernel && outcome->config.variant->repro != REPRO_BOUND &&
		 memcmp(values, verifier->values, verifier->bytes) != 0)
		outcome_note(outcome, "the bits differ between runs");
}

static enum pmpp_status bind_traced(struct verifier *verifier, const struct outcome *outcome,
	const struct problem *problem, struct bound_run *ret_run, struct pmpp_error *error)
{
	const struct program_request request = {.config = &outcome->config,
		.problem = problem,
		.math = outcome->math,
		.traced = true};
	struct program_entry *entry;
	enum pmpp_status status = programs_get(verifier->programs, &request, &entry, error);

	if (status != PMPP_OK)
		return status;
	return launch_bind(entry, &outcome->plan, verifier->operands->buffers, ret_run, error);
}

/* Returns the output that this poison sets before a run. */
static enum pmpp_status read_poison(
	struct operands *operands, enum poison poison, void *ret_output, struct pmpp_error *error)
{
	enum pmpp_status status = operands_poison(operands, poison, error);

	return status == PMPP_OK ? operands_read_output(operands, ret_output, error) : status;
}

/* The number of elements that keep two different poisons, or are not finite. */
static int64_t count_unset(
	const struct verifier *verifier, const void *const values[2], const void *const poisons[2])
{
	size_t bytes = dtype_info(verifier->dtype)->bytes;
	int64_t count = 0;

	for (size_t at = 0; at < verifier->bytes; at += bytes) {
		bool kept = true;
		for (int i = 0; i < 2; i++)
			kept = kept && memcmp((const char *)values[i] + at,
					       (const char *)poisons[i] + at, bytes) == 0;
		count +=
			kept || !dtype_is_finite(verifier->dtype, values[0], (int64_t)(at / bytes));
	}
	return count;
}

/* Counts the unwritten elements after a pass with a wrong output. A kernel may write the value of
 * one poison, so the run is repeated with another poison. */
static enum pmpp_status find_unwritten(struct verifier *verifier, enum poison poison,
	const struct bound_run *run, const struct problem *problem, const void *values,
	struct verify_record *result, struct pmpp_error *error)
{
	enum poison other = (enum poison)((poison + 1) % POISON_COUNT);
	struct operands *operands = verifier->operands;
	void *again[3] = {
		malloc(verifier->bytes), malloc(verifier->bytes), malloc(verifier->bytes)};
	enum pmpp_status status = PMPP_OK;

	if (again[0] && again[1] && again[2]) {
		status = verify_output(operands, run, problem, other, again[0], error);
		if (status == PMPP_OK)
			status = read_poison(operands, poison, again[1], error);
		if (status == PMPP_OK)
			status = read_poison(operands, other, again[2], error);
		if (status == PMPP_OK)
			result->nan =
				count_unset(verifier, (const void *const[2]){values, again[0]},
					(const void *const[2]){again[1], again[2]});
	}
	for (int i = 0; i < 3; i++)
		free(again[i]);
	return status;
}

/* Begins the row's reason with the data of the failed pass. */
static void name_data(const struct pass *pass, struct outcome *outcome)
{
	if (pass->source == INPUT_CASE)
		text_format(
			&outcome->row.reason, "data case '%s': ", data_case_name(pass->data_case));
	else if (pass->source == INPUT_INTEGER)
		text_set(&outcome->row.reason, "integers: ");
	else if (pass->source == INPUT_SEED)
		text_set(&outcome->row.reason, "another seed: ");
}

static enum pmpp_status run_pass(struct verifier *verifier, const struct pass *pass, bool first,
	const struct bound_run *run, struct outcome *outcome, struct pmpp_error *error)
{
	struct operands *operands = verifier->operands;
	struct problem problem = outcome->problem;
	struct bound_run traced;
	struct verify_record *result = &outcome->row.verify;
	double max_ratio = result->max_ratio, max_ulps = result->max_ulps;
	bool passed = verify_record_passed(result); /* all passes before this one */
	void *values = first ? verifier->values : verifier->again;
	enum pmpp_status status = PMPP_OK;

	bool other_data = pass->source != INPUT_RANDOM;

	if (other_data)
		problem.source = pass->source;
	problem.data_case = pass->data_case;
	if (pass->traced) {
		status = bind_traced(verifier, outcome, &problem, &traced, error);
		run = &traced;
	}
	if (pass->reversed)
		gpu_set_order(operands->device, GPU_ORDER_REVERSED, ORDER_SEED);
	if (status == PMPP_OK)
		status = verify_output(operands, run, &problem, pass->poison, values, error);
	if (pass->reversed)
		gpu_set_order(operands->device, GPU_ORDER_FORWARD, ORDER_SEED);
	/* If the bits are equal, the output is right: it needs no second comparison. */
	bool same = status == PMPP_OK && !first && !other_data && passed &&
		    memcmp(values, verifier->values, verifier->bytes) == 0;
	if (status == PMPP_OK && !same)
		status = compare(verifier, &problem,
			pass->source == INPUT_INTEGER && problem.family->exact_check, values,
			outcome, error);
	if (passed && !verify_record_passed(result))
		name_data(pass, outcome);
	if (status == PMPP_OK && passed && result->mismatches > 0)
		status = find_unwritten(
			verifier, pass->poison, run, &problem, values, result, error);
	/* The row has the largest error of the problem's own data. */
	if ((pass->source == INPUT_CASE || pass->source == INPUT_SEED) &&
		verify_record_passed(result)) {
		result->max_ratio = max_ratio;
		result->max_ulps = max_ulps;
	}
	if (status == PMPP_OK && !first && !other_data && verify_record_passed(result))
		compare_runs(verifier, values, outcome);
	if (status == PMPP_OK)
		status = check_surroundings(operands, &problem, &outcome->row.verify, error);
	return status;
}

/* Moves what the device has noted to the outcome. */
static void take_note(struct gpu_device *device, struct outcome *outcome)
{
	if (*device->note)
		outcome_note(outcome, device->note);
	*device->note = '\0';
}

/* ---- Judging ------------------------------------------------------------------------------- */

/* Appends the findings to the row's reason. */
static void explain_failure(struct outcome *outcome)
{
	const struct verify_record *result = &outcome->row.verify;
	const struct family *family = outcome->problem.family;
	char text[400];
	int used = snprintf(text, sizeof text, "%.100s", text_or_empty(outcome->row.reason));

	if (result->mismatches && result->first.record.present)
		used += snprintf(text + used, sizeof text - (size_t)used,
			"%lld wrong (%lld unwritten or not finite), the first %s[%lld,%lld] = %.9g, "
			"not %.9g",
			(long long)result->mismatches, (long long)result->nan,
			family->operands[family->operand_count - 1].name,
			(long long)result->first.row, (long long)result->first.column,
			result->first.got, result->first.want);
	if (!result->canary_ok)
		used += snprintf(text + used, sizeof text - (size_t)used,
			"%swrites outside its operands", result->mismatches ? "; " : "");
	if (!result->inputs_intact)
		snprintf(text + used, sizeof text - (size_t)used, "%schanges its inputs",
			result->mismatches || !result->canary_ok ? "; " : "");
	outcome->row.status = OUTCOME_FAILED;
	text_set(&outcome->row.reason, text);
}

/* Initialises the record as passed. Each pass adds its findings. */
static void begin(struct verify_record *result)
{
	result->record.present = result->canary_ok = result->inputs_intact = true;
	result->max_ratio = 0;
	result->max_ulps = NAN;
	result->nan = result->mismatches = 0;
}

static void reset(struct verify_record *result)
{
	record_finish(&verify_type, result);
	result->record.present = false;
}

static enum pmpp_status prepare_output(
	struct verifier *verifier, const struct problem *problem, struct pmpp_error *error)
{
	const struct operand *operand =
		&problem->family->operands[problem->family->operand_count - 1];
	uint64_t bytes = operand_bytes(operand, problem);

	if (bytes != verifier->bytes) {
		free(verifier->values);
		free(verifier->again);
		verifier->bytes = 0;
		verifier->values = malloc(bytes);
		verifier->again = malloc(bytes);
		if (!verifier->values || !verifier->again)
			return PMPP_FAIL(
				error, PMPP_OUT_OF_MEMORY, "no host memory for the output");
		verifier->bytes = bytes;
	}
	verifier->dtype = operand_dtype(operand, problem);
	verifier->rows = operand_rows(operand, problem);
	verifier->columns = operand_columns(operand, problem);
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

/* Hashes the hashes of the pieces (struct verify_record), so that all cores share the work. */
static enum pmpp_status hash_output(
	const struct verifier *verifier, const void *values, char **text, struct pmpp_error *error)
{
	size_t count = (verifier->bytes + PIECE_BYTES - 1) / PIECE_BYTES;
	struct pieces pieces = {values, verifier->bytes, NULL};
	char hash[SHA256_DIGEST_STRING_LENGTH];

	pieces.digests = malloc(count * sizeof *pieces.digests);
	if (!pieces.digests)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no host memory for the output's hash");
	parallel_for(count, hash_piece, &pieces);
	SHA256Data((const uint8_t *)pieces.digests, count * sizeof *pieces.digests, hash);
	free(pieces.digests);
	text_set(text, hash);
	if (!*text) /* without a hash, parity would report different bits */
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no host memory for the output's hash");
	return PMPP_OK;
}

/* ---- Public -------------------------------------------------------------------------------- */

enum pmpp_status verify_run(struct verifier *verifier, const struct bound_run *run, bool traced,
	struct outcome *outcome, struct pmpp_error *error)
{
	struct verify_record *result = &outcome->row.verify;
	const struct problem *problem = &outcome->problem;
	struct pass passes[MAX_PASSES];
	size_t count = choose_passes(
		verifier->operands->device, &outcome->config, problem, traced, passes);
	enum pmpp_status status = prepare_output(verifier, problem, error);

	begin(result);
	for (size_t i = 0; status == PMPP_OK && i < count; i++)
		status = run_pass(verifier, &passes[i], i == 0, run, outcome, error);
	take_note(verifier->operands->device, outcome);
	if (status == PMPP_OK)
		status = operands_upload(verifier->operands, problem, error);
	if (status != PMPP_OK && verify_record_passed(result)) {
		reset(result);
		return status;
	}
	if (status != PMPP_OK) { /* a pass failed, and a later pass ended with an error */
		text_set(&result->coverage, "ended by an error");
		explain_failure(outcome);
		return status;
	}
	set_coverage(&verifier->reference, outcome);
	/* The rows of internal families are not in result files. */
	if (!problem->family->internal)
		status = hash_output(verifier, verifier->values, &result->output_sha256, error);
	if (!verify_record_passed(result))
		explain_failure(outcome);
	return status;
}

enum pmpp_status verify_again(struct verifier *verifier, const struct bound_run *run,
	struct outcome *outcome, struct pmpp_error *error)
{
	const struct problem *problem = &outcome->problem;
	struct verify_record *result = &outcome->row.verify;
	enum pmpp_status status = operands_read_output(verifier->operands, verifier->again, error);

	if (status != PMPP_OK)
		return status;
	/* If the bits are equal, the output is right: it needs no second comparison. */
	if (memcmp(verifier->again, verifier->values, verifier->bytes) != 0) {
		status = compare(verifier, problem, false, verifier->again, outcome, error);
		if (status == PMPP_OK && verify_record_passed(result))
			compare_runs(verifier, verifier->again, outcome);
	}
	if (status == PMPP_OK)
		status = check_surroundings(verifier->operands, problem, result, error);
	if (status == PMPP_OK && result->mismatches > 0)
		status = find_unwritten(
			verifier, TIMED_POISON, run, problem, verifier->again, result, error);
	if (result->mismatches > 0)
		operands_forget(verifier->operands); /* that run may have changed its inputs */
	if (!verify_record_passed(result)) {
		if (!outcome->row.reason)
			text_set(&outcome->row.reason, "after timing: ");
		explain_failure(outcome);
	}
	return status;
}

/* The output and the scratch buffers keep what the last timed run left there. */
static enum pmpp_status run_on_other_data(struct verifier *verifier, const struct bound_run *run,
	const struct problem *problem, struct pmpp_error *error)
{
	enum pmpp_status status = operands_upload(verifier->operands, problem, error);

	if (status == PMPP_OK)
		status = launch_run(run, error);
	if (status == PMPP_OK)
		status = gpu_finish(verifier->operands->device, error);
	if (status == PMPP_OK)
		status = operands_read_output(verifier->operands, verifier->again, error);
	return status;
}

bool verify_has_other_data(const struct problem *problem)
{
	double bytes = 0;

	for (size_t i = 0; i < problem->family->operand_count; i++)
		bytes += (double)operand_bytes(&problem->family->operands[i], problem);
	return problem->source == INPUT_RANDOM && bytes <= OTHER_DATA_BYTES;
}

enum pmpp_status verify_other_data(struct verifier *verifier, const struct bound_run *run,
	struct outcome *outcome, struct pmpp_error *error)
{
	struct verify_record *result = &outcome->row.verify;
	struct problem problem = outcome->problem;
	double max_ratio = result->max_ratio, max_ulps = result->max_ulps;
	bool exact = verify_checks_integers(&outcome->config, &problem);
	enum pmpp_status status;

	if (!verify_has_other_data(&problem))
		return PMPP_OK;
	problem.source = exact ? INPUT_INTEGER : INPUT_SEED;
	status = run_on_other_data(verifier, run, &problem, error);
	if (status == PMPP_OK)
		status = compare(verifier, &problem, exact && problem.family->exact_check,
			verifier->again, outcome, error);
	if (status == PMPP_OK)
		status = check_surroundings(verifier->operands, &problem, result, error);
	if (verify_record_passed(result)) {
		result->max_ratio = max_ratio;
		result->max_ulps = max_ulps;
	} else {
		text_set(&outcome->row.reason, "after timing, on other data: ");
		explain_failure(outcome);
	}
	return status;
}

/* Call it if the bits differ from those of the verified output, or if that output is unknown. */
static enum pmpp_status compare_companion(
	struct verifier *verifier, struct outcome *companion, struct pmpp_error *error)
{
	struct verify_record *result = &companion->row.verify;
	bool known = *text_or_empty(result->output_sha256);
	enum pmpp_status status =
		compare(verifier, &companion->problem, false, verifier->again, companion, error);

	if (status == PMPP_OK && verify_record_passed(result) && known &&
		companion->promises_bits) {
		result->mismatches = 1; /* unknown, at least 1: the verified output is not kept */
		text_set(&companion->row.reason, "two runs differ: ");
	}
	return status;
}

enum pmpp_status verify_companion(struct verifier *verifier, struct operands *operands,
	struct outcome *companion, struct pmpp_error *error)
{
	struct verify_record *result = &companion->row.verify;
	char *hash = NULL;
	enum pmpp_status status = operands_read_output(operands, verifier->again, error);

	begin(result);
	if (status == PMPP_OK)
		status = hash_output(verifier, verifier->again, &hash, error);
	if (status == PMPP_OK && !text_equal(hash, result->output_sha256))
		status = compare_companion(verifier, companion, error);
	if (status == PMPP_OK)
		status = check_surroundings(operands, &companion->problem, result, error);
	if (status == PMPP_OK && !verify_record_passed(result))
		explain_failure(companion);
	free(hash);
	return status;
}

const void *verifier_output(
	const struct verifier *verifier, int64_t *ret_rows, int64_t *ret_columns)
{
	if (!verifier->rows)
		return NULL;
	*ret_rows = verifier->rows;
	*ret_columns = verifier->columns;
	return verifier->values;
}

void verifier_forget_output(struct verifier *verifier)
{
	verifier->rows = verifier->columns = 0;
}

double verifier_held_bytes(const struct verifier *verifier)
{
	return 2 * (double)verifier->bytes + reference_held_bytes(&verifier->reference) +
	       reference_held_bytes(&verifier->other);
}

void verifier_release(struct verifier *verifier)
{
	reference_finish(&verifier->reference);
	reference_finish(&verifier->other);
	free(verifier->values);
	free(verifier->again);
	verifier->values = verifier->again = NULL;
	verifier->bytes = 0;
	verifier_forget_output(verifier);
}

void verifier_finish(struct verifier *verifier)
{
	verifier_release(verifier);
	*verifier = (struct verifier){0};
}
