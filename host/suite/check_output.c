#include "host/suite/check_output.h"

#include "common/bound.h"
#include "host/suite/parallel.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SCAN_ELEMENTS ((int64_t)1 << 20)

/* ---- The reference and the bound ----------------------------------------------------------- */

/* Shared by the tasks of one comparison. The lock protects the totals. */
struct output_check {
	const struct problem *problem;
	const void *const *inputs;
	const struct reference *reference;
	const struct output *output;
	double gamma;

	pthread_mutex_t lock;
	double max_ratio, max_ulps;
	uint64_t nan, mismatches;
	int64_t first; /* element number by rows; -1 = none */
	bool out_of_memory;
};

struct tally {
	double max_ratio, max_ulps;
	uint64_t nan, mismatches;
	int64_t first;
};

static void tally_mismatch(struct tally *tally, int64_t element)
{
	tally->mismatches++;
	if (tally->first < 0 || element < tally->first)
		tally->first = element;
}

static void tally_add(struct output_check *check, const struct tally *tally)
{
	pthread_mutex_lock(&check->lock);
	check->max_ratio = fmax(check->max_ratio, tally->max_ratio);
	check->max_ulps = fmax(check->max_ulps, tally->max_ulps);
	check->nan += tally->nan;
	check->mismatches += tally->mismatches;
	if (tally->first >= 0 && (check->first < 0 || tally->first < check->first))
		check->first = tally->first;
	pthread_mutex_unlock(&check->lock);
}

/* Counts elements that are not finite; unwritten elements are among them. All elements are checked,
 * even if the reference is sampled. */
static void scan_part(void *context, size_t index)
{
	struct output_check *check = context;
	struct tally tally = {.first = -1};
	int64_t begin = (int64_t)index * SCAN_ELEMENTS;
	int64_t end = begin + SCAN_ELEMENTS;
	int64_t total = check->output->rows * check->output->columns;

	for (int64_t i = begin; i < (end < total ? end : total); i++)
		if (!dtype_is_finite(check->output->dtype, check->output->values, i)) {
			tally.nan++;
			tally_mismatch(&tally, i);
		}
	if (tally.nan)
		tally.max_ratio = INFINITY;
	tally_add(check, &tally);
}

static void compare_region(const struct output_check *check, const struct region *region,
	const struct expected *expected, struct tally *tally)
{
	const struct output *output = check->output;
	bool in_ulps = check->problem->family->shows_ulps && output->dtype == DTYPE_F32;

	for (int64_t r = 0; r < region->rows; r++)
		for (int64_t c = 0; c < region->columns; c++) {
			int64_t element = (region->row + r) * output->columns + region->column + c;
			double got = dtype_load(output->dtype, output->values, element);
			if (!dtype_is_finite(output->dtype, output->values, element))
				continue; /* counted by scan_part */
			double ratio = bound_ratio(output->dtype, got,
				&expected[r * region->columns + c], check->gamma);
			tally->max_ratio = fmax(tally->max_ratio, ratio);
			if (in_ulps)
				tally->max_ulps = fmax(tally->max_ulps,
					bound_ulps(got, expected[r * region->columns + c].value));
			if (!(ratio <= 1))
				tally_mismatch(tally, element);
		}
}

static void compare_part(void *context, size_t index)
{
	struct output_check *check = context;
	const struct reference_part *part = &check->reference->parts[index];
	size_t count = (size_t)(part->region.rows * part->region.columns);
	struct tally tally = {.first = -1};
	struct expected *streamed = part->expected ? NULL : malloc(count * sizeof *streamed);

	if (part->expected) {
		compare_region(check, &part->region, part->expected, &tally);
	} else if (streamed) {
		reference_region(check->reference->variant, check->problem, check->inputs,
			part->region, streamed);
		compare_region(check, &part->region, streamed, &tally);
	} else {
		pthread_mutex_lock(&check->lock);
		check->out_of_memory = true;
		pthread_mutex_unlock(&check->lock);
	}
	free(streamed);
	tally_add(check, &tally);
}

/* Only the first comparison with a mismatch sets the counts and the first mismatch, because later
 * comparisons judge the same elements again. */
static void add_to_result(
	struct verify_record *result, const struct output_check *check, double want)
{
	const struct output *output = check->output;

	result->max_ratio = fmax(result->max_ratio, check->max_ratio);
	if (check->problem && check->problem->family->shows_ulps && output->dtype == DTYPE_F32)
		result->max_ulps = fmax(result->max_ulps, check->max_ulps);
	if (check->first < 0 || result->first.record.present)
		return;
	result->nan = (int64_t)check->nan;
	result->mismatches = (int64_t)check->mismatches;
	result->first.record.present = true;
	result->first.row = check->first / output->columns;
	result->first.column = check->first % output->columns;
	result->first.got = dtype_load(output->dtype, output->values, check->first);
	result->first.want = want;
}

static bool is_finite_as(enum dtype dtype, double value)
{
	uint32_t stored = 0;

	dtype_store(dtype, &stored, 0, value);
	return dtype_is_finite(dtype, &stored, 0);
}

/* Fails if an input is not finite after the rounding of the problem. The output, the last operand,
 * has no array: inputs[] is NULL there. */
