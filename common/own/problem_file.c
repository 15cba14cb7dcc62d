/* Reads the comments of a problem file, and the parameters of its reference. */
#include "common/own/problem_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/host_code.h"
#include "common/own/reader.h"
#include "common/text.h"
#include "common/words.h"

#define SAMPLE_SIZE 64          /* to see whether expressions have values */
#define DEFAULT_ELEMENTS 0x1p20 /* of the default size, if all sizes are equal */
#define MAX_NUMBER 40

struct file_reader {
	struct own_problem *problem;
	const char *path;
	int line;
	struct operand output;
	bool has_output;

	struct pmpp_error *error;
};

static enum pmpp_status refuse(const struct file_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static enum pmpp_status refuse(const struct file_reader *reader, const char *format, ...)
{
	char text[400];
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof text, format, values);
	va_end(values);
	return PMPP_FAIL(reader->error, PMPP_USAGE, "%s:%d: %s", reader->path, reader->line, text);
}

/* Returns a copy of the text that lives as long as the problem; NULL: there is no room. */
static const char *keep(const struct file_reader *reader, struct span text)
{
	struct own_problem *problem = reader->problem;
	size_t length = (size_t)(text.end - text.begin);
	char *copy = problem->strings + problem->strings_used;

	if (length >= sizeof problem->strings - problem->strings_used)
		return NULL;
	memcpy(copy, text.begin, length);
	copy[length] = '\0';
	problem->strings_used += length + 1;
	return copy;
}

/* Takes the word at the beginning of the text. */
static struct span take_word(struct span *text)
{
	struct span word = {text->begin, text->begin};

	while (word.end < text->end && is_word(*word.end))
		word.end++;
	text->begin = word.end;
	*text = span_trim(*text);
	return word;
}

/* Takes the character, if the text begins with it. */
static bool take_mark(struct span *text, char mark)
{
	if (text->begin == text->end || *text->begin != mark)
		return false;
	text->begin++;
	*text = span_trim(*text);
	return true;
}

static bool parse_number(struct span text, double *ret_value)
{
	char copy[MAX_NUMBER], *end;

	text = span_trim(text);
	if (text.begin == text.end || text.end - text.begin >= MAX_NUMBER)
		return false;
	span_copy(text, copy, sizeof copy);
	*ret_value = strtod(copy, &end);
	return *end == '\0' && isfinite(*ret_value);
}

static bool is_size(double value)
{
	return value >= 1 && value <= INT32_MAX && trunc(value) == value;
}

/* ---- Names ------------------------------------------------------------------------------------ */

static bool is_taken(const struct file_reader *reader, const char *name)
{
	const struct own_problem *problem = reader->problem;
	const struct family *family = &problem->family;
	bool taken = reader->has_output && strcmp(reader->output.name, name) == 0;

	for (size_t i = 0; i < family->dim_count; i++)
		taken |= strcmp(family->dim_names[i], name) == 0;
	for (size_t i = 0; i < family->operand_count; i++)
		taken |= strcmp(problem->operands[i].name, name) == 0;
	for (size_t i = 0; i < family->scalar_count; i++)
		taken |= strcmp(problem->scalars[i].name, name) == 0;
	return taken;
}

/* Takes a new name from the beginning of a text. */
static enum pmpp_status take_name(
	const struct file_reader *reader, struct span *text, const char **ret_name)
{
	struct span word = take_word(text);

	if (word.begin == word.end || (*word.begin >= '0' && *word.begin <= '9'))
		return refuse(reader, "a name is missing before '%.*s'",
			(int)(text->end - word.begin), word.begin);
	*ret_name = keep(reader, word);
	if (!*ret_name)
		return refuse(reader, "the comments are too long");
	if (is_taken(reader, *ret_name))
		return refuse(reader, "the name '%s' is used twice", *ret_name);
	return PMPP_OK;
}

/* ---- Sizes and scalars -------------------------------------------------------------------------- */

static enum pmpp_status read_sizes(struct file_reader *reader, struct span value)
{
	struct family *family = &reader->problem->family;
	enum pmpp_status status = PMPP_OK;
	struct span part;
	double number;

