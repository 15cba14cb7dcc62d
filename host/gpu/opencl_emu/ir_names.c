/*
 * Renames the functions and variables of the kernel's file. The built-in functions call functions of
 * the C library. Without new names, `float expf(float x)` of the kernel's file replaces the library's
 * function, and the optimiser assumes that it does the same.
 *
 * These names are not changed: names that only the file sees (static functions, variables of functions
 * such as "kernel.tile", strings), and mangled names (_Z), which no C library has.
 */
#include "common/array.h"
#include "host/gpu/opencl_emu/internal.h"
#include "host/gpu/opencl_emu/ir_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct names {
	struct part *items; /* with '@', sorted */
	size_t count, capacity;
};

static int compare(const void *a, const void *b)
{
	return part_compare(*(const struct part *)a, *(const struct part *)b);
}

static bool add(struct names *names, struct part name)
{
	if (!array_reserve(&names->items, &names->capacity, names->count, sizeof *names->items))
		return false;
	names->items[names->count++] = name;
	return true;
}

/* Whether a line defines a name that other object files see. */
static bool is_definition(struct part line)
{
	bool variable = part_starts_with(line, "@") &&
			(part_find(line, " global ") || part_find(line, " constant "));

	return (variable || part_starts_with(line, "define ")) && !part_find(line, " internal ") &&
	       !part_find(line, " private ");
}

static bool find_names(struct names *names, const char *ir)
{
	struct part line;

	while (next_line(&ir, &line)) {
		struct part name = is_definition(line) ? part_global(line) : (struct part){"", 0};
		bool own = name.length > 1 && !part_starts_with(name, "@_Z") &&
			   !part_starts_with(name, "@\"") && !memchr(name.at, '.', name.length);
		if (own && !add(names, name))
			return false;
	}
	if (names->count > 0)
		qsort(names->items, names->count, sizeof *names->items, compare);
	return true;
}

static void put_line(FILE *out, struct part line, const struct names *names)
{
	const char *end = line.at + line.length;
	const char *found;

	while ((found = part_find(line, "@"))) {
		struct part rest = {found, (size_t)(end - found)};
		struct part name = part_global(rest);
		bool own = names->count > 0 && bsearch(&name, names->items, names->count,
						       sizeof *names->items, compare);
		fprintf(out, "%.*s@%s", (int)(found - line.at), line.at, own ? IR_PREFIX : "");
		fprintf(out, "%.*s", (int)name.length - 1, name.at + 1);
		line = (struct part){found + name.length, (size_t)(end - found) - name.length};
	}
	fprintf(out, "%.*s\n", PUT(line));
}

char *ir_rename(const char *ir)
{
	struct names names = {0};
	struct part line;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool done = out && find_names(&names, ir);

	while (done && next_line(&ir, &line))
		put_line(out, line, &names);
	free(names.items);
	return ir_close(out, &text, done);
}
