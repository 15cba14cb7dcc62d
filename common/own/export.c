/* The source that is compiled: the kernel has C linkage, and a kernel calls the instance of a template. */
#include "common/own/reader.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/host_code.h"
#include "common/words.h"

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
		if (!own_is_mark(kernel, at, length))
			continue;
		bool defined = own_read_function(at + length, &found, &name);
		if (!same_word(name.begin, (size_t)(name.end - name.begin), kernel->entry))
			continue;
		own_extend_head(code, &found.head);
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

/* Names that nvcc knows from headers of the host, and NVRTC and the emulator do not. The headers are left out
 * (host_code_blank_headers()). */
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