	while (status == PMPP_OK && span_take_part(&value, &part)) {
		const char *name;
		if (family->dim_count == PMPP_MAX_DIMS)
			return refuse(reader, "more than %d sizes", PMPP_MAX_DIMS);
		status = take_name(reader, &part, &name);
		if (status != PMPP_OK)
			break;
		bool fixed = take_mark(&part, '=');
		if (fixed ? !parse_number(part, &number) || !is_size(number)
			  : part.begin != part.end)
			return refuse(reader, "size '%s': write NAME, or NAME = NUMBER", name);
		if (!fixed && family->dim_count && family->dim_default[family->dim_count - 1])
			return refuse(reader, "size '%s': sizes with a default are last", name);
		family->dim_default[family->dim_count] = fixed ? (int64_t)number : 0;
		family->dim_aliases[family->dim_count] = strcmp(name, "h") == 0   ? "height"
							 : strcmp(name, "w") == 0 ? "width"
										  : NULL;
		family->dim_names[family->dim_count++] = name;
	}
	return status;
}

static enum pmpp_status read_scalars(struct file_reader *reader, struct span value)
{
	struct family *family = &reader->problem->family;
	enum pmpp_status status = PMPP_OK;
	struct span part;
	double number;

	while (status == PMPP_OK && span_take_part(&value, &part)) {
		struct scalar scalar;
		if (family->scalar_count == OWN_MAX_SCALARS)
			return refuse(reader, "more than %d scalars", OWN_MAX_SCALARS);
		status = take_name(reader, &part, &scalar.name);
		if (status != PMPP_OK)
			break;
		if (!take_mark(&part, '=') || !parse_number(part, &number))
			return refuse(reader, "scalar '%s': write NAME = NUMBER", scalar.name);
		scalar.value = keep(reader, part);
		if (!scalar.value)
			return refuse(reader, "the comments are too long");
		reader->problem->scalars[family->scalar_count++] = scalar;
	}
	return status;
}

/* ---- Operands --------------------------------------------------------------------------------- */

/* Keeps an expression that has a value for sizes. */
static enum pmpp_status take_expression(
	const struct file_reader *reader, struct span text, const char **ret_text)
{
	struct problem sample = {.family = &reader->problem->family};
	char reason[EXPRESSION_PROBLEM_BYTES];
	int64_t value;

	for (size_t d = 0; d < PMPP_MAX_DIMS; d++)
		sample.dim[d] = SAMPLE_SIZE;
	*ret_text = keep(reader, text);
	if (!*ret_text)
		return refuse(reader, "the comments are too long");
	if (!problem_value(&sample, *ret_text, &value, reason))
		return refuse(reader, "%s: use the names of sizes", reason);
	return PMPP_OK;
}

/* Sets rows or columns: a size, 1, or an expression. */
static enum pmpp_status set_extent(
	const struct file_reader *reader, const char *text, int axis, struct operand *operand)
{
	int *dim = axis == 0 ? &operand->rows_dim : &operand->columns_dim;

	*dim = DIM_ONE;
	for (size_t d = 0; d < reader->problem->family.dim_count; d++)
		if (strcmp(reader->problem->family.dim_names[d], text) == 0)
			*dim = (int)d;
	if (*dim != DIM_ONE || strcmp(text, "1") == 0)
		return PMPP_OK;
	return take_expression(reader, span_of(text), &operand->shape[axis]);
}

/* Reads "[h][w]": the last extent is the columns, the product of the others the rows. */
static enum pmpp_status read_shape(
	const struct file_reader *reader, struct span *text, struct operand *operand)
{
	char rows[OWN_TEXT_BYTES] = "1", columns[OWN_TEXT_BYTES] = "1", extent[OWN_TEXT_BYTES];
	size_t count = 0;

	while (text->begin < text->end && *text->begin == '[') {
		const char *close = closing_bracket(text->begin);
		if (!close || close >= text->end || close - text->begin >= OWN_TEXT_BYTES / 4)
			return refuse(reader, "the shape of '%s' cannot be read", operand->name);
		span_copy((struct span){text->begin + 1, close}, extent, sizeof extent);
		if (++count > 2)
			text_append(rows, sizeof rows, " * (%s)", columns);
		if (count == 2)
			snprintf(rows, sizeof rows, "%s", columns);
		snprintf(columns, sizeof columns, "%s", extent);
		text->begin = close + 1;
		*text = span_trim(*text);
	}
	if (count == 1) {
		snprintf(rows, sizeof rows, "%s", columns);
		snprintf(columns, sizeof columns, "1");
	}
	enum pmpp_status status = set_extent(reader, rows, 0, operand);
	return status == PMPP_OK ? set_extent(reader, columns, 1, operand) : status;
}

