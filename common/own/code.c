/* What the body of a kernel has that may show the line of a mistake: loops, branches, barriers, accesses and
 * declarations. The text is scanned for words and brackets, one statement after the other. */
#include "common/own/reader.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/words.h"

#define MAX_ARRAYS 16
#define MAX_DEPTH 200

struct scan {
	const struct own_kernel *kernel;
	const char *end;         /* of the body */
	struct code_item *items; /* owned */
	size_t count, capacity;
	bool failed;                             /* there was no memory */
	char arrays[MAX_ARRAYS][OWN_NAME_BYTES]; /* shared arrays */
	size_t array_count;
	const char *counted; /* line_of(): lines up to here are counted */
	int lines;
	int loop, branch; /* as in struct code_item */
	int depth;
};

static int line_of(struct scan *scan, const char *at)
{
	if (!scan->counted || scan->counted > at) {
		scan->counted = scan->kernel->code;
		scan->lines = 1;
	}
	for (; scan->counted < at; scan->counted++)
		scan->lines += *scan->counted == '\n';
	return scan->lines;
}

/* Copies a text with one blank in place of white space. */
static void copy_text(struct span text, char *ret_text, size_t size)
{
	size_t length = 0;

	text = span_trim(text);
	for (const char *c = text.begin; c < text.end && length + 1 < size; c++)
		if (!isspace((unsigned char)*c))
			ret_text[length++] = *c;
		else if (!isspace((unsigned char)c[-1]))
			ret_text[length++] = ' ';
	ret_text[length] = '\0';
}

/* Adds an item for the place `at`. Returns its index + 1; 0 if there is no memory. */
static int add(
	struct scan *scan, enum code_kind kind, const char *at, struct span name, struct span text)
{
	if (!array_reserve(&scan->items, &scan->capacity, scan->count, sizeof *scan->items)) {
		scan->failed = true;
		return 0;
	}
	struct code_item *item = &scan->items[scan->count++];
	*item = (struct code_item){.kind = kind,
		.line = line_of(scan, at),
		.loop = scan->loop,
		.branch = scan->branch};
	if (name.begin)
		span_copy(name, item->name, sizeof item->name);
	copy_text(text, item->text, sizeof item->text);
	return (int)scan->count;
}

/* ---- Accesses ------------------------------------------------------------------------------------ */

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && isspace((unsigned char)*at))
		at++;
	return at;
}

/* Whether the access that ends at `after` is a store, and whether it adds to the element. at: its first word. */
static void set_store(struct scan *scan, struct span statement, const char *at, const char *after)
{
	struct code_item *item = &scan->items[scan->count - 1];
	const char *op = skip_blanks(after, statement.end);
	size_t left = (size_t)(statement.end - op);
	bool compound = left > 1 && strchr("+-*/|&^", op[0]) && op[1] == '=';
	bool counts = left > 1 && (strncmp(op, "++", 2) == 0 || strncmp(op, "--", 2) == 0);
	const char *word = NULL;
	size_t length;

	item->update = compound || counts;
	item->store = item->update || (left > 1 && op[0] == '=' && op[1] != '=');
	/* atomicAdd(&x[i], ...): before the access in the same statement */
	for (word = next_word(statement.begin, at, &length); length > 0 && !item->store;
		word = next_word(word + length, at, &length))
		if (strncmp(word, "atomic", strlen("atomic")) == 0)
			item->store = item->atomic = true;
}

static enum code_kind kind_of(
	const struct scan *scan, const char *word, size_t length, bool *ret_known)
{
	const struct own_kernel *kernel = scan->kernel;

	*ret_known = true;
	for (size_t i = 0; i < scan->array_count; i++)
		if (same_word(word, length, scan->arrays[i]))
			return CODE_SHARED;
	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_LOCAL &&
			same_word(word, length, kernel->params[i].name))
			return CODE_SHARED;
	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_OPERAND &&
			same_word(word, length, kernel->params[i].name))
			return kernel->params[i].index + 1 == kernel->family->operand_count
				       ? CODE_OUTPUT
				       : CODE_INPUT;
	*ret_known = false;
	return CODE_INPUT;
}

