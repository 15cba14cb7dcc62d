/*
 * The text is not parsed as C: it is scanned for words and brackets in a copy without comments, strings and
 * directives (source_code_copy()). Every guess is part of the summary, and the verification shows a wrong one.
 */
#include "common/own_kernel.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/expression.h"
#include "common/host_code.h"
#include "common/integers.h"
#include "common/text.h"
#include "common/words.h"

#define COMMENT_KEY "pmpp:"
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MAX_MARKS 200  /* kernels, and their declarations */
#define DIRECTIVE '\1' /* a character of a directive in the copy */
#define DEFAULT_THREADS 256
#define DEFAULT_SIDE 16 /* of a two-dimensional block */
#define MAX_GUESSED_THREADS 1024

struct span {
	const char *begin, *end;
};

struct reader {
	struct own_kernel *kernel;
	const struct own_wishes *wishes;
	const char *path;
	struct span head;       /* from the mark of the kernel to its parameters */
	struct span parameters; /* between the brackets */
	struct span body;
	struct span
		call[4];   /* grid, block, shared memory and arguments of the launch in host code */
	size_t call_count; /* 0: there is no launch */
	struct span instance; /* arguments of the template in the launch */
	const char *block_from, *grid_from;
	struct pmpp_error *error;
};

/* ---- Text ------------------------------------------------------------------------------------ */

static struct span trim(struct span span)
{
	while (span.begin < span.end && isspace((unsigned char)*span.begin))
		span.begin++;
	while (span.begin < span.end && isspace((unsigned char)span.end[-1]))
		span.end--;
	return span;
}

static void copy_span(struct span span, char *ret_text, size_t size)
{
	span = trim(span);
	snprintf(ret_text, size, "%.*s", (int)(span.end - span.begin), span.begin);
}

/* Returns the place of the bracket that closes the one at `at`; NULL if there is none. */
static const char *closing(const char *at)
{
	int depth = 0;

	for (; *at; at++) {
		depth += (strchr("([{", *at) != NULL) - (strchr(")]}", *at) != NULL);
		if (depth == 0)
			return at;
	}
	return NULL;
}

/* Takes the part before the next comma that is outside of brackets. Returns false at the end. */
static bool take_part(struct span *rest, struct span *ret_part)
{
	int depth = 0;
	const char *at = rest->begin;

	if (!rest->begin || trim(*rest).begin == trim(*rest).end)
		return false;
	for (; at < rest->end && (*at != ',' || depth > 0); at++)
		depth += (strchr("([{", *at) != NULL) - (strchr(")]}", *at) != NULL);
	*ret_part = trim((struct span){rest->begin, at});
	rest->begin = at < rest->end ? at + 1 : rest->end;
	return true;
}

/* Returns the name in small letters without underscores, and without the marks of device memory: d_A, A_d. */
static void plain_name(const char *name, char ret_plain[OWN_NAME_BYTES])
{
	static const char *const before[] = {"d_", "dev_", "device_", "g_", "gpu_", "p_"};
	static const char *const after[] = {"_d", "_dev", "_device", "_gpu", "_ptr"};
	size_t used = 0, length = strlen(name);

	for (size_t i = 0; i < COUNT(before); i++)
		if (strncmp(name, before[i], strlen(before[i])) == 0 && name[strlen(before[i])]) {
			name += strlen(before[i]);
			length = strlen(name);
			break;
		}
	for (size_t i = 0; i < COUNT(after); i++)
		if (length > strlen(after[i]) && strncmp(name + length - strlen(after[i]), after[i],
							 strlen(after[i])) == 0) {
			length -= strlen(after[i]);
			break;
		}
	for (size_t i = 0; i < length && used + 1 < OWN_NAME_BYTES; i++)
		if (name[i] != '_')
			ret_plain[used++] = (char)tolower((unsigned char)name[i]);
	ret_plain[used] = '\0';
}

/* Whether the name of a parameter is a name, or one of the aliases. */
static bool is_called(const char *plain, const char *name, const char *aliases)
{
	char own[OWN_NAME_BYTES];

	plain_name(name, own);
	return strcmp(plain, own) == 0 ||
	       (aliases && has_word(aliases, aliases + strlen(aliases), plain));
}

/* ---- Comments of the file -------------------------------------------------------------------- */

/* Reads the next line "//pmpp: KEY = VALUE" from *at on. Returns false if there is no more. */
static bool next_comment(
	const char **at, char ret_key[OWN_NAME_BYTES], char ret_value[OWN_TEXT_BYTES])
{
	const char *found = *at;

	while ((found = strstr(found, COMMENT_KEY))) {
		const char *slashes = found;
		while (slashes > *at && strchr(" \t", slashes[-1]))
			slashes--;
		const char *text = found + strlen(COMMENT_KEY);
		const char *end = text + strcspn(text, "\r\n");
		const char *equals = memchr(text, '=', (size_t)(end - text));
		found = text;
		if (slashes - *at < 2 || memcmp(slashes - 2, "//", 2) != 0)
			continue;
		*at = end;
		copy_span((struct span){text, equals ? equals : end}, ret_key, OWN_NAME_BYTES);
		copy_span((struct span){equals ? equals + 1 : end, end}, ret_value, OWN_TEXT_BYTES);
		return true;
	}
	return false;
}

/* The value of a comment; false: the file has no such comment. */
static bool find_comment(
	const struct reader *reader, const char *key, char ret_value[OWN_TEXT_BYTES])
{
	const char *at = reader->kernel->text;
	char name[OWN_NAME_BYTES];

	while (next_comment(&at, name, ret_value))
		if (strcmp(name, key) == 0)
			return true;
	return false;
}

/* The value of an option, or of the comment with the same name. "": neither. */
static void find_wish(const struct reader *reader, const char *option, const char *key,
	char ret_value[OWN_TEXT_BYTES])
{
	if (option)
		snprintf(ret_value, OWN_TEXT_BYTES, "%s", option);
	else if (!find_comment(reader, key, ret_value))
		*ret_value = '\0';
}

static enum pmpp_status check_comments(const struct reader *reader)
{
	static const char *const keys[] = {
		"problem", "kernel", "instance", "block", "grid", "shared", "clear", "op"};
	const char *at = reader->kernel->text;
	char key[OWN_NAME_BYTES], value[OWN_TEXT_BYTES];

	while (next_comment(&at, key, value)) {
		bool known = false;
		for (size_t i = 0; i < COUNT(keys); i++)
			known |= strcmp(key, keys[i]) == 0;
		for (size_t i = 0; i < reader->kernel->param_count; i++)
			known |= strcmp(key, reader->kernel->params[i].name) == 0;
		if (!known || !*value)
			return PMPP_FAIL(reader->error, PMPP_USAGE,
				"%s: '//pmpp: %s%s%s': give problem, kernel, block, grid, shared, "
				"clear, op or a parameter of the kernel, and a value after '='",
				reader->path, key, *value ? " = " : "", value);
	}
	return PMPP_OK;
}

