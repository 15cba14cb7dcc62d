/* The kernel in the text of the file: its function, the arguments of its template, its parameters. The source that is
 * compiled: the kernel has C linkage, and a kernel calls the instance of a template. */
#include "common/own/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/host_code.h"
#include "common/text.h"
#include "common/words.h"

#define MAX_MARKS 200 /* kernels, and their declarations */

/* ---- The kernel ------------------------------------------------------------------------------- */

/* Reads the function after a mark (__global__, __kernel): its name, its head, its parameters and its body. Returns
 * false if it is only declared: name and head are set. */
static bool read_function(const char *mark, struct own_reader *reader, struct span *ret_name)
{
	static const char *const attributes[] = {"__launch_bounds__", "__attribute__",
		"reqd_work_group_size", "work_group_size_hint", "vec_type_hint"};
	const char *end = mark + strlen(mark), *brackets = NULL;
	size_t length;

	for (const char *at = next_word(mark, end, &length); length > 0 && !brackets;
		at = next_word(at + length, end, &length)) {
		const char *after = at + length + strspn(at + length, " \t\r\n");
		bool is_attribute = false;
		for (size_t i = 0; i < COUNT(attributes); i++)
			is_attribute |= same_word(at, length, attributes[i]);
		if (*after != '(')
			continue;
		if (is_attribute && closing_bracket(after)) {
			length = (size_t)(closing_bracket(after) - at);
			continue;
		}
		*ret_name = (struct span){at, at + length};
		brackets = after;
	}
	if (!brackets)
		return false;
	reader->head = (struct span){mark, ret_name->begin};
	const char *close = closing_bracket(brackets);
	const char *brace = close ? close + 1 + strspn(close + 1, " \t\r\n") : NULL;
	if (!brace || *brace != '{' || !closing_bracket(brace))
		return false;
	reader->parameters = (struct span){brackets + 1, close};
	reader->body = (struct span){brace, closing_bracket(brace)};
	return true;
}

/* Moves the beginning of a head before its attributes and `template`. code: the beginning of the copy. */
static void extend_head(const char *code, struct span *head)
{
	while (head->begin > code && !strchr(";}{", head->begin[-1]) &&
		head->begin[-1] != DIRECTIVE)
		head->begin--;
	*head = span_trim(*head);
}

static bool is_mark(const struct own_kernel *kernel, const char *word, size_t length)
{
	return kernel->cuda
		       ? same_word(word, length, "__global__")
		       : same_word(word, length, "__kernel") || same_word(word, length, "kernel");
}

enum pmpp_status own_find_kernel(struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const char *end = kernel->code + strlen(kernel->code);
	struct own_reader chosen = {0};
	char wanted[OWN_TEXT_BYTES], names[300] = "";
	size_t length, count = 0, matches = 0, marks = 0;

	own_wish(reader, reader->wishes->kernel, "kernel", wanted);
	for (const char *at = next_word(kernel->code, end, &length);
		length > 0 && marks < MAX_MARKS; at = next_word(at + length, end, &length)) {
		struct own_reader found = *reader;
		struct span name;
		if (!is_mark(kernel, at, length))
			continue;
		marks++;
		if (!read_function(at + length, &found, &name))
			continue;
		text_append(names, sizeof names, "%s%.*s", count++ ? ", " : "",
			(int)(name.end - name.begin), name.begin);
		if (*wanted && !span_is(name, wanted))
			continue;
		matches++;
		chosen = found;
		if ((size_t)(name.end - name.begin) >= sizeof kernel->entry)
			return OWN_REFUSE(reader,
				"the name of a kernel has at most %d characters: '%.*s'",
				OWN_NAME_BYTES - 1, (int)(name.end - name.begin), name.begin);
		span_copy(name, kernel->entry, sizeof kernel->entry);
	}
	if (count == 0)
		return PMPP_FAIL(reader->error, PMPP_USAGE, "%s has no %s function with a body",
			reader->path, kernel->cuda ? "__global__" : "__kernel");
	if (matches != 1)
		return PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s has %s%s%s. Its kernels are %s: give --kernel=NAME, or add the line "
			"'//pmpp: kernel = NAME'",
			reader->path, matches ? "several kernels" : "no kernel '",
			matches ? "" : wanted, matches ? "" : "'", names);
	*reader = chosen;
	extend_head(kernel->code, &reader->head);
	kernel->two_dimensional = own_uses_index(reader->body, INDEX_BLOCK, 1, kernel->cuda) ||
				  own_uses_index(reader->body, INDEX_THREAD, 1, kernel->cuda);
	return PMPP_OK;
}

