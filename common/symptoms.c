#include "common/symptoms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/mistake.h"
#include "common/words.h"

#define MAX_ELEMENTS ((int64_t)1 << 18)
#define MAX_WORK 0x1p24

enum state {
	RIGHT,
	RIGHT_OR_UNWRITTEN, /* the right value is equal to the value before the run */
	WRONG,
	UNWRITTEN
};

struct look {
	const struct symptoms_input *input;
	const struct problem *problem;
	const struct operand *output;
	enum dtype dtype;
	int64_t rows, columns, total;
	int64_t right, wrong, unwritten, not_finite; /* numbers of elements; right: RIGHT */
	struct expected *want;
	unsigned char *state;   /* enum state of each element */
	struct expected *other; /* answer to changed inputs */
};

static double got(const struct look *look, int64_t element)
{
	return dtype_load(look->dtype, look->input->values, element);
}

static bool near(const struct look *look, int64_t element, const struct expected *expected)
{
	return bound_ratio(look->dtype, got(look, element), expected, look->input->gamma) <= 1;
}

static unsigned sign_if(bool condition, enum mistake_sign sign)
{
	return condition ? 1u << sign : 0;
}

/* ---- Places ----------------------------------------------------------------------------------- */

static void set_states(struct look *look)
{
	size_t bytes = dtype_info(look->dtype)->bytes;

	for (int64_t i = 0; i < look->total; i++) {
		const char *at = (const char *)look->input->values + (size_t)i * bytes;
		bool kept = true;
		for (size_t b = 0; b < bytes; b++)
			kept = kept &&
			       (unsigned char)at[b] == (look->input->poison >> 8 * (b % 4) & 0xff);
		if (near(look, i, &look->want[i])) {
			look->state[i] = kept ? RIGHT_OR_UNWRITTEN : RIGHT;
			look->right += !kept;
			continue;
		}
		look->state[i] = kept ? UNWRITTEN : WRONG;
		look->wrong++;
		look->unwritten += kept;
		look->not_finite += !kept && !isfinite(got(look, i));
	}
}

/* The first of the last lines in which no element is RIGHT. step: distance of two lines. across: of two elements. */
static int64_t first_of_tail(
	const struct look *look, int64_t lines, int64_t step, int64_t length, int64_t across)
{
	for (int64_t line = lines; line > 0; line--)
		for (int64_t e = 0; e < length; e++)
			if (look->state[(line - 1) * step + e * across] == RIGHT)
				return line;
	return 0;
}

static void find_tail(const struct look *look, struct symptoms *symptoms)
{
	int64_t row = first_of_tail(look, look->rows, look->columns, look->columns, 1);
	int64_t column = first_of_tail(look, look->columns, 1, look->rows, look->columns);
	int64_t outside = 0;

	for (int64_t i = 0; i < look->total; i++)
		outside += look->state[i] >= WRONG && i / look->columns < row &&
			   i % look->columns < column;
	if (outside || look->wrong == look->total || look->right == 0)
		return;
	symptoms->from_row = row < look->rows ? row : -1;
	symptoms->from_column = column < look->columns ? column : -1;
}

/* Half of the window of a sliding sum; -1: there is none. */
static int64_t arm_of(const struct look *look)
{
	const struct family *family = look->problem->family;
	const int window = family_window_dim(family);

	if (window < 0)
		return -1;
	if (!family->own)
		return look->problem->dim[window] / 2;
	for (size_t k = 0; k + 1 < family->operand_count; k++) {
		const char *rows = family->operands[k].shape[0];
		if (rows && has_word(rows, rows + strlen(rows), family->dim_names[window]))
			return (operand_rows(&family->operands[k], look->problem) - 1) / 2;
	}
	return look->problem->dim[window];
}

static bool is_at_end(int64_t at, int64_t arm, int64_t length)
{
	return at < arm || at >= length - arm;
}

