/*
 * Prepares a kernel's text for the C++ compiler: headers, entries, shared memory. This is not a parser: it
 * scans words, brackets and statements of a copy in which comments, strings and preprocessor lines are
 * blank.
 */
#include "common/words.h"
#include "host/gpu/cuda_emu/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_DEPTH 256
#define COUNT(array) (sizeof(array) / sizeof *(array))

struct scan {
	const char *name;   /* of the file */
	const char *source; /* as written; then as put_directives() and put_expanded() leave it */
	char *text;         /* the same length, blanked */
	FILE *source_out, *entries_out, *notes_out;
	const char *copied;          /* in source: end of the part that is in source_out */
	const char *statement;       /* in text: start of the current statement */
	bool in_function[MAX_DEPTH]; /* for each depth of braces */
	size_t depth;
};

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

/* Returns the directive that ends the part which begins with the condition at `at`; the end of the text if
 * there is none. */
static const char *end_of_part(const char *at)
{
	int depth = 1;

	for (at = next_directive(at); *at; at = next_directive(at)) {
		depth += is_directive(at, "if");
		depth -= is_directive(at, "endif");
		if (depth == 0 || (depth == 1 && is_directive(at, "el"))) /* else, elif */
			break;
	}
	return at;
}

/* Returns the end of the comment, string, character, directive or part without effect that begins at `at`;
 * `at` if none begins there. */
static const char *skip_blank(const char *at, bool line_begins)
{
	const char *end = skip_other(at);

	if (at[0] != '#' || !line_begins)
		return end;
	if (is_directive(at, "if 0\n"))
		return end_of_part(at);
	while (*end && (*end != '\n' || end[-1] == '\\'))
		end++;
	return end;
}

/* ---- Directives ---------------------------------------------------------------------------- */

/* Headers of CUDA. use: the file of the runtime in their place; "": their declarations are in pmpp_cuda.h;
 * NULL: the emulator does not have them. Those of a CUDA toolkit would not fit pmpp_cuda.h. A name that ends in
 * '/' stands for a folder. */
static const struct header {
	const char *name, *use;
} headers[] = {
	{"cuda_runtime.h", ""},
	{"cuda_runtime_api.h", ""},
	{"device_launch_parameters.h", ""},
	{"device_functions.h", ""},
	{"device_atomic_functions.h", ""},
	{"sm_30_intrinsics.h", ""},
	{"vector_types.h", ""},
	{"vector_functions.h", ""},
	{"crt/math_functions.h", ""},
	{"math_functions.h", ""},
	{"math_constants.h", "pmpp_constants.h"},
	{"cooperative_groups/reduce.h", "cooperative_groups.h"},
	{"cooperative_groups/scan.h", "cooperative_groups.h"},
	{"cooperative_groups/memcpy_async.h", "cooperative_groups.h"},
	{"cooperative_groups.h", "cooperative_groups.h"},
	{"cuda_bf16.h", "cuda_bf16.h"},
	{"cuda_fp16.h", "cuda_fp16.h"},
	{"cuda_pipeline.h", "cuda_pipeline.h"},
	{"cuda_pipeline_primitives.h", "cuda_pipeline.h"},
	{"cuComplex.h", NULL},
	{"cuda_fp8.h", NULL},
	{"curand.h", NULL},
	{"curand_kernel.h", NULL},
	{"mma.h", NULL},
	{"cuda/", NULL},
	{"cub/", NULL},
	{"thrust/", NULL},
	{"cute/", NULL},
	{"cutlass/", NULL},
};

/* Headers of the host that CUDA files include with quotation marks. In angle brackets each header is one of the host
 * that is not in the table above and not in a folder of the user. */
static const char *const host_headers[] = {"stdint.h", "stdio.h", "stdlib.h", "string.h", "math.h",
	"float.h", "limits.h", "assert.h", "time.h", "sys/time.h", "cuda.h", "cublas_v2.h",
	"helper_cuda.h", "helper_functions.h"};