/* ---- Templates -------------------------------------------------------------------------------- */

/* Reads the parameters of the template, and their default values. Returns false if there are too many. */
static bool read_template(const struct own_reader *reader, struct span list)
{
	struct own_kernel *kernel = reader->kernel;
	struct span part;

	while (span_take_part(&list, &part)) {
		if (kernel->template_count == OWN_MAX_TEMPLATE)
			return false;
		struct own_template_param *param =
			&kernel->template_params[kernel->template_count++];
		const char *equals = span_find(part, '=');
		size_t length;
		const char *end = equals ? equals : part.end;
		for (const char *at = next_word(part.begin, end, &length); length > 0;
			at = next_word(at + length, end, &length))
			span_copy((struct span){at, at + length}, param->name, sizeof param->name);
		if (equals)
			span_copy((struct span){equals + 1, part.end}, param->value,
				sizeof param->value);
	}
	return true;
}

/* Sets the arguments of a template: --instance, a comment, the launch in host code, or default values. */
static enum pmpp_status set_instance(struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	char text[OWN_TEXT_BYTES], names[200] = "";
	struct span values = reader->instance, part;
	bool known = true;

	own_wish(reader, reader->wishes->instance, "instance", text);
	if (*text) {
		const char *open = strchr(text, '<'), *begin = open ? open + 1 : text;
		values = (struct span){begin, begin + strcspn(begin, ">")};
	}
	for (size_t i = 0; i < kernel->template_count; i++) {
		struct own_template_param *param = &kernel->template_params[i];
		if (span_take_part(&values, &part))
			span_copy(part, param->value, sizeof param->value);
		known &= *param->value != '\0';
		text_append(names, sizeof names, "%s%s", i ? ", " : "", param->name);
	}
	if (known && !span_take_part(&values, &part))
		return PMPP_OK;
	return OWN_REFUSE(reader,
		"%s is a template with the parameters %s: give --instance='VALUE, ...', or add the "
		"line '//pmpp: instance = VALUE, ...'",
		kernel->entry, names);
}

static enum pmpp_status find_instance(struct own_reader *reader)
{
	static const char word[] = "template";
	const char *open = memmem(reader->head.begin,
		(size_t)(reader->head.end - reader->head.begin), word, strlen(word));

	if (!open)
		return PMPP_OK;
	open += strcspn(open, "<");
	const char *close = open + strcspn(open, ">");
	if (*close == '>' && close < reader->head.end &&
		read_template(reader, (struct span){open + 1, close}))
		return set_instance(reader);
	return OWN_REFUSE(
		reader, "the parameters of the template %s cannot be read", reader->kernel->entry);
}

/* ---- Parameters ------------------------------------------------------------------------------- */

struct type_row {
	const char *name;
	enum dtype dtype;          /* of elements; DTYPE_COUNT: no operand has them */
	enum plan_arg_kind scalar; /* PLAN_ARG_OPERAND: not possible */
	unsigned char lanes;       /* elements of a vector; 0: none */
};

static const struct type_row type_rows[] = {
	{"float", DTYPE_F32, PLAN_ARG_FLOAT},
	{"float2", DTYPE_F32, PLAN_ARG_OPERAND, 2},
	{"float4", DTYPE_F32, PLAN_ARG_OPERAND, 4},
	{"int", DTYPE_I32, PLAN_ARG_INT},
	{"int32_t", DTYPE_I32, PLAN_ARG_INT},
	{"int4", DTYPE_I32, PLAN_ARG_OPERAND, 4},
	{"unsigned", DTYPE_U32, PLAN_ARG_INT},
	{"unsigned int", DTYPE_U32, PLAN_ARG_INT},
	{"uint", DTYPE_U32, PLAN_ARG_INT},
	{"uint32_t", DTYPE_U32, PLAN_ARG_INT},
	{"half", DTYPE_F16, PLAN_ARG_OPERAND},
	{"__half", DTYPE_F16, PLAN_ARG_OPERAND},
	{"half2", DTYPE_F16, PLAN_ARG_OPERAND, 2},
	{"unsigned char", DTYPE_U8, PLAN_ARG_OPERAND},
	{"uchar", DTYPE_U8, PLAN_ARG_OPERAND},
	{"uchar3", DTYPE_U8, PLAN_ARG_OPERAND, 3},
	{"uchar4", DTYPE_U8, PLAN_ARG_OPERAND, 4},
	{"uint8_t", DTYPE_U8, PLAN_ARG_OPERAND},
	{"char", DTYPE_U8, PLAN_ARG_OPERAND},
	{"double", DTYPE_F64, PLAN_ARG_OPERAND},
	{"long", DTYPE_COUNT, PLAN_ARG_ULONG},
	{"long long", DTYPE_COUNT, PLAN_ARG_ULONG},
	{"unsigned long", DTYPE_COUNT, PLAN_ARG_ULONG},
	{"unsigned long long", DTYPE_COUNT, PLAN_ARG_ULONG},
	{"ulong", DTYPE_COUNT, PLAN_ARG_ULONG},
	{"size_t", DTYPE_COUNT, PLAN_ARG_ULONG},
	{"int64_t", DTYPE_COUNT, PLAN_ARG_ULONG},
	{"uint64_t", DTYPE_COUNT, PLAN_ARG_ULONG},
};