static enum pmpp_status read_type(
	const struct file_reader *reader, struct span *text, struct operand *operand)
{
	struct span word = take_word(text);

	for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
		if (span_is(word, dtype_info(dtype)->name)) {
			operand->dtype = dtype;
			return PMPP_OK;
		}
	return refuse(reader,
		"'%s' has no type: write one of f32, f16, f64, i32, u32, u8 after the shape",
		operand->name);
}

/* Reads the data of an input: "positive", "integers", "< k", "ascending to k"; nothing: any. */
static enum pmpp_status read_data(
	const struct file_reader *reader, struct span text, struct own_data *ret_data)
{
	static const struct {
		const char *begin;
		enum own_data_kind kind;
		bool bound;
	} rows[] = {{"positive", OWN_DATA_POSITIVE, false}, {"integers", OWN_DATA_INTEGERS, false},
		{"<", OWN_DATA_BELOW, true}, {"ascending to ", OWN_DATA_ASCENDING, true}};

	if (text.begin == text.end)
		return PMPP_OK;
	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t length = strlen(rows[i].begin);
		bool begins = (size_t)(text.end - text.begin) >= length &&
			      memcmp(text.begin, rows[i].begin, length) == 0;
		struct span rest = span_trim((struct span){text.begin + length, text.end});
		if (!begins || (rest.begin < rest.end) != rows[i].bound)
			continue;
		ret_data->kind = rows[i].kind;
		return rows[i].bound ? take_expression(reader, rest, &ret_data->bound) : PMPP_OK;
	}
	return refuse(reader,
		"the data '%.*s': write positive, integers, '< EXPRESSION', or 'ascending to EXPRESSION'",
		(int)(text.end - text.begin), text.begin);
}

static enum pmpp_status read_operand(
	struct file_reader *reader, struct span text, enum operand_role role, bool in_place)
{
	struct own_problem *problem = reader->problem;
	size_t index = problem->family.operand_count;
	struct operand operand = {.role = role};
	struct own_data data = {0};
	enum pmpp_status status = take_name(reader, &text, &operand.name);

	if (status == PMPP_OK && index + 1 >= PMPP_MAX_OPERANDS)
		return refuse(reader, "more than %d operands", PMPP_MAX_OPERANDS - 1);
	if (status == PMPP_OK && (role == OPERAND_OUT || in_place) && reader->has_output)
		return refuse(reader, "a problem has one output: '%s' is the second", operand.name);
	if (status == PMPP_OK)
		status = read_shape(reader, &text, &operand);
	if (status == PMPP_OK)
		status = read_type(reader, &text, &operand);
	if (status == PMPP_OK)
		status = read_data(reader, text, &data);
	if (status != PMPP_OK)
		return status;
	if (role == OPERAND_OUT || in_place) {
		reader->output = operand;
		reader->output.role = OPERAND_OUT;
		reader->has_output = true;
	}
	if (role == OPERAND_IN) {
		operand.in_place = in_place;
		problem->data[index] = data;
		problem->operands[problem->family.operand_count++] = operand;
	}
	return PMPP_OK;
}

static enum pmpp_status read_in(struct file_reader *reader, struct span value)
{
	return read_operand(reader, value, OPERAND_IN, false);
}

static enum pmpp_status read_out(struct file_reader *reader, struct span value)
{
	return read_operand(reader, value, OPERAND_OUT, false);
}

static enum pmpp_status read_in_place(struct file_reader *reader, struct span value)
{
	return read_operand(reader, value, OPERAND_IN, true);
}

/* ---- Check sizes, default, tolerance --------------------------------------------------------------- */

/* Reads "7x13". Missing sizes have their default. */
static enum pmpp_status read_size(
	const struct file_reader *reader, struct span text, int64_t ret_dim[PMPP_MAX_DIMS])
{
	const struct family *family = &reader->problem->family;
	struct problem problem = {.family = family};
	size_t count = 0;
	double number;

	for (struct span rest = text; rest.begin < rest.end && count < family->dim_count;) {
		const char *end = span_find(rest, 'x');
		if (!parse_number((struct span){rest.begin, end ? end : rest.end}, &number) ||
			!is_size(number))
			break;
		problem.dim[count++] = (int64_t)number;
		rest.begin = end ? end + 1 : rest.end;
		text = rest;
	}
	while (count > 0 && count < family->dim_count && family->dim_default[count]) {
		problem.dim[count] = family->dim_default[count];
		count++;
	}
	if (text.begin < text.end || count == 0 || count < family->dim_count)
		return refuse(reader,
			"the size at '%.*s': write a number from 1 to %d for each size, such as 7x13",
			(int)(text.end - text.begin), text.begin, INT32_MAX);
	const char *invalid = family->invalid(&problem);
	if (invalid)
		return refuse(reader, "%s", invalid);
	memcpy(ret_dim, problem.dim, sizeof problem.dim);
	return PMPP_OK;
}

