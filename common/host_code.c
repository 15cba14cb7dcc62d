/*
 * This is not a parser: it scans the words and brackets of a copy in which comments, strings and directives
 * are blank. At the level of declarations the file consists of items, which end at a semicolon or a brace.
 */
#include "common/host_code.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/text.h"
#include "common/words.h"

#define DIRECTIVE '\1' /* in the copy: a character of a directive */
#define COUNT(array) (sizeof(array) / sizeof *(array))

struct item {
	const char *begin, *head_end, *end; /* in the copy; head: before the brace or semicolon */
	const char *name;                   /* of a function; NULL: it is none */
	size_t name_length;
	bool host; /* uses the host's libraries, starts a kernel, or is a variable of the host */
	bool kept;
};

struct host_scan {
	char *text;
	char *code; /* the copy */
	struct item *items;
	size_t count, capacity;
	bool is_host; /* the file has host code */
};

/* ---- Words --------------------------------------------------------------------------------- */

static bool has_one_of(const char *at, const char *end, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (has_word(at, end, words[i]))
			return true;
	return false;
}

static bool names_device(const char *at, const char *end)
{
	static const char *const words[] = {
		"__global__", "__device__", "__constant__", "__shared__", "__managed__"};

	return has_one_of(at, end, words, COUNT(words));
}

/* Whether the file defines a macro with this name that contains `__device__` or a similar word. */
static bool is_device_macro(const char *text, const char *word, size_t length)
{
	static const char define[] = "define";

	for (const char *at = text; (at = strstr(at, define)); at++) {
		const char *end = at + strcspn(at, "\n");
		size_t name_length;
		while (*end && end[-1] == '\\')
			end += 1 + strcspn(end + 1, "\n");
		const char *name = next_word(at + strlen(define), end, &name_length);
		if (name_length == length && memcmp(name, word, length) == 0 &&
			names_device(name, end))
			return true;
	}
	return false;
}

/* A function has a mark such as __device__ in its head; another item can have it anywhere. */
static bool is_device(const struct host_scan *scan, const struct item *item)
{
	const char *end = item->head_end;
	size_t length;

	if (names_device(item->begin, item->name ? end : item->end))
		return true;
	for (const char *at = next_word(item->begin, end, &length); length > 0;
		at = next_word(at + length, end, &length))
		if (is_device_macro(scan->text, at, length))
			return true;
	return false;
}

/* Whether a part starts a kernel, or uses the CUDA runtime (cudaMalloc, cudaError_t) or namespace std. */
static bool uses_host(const char *at, const char *end)
{
	static const char cuda[] = "cuda", launch[] = "<<<";
	size_t length;

	if (memmem(at, (size_t)(end - at), launch, strlen(launch)))
		return true;
	for (at = next_word(at, end, &length); length > 0;
		at = next_word(at + length, end, &length))
		if ((length > strlen(cuda) && memcmp(at, cuda, strlen(cuda)) == 0 &&
			    isupper((unsigned char)at[strlen(cuda)])) ||
			same_word(at, length, "std"))
			return true;
	return false;
}

/* ---- The copy ------------------------------------------------------------------------------ */

static const char *end_of_quotes(const char *at)
{
	const char *end = at + 1;

	for (; *end && *end != *at && *end != '\n'; end++)
		end += end[0] == '\\' && end[1];
	return *end == *at ? end + 1 : end;
}

/* R"x(...)x" */
static const char *end_of_raw_string(const char *at)
{
	char close[24];
	int length = (int)strcspn(at + 2, "(");

	if (length > 16)
		return end_of_quotes(at + 1);
	snprintf(close, sizeof close, ")%.*s\"", length, at + 2);
	const char *end = strstr(at, close);
	return end ? end + strlen(close) : at + strlen(at);
}

static const char *end_of_directive(const char *at)
{
	bool in_comment = false; /* to the end of the line */

	for (; *at && (*at != '\n' || at[-1] == '\\'); at++) {
		in_comment |= at[0] == '/' && at[1] == '/';
		if (!in_comment && at[0] == '/' && at[1] == '*') {
			const char *end = strstr(at + 2, "*/");
			at = end ? end + 1 : at + strlen(at) - 1;
		}
	}
	return at;
}

/* Returns the end of the part without code that begins at `at`; `at` if none begins there. */
static const char *end_of_blank(const char *begin, const char *at, bool line_begins)
{
	bool in_word = at > begin && is_word(at[-1]);
	const char *end;

	if (at[0] == '/' && at[1] == '*') {
		end = strstr(at + 2, "*/");
		return end ? end + 2 : at + strlen(at);
	}
	if (at[0] == '/' && at[1] == '/')
		return at + strcspn(at, "\n");
	if (at[0] == 'R' && at[1] == '"' && !in_word)
		return end_of_raw_string(at);
	if (at[0] == '"' || (at[0] == '\'' && !in_word)) /* 1'000 is a number */
		return end_of_quotes(at);
	return at[0] == '#' && line_begins ? end_of_directive(at) : at;
}