static const struct header *find_header(const char *name, size_t length)
{
	for (size_t i = 0; i < COUNT(headers); i++) {
		size_t folder = strlen(headers[i].name);
		if (same_word(name, length, headers[i].name) ||
			(headers[i].name[folder - 1] == '/' && length > folder &&
				memcmp(name, headers[i].name, folder) == 0))
			return &headers[i];
	}
	return NULL;
}

/* Whether the header is an absolute path, or in a folder of CPATH or CPLUS_INCLUDE_PATH. */
static bool is_user_header(const char *name, size_t length)
{
	static const char *const variables[] = {"CPATH", "CPLUS_INCLUDE_PATH"};
	char path[4096];

	for (size_t i = 0; i < COUNT(variables); i++)
		for (const char *at = getenv(variables[i]); at && *at;) {
			size_t folder = strcspn(at, ":");
			if (snprintf(path, sizeof path, "%.*s/%.*s", (int)folder, at, (int)length,
				    name) < (int)sizeof path &&
				access(path, R_OK) == 0)
				return true;
			at += folder + (at[folder] == ':');
		}
	return name[0] == '/';
}

static bool is_host_header(const char *name, size_t length)
{
	for (size_t i = 0; i < COUNT(host_headers); i++)
		if (same_word(name, length, host_headers[i]))
			return true;
	return name[-1] == '<' && !is_user_header(name, length);
}

/* The file and the line of a place in the source, which has #line directives where files are included. */
static int line_of(const struct scan *scan, const char *at, const char **ret_file, int *ret_length)
{
	int line = 1;

	*ret_file = scan->name;
	*ret_length = (int)strlen(scan->name);
	for (const char *from = scan->source; from < at;) {
		const char *end = from + strcspn(from, "\n");
		int number, name = 0;
		if (end >= at)
			break;
		line++;
		if (sscanf(from, " # line %d \"%n", &number, &name) >= 1 && name > 0) {
			line = number;
			*ret_file = from + name;
			*ret_length = (int)strcspn(*ret_file, "\"\n");
		}
		from = end + 1;
	}
	return line;
}

static void put_lines(FILE *out, const char *at, const char *end)
{
	for (; at < end; at++)
		if (*at == '\n')
			fputc('\n', out);
}

/* Writes `#include <name>`, or its replacement. */
static void put_include(struct scan *scan, const char *at, const char *end)
{
	const char *begin = at + strcspn(at, "<\"\n");
	const char *name = begin + (begin < end);
	size_t length = strcspn(name, ">\"\n");
	const struct header *header = find_header(name, length);
	const char *use = header ? header->use : NULL;
	const char *file;
	int file_length;

	if (!header && is_host_header(name, length)) {
		int line = line_of(scan, at, &file, &file_length);
		fprintf(scan->notes_out,
			"#line %d \"%.*s\"\n#warning NVRTC has no <%.*s>. cuda-emu ignores the #include\n",
			line, file_length, file, (int)length, name);
		use = "pmpp_stdint.h";
	}
	if (!use && !header) {
		fwrite(at, 1, (size_t)(end - at), scan->source_out);
		return;
	}
	if (!use) /* backend.c finds the name in the compiler's error */
		fprintf(scan->source_out, "#error %.*s", (int)length, name);
	else if (*use)
		fprintf(scan->source_out, "#include \"%s\"", use);
	put_lines(scan->source_out, at, end);
}

/* Whether the condition at `at` depends on the architecture and has an #else. */
static bool has_other_part(const char *at, const char *end)
{
	return is_directive(at, "if") && has_word(at, end, "__CUDA_ARCH__") &&
	       is_directive(end_of_part(at), "el");
}

/* Whether the text has inline PTX outside of parts that have another part: if these have PTX, the emulator leaves
 * them out. */
static bool has_ptx(const char *at, const char *end)
{
	for (const char *next; at < end; at = next) {
		next = next_directive(at);
		next = next < end ? next : end;
		if (has_word(at, next, "asm") || has_word(at, next, "__asm__"))
			return true;
		if (next < end && has_other_part(next, next + strcspn(next, "\n")))
			next = end_of_part(next);
	}
	return false;
}