/* Whether the last word of a parameter ends its type, so that there is no name. type: the words before. Other
 * types than keywords can be names: `int half`. */
static bool ends_type(const char *word, const char *type)
{
	static const char *const types[] = {"half", "size_t", "uint", "ulong", "int", "long",
		"short", "char", "float", "double", "unsigned"};
	const size_t keywords = 4;

	for (size_t i = *type ? keywords : 0; i < COUNT(types); i++)
		if (strcmp(word, types[i]) == 0)
			return true;
	return false;
}

/* Writes the words of the type without qualifiers, and the name, which is the last word; "" if there is none. */
void own_split_parameter(
	struct span part, char ret_name[OWN_NAME_BYTES], char ret_type[OWN_NAME_BYTES])
{
	static const char *const qualifiers[] = {"const", "volatile", "restrict", "__restrict__",
		"__restrict", "__global", "global", "__constant", "constant", "__local", "local",
		"__grid_constant__", "struct"};
	size_t length, next_length;

	*ret_name = *ret_type = '\0';
	for (const char *at = next_word(part.begin, part.end, &length); length > 0;) {
		const char *next = next_word(at + length, part.end, &next_length);
		bool qualifier = false;
		for (size_t i = 0; i < COUNT(qualifiers); i++)
			qualifier |= same_word(at, length, qualifiers[i]);
		if (next_length == 0)
			span_copy((struct span){at, at + length}, ret_name, OWN_NAME_BYTES);
		else if (!qualifier)
			text_append(ret_type, OWN_NAME_BYTES, "%s%.*s", *ret_type ? " " : "",
				(int)length, at);
		at = next;
		length = next_length;
	}
	if (ends_type(ret_name, ret_type)) {
		text_append(ret_type, OWN_NAME_BYTES, "%s%s", *ret_type ? " " : "", ret_name);
		*ret_name = '\0';
	}
}

/* Finds the type that `typedef TYPE NAME;` or `using NAME = TYPE;` gives a name. */
static bool find_typedef(const char *code, const char *name, struct span *ret_type)
{
	const char *end = code + strlen(code);
	size_t length, last_length;

	for (const char *at = next_word(code, end, &length); length > 0;
		at = next_word(at + length, end, &length)) {
		const char *stop = at + strcspn(at, ";");
		const char *equals = memchr(at, '=', (size_t)(stop - at)), *last = at + length;
		if (same_word(at, length, "using") && equals && has_word(at, equals, name)) {
			*ret_type = (struct span){equals + 1, stop};
			return true;
		}
		if (!same_word(at, length, "typedef"))
			continue;
		for (const char *word = next_word(last, stop, &last_length); last_length > 0;
			word = next_word(word + last_length, stop, &last_length))
			last = word;
		if (same_word(last, (size_t)(stop - last), name)) {
			*ret_type = (struct span){at + length, last};
			return true;
		}
	}
	return false;
}

#define MAX_NAMES_OF_TYPE 8 /* each for the one before it */

/* Finds the row of a type. Replaces its name by that of the row, or by the last name that was found. */
static const struct type_row *find_type(const struct own_kernel *kernel, char type[OWN_NAME_BYTES])
{
	struct span value;

	for (size_t k = 0; k < kernel->template_count; k++)
		if (strcmp(kernel->template_params[k].name, type) == 0)
			snprintf(type, OWN_NAME_BYTES, "%s", kernel->template_params[k].value);
	for (int i = 0; i < MAX_NAMES_OF_TYPE; i++) {
		for (size_t k = 0; k < COUNT(type_rows); k++)
			if (strcmp(type_rows[k].name, type) == 0)
				return &type_rows[k];
		if (!own_find_macro(kernel, type, &value) &&
			!find_typedef(kernel->code, type, &value))
			return NULL;
		span_copy(value, type, OWN_NAME_BYTES);
	}
	return NULL;
}