static void scan_accesses(struct scan *scan, struct span statement)
{
	size_t length;

	for (const char *at = next_word(statement.begin, statement.end, &length); length > 0;
		at = next_word(at + length, statement.end, &length)) {
		const char *after = skip_blanks(at + length, statement.end);
		bool known;
		enum code_kind kind = kind_of(scan, at, length, &known);
		if (!known)
			continue;
		while (after < statement.end && *after == '[' && closing_bracket(after))
			after = skip_blanks(closing_bracket(after) + 1, statement.end);
		if (add(scan, kind, at, (struct span){at, at + length}, statement))
			set_store(scan, statement, at, after);
	}
}

/* ---- Declarations -------------------------------------------------------------------------------- */

static bool is_number(struct span text)
{
	text = span_trim(text);
	if (text.begin < text.end && strchr("-+(", *text.begin))
		text.begin++;
	if (text.begin == text.end)
		return false;
	for (const char *c = text.begin; c < text.end; c++)
		if (!is_word(*c) && !strchr(".+-)", *c))
			return false;
	return isdigit((unsigned char)*text.begin) || *text.begin == '.' ||
	       has_word(text.begin, text.end, "INFINITY") ||
	       has_word(text.begin, text.end, "FLT_MIN") ||
	       has_word(text.begin, text.end, "FLT_MAX") ||
	       has_word(text.begin, text.end, "INT_MAX") ||
	       has_word(text.begin, text.end, "INT_MIN");
}

/* The value of the text after `[`: a number, or a macro that is one. 0: another expression. */
static int64_t extent_of(const struct scan *scan, const char *bracket)
{
	char name[OWN_NAME_BYTES], *rest;
	struct span value = {bracket + 1, bracket + 1 + strcspn(bracket + 1, "]")};

	span_copy(value, name, sizeof name);
	if (own_find_macro(scan->kernel, name, &value))
		span_copy(value, name, sizeof name);
	long long extent = strtoll(name, &rest, 10);
	return *rest ? 0 : extent;
}

static void add_shared(struct scan *scan, struct span statement)
{
	struct span rest = statement, part;

	while (span_take_part(&rest, &part)) {
		const char *bracket = memchr(part.begin, '[', (size_t)(part.end - part.begin));
		const char *end = bracket ? bracket : part.end;
		size_t length;
		struct span name = {0};
		for (const char *at = next_word(part.begin, end, &length); length > 0;
			at = next_word(at + length, end, &length))
			name = (struct span){at, at + length};
		if (!name.begin || scan->array_count == MAX_ARRAYS)
			continue;
		if (add(scan, CODE_ARRAY, name.begin, name, statement) && bracket)
			scan->items[scan->count - 1].extent = extent_of(scan, bracket);
		span_copy(name, scan->arrays[scan->array_count++], OWN_NAME_BYTES);
	}
}

/* Adds the variables of a declaration, whose first words are a type. narrow: the type has 8 or 16 bits. */
static void add_variables(struct scan *scan, struct span statement, bool narrow)
{
	struct span rest = statement, part;

	while (span_take_part(&rest, &part)) {
		const char *equals = memchr(part.begin, '=', (size_t)(part.end - part.begin));
		const char *end = equals ? equals : part.end;
		struct span name = {0};
		size_t length;
		if (memchr(part.begin, '*', (size_t)(end - part.begin)) ||
			memchr(part.begin, '[', (size_t)(end - part.begin)))
			continue;
		for (const char *at = next_word(part.begin, end, &length); length > 0;
			at = next_word(at + length, end, &length))
			name = (struct span){at, at + length};
		if (!name.begin || !add(scan, CODE_VARIABLE, name.begin, name, part))
			continue;
		scan->items[scan->count - 1].unset = !equals;
		scan->items[scan->count - 1].narrow = narrow;
		if (equals && is_number((struct span){equals + 1, part.end}))
			add(scan, CODE_CONSTANT, name.begin, name, part);
	}
}

