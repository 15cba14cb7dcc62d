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

/* Writes the text with C linkage for the kernel. code: its copy. */
static void put_exported(
	const struct own_kernel *kernel, const char *text, const char *code, struct output *out)
{
	const char *end = code + strlen(code);
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

/* The text has no macros of the compiler's command line: short names there break headers of vendors. */
static void put_macros(const struct own_kernel *kernel, struct output *out)
{
	for (size_t i = 0; i < kernel->macro_count; i++) {
		put_text(out, "#define ");
		put_text(out, kernel->macros[i].name);
		put_text(out, " ");
		put_text(out, kernel->macros[i].value);
		put_text(out, "\n");
	}
	if (kernel->macro_count > 0)
		put_text(out, "#line 1\n");
}

static bool export_one(const struct own_kernel *kernel, char **text)
{
	char *code = source_code_copy(*text);
	struct output out = {.failed = !code};

	put_macros(kernel, &out);
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