/* Whether all wrong elements are near the ends of the output, or near the edges of its blocks. */
static unsigned find_edges(const struct look *look)
{
	const int64_t arm = arm_of(look), *block = look->input->block;
	const bool vector = look->columns == 1;
	const int64_t extents[] = {vector ? look->rows : look->columns, look->rows};
	bool ends = arm > 0, edges = arm > 0, blocks = false;

	for (int d = 0; d < (vector ? 1 : 2); d++) {
		ends = ends && 2 * arm < extents[d];
		edges = edges && 2 * arm < block[d];
		blocks = blocks || block[d] < extents[d];
	}
	edges = edges && blocks;
	for (int64_t i = 0; i < look->total && (ends || edges); i++) {
		const int64_t x = i % extents[0], y = i / extents[0];
		if (look->state[i] < WRONG)
			continue;
		ends = ends && (is_at_end(x, arm, extents[0]) ||
				       (!vector && is_at_end(y, arm, extents[1])));
		edges = edges && (is_at_end(x % block[0], arm, block[0]) ||
					 (!vector && is_at_end(y % block[1], arm, block[1])));
	}
	return sign_if(ends, MISTAKE_ENDS_SIGN) | sign_if(edges, MISTAKE_EDGES_SIGN);
}

/* ---- Values ----------------------------------------------------------------------------------- */

static bool is_one_value(const struct look *look)
{
	double value = NAN;

	for (int64_t i = 0; i < look->total; i++) {
		if (look->state[i] < WRONG)
			continue;
		if (isnan(value))
			value = got(look, i);
		if (!(got(look, i) == value))
			return false;
	}
	return look->wrong > 1 || look->total == 1;
}

static bool is_factor(const struct look *look)
{
	double factor = NAN;

	if (look->wrong < 2 || look->wrong < look->total)
		return false;
	for (int64_t i = 0; i < look->total; i++) {
		double quotient = got(look, i) / look->want[i].value;
		if (isnan(factor))
			factor = quotient;
		if (!isfinite(quotient) || factor == 0 ||
			fabs(quotient - factor) > 1e-4 * fabs(factor))
			return false;
	}
	return true;
}

static bool is_transposed(const struct look *look)
{
	bool same = look->rows == look->columns && look->rows > 1;

	for (int64_t i = 0; i < look->total && same; i++)
		same = near(look, i,
			&look->want[i % look->columns * look->columns + i / look->columns]);
	return same;
}

/* The tiles of the output are right, but each is in the place of the tile of the input; or each is in its place, but not
 * transposed. */
static bool is_tiles_copied(const struct look *look, bool in_place)
{
	int64_t tile = look->input->block[0], compared = 0;

	for (int64_t i = 0; i < look->total; i++) {
		int64_t r = i / look->columns, c = i % look->columns;
		int64_t row = (in_place ? r : c) / tile * tile + (in_place ? c : r) % tile;
		int64_t column = (in_place ? c : r) / tile * tile + (in_place ? r : c) % tile;
		if (look->state[i] != WRONG || row >= look->rows || column >= look->columns)
			continue;
		compared++;
		if (!near(look, i, &look->want[row * look->columns + column]))
			return false;
	}
	return compared > 0;
}

static bool is_copied(const struct look *look)
{
	const struct operand *first = &look->problem->family->operands[0];
	int64_t count = operand_rows(first, look->problem) * operand_columns(first, look->problem);

	return count == look->total && count > 1 && look->columns > 1 &&
	       operand_dtype(first, look->problem) == look->dtype &&
	       memcmp(look->input->values, look->input->inputs[0],
		       (size_t)count * dtype_info(look->dtype)->bytes) == 0;
}

/* ---- Answers to other inputs --------------------------------------------------------------------- */

static bool all_near(const struct look *look)
{
	for (int64_t i = 0; i < look->total; i++)
		if (!near(look, i, &look->other[i]))
			return false;
	return true;
}

static void answer(
	const struct look *look, const struct problem *problem, const void *const *inputs)
{
	struct region whole = {
		0, operand_rows(look->output, problem), 0, operand_columns(look->output, problem)};

	problem->family->reference(problem, inputs, whole, look->other);
}

/* Whether the output is right if an input is transposed. */
static bool is_input_transposed(const struct look *look, bool *ret_memory)
{
	const struct problem *problem = look->problem;
	const void *inputs[PMPP_MAX_OPERANDS] = {0};
	bool found = false;

	memcpy(inputs, look->input->inputs, problem->family->operand_count * sizeof *inputs);
	for (size_t k = 0; k + 1 < problem->family->operand_count && !found; k++) {
		const struct operand *operand = &problem->family->operands[k];
		int64_t rows = operand_rows(operand, problem);
		size_t bytes = dtype_info(operand_dtype(operand, problem))->bytes;
		if (rows != operand_columns(operand, problem) || rows < 2)
			continue;
		char *copy = malloc((size_t)(rows * rows) * bytes);
		const char *from = inputs[k];
		if (!copy) {
			*ret_memory = false;
			return false;
		}
		for (int64_t i = 0; i < rows * rows; i++)
			memcpy(copy + (size_t)i * bytes,
				from + (size_t)(i % rows * rows + i / rows) * bytes, bytes);
		inputs[k] = copy;
		answer(look, problem, inputs);
		found = all_near(look);
		inputs[k] = from;
		free(copy);
	}
	return found;
}