/* ---- The kernel ------------------------------------------------------------------------------- */

/* Reads the function after a mark (__global__, __kernel): its name, its head, its parameters and its body. Returns
 * false if it is only declared: name and head are set. */
static bool read_function(const char *mark, struct reader *reader, struct span *ret_name)
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
		if (is_attribute && closing(after)) {
			length = (size_t)(closing(after) - at);
			continue;
		}
		*ret_name = (struct span){at, at + length};
		brackets = after;
	}
	if (!brackets)
		return false;
	reader->head = (struct span){mark, ret_name->begin};
	const char *close = closing(brackets);
	const char *brace = close ? close + 1 + strspn(close + 1, " \t\r\n") : NULL;
	if (!brace || *brace != '{' || !closing(brace))
		return false;
	reader->parameters = (struct span){brackets + 1, close};
	reader->body = (struct span){brace, closing(brace)};
	return true;
}

/* Moves the beginning of a head before its attributes and `template`. code: the beginning of the copy. */
static void extend_head(const char *code, struct span *head)
{
	while (head->begin > code && !strchr(";}{", head->begin[-1]) &&
		head->begin[-1] != DIRECTIVE)
		head->begin--;
	*head = trim(*head);
}

static bool is_mark(const struct own_kernel *kernel, const char *word, size_t length)
{
	return kernel->cuda
		       ? same_word(word, length, "__global__")
		       : same_word(word, length, "__kernel") || same_word(word, length, "kernel");
}

/* What an index of a thread counts: blocks, threads of a block, or both. */
enum index_kind {
	INDEX_BLOCK,
	INDEX_THREAD
};

/* Whether a part uses the index in a dimension: blockIdx.x, threadIdx.x; get_group_id(0), get_local_id(0), and
 * get_global_id(0), which is both. */
static bool uses_index(struct span part, enum index_kind kind, size_t axis, bool cuda)
{
	static const char *const words[2][2] = {
		{"get_group_id", "get_local_id"}, {"blockIdx", "threadIdx"}};
	size_t length;

	for (const char *at = next_word(part.begin, part.end, &length); length > 0;
		at = next_word(at + length, part.end, &length)) {
		size_t next_length;
		const char *next = next_word(at + length, part.end, &next_length);
		bool same = same_word(at, length, words[cuda][kind]) ||
			    (!cuda && same_word(at, length, "get_global_id"));
		char expected = (char)((cuda ? 'x' : '0') + (int)axis);
		if (same && next_length == 1 && *next == expected)
			return true;
	}
	return false;
}

