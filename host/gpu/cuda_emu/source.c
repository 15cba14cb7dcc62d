/*
 * Prepares a kernel's text for the C++ compiler: finds entries, dynamic shared memory, variables in
 * global memory and inline PTX. This is not a parser: it scans words, brackets and statements of a
 * copy in which comments, strings and preprocessor lines are blank. The lines from
 * "#ifdef __CUDA_ARCH__" to its "#else" or "#endif" are blank too: they are for GPUs only.
 */
#include "host/gpu/cuda_emu/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 256

struct scan {
	const char *source; /* as written */
	char *text;         /* the same length, blanked */
	FILE *source_out, *entries_out;
	const char *copied;          /* in source: end of the part that is in source_out */
	const char *statement;       /* in text: start of the current statement */
	bool in_function[MAX_DEPTH]; /* for each depth of braces */
	size_t depth;
	bool device_variables, inline_ptx;
};

static bool is_word(char c)
{
	return c == '_' || isalnum((unsigned char)c);
}

static bool same(const char *word, size_t length, const char *text)
{
	return strlen(text) == length && memcmp(word, text, length) == 0;
}

/* Returns the address after the white space before the next line that is a directive; the end of the
 * text if there is none. */
static const char *next_directive(const char *at)
{
	while (*at) {
		at += strcspn(at, "\n");
		at += *at == '\n';
		const char *first = at + strspn(at, " \t");
		if (*first == '#')
			return first;
	}
	return at;
}

/* Returns whether the directive at `at` begins with the word. */
static bool is_directive(const char *at, const char *word)
{
	const char *name = at + 1 + strspn(at + 1, " \t");

	return strncmp(name, word, strlen(word)) == 0;
}

/* If the directive at `at` begins a part for GPUs only, returns the directive that ends this part.
 * Otherwise returns NULL. */
static const char *end_of_gpu_part(const char *at)
{
	int depth = 1;

	if (!is_directive(at, "ifdef __CUDA_ARCH__\n"))
		return NULL;
	for (at = next_directive(at); *at; at = next_directive(at)) {
		depth += is_directive(at, "if");
		depth -= is_directive(at, "endif");
		if (depth == 0 || (depth == 1 && is_directive(at, "el"))) /* else, elif */
			break;
	}
	return at;
}

/* Returns the end of the comment, string, character, directive or part for GPUs that begins at `at`;
 * `at` if none begins there. */
static const char *skip_blank(const char *at, bool line_begins)
{
	const char *end = at;

	if (at[0] == '/' && at[1] == '*') {
		end = strstr(at + 2, "*/");
		return end ? end + 2 : at + strlen(at);
	}
	if (at[0] == '/' && at[1] == '/')
		return at + strcspn(at, "\n");
	if (at[0] == '"' || at[0] == '\'') {
		for (end = at + 1; *end && *end != at[0] && *end != '\n'; end++)
			end += end[0] == '\\' && end[1];
		return *end == at[0] ? end + 1 : end;
	}
	if (at[0] == '#' && line_begins && end_of_gpu_part(at))
		return end_of_gpu_part(at);
	if (at[0] == '#' && line_begins)
		while (*end && (*end != '\n' || end[-1] == '\\'))
			end++;
	return end;
}

static char *blanked(const char *source)
{
	char *text = strdup(source);
	bool line_begins = true;

	for (const char *at = source; text && *at;) {
		const char *end = skip_blank(at, line_begins);

		if (end == at) {
			line_begins = *at == '\n' || (line_begins && isspace((unsigned char)*at));
			at++;
			continue;
		}
		bool language = same(at, (size_t)(end - at), "\"C\"");
		for (; at < end; at++)
			if (*at != '\n' && !language)
				text[at - source] = ' ';
	}
	return text;
}