static enum pmpp_status read_parameter(const struct own_reader *reader, struct span part)
{
	struct own_kernel *kernel = reader->kernel;
	char type[OWN_NAME_BYTES];

	if (kernel->param_count == PMPP_MAX_ARGS)
		return OWN_REFUSE(
			reader, "%s has more than %d parameters", kernel->entry, PMPP_MAX_ARGS);
	struct own_param *param = &kernel->params[kernel->param_count++];
	const char *equals = span_find(part, '=');
	part.end = equals ? equals : part.end;
	struct span array = {part.begin, span_find(part, '[')};
	param->pointer = array.end || span_find(part, '*');
	param->local = !kernel->cuda && (has_word(part.begin, part.end, "__local") ||
						has_word(part.begin, part.end, "local"));
	const char *star = memrchr(part.begin, '*', (size_t)(part.end - part.begin));
	param->read_only = has_word(part.begin, star ? star : part.end, "const") ||
			   has_word(part.begin, part.end, "__constant") ||
			   has_word(part.begin, part.end, "constant");
	own_split_parameter(array.end ? array : part, param->name, type);
	if (strlen(param->name) + 1 == sizeof param->name || strlen(type) + 1 == sizeof type)
		return OWN_REFUSE(reader,
			"parameter '%s' of %s: name and type have at most %d characters",
			param->name, kernel->entry, OWN_NAME_BYTES - 2);
	const struct type_row *row = find_type(kernel, type);
	if (row && row->dtype < DTYPE_COUNT) {
		param->has_dtype = true;
		param->dtype = row->dtype;
	}
	if (row) {
		param->arg = row->scalar;
		/* A vector of 3 has the size of 4 elements in OpenCL. */
		param->lanes = !kernel->cuda && row->lanes == 3 ? 4 : row->lanes;
	}
	if ((!param->pointer && (!row || row->scalar == PLAN_ARG_OPERAND)) ||
		(param->pointer && row && row->dtype == DTYPE_COUNT))
		return OWN_REFUSE(reader,
			"parameter '%s' of %s has the type %s%s: %s cannot have this type",
			param->name, kernel->entry, type, param->pointer ? " *" : "",
			param->pointer ? "operands" : "sizes and constants");
	return PMPP_OK;
}

enum pmpp_status own_read_parameters(struct own_reader *reader)
{
	struct span rest = reader->parameters, part;
	enum pmpp_status status = find_instance(reader);

	while (status == PMPP_OK && span_take_part(&rest, &part))
		if (!span_is(part, "void"))
			status = read_parameter(reader, part);
	return status;
}

/* ---- The source that is compiled --------------------------------------------------------------- */

/* A text that grows. */
struct output {
	char *text; /* owned */
	size_t length, capacity;
	bool failed; /* there was no memory */
};

static void put(struct output *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length && !out->failed; i++) {
		out->failed = !array_reserve(&out->text, &out->capacity, out->length, 1);
		if (!out->failed)
			out->text[out->length++] = text[i];
	}
}

static void put_text(struct output *out, const char *text)
{
	put(out, text, strlen(text));
}

/* Writes a part of a source. The names of the template's parameters are replaced by their values. */
static void put_substituted(const struct own_kernel *kernel, struct span part, struct output *out)
{
	size_t length;

	for (const char *at = part.begin; at < part.end;) {
		const char *word = next_word(at, part.end, &length), *value = NULL;
		put(out, at, (size_t)(word - at));
		for (size_t i = 0; i < kernel->template_count && length > 0; i++)
			if (same_word(word, length, kernel->template_params[i].name))
				value = kernel->template_params[i].value;
		if (value)
			put_text(out, value);
		else
			put(out, word, length);
		at = word + length;
	}
}