char *source_code_copy(const char *text)
{
	char *code = strdup(text);
	bool line_begins = true;

	for (const char *at = text; code && *at;) {
		const char *end = end_of_blank(text, at, line_begins);
		char blank = *at == '#' ? DIRECTIVE : ' ';
		if (end == at) {
			line_begins = *at == '\n' || (line_begins && isspace((unsigned char)*at));
			at++;
			continue;
		}
		for (; at < end; at++)
			if (*at != '\n')
				code[at - text] = blank;
	}
	return code;
}

/* ---- Items --------------------------------------------------------------------------------- */

/* Returns the end of the braces at `at`; NULL if they do not close. */
static const char *end_of_braces(const char *at)
{
	int depth = 0;

	for (; *at; at++) {
		depth += (*at == '{') - (*at == '}');
		if (depth == 0)
			return at + 1;
	}
	return NULL;
}

/* Returns the end of `template <...>`, or `at` if the item is not a template. */
static const char *after_template(const char *at, const char *end)
{
	size_t length;
	const char *word = next_word(at, end, &length);
	int depth = 0;

	if (!same_word(word, length, "template"))
		return at;
	for (word += length; word < end; word++) {
		depth += (*word == '<') - (*word == '>');
		if (depth == 0 && *word == '>')
			return word + 1;
	}
	return at;
}

/* Whether there is an equals sign outside of brackets: values follow. */
static bool has_values(const char *at, const char *end)
{
	int depth = 0;

	for (; at < end; at++) {
		depth += (*at == '(') - (*at == ')');
		if (depth == 0 && *at == '=')
			return true;
	}
	return false;
}

/* Sets the name of a function: the word before the first bracket that does not belong to an attribute. An
 * operator has the name "operator". */
static void find_name(struct item *item)
{
	static const char *const types[] = {"struct", "class", "union", "enum"};
	static const char *const attributes[] = {
		"__launch_bounds__", "__attribute__", "__align__", "alignas", "decltype"};
	const char *end = item->head_end, *before = NULL;
	const char *begin = after_template(item->begin, end);
	size_t length, before_length = 0;

	if (*end != '{')
		return;
	for (const char *at = next_word(begin, end, &length); length > 0;
		at = next_word(at + length, end, &length)) {
		const char *after = at + length + strspn(at + length, " \t\r\n");
		bool is_operator = same_word(at, length, "operator");
		if (has_values(begin, at))
			return;
		/* `struct NAME(...)`: a macro with attributes */
		if (is_operator ||
			(*after == '(' &&
				!has_one_of(at, at + length, attributes, COUNT(attributes)) &&
				!(before && has_one_of(before, before + before_length, types,
						    COUNT(types))))) {
			item->name = at;
			item->name_length = length;
			return;
		}
		before = at;
		before_length = length;
	}
}

/* Returns where the head of an item ends: at a brace, a semicolon, or the end of the text. */
static const char *end_of_head(const char *at)
{
	int depth = 0;

	for (; *at; at++) {
		depth += (*at == '(') - (*at == ')');
		if (depth <= 0 && strchr("{};", *at))
			break;
	}
	return at;
}

/* Whether the braces have declarations: extern "C", namespace. */
static bool opens_declarations(const char *at, const char *end)
{
	static const char *const words[] = {"extern", "namespace"};

	return *end == '{' && !memchr(at, '(', (size_t)(end - at)) &&
	       !memchr(at, '=', (size_t)(end - at)) && has_one_of(at, end, words, COUNT(words));
}

/* Whether the item is a variable of the host, which kernels cannot use: no function, no type, no constant. */
static bool is_variable(const struct item *item)
{
	static const char *const others[] = {"typedef", "using", "struct", "class", "union", "enum",
		"template", "namespace", "static_assert", "constexpr", "extern"};
	const size_t length = (size_t)(item->head_end - item->begin);
	const char *equals = memchr(item->begin, '=', length);
	const char *end = equals ? equals : item->head_end;

	return !item->name && !has_one_of(item->begin, end, others, COUNT(others)) &&
	       !memchr(item->begin, '(', (size_t)(end - item->begin)) &&
	       (!has_word(item->begin, end, "const") ||
		       memchr(item->begin, '*', (size_t)(end - item->begin)));
}

static bool add_item(struct host_scan *scan, struct item item)
{
	if (!array_reserve(&scan->items, &scan->capacity, scan->count, sizeof *scan->items))
		return false;
	find_name(&item);
	bool device = is_device(scan, &item);
	bool is_main = item.name && same_word(item.name, item.name_length, "main");
	item.host = !device && (uses_host(item.begin, item.end) || is_main);
	scan->is_host |= item.host && item.name != NULL;
	item.host |= !device && is_variable(&item);
	item.kept = device || (!item.host && !item.name);
	scan->items[scan->count++] = item;
	return true;
}

