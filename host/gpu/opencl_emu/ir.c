/*
 * Reads and changes IR that is not optimised: kernels, variables, built-in functions, names.
 */
#include "common/array.h"
#include "host/gpu/opencl_emu/internal.h"
#include "host/gpu/opencl_emu/ir_text.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IR_PREFIX "pmpp_user."
#define SHARED_SECTION "section \"pmpp_shared\""

/* ---- Names ------------------------------------------------------------------------------ */

/* Returns the name after the first '@' of a line: @name or @"name". An empty part: there is none. */
static struct part global_name(struct part line)
{
	struct part name = part_global(line);
	bool quoted = name.length > 2 && name.at[1] == '"';

	if (name.length > 0)
		name = (struct part){name.at + 1 + quoted, name.length - 1 - 2 * quoted};
	return name;
}

/* ---- Variables ----------------------------------------------------------------------------- */

/* A `__local` variable has no initial value: "@kernel.x = internal global [4 x float] undef". */
static bool is_local_variable(struct part line)
{
	return part_starts_with(line, "@") && part_find(line, " = internal ") &&
	       part_find(line, " global ") && part_find(line, " undef");
}

static void put_local_variable(FILE *out, struct part line)
{
	static const char internal[] = " = internal ";
	static const char value[] = " undef";
	const char *linkage = part_find(line, internal);
	const char *type = linkage + sizeof internal - 1;
	const char *undef = part_find(line, value) + sizeof value - 1;

	fprintf(out, "%.*s = hidden %.*s, " SHARED_SECTION "%.*s\n", (int)(linkage - line.at),
		line.at, (int)(undef - type), type, (int)(line.at + line.length - undef), undef);
}

/* Returns the elements of an array, "[4 x [8 x float]]": 32. 1: no array. */
static unsigned long long elements_of(struct part line)
{
	unsigned long long elements = 1;

	for (size_t i = 0; i < line.length; i++)
		if (line.at[i] == '[') {
			unsigned long long count = strtoull(line.at + i + 1, NULL, 10);

			elements = count > 0 && elements > ULLONG_MAX / count ? ULLONG_MAX
									      : elements * count;
		}
	return elements;
}

/* A variable of the file in global memory (OpenCL C 2.0) or in constant memory. "private" are strings and
 * initial values of private arrays. */
static bool is_file_variable(struct part line)
{
	return part_starts_with(line, "@") && !part_starts_with(line, "@llvm.") &&
	       !part_find(line, " private ") &&
	       (part_find(line, " global ") || part_find(line, " constant "));
}

/* Unused bytes before and after a variable: an index that is a little too large or too small is in no
 * variable. */
static void put_gap(FILE *out, const char *word, const char *section, unsigned *number)
{
	fprintf(out,
		"@" EMU_GAP "%u = hidden %s [" EMU_GAP_BYTES
		" x i8] zeroinitializer, section \"%s\"\n",
		++*number, word, section);
}

/* These variables lose their internal linkage, as those in local memory. The linker could merge internal
 * constants, and move them away from their gaps. */
static void put_file_variable(FILE *out, struct part line, unsigned *gaps)
{
	static const char internal[] = " internal ";
	bool constant = !part_find(line, " global ");
	const char *word = constant ? "constant" : "global";
	const char *section = constant ? "pmpp_constants" : "pmpp_variables";
	const char *linkage = part_find(line, internal);
	const char *align = part_find(line, ", align ");
	const char *end = align ? align : line.at + line.length;
	const char *rest = linkage ? linkage + sizeof internal - 1 : line.at;

	put_gap(out, word, section, gaps);
	if (linkage)
		fprintf(out, "%.*s hidden ", (int)(linkage - line.at), line.at);
	fprintf(out, "%.*s, section \"%s\"%.*s\n", (int)(end - rest), rest, section,
		(int)(line.at + line.length - end), end);
	put_gap(out, word, section, gaps);
}

/* ---- Kernels ------------------------------------------------------------------------------- */

