/* Adds calls of the hooks for accesses that the thread sanitizer of clang ignores. */
#include "host/gpu/opencl_emu/internal.h"
#include "host/gpu/opencl_emu/ir_text.h"

#include "common/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ_HOOK "__tsan_read_range"
#define WRITE_HOOK "__tsan_write_range"

/* Size in bits of a type in memory, at the start of a text: "<8 x float>", "i24"; 0: another type. */
static unsigned type_bits(const char *type)
{
	static const struct {
		const char *name;
		unsigned bits;
	} floats[] = {{"half", 16}, {"float", 32}, {"double", 64}};
	unsigned long count = 1, bits = 0;
	char *after = (char *)(uintptr_t)type;

	if (*type == '<') {
		count = strtoul(type + 1, &after, 10);
		if (strncmp(after, " x ", 3) != 0)
			return 0;
		after += 3;
	}
	if (*after == 'i')
		bits = strtoul(after + 1, &after, 10);
	for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
		if (strncmp(after, floats[i].name, strlen(floats[i].name)) == 0) {
			bits = floats[i].bits;
			after += strlen(floats[i].name);
			break;
		}
	if (*after == '*') /* a pointer */
		return 0;
	return (unsigned)((count * bits + 7) / 8 * 8);
}

/* The sanitizer sees accesses of 8 to 128 bits, in powers of two. */
static bool is_ignored(unsigned bits)
{
	return bits > 128 || (bits & (bits - 1)) != 0;
}

/* Writes the call of a hook. pointer: a type and a value, "<8 x float>* %3" or "ptr %3". bytes: a
 * constant or a type and a value. */
static void put_call(FILE *out, const char *hook, struct part pointer, const char *bytes,
	struct part location, unsigned *number)
{
	const char *star = memrchr(pointer.at, '*', pointer.length);
	const char *value = memrchr(pointer.at, ' ', pointer.length);

	if (part_starts_with(pointer, "ptr ") || part_starts_with(pointer, "i8* ")) {
		fprintf(out, "  call void @%s(%.*s, i64 %s)%.*s\n", hook, (int)pointer.length,
			pointer.at, bytes, (int)location.length, location.at);
		return;
	}
	if (!star || !value)
		return;
	++*number;
	fprintf(out, "  %%pmpp.%u = bitcast %.*s to i8*%.*s\n", *number, (int)pointer.length,
		pointer.at, (int)location.length, location.at);
	fprintf(out, "  call void @%s(i8* %%pmpp.%u, i64 %s)%.*s\n", hook, *number, bytes,
		(int)location.length, location.at);
}

/* ---- Tables in constant memory ------------------------------------------------------------- */

/* The sanitizer ignores loads of constants. */
struct tables {
	struct part *
		names; /* "@w" of all tables, then "%3" of the addresses in them in the current function */
	size_t table_count, count, capacity;
	bool no_memory;
};

static bool has_name(const struct tables *tables, struct part name)
{
	for (size_t i = 0; i < tables->count; i++)
		if (part_same(tables->names[i], name))
			return true;
	return false;
}

static void add_name(struct tables *tables, struct part name)
{
	if (array_reserve(&tables->names, &tables->capacity, tables->count, sizeof *tables->names))
		tables->names[tables->count++] = name;
	else
		tables->no_memory = true;
}

/* "@w = constant [4 x float] [...], section "pmpp_constants"" and
 * "  %3 = getelementptr inbounds [4 x float], [4 x float]* @w, i64 0, i64 %2" */
static void read_tables(struct tables *tables, struct part line)
{
	static const char section[] = ", section \"pmpp_constants\"";

	if (memmem(line.at, line.length, section, sizeof section - 1)) {
		add_name(tables, part_global(line));
		tables->table_count = tables->count;
	} else if (part_starts_with(line, "define ")) {
		tables->count = tables->table_count;
	} else if (tables->table_count > 0 && part_find(line, " = getelementptr ") &&
		   has_name(tables, part_global(line))) {
		const char *name = line.at + strspn(line.at, " ");
		add_name(tables, (struct part){name, strcspn(name, " ")});
	}
}

/* ---- Hooks --------------------------------------------------------------------------------- */

