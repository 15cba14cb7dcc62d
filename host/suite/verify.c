#include "host/suite/verify.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/bound.h"
#include "common/check_sizes.h"
#include "common/data.h"
#include "common/integers.h"
#include "common/text.h"
#include "host/suite/device.h"
#include "host/suite/parallel.h"

/* ---- The reference --------------------------------------------------------------------------- */

/*
 * The reference in double precision. There are three methods, by the size of the problem:
 *   kept      every element, computed once for all variants
 *   streamed  every element, computed again in each comparison. For large outputs that take little
 *             work, for example vectors: a kept reference would take four times their memory.
 *   sampled   a few random rows and columns, always including the last ones. For problems where
 *             every element would take too long.
 */

/* Up to this work the reference is computed for every element. */
#define FULL_REFERENCE_WORK 0x1p28

#define SAMPLED_LINES 8
#define SAMPLE_STREAM 0x5a3d
#define KEPT_ELEMENTS ((int64_t)1 << 24)
#define PART_ELEMENTS ((int64_t)1 << 15)
#define PARTS_PER_THREAD 4 /* more than 1, because parts take different times */
#define PART_WORK 0x1p15   /* less than this takes as long as the start of a thread */

static bool reference_is_sampled(const struct problem *problem)
{
	return problem->family->exact_check && problem_work(problem) > FULL_REFERENCE_WORK;
}

/* Returns the bytes that reference_prepare() and the comparisons allocate for a problem. The type
 * is double because the amount may overflow integers. */
static double reference_bytes(const struct problem *problem)
{
	const struct operand *output = problem_output(problem);
	double rows = (double)operand_rows(output, problem);
	double columns = (double)operand_columns(output, problem);
	double parts = rows * columns / (double)PART_ELEMENTS;
	double elements = rows * columns;

	if (reference_is_sampled(problem))
		elements = SAMPLED_LINES * (rows + columns);
	else if (elements > (double)KEPT_ELEMENTS)
		elements = (double)PART_ELEMENTS * (double)parallel_threads();
	return elements * (double)sizeof(struct expected) +
	       parts * (double)sizeof(struct reference_part);
}

/* Returns the bytes that the reference has allocated. */
static double reference_held_bytes(const struct reference *reference)
{
	double bytes = (double)reference->part_count * (double)sizeof *reference->parts;

	for (size_t i = 0; i < reference->part_count; i++) {
		const struct reference_part *part = &reference->parts[i];
		double elements = (double)part->region.rows * (double)part->region.columns;
		if (part->expected)
			bytes += elements * (double)sizeof *part->expected;
	}
	return bytes;
}

/* Frees the reference; *reference is then empty. */
static void reference_finish(struct reference *reference)
{
	for (size_t i = 0; i < reference->part_count; i++)
		free(reference->parts[i].expected);
	free(reference->parts);
	*reference = (struct reference){0};
}

/* Computes a region of the reference, with the variant's own function if it has one, else with the
 * family's. */
static void reference_region(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, struct region region, struct expected *ret_expected)
{
	if (variant->reference)
		variant->reference(variant, problem, inputs, region, ret_expected);
	else
		problem->family->reference(problem, inputs, region, ret_expected);
}

static double reference_element(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, int64_t row, int64_t column)
{
	struct region region = {.row = row, .rows = 1, .column = column, .columns = 1};
	struct expected expected = {.value = NAN};

	reference_region(variant, problem, inputs, region, &expected);
	return expected.value;
}

/* Variants without a reference of their own share one. */
static bool is_kept(const struct reference *reference, const struct variant *variant,
	const struct problem *problem)
{
	return problem_equal(&reference->problem, problem) &&
	       (reference->variant == variant ||
		       (!reference->variant->reference && !variant->reference));
}

/* ---- Parts --------------------------------------------------------------------------------- */

static bool add_part(struct reference *reference, struct region region)
{
	struct reference_part *parts =
		realloc(reference->parts, (reference->part_count + 1) * sizeof *parts);

	if (!parts)
		return false;
	reference->parts = parts;
	parts[reference->part_count++] = (struct reference_part){.region = region};
	return true;
}