/* The parameter types of OpenCL C, as the metadata of clang names them. */
static const struct scalar {
	const char *name, *c_type;
	char kind; /* in the form of struct pmpp_emu_entry */
} scalars[] = {
	{"char", "signed char", '1'},
	{"uchar", "unsigned char", '1'},
	{"short", "short", '2'},
	{"ushort", "unsigned short", '2'},
	{"int", "int", '4'},
	{"uint", "unsigned", '4'},
	{"float", "float", 'f'},
	{"long", "long", '8'},
	{"ulong", "unsigned long", '8'},
	{"double", "double", 'd'},
};

/* Returns the contents of the metadata node that a line names after `key`: "i32 1, i32 0" for
 * "!kernel_arg_addr_space !54" and "!54 = !{i32 1, i32 0}". An empty part: there is none. */
static struct part metadata_of(const char *ir, struct part line, const char *key)
{
	const char *found = part_find(line, key);
	char head[32];

	if (!found)
		return (struct part){"", 0};
	snprintf(head, sizeof head, "\n!%d = !{", atoi(found + strlen(key)));
	const char *node = strstr(ir, head);
	if (!node)
		return (struct part){"", 0};
	node += strlen(head);
	return (struct part){node, strcspn(node, "}\n")};
}

/* Takes the next item of a list: `"float*"` or `i32 1`, without quotes. */
static bool next_item(struct part *list, struct part *ret_item)
{
	const char *end = list->at + list->length;
	const char *at = list->at;

	while (at < end && (*at == ' ' || *at == ','))
		at++;
	if (at == end)
		return false;
	bool quoted = at[0] == '!' && at + 1 < end && at[1] == '"';
	at += quoted ? 2 : 0;
	const char *close = memchr(at, quoted ? '"' : ',', (size_t)(end - at));
	*ret_item = (struct part){at, (size_t)((close ? close : end) - at)};
	list->at = close ? close + quoted : end;
	list->length = (size_t)(end - list->at);
	return true;
}

static const struct scalar *scalar_named(struct part type)
{
	for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
		if (part_same(type, (struct part){scalars[i].name, strlen(scalars[i].name)}))
			return &scalars[i];
	return NULL;
}

/* Writes the numbers of a node, "i32 64, i32 1, i32 1", each with a comma; zeros if there is none. */
static void put_numbers(FILE *out, struct part list, int count)
{
	struct part item;

	for (int i = 0; i < count; i++) {
		const char *number =
			next_item(&list, &item) ? memrchr(item.at, ' ', item.length) : NULL;
		fprintf(out, "%d, ", number ? atoi(number) : 0);
	}
}

/* Writes the function that calls a kernel, and the kernel's record. A parameter in local memory is
 * the block's dynamic shared memory. A parameter that is no scalar and no pointer has the kind '?':
 * no argument fits it, so the kernel is never called. */
static void put_entry(FILE *out, const char *ir, struct part line, struct part symbol)
{
	const int length = (int)symbol.length;
	const char *name = symbol.at;
	struct part spaces = metadata_of(ir, line, "!kernel_arg_addr_space !");
	struct part types = metadata_of(ir, line, "!kernel_arg_base_type !");
	struct part space, type;
	char kinds[64] = "";
	size_t count = 0;

	fprintf(out, "void pmpp_kernel_%.*s() __asm__(\"" IR_PREFIX "%.*s\");\n", length, name,
		length, name);
	fprintf(out,
		"static void pmpp_call_%.*s(void **arguments)\n{\n\t(void)arguments;\n"
		"\t((void (*)(",
		length, name);
	for (struct part list = types; next_item(&list, &type) && count + 1 < sizeof kinds;) {
		const struct scalar *scalar = scalar_named(type);
		bool pointer = memchr(type.at, '*', type.length);
		bool local = next_item(&spaces, &space) && part_find(space, "i32 3");
		kinds[count] = scalar ? scalar->kind : local ? 'l' : pointer ? 'p' : '?';
		fprintf(out, "%s%s", count ? ", " : "", scalar ? scalar->c_type : "void *");
		count++;
	}
	fprintf(out, "%s))pmpp_kernel_%.*s)(", count ? "" : "void", length, name);
	for (size_t i = 0; next_item(&types, &type) && i < count; i++) {
		const struct scalar *scalar = scalar_named(type);
		fprintf(out, i ? ", " : "");
		if (kinds[i] == 'l')
			fprintf(out, "pmpp_emu_state.dynamic_shared");
		else
			fprintf(out, "*(%s *)arguments[%zu]", scalar ? scalar->c_type : "void *",
				i);
	}
	fprintf(out,
		");\n}\n__attribute__((visibility(\"default\"))) const struct pmpp_emu_entry "
		"pmpp_emu_entry_%.*s = {pmpp_call_%.*s, \"%s\", {",
		length, name, length, name, kinds);
	put_numbers(out, metadata_of(ir, line, "!reqd_work_group_size !"), 3);
	fprintf(out, "}, ");
	put_numbers(out, metadata_of(ir, line, "!intel_reqd_sub_group_size !"), 1);
	fprintf(out, "};\n\n");
}