static enum pmpp_status read_check(struct file_reader *reader, struct span value)
{
	struct own_problem *problem = reader->problem;
	struct check_set *set = &problem->check.sets[0];
	enum pmpp_status status = PMPP_OK;
	int64_t dim[PMPP_MAX_DIMS];
	struct span part;

	while (status == PMPP_OK && span_take_part(&value, &part)) {
		if (set->count == PMPP_MAX_CHECK_SIZES)
			return refuse(reader, "more than %d check sizes", PMPP_MAX_CHECK_SIZES);
		status = read_size(reader, part, dim);
		for (size_t d = 0; status == PMPP_OK && d < problem->family.dim_count; d++)
			problem->sizes[set->count].dim[d] = (struct check_extent)AT(dim[d]);
		set->count++;
	}
	return status;
}

static enum pmpp_status read_default(struct file_reader *reader, struct span value)
{
	return read_size(reader, value, reader->problem->family.default_size[DEVICE_CLASS_GPU]);
}

static enum pmpp_status read_tolerance(struct file_reader *reader, struct span value)
{
	if (parse_number(value, &reader->problem->tolerance) && reader->problem->tolerance >= 0)
		return PMPP_OK;
	return refuse(reader, "tolerance: write a number from 0 on");
}

/* ---- Comments --------------------------------------------------------------------------------- */

static const struct key {
	const char *name;
	enum pmpp_status (*read)(struct file_reader *reader, struct span value);
	int pass; /* shapes need the sizes, and check sizes the shapes */
} keys[] = {
	{"sizes", read_sizes, 0},
	{"scalars", read_scalars, 0},
	{"in", read_in, 1},
	{"out", read_out, 1},
	{"inout", read_in_place, 1},
	{"check", read_check, 2},
	{"default", read_default, 2},
	{"tolerance", read_tolerance, 2},
};