/* Whether the condition at `at` begins a part with inline PTX that has an #else. The emulator does not have
 * PTX, so it takes the other part. */
static bool is_ptx_part(const char *at, const char *end)
{
	return has_other_part(at, end) && has_ptx(at, end_of_part(at));
}

static void put_directive(struct scan *scan, const char *at, const char *end)
{
	if (is_directive(at, "include")) {
		put_include(scan, at, end);
	} else if (is_ptx_part(at, end)) {
		fputs("#if 0", scan->source_out);
		put_lines(scan->source_out, at, end);
	} else {
		fwrite(at, 1, (size_t)(end - at), scan->source_out);
	}
}

/* Returns the first directive from the beginning of the line at `at`; the end of the text if there is none. */
static const char *find_directive(const char *at)
{
	bool line_begins = true;

	for (const char *end; *at && !(*at == '#' && line_begins); at = end) {
		end = skip_blank(at, line_begins);
		line_begins =
			*at == '\n' || (line_begins && (end > at || isspace((unsigned char)*at)));
		end += end == at;
	}
	return at;
}

/* Copies the source and replaces directives. Line numbers do not change. */
static void put_directives(struct scan *scan)
{
	for (const char *at = scan->source, *end; *at; at = end) {
		const char *directive = find_directive(at);
		end = skip_blank(directive, true);
		fwrite(at, 1, (size_t)(directive - at), scan->source_out);
		if (*directive)
			put_directive(scan, directive, end);
	}
}

/* ---- Macros -------------------------------------------------------------------------------- */

/*
 * The scan of statements must see `__global__`, `__launch_bounds__`, `__shared__` and `__constant__`. So the
 * macros of the file that stand for these words are expanded first. The compiler expands all others.
 */
#define MAX_MACROS 64
#define MAX_ARGUMENTS 16

struct part {
	const char *at, *end;
};

struct macro {
	struct part name, body;
	struct part parameters; /* at NULL: a macro without brackets */
};

struct macros {
	struct macro items[MAX_MACROS];
	size_t count;
};

/* Reads `#define NAME body` or `#define NAME(parameters) body`. Returns false at another directive. */
static bool read_macro(const char *at, struct macro *ret_macro)
{
	const char *end = skip_blank(at, true);
	size_t length;

	if (!is_directive(at, "define"))
		return false;
	const char *word = next_word(at, end, &length);
	const char *name = next_word(word + length, end, &length);
	const char *body = name + length;
	*ret_macro = (struct macro){.name = {name, body}};
	if (*body == '(') {
		const char *close = memchr(body, ')', (size_t)(end - body));
		if (!close)
			return false;
		ret_macro->parameters = (struct part){body + 1, close};
		body = close + 1;
	}
	ret_macro->body = (struct part){body, end};
	return length > 0;
}

/* hidden: bit i: macro i is not found: after #undef, and because C does not expand a macro in its own expansion. */
static const struct macro *find_macro(
	const struct macros *macros, uint64_t hidden, const char *word, size_t length)
{
	for (size_t i = 0; i < macros->count; i++)
		if (!(hidden >> i & 1) && has_word_of(macros->items[i].name.at,
						  macros->items[i].name.end, word, length))
			return &macros->items[i];
	return NULL;
}

/* Whether the body has one of the words, or a macro of the list. */
static bool has_marks(const struct macros *macros, struct part body)
{
	static const char *const words[] = {
		"__global__", "__shared__", "__constant__", "__launch_bounds__"};
	bool found = false;

	for (size_t i = 0; i < COUNT(words); i++)
		found |= has_word(body.at, body.end, words[i]);
	for (size_t i = 0; i < macros->count; i++)
		found |= has_word_of(body.at, body.end, macros->items[i].name.at,
			(size_t)(macros->items[i].name.end - macros->items[i].name.at));
	return found;
}

/* Whether the definitions are the same one: a file may be included twice. */
static bool same_text(const struct macro *a, const struct macro *b)
{
	size_t length = (size_t)(a->body.end - a->name.at);

	return length == (size_t)(b->body.end - b->name.at) &&
	       memcmp(a->name.at, b->name.at, length) == 0;
}