/* Divides a region into parts of at most `max` elements, whole rows if possible. */
static bool add_region(struct reference *reference, struct region whole, int64_t max)
{
	int64_t columns = min(whole.columns, max);
	int64_t rows = min(whole.rows, max / columns > 0 ? max / columns : 1);

	for (int64_t r = 0; r < whole.rows; r += rows)
		for (int64_t c = 0; c < whole.columns; c += columns) {
			struct region part = {.row = whole.row + r,
				.rows = min(rows, whole.rows - r),
				.column = whole.column + c,
				.columns = min(columns, whole.columns - c)};
			if (!add_part(reference, part))
				return false;
		}
	return true;
}

/* Chooses up to SAMPLED_LINES different lines, including the last one. */
static size_t choose_lines(
	int64_t lines, uint64_t seed, uint64_t stream, int64_t ret_lines[SAMPLED_LINES])
{
	size_t wanted = (size_t)min(lines, SAMPLED_LINES);
	size_t count = 0;

	ret_lines[count++] = lines - 1;
	for (uint64_t i = 0; count < wanted; i++) {
		int64_t line = (int64_t)(data_bits(seed, stream, i) % (uint64_t)lines);
		bool known = false;
		for (size_t j = 0; j < count; j++)
			known = known || ret_lines[j] == line;
		if (!known)
			ret_lines[count++] = line;
	}
	return count;
}

static bool make_sampled_parts(struct reference *reference, int64_t rows, int64_t columns)
{
	uint64_t seed = reference->problem.seed;
	int64_t lines[SAMPLED_LINES];
	int64_t share = (int64_t)parallel_threads();
	bool ok = true;

	reference->row_count = choose_lines(rows, seed, SAMPLE_STREAM, lines);
	for (size_t i = 0; ok && i < reference->row_count; i++)
		ok = add_region(
			reference, (struct region){lines[i], 1, 0, columns}, columns / share + 1);
	reference->column_count = choose_lines(columns, seed, SAMPLE_STREAM + 1, lines);
	for (size_t i = 0; ok && i < reference->column_count; i++)
		ok = add_region(reference, (struct region){0, rows, lines[i], 1}, rows / share + 1);
	return ok;
}

/* ---- Computing ----------------------------------------------------------------------------- */

struct computation {
	struct reference *reference;
	const void *const *inputs;
};

static void compute_part(void *context, size_t index)
{
	struct computation *computation = context;
	struct reference_part *part = &computation->reference->parts[index];
	const struct problem *problem = &computation->reference->problem;
	size_t count = (size_t)(part->region.rows * part->region.columns);

	part->expected = malloc(count * sizeof *part->expected);
	if (part->expected)
		reference_region(computation->reference->variant, problem, computation->inputs,
			part->region, part->expected);
}

static int64_t parts_wanted(const struct problem *problem)
{
	double useful = problem_work(problem) / PART_WORK;
	double most = (double)(PARTS_PER_THREAD * parallel_threads());

	return useful < 1 ? 1 : (int64_t)fmin(useful, most);
}

/* Computes the reference for the variant and the problem, unless *reference already contains it.
 * After PMPP_OUT_OF_MEMORY *reference is empty. */
static enum pmpp_status reference_prepare(struct reference *reference,
	const struct variant *variant, const struct problem *problem, const void *const *inputs,
	struct pmpp_error *error)
{
	const struct operand *output = problem_output(problem);
	int64_t rows = operand_rows(output, problem);
	int64_t columns = operand_columns(output, problem);
	bool kept = rows * columns <= KEPT_ELEMENTS;
	bool ok;

	if (is_kept(reference, variant, problem))
		return PMPP_OK;
	reference_finish(reference);
	reference->problem = *problem;
	reference->variant = variant;
	reference->sampled = reference_is_sampled(problem);
	if (reference->sampled) {
		ok = make_sampled_parts(reference, rows, columns);
	} else {
		int64_t share = rows * columns / parts_wanted(problem);
		/* Whole rows: each part then reads the inputs of its rows only once. */
		share = (share + columns - 1) / columns * columns;
		ok = add_region(reference, (struct region){0, rows, 0, columns},
			share < 1 ? 1 : min(share, PART_ELEMENTS));
	}
	if (ok && (kept || reference->sampled)) {
		struct computation computation = {.reference = reference, .inputs = inputs};

		parallel_for(reference->part_count, compute_part, &computation);
		for (size_t i = 0; i < reference->part_count; i++)
			ok = ok && reference->parts[i].expected;
	}
	if (ok)
		return PMPP_OK;
	reference_finish(reference);
	return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no host memory for the reference");
}