/* Writes the kernel that calls the instance: extern "C" __global__ void k_instance(float *A, int n) { k<16>(A, n); } */
static void put_instance(
	const struct own_kernel *kernel, struct span parameters, struct output *out)
{
	struct span rest = parameters, part;

	put_text(out, "\nextern \"C\" __global__ void ");
	put_text(out, kernel->launched);
	put_text(out, "(");
	for (size_t i = 0; span_take_part(&rest, &part); i++) {
		put_text(out, i ? ", " : "");
		put_substituted(kernel, part, out);
	}
	put_text(out, ") { ");
	put_text(out, kernel->entry);
	put_text(out, "<");
	for (size_t i = 0; i < kernel->template_count; i++) {
		put_text(out, i ? ", " : "");
		put_text(out, kernel->template_params[i].value);
	}
	put_text(out, ">(");
	for (size_t i = 0; i < kernel->param_count; i++) {
		put_text(out, i ? ", " : "");
		put_text(out, *kernel->params[i].name ? kernel->params[i].name : "0");
	}
	put_text(out, "); }\n");
}

/* Returns the end of `__launch_bounds__(...)` at `at`; NULL if another text is there. */
static const char *end_of_bounds(struct span rest)
{
	static const char bounds[] = "__launch_bounds__";
	const size_t length = strlen(bounds);

	if ((size_t)(rest.end - rest.begin) <= length || memcmp(rest.begin, bounds, length) != 0)
		return NULL;
	const char *open = rest.begin + length + strspn(rest.begin + length, " \t\r\n");
	const char *close = *open == '(' ? closing_bracket(open) : NULL;
	return close ? close + 1 : NULL;
}

/* Writes the head of a template as that of a function of the device, without __launch_bounds__. mark: the word
 * __global__, which has as many letters as __device__. text: the original of the head. */
static void put_device_head(
	struct span head, const char *mark, const char *text, struct output *out)
{
	static const char device[] = "__device__";
	const char *blank_end = head.begin;

	for (const char *at = head.begin; at < head.end; at++) {
		const char *end = end_of_bounds((struct span){at, head.end});
		char c = text[at - head.begin];
		blank_end = end ? end : blank_end;
		if (at >= mark && at < mark + strlen(device))
			c = device[at - mark];
		put(out, at < blank_end && c != '\n' ? " " : &c, 1);
	}
}

/* Writes the head until after the word `static`, as blanks: it contradicts C linkage. Returns the number
 * of blanks; 0 if the head does not have the word. text: the head before it was changed. */
static size_t put_without_static(struct span head, const char *text, struct output *out)
{
	static const char word[] = "static";
	size_t length;

	for (const char *at = next_word(head.begin, head.end, &length); length > 0;
		at = next_word(at + length, head.end, &length))
		if (same_word(at, length, word)) {
			put(out, text, (size_t)(at - head.begin));
			put(out, "      ", length);
			return (size_t)(at - head.begin) + length;
		}
	return 0;
}

#define MAX_BRACES 64

/* Writes a declaration that makes the kernel visible outside of its namespaces: using a::b::kernel; place: the
 * kernel in the code. */
static void put_using(
	const struct own_kernel *kernel, const char *code, const char *place, struct output *out)
{
	struct span names[MAX_BRACES]; /* of the open braces; an empty span: no namespace */
	struct span name = {0};
	size_t depth = 0, length, count = 0;

	for (const char *at = code; at < place && depth < MAX_BRACES; at++) {
		const char *word = next_word(at, place, &length);
		if (*at == '{') {
			names[depth++] = span_trim(name);
			name = (struct span){0};
		} else if (*at == '}' && depth > 0) {
			depth--;
		} else if (word == at && length > 0) {
			if (same_word(word, length, "namespace"))
				name = (struct span){
					at + length, at + length + strcspn(at + length, "{;")};
			at += length - 1;
		}
	}
	for (size_t i = 0; i < depth; i++)
		if (names[i].begin < names[i].end) {
			put_text(out, count++ ? "" : "\nusing ");
			put(out, names[i].begin, (size_t)(names[i].end - names[i].begin));
			put_text(out, "::");
		}
	if (count > 0) {
		put_text(out, kernel->entry);
		put_text(out, ";\n");
	}
}

/* Writes the text with C linkage for the kernel. code: its copy. */
static void put_exported(
	const struct own_kernel *kernel, const char *text, const char *code, struct output *out)
{
	const char *end = code + strlen(code), *last = NULL;
	struct span parameters = {0};
	size_t length, copied = 0;

	for (const char *at = next_word(code, end, &length); length > 0;
		at = next_word(at + length, end, &length)) {
		struct own_reader found = {0};
		struct span name = {0};
		if (!is_mark(kernel, at, length))
			continue;
		bool defined = read_function(at + length, &found, &name);
		if (!span_is(name, kernel->entry))
			continue;
		extend_head(code, &found.head);
		last = found.head.begin;
		size_t place = (size_t)(found.head.begin - code);
		if (place < copied || has_word(found.head.begin, found.head.end, "extern"))
			continue;
		put(out, text + copied, place - copied);
		copied = place;
		if (kernel->template_count == 0) {
			put_text(out, "extern \"C\" ");
			copied = put_without_static(found.head, text + place, out) + place;
			continue;
		}
		put_device_head((struct span){found.head.begin, name.begin}, at, text + place, out);
		copied = (size_t)(name.begin - code);
		parameters = defined ? found.parameters : parameters;
	}
	put_text(out, text + copied);
	if (last)
		put_using(kernel, code, last, out);
	if (parameters.begin)
		put_instance(kernel, parameters, out);
}

