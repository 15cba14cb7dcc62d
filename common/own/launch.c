/* Block, grid and dynamic shared memory of a kernel: from options, comments, the launch in host code, or guesses. */
#include "common/own/reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/expression.h"
#include "common/integers.h"
#include "common/words.h"

#define DEFAULT_THREADS 256
#define DEFAULT_SIDE 16 /* of a two-dimensional block */
#define MAX_GUESSED_THREADS 1024
#define MAX_THREADS \
	(1 << 20) /* of a dimension. The limit of a device is checked before the launch */

/* ---- Names in expressions ----------------------------------------------------------------------- */

#define MAX_STEPS 1000 /* lookups of one expression */
#define MAX_LOOKUPS 16 /* of variables that have variables as values */

struct lookup {
	const struct own_kernel *kernel;
	const int64_t *dim; /* the sizes; NULL: they have no value yet */
	int depth;
	bool exact;
	int *steps; /* lookups that are left: a macro may have the next one many times */
};

static bool evaluate(const struct lookup *lookup, struct span text, struct number *ret_number,
	char ret_problem[EXPRESSION_PROBLEM_BYTES]);

/* The size that a name stands for: a name of the family, of a parameter, or of an argument of the launch. */
static bool find_size(const struct own_kernel *kernel, const char *name, size_t *ret_dim)
{
	const struct family *family = kernel->family;

	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_SIZE &&
			(strcmp(kernel->params[i].name, name) == 0 ||
				strcmp(kernel->arguments[i], name) == 0)) {
			*ret_dim = kernel->params[i].index;
			return true;
		}
	for (size_t d = 0; d < family->dim_count; d++)
		if (strcmp(family->dim_names[d], name) == 0) {
			*ret_dim = d;
			return true;
		}
	return false;
}

static struct span all_code(const struct own_kernel *kernel)
{
	return span_of(kernel->code);
}

/* Finds the value of a variable: NAME = VALUE; */
static bool find_variable(struct span code, const char *name, struct span *ret_value)
{
	const char *end = code.end;
	size_t length;

	for (const char *at = next_word(code.begin, end, &length); length > 0;
		at = next_word(at + length, end, &length)) {
		const char *after = at + length + strspn(at + length, " \t\r\n");
		if (!same_word(at, length, name) || after[0] != '=' || after[1] == '=')
			continue;
		struct span rest = {after + 1, after + 1 + strcspn(after + 1, ";")};
		if (span_take_part(&rest, ret_value))
			return true;
	}
	return false;
}

/* Finds the values of a variable of the type dim3: NAME(x, y), NAME = dim3(x, y), NAME{x, y}. */
static bool find_dim3(const char *code, const char *name, struct span *ret_values)
{
	const char *end = code + strlen(code);
	size_t length, name_length;

	for (const char *at = next_word(code, end, &length); length > 0;
		at = next_word(at + length, end, &length)) {
		if (!same_word(at, length, "dim3"))
			continue;
		/* One declaration may have several variables. */
		const char *stop = at + strcspn(at, ";");
		for (const char *word = next_word(at + length, stop, &name_length); name_length > 0;
			word = next_word(word + name_length, stop, &name_length)) {
			const char *open = word + name_length + strcspn(word + name_length, "({;,");
			if (same_word(word, name_length, name) && *open && strchr("({", *open) &&
				closing_bracket(open)) {
				*ret_values = (struct span){open + 1, closing_bracket(open)};
				return true;
			}
		}
	}
	return false;
}

/* The value of `NAME.x` of a variable of the type dim3. A missing value is 1. */
static bool find_member(const struct lookup *lookup, const char *name, const char *member,
	struct number *ret_number)
{
	struct span values, part = {0};
	char problem[EXPRESSION_PROBLEM_BYTES];
	size_t index = *member ? (size_t)(*member - 'x') : 3;

	if (index > 2 || !find_dim3(lookup->kernel->code, name, &values))
		return false;
	*ret_number = (struct number){1, false};
	for (size_t i = 0; i <= index; i++)
		if (!span_take_part(&values, &part))
			return true;
	return evaluate(lookup, part, ret_number, problem);
}