static enum pmpp_status refuse_rounded_input(
	const struct problem *problem, const void *const *inputs, struct pmpp_error *error)
{
	for (size_t k = 0; problem->rounding != ROUND_NONE && inputs[k]; k++) {
		const struct operand *operand = &problem->family->operands[k];
		enum dtype dtype = operand_dtype(operand, problem);
		int64_t columns = operand_columns(operand, problem);
		int64_t count = operand_rows(operand, problem) * columns;

		for (int64_t i = 0; i < count; i++)
			if (!dtype_is_finite(dtype, inputs[k], i))
				return PMPP_FAIL(error, PMPP_UNSUPPORTED,
					"%s[%lld,%lld] of --in is too large for %s", operand->name,
					(long long)(i / columns), (long long)(i % columns),
					problem->rounding == ROUND_TF32 ? "TF32" : "f16");
	}
	return PMPP_OK;
}

/* Fails if the right answer of a mismatch is not finite, or if partial sums may not be finite: then
 * the data are wrong, not the kernel. */
static enum pmpp_status refuse_overflow(
	const struct output_check *check, struct region element, struct pmpp_error *error)
{
	const struct family *family = check->problem->family;
	const enum dtype dtype = check->output->dtype;
	struct expected want;

	reference_region(check->reference->variant, check->problem, check->inputs, element, &want);
	bool fits = is_finite_as(dtype, want.value);
	/* A finite value that is wrong did not overflow. */
	if (fits && (is_finite_as(DTYPE_F32, want.terms) ||
			    dtype_is_finite(dtype, check->output->values, check->first)))
		return PMPP_OK;
	enum pmpp_status status = refuse_rounded_input(check->problem, check->inputs, error);
	return status != PMPP_OK
		       ? status
		       : PMPP_FAIL(error, PMPP_USAGE,
				 "--in: %s[%lld,%lld] overflows %s: %s %.6g: use smaller numbers",
				 family->operands[family->operand_count - 1].name,
				 (long long)element.row, (long long)element.column,
				 dtype_info(fits ? DTYPE_F32 : dtype)->name,
				 fits ? "the magnitudes of its terms add up to"
				      : "the right value is",
				 fits ? want.terms : want.value);
}

enum pmpp_status check_output_bound(const struct reference *reference, const struct config *config,
	const struct problem *problem, const void *const *inputs, const struct output *output,
	struct verify_record *result, struct pmpp_error *error)
{
	struct output_check check = {.problem = problem,
		.inputs = inputs,
		.reference = reference,
		.output = output,
		.gamma = config_bound(config, problem),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.first = -1};
	int64_t total = output->rows * output->columns;
	double want = NAN;
	enum pmpp_status status = PMPP_OK;

	parallel_for((size_t)((total + SCAN_ELEMENTS - 1) / SCAN_ELEMENTS), scan_part, &check);
	parallel_for(reference->part_count, compare_part, &check);
	if (check.out_of_memory)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no host memory for the reference");
	if (check.first >= 0) {
		int64_t row = check.first / output->columns, column = check.first % output->columns;
		want = reference_element(config->variant, problem, inputs, row, column);
		if (problem->source == INPUT_USER && dtype_info(output->dtype)->is_float)
			status = refuse_overflow(&check, (struct region){row, 1, column, 1}, error);
	}
	if (status == PMPP_OK)
		add_to_result(result, &check, want);
	return status;
}

/* ---- Integers: every element, exactly ------------------------------------------------------ */

/* Sets *column to the first wrong column of the row, because the family's check may find only the
 * row. If the reference finds no wrong element in the row, *column is unchanged. Returns false if
 * memory runs out. */
static bool find_wrong_column(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, const struct output *output, int64_t row, int64_t *column)
{
	int64_t columns = output->columns;
	struct expected *expected = malloc((size_t)columns * sizeof *expected);

	if (!expected)
		return false;
	reference_region(variant, problem, inputs, (struct region){row, 1, 0, columns}, expected);
	for (int64_t c = columns - 1; c >= 0; c--)
		if (!(dtype_load(output->dtype, output->values, row * columns + c) ==
			    expected[c].value))
			*column = c;
	free(expected);
	return true;
}

enum pmpp_status check_output_exact(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, const struct output *output, struct verify_record *result,
	struct pmpp_error *error)
{
	struct output_check check = {.output = output, .first = -1};
	int64_t row = 0;
	int64_t column = 0;
	enum exact_result found =
		problem->family->exact_check(problem, inputs, output->values, &row, &column);

	if (found == EXACT_EQUAL)
		return PMPP_OK;
	if (found == EXACT_NO_MEMORY ||
		!find_wrong_column(variant, problem, inputs, output, row, &column))
		return PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "no host memory for the check on integers");
	check.first = row * output->columns + column;
	check.mismatches = 1; /* at least: the check stops at the first */
	check.max_ratio = INFINITY;
	add_to_result(result, &check, reference_element(variant, problem, inputs, row, column));
	return PMPP_OK;
}

/* ---- Bits ---------------------------------------------------------------------------------- */

bool check_output_bits(
	const struct output *first, const struct output *second, struct verify_record *result)
{
	struct output_check check = {.output = second, .first = -1};
	size_t bytes = dtype_info(first->dtype)->bytes;
	int64_t total = first->rows * first->columns;
	const char *a = first->values;
	const char *b = second->values;

	if (memcmp(b, a, (size_t)total * bytes) == 0)
		return true;
	for (int64_t i = total - 1; i >= 0; i--)
		if (memcmp(b + i * (int64_t)bytes, a + i * (int64_t)bytes, bytes) != 0) {
			check.first = i;
			check.mismatches++;
		}
	add_to_result(result, &check, dtype_load(first->dtype, first->values, check.first));
	return false;
}