/* ---- Built-in functions -------------------------------------------------------------------- */

/* A function that the file declares but does not define. */
struct need {
	struct part name;
	unsigned types; /* in the parameters of all its overloads: bits, rows of need_types */
};

/* builtins.cl leaves out the overloads of other types and vector sizes. */
static const char *const need_types[] = {
	"v2", "v3", "v4", "v8", "v16", "Dh", "c", "s", "i", "l", "h", "t", "j", "m", "f", "d"};

struct needs {
	struct need *items;
	size_t count, capacity;
};

#define NEED_TYPES (sizeof need_types / sizeof *need_types)

/* "_Z3fmafff" is the function fma; a name without "_Z<length>" is itself. */
static struct part plain_name(struct part symbol)
{
	char *name;

	if (!part_starts_with(symbol, "_Z"))
		return symbol;
	unsigned long length = strtoul(symbol.at + 2, &name, 10);
	if (length == 0 || length > (size_t)(symbol.at + symbol.length - name))
		return symbol;
	return (struct part){name, length};
}

static bool is_of_compiler(struct part symbol)
{
	return part_starts_with(symbol, "llvm.") || part_starts_with(symbol, "__tsan_") ||
	       part_starts_with(symbol, "__sanitizer_");
}

/* Takes the next part of mangled parameters and writes its type:
 *   "Dv4_" v4, the element follows
 *   "S_", "S0_" no type: it was there before
 *   "12memory_order" no type, also with U before it, an address space or _Atomic: "U8CLglobal"
 *   "P", "K" and others: the letter */
