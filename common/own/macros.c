/* Macros: of directives, of options (-D TILE=16) and of comments (//pmpp: define = TILE=16, REAL=float). */
#include "common/own/reader.h"

#include <ctype.h>
#include <string.h>

#include "common/words.h"

/* A directive: #define NAME VALUE, #ifndef NAME. */
struct directive {
	struct span word, name, rest; /* rest: of the line, without a comment */
};

/* Reads the next directive from *at on. Returns false if there is no more. */
static bool next_directive(
	const struct own_kernel *kernel, const char **at, struct directive *ret_directive)
{
	const char *text = kernel->text;

	for (const char *hash = strchr(*at, '#'); hash; hash = strchr(hash + 1, '#')) {
		const char *end = hash + strcspn(hash, "\r\n");
		size_t length, name_length;
		if (kernel->code[hash - text] != DIRECTIVE)
			continue;
		const char *word = next_word(hash, end, &length);
		const char *name = next_word(word + length, end, &name_length);
		struct span rest = {name + name_length, end};
		for (const char *c = rest.begin; c + 1 < end && rest.end == end; c++)
			if (c[0] == '/' && (c[1] == '/' || c[1] == '*'))
				rest.end = c;
		*ret_directive =
			(struct directive){{word, word + length}, {name, name + name_length}, rest};
		*at = end;
		return true;
	}
	return false;
}

bool own_find_macro(const struct own_kernel *kernel, const char *name, struct span *ret_value)
{
	const char *at = kernel->text;
	struct directive found;

	for (size_t i = 0; i < kernel->macro_count; i++)
		if (strcmp(kernel->macros[i].name, name) == 0) {
			const char *value = kernel->macros[i].value;
			*ret_value = span_of(value);
			return true;
		}
	while (next_directive(kernel, &at, &found)) {
		if (!span_is(found.word, "define") || !span_is(found.name, name) ||
			*found.name.end == '(')
			continue;
		*ret_value = span_trim(found.rest);
		if (ret_value->begin < ret_value->end)
			return true;
	}
	return false;
}

/* A #define without a condition would win over the macro. */
static enum pmpp_status check_guard(const struct own_reader *reader, const char *name)
{
	const char *text = reader->kernel->text, *at = text;
	struct directive found;
	bool guarded = false;
	int line = 1;

	while (next_directive(reader->kernel, &at, &found)) {
		guarded |= !span_is(found.word, "define") &&
			   has_word(found.name.begin, found.rest.end, name);
		if (guarded || !span_is(found.word, "define") || !span_is(found.name, name))
			continue;
		for (const char *c = text; c < found.name.begin; c++)
			line += *c == '\n';
		return PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s:%d: '#define %s' would replace -D %s: put '#ifndef %s' before it and "
			"'#endif' after it",
			reader->path, line, name, name, name);
	}
	return PMPP_OK;
}

/* Adds the macros of a list. Names that the kernel has keep their values. */
static enum pmpp_status add_macros(const struct own_reader *reader, const char *list)
{
	struct own_kernel *kernel = reader->kernel;
	struct span rest = span_of(list), part;
	enum pmpp_status status = PMPP_OK;

	while (status == PMPP_OK && span_take_part(&rest, &part)) {
		struct own_macro macro = {.value = "1"};
		const char *equals = span_find(part, '=');
		struct span name = span_trim((struct span){part.begin, equals ? equals : part.end});
		size_t length = 0;
		const char *word = next_word(name.begin, name.end, &length);
		bool good = word == name.begin && word + length == name.end && length > 0 &&
			    length < OWN_NAME_BYTES && !isdigit((unsigned char)*word);
		bool known = false;
		span_copy(name, macro.name, sizeof macro.name);
		if (equals)
			span_copy((struct span){equals + 1, part.end}, macro.value,
				sizeof macro.value);
		for (size_t i = 0; i < kernel->macro_count; i++)
			known |= strcmp(kernel->macros[i].name, macro.name) == 0;
		if (!good || !*macro.value || (!known && kernel->macro_count == OWN_MAX_MACROS))
			return OWN_REFUSE(reader,
				"macro '%.*s': give NAME=VALUE, at most %d of them",
				(int)(part.end - part.begin), part.begin, OWN_MAX_MACROS);
		if (!known) {
			kernel->macros[kernel->macro_count++] = macro;
			status = check_guard(reader, macro.name);
		}
	}
	return status;
}

enum pmpp_status own_read_macros(const struct own_reader *reader)
{
	char list[OWN_TEXT_BYTES];
	enum pmpp_status status = add_macros(reader, reader->wishes->macros);

	if (status == PMPP_OK && own_comment(reader, "define", list))
		status = add_macros(reader, list);
	return status;
}