static void scan_declaration(struct scan *scan, struct span statement)
{
	static const char *const types[] = {"const", "volatile", "static", "unsigned", "signed",
		"int", "float", "double", "short", "char", "long", "size_t", "uint", "ushort",
		"uchar", "bool", "int8_t", "uint8_t", "int16_t", "uint16_t", "float2", "float4",
		"unsigned", "register"};
	static const char *const narrows[] = {
		"short", "char", "ushort", "uchar", "int8_t", "uint8_t", "int16_t", "uint16_t"};
	size_t length;
	const char *word = next_word(statement.begin, statement.end, &length);
	bool narrow = false, typed = false;

	for (size_t i = 0; i < COUNT(types) && word == statement.begin; i++)
		typed = typed || same_word(word, length, types[i]);
	for (bool is_type = typed; is_type && length > 0;
		word = next_word(word + length, statement.end, &length)) {
		is_type = false;
		for (size_t i = 0; i < COUNT(types); i++)
			is_type = is_type || same_word(word, length, types[i]);
		for (size_t i = 0; i < COUNT(narrows); i++)
			narrow = narrow || same_word(word, length, narrows[i]);
	}
	if (typed)
		add_variables(scan, statement, narrow);
}

/* A store of a number, "x = 0" or "s[i] = 0". */
static void scan_constant(struct scan *scan, struct span statement)
{
	const char *equals =
		memchr(statement.begin, '=', (size_t)(statement.end - statement.begin));
	size_t length;
	const char *word = next_word(statement.begin, statement.end, &length);

	if (equals && length > 0 && word == statement.begin && !strchr("+-*/<>=!&|", equals[-1]) &&
		is_number((struct span){equals + 1, statement.end}))
		add(scan, CODE_CONSTANT, word, (struct span){word, word + length}, statement);
}

/* ---- Statements ------------------------------------------------------------------------------------ */

static const char *scan_statement(struct scan *scan, const char *at);

static void scan_simple(struct scan *scan, struct span statement)
{
	static const char *const barriers[] = {
		"__syncthreads", "barrier", "work_group_barrier", "sync"};

	statement = span_trim(statement);
	if (statement.begin == statement.end)
		return;
	for (size_t i = 0; i < COUNT(barriers); i++)
		if (has_word(statement.begin, statement.end, barriers[i])) {
			add(scan, CODE_BARRIER, statement.begin, (struct span){0}, statement);
			return;
		}
	if (has_word(statement.begin, statement.end, "__shared__") ||
		has_word(statement.begin, statement.end, "__local")) {
		add_shared(scan, statement);
		return;
	}
	if (has_word(statement.begin, statement.end, "return"))
		add(scan, CODE_RETURN, statement.begin, (struct span){0}, statement);
	scan_declaration(scan, statement);
	scan_constant(scan, statement);
	scan_accesses(scan, statement);
}

/* A statement after `for (...)`, `while (...)` or `if (...)`. Returns its end. */
static const char *scan_control(struct scan *scan, const char *word, const char *open, bool loops)
{
	const char *close = closing_bracket(open);
	const int loop = scan->loop, branch = scan->branch;

	if (!close)
		return scan->end;
	struct span header = {open + 1, close};
	int item = add(scan, loops ? CODE_LOOP : CODE_BRANCH, word, (struct span){0}, header);
	if (loops)
		scan->loop = item;
	else
		scan->branch = item;
	scan_accesses(scan, header);
	const char *end = scan_statement(scan, close + 1);
	scan->loop = loop;
	scan->branch = branch;
	return end;
}

/* Returns the end of the simple statement at `at`: its semicolon, or a bracket that closes a block. */
static const char *end_of_simple(const char *at)
{
	int depth = 0;

	for (; *at; at++) {
		if (depth == 0 && (*at == ';' || *at == '}' || *at == '{'))
			return at;
		depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
	}
	return at;
}