static bool find_value(void *context, const char *name, size_t length, struct number *ret_number)
{
	struct lookup inner = *(const struct lookup *)context;
	const struct own_kernel *kernel = inner.kernel;
	char text[OWN_NAME_BYTES], problem[EXPRESSION_PROBLEM_BYTES];
	struct span value;
	size_t dim;

	if (length >= sizeof text || ++inner.depth > MAX_LOOKUPS || --*inner.steps < 0)
		return false;
	snprintf(text, sizeof text, "%.*s", (int)length, name);
	char *point = strchr(text, '.');
	if (point) {
		*point = '\0';
		return find_member(&inner, text, point + 1, ret_number);
	}
	if (find_size(kernel, text, &dim)) {
		if (inner.dim)
			*ret_number = (struct number){(double)inner.dim[dim], false};
		return inner.dim != NULL;
	}
	for (size_t i = 0; i < kernel->template_count; i++)
		if (strcmp(kernel->template_params[i].name, text) == 0) {
			const char *argument = kernel->template_params[i].value;
			value = span_of(argument);
			return evaluate(&inner, value, ret_number, problem);
		}
	return (own_find_macro(kernel, text, &value) ||
		       find_variable(all_code(kernel), text, &value)) &&
	       evaluate(&inner, value, ret_number, problem);
}

static bool evaluate(const struct lookup *lookup, struct span text, struct number *ret_number,
	char ret_problem[EXPRESSION_PROBLEM_BYTES])
{
	struct lookup copy = *lookup;
	const struct expression_names names = {find_value, &copy, lookup->exact};
	int steps = MAX_STEPS;

	copy.steps = lookup->steps ? lookup->steps : &steps;
	text = span_trim(text);
	return expression_value(
		text.begin, (size_t)(text.end - text.begin), &names, ret_number, ret_problem);
}

/* ---- The launch --------------------------------------------------------------------------------- */

/* Returns the place of <<< after the name of a kernel, and sets the arguments of its template, if it has any. NULL:
 * this is no launch. */
static const char *launch_after(const char *name_end, struct span *ret_instance)
{
	const char *open = name_end + strspn(name_end, " \t\r\n");

	if (*open == '<' && strncmp(open, "<<<", 3) != 0) {
		const char *close = open + strcspn(open, ">;");
		if (*close != '>')
			return NULL;
		*ret_instance = (struct span){open + 1, close};
		open = close + 1 + strspn(close + 1, " \t\r\n");
	}
	return strncmp(open, "<<<", 3) == 0 ? open : NULL;
}

void own_find_call(struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const char *end = kernel->code + strlen(kernel->code);
	size_t length;

	for (const char *at = next_word(kernel->code, end, &length);
		length > 0 && kernel->cuda && reader->call_count == 0;
		at = next_word(at + length, end, &length)) {
		const char *open = same_word(at, length, kernel->entry)
					   ? launch_after(at + length, &reader->instance)
					   : NULL;
		const char *close = open ? strstr(open, ">>>") : NULL;
		if (!close)
			continue;
		struct span rest = {open + 3, close};
		while (reader->call_count < 3 &&
			span_take_part(&rest, &reader->call[reader->call_count]))
			reader->call_count++;
		const char *brackets = close + 3 + strspn(close + 3, " \t\r\n");
		if (*brackets == '(' && closing_bracket(brackets))
			reader->call[3] = (struct span){brackets + 1, closing_bracket(brackets)};
	}
	struct span rest = reader->call[3], part;
	for (size_t i = 0; i < PMPP_MAX_ARGS && span_take_part(&rest, &part); i++)
		span_copy(part, kernel->arguments[i], sizeof kernel->arguments[i]);
}

/* Splits an argument of the launch into the texts of its dimensions. Returns false if it cannot be read. */
static bool split_argument(
	const struct own_kernel *kernel, struct span argument, struct span ret_parts[3])
{
	char name[OWN_NAME_BYTES];
	struct span values = argument;
	size_t length;
	const char *word = next_word(argument.begin, argument.end, &length);

	span_copy(argument, name, sizeof name);
	if (same_word(word, length, "dim3") &&
		closing_bracket(word + length + strcspn(word + length, "({")))
		values = (struct span){
			word + length + strcspn(word + length, "({") + 1, argument.end - 1};
	else if (!find_dim3(kernel->code, name, &values)) {
		ret_parts[0] = argument;
		return true;
	}
	for (size_t i = 0; i < 3 && span_take_part(&values, &ret_parts[i]); i++)
		;
	return ret_parts[0].begin != NULL;
}