/* ---- Judging an output ---------------------------------------------------------------------- */

/* Compares the output of a run with the reference, or with the output of another run. */

#define SCAN_ELEMENTS ((int64_t)1 << 20)

/* ---- The reference and the bound ----------------------------------------------------------- */

struct tally {
	double max_ratio, max_ulps;
	uint64_t nan, mismatches;
	int64_t first; /* element number by rows; -1 = none */
	bool out_of_memory;
};

/* Shared by the tasks of one comparison. The lock protects the total. */
struct output_check {
	const struct problem *problem;
	const void *const *inputs;
	const struct reference *reference;
	const struct output *output;
	double gamma;

	pthread_mutex_t lock;
	struct tally total;
};

static void tally_mismatch(struct tally *tally, int64_t element)
{
	tally->mismatches++;
	if (tally->first < 0 || element < tally->first)
		tally->first = element;
}

static void tally_add(struct output_check *check, const struct tally *tally)
{
	struct tally *total = &check->total;

	pthread_mutex_lock(&check->lock);
	total->max_ratio = fmax(total->max_ratio, tally->max_ratio);
	total->max_ulps = fmax(total->max_ulps, tally->max_ulps);
	total->nan += tally->nan;
	total->mismatches += tally->mismatches;
	if (tally->first >= 0 && (total->first < 0 || tally->first < total->first))
		total->first = tally->first;
	total->out_of_memory |= tally->out_of_memory;
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
		tally.out_of_memory = true;
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
	const struct tally *total = &check->total;

	result->max_ratio = fmax(result->max_ratio, total->max_ratio);
	if (check->problem && check->problem->family->shows_ulps && output->dtype == DTYPE_F32)
		result->max_ulps = fmax(result->max_ulps, total->max_ulps);
	if (total->first < 0 || result->first.record.present)
		return;
	result->nan = (int64_t)total->nan;
	result->mismatches = (int64_t)total->mismatches;
	result->first.record.present = true;
	result->first.row = total->first / output->columns;
	result->first.column = total->first % output->columns;
	result->first.got = dtype_load(output->dtype, output->values, total->first);
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
	const enum dtype dtype = check->output->dtype;
	struct expected want;

	reference_region(check->reference->variant, check->problem, check->inputs, element, &want);
	bool fits = is_finite_as(dtype, want.value);
	/* A finite value that is wrong did not overflow. */
	if (fits && (is_finite_as(DTYPE_F32, want.terms) ||
			    dtype_is_finite(dtype, check->output->values, check->total.first)))
		return PMPP_OK;
	enum pmpp_status status = refuse_rounded_input(check->problem, check->inputs, error);
	return status != PMPP_OK
		       ? status
		       : PMPP_FAIL(error, PMPP_USAGE,
				 "--in: %s[%lld,%lld] overflows %s: %s %.6g: use smaller numbers",
				 problem_output(check->problem)->name, (long long)element.row,
				 (long long)element.column,
				 dtype_info(fits ? DTYPE_F32 : dtype)->name,
				 fits ? "the magnitudes of its terms add up to"
				      : "the right value is",
				 fits ? want.terms : want.value);
}

/* Checks that every element is finite, and that the elements of the reference are within their
 * bounds. reference: prepared for the variant and the problem. PMPP_OUT_OF_MEMORY on the host. */