static bool keep_but_last(int64_t term, int64_t n, int64_t tile)
{
	(void)tile;
	return term < n - 1;
}

static bool keep_but_first(int64_t term, int64_t n, int64_t tile)
{
	(void)n, (void)tile;
	return term > 0;
}

static bool keep_half(int64_t term, int64_t n, int64_t tile)
{
	(void)tile;
	return term < n / 2;
}

static bool keep_whole_tiles(int64_t term, int64_t n, int64_t tile)
{
	return term < n / tile * tile;
}

static bool keep_before_tile(int64_t term, int64_t n, int64_t tile)
{
	return term + tile <= n;
}

static bool keep_in_tile(int64_t term, int64_t n, int64_t tile)
{
	(void)n;
	return term % tile != tile - 1;
}

static bool keep_even(int64_t term, int64_t n, int64_t tile)
{
	(void)n, (void)tile;
	return term % 2 == 0;
}

static bool keep_without_stride(int64_t term, int64_t n, int64_t stride)
{
	(void)n;
	return (term & stride) == 0;
}

static bool keep_last(int64_t term, int64_t n, int64_t tile)
{
	(void)tile;
	return term == n - 1;
}

/* Which of n terms are in the answer. */
static const struct term_rule {
	enum mistake_sign sign;
	bool (*keeps)(int64_t term, int64_t n, int64_t tile);
} term_rules[] = {
	{MISTAKE_LAST_TERM_SIGN, keep_but_last},
	{MISTAKE_FIRST_TERM_SIGN, keep_but_first},
	{MISTAKE_HALF_TERMS_SIGN, keep_half},
	{MISTAKE_TAIL_TERMS_SIGN, keep_whole_tiles},
	{MISTAKE_TAIL_TERMS_SIGN, keep_before_tile},
	{MISTAKE_TILE_TERM_SIGN, keep_in_tile},
	{MISTAKE_ODD_TERMS_SIGN, keep_even},
	{MISTAKE_ONE_TERM_SIGN, keep_last},
};

/* Copies the kept terms of an operand. */
static void *kept_of(const struct look *look, const struct operand *operand, const void *from,
	int dim, const bool *keep)
{
	int64_t rows = operand_rows(operand, look->problem);
	int64_t columns = operand_columns(operand, look->problem);
	size_t bytes = dtype_info(operand_dtype(operand, look->problem))->bytes;
	char *copy = malloc((size_t)(rows * columns) * bytes), *to = copy;

	for (int64_t i = 0; i < rows * columns && copy; i++) {
		if ((operand->rows_dim == dim && !keep[i / columns]) ||
			(operand->columns_dim == dim && !keep[i % columns]))
			continue;
		memcpy(to, (const char *)from + (size_t)i * bytes, bytes);
		to += bytes;
	}
	return copy;
}

/* Whether the wrong elements are right for the kept terms. Elements of the output that are left out or not finite
 * are not compared: a sum that lacks its largest term may be 0, and its quotient not finite. */
static bool is_right_for(const struct look *look, int dim, const bool *keep)
{
	int64_t compared = 0, next = 0;

	for (int64_t i = 0; i < look->total; i++) {
		if ((look->output->rows_dim == dim && !keep[i / look->columns]) ||
			(look->output->columns_dim == dim && !keep[i % look->columns]))
			continue;
		const struct expected *other = &look->other[next++];
		if (!isfinite(got(look, i)))
			continue;
		if (!near(look, i, other))
			return false;
		compared += look->state[i] >= WRONG;
	}
	return compared > 0;
}

static bool all_zero(const struct look *look)
{
	for (int64_t i = 0; i < look->total; i++)
		if (got(look, i) != 0)
			return false;
	return true;
}

static bool has_dim(const struct operand *operand, int dim)
{
	return operand->rows_dim == dim || operand->columns_dim == dim;
}