/* The operands after the word: "%1 = load <8 x float>, <8 x float>* %0, align 32" and
 * "store <8 x float> %1, <8 x float>* %0, align 32". */
static void hook_access(FILE *out, struct part line, const char *word, const char *hook,
	const struct tables *tables, unsigned *number)
{
	static const char qualifier[] = "volatile ";
	const char *found = part_starts_with(line, "  ") ? part_find(line, word) : NULL;
	const char *end = line.at + line.length;
	char bytes[16];

	if (!found)
		return;
	const char *type = found + strlen(word);
	if (strncmp(type, qualifier, sizeof qualifier - 1) == 0)
		type += sizeof qualifier - 1;
	unsigned bits = type_bits(type);
	struct part rest = {type, (size_t)(end - type)};
	part_take(&rest);
	struct part pointer = part_take(&rest);
	const char *value = memrchr(pointer.at, ' ', pointer.length);
	bool constant =
		bits && value &&
		has_name(tables, (struct part){value + 1,
					 (size_t)(pointer.at + pointer.length - value - 1)});
	if (!is_ignored(bits) && !constant)
		return;
	snprintf(bytes, sizeof bytes, "%u", bits / 8);
	put_call(out, hook, pointer, bytes, part_location(line), number);
}

/* Writes an argument "i8* noundef align 4 %2" as "i8* %2". */
static void put_argument(FILE *out, struct part argument)
{
	const char *type_end = memchr(argument.at, ' ', argument.length);
	const char *value = memrchr(argument.at, ' ', argument.length);

	if (!type_end || !value || memchr(argument.at, '(', argument.length))
		fprintf(out, "%.*s", PUT(argument));
	else
		fprintf(out, "%.*s%.*s", (int)(type_end - argument.at), argument.at,
			(int)(argument.at + argument.length - value), value);
}

/* "call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 4 %1, i8* align 4 %2, i64 16, i1 false)" */
static void hook_copy(FILE *out, struct part line)
{
	const char *end = line.at + line.length;
	const char *name = part_find(line, " @llvm.mem");
	struct part arguments[3];

	if (!name || !part_find(line, "call void"))
		return;
	bool copies = strncmp(name, " @llvm.memset", 13) != 0;
	const char *at = memchr(name, '(', (size_t)(end - name));
	if (!at)
		return;
	struct part rest = {at + 1, (size_t)(end - at - 1)};
	for (int i = 0; i < 3; i++)
		arguments[i] = part_take(&rest);
	for (int i = copies ? 1 : 0; i >= 0; i--) {
		fprintf(out, "  call void @%s(", i == 1 ? READ_HOOK : WRITE_HOOK);
		put_argument(out, arguments[i]);
		fprintf(out, ", ");
		put_argument(out, arguments[2]);
		fprintf(out, ")%.*s\n", PUT(part_location(line)));
	}
}

/* Declares a hook if the text so far has a call of it. */
static void declare_hook(FILE *out, char *const *text, const char *hook)
{
	char call[64], declaration[64], type[32];

	fflush(out);
	snprintf(call, sizeof call, "call void @%s(", hook);
	snprintf(declaration, sizeof declaration, "declare void @%s(", hook);
	const char *found = strstr(*text, call);
	if (!found || strstr(*text, declaration))
		return;
	/* A copy: the stream moves its text when it grows. */
	found += strlen(call);
	snprintf(type, sizeof type, "%.*s", (int)strcspn(found, " "), found);
	fprintf(out, "%s%s, i64)\n", declaration, type);
}

char *ir_add_hooks(const char *ir)
{
	char *text = NULL;
	size_t size;
	unsigned number = 0;
	struct tables tables = {0};
	FILE *out = open_memstream(&text, &size);
	struct part line;

	if (!out)
		return NULL;
	for (const char *rest = ir; next_line(&rest, &line);) {
		read_tables(&tables, line);
		hook_access(out, line, " = load ", READ_HOOK, &tables, &number);
		hook_access(out, line, "  store ", WRITE_HOOK, &tables, &number);
		hook_copy(out, line);
		fprintf(out, "%.*s\n", (int)line.length, line.at);
	}
	declare_hook(out, &text, READ_HOOK);
	declare_hook(out, &text, WRITE_HOOK);
	free(tables.names);
	return ir_close(out, &text, !tables.no_memory);
}