static enum pmpp_status check_output_bound(const struct reference *reference,
	const struct config *config, const struct problem *problem, const void *const *inputs,
	const struct output *output, struct verify_record *result, struct pmpp_error *error)
{
	struct output_check check = {.problem = problem,
		.inputs = inputs,
		.reference = reference,
		.output = output,
		.gamma = config_bound(config, problem),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.total = {.first = -1}};
	int64_t total = output->rows * output->columns;
	double want = NAN;
	enum pmpp_status status = PMPP_OK;

	parallel_for((size_t)((total + SCAN_ELEMENTS - 1) / SCAN_ELEMENTS), scan_part, &check);
	parallel_for(reference->part_count, compare_part, &check);
	if (check.total.out_of_memory)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no host memory for the reference");
	if (check.total.first >= 0) {
		int64_t row = check.total.first / output->columns,
			column = check.total.first % output->columns;
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
	struct output_check check = {.output = output, .total = {.first = -1}};
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
	check.total.first = row * output->columns + column;
	check.total.mismatches = 1; /* at least: the check stops at the first */
	check.total.max_ratio = INFINITY;
	add_to_result(result, &check, reference_element(variant, problem, inputs, row, column));
	return PMPP_OK;
}

/* ---- Bits ---------------------------------------------------------------------------------- */

/* Returns true if all bits are equal. The two outputs have the same shape. */
static bool check_output_bits(
	const struct output *first, const struct output *second, struct verify_record *result)
{
	struct output_check check = {.output = second, .total = {.first = -1}};
	size_t bytes = dtype_info(first->dtype)->bytes;
	int64_t total = first->rows * first->columns;
	const char *a = first->values;
	const char *b = second->values;

	if (memcmp(b, a, (size_t)total * bytes) == 0)
		return true;
	for (int64_t i = total - 1; i >= 0; i--)
		if (memcmp(b + i * (int64_t)bytes, a + i * (int64_t)bytes, bytes) != 0) {
			check.total.first = i;
			check.total.mismatches++;
		}
	add_to_result(result, &check, dtype_load(first->dtype, first->values, check.total.first));
	return false;
}

/*
 * Every pass starts with a poisoned output and ends with the same checks: every element is finite
 * and within its bound, the guards are unchanged, the inputs are unchanged.
 */

#define ORDER_SEED 1

/* ---- Passes -------------------------------------------------------------------------------- */

struct pass {
	enum input_source source; /* INPUT_RANDOM: that of the problem */
	enum data_case data_case;
	bool traced;
	bool reversed; /* run the last blocks and threads first */
	bool carried;  /* the program's variables keep what an earlier run left */
	enum poison poison;
};

#define MAX_PASSES (6 + CASE_COUNT)

/* After the other passes, if they have changed the program's variables. A program launches its kernels more
 * than once, and does not set them between two launches. */
static const struct pass carried_pass = {.carried = true, .poison = POISON_BELOW};

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
	const struct operand *output = problem_output(problem);

	if (problem->dtype != DTYPE_F32 || problem->rounding != ROUND_NONE)
		return WEAK_BOUND;
	return operand_rows(output, problem) * operand_columns(output, problem) < MANY_ELEMENTS
		       ? WEAK_FOR_INPUTS
		       : MANY_WEAK_FOR_INPUTS;
}

static bool is_weak(const struct config *config, const struct problem *problem)
{
	const struct variant *variant = config->variant;
	double terms = (double)problem_chain(problem);
	double own_chain = variant->chain ? (double)variant->chain(config, problem) : terms;
	double hu = fmax(terms * F32_UNIT_ROUNDOFF, own_chain * variant->unit_roundoff);

	return !problem->family->internal && sqrt(terms) * hu > weak_bound(problem);
}

/* true: random data check only a small part of the output, or nothing. */
static bool depends_on_integers(const struct config *config, const struct problem *problem)
{
	return reference_is_sampled(problem) || config_bound(config, problem) >= BLIND_BOUND;
}