static bool fits_terms(
	const struct look *look, int dim, const bool *keep, int64_t kept, bool *ret_memory)
{
	struct problem problem = *look->problem;
	const void *inputs[PMPP_MAX_OPERANDS] = {0};
	void *copies[PMPP_MAX_OPERANDS] = {0};
	size_t count = problem.family->operand_count;

	memcpy(inputs, look->input->inputs, count * sizeof *inputs);
	for (size_t k = 0; k + 1 < count; k++) {
		const struct operand *operand = &problem.family->operands[k];
		if (!has_dim(operand, dim))
			continue;
		inputs[k] = copies[k] = kept_of(look, operand, inputs[k], dim, keep);
		*ret_memory = *ret_memory && copies[k];
	}
	problem.dim[dim] = kept;
	if (*ret_memory)
		answer(look, &problem, inputs);
	for (size_t k = 0; k < count; k++)
		free(copies[k]);
	return *ret_memory && is_right_for(look, dim, keep);
}

/* Whether the output can be the result of no terms. A sum is then 0. The result of another operation is not known, so
 * any output fits. If the output has the dimension, it has no element without the terms, and no output fits. */
static bool fits_nothing(const struct look *look, int dim)
{
	const char *op = look->problem->family->ops[look->problem->op];

	return !has_dim(look->output, dim) && ((op && strcmp(op, "sum") != 0) || all_zero(look));
}

/* Whether the extents are sizes. Others may grow when a size becomes smaller: output[n - k + 1]. */
static bool is_plain(const struct operand *operand)
{
	return operand->rows_scale <= 1 && operand->columns_scale <= 1 && operand->rows_plus == 0 &&
	       !operand->shape[0] && !operand->shape[1];
}

/* The sign of a rule if the output is right without the terms of a dimension that the rule leaves out. */
static unsigned missing_term(const struct look *look, int dim, const struct term_rule *rule,
	int64_t tile, bool *ret_memory)
{
	int64_t n = look->problem->dim[dim], kept = 0;
	bool *keep = malloc((size_t)n * sizeof *keep), fits = false;

	*ret_memory = *ret_memory && keep;
	for (int64_t i = 0; i < n && keep; i++)
		kept += keep[i] = rule->keeps(i, n, tile);
	if (keep && kept < n)
		fits = kept ? fits_terms(look, dim, keep, kept, ret_memory)
			    : fits_nothing(look, dim);
	free(keep);
	return sign_if(fits, rule->sign);
}

/* The signs of missing terms of a dimension. */
static unsigned missing_terms(const struct look *look, int dim, int64_t tile, bool *ret_memory)
{
	static const struct term_rule step = {MISTAKE_STRIDE_TERMS_SIGN, keep_without_stride};
	unsigned signs = 0;

	for (size_t k = 0; k < sizeof term_rules / sizeof *term_rules; k++)
		signs |= missing_term(look, dim, &term_rules[k], tile, ret_memory);
	for (int64_t stride = 2; stride < tile; stride *= 2)
		signs |= missing_term(look, dim, &step, stride, ret_memory);
	return signs;
}

static unsigned find_terms(const struct look *look, bool *ret_memory)
{
	const struct family *family = look->problem->family;
	unsigned signs = 0;

	for (int dim = 0; dim < (int)family->dim_count; dim++) {
		bool used = false, plain = true;
		for (size_t k = 0; k + 1 < family->operand_count; k++) {
			used = used || has_dim(&family->operands[k], dim);
			plain = plain && is_plain(&family->operands[k]);
		}
		plain = plain && is_plain(look->output);
		if (!used || !plain)
			continue;
		signs |= missing_terms(look, dim, look->input->block[0], ret_memory);
		/* A loop with the stride of the grid. */
		for (size_t k = 0; k < sizeof term_rules / sizeof *term_rules; k++)
			if (term_rules[k].sign == MISTAKE_TAIL_TERMS_SIGN &&
				look->input->threads > look->input->block[0])
				signs |= missing_term(look, dim, &term_rules[k],
					look->input->threads, ret_memory);
	}
	return signs;
}

