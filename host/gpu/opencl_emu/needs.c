/* The lines of needs.h for each function. */
#include "common/array.h"
#include "host/gpu/opencl_emu/internal.h"

#include "host/gpu/opencl_emu/ir_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "#define PMPP_ONLY"
#define TYPE_START "#define PMPP_HAS_"

/* A function: its own line, and the lines of the types of all its overloads. */
struct function {
	struct part line;
	struct part *types;
	size_t count, capacity;
};

struct functions {
	struct function *items;
	size_t count, capacity;
};

/* Adds a type, if it is new. */
static bool add_type(struct function *function, struct part type)
{
	for (size_t i = 0; i < function->count; i++)
		if (part_same(function->types[i], type))
			return true;
	if (!array_reserve(&function->types, &function->capacity, function->count,
		    sizeof *function->types))
		return false;
	function->types[function->count++] = type;
	return true;
}

/* Returns the function of a line, which is added if it is new. NULL for lack of memory. */
static struct function *function_of(struct functions *functions, struct part line)
{
	for (size_t i = 0; i < functions->count; i++)
		if (part_same(functions->items[i].line, line))
			return &functions->items[i];
	if (!array_reserve(&functions->items, &functions->capacity, functions->count,
		    sizeof *functions->items))
		return NULL;
	struct function *added = &functions->items[functions->count++];
	*added = (struct function){.line = line};
	return added;
}

/* Reads a declaration: the lines of its types, and the line of its function. */
static bool add_declaration(struct functions *functions, const char **text)
{
	struct function types = {.count = 0};
	struct function *function = NULL;
	struct part line;
	bool done = true;

	while (done && !function && next_line(text, &line))
		if (part_starts_with(line, TYPE_START))
			done = add_type(&types, line);
		else if (!part_same(line, (struct part){FIRST_LINE, strlen(FIRST_LINE)}))
			done = (function = function_of(functions, line));
	for (size_t i = 0; done && i < types.count; i++)
		done = add_type(function, types.types[i]);
	free(types.types);
	return done;
}

static int by_text(const void *a, const void *b)
{
	return part_compare(*(const struct part *)a, *(const struct part *)b);
}

/* The types are sorted: kernels that declare the overloads in another order have the same text. */
static char *text_of(struct function *function)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out) {
		if (function->count)
			qsort(function->types, function->count, sizeof *function->types, by_text);
		fprintf(out, FIRST_LINE "\n");
		for (size_t i = 0; i < function->count; i++)
			fprintf(out, "%.*s\n", PUT(function->types[i]));
		fprintf(out, "%.*s\n", PUT(function->line));
	}
	return ir_close(out, &text, true);
}

char **needs_split(const char *needs)
{
	struct functions functions = {.count = 0};
	bool done = true;

	while (done && *needs)
		done = add_declaration(&functions, &needs);
	char **texts = done ? calloc(functions.count + 1, sizeof *texts) : NULL;
	for (size_t i = 0; texts && i < functions.count; i++)
		if (!(texts[i] = text_of(&functions.items[i]))) {
			needs_free(texts);
			texts = NULL;
		}
	for (size_t i = 0; i < functions.count; i++)
		free(functions.items[i].types);
	free(functions.items);
	return texts;
}

void needs_free(char **texts)
{
	for (size_t i = 0; texts && texts[i]; i++)
		free(texts[i]);
	free(texts);
}