static enum pmpp_status find_kernel(struct reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const char *end = kernel->code + strlen(kernel->code);
	struct reader chosen = {0};
	char wanted[OWN_TEXT_BYTES], names[300] = "";
	size_t length, count = 0, matches = 0, marks = 0;

	find_wish(reader, reader->wishes->kernel, "kernel", wanted);
	for (const char *at = next_word(kernel->code, end, &length);
		length > 0 && marks < MAX_MARKS; at = next_word(at + length, end, &length)) {
		struct reader found = *reader;
		struct span name;
		if (!is_mark(kernel, at, length))
			continue;
		marks++;
		if (!read_function(at + length, &found, &name))
			continue;
		text_append(names, sizeof names, "%s%.*s", count++ ? ", " : "",
			(int)(name.end - name.begin), name.begin);
		if (*wanted && !same_word(name.begin, (size_t)(name.end - name.begin), wanted))
			continue;
		matches++;
		chosen = found;
		copy_span(name, kernel->entry, sizeof kernel->entry);
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
	kernel->two_dimensional = uses_index(reader->body, INDEX_BLOCK, 1, kernel->cuda) ||
				  uses_index(reader->body, INDEX_THREAD, 1, kernel->cuda);
	return PMPP_OK;
}

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
	for (size_t i = 0; take_part(&rest, &part); i++) {
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
		put_text(out, kernel->params[i].name);
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
	const char *close = *open == '(' ? closing(open) : NULL;
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

/* Writes the head until after the word `static`, as blanks: it contradicts C linkage. Returns the length of what it
 * wrote, 0 if there is no such word. text: the original of the head. */
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

/* Writes the text with C linkage for the kernel. code: its copy. */
static void put_exported(
	const struct own_kernel *kernel, const char *text, const char *code, struct output *out)
{
	const char *end = code + strlen(code);
	struct span parameters = {0};
	size_t length, copied = 0;

	for (const char *at = next_word(code, end, &length); length > 0;
		at = next_word(at + length, end, &length)) {
		struct reader found = {0};
		struct span name = {0};
		if (!is_mark(kernel, at, length))
			continue;
		bool defined = read_function(at + length, &found, &name);
		if (!same_word(name.begin, (size_t)(name.end - name.begin), kernel->entry))
			continue;
		extend_head(code, &found.head);
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
	if (parameters.begin)
		put_instance(kernel, parameters, out);
}

bool own_kernel_export(const struct own_kernel *kernel, char **text)
{
	char *code = source_code_copy(*text);
	struct output out = {.failed = !code};

	if (code)
		put_exported(kernel, *text, code, &out);
	put(&out, "", 1);
	free(code);
	free(out.failed ? out.text : *text);
	if (!out.failed)
		*text = out.text;
	return !out.failed;
}

/* ---- Templates -------------------------------------------------------------------------------- */

/* Reads the parameters of the template, and their default values. Returns false if there are too many. */
static bool read_template(const struct reader *reader, struct span list)
{
	struct own_kernel *kernel = reader->kernel;
	struct span part;

	while (take_part(&list, &part)) {
		if (kernel->template_count == OWN_MAX_TEMPLATE)
			return false;
		struct own_template_param *param =
			&kernel->template_params[kernel->template_count++];
		const char *equals = memchr(part.begin, '=', (size_t)(part.end - part.begin));
		size_t length;
		const char *end = equals ? equals : part.end;
		for (const char *at = next_word(part.begin, end, &length); length > 0;
			at = next_word(at + length, end, &length))
			copy_span((struct span){at, at + length}, param->name, sizeof param->name);
		if (equals)
			copy_span((struct span){equals + 1, part.end}, param->value,
				sizeof param->value);
	}
	return true;
}

/* Sets the arguments of a template: --instance, a comment, the launch in host code, or default values. */
static enum pmpp_status set_instance(struct reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	char text[OWN_TEXT_BYTES], names[200] = "";
	struct span values = reader->instance, part;
	bool known = true;

	find_wish(reader, reader->wishes->instance, "instance", text);
	if (*text) {
		const char *open = strchr(text, '<'), *begin = open ? open + 1 : text;
		values = (struct span){begin, begin + strcspn(begin, ">")};
	}
	for (size_t i = 0; i < kernel->template_count; i++) {
		struct own_template_param *param = &kernel->template_params[i];
		if (take_part(&values, &part))
			copy_span(part, param->value, sizeof param->value);
		known &= *param->value != '\0';
		text_append(names, sizeof names, "%s%s", i ? ", " : "", param->name);
	}
	if (known && !take_part(&values, &part))
		return PMPP_OK;
	return PMPP_FAIL(reader->error, PMPP_USAGE,
		"%s: %s is a template with the parameters %s: give --instance='VALUE, ...', or add the "
		"line '//pmpp: instance = VALUE, ...'",
		reader->path, kernel->entry, names);
}

static enum pmpp_status find_instance(struct reader *reader)
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
	return PMPP_FAIL(reader->error, PMPP_USAGE,
		"%s: the parameters of the template %s cannot be read", reader->path,
		reader->kernel->entry);
}

/* ---- Parameters ------------------------------------------------------------------------------- */

struct type_row {
	const char *name;
	enum dtype dtype;          /* of elements; DTYPE_COUNT: no operand has them */
	enum plan_arg_kind scalar; /* PLAN_ARG_OPERAND: not possible */
};

static const struct type_row type_rows[] = {
	{"float", DTYPE_F32, PLAN_ARG_FLOAT},
	{"float2", DTYPE_F32, PLAN_ARG_OPERAND},
	{"float4", DTYPE_F32, PLAN_ARG_OPERAND},
	{"int", DTYPE_I32, PLAN_ARG_INT},
	{"int32_t", DTYPE_I32, PLAN_ARG_INT},
	{"int4", DTYPE_I32, PLAN_ARG_OPERAND},
	{"unsigned", DTYPE_U32, PLAN_ARG_INT},
	{"unsigned int", DTYPE_U32, PLAN_ARG_INT},
	{"uint", DTYPE_U32, PLAN_ARG_INT},
	{"uint32_t", DTYPE_U32, PLAN_ARG_INT},
	{"half", DTYPE_F16, PLAN_ARG_OPERAND},
	{"__half", DTYPE_F16, PLAN_ARG_OPERAND},
	{"half2", DTYPE_F16, PLAN_ARG_OPERAND},
	{"unsigned char", DTYPE_U8, PLAN_ARG_OPERAND},
	{"uchar", DTYPE_U8, PLAN_ARG_OPERAND},
	{"uchar3", DTYPE_U8, PLAN_ARG_OPERAND},
	{"uchar4", DTYPE_U8, PLAN_ARG_OPERAND},
	{"uint8_t", DTYPE_U8, PLAN_ARG_OPERAND},
	{"char", DTYPE_U8, PLAN_ARG_OPERAND},
	{"double", DTYPE_COUNT, PLAN_ARG_OPERAND},
	{"long", DTYPE_COUNT, PLAN_ARG_ULONG},
	{"long long", DTYPE_COUNT, PLAN_ARG_ULONG},
	{"unsigned long", DTYPE_COUNT, PLAN_ARG_ULONG},
	{"unsigned long long", DTYPE_COUNT, PLAN_ARG_ULONG},
	{"ulong", DTYPE_COUNT, PLAN_ARG_ULONG},
	{"size_t", DTYPE_COUNT, PLAN_ARG_ULONG},
	{"int64_t", DTYPE_COUNT, PLAN_ARG_ULONG},
	{"uint64_t", DTYPE_COUNT, PLAN_ARG_ULONG},
};

/* Writes the words of the type without qualifiers, and the name, which is the last word. */
static void split_parameter(
	struct span part, struct own_param *param, char ret_type[OWN_NAME_BYTES])
{
	static const char *const qualifiers[] = {"const", "volatile", "restrict", "__restrict__",
		"__restrict", "__global", "global", "__constant", "constant", "__local", "local",
		"__grid_constant__", "struct"};
	size_t length, next_length;

	*ret_type = '\0';
	for (const char *at = next_word(part.begin, part.end, &length); length > 0;) {
		const char *next = next_word(at + length, part.end, &next_length);
		bool qualifier = false;
		for (size_t i = 0; i < COUNT(qualifiers); i++)
			qualifier |= same_word(at, length, qualifiers[i]);
		if (next_length == 0)
			copy_span((struct span){at, at + length}, param->name, sizeof param->name);
		else if (!qualifier)
			text_append(ret_type, OWN_NAME_BYTES, "%s%.*s", *ret_type ? " " : "",
				(int)length, at);
		at = next;
		length = next_length;
	}
}

static enum pmpp_status read_parameter(const struct reader *reader, struct span part)
{
	struct own_kernel *kernel = reader->kernel;
	char type[OWN_NAME_BYTES];
	const struct type_row *row = NULL;

	if (kernel->param_count == PMPP_MAX_ARGS)
		return PMPP_FAIL(reader->error, PMPP_USAGE, "%s: %s has more than %d parameters",
			reader->path, kernel->entry, PMPP_MAX_ARGS);
	struct own_param *param = &kernel->params[kernel->param_count++];
	const char *equals = memchr(part.begin, '=', (size_t)(part.end - part.begin));
	part.end = equals ? equals : part.end;
	struct span array = {part.begin, memchr(part.begin, '[', (size_t)(part.end - part.begin))};
	param->pointer = array.end || memchr(part.begin, '*', (size_t)(part.end - part.begin));
	param->local = !kernel->cuda && (has_word(part.begin, part.end, "__local") ||
						has_word(part.begin, part.end, "local"));
	const char *star = memrchr(part.begin, '*', (size_t)(part.end - part.begin));
	param->read_only = has_word(part.begin, star ? star : part.end, "const") ||
			   has_word(part.begin, part.end, "__constant") ||
			   has_word(part.begin, part.end, "constant");
	split_parameter(array.end ? array : part, param, type);
	for (size_t i = 0; i < kernel->template_count; i++)
		if (strcmp(kernel->template_params[i].name, type) == 0)
			snprintf(type, sizeof type, "%s", kernel->template_params[i].value);
	for (size_t i = 0; i < COUNT(type_rows) && !row; i++)
		row = strcmp(type_rows[i].name, type) == 0 ? &type_rows[i] : NULL;
	if (row && row->dtype < DTYPE_COUNT) {
		param->has_dtype = true;
		param->dtype = row->dtype;
	}
	if (row)
		param->arg = row->scalar;
	if ((!param->pointer && (!row || row->scalar == PLAN_ARG_OPERAND)) ||
		(param->pointer && row && row->dtype == DTYPE_COUNT))
		return PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s: parameter '%s' of %s has the type %s%s: %s cannot have this type",
			reader->path, param->name, kernel->entry, type, param->pointer ? " *" : "",
			param->pointer ? "operands" : "sizes and constants");
	return PMPP_OK;
}

static enum pmpp_status read_parameters(const struct reader *reader)
{
	struct span rest = reader->parameters, part;
	enum pmpp_status status = PMPP_OK;

	while (status == PMPP_OK && take_part(&rest, &part))
		if (!same_word(part.begin, (size_t)(part.end - part.begin), "void"))
			status = read_parameter(reader, part);
	return status;
}

/* ---- The problem ------------------------------------------------------------------------------ */

/* The length of the longest name of the family in a text; 0: none. */
static size_t family_match(const struct family *family, const char *plain)
{
	size_t best = strstr(plain, family->name) ? strlen(family->name) : 0, length;
	const char *end = family->aliases ? family->aliases + strlen(family->aliases) : NULL;

	for (const char *at = end ? next_word(family->aliases, end, &length) : NULL; at && length;
		at = next_word(at + length, end, &length))
		if (length > best && memmem(plain, strlen(plain), at, length))
			best = length;
	return best;
}

static enum pmpp_status find_family(struct reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	char wanted[OWN_TEXT_BYTES], plain[2][OWN_NAME_BYTES];
	size_t best = 0;
	bool several = false;

	find_wish(reader, reader->wishes->problem, "problem", wanted);
	plain_name(kernel->entry, plain[0]);
	plain_name(kernel->name, plain[1]);
	for (size_t i = 0; i < family_count; i++) {
		size_t match = 0;
		for (size_t k = 0; k < 2 && !*wanted && match == 0; k++)
			match = family_match(families[i], plain[k]);
		if (*wanted)
			match = strcmp(wanted, families[i]->name) == 0;
		if (families[i]->internal || match == 0 || match < best)
			continue;
		several = match == best;
		best = match;
		kernel->family = families[i];
	}
	if (best && !several)
		return PMPP_OK;
	if (*wanted)
		return PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s: no problem '%s'; pmpp-run list has the names", reader->path, wanted);
	return PMPP_FAIL(reader->error, PMPP_USAGE,
		"%s: the problem of %s is not known: give --problem=NAME, or add the line "
		"'//pmpp: problem = NAME' (names: pmpp-run list)",
		reader->path, kernel->entry);
}

/* ---- Binding ---------------------------------------------------------------------------------- */

static bool operand_is_bound(const struct own_kernel *kernel, size_t operand)
{
	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_OPERAND && kernel->params[i].index == operand)
			return true;
	return false;
}