/* Whether another definition of the macro counts: then the compiler chooses one by #if and #undef. If the macro is the
 * head of a kernel, a definition without such words does not count: it is for a compiler of the host. */
static bool has_other(const char *text, const struct macros *macros, const struct macro *macro)
{
	bool head = has_word(macro->body.at, macro->body.end, "__global__") ||
		    has_word(macro->body.at, macro->body.end, "__launch_bounds__");
	struct macro other;

	for (const char *at = find_directive(text); *at; at = find_directive(skip_blank(at, true)))
		if (read_macro(at, &other) && !same_text(macro, &other) &&
			has_word_of(other.name.at, other.name.end, macro->name.at,
				(size_t)(macro->name.end - macro->name.at)) &&
			(!head || has_marks(macros, other.body)))
			return true;
	return false;
}

/* A macro with other definitions, or with # or ##, is left to the compiler. */
static void find_macros(const char *text, struct macros *macros)
{
	struct macros all = {.count = 0};
	struct macro macro;

	for (const char *at = find_directive(text); *at && all.count < MAX_MACROS;
		at = find_directive(skip_blank(at, true)))
		if (read_macro(at, &macro) && has_marks(&all, macro.body) &&
			!find_macro(
				&all, 0, macro.name.at, (size_t)(macro.name.end - macro.name.at)))
			all.items[all.count++] = macro;
	for (size_t i = 0; i < all.count; i++) {
		struct part body = all.items[i].body;
		if (!memchr(body.at, '#', (size_t)(body.end - body.at)) &&
			!has_other(text, &all, &all.items[i]))
			macros->items[macros->count++] = all.items[i];
	}
}

/* Splits the text between brackets at commas. Returns the number of arguments. */
static size_t split_arguments(struct part text, struct part ret_arguments[MAX_ARGUMENTS])
{
	size_t count = 0;
	int depth = 0;

	for (const char *at = text.at, *end; at <= text.end; at = end) {
		end = skip_blank(at, false);
		end += end == at;
		depth += at < text.end ? (*at == '(') - (*at == ')') : 0;
		if (at < text.end && (*at != ',' || depth > 0))
			continue;
		if (count < MAX_ARGUMENTS)
			ret_arguments[count++] = (struct part){text.at, at};
		text.at = at + 1;
	}
	return count;
}

/* Finds what stands for a word of the body: an argument of the same number as the parameter, or all further
 * ones for __VA_ARGS__. */
static struct part argument_of(const struct macro *macro, struct part word, struct part given)
{
	struct part names[MAX_ARGUMENTS], arguments[MAX_ARGUMENTS];
	size_t length = (size_t)(word.end - word.at);
	size_t count = macro->parameters.at ? split_arguments(macro->parameters, names) : 0;
	size_t known = macro->parameters.at ? split_arguments(given, arguments) : 0;

	for (size_t i = 0; i < count; i++) {
		bool rest = memchr(names[i].at, '.', (size_t)(names[i].end - names[i].at));
		if (rest ? same_word(word.at, length, "__VA_ARGS__")
			 : has_word_of(names[i].at, names[i].end, word.at, length))
			return i >= known ? (struct part){given.end, given.end}
			       : rest     ? (struct part){arguments[i].at, given.end}
					  : arguments[i];
	}
	return word;
}

/* Writes the part as one line. A comment becomes a space. */
static void put_one_line(struct part part, FILE *out)
{
	for (const char *at = part.at, *end; at < part.end; at = end) {
		end = skip_blank(at, false);
		if (*at == '/' && end > at) {
			fputc(' ', out);
			continue;
		}
		end += end == at;
		for (; at < end; at++)
			fputc(*at == '\n' || strncmp(at, "\\\n", 2) == 0 ? ' ' : *at, out);
	}
}

/* Returns the body with the arguments. NULL: no memory. */
static char *body_text(const struct macro *macro, struct part given)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (const char *at = macro->body.at, *end; at < macro->body.end; at = end) {
		struct part part = {at, at};
		while (part.end < macro->body.end && is_word(*part.end))
			part.end++;
		end = part.end > at ? part.end : skip_blank(at, false);
		end += end == at;
		put_one_line(
			part.end > at ? argument_of(macro, part, given) : (struct part){at, end},
			out);
	}
	fclose(out);
	return text;
}