/* Splits "16x16", "TILE x TILE" or "256, 4". An x between two numbers, or with spaces around it, separates. */
static void split_wish(char *text, struct span ret_parts[3])
{
	size_t count = 1;

	ret_parts[0] = span_of(text);
	for (char *at = text + 1, *last = text; *text && at[0] && at[1] && count < 3; at++) {
		bool separates =
			*at == 'x' &&
			((isspace((unsigned char)at[-1]) && isspace((unsigned char)at[1])) ||
				(isdigit((unsigned char)at[-1]) && isdigit((unsigned char)at[1])));
		if (*at == ',') {
			struct span rest = {last, at};
			separates = true;
			for (const char *c = rest.begin; c < rest.end; c++)
				if (*c == '(' && (!closing_bracket(c) || closing_bracket(c) > at))
					separates = false;
		}
		if (!separates)
			continue;
		ret_parts[count - 1].end = at;
		ret_parts[count++] = (struct span){at + 1, text + strlen(text)};
		last = at + 1;
	}
}

/* Sets the block from the texts of its dimensions. Returns false with the reason if there is no value. */
static bool set_block(struct own_kernel *kernel, const struct span parts[3], bool exact,
	char ret_problem[EXPRESSION_PROBLEM_BYTES])
{
	const struct lookup lookup = {.kernel = kernel, .exact = exact};
	uint32_t block[3] = {1, 1, 1};

	for (size_t i = 0; i < 3 && parts[i].begin; i++) {
		struct number number;
		if (!evaluate(&lookup, parts[i], &number, ret_problem))
			return false;
		if (!(number.value >= 1 && number.value <= MAX_THREADS)) {
			snprintf(ret_problem, EXPRESSION_PROBLEM_BYTES,
				"each dimension of a block has 1 to %d threads", MAX_THREADS);
			return false;
		}
		block[i] = (uint32_t)number.value;
	}
	memcpy(kernel->block, block, sizeof block);
	return true;
}

static void set_grid(struct own_kernel *kernel, const struct span parts[3], bool exact)
{
	for (size_t i = 0; i < 3; i++) {
		kernel->grid[i].exact = exact;
		if (parts[i].begin)
			span_copy(parts[i], kernel->grid[i].text, sizeof kernel->grid[i].text);
	}
}

/* The block that an attribute of the head requires: __launch_bounds__(N), reqd_work_group_size(x, y, z). */
static bool find_attribute(
	const struct own_reader *reader, const char *name, struct span ret_parts[3])
{
	const char *at = memmem(reader->head.begin, (size_t)(reader->head.end - reader->head.begin),
		name, strlen(name));
	const char *open = at ? at + strlen(name) + strspn(at + strlen(name), " \t\r\n") : NULL;

	if (!open || *open != '(' || !closing_bracket(open))
		return false;
	struct span values = {open + 1, closing_bracket(open)};
	for (size_t i = 0; i < 3 && span_take_part(&values, &ret_parts[i]); i++)
		;
	return true;
}

/* A macro with the usual name of a tile or block, for kernels whose launch is not in the file. */
static bool find_tile(
	const struct own_kernel *kernel, struct span *ret_value, const char **ret_name)
{
	static const char *const names[] = {"TILE_WIDTH", "TILE_SIZE", "TILE_DIM", "TILE",
		"BLOCK_SIZE", "BLOCK_DIM", "BLOCK_WIDTH", "BLOCKSIZE", "BLOCK", "BLOCK_THREADS",
		"THREADS"};

	for (size_t i = 0; i < COUNT(names); i++)
		if (own_find_macro(kernel, names[i], ret_value) ||
			find_variable(all_code(kernel), names[i], ret_value)) {
			*ret_name = names[i];
			return true;
		}
	return false;
}