static bool size_is_bound(const struct own_kernel *kernel, size_t dim)
{
	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_SIZE && kernel->params[i].index == dim)
			return true;
	return false;
}

/* Whether a pointer can be an operand: outputs are not constant. If as many pointers are constant as there are
 * inputs, the others are no inputs. */
static bool may_be(const struct own_kernel *kernel, const struct own_param *param, size_t operand)
{
	const struct family *family = kernel->family;
	size_t inputs = 0, read_only = 0;

	for (size_t i = 0; i < family->operand_count; i++)
		inputs += family->operands[i].role == OPERAND_IN;
	for (size_t i = 0; i < kernel->param_count; i++)
		read_only += kernel->params[i].pointer && kernel->params[i].read_only;
	if (operand_is_bound(kernel, operand))
		return false;
	return family->operands[operand].role == OPERAND_IN ? param->read_only || read_only < inputs
							    : !param->read_only;
}

/* Binds a parameter to the operand or size that has the name. If several sizes accept it, the first one that no
 * other parameter has. */
static void bind_name(const struct own_kernel *kernel, const char *name, struct own_param *param)
{
	const struct family *family = kernel->family;
	char plain[OWN_NAME_BYTES];

	plain_name(name, plain);
	for (size_t i = 0; i < family->operand_count && param->pointer; i++)
		if (may_be(kernel, param, i) &&
			is_called(plain, family->operands[i].name, family->operands[i].aliases)) {
			param->role = OWN_OPERAND;
			param->index = i;
			return;
		}
	for (size_t i = 0; i < family->dim_count && !param->pointer && param->arg != PLAN_ARG_FLOAT;
		i++) {
		if (!is_called(plain, family->dim_names[i], family->dim_aliases[i]))
			continue;
		bool taken = size_is_bound(kernel, i);
		if (param->role == OWN_SIZE && taken)
			continue;
		param->role = OWN_SIZE;
		param->index = i;
		if (!taken)
			return;
	}
}

static bool parse_value(const char *text, const struct own_param *param, int64_t *ret_value)
{
	char *end;
	float real = strtof(text, &end);
	int32_t bits;

	if (!*text || *end)
		return false;
	if (param->arg != PLAN_ARG_FLOAT) {
		*ret_value = strtoll(text, &end, 0);
		return *end == '\0';
	}
	memcpy(&bits, &real, sizeof bits);
	*ret_value = bits;
	return true;
}

/* Binds the parameters that comments name: "//pmpp: alpha = 1", "//pmpp: width = n". */
static enum pmpp_status bind_comments(const struct reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	char value[OWN_TEXT_BYTES];

	for (size_t i = 0; i < kernel->param_count; i++) {
		struct own_param *param = &kernel->params[i];
		if (!find_comment(reader, param->name, value))
			continue;
		bind_name(kernel, value, param);
		if (param->role == OWN_UNBOUND && !param->pointer &&
			parse_value(value, param, &param->value))
			param->role = OWN_VALUE;
		if (param->role == OWN_UNBOUND)
			return PMPP_FAIL(reader->error, PMPP_USAGE,
				"%s: '//pmpp: %s = %s': %s has no such %s", reader->path,
				param->name, value, kernel->family->name,
				param->pointer ? "operand" : "size, and the value is not a number");
	}
	return PMPP_OK;
}

static void bind_names(struct own_kernel *kernel)
{
	static const struct {
		const char *name;
		float value;
	} factors[] = {{"alpha", 1}, {"beta", 0}}; /* of C = alpha A B + beta C */
	char plain[OWN_NAME_BYTES];

	for (size_t i = 0; i < kernel->param_count; i++) {
		struct own_param *param = &kernel->params[i];
		if (param->local)
			param->role = OWN_LOCAL;
		if (param->role != OWN_UNBOUND)
			continue;
		bind_name(kernel, param->name, param);
		plain_name(param->name, plain);
		for (size_t k = 0; k < COUNT(factors) && param->arg == PLAN_ARG_FLOAT; k++)
			if (!param->pointer && strcmp(plain, factors[k].name) == 0) {
				int32_t bits;
				memcpy(&bits, &factors[k].value, sizeof bits);
				param->role = OWN_VALUE;
				param->value = bits;
			}
	}
}

/* Binds the other pointers in order. */
static void bind_pointers(struct own_kernel *kernel)
{
	for (size_t i = 0; i < kernel->param_count; i++) {
		struct own_param *param = &kernel->params[i];
		for (size_t k = 0; k < kernel->family->operand_count; k++) {
			if (param->role == OWN_UNBOUND && param->pointer &&
				may_be(kernel, param, k)) {
				param->role = OWN_OPERAND;
				param->index = k;
			}
		}
	}
}