static int line_of(const char *text, const char *at)
{
	int line = 1;

	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

/* Reads the next line "//pmpp: KEY = VALUE" from *at on. Returns false if there is no more. */
static bool next_comment(const char **at, struct span *ret_key, struct span *ret_value)
{
	static const char mark[] = "//pmpp:";

	for (const char *line = *at; *line; line += *line == '\n') {
		const char *end = line + strcspn(line, "\n");
		struct span text = span_trim((struct span){line, end});
		line = end;
		if ((size_t)(text.end - text.begin) < strlen(mark) ||
			memcmp(text.begin, mark, strlen(mark)) != 0)
			continue;
		text.begin += strlen(mark);
		const char *equals = span_find(text, '=');
		*ret_key = span_trim((struct span){text.begin, equals ? equals : text.end});
		*ret_value = span_trim((struct span){equals ? equals + 1 : text.end, text.end});
		*at = end;
		return true;
	}
	return false;
}

static enum pmpp_status read_comments(struct file_reader *reader, int pass)
{
	const char *at = reader->problem->text;
	enum pmpp_status status = PMPP_OK;
	struct span name, value;

	while (status == PMPP_OK && next_comment(&at, &name, &value)) {
		const struct key *key = NULL;
		reader->line = line_of(reader->problem->text, name.begin);
		for (size_t i = 0; i < COUNT(keys) && !key; i++)
			if (span_is(name, keys[i].name))
				key = &keys[i];
		if (!key || value.begin == value.end)
			return refuse(reader,
				"'//pmpp: %.*s': give sizes, scalars, in, out, inout, check, default or "
				"tolerance, and a value after '='",
				(int)(name.end - name.begin), name.begin);
		if (key->pass == pass)
			status = key->read(reader, value);
	}
	return status;
}

/* ---- The reference ------------------------------------------------------------------------------ */

/* Finds the parameters of the function. Returns false if it has no body. */
static bool find_reference(const char *code, struct span *ret_parameters)
{
	const char *end = code + strlen(code);
	size_t length;

	for (const char *at = next_word(code, end, &length); length > 0;
		at = next_word(at + length, end, &length)) {
		const char *open = at + length + strspn(at + length, " \t\r\n");
		const char *close = *open == '(' ? closing_bracket(open) : NULL;
		if (!same_word(at, length, OWN_REFERENCE) || !close)
			continue;
		*ret_parameters = (struct span){open + 1, close};
		close++;
		if (close[strspn(close, " \t\r\n")] == '{')
			return true;
	}
	return false;
}

static const struct {
	const char *name;
	enum dtype dtype;
} element_types[] = {{"real", DTYPE_F64}, {"double", DTYPE_F64}, {"float", DTYPE_F32},
	{"int", DTYPE_I32}, {"int32_t", DTYPE_I32}, {"unsigned", DTYPE_U32},
	{"unsigned int", DTYPE_U32}, {"uint32_t", DTYPE_U32}, {"unsigned char", DTYPE_U8},
	{"uint8_t", DTYPE_U8}};

/* Finds what a parameter is by its name. The output comes before an input that it begins with. */
static bool bind_parameter(const struct family *family, const char *name, bool pointer,
	struct own_reference_param *param)
{
	for (size_t i = family->operand_count; pointer && i-- > 0;)
		if (strcmp(family->operands[i].name, name) == 0) {
			*param = (struct own_reference_param){OWN_REFERENCE_OPERAND, i, DTYPE_F64};
			return true;
		}
	for (size_t i = 0; !pointer && i < family->dim_count; i++)
		if (strcmp(family->dim_names[i], name) == 0) {
			*param = (struct own_reference_param){OWN_REFERENCE_SIZE, i, DTYPE_F64};
			return true;
		}
	for (size_t i = 0; !pointer && i < family->scalar_count; i++)
		if (strcmp(family->scalars[i].name, name) == 0) {
			*param = (struct own_reference_param){OWN_REFERENCE_SCALAR, i, DTYPE_F64};
			return true;
		}
	return false;
}

static enum pmpp_status read_parameter(const struct file_reader *reader, struct span part)
{
	struct own_problem *problem = reader->problem;
	const char *bracket = span_find(part, '[');
	bool pointer = bracket || span_find(part, '*');
	char name[OWN_NAME_BYTES] = "", type[OWN_NAME_BYTES] = "";
	struct own_reference_param *param = &problem->params[problem->param_count];

	if (problem->param_count == PMPP_MAX_ARGS)
		return refuse(reader, "the reference has more than %d parameters", PMPP_MAX_ARGS);
	part.end = bracket ? bracket : part.end;
	own_split_parameter(part, name, type);
	if (!bind_parameter(&problem->family, name, pointer, param))
		return refuse(reader, "parameter '%s' of the reference is no %s of the comments",
			name, pointer ? "operand" : "size or scalar");
	problem->param_count++;
	for (size_t i = 0; i < COUNT(element_types) && pointer; i++)
		if (strcmp(element_types[i].name, type) == 0) {
			param->dtype = element_types[i].dtype;
			return PMPP_OK;
		}
	return pointer ? refuse(reader,
				 "parameter '%s' of the reference has elements of '%s': write real, "
				 "float, int, unsigned or unsigned char",
				 name, type)
		       : PMPP_OK;
}

static enum pmpp_status read_reference(struct file_reader *reader)
{
	struct own_problem *problem = reader->problem;
	size_t output = problem->family.operand_count - 1;
	char *code = source_code_copy(problem->text);
	enum pmpp_status status = PMPP_OK;
	struct span rest, part;
	bool has_output = false;

	if (!code)
		return PMPP_NO_MEMORY(reader->error, "%s", reader->path);
	if (!find_reference(code, &rest)) {
		free(code);
		return PMPP_OK;
	}
	reader->line = line_of(code, rest.begin);
	while (status == PMPP_OK && span_take_part(&rest, &part))
		status = read_parameter(reader, part);
	for (size_t i = 0; i < problem->param_count; i++)
		has_output |= problem->params[i].role == OWN_REFERENCE_OPERAND &&
			      problem->params[i].index == output;
	free(code);
	return status == PMPP_OK && !has_output
		       ? refuse(reader, "no parameter of the reference is the output '%s'",
				 problem->operands[output].name)
		       : status;
}

/* ---- The family ------------------------------------------------------------------------------- */

static double work(const struct problem *problem)
{
	double elements = 0;

	for (size_t i = 0; i < problem->family->operand_count; i++)
		elements += (double)operand_rows(&problem->family->operands[i], problem) *
			    (double)operand_columns(&problem->family->operands[i], problem);
	return elements;
}

static const char *invalid(const struct problem *problem)
{
	static const double most[DTYPE_COUNT] = {[DTYPE_F32] = 0x1p24,
		[DTYPE_F16] = 0x1p11,
		[DTYPE_I32] = 0x1p31,
		[DTYPE_U32] = 0x1p32,
		[DTYPE_U8] = 0x1p8,
		[DTYPE_F64] = 0x1p53};
	const struct own_problem *own = problem->family->own;
	char reason[EXPRESSION_PROBLEM_BYTES];

	for (size_t i = 0; i < problem->family->operand_count; i++) {
		const struct operand *operand = &problem->family->operands[i];
		const char *bound = own->data[i].bound;
		int64_t value = 1;
		if (operand_rows(operand, problem) < 1 || operand_columns(operand, problem) < 1)
			return "an operand has no elements at this size";
		if (operand_bytes(operand, problem) > (uint64_t)INT64_MAX)
			return "an operand is too large at this size";
		if (bound && (!problem_value(problem, bound, &value, reason) || value < 1 ||
				     (double)value > most[operand->dtype]))
			return "the bound of an operand's data is below 1, or too large for its type";
	}
	return NULL;
}

/* Check sizes of a file without them: 1, primes, and sizes near the block. */
static void set_check_sizes(struct own_problem *problem)
{
	static const struct check_extent extents[][PMPP_MAX_DIMS] = {
		{AT(1), AT(1), AT(1), AT(1)},
		{AT(37), AT(41), AT(7), AT(3)},
		{TILES(0, 1, -1), TILES(1, 1, -1), AT(5), AT(2)},
		{TILES(0, 1, 0), TILES(1, 1, 0), AT(4), AT(4)},
		{TILES(0, 1, 1), TILES(1, 1, 1), AT(3), AT(5)},
		{TILES(0, 3, 2), TILES(1, 2, 3), AT(2), AT(3)},
	};
	const struct family *family = &problem->family;

	for (size_t i = 0; i < COUNT(extents); i++)
		for (size_t d = 0; d < family->dim_count; d++)
			problem->sizes[i].dim[d] =
				family->dim_default[d]
					? (struct check_extent)AT(family->dim_default[d])
					: extents[i][d];
	problem->check.sets[0].count = COUNT(extents);
}

/* The declared check size with the most elements. In a small problem most blocks are at an edge, so the page would
 * show their divergence. */
static const struct check_size *largest_check(const struct own_problem *problem)
{
	const struct check_size *largest = problem->sizes;
	double most = 0;

	for (size_t i = 0; i < problem->check.sets[0].count; i++) {
		struct problem size = {.family = &problem->family};
		for (size_t d = 0; d < problem->family.dim_count; d++)
			size.dim[d] = problem->sizes[i].dim[d].plus;
		if (work(&size) >= most) {
			most = work(&size);
			largest = &problem->sizes[i];
		}
	}
	return largest;
}

/* Default sizes: those of the comment, else the largest check size. On an emulator always the latter. */
static void set_default_sizes(struct own_problem *problem, bool has_check)
{
	struct family *family = &problem->family;
	int64_t(*sizes)[PMPP_MAX_DIMS] = family->default_size;
	const struct check_size *largest = largest_check(problem);
	size_t free_dims = 0;

	for (size_t d = 0; d < family->dim_count; d++)
		free_dims += family->dim_default[d] == 0;
	for (size_t d = 0; d < family->dim_count; d++) {
		double side =
			floor(pow(DEFAULT_ELEMENTS, 1.0 / (double)(free_dims ? free_dims : 1)));
		int64_t small = family->dim_default[d] ? family->dim_default[d]
				: has_check            ? largest->dim[d].plus
						       : (int64_t)sqrt(side) * 2;
		int64_t large = family->dim_default[d] || has_check ? small : (int64_t)side;
		sizes[DEVICE_CLASS_EMULATED][d] = small;
		if (!sizes[DEVICE_CLASS_GPU][d])
			sizes[DEVICE_CLASS_GPU][d] = large;
		sizes[DEVICE_CLASS_CPU][d] = sizes[DEVICE_CLASS_GPU][d];
	}
}

static enum pmpp_status set_texts(struct file_reader *reader)
{
	struct own_problem *problem = reader->problem;
	struct family *family = &problem->family;
	const char *file = path_name(reader->path);
	char text[300] = "";

	family->name = keep(reader, (struct span){file, strrchr(file, '.')});
	text_append(text, sizeof text, "%s of ", reader->output.name);
	text_append(text, sizeof text, "%s", file);
	family->title = keep(reader, span_of(text));
	*text = '\0';
	for (size_t d = 0; d < family->dim_count; d++)
		text_append(text, sizeof text, "%s%s", d ? " x " : "sizes ", family->dim_names[d]);
	family->size_help = keep(reader, span_of(text));
	if (!family->name || !family->title || !family->size_help)
		return PMPP_FAIL(
			reader->error, PMPP_USAGE, "%s: the comments are too long", reader->path);
	if (family_find(family->name) && !family_find(family->name)->own)
		return PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s: '%s' is the name of a problem of pmpp-run: rename the file",
			reader->path, family->name);
	return PMPP_OK;
}