/* The block if no option, comment, attribute or launch has it. */
static void guess_block(struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	char problem[EXPRESSION_PROBLEM_BYTES];
	struct span parts[3] = {{0}};

	reader->block_from = "the default";
	if (find_tile(kernel, &parts[0], &reader->block_from)) {
		if (kernel->two_dimensional && !own_find_macro(kernel, "BLOCK_ROWS", &parts[1]) &&
			!find_variable(all_code(kernel), "BLOCK_ROWS", &parts[1]))
			parts[1] = parts[0];
		if (set_block(kernel, parts, false, problem) &&
			kernel->block[0] * kernel->block[1] <= MAX_GUESSED_THREADS)
			return;
		reader->block_from = "the default";
	}
	kernel->block[0] = kernel->two_dimensional ? DEFAULT_SIDE : DEFAULT_THREADS;
	kernel->block[1] = kernel->two_dimensional ? DEFAULT_SIDE : 1;
	kernel->block[2] = 1;
}

static enum pmpp_status find_block(struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	char text[OWN_TEXT_BYTES], problem[EXPRESSION_PROBLEM_BYTES];
	struct span wish[3] = {{0}}, attribute[3] = {{0}}, call[3] = {{0}}, bounds[3] = {{0}};

	own_wish(reader, reader->wishes->block, "block", text);
	if (*text) {
		split_wish(text, wish);
		reader->block_from = "given";
		if (set_block(kernel, wish, true, problem))
			return PMPP_OK;
		return OWN_REFUSE(reader, "the block '%s': %s", text, problem);
	}
	reader->block_from = "from the attribute";
	if (find_attribute(reader, "reqd_work_group_size", attribute) &&
		set_block(kernel, attribute, false, problem))
		return PMPP_OK;
	reader->block_from = "from the launch";
	if (reader->call_count > 1 && split_argument(kernel, reader->call[1], call) &&
		set_block(kernel, call, false, problem))
		return PMPP_OK;
	reader->block_from = "__launch_bounds__";
	if (!kernel->two_dimensional && find_attribute(reader, "__launch_bounds__", bounds)) {
		bounds[1] = bounds[2] = (struct span){0};
		if (set_block(kernel, bounds, false, problem))
			return PMPP_OK;
	}
	guess_block(reader);
	return PMPP_OK;
}

/* Whether a value depends on an index, directly or through a variable of the kernel. */
static bool depends_on(
	const struct own_reader *reader, struct span value, enum index_kind kind, size_t axis)
{
	bool cuda = reader->kernel->cuda;
	size_t length;

	if (own_uses_index(value, kind, axis, cuda))
		return true;
	for (const char *at = next_word(value.begin, value.end, &length); length > 0;
		at = next_word(at + length, value.end, &length)) {
		char name[OWN_NAME_BYTES];
		struct span inner;
		span_copy((struct span){at, at + length}, name, sizeof name);
		if (find_variable(reader->body, name, &inner) &&
			own_uses_index(inner, kind, axis, cuda))
			return true;
	}
	return false;
}

/* The size that a word of the kernel names; -1: none. */
static int size_of_word(const struct own_kernel *kernel, const char *word, size_t length)
{
	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_SIZE &&
			same_word(word, length, kernel->params[i].name))
			return (int)kernel->params[i].index;
	return -1;
}

/* Finds the size, or the product of sizes, that bounds a variable: `NAME < size` or `NAME >= size`, alone on its
 * side. */
static struct own_extent bound_of(
	const struct own_reader *reader, const char *name, size_t name_length)
{
	const char *end = reader->body.end;
	size_t length;

	for (const char *at = next_word(reader->body.begin, end, &length); length > 0;
		at = next_word(at + length, end, &length)) {
		struct own_extent found = {0};
		const char *before = at - 1, *after = at + length + strspn(at + length, " \t\r\n");
		while (before > reader->body.begin && isspace((unsigned char)*before))
			before--;
		bool compares = (after[0] == '<' && after[1] != '<') ||
				(after[0] == '>' && after[1] == '=');
		if (length != name_length || memcmp(at, name, length) != 0 || !compares ||
			strchr("+-*/%.", *before))
			continue;
		after += 1 + (after[1] == '=');
		while (found.count < OWN_MAX_EXTENT) {
			after += strspn(after, " \t\r\n");
			const char *word = next_word(after, end, &length);
			int size = word == after ? size_of_word(reader->kernel, word, length) : -1;
			if (size < 0)
				break;
			found.dims[found.count++] = size;
			after = word + length + strspn(word + length, " \t\r\n");
			if (strchr(");&|", *after))
				return found;
			if (*after++ != '*')
				break;
		}
		length = name_length;
	}
	return (struct own_extent){0};
}