/* Binds the other integers in order, if there are as many sizes. A single integer is all sizes. */
static void bind_sizes(struct own_kernel *kernel)
{
	const struct family *family = kernel->family;
	size_t integers = 0, left = 0, dims = 0, required = 0;

	for (size_t i = 0; i < kernel->param_count; i++) {
		const struct own_param *param = &kernel->params[i];
		bool integer =
			!param->pointer && param->arg != PLAN_ARG_FLOAT && param->role != OWN_VALUE;
		integers += integer;
		left += integer && param->role == OWN_UNBOUND;
	}
	for (size_t d = 0; d < family->dim_count; d++) {
		dims += !size_is_bound(kernel, d) && family->dim_default[d] == 0;
		required += family->dim_default[d] == 0;
	}
	kernel->square = integers == 1 && required > 1 && family->takes_squares;
	for (size_t i = 0, d = 0; i < kernel->param_count && (kernel->square || left == dims);
		i++) {
		struct own_param *param = &kernel->params[i];
		if (param->pointer || param->role != OWN_UNBOUND || param->arg == PLAN_ARG_FLOAT)
			continue;
		while (d < family->dim_count &&
			(size_is_bound(kernel, d) || family->dim_default[d]))
			d++;
		if (d < family->dim_count) {
			param->role = OWN_SIZE;
			param->index = d;
		}
	}
	for (size_t d = 0; d < family->dim_count; d++)
		if (!size_is_bound(kernel, d) && !(kernel->square && family->dim_default[d] == 0))
			kernel->unbound |= 1u << d;
}

/* Every parameter must be bound, and every operand and size. */
static enum pmpp_status check_binding(const struct reader *reader)
{
	const struct own_kernel *kernel = reader->kernel;
	const struct family *family = kernel->family;

	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_UNBOUND)
			return PMPP_FAIL(reader->error, PMPP_USAGE,
				"%s: parameter '%s' of %s is not bound: add the line '//pmpp: %s = %s', "
				"with %s (pmpp-run list %s)",
				reader->path, kernel->params[i].name, kernel->entry,
				kernel->params[i].name,
				kernel->params[i].pointer
					? family->operands[family->operand_count - 1].name
					: family->dim_names[0],
				kernel->params[i].pointer ? "an operand of the problem"
							  : "a size of the problem or a number",
				family->name);
	for (size_t i = 0; i + 1 < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_LOCAL)
			return PMPP_FAIL(reader->error, PMPP_USAGE,
				"%s: only the last parameter of %s can be a __local pointer",
				reader->path, kernel->entry);
	for (size_t k = 0; k < family->operand_count; k++)
		if (!operand_is_bound(kernel, k))
			return PMPP_FAIL(reader->error, PMPP_USAGE,
				"%s: no parameter of %s is %s of %s (%s)", reader->path,
				kernel->entry, family->operands[k].name, family->name,
				family->title);
	for (size_t d = 0; d < family->dim_count; d++)
		if ((kernel->unbound >> d & 1) && family->dim_default[d] == 0)
			return PMPP_FAIL(reader->error, PMPP_USAGE,
				"%s: no parameter of %s is the size %s of %s: add a parameter, so "
				"that several sizes can be checked",
				reader->path, kernel->entry, family->dim_names[d], family->name);
	return PMPP_OK;
}

/* The types of the elements choose the type of the problem. */
static enum pmpp_status check_types(const struct reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const struct family *family = kernel->family;

	for (size_t i = 0; i < kernel->param_count; i++) {
		const struct own_param *param = &kernel->params[i];
		if (param->role != OWN_OPERAND || !param->has_dtype)
			continue;
		const struct operand *operand = &family->operands[param->index];
		bool good = param->dtype == operand->dtype;
		if (operand->dtype_of_problem) {
			good = !kernel->has_dtype || kernel->dtype == param->dtype;
			kernel->has_dtype = true;
			kernel->dtype = param->dtype;
			bool takes = family->dtype_count == 0 && param->dtype == DTYPE_F32;
			for (size_t k = 0; k < family->dtype_count; k++)
				takes |= family->dtypes[k] == param->dtype;
			good &= takes;
		}
		if (!good)
			return PMPP_FAIL(reader->error, PMPP_USAGE,
				"%s: the elements of parameter '%s' have another type than %s of "
				"%s (%s)",
				reader->path, param->name, operand->name, family->name,
				family->size_help);
	}
	return PMPP_OK;
}

static enum pmpp_status bind_cleared(const struct reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	char value[OWN_TEXT_BYTES];

	if (!find_comment(reader, "clear", value))
		return PMPP_OK;
	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_OPERAND &&
			strcmp(kernel->params[i].name, value) == 0)
			kernel->cleared |= 1u << kernel->params[i].index;
	if (kernel->cleared)
		return PMPP_OK;
	return PMPP_FAIL(reader->error, PMPP_USAGE,
		"%s: '//pmpp: clear = %s': give the parameter of an operand", reader->path, value);
}

static enum pmpp_status find_operation(const struct reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	char value[OWN_TEXT_BYTES];

	if (!find_comment(reader, "op", value))
		return PMPP_OK;
	for (size_t i = 0; i < PMPP_MAX_CHOICES && kernel->family->ops[i]; i++)
		if (strcmp(kernel->family->ops[i], value) == 0)
			kernel->op = kernel->family->ops[i];
	if (kernel->op)
		return PMPP_OK;
	return PMPP_FAIL(reader->error, PMPP_USAGE,
		"%s: '//pmpp: op = %s': %s has no such operation", reader->path, value,
		kernel->family->name);
}

static enum pmpp_status bind_parameters(const struct reader *reader)
{
	enum pmpp_status status = bind_comments(reader);

	if (status != PMPP_OK)
		return status;
	bind_names(reader->kernel);
	bind_pointers(reader->kernel);
	bind_sizes(reader->kernel);
	status = check_binding(reader);
	if (status == PMPP_OK)
		status = check_types(reader);
	if (status == PMPP_OK)
		status = find_operation(reader);
	return status == PMPP_OK ? bind_cleared(reader) : status;
}

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

/* Finds the value of a macro without parameters: the rest of the line, without comments. */
static bool find_macro(const struct own_kernel *kernel, const char *name, struct span *ret_value)
{
	const char *text = kernel->text;

	for (const char *at = strchr(text, '#'); at; at = strchr(at + 1, '#')) {
		const char *end = at + strcspn(at, "\r\n");
		size_t length, name_length;
		const char *word = next_word(at, end, &length);
		if (kernel->code[at - text] != DIRECTIVE || !same_word(word, length, "define"))
			continue;
		const char *macro = next_word(word + length, end, &name_length);
		struct span value = {macro + name_length, end};
		for (const char *c = value.begin; c + 1 < end && value.end == end; c++)
			if (c[0] == '/' && (c[1] == '/' || c[1] == '*'))
				value.end = c;
		*ret_value = trim(value);
		if (same_word(macro, name_length, name) && macro[name_length] != '(' &&
			ret_value->begin < ret_value->end)
			return true;
	}
	return false;
}