/* Whether each element of a sliding sum is off by the input at this distance. times: 1 = it is added, -1 = missing. */
static bool differs_by(const struct look *look, int64_t distance, double times)
{
	enum dtype dtype = operand_dtype(&look->problem->family->operands[0], look->problem);

	for (int64_t i = 0; i < look->rows; i++) {
		struct expected expected = look->want[i];
		int64_t at = i + distance;
		if (at >= 0 && at < look->rows)
			expected.value += times * dtype_load(dtype, look->input->inputs[0], at);
		expected.terms *= 2;
		expected.slack += 1e-6 * expected.terms;
		if (!near(look, i, &expected))
			return false;
	}
	return true;
}

static bool is_last_of_window(const struct look *look, int64_t arm)
{
	enum dtype dtype = operand_dtype(&look->problem->family->operands[0], look->problem);

	for (int64_t i = 0; i < look->rows; i++) {
		int64_t at = i + arm < look->rows ? i + arm : look->rows - 1;
		if (got(look, i) != dtype_load(dtype, look->input->inputs[0], at))
			return false;
	}
	return true;
}

static unsigned find_window_terms(const struct look *look)
{
	int64_t arm = arm_of(look);

	if (arm < 0 || look->problem->family->own || look->columns != 1)
		return 0;
	return sign_if(differs_by(look, arm, -1), MISTAKE_LAST_TERM_SIGN) |
	       sign_if(differs_by(look, -arm, -1), MISTAKE_FIRST_TERM_SIGN) |
	       sign_if(differs_by(look, arm + 1, 1) || differs_by(look, -arm - 1, 1),
		       MISTAKE_EXTRA_TERM_SIGN) |
	       sign_if(is_last_of_window(look, arm), MISTAKE_ONE_TERM_SIGN);
}

/* ---- All ------------------------------------------------------------------------------------------ */

static unsigned find_signs(const struct look *look, bool *ret_memory)
{
	/* The value before the run may be the right one of some elements. */
	const bool none = look->right == 0 && look->unwritten == look->wrong;
	unsigned signs = sign_if(look->wrong == look->total || none, MISTAKE_ALL_SIGN) |
			 sign_if(look->unwritten == look->wrong, MISTAKE_UNWRITTEN_SIGN) |
			 sign_if(look->not_finite == look->wrong, MISTAKE_NOT_FINITE_SIGN) |
			 sign_if(look->unwritten > 0, MISTAKE_SOME_UNWRITTEN_SIGN) |
			 find_edges(look);

	if (look->unwritten == look->wrong)
		return signs;
	signs |= sign_if(is_one_value(look), MISTAKE_ONE_VALUE_SIGN) |
		 sign_if(is_factor(look), MISTAKE_FACTOR_SIGN) |
		 sign_if(is_transposed(look), MISTAKE_TRANSPOSED_SIGN) |
		 sign_if(is_copied(look), MISTAKE_COPIED_SIGN) |
		 sign_if(is_tiles_copied(look, false) || is_tiles_copied(look, true),
			 MISTAKE_TILES_COPIED_SIGN);
	signs |= sign_if(is_input_transposed(look, ret_memory), MISTAKE_INPUT_TRANSPOSED_SIGN);
	return signs | find_terms(look, ret_memory) | find_window_terms(look);
}

bool symptoms_find(const struct symptoms_input *input, struct symptoms *ret_symptoms)
{
	const struct problem *problem = input->problem;
	struct look look = {.input = input, .problem = problem, .output = problem_output(problem)};
	bool memory;

	*ret_symptoms = (struct symptoms){.from_row = -1, .from_column = -1};
	look.dtype = operand_dtype(look.output, problem);
	look.rows = operand_rows(look.output, problem);
	look.columns = operand_columns(look.output, problem);
	look.total = look.rows * look.columns;
	if (look.total > MAX_ELEMENTS || problem_work(problem) > MAX_WORK)
		return true;
	look.want = calloc((size_t)look.total, sizeof *look.want);
	look.other = calloc((size_t)look.total, sizeof *look.other);
	look.state = calloc((size_t)look.total, 1);
	memory = look.want && look.other && look.state;
	if (memory) {
		problem->family->reference(problem, input->inputs,
			(struct region){0, look.rows, 0, look.columns}, look.want);
		set_states(&look);
	}
	if (memory && look.wrong > 0) {
		find_tail(&look, ret_symptoms);
		ret_symptoms->signs = find_signs(&look, &memory);
	}
	free(look.want);
	free(look.other);
	free(look.state);
	return memory;
}