/* Finds how many threads, or blocks of one index, the kernel needs in a dimension: from the bound of a variable
 * with the index, such as `x < width` for `x = blockIdx.x * blockDim.x + threadIdx.x`. */
static void find_extent(const struct own_reader *reader, size_t axis)
{
	struct own_extent *extent = &reader->kernel->extent[axis];
	const char *end = reader->body.end;
	size_t length;

	for (const char *at = next_word(reader->body.begin, end, &length);
		length > 0 && extent->count == 0; at = next_word(at + length, end, &length)) {
		const char *after = at + length + strspn(at + length, " \t\r\n");
		struct span rest = {after + 1, after + strcspn(after, ";")}, value;
		if (after[0] != '=' || after[1] == '=' || !span_take_part(&rest, &value) ||
			!depends_on(reader, value, INDEX_BLOCK, axis) ||
			depends_on(reader, value, INDEX_BLOCK, 1 - axis))
			continue;
		*extent = bound_of(reader, at, length);
		extent->blocks = !depends_on(reader, value, INDEX_THREAD, axis) &&
				 !depends_on(reader, value, INDEX_THREAD, 1 - axis);
	}
}

/* The threads of a dimension, if the file has no grid: the size that bounds the index of the threads, else the
 * elements of the output, or those of the input if there are more. */
static int64_t default_threads(
	const struct own_kernel *kernel, const struct problem *problem, size_t axis)
{
	const struct operand *input = &kernel->family->operands[0];
	const struct operand *output = problem_output(problem);
	int64_t rows = operand_rows(output, problem), columns = operand_columns(output, problem);

	if (kernel->extent[axis].count > 0) {
		int64_t threads = kernel->extent[axis].blocks ? kernel->block[axis] : 1;
		for (size_t i = 0; i < kernel->extent[axis].count; i++)
			threads *= problem->dim[kernel->extent[axis].dims[i]];
		return threads;
	}
	if (kernel->two_dimensional)
		return axis == 0 ? columns : rows;
	return operand_rows(input, problem) > rows * columns ? operand_rows(input, problem)
							     : rows * columns;
}

/* The grid of a problem. Returns false with the reason if a text has no value. */
static bool grid_of(const struct own_kernel *kernel, const struct problem *problem,
	uint64_t ret_groups[3], char ret_problem[EXPRESSION_PROBLEM_BYTES])
{
	const struct lookup lookup = {.kernel = kernel, .dim = problem->dim};

	ret_groups[0] = ret_groups[1] = ret_groups[2] = 1;
	*ret_problem = '\0';
	for (size_t i = 0; !*kernel->grid[0].text && i < (kernel->two_dimensional ? 2 : 1); i++)
		ret_groups[i] =
			(uint64_t)ceil_div(default_threads(kernel, problem, i), kernel->block[i]);
	for (size_t i = 0; i < 3 && *kernel->grid[i].text; i++) {
		const char *text = kernel->grid[i].text;
		struct lookup copy = lookup;
		struct number number;
		copy.exact = kernel->grid[i].exact;
		if (!evaluate(&copy, span_of(text), &number, ret_problem))
			return false;
		ret_groups[i] = number.value >= 1 ? (uint64_t)number.value : 0;
	}
	return true;
}

static enum pmpp_status find_given_grid(struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const struct problem problem = own_sample_problem(kernel);
	char text[OWN_TEXT_BYTES], reason[EXPRESSION_PROBLEM_BYTES] = "";
	struct span wish[3] = {{0}}, call[3] = {{0}};
	uint64_t groups[3];

	own_wish(reader, reader->wishes->grid, "grid", text);
	reader->grid_from = "given";
	if (*text) {
		split_wish(text, wish);
		set_grid(kernel, wish, true);
		if (grid_of(kernel, &problem, groups, reason))
			return PMPP_OK;
		return OWN_REFUSE(reader,
			"the grid '%s': %s: use the sizes of the problem, parameters and macros",
			text, reason);
	}
	reader->grid_from = "from the launch";
	if (reader->call_count > 0 && split_argument(kernel, reader->call[0], call)) {
		set_grid(kernel, call, false);
		if (grid_of(kernel, &problem, groups, reason))
			return PMPP_OK;
	}
	if (reader->call_count > 0)
		snprintf(reader->no_grid, sizeof reader->no_grid, "%s",
			*reason ? reason : "it cannot be read");
	for (size_t i = 0; i < 3; i++)
		*kernel->grid[i].text = '\0';
	for (size_t i = 0; i < 2; i++)
		find_extent(reader, i);
	reader->grid_from = "the default";
	return PMPP_OK;
}