static struct span all_code(const struct own_kernel *kernel)
{
	return (struct span){kernel->code, kernel->code + strlen(kernel->code)};
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
		if (take_part(&rest, ret_value))
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
				closing(open)) {
				*ret_values = (struct span){open + 1, closing(open)};
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
		if (!take_part(&values, &part))
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
			value = (struct span){argument, argument + strlen(argument)};
			return evaluate(&inner, value, ret_number, problem);
		}
	return (find_macro(kernel, text, &value) ||
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
	text = trim(text);
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

/* Finds the first launch of the kernel in host code: NAME<<<grid, block, shared>>>(arguments). */
static void find_call(struct reader *reader)
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
			take_part(&rest, &reader->call[reader->call_count]))
			reader->call_count++;
		const char *brackets = close + 3 + strspn(close + 3, " \t\r\n");
		if (*brackets == '(' && closing(brackets))
			reader->call[3] = (struct span){brackets + 1, closing(brackets)};
	}
	struct span rest = reader->call[3], part;
	for (size_t i = 0; i < PMPP_MAX_ARGS && take_part(&rest, &part); i++)
		copy_span(part, kernel->arguments[i], sizeof kernel->arguments[i]);
}

/* Splits an argument of the launch into the texts of its dimensions. Returns false if it cannot be read. */
static bool split_argument(
	const struct own_kernel *kernel, struct span argument, struct span ret_parts[3])
{
	char name[OWN_NAME_BYTES];
	struct span values = argument;
	size_t length;
	const char *word = next_word(argument.begin, argument.end, &length);

	copy_span(argument, name, sizeof name);
	if (same_word(word, length, "dim3") &&
		closing(word + length + strcspn(word + length, "({")))
		values = (struct span){
			word + length + strcspn(word + length, "({") + 1, argument.end - 1};
	else if (!find_dim3(kernel->code, name, &values)) {
		ret_parts[0] = argument;
		return true;
	}
	for (size_t i = 0; i < 3 && take_part(&values, &ret_parts[i]); i++)
		;
	return ret_parts[0].begin != NULL;
}