static void begin_family(struct own_problem *problem)
{
	problem->family = (struct family){.book = "-",
		.own = problem,
		.dim_max = INT32_MAX,
		.operands = problem->operands,
		.dtypes = &problem->dtype,
		.dtype_count = 1,
		.scalars = problem->scalars,
		.cases = ALL_CASES & ~CASE_BIT(CASE_LARGE),
		.invalid = invalid,
		.work = work,
		.check = &problem->check};
	problem->check.sets[0].sizes = problem->sizes;
	problem->tolerance = NAN;
}

static enum pmpp_status end_family(struct file_reader *reader)
{
	/* A right kernel may add in f32 in any order, and f16 has 11 bits. */
	static const double tolerances[DTYPE_COUNT] = {
		[DTYPE_F32] = 1e-4, [DTYPE_F16] = 2e-3, [DTYPE_F64] = 1e-10};
	struct own_problem *problem = reader->problem;
	bool has_check = problem->check.sets[0].count > 0;

	problem->dtype = reader->output.dtype;
	if (isnan(problem->tolerance))
		problem->tolerance = tolerances[reader->output.dtype];
	if (!has_check)
		set_check_sizes(problem);
	set_default_sizes(problem, has_check);
	return set_texts(reader);
}

static enum pmpp_status read_all(struct file_reader *reader)
{
	struct family *family = &reader->problem->family;
	enum pmpp_status status = PMPP_OK;