static const char *next_word(const char *at, const char *end, size_t *ret_length)
{
	while (at < end && !is_word(*at))
		at++;
	*ret_length = 0;
	while (at + *ret_length < end && is_word(at[*ret_length]))
		++*ret_length;
	return at;
}

static bool has_word(const char *at, const char *end, const char *text)
{
	size_t length;

	for (at = next_word(at, end, &length); length > 0;
		at = next_word(at + length, end, &length))
		if (same(at, length, text))
			return true;
	return false;
}

static const char *skip_space(const char *at)
{
	return at + strspn(at, " \t\r\n\f\v");
}

/* Returns the address after the bracket that closes the bracket at `at`. */
static const char *skip_brackets(const char *at)
{
	int depth = 0;

	do
		depth += (*at == '(') - (*at == ')');
	while (*at++ && depth > 0 && *at);
	return at;
}

/* Whether the word is an attribute with brackets, not the name of a function. */
static bool is_attribute(const char *word, size_t length)
{
	static const char *const words[] = {"__launch_bounds__", "__align__", "__attribute__",
		"__cluster_dims__", "__maxnreg__", "alignas", "decltype"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (same(word, length, words[i]))
			return true;
	return false;
}

/* Returns the name and the opening bracket of the function that a statement declares; NULL if it
 * declares none. */
static const char *function_name(const char *at, size_t *ret_length, const char **ret_bracket)
{
	const char *end = at + strcspn(at, ";{}=");
	size_t length;

	for (at = next_word(at, end, &length); length > 0; at = next_word(at, end, &length)) {
		const char *after = skip_space(at + length);

		if (*after != '(') {
			at += length;
			continue;
		}
		if (!is_attribute(at, length)) {
			*ret_length = length;
			*ret_bracket = after;
			return at;
		}
		at = skip_brackets(after);
		end = at + strcspn(at, ";{}=");
	}
	return NULL;
}

/* At __global__: adds an entry if the statement is a definition, but not a template. */
static void scan_kernel(struct scan *scan, const char *word)
{
	size_t length;
	const char *bracket;
	const char *name = function_name(scan->statement, &length, &bracket);

	if (!name || has_word(scan->statement, word, "template"))
		return;
	if (*skip_space(skip_brackets(bracket)) == '{')
		fprintf(scan->entries_out, "PMPP_EMU_ENTRY(%.*s)\n", (int)length, name);
}

/* At `extern __shared__ T x[];`: writes a pointer to the block's dynamic shared memory instead,
 * because C++ has no extern static. Outside of functions the memory does not exist yet: there the
 * function writes an object that converts to the pointer at each use. Line numbers do not change.
 * Returns the end of the declaration. */
static const char *scan_dynamic(struct scan *scan, const char *word, const char *type)
{
	const char *end = type + strcspn(type, ";");
	const char *bracket = memchr(type, '[', (size_t)(end - type));
	const char *name_end = bracket;

	if (*end != ';' || !bracket)
		return type;
	while (name_end > type && !is_word(name_end[-1]))
		name_end--;
	const char *name = name_end;
	while (name > type && is_word(name[-1]))
		name--;
	int length = (int)(name_end - name);
	fwrite(scan->copied, 1, (size_t)(word - scan->text + scan->source - scan->copied),
		scan->source_out);
	if (scan->in_function[scan->depth]) {
		fprintf(scan->source_out,
			"%.*s *%.*s = (decltype(%.*s))pmpp_emu_state.dynamic_shared;",
			(int)(name - type), type, length, name, length, name);
	} else {
		const char *plain = type;
		size_t plain_length;
		const char *first = next_word(type, name, &plain_length);
		if (is_attribute(first, plain_length))
			plain = skip_brackets(skip_space(first + plain_length));
		fprintf(scan->source_out, "static const pmpp_emu_dynamic<%.*s> %.*s{};",
			(int)(name - plain), plain, length, name);
	}
	for (const char *at = word; at < end; at++)
		if (*at == '\n')
			fputc('\n', scan->source_out);
	scan->copied = scan->source + (end + 1 - scan->text);
	scan->statement = end + 1;
	return end + 1;
}

static const char *scan_word(struct scan *scan, const char *word, size_t length)
{
	const char *after = word + length;

	if (same(word, length, "__global__")) {
		scan_kernel(scan, word);
	} else if (same(word, length, "extern")) {
		size_t next_length;
		const char *next = next_word(after, after + strlen(after), &next_length);
		if (next == skip_space(after) && same(next, next_length, "__shared__"))
			return scan_dynamic(scan, word, next + next_length);
	} else if (same(word, length, "__device__") || same(word, length, "__managed__")) {
		size_t name_length;
		const char *bracket;
		/* In a function it is a static variable, or a lambda, which one worker also runs. */
		if (!has_word(scan->statement, word, "__constant__") &&
			(scan->in_function[scan->depth] ||
				!function_name(scan->statement, &name_length, &bracket)))
			scan->device_variables = true;
	} else if (same(word, length, "asm") || same(word, length, "__asm__") ||
		   same(word, length, "__asm")) {
		scan->inline_ptx = true;
	}
	return after;
}

static void scan_brace(struct scan *scan, const char *at)
{
	if (*at == '{' && scan->depth + 1 < MAX_DEPTH) {
		/* In the braces of `extern "C"` and of a namespace there are declarations. */
		bool declarations = !memchr(scan->statement, '(', (size_t)(at - scan->statement)) &&
				    (has_word(scan->statement, at, "extern") ||
					    has_word(scan->statement, at, "namespace"));
		bool inside = scan->in_function[scan->depth] || !declarations;
		scan->in_function[++scan->depth] = inside;
	} else if (*at == '}' && scan->depth > 0) {
		scan->depth--;
	}
}

static void scan_text(struct scan *scan)
{
	scan->copied = scan->source;
	scan->statement = scan->text;
	for (const char *at = scan->text; *at;) {
		size_t length = 0;

		while (is_word(at[length]))
			length++;
		if (length > 0) {
			at = scan_word(scan, at, length);
			continue;
		}
		if (*at == '{' || *at == '}')
			scan_brace(scan, at);
		if (*at == '{' || *at == '}' || *at == ';')
			scan->statement = at + 1;
		at++;
	}
	fputs(scan->copied, scan->source_out);
}

enum pmpp_status cuda_emu_prepare(
	const struct gpu_program_desc *desc, char **ret_text, struct pmpp_error *error)
{
	struct scan scan = {.source = desc->source, .text = blanked(desc->source)};
	char *source = NULL, *entries = NULL, *text = NULL;
	size_t source_size, entries_size, text_size;

	scan.source_out = open_memstream(&source, &source_size);
	scan.entries_out = open_memstream(&entries, &entries_size);
	FILE *out = open_memstream(&text, &text_size);
	if (scan.text && scan.source_out && scan.entries_out && out) {
		scan_text(&scan);
		fflush(scan.source_out);
		fflush(scan.entries_out);
		fprintf(out, "#line 1 \"%s\"\n%s\n#line 1 \"entries\"\n%s%s", desc->name, source,
			entries, scan.device_variables ? "PMPP_EMU_GLOBAL\n" : "");
	}
	bool whole = scan.text && scan.source_out && scan.entries_out && out;
	if (scan.source_out)
		fclose(scan.source_out);
	if (scan.entries_out)
		fclose(scan.entries_out);
	if (out)
		fclose(out);
	free(source);
	free(entries);
	free(scan.text);
	if (whole && !scan.inline_ptx) {
		*ret_text = text;
		return PMPP_OK;
	}
	free(text);
	if (!whole)
		return PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "%s: no memory to build it", desc->name);
	return PMPP_FAIL(
		error, PMPP_UNSUPPORTED, "%s: the emulator cannot run inline PTX", desc->name);
}