static const char *skip_space(const char *at)
{
	return at + strspn(at, " \t\r\n\f\v");
}

/* Returns the address after the bracket that closes the bracket at `at`. */
static const char *skip_brackets(const char *at)
{
	int depth = 0;

	do {
		const char *end = skip_blank(at, false);
		depth += (*at == '(') - (*at == ')');
		at = end > at ? end : at + (*at != '\0');
	} while (depth > 0 && *at);
	return at;
}

static uint64_t bit_of(const struct macros *macros, const struct macro *macro)
{
	return (uint64_t)1 << (macro - macros->items);
}

/* Returns `hidden` after the directive at `at`: #undef hides a macro, until #define. */
static uint64_t hidden_after(const struct macros *macros, uint64_t hidden, const char *at)
{
	const char *end = skip_blank(at, true);
	size_t length;
	const char *word = next_word(at, end, &length);
	bool undefined = same_word(word, length, "undef");

	if (!undefined && !same_word(word, length, "define"))
		return hidden;
	word = next_word(word + length, end, &length);
	const struct macro *macro = find_macro(macros, 0, word, length);
	if (!macro)
		return hidden;
	return undefined ? hidden | bit_of(macros, macro) : hidden & ~bit_of(macros, macro);
}

/* Copies a part and expands its macros. Lines keep their numbers. hidden: 0 for the file. */
static void put_expanded(const struct macros *macros, uint64_t hidden, struct part part, FILE *out)
{
	bool line_begins = !hidden;

	for (const char *at = part.at, *end; at < part.end; at = end) {
		size_t length = 0;
		while (at + length < part.end && is_word(at[length]))
			length++;
		const struct macro *macro = length ? find_macro(macros, hidden, at, length) : NULL;
		struct part given = {at + length, at + length};
		end = length ? at + length : skip_blank(at, line_begins);
		if (*at == '#' && end > at)
			hidden = hidden_after(macros, hidden, at);
		line_begins = *at == '\n' ||
			      (line_begins && (end > at ? !length : isspace((unsigned char)*at)));
		end += end == at;
		if (macro && macro->parameters.at) {
			const char *bracket = skip_space(end);
			end = skip_brackets(bracket);
			given = (struct part){bracket + 1, end - 1};
			macro = *bracket == '(' && end <= part.end ? macro : NULL;
			end = macro ? end : at + length;
		}
		char *text = macro ? body_text(macro, given) : NULL;
		if (text) {
			put_expanded(macros, hidden | bit_of(macros, macro),
				(struct part){text, text + strlen(text)}, out);
			put_lines(out, at, end);
		} else {
			fwrite(at, 1, (size_t)(end - at), out);
		}
		free(text);
	}
}

/* ---- Statements ---------------------------------------------------------------------------- */

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
		bool language = same_word(at, (size_t)(end - at), "\"C\"");
		for (; at < end; at++)
			if (*at != '\n' && !language)
				text[at - source] = ' ';
	}
	return text;
}

/* Whether the word is an attribute with brackets, not the name of a function. */
static bool is_attribute(const char *word, size_t length)
{
	static const char *const words[] = {"__launch_bounds__", "__align__", "__attribute__",
		"__cluster_dims__", "__maxnreg__", "alignas", "decltype"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (same_word(word, length, words[i]))
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
		/* A macro that is left to the compiler may be an attribute. */
		if (!is_attribute(at, length) && !is_word(*skip_space(skip_brackets(after)))) {
			*ret_length = length;
			*ret_bracket = after;
			return at;
		}
		at = skip_brackets(after);
		end = at + strcspn(at, ";{}=");
	}
	return NULL;
}

/* At __global__: adds an entry if the statement is a definition, but not a template. The definition may be in a branch
 * of #if that the compiler skips, so a macro before __global__ says whether the compiler has seen it. */