/* true: the verification has a pass with small integers as inputs. */
static bool verify_checks_integers(const struct config *config, const struct problem *problem)
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
	const struct operand *output = problem_output(problem);
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
	if (gpu_is_emulator(device))
		ret_passes[count++] = (struct pass){.reversed = true, .poison = POISON_BELOW};
	if (traced && gpu_is_emulator(device) &&
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

	if (status == PMPP_OK && poison != POISON_KEEP)
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

enum pmpp_status verify_bind(struct programs *programs, const struct operands *operands,
	const struct outcome *outcome, bool traced, enum gpu_fill fill, struct bound_run *ret_run,
	struct pmpp_error *error)
{
	const struct program_request request = {.config = &outcome->config,
		.problem = &outcome->problem,
		.math = outcome->math,
		.traced = traced,
		.fill = fill};

	return launch_build(programs, &request, &outcome->plan, operands->buffers, ret_run, error);
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

/* Runs the pass again with another poison. */
static enum pmpp_status repeat_output(struct verifier *verifier, const struct pass *pass,
	const struct bound_run *run, const struct problem *problem, enum poison poison,
	void *values, struct pmpp_error *error)
{
	if (!pass->carried)
		launch_reset(run);
	return verify_output(verifier->operands, run, problem, poison, values, error);
}

/* Counts the unwritten elements after a pass with a wrong output. A kernel may write the value of
 * one poison, so the run is repeated with another poison. */
static enum pmpp_status find_unwritten(struct verifier *verifier, const struct pass *pass,
	const struct bound_run *run, const struct problem *problem, const void *values,
	struct verify_record *result, struct pmpp_error *error)
{
	enum poison other = (enum poison)((pass->poison + 1) % POISON_COUNT);
	struct operands *operands = verifier->operands;
	void *again[3] = {
		malloc(verifier->bytes), malloc(verifier->bytes), malloc(verifier->bytes)};
	enum pmpp_status status = PMPP_OK;

	if (again[0] && again[1] && again[2]) {
		status = repeat_output(verifier, pass, run, problem, other, again[0], error);
		if (status == PMPP_OK)
			status = read_poison(operands, pass->poison, again[1], error);
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

/* Initialises the record as passed. Each pass adds its findings. */
static void begin(struct verify_record *result)
{
	result->record.present = result->canary_ok = result->inputs_intact = true;
	result->max_ratio = 0;
	result->max_ulps = NAN;
	result->nan = result->mismatches = 0;
	result->first.record.present = false;
}

static bool pass_is_exact(const struct pass *pass, const struct problem *problem)
{
	return pass->source == INPUT_INTEGER && problem->family->exact_check;
}

#define READS_OUTPUT                                                                         \
	"reads its output before writing it: the result is right if the output is 0 before " \
	"the run"

/* Whether an element has the same wrong value in two runs with one poison, and another value, which is not 0,
 * if the output begins with zeros. An element that is not written keeps the 0. */
static bool follows_output(
	const struct verifier *verifier, const char *values, const char *repeated, const char *zero)
{
	size_t bytes = dtype_info(verifier->dtype)->bytes;

	for (size_t at = 0; at < verifier->bytes; at += bytes)
		if (memcmp(values + at, repeated + at, bytes) == 0 &&
			memcmp(values + at, zero + at, bytes) != 0 &&
			dtype_load(verifier->dtype, zero, (int64_t)(at / bytes)) != 0)
			return true;
	return false;
}

/* Finds whether the pass is wrong because the kernel reads its output. Long runs are not repeated. */
static enum pmpp_status find_read_output(struct verifier *verifier, const struct pass *pass,
	const struct bound_run *run, const struct problem *problem, const void *values,
	struct outcome *outcome, struct pmpp_error *error)
{
	const struct verify_record saved = outcome->row.verify;
	void *repeated = malloc(verifier->bytes), *zero = malloc(verifier->bytes);
	enum pmpp_status status = PMPP_OK;

	if (repeated && zero && config_work(&outcome->config, problem) <= TWO_POISONS_WORK) {
		status = repeat_output(verifier, pass, run, problem, pass->poison, repeated, error);
		if (status == PMPP_OK)
			status = repeat_output(
				verifier, pass, run, problem, POISON_ZERO, zero, error);
		if (status == PMPP_OK && follows_output(verifier, values, repeated, zero)) {
			begin(&outcome->row.verify);
			status = compare(verifier, problem, pass_is_exact(pass, problem), zero,
				outcome, error);
			if (status == PMPP_OK && verify_record_passed(&outcome->row.verify))
				outcome->suspicion = READS_OUTPUT;
			outcome->row.verify = saved;
		}
	}
	free(repeated);
	free(zero);
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
	else if (pass->carried)
		text_set(&outcome->row.reason,
			"the second run, with the variables of the file as the first run left them: ");
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
		status = verify_bind(verifier->programs, operands, outcome, true, GPU_FILL_PATTERN,
			&traced, error);
		run = &traced;
	}
	if (status == PMPP_OK && !pass->carried)
		launch_reset(run);
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
		status = compare(
			verifier, &problem, pass_is_exact(pass, &problem), values, outcome, error);
	if (passed && !verify_record_passed(result))
		name_data(pass, outcome);
	if (status == PMPP_OK && passed && result->mismatches > 0)
		status = find_unwritten(verifier, pass, run, &problem, values, result, error);
	if (status == PMPP_OK && passed && result->mismatches > 0)
		status = find_read_output(verifier, pass, run, &problem, values, outcome, error);
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
	const struct problem *problem = &outcome->problem;
	enum dtype dtype = operand_dtype(problem_output(problem), problem);
	int digits = dtype_info(dtype)->is_float ? FLT_DECIMAL_DIG : DBL_DIG;
	char text[400];

	snprintf(text, sizeof text, "%.100s", text_or_empty(outcome->row.reason));
	if (result->mismatches && result->first.record.present)
		text_append(text, sizeof text,
			"%lld wrong (%lld unwritten or not finite), the first %s[%lld,%lld] = %.*g, "
			"not %.*g",
			(long long)result->mismatches, (long long)result->nan,
			problem_output(problem)->name, (long long)result->first.row,
			(long long)result->first.column, digits, result->first.got, digits,
			result->first.want);
	if (!result->canary_ok)
		text_append(text, sizeof text, "%swrites outside its operands",
			result->mismatches ? "; " : "");
	if (!result->inputs_intact)
		text_append(text, sizeof text, "%schanges its inputs",
			result->mismatches || !result->canary_ok ? "; " : "");
	outcome->row.status = OUTCOME_FAILED;
	text_set(&outcome->row.reason, text);
}

static enum pmpp_status prepare_output(
	struct verifier *verifier, const struct problem *problem, struct pmpp_error *error)
{
	const struct operand *operand = problem_output(problem);
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

static bool has_changed(const struct bound_run *run)
{
	struct gpu_variables variables = launch_variables(run);

	return variables.bytes && memcmp(variables.now, variables.initial, variables.bytes) != 0;
}

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
	if (status == PMPP_OK && verify_record_passed(result) && has_changed(run))
		status = run_pass(verifier, &carried_pass, false, run, outcome, error);
	take_note(verifier->operands->device, outcome);
	if (status == PMPP_OK)
		status = operands_upload(verifier->operands, problem, error);
	if (status != PMPP_OK && verify_record_passed(result)) {
		record_finish(&verify_type, result);
		result->record.present = false;
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
		status = find_unwritten(verifier,
			&(const struct pass){.poison = TIMED_POISON, .carried = true}, run, problem,
			verifier->again, result, error);
	if (result->mismatches > 0)
		operands_forget(verifier->operands); /* that run may have changed its inputs */
	if (!verify_record_passed(result)) {
		if (!outcome->row.reason)
			text_set(&outcome->row.reason, "after timing: ");
		explain_failure(outcome);
	}
	return status;
}

/* true: verify_other_data() checks this problem. */
static bool verify_has_other_data(const struct problem *problem)
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
	status = verify_output(
		verifier->operands, run, &problem, POISON_KEEP, verifier->again, error);
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

double verify_needed_bytes(const struct config *config, const struct problem *problem)
{
	const struct family *family = problem->family;
	bool others = verify_checks_integers(config, problem) || verify_has_other_data(problem);
	bool made = problem->source != INPUT_USER || problem->rounding != ROUND_NONE;
	double bytes = 0;

	for (size_t i = 0; i < family->operand_count; i++) {
		double operand = (double)operand_bytes(&family->operands[i], problem);
		if (family->operands[i].role == OPERAND_OUT)
			bytes += 2 * operand;
		else
			bytes += operand * (made + others);
	}
	return bytes + (1 + others) * reference_bytes(problem) +
	       (double)operands_staging_bytes(config, problem);
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