static void take_type(const char **mangled, char ret_type[4])
{
	static const char digits[] = "0123456789",
			  numbers[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *at = *mangled;
	size_t length = 1;

	snprintf(ret_type, 4, "%c", *at);
	if (at[0] == 'D' && at[1] == 'v') {
		length = 2 + strspn(at + 2, digits);
		snprintf(ret_type, 4, "v%.*s", (int)length - 2, at + 2);
		length += at[length] == '_';
	} else if (at[0] == 'D' && at[1] == 'h') {
		snprintf(ret_type, 4, "Dh");
		length = 2;
	} else if (*at == 'S') {
		length += strspn(at + 1, numbers);
		length += at[length] == '_';
	} else if (*at == 'U' || isdigit((unsigned char)*at)) {
		size_t before = *at == 'U';
		length = before + strspn(at + before, digits) + strtoul(at + before, NULL, 10);
	}
	*mangled += length;
}

/* Adds a declaration. Returns false for lack of memory. */
static bool add_need(struct needs *needs, struct part symbol)
{
	struct part name = plain_name(symbol);
	size_t i = 0;
	char type[4];

	while (i < needs->count && !part_same(needs->items[i].name, name))
		i++;
	if (i == needs->count) {
		if (!array_reserve(&needs->items, &needs->capacity, i, sizeof *needs->items))
			return false;
		needs->items[needs->count++] = (struct need){.name = name};
	}
	for (const char *at = name.at + name.length; at < symbol.at + symbol.length;) {
		take_type(&at, type);
		for (size_t k = 0; k < NEED_TYPES; k++)
			needs->items[i].types |= (unsigned)(strcmp(type, need_types[k]) == 0) << k;
	}
	return true;
}

/* Writes the line of a conversion: the parts of "convert_uchar4_sat_rtz". Returns false if the name is
 * not that of a conversion. */
static bool put_conversion(FILE *out, struct part function)
{
	static const char *const modes[] = {"_rte", "_rtz", "_rtp", "_rtn"};
	char name[sizeof "convert_ushort16_sat_rtz"];
	const char *mode = "default";

	if (!part_starts_with(function, "convert_") || function.length >= sizeof name)
		return false;
	snprintf(name, sizeof name, "%.*s", (int)function.length, function.at);
	const char *type = name + strlen("convert_");
	size_t scalar = strcspn(type, "0123456789_");
	size_t whole = strcspn(type, "_");
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (strstr(type + whole, modes[i]))
			mode = modes[i] + 1;
	fprintf(out, "PMPP_CONVERT(%s, %.*s, %.*s, %d, %d, %s)\n", name, (int)whole, type,
		(int)scalar, type, whole > scalar ? atoi(type + scalar) : 1,
		strstr(type + whole, "_sat") != NULL, mode);
	return true;
}

static void put_needs(FILE *out, const struct needs *needs)
{
	for (size_t i = 0; i < needs->count; i++) {
		const struct need *need = &needs->items[i];
		fprintf(out, IR_NEED_START);
		for (size_t k = 0; k < NEED_TYPES; k++)
			if (need->types >> k & 1)
				fprintf(out, "#define PMPP_HAS_%s\n", need_types[k]);
		if (!put_conversion(out, need->name))
			fprintf(out, "#define NEED_%.*s\n", PUT(need->name));
	}
}

/* ---- Names of the file ------------------------------------------------------------------------ */

/* Functions and variables of the kernel's file get new names. The built-in functions call functions of
 * the C library. Without new names, `float expf(float x)` of the kernel's file replaces the library's
 * function, and the optimiser assumes that it does the same.
 *
 * These names are not changed: names that only the file sees (static functions, variables of functions
 * such as "kernel.tile", strings), and mangled names (_Z), which no C library has. */

struct names {
	struct part *items; /* with '@', sorted */
	size_t count, capacity;
};

static int compare_names(const void *a, const void *b)
{
	return part_compare(*(const struct part *)a, *(const struct part *)b);
}

static bool add_name(struct names *names, struct part name)
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
		if (own && !add_name(names, name))
			return false;
	}
	if (names->count > 0)
		qsort(names->items, names->count, sizeof *names->items, compare_names);
	return true;
}

static void put_names(FILE *out, struct part line, const struct names *names)
{
	const char *end = line.at + line.length;
	const char *found;

	while ((found = part_find(line, "@"))) {
		struct part rest = {found, (size_t)(end - found)};
		struct part name = part_global(rest);
		bool own = names->count > 0 && bsearch(&name, names->items, names->count,
						       sizeof *names->items, compare_names);
		fprintf(out, "%.*s@%s", (int)(found - line.at), line.at, own ? IR_PREFIX : "");
		fprintf(out, "%.*s", (int)name.length - 1, name.at + 1);
		line = (struct part){found + name.length, (size_t)(end - found) - name.length};
	}
	fprintf(out, "%.*s\n", PUT(line));
}