static void scan_kernel(struct scan *scan, const char *word)
{
	const char *at = scan->source + (word - scan->text);
	const char *bracket, *file;
	size_t name_length;
	int file_length;
	const char *name = function_name(scan->statement, &name_length, &bracket);

	if (!name || has_word(scan->statement, word, "template") ||
		*skip_space(skip_brackets(bracket)) != '{')
		return;
	int line = line_of(scan, at, &file, &file_length), length = (int)name_length;
	fwrite(scan->copied, 1, (size_t)(at - scan->copied), scan->source_out);
	scan->copied = at;
	fprintf(scan->source_out,
		"\n#undef PMPP_EMU_HAS_%.*s\n#define PMPP_EMU_HAS_%.*s\n"
		"#line %d \"%.*s\"\n",
		length, name, length, name, line, file_length, file);
	fprintf(scan->entries_out,
		"#ifdef PMPP_EMU_HAS_%.*s\n#undef PMPP_EMU_HAS_%.*s\nPMPP_EMU_ENTRY(%.*s)\n#endif\n",
		length, name, length, name, length, name);
}

/* At `extern __shared__ T x[];`: writes a pointer to the block's dynamic shared memory instead,
 * because C++ has no extern static. Outside of functions the memory does not exist yet: there the
 * function writes a reference to the pointer, which is read at each use. Line numbers do not change.
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
		fprintf(scan->source_out,
			"static pmpp_emu_pointer<%.*s> &%.*s = *(pmpp_emu_pointer<%.*s> *)"
			"&pmpp_emu_state.dynamic_shared;",
			(int)(name - plain), plain, length, name, (int)(name - plain), plain);
	}
	put_lines(scan->source_out, word, end);
	scan->copied = scan->source + (end + 1 - scan->text);
	scan->statement = end + 1;
	return end + 1;
}

/* Finds the name of the first variable of a declaration, and what follows the name. Returns false if the
 * declaration is of another form. */
static bool find_variable(const char *at, const char **ret_name, const char **ret_rest)
{
	int depth = 0; /* of template arguments */

	*ret_name = NULL;
	while (*at && (depth > 0 || !strchr("[=,;({", *at))) {
		size_t length = 0;
		while (is_word(at[length]))
			length++;
		const char *after = skip_space(at + length);
		if (length > 0 && is_attribute(at, length) && *after == '(') {
			at = skip_brackets(after);
			continue;
		}
		if (length > 0 && depth == 0)
			*ret_name = at;
		depth += (*at == '<') - (*at == '>');
		at += length ? length : 1;
	}
	*ret_rest = at;
	return *ret_name && *at && strchr("[=,", *at);
}

/* Returns the next comma or semicolon outside of brackets; NULL: none. */
static const char *end_of_variable(const char *at)
{
	int depth = 0;

	for (; *at; at++) {
		depth += strchr("([{", *at) != NULL;
		depth -= strchr(")]}", *at) != NULL;
		if (depth == 0 && (*at == ',' || *at == ';'))
			return at;
	}
	return NULL;
}

/* At __constant__: gives each variable of the declaration a declaration of its own, because the variables of one
 * declaration are in one section, without a gap between them. Returns the end of the declaration. */
static const char *scan_constant(struct scan *scan, const char *after)
{
	const char *begin = skip_space(scan->statement);
	const char *name, *rest;

	if (!find_variable(after, &name, &rest))
		return after;
	while (strchr(" \t\r\n*", name[-1]))
		name--;
	for (const char *end = end_of_variable(rest); end && *end == ',';
		end = end_of_variable(end + 1)) {
		const char *comma = scan->source + (end - scan->text);
		fwrite(scan->copied, 1, (size_t)(comma - scan->copied), scan->source_out);
		fputc(';', scan->source_out);
		for (const char *at = begin; at < name; at++)
			fputc(*at == '\n' ? ' ' : *at, scan->source_out);
		fputc(' ', scan->source_out);
		scan->copied = comma + 1;
		rest = end + 1;
	}
	return rest;
}