/* Splits "16x16", "TILE x TILE" or "256, 4". An x between two numbers, or with spaces around it, separates. */
static void split_wish(char *text, struct span ret_parts[3])
{
	size_t count = 1;

	ret_parts[0] = (struct span){text, text + strlen(text)};
	for (char *at = text + 1, *last = text; *text && at[0] && at[1] && count < 3; at++) {
		bool separates =
			*at == 'x' &&
			((isspace((unsigned char)at[-1]) && isspace((unsigned char)at[1])) ||
				(isdigit((unsigned char)at[-1]) && isdigit((unsigned char)at[1])));
		if (*at == ',') {
			struct span rest = {last, at};
			separates = true;
			for (const char *c = rest.begin; c < rest.end; c++)
				if (*c == '(' && (!closing(c) || closing(c) > at))
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
		if (!(number.value >= 1 && number.value <= 1 << 20)) {
			snprintf(ret_problem, EXPRESSION_PROBLEM_BYTES, "not at least 1: '%.40s'",
				parts[i].begin);
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
			copy_span(parts[i], kernel->grid[i].text, sizeof kernel->grid[i].text);
	}
}

/* The block that an attribute of the head requires: __launch_bounds__(N), reqd_work_group_size(x, y, z). */
static bool find_attribute(const struct reader *reader, const char *name, struct span ret_parts[3])
{
	const char *at = memmem(reader->head.begin, (size_t)(reader->head.end - reader->head.begin),
		name, strlen(name));
	const char *open = at ? at + strlen(name) + strspn(at + strlen(name), " \t\r\n") : NULL;

	if (!open || *open != '(' || !closing(open))
		return false;
	struct span values = {open + 1, closing(open)};
	for (size_t i = 0; i < 3 && take_part(&values, &ret_parts[i]); i++)
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
		if (find_macro(kernel, names[i], ret_value) ||
			find_variable(all_code(kernel), names[i], ret_value)) {
			*ret_name = names[i];
			return true;
		}
	return false;
}

/* The block if no option, comment, attribute or launch has it. */
static void guess_block(struct reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	char problem[EXPRESSION_PROBLEM_BYTES];
	struct span parts[3] = {{0}};

	reader->block_from = "the default";
	if (find_tile(kernel, &parts[0], &reader->block_from)) {
		if (kernel->two_dimensional && !find_macro(kernel, "BLOCK_ROWS", &parts[1]) &&
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

static enum pmpp_status find_block(struct reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	char text[OWN_TEXT_BYTES], problem[EXPRESSION_PROBLEM_BYTES];
	struct span wish[3] = {{0}}, attribute[3] = {{0}}, call[3] = {{0}}, bounds[3] = {{0}};

	find_wish(reader, reader->wishes->block, "block", text);
	if (*text) {
		split_wish(text, wish);
		reader->block_from = "given";
		if (set_block(kernel, wish, true, problem))
			return PMPP_OK;
		return PMPP_FAIL(reader->error, PMPP_USAGE, "%s: the block '%s': %s", reader->path,
			text, problem);
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
	const struct reader *reader, struct span value, enum index_kind kind, size_t axis)
{
	bool cuda = reader->kernel->cuda;
	size_t length;

	if (uses_index(value, kind, axis, cuda))
		return true;
	for (const char *at = next_word(value.begin, value.end, &length); length > 0;
		at = next_word(at + length, value.end, &length)) {
		char name[OWN_NAME_BYTES];
		struct span inner;
		copy_span((struct span){at, at + length}, name, sizeof name);
		if (find_variable(reader->body, name, &inner) &&
			uses_index(inner, kind, axis, cuda))
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

/* Finds the size, or the product of sizes, that bounds a variable: `NAME < size` or `NAME >= size`, alone on its side. */
static struct own_extent bound_of(const struct reader *reader, const char *name, size_t name_length)
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
static void find_extent(const struct reader *reader, size_t axis)
{
	struct own_extent *extent = &reader->kernel->extent[axis];
	const char *end = reader->body.end;
	size_t length;

	for (const char *at = next_word(reader->body.begin, end, &length);
		length > 0 && extent->count == 0; at = next_word(at + length, end, &length)) {
		const char *after = at + length + strspn(at + length, " \t\r\n");
		struct span rest = {after + 1, after + strcspn(after, ";")}, value;
		if (after[0] != '=' || after[1] == '=' || !take_part(&rest, &value) ||
			!depends_on(reader, value, INDEX_BLOCK, axis) ||
			depends_on(reader, value, INDEX_BLOCK, 1 - axis))
			continue;
		*extent = bound_of(reader, at, length);
		extent->blocks = !depends_on(reader, value, INDEX_THREAD, axis);
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
		if (!evaluate(
			    &copy, (struct span){text, text + strlen(text)}, &number, ret_problem))
			return false;
		ret_groups[i] = number.value >= 1 ? (uint64_t)number.value : 1;
	}
	return true;
}

/* A problem with all sizes 64, to see whether texts have values. */
static struct problem sample_problem(const struct own_kernel *kernel)
{
	struct problem problem = problem_default(kernel->family);

	for (size_t d = 0; d < kernel->family->dim_count; d++)
		problem.dim[d] = 64;
	return problem;
}

static enum pmpp_status find_grid(struct reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const struct problem problem = sample_problem(kernel);
	char text[OWN_TEXT_BYTES], reason[EXPRESSION_PROBLEM_BYTES];
	struct span wish[3] = {{0}}, call[3] = {{0}};
	uint64_t groups[3];

	find_wish(reader, reader->wishes->grid, "grid", text);
	reader->grid_from = "given";
	if (*text) {
		split_wish(text, wish);
		set_grid(kernel, wish, true);
		if (grid_of(kernel, &problem, groups, reason))
			return PMPP_OK;
		return PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s: the grid '%s': %s: use the sizes of the problem, parameters and macros",
			reader->path, text, reason);
	}
	reader->grid_from = "from the launch";
	if (reader->call_count > 0 && split_argument(kernel, reader->call[0], call)) {
		set_grid(kernel, call, false);
		if (grid_of(kernel, &problem, groups, reason))
			return PMPP_OK;
	}
	for (size_t i = 0; i < 3; i++)
		*kernel->grid[i].text = '\0';
	for (size_t i = 0; i < 2; i++)
		find_extent(reader, i);
	reader->grid_from = "the default";
	return PMPP_OK;
}

static enum pmpp_status find_shared(struct reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const struct problem sample = sample_problem(kernel);
	char problem[EXPRESSION_PROBLEM_BYTES];
	struct lookup lookup = {.kernel = kernel, .dim = sample.dim, .exact = true};
	struct number number;

	find_wish(reader, reader->wishes->shared, "shared", kernel->shared.text);
	kernel->shared.exact = true;
	if (!*kernel->shared.text && reader->call_count > 2) {
		copy_span(reader->call[2], kernel->shared.text, sizeof kernel->shared.text);
		kernel->shared.exact = lookup.exact = false;
	}
	const char *text = kernel->shared.text;
	if (!*text && kernel->param_count && kernel->params[kernel->param_count - 1].local)
		return PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s: the size of '%s' is missing: add the line '//pmpp: shared = BYTES'",
			reader->path, kernel->params[kernel->param_count - 1].name);
	if (!*text || evaluate(&lookup, (struct span){text, text + strlen(text)}, &number, problem))
		return PMPP_OK;
	return PMPP_FAIL(reader->error, PMPP_USAGE,
		"%s: the size of the dynamic shared memory '%s': %s: add the line '//pmpp: shared = "
		"BYTES'",
		reader->path, text, problem);
}

/* ---- The variant -------------------------------------------------------------------------------- */

static struct plan_arg arg_of(const struct own_param *param, const struct problem *problem)
{
	switch (param->role) {
	case OWN_OPERAND:
		return (struct plan_arg){PLAN_ARG_OPERAND, (int64_t)param->index};
	case OWN_SIZE:
		return (struct plan_arg){param->arg, problem->dim[param->index]};
	case OWN_VALUE:
	case OWN_UNBOUND:
	case OWN_LOCAL:
		break;
	}
	return (struct plan_arg){param->arg, param->value};
}

static uint32_t shared_bytes_of(const struct own_kernel *kernel, const struct problem *problem)
{
	const struct lookup lookup = {
		.kernel = kernel, .dim = problem->dim, .exact = kernel->shared.exact};
	const char *text = kernel->shared.text;
	char reason[EXPRESSION_PROBLEM_BYTES];
	struct number number;

	if (!*text || !evaluate(&lookup, (struct span){text, text + strlen(text)}, &number, reason))
		return 0;
	return (uint32_t)fmin(fmax(number.value, 0), UINT32_MAX);
}

/* variant.plan */
static void plan_own(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	const struct own_kernel *kernel = config->variant->own;
	char reason[EXPRESSION_PROBLEM_BYTES];
	uint64_t groups[3];

	for (size_t i = 0; i < kernel->family->operand_count; i++)
		if (kernel->cleared >> i & 1)
			plan_add_fill(ret_plan, (struct plan_arg){PLAN_ARG_OPERAND, (int64_t)i}, 0);
	if (!grid_of(kernel, problem, groups, reason))
		groups[0] = groups[1] = groups[2] = 1;
	struct plan_launch *launch =
		plan_add_kernel(ret_plan, kernel->launched, 1, kernel->block[0], NULL, 0);
	for (size_t i = 0; i < 3; i++) {
		launch->groups[i] = groups[i];
		launch->block[i] = kernel->block[i];
	}
	launch->shared_bytes = shared_bytes_of(kernel, problem);
	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role != OWN_LOCAL) {
			struct plan_arg arg = arg_of(&kernel->params[i], problem);
			plan_launch_add(launch, arg.kind, arg.value);
		}
}

void own_kernel_fit(const struct own_kernel *kernel, int64_t dim[PMPP_MAX_DIMS])
{
	const struct family *family = kernel->family;

	for (size_t d = 0; d < family->dim_count; d++)
		if (kernel->unbound >> d & 1)
			dim[d] = family->dim_default[d];
		else if (kernel->square && family->dim_default[d] == 0)
			dim[d] = dim[0];
}

/* variant.domain */
static const char *outside(const struct config *config, const struct problem *problem)
{
	const struct own_kernel *kernel = config->variant->own;
	int64_t dim[PMPP_MAX_DIMS];

	memcpy(dim, problem->dim, sizeof dim);
	own_kernel_fit(kernel, dim);
	if (memcmp(dim, problem->dim, sizeof dim) != 0)
		return kernel->square
			       ? "the kernel has one parameter for all sizes, so they must be equal"
			       : "the kernel has no parameter for a size that is not the default";
	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_SIZE && kernel->params[i].arg == PLAN_ARG_INT &&
			dim[kernel->params[i].index] > INT32_MAX)
			return "a size does not fit in the kernel's parameter of 32 bits";
	return NULL;
}

static void make_variant(struct own_kernel *kernel)
{
	const struct family *family = kernel->family;
	const struct operand *output = &family->operands[family->operand_count - 1];

	snprintf(kernel->launched, sizeof kernel->launched, "%s%s", kernel->entry,
		kernel->template_count ? "_instance" : "");
	kernel->variant = (struct variant){.name = kernel->name,
		.technique = "your kernel",
		.idea = "a file of yours; `pmpp-run try` checks its result",
		.book = "-",
		.base = family->variants[0].name,
		.file = kernel->name,
		.entry = kernel->launched,
		.own = kernel,
		.one_sided = !kernel->cuda,
		.cuda_only = kernel->cuda,
		.repro = REPRO_BOUND,
		.plan = plan_own,
		.domain = outside};
	for (size_t d = 0; d < family->dim_count; d++)
		if (family->dim_default[d] == 0)
			kernel->variant.tile[d].times =
				(int)kernel->block[kernel->two_dimensional &&
						   (int)d == output->rows_dim];
}

static void add_dims(const struct own_kernel *kernel, char *text)
{
	const struct family *family = kernel->family;

	for (size_t d = 0; d < family->dim_count; d++)
		if (family->dim_default[d] == 0)
			text_append(text, OWN_SUMMARY_BYTES, " = %s", family->dim_names[d]);
}

/* " for n x m threads", " for rows blocks", " for one thread per element". */
static void add_default_grid(const struct own_kernel *kernel, char *text)
{
	size_t axes = kernel->two_dimensional ? 2 : 1;
	bool known = true;

	for (size_t i = 0; i < axes; i++)
		known &= kernel->extent[i].count > 0;
	text_append(text, OWN_SUMMARY_BYTES, "for ");
	for (size_t i = 0; i < axes && known; i++)
		for (size_t k = 0; k < kernel->extent[i].count; k++)
			text_append(text, OWN_SUMMARY_BYTES, "%s%s",
				k   ? " * "
				: i ? " x "
				    : "",
				kernel->family->dim_names[kernel->extent[i].dims[k]]);
	text_append(text, OWN_SUMMARY_BYTES, "%s",
		!known                     ? "one thread per element"
		: kernel->extent[0].blocks ? " blocks"
					   : " threads");
}

static void write_summary(const struct reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const struct family *family = kernel->family;
	char *text = kernel->summary;

	snprintf(
		text, OWN_SUMMARY_BYTES, "%s: %s by %s", kernel->file, family->name, kernel->entry);
	for (size_t i = 0; i < kernel->template_count; i++)
		text_append(text, OWN_SUMMARY_BYTES, "%s%s%s", i ? ", " : "<",
			kernel->template_params[i].value,
			i + 1 == kernel->template_count ? ">" : "");
	text_append(text, OWN_SUMMARY_BYTES, "(");
	for (size_t i = 0; i < kernel->param_count; i++) {
		const struct own_param *param = &kernel->params[i];
		const char *bound = param->role == OWN_OPERAND ? family->operands[param->index].name
				    : param->role == OWN_SIZE  ? family->dim_names[param->index]
							       : NULL;
		text_append(text, OWN_SUMMARY_BYTES, "%s%s", i ? ", " : "", param->name);
		if (param->role == OWN_SIZE && kernel->square)
			add_dims(kernel, text);
		else if (bound && strcmp(bound, param->name) != 0)
			text_append(text, OWN_SUMMARY_BYTES, " = %s", bound);
	}
	text_append(text, OWN_SUMMARY_BYTES, "), block %u", kernel->block[0]);
	for (size_t i = 1; i < 3 && (kernel->block[i] > 1 || kernel->block[2] > 1); i++)
		text_append(text, OWN_SUMMARY_BYTES, "x%u", kernel->block[i]);
	text_append(text, OWN_SUMMARY_BYTES, " (%s), grid ", reader->block_from);
	for (size_t i = 0; i < 3 && *kernel->grid[i].text; i++)
		text_append(text, OWN_SUMMARY_BYTES, "%s%s", i ? ", " : "", kernel->grid[i].text);
	if (!*kernel->grid[0].text)
		add_default_grid(kernel, text);
	if (strcmp(reader->grid_from, "the default") != 0)
		text_append(text, OWN_SUMMARY_BYTES, " (%s)", reader->grid_from);
	if (*kernel->shared.text)
		text_append(text, OWN_SUMMARY_BYTES, ", %s bytes of dynamic shared memory",
			kernel->shared.text);
}

/* ---- Reading ------------------------------------------------------------------------------------ */

/* Sets names and language from the path. */
static enum pmpp_status read_path(const struct reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const char *slash = strrchr(reader->path, '/');
	const char *file = slash ? slash + 1 : reader->path;
	const char *point = strrchr(file, '.');

	if (!point || point == file || (strcmp(point, ".cu") != 0 && strcmp(point, ".cl") != 0))
		return PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s: the name of a kernel file ends in .cu or .cl", reader->path);
	kernel->cuda = strcmp(point, ".cu") == 0;
	kernel->folder =
		slash ? strndup(reader->path, (size_t)(slash - reader->path) + 1) : strdup(".");
	if (!kernel->folder)
		return PMPP_FAIL(
			reader->error, PMPP_OUT_OF_MEMORY, "no memory for %s", reader->path);
	copy_span((struct span){file, point}, kernel->name, sizeof kernel->name);
	for (char *at = kernel->name; *at; at++)
		if (!is_word(*at) && !strchr("-.", *at))
			*at = '_';
	return PMPP_OK;
}

static enum pmpp_status read_all(struct reader *reader)
{
	enum pmpp_status status = find_kernel(reader);

	if (status == PMPP_OK) {
		find_call(reader);
		status = find_instance(reader);
	}
	if (status == PMPP_OK)
		status = read_parameters(reader);
	if (status == PMPP_OK)
		status = check_comments(reader);
	if (status == PMPP_OK)
		status = find_family(reader);
	if (status == PMPP_OK && !reader->kernel->family->reference)
		status = PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s: the variants of %s have different results: choose another problem",
			reader->path, reader->kernel->family->name);
	if (status == PMPP_OK)
		status = bind_parameters(reader);
	if (status == PMPP_OK)
		status = find_block(reader);
	if (status == PMPP_OK)
		status = find_grid(reader);
	return status == PMPP_OK ? find_shared(reader) : status;
}

enum pmpp_status own_kernel_read(const char *path, const char *text,
	const struct own_wishes *wishes, struct own_kernel **ret_kernel, struct pmpp_error *error)
{
	struct own_kernel *kernel = calloc(1, sizeof *kernel);
	struct reader reader = {.kernel = kernel, .wishes = wishes, .path = path, .error = error};
	enum pmpp_status status = PMPP_OK;

	if (kernel) {
		kernel->text = strdup(text);
		kernel->code = source_code_copy(text);
	}
	if (!kernel || !kernel->text || !kernel->code)
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for %s", path);
	if (status == PMPP_OK)
		status = read_path(&reader);
	if (status == PMPP_OK)
		status = read_all(&reader);
	if (status == PMPP_OK) {
		const char *slash = strrchr(path, '/');
		kernel->file = slash ? slash + 1 : path;
		make_variant(kernel);
		write_summary(&reader);
		*ret_kernel = kernel;
		return PMPP_OK;
	}
	own_kernel_destroy(kernel);
	return status;
}

void own_kernel_destroy(struct own_kernel *kernel)
{
	if (!kernel)
		return;
	free(kernel->folder);
	free(kernel->code);
	free(kernel->text);
	free(kernel);
}