/* Names from headers of the host. nvcc includes these headers; here they are replaced by blanks
 * (host_code_blank_headers()), so these definitions take their place. */
static const struct {
	const char *name, *definition;
} host_names[] = {
	{"uint", "typedef unsigned int uint;"},
	{"ushort", "typedef unsigned short ushort;"},
	{"ulong", "typedef unsigned long ulong;"},
	{"int8_t", "typedef signed char int8_t;"},
	{"uint8_t", "typedef unsigned char uint8_t;"},
	{"int16_t", "typedef short int16_t;"},
	{"uint16_t", "typedef unsigned short uint16_t;"},
	{"int32_t", "typedef int int32_t;"},
	{"uint32_t", "typedef unsigned int uint32_t;"},
	{"int64_t", "typedef long int64_t;"},
	{"uint64_t", "typedef unsigned long uint64_t;"},
	{"uintptr_t", "typedef unsigned long uintptr_t;"},
	{"INFINITY", "#define INFINITY __int_as_float(0x7f800000)"},
	{"NAN", "#define NAN __int_as_float(0x7fffffff)"},
	{"FLT_MAX", "#define FLT_MAX 3.402823466e+38f"},
	{"FLT_MIN", "#define FLT_MIN 1.175494351e-38f"},
	{"FLT_EPSILON", "#define FLT_EPSILON 1.192092896e-07f"},
	{"DBL_MAX", "#define DBL_MAX 1.7976931348623158e+308"},
	{"CHAR_BIT", "#define CHAR_BIT 8"},
	{"UCHAR_MAX", "#define UCHAR_MAX 255"},
	{"INT_MAX", "#define INT_MAX 2147483647"},
	{"INT_MIN", "#define INT_MIN (-2147483647 - 1)"},
	{"UINT_MAX", "#define UINT_MAX 4294967295u"},
	{"LLONG_MAX", "#define LLONG_MAX 9223372036854775807ll"},
	{"M_PI", "#define M_PI 3.14159265358979323846"},
	{"M_PI_2", "#define M_PI_2 1.57079632679489661923"},
};

/* Defines the names that the file has and does not define. Returns whether there are any. */
static bool put_host_names(const struct own_kernel *kernel, const char *text, struct output *out)
{
	struct span value;
	bool any = false;

	for (size_t i = 0; i < COUNT(host_names) && kernel->cuda; i++) {
		const char *name = host_names[i].name;
		if (!has_word(text, text + strlen(text), name) ||
			own_find_macro(kernel, name, &value))
			continue;
		put_text(out, host_names[i].definition);
		put_text(out, "\n");
		any = true;
	}
	return any;
}

/* The text has no macros of the compiler's command line: short names there break headers of vendors. */
static void put_macros(const struct own_kernel *kernel, const char *text, struct output *out)
{
	bool any = put_host_names(kernel, text, out) || kernel->macro_count > 0;

	for (size_t i = 0; i < kernel->macro_count; i++) {
		put_text(out, "#define ");
		put_text(out, kernel->macros[i].name);
		put_text(out, " ");
		put_text(out, kernel->macros[i].value);
		put_text(out, "\n");
	}
	if (any)
		put_text(out, "#line 1\n");
}

static bool export_one(const struct own_kernel *kernel, char **text)
{
	char *code = source_code_copy(*text);
	struct output out = {.failed = !code};

	put_macros(kernel, *text, &out);
	if (code && kernel->cuda)
		put_exported(kernel, *text, code, &out);
	else
		put_text(&out, *text);
	put(&out, "", 1);
	free(code);
	free(out.failed ? out.text : *text);
	if (!out.failed)
		*text = out.text;
	return !out.failed;
}

bool own_kernel_export(const struct own_kernel *kernel, char **text)
{
	bool exported = true;

	for (; kernel && exported; kernel = kernel->next)
		exported = export_one(kernel, text);
	return exported;
}