static const char *scan_block(struct scan *scan, const char *at)
{
	while (at < scan->end && *at != '}')
		at = scan_statement(scan, at);
	return at < scan->end ? at + 1 : at;
}

/* Returns the end of the statement at `at`, which is after `at` unless the text ends there. */
static const char *scan_statement(struct scan *scan, const char *at)
{
	const char *text_end = scan->end, *end;
	size_t length;

	while (at < text_end && (isspace((unsigned char)*at) || *at == DIRECTIVE))
		at++;
	if (at >= text_end || ++scan->depth > MAX_DEPTH)
		return text_end;
	const char *word = next_word(at, text_end, &length);
	const char *open = word + length + strspn(word + length, " \t\r\n");
	bool leads = word == at && *open == '(';
	if (*at == '{') {
		end = scan_block(scan, at + 1);
	} else if (word == at && same_word(word, length, "else")) {
		end = scan_statement(scan, word + length);
	} else if (leads && (same_word(word, length, "for") || same_word(word, length, "while"))) {
		end = scan_control(scan, word, open, true);
	} else if (leads && same_word(word, length, "if")) {
		end = scan_control(scan, word, open, false);
	} else {
		end = end_of_simple(at);
		scan_simple(scan, (struct span){at, end});
		end += *end == ';';
	}
	scan->depth--;
	return end;
}

/* Whether a shared array of the kernel is an argument of the function. */
static bool gets_shared(const struct scan *scan, const char *name, size_t length)
{
	for (size_t i = 0; i < scan->count; i++) {
		const char *text = scan->items[i].text;
		if (scan->items[i].kind == CODE_SHARED &&
			has_word_of(text, text + strlen(text), name, length))
			return true;
	}
	return false;
}

/* Whether the word begins a statement that has brackets like a function. */
static bool is_control(const char *word, size_t length)
{
	static const char *const controls[] = {"if", "for", "while", "switch"};

	for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
		if (strlen(controls[i]) == length && strncmp(word, controls[i], length) == 0)
			return true;
	return false;
}

/* Scans the functions that get a shared array. Their parameters that are pointers count as shared arrays. */
static void scan_functions(struct scan *scan)
{
	const char *code = scan->kernel->code, *end = code + strlen(code), *close, *body;
	size_t length;

	for (const char *at = next_word(code, end, &length); length > 0;
		at = next_word(at + length, end, &length)) {
		const char *open = skip_blanks(at + length, end);
		close = *open == '(' ? closing_bracket(open) : NULL;
		body = close ? skip_blanks(close + 1, end) : end;
		if (*body != '{' || is_control(at, length) || !gets_shared(scan, at, length))
			continue;
		struct span rest = {open + 1, close}, part;
		while (span_take_part(&rest, &part)) {
			char name[OWN_NAME_BYTES], type[OWN_NAME_BYTES];
			const size_t bytes = (size_t)(part.end - part.begin);
			own_split_parameter(part, name, type);
			if ((memchr(part.begin, '*', bytes) || memchr(part.begin, '[', bytes)) &&
				scan->array_count < MAX_ARRAYS)
				snprintf(scan->arrays[scan->array_count++], OWN_NAME_BYTES, "%s",
					name);
		}
		scan->end = closing_bracket(body);
		if (scan->end)
			scan_block(scan, body + 1);
	}
}

bool own_kernel_code(
	const struct own_kernel *kernel, struct code_item **ret_items, size_t *ret_count)
{
	struct scan scan = {.kernel = kernel};
	struct span nothing = {kernel->code, kernel->code};

	scan.end = kernel->body ? closing_bracket(kernel->body) : NULL;
	if (scan.end)
		scan_block(&scan, kernel->body + 1);
	scan_functions(&scan);
	if (kernel->launch)
		add(&scan, CODE_LAUNCH, kernel->launch, (struct span){0}, nothing);
	own_set_steps(kernel, scan.items, scan.count);
	if (scan.failed) {
		free(scan.items);
		return false;
	}
	*ret_items = scan.items;
	*ret_count = scan.count;
	return true;
}