/* Finds the items. If the braces do not match, the file counts as one without host code. Returns false if there
 * is no memory. */
static bool find_items(struct host_scan *scan)
{
	const char *at = scan->code;
	int depth = 0;

	while (*at) {
		if (isspace((unsigned char)*at) || *at == DIRECTIVE || *at == ';' || *at == '}') {
			depth -= *at++ == '}';
			continue;
		}
		struct item item = {.begin = at, .head_end = end_of_head(at)};
		if (opens_declarations(at, item.head_end)) {
			depth++;
			at = item.head_end + 1;
			continue;
		}
		item.end = *item.head_end == '{' ? end_of_braces(item.head_end)
						 : item.head_end + (*item.head_end == ';');
		if (!item.end || item.end == at || depth < 0)
			break;
		if (!add_item(scan, item))
			return false;
		/* After the braces of a struct or of values there may be names. */
		struct item *added = &scan->items[scan->count - 1];
		if (*item.head_end == '{' && !added->name)
			added->end += strcspn(added->end, ";");
		at = added->end;
	}
	scan->is_host &= *at == '\0' && depth == 0;
	return true;
}

/* Keeps the functions without a mark that kept items use: NVRTC and the emulators reject them, not this
 * function. */
static void keep_used(struct host_scan *scan)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (size_t i = 0; i < scan->count; i++) {
			struct item *item = &scan->items[i];
			for (size_t k = 0; k < scan->count && !item->kept && !item->host; k++)
				if (scan->items[k].kept &&
					has_word_of(scan->items[k].begin, scan->items[k].end,
						item->name, item->name_length))
					item->kept = changed = true;
		}
	}
}

/* ---- Blanks -------------------------------------------------------------------------------- */

static void blank(struct host_scan *scan, const char *begin, const char *end)
{
	for (const char *at = begin; at < end; at++)
		if (*at != DIRECTIVE && *at != '\n')
			scan->text[at - scan->code] = ' ';
}

/* Whether the name after the bracket or quote at `at` is in the list. */
static bool is_one_of(const char *const names[], size_t count, const char *at, size_t length)
{
	for (size_t i = 0; i < count && strchr("<\"", *at); i++)
		if (strlen(names[i]) == length && memcmp(at + 1, names[i], length) == 0)
			return true;
	return false;
}

void host_code_blank_headers(char *text, bool and_constants)
{
	static const char *const names[] = {"stdio.h", "cstdio", "stdlib.h", "cstdlib", "string.h",
		"cstring", "assert.h", "cassert", "time.h", "ctime", "sys/time.h", "unistd.h",
		"iostream", "iomanip", "fstream", "sstream", "string", "vector", "algorithm",
		"chrono", "random", "numeric", "memory", "functional", "utility", "map",
		"stdexcept", "cuda_runtime_api.h", "helper_cuda.h", "helper_functions.h",
		"helper_timer.h"};
	/* NVRTC lacks these files, or files that they include. The emulator has their definitions. */
	static const char *const constants[] = {"math.h", "cmath", "float.h", "cfloat", "limits.h",
		"climits", "stdint.h", "cstdint", "inttypes.h", "bits/stdc++.h", "cuda_runtime.h",
		"device_launch_parameters.h", "cuda.h", "cuda_profiler_api.h", "cublas_v2.h",
		"cublas.h", "cufft.h", "cusparse.h", "curand.h", "omp.h", "mpi.h"};
	static const char include[] = "include";

	for (char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		char *at = line + strspn(line, " \t");
		if (*at++ != '#')
			continue;
		at += strspn(at, " \t");
		if (strncmp(at, include, strlen(include)) != 0)
			continue;
		at += strlen(include) + strspn(at + strlen(include), " \t");
		size_t length = *at ? strcspn(at + 1, ">\"\n") : 0;
		if (is_one_of(names, COUNT(names), at, length) ||
			(and_constants && is_one_of(constants, COUNT(constants), at, length)))
			memset(line, ' ', strcspn(line, "\n"));
	}
}

bool host_code_blank(char *text, char *ret_names, size_t size)
{
	struct host_scan scan = {.text = text, .code = source_code_copy(text)};
	bool done = scan.code && find_items(&scan);

	*ret_names = '\0';
	if (done && scan.is_host) {
		keep_used(&scan);
		for (size_t i = 0; i < scan.count; i++) {
			const struct item *item = &scan.items[i];
			if (item->kept)
				continue;
			blank(&scan, item->begin, item->end);
			if (item->name)
				text_append(ret_names, size, "%s%.*s()", *ret_names ? ", " : "",
					(int)item->name_length, item->name);
		}
		host_code_blank_headers(text, false);
	}
	free(scan.items);
	free(scan.code);
	return done;
}