	for (int pass = 0; pass < 3 && status == PMPP_OK; pass++) {
		status = read_comments(reader, pass);
		if (status == PMPP_OK && pass == 0 && family->dim_count == 0)
			return PMPP_FAIL(reader->error, PMPP_USAGE,
				"%s: no sizes: add the line '//pmpp: sizes = n'", reader->path);
		if (status == PMPP_OK && pass == 1 && !reader->has_output)
			return PMPP_FAIL(reader->error, PMPP_USAGE,
				"%s: no output: add the line '//pmpp: out = NAME[n] f32'",
				reader->path);
		if (status == PMPP_OK && pass == 1)
			reader->problem->operands[family->operand_count++] = reader->output;
	}
	if (status == PMPP_OK)
		status = read_reference(reader);
	return status == PMPP_OK ? end_family(reader) : status;
}

bool own_problem_is_file(const char *name)
{
	size_t length = strlen(name);

	return length > 2 && strcmp(name + length - 2, ".c") == 0;
}

enum pmpp_status own_problem_read(const char *path, const char *text,
	struct own_problem **ret_problem, struct pmpp_error *error)
{
	struct own_problem *problem = calloc(1, sizeof *problem);
	struct file_reader reader = {.problem = problem, .path = path, .error = error};

	if (problem) {
		problem->text = strdup(text);
		problem->file = strdup(path);
	}
	if (!problem || !problem->text || !problem->file) {
		own_problem_destroy(problem);
		return PMPP_NO_MEMORY(error, "%s", path);
	}
	begin_family(problem);
	enum pmpp_status status = read_all(&reader);
	if (status == PMPP_OK)
		*ret_problem = problem;
	else
		own_problem_destroy(problem);
	return status;
}

void own_problem_destroy(struct own_problem *problem)
{
	if (!problem)
		return;
	free(problem->text);
	free(problem->file);
	free(problem);
}