/* Returns the IR with new names. NULL for lack of memory. */
static char *rename_all(const char *ir)
{
	struct names names = {0};
	struct part line;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool done = out && find_names(&names, ir);

	while (done && next_line(&ir, &line))
		put_names(out, line, &names);
	free(names.items);
	return ir_close(out, &text, done);
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* "!9 = !{!"llvm.loop.unroll.full"}": #pragma unroll. The counts of a line are wrong if the compiler
 * unrolls its loop. */
static bool is_unroll_request(struct part line)
{
	return part_starts_with(line, "!") && part_find(line, "= !{!\"llvm.loop.unroll.");
}

/* Writes a line with a text inserted at a place in it. */
static void put_with(FILE *out, struct part line, const char *place, const char *inserted)
{
	fprintf(out, "%.*s%s%.*s\n", (int)(place - line.at), line.at, inserted,
		(int)(line.at + line.length - place), place);
}

/* Calls of printf go to builtins_print.c: the optimiser knows C's printf and would change them. */
static bool put_print(FILE *out, struct part line)
{
	static const char name[] = "@printf(";
	const char *found = part_find(line, name);

	if (found)
		put_with(out, line, found + 1, "pmpp_emu_");
	return found;
}

/* Functions that all lanes must call together are `convergent`. Calls on both sides of a branch are
 * different places: they must not be merged. */
static bool put_attributes(FILE *out, struct part line)
{
	static const char word[] = " convergent ";
	const char *found = part_starts_with(line, "attributes #") ? part_find(line, word) : NULL;

	if (found)
		put_with(out, line, found, " nomerge");
	return found;
}

/* The line identifies a barrier, "call void @pmpp_emu_barrier(i32 noundef 7, i32 noundef 1)". A later
 * barrier of the same line has the line 0: its address identifies it. */
static bool put_barrier(FILE *out, const char *ir, struct part line)
{
	static const char name[] = "@pmpp_emu_barrier(i32 ";
	const char *found = part_starts_with(line, "  ") ? part_find(line, name) : NULL;

	if (!found)
		return false;
	size_t length = strcspn(found, ","), digits = length;
	while (isdigit((unsigned char)found[digits - 1]))
		digits--;
	if (!memmem(ir, (size_t)(line.at - ir), found, length + 1))
		return false;
	const char *rest = found + length;
	fprintf(out, "%.*s0%.*s\n", (int)(found + digits - line.at), line.at,
		(int)(line.at + line.length - rest), rest);
	return true;
}

struct outputs {
	FILE *text, *entries;
	struct needs needs;
	bool no_memory;
	unsigned long long largest_local;
	unsigned gaps;
};

static void read_line(const char *ir, struct part line, struct outputs *out)
{
	struct part name = global_name(line);

	if (is_local_variable(line)) {
		unsigned long long elements = elements_of(line);

		if (elements > out->largest_local)
			out->largest_local = elements;
		put_local_variable(out->text, line);
		return;
	}
	if (is_file_variable(line)) {
		put_file_variable(out->text, line, &out->gaps);
		return;
	}
	if (is_unroll_request(line)) {
		fprintf(out->text, "%.*s= !{!\"llvm.loop.unroll.disable\"}\n",
			(int)(part_find(line, "= !{") - line.at), line.at);
		return;
	}
	if (part_starts_with(line, "define ") && part_find(line, "!kernel_arg_base_type !"))
		put_entry(out->entries, ir, line, name);
	else if (part_starts_with(line, "declare ") && !is_of_compiler(name))
		out->no_memory |= !add_need(&out->needs, name);
	if (!put_print(out->text, line) && !put_attributes(out->text, line) &&
		!put_barrier(out->text, ir, line))
		fprintf(out->text, "%.*s\n", PUT(line));
}

bool ir_read(const char *ir, struct ir_facts *ret_facts)
{
	char *split = ir_split_vectors(ir), *text = NULL;
	size_t sizes[3];
	struct outputs out = {.text = open_memstream(&text, &sizes[0]),
		.entries = open_memstream(&ret_facts->entries, &sizes[1])};
	FILE *needs = open_memstream(&ret_facts->needs, &sizes[2]);
	FILE *const streams[] = {out.text, out.entries, needs};
	bool whole = split && out.text && out.entries && needs;
	struct part line;

	if (whole)
		fputs("#include \"pmpp_emu.h\"\n\n"
		      "extern __attribute__((visibility(\"hidden\"))) struct pmpp_emu_state "
		      "pmpp_emu_state;\n\n",
			out.entries);
	for (const char *rest = split; whole && next_line(&rest, &line);)
		read_line(split, line, &out);
	if (whole)
		put_needs(needs, &out.needs);
	ret_facts->largest_local = out.largest_local;
	for (size_t i = 0; i < 3; i++)
		whole &= streams[i] && fclose(streams[i]) == 0;
	ret_facts->text = whole && !out.no_memory ? rename_all(text) : NULL;
	free(out.needs.items);
	free(split);
	free(text);
	return ret_facts->text;
}