/* Removes `static` from a __shared__ declaration: its replacement is already static. */
static void drop_static(struct scan *scan, const char *word, const char *after)
{
	static const char text[] = "static";
	size_t length;
	const char *at = next_word(scan->statement, word, &length);

	while (length > 0 && !same_word(at, length, text))
		at = next_word(at + length, word, &length);
	if (length == 0) {
		at = next_word(after, after + strlen(after), &length);
		if (!same_word(at, length, text))
			return;
	}
	const char *begin = scan->source + (at - scan->text);
	fwrite(scan->copied, 1, (size_t)(begin - scan->copied), scan->source_out);
	scan->copied = begin + length;
}

/* Moves `alignas` before __shared__: C++ has it only before the other words of a declaration. Returns its end. */
static const char *move_alignas(struct scan *scan, const char *word, const char *after)
{
	size_t length;
	const char *next = next_word(after, after + strcspn(after, "(;"), &length);
	const char *begin = scan->source + (word - scan->text);

	if (next != skip_space(after) || !same_word(next, length, "alignas"))
		return after;
	const char *end = skip_brackets(skip_space(next + length));
	fwrite(scan->copied, 1, (size_t)(begin - scan->copied), scan->source_out);
	fwrite(scan->source + (next - scan->text), 1, (size_t)(end - next), scan->source_out);
	put_lines(scan->source_out, word, next);
	fwrite(begin, 1, (size_t)(after - word), scan->source_out);
	scan->copied = scan->source + (end - scan->text);
	return end;
}

static const char *scan_word(struct scan *scan, const char *word, size_t length)
{
	const char *after = word + length;

	if (same_word(word, length, "__global__")) {
		scan_kernel(scan, word);
	} else if (same_word(word, length, "extern")) {
		size_t next_length;
		const char *next = next_word(after, after + strlen(after), &next_length);
		if (next == skip_space(after) && same_word(next, next_length, "__shared__"))
			return scan_dynamic(scan, word, next + next_length);
	} else if (same_word(word, length, "__shared__")) {
		drop_static(scan, word, after);
		return move_alignas(scan, word, after);
	} else if (same_word(word, length, "__constant__")) {
		return scan_constant(scan, after);
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

/* Does all passes. Returns the text; NULL: no memory. The caller frees it. */
static char *prepared(struct scan *scan)
{
	char *parts[5] = {NULL}, *text = NULL;
	size_t sizes[5], size;
	FILE *outs[5];
	struct macros macros = {.count = 0};
	bool whole = true;

	for (size_t i = 0; i < COUNT(outs); i++) {
		outs[i] = open_memstream(&parts[i], &sizes[i]);
		whole &= outs[i] != NULL;
	}
	if (whole) {
		scan->source_out = outs[0];
		scan->notes_out = outs[1];
		put_directives(scan);
		fflush(outs[0]);
		find_macros(parts[0], &macros);
		put_expanded(&macros, 0, (struct part){parts[0], parts[0] + sizes[0]}, outs[4]);
		fflush(outs[4]);
		scan->source = parts[4];
		scan->text = blanked(parts[4]);
		scan->source_out = outs[2];
		scan->entries_out = outs[3];
		if (scan->text)
			scan_text(scan);
		whole = scan->text != NULL;
	}
	for (size_t i = 0; i < COUNT(outs); i++)
		if (outs[i])
			fclose(outs[i]);
	FILE *out = whole ? open_memstream(&text, &size) : NULL;
	if (out) {
		fprintf(out, "#line 1 \"%s\"\n%s\n%s#line 1 \"entries\"\n%s", scan->name, parts[2],
			parts[1], parts[3]);
		fclose(out);
	}
	for (size_t i = 0; i < COUNT(parts); i++)
		free(parts[i]);
	free(scan->text);
	return text;
}

enum pmpp_status cuda_emu_prepare(
	const struct gpu_program_desc *desc, char **ret_text, struct pmpp_error *error)
{
	struct scan scan = {.name = desc->name, .source = desc->source};

	*ret_text = prepared(&scan);
	if (!*ret_text)
		return PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "%s: no memory to build it", desc->name);
	return PMPP_OK;
}