/* Whether the grid, given or of the launch, depends on a size. */
static bool grid_depends_on(const struct own_kernel *kernel, size_t dim)
{
	struct problem problem = own_sample_problem(kernel);
	uint64_t groups[2][3];
	char reason[EXPRESSION_PROBLEM_BYTES];

	if (!*kernel->grid[0].text || !grid_of(kernel, &problem, groups[0], reason))
		return false;
	problem.dim[dim] *= 1 << 10;
	return grid_of(kernel, &problem, groups[1], reason) &&
	       memcmp(groups[0], groups[1], sizeof groups[0]) != 0;
}

static enum pmpp_status find_grid(struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const struct family *family = kernel->family;
	enum pmpp_status status = find_given_grid(reader);

	for (size_t d = 0; d < family->dim_count && status == PMPP_OK; d++) {
		if (kernel->several || !(kernel->unbound >> d & 1) || family->dim_default[d])
			continue;
		if (!kernel->several && !grid_depends_on(kernel, d))
			status = OWN_REFUSE(reader,
				"no parameter of %s is the size %s of %s: add a parameter, so "
				"that several sizes can be checked, or a grid that depends on %s",
				kernel->entry, family->dim_names[d], family->name,
				family->dim_names[d]);
		kernel->unbound &= ~(1u << d);
	}
	return status;
}

static enum pmpp_status find_shared(struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const struct problem sample = own_sample_problem(kernel);
	char problem[EXPRESSION_PROBLEM_BYTES];
	struct lookup lookup = {.kernel = kernel, .dim = sample.dim, .exact = true};
	struct number number;

	own_wish(reader, reader->wishes->shared, "shared", kernel->shared.text);
	kernel->shared.exact = true;
	if (!*kernel->shared.text && reader->call_count > 2) {
		span_copy(reader->call[2], kernel->shared.text, sizeof kernel->shared.text);
		kernel->shared.exact = lookup.exact = false;
	}
	const char *text = kernel->shared.text;
	if (!*text && kernel->param_count && kernel->params[kernel->param_count - 1].local)
		return OWN_REFUSE(reader,
			"the size of '%s' is missing: add the line '//pmpp: shared = BYTES'",
			kernel->params[kernel->param_count - 1].name);
	bool known = !*text || evaluate(&lookup, span_of(text), &number, problem);
	if (known && *text && number.value > UINT32_MAX)
		return OWN_REFUSE(reader,
			"dynamic shared memory of %.0f bytes: no block has so much", number.value);
	if (known)
		return PMPP_OK;
	return OWN_REFUSE(reader,
		"the size of the dynamic shared memory '%s': %s: add the line '//pmpp: shared = "
		"BYTES'",
		text, problem);
}

enum pmpp_status own_read_launch(struct own_reader *reader)
{
	enum pmpp_status status = find_block(reader);

	if (status == PMPP_OK)
		status = find_grid(reader);
	return status == PMPP_OK ? find_shared(reader) : status;
}

static uint32_t shared_bytes_of(const struct own_kernel *kernel, const struct problem *problem)
{
	const struct lookup lookup = {
		.kernel = kernel, .dim = problem->dim, .exact = kernel->shared.exact};
	const char *text = kernel->shared.text;
	char reason[EXPRESSION_PROBLEM_BYTES];
	struct number number;

	if (!*text || !evaluate(&lookup, span_of(text), &number, reason))
		return 0;
	return (uint32_t)fmin(fmax(number.value, 0), UINT32_MAX);
}

void own_launch_set(
	const struct own_kernel *kernel, const struct problem *problem, struct plan_launch *launch)
{
	char reason[EXPRESSION_PROBLEM_BYTES];
	uint64_t groups[3];
	bool known = grid_of(kernel, problem, groups, reason);

	for (size_t i = 0; i < 3; i++) {
		launch->groups[i] = known ? groups[i] : 1;
		launch->block[i] = kernel->block[i];
	}
	launch->shared_bytes = shared_bytes_of(kernel, problem);
}
