/*
 * IR of the traced build: adds calls of the hooks for accesses that the thread sanitizer of clang ignores, and
 * orders the basic blocks.
 *
 * The basic blocks are in an order in which lanes can run in lockstep. A block comes
 * after the blocks that lead to it, except for jumps back in a loop. The blocks of a loop are
 * together. Lanes that leave a loop early then wait after it (emu/threads.c).
 *
 * The order is Bourdoncle's weak topological order ("Efficient chaotic iteration strategies with
 * widenings", 1993, figure 4).
 *
 * Values without a name have numbers in the order of the text. The numbers become names here: %7 is
 * %v7.
 */
#include "common/array.h"
#include "host/gpu/opencl_emu/internal.h"
#include "host/gpu/opencl_emu/ir_text.h"

#include <ctype.h>
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
		fprintf(out, "  call void @%s(%.*s, i64 %s)%.*s\n", hook, PUT(pointer), bytes,
			PUT(location));
		return;
	}
	if (!star || !value)
		return;
	++*number;
	fprintf(out, "  %%pmpp.%u = bitcast %.*s to i8*%.*s\n", *number, PUT(pointer),
		PUT(location));
	fprintf(out, "  call void @%s(i8* %%pmpp.%u, i64 %s)%.*s\n", hook, *number, bytes,
		PUT(location));
}

/* ---- Tables in constant memory ------------------------------------------------------------- */

/* The sanitizer ignores loads of constants. */
struct tables {
	/* "@w" of all tables, then "%3" of the addresses in them in the current function */
	struct part *names;
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

static char *add_hooks(const char *ir)
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
		fprintf(out, "%.*s\n", PUT(line));
	}
	declare_hook(out, &text, READ_HOOK);
	declare_hook(out, &text, WRITE_HOOK);
	free(tables.names);
	return ir_close(out, &text, !tables.no_memory);
}

/* ---- Order of the basic blocks -------------------------------------------------------------- */

/* A basic block: its lines, from the label to the terminator. */
struct block {
	struct part text;
	struct part label; /* length 0: the entry */
	size_t *successors;
	size_t successor_count, successor_capacity;
	size_t search_number; /* in the depth-first search; 0: not visited; SIZE_MAX: done */
};

struct function {
	struct block *blocks;
	size_t count, capacity;
	size_t *stack; /* blocks on the stack of the search */
	size_t stack_count;
	size_t *order; /* filled from the end */
	size_t order_first;
	size_t visited; /* number of blocks that the search has visited */
};

/* ---- Text of blocks ---------------------------------------------------------------------------------- */

static const char *line_end(const char *at)
{
	return at + strcspn(at, "\n");
}

/* Returns the length of the label at the start of a line, "23:" or "for.body:"; 0: none. */
static size_t label_length(const char *line)
{
	size_t length = strspn(line, IR_NAME);

	return line[length] == ':' ? length : 0;
}

/* Writes a part of a function, with names in place of numbers. */
static void put_renamed(FILE *out, struct part part, bool label_first)
{
	if (label_first && isdigit((unsigned char)*part.at))
		fputc('v', out);
	for (size_t i = 0; i < part.length; i++) {
		fputc(part.at[i], out);
		if (part.at[i] == '%' && i + 1 < part.length &&
			isdigit((unsigned char)part.at[i + 1]))
			fputc('v', out);
	}
}

/* An entry without a label has the number after the numbers of the parameters. "define void @f(i32
 * %0, i32 %1)": 2 */
static unsigned entry_number(const char *define, const char *end)
{
	unsigned number = 0;

	for (const char *at = define; at < end; at++)
		number += at[0] == '%' && isdigit((unsigned char)at[1]);
	return number;
}

/* ---- Blocks -------------------------------------------------------------------------------- */

static bool add_block(struct function *function, const char *text, struct part label)
{
	if (!array_reserve(&function->blocks, &function->capacity, function->count,
		    sizeof *function->blocks))
		return false;
	function->blocks[function->count++] = (struct block){.text.at = text, .label = label};
	return true;
}

/* Splits the body of a function, from the line after "define" to the line before "}". */
static bool split(struct function *function, const char *body, const char *end)
{
	/* clang 17 and later write the label of the entry too. */
	if (!add_block(function, body, (struct part){body, label_length(body)}))
		return false;
	for (const char *line = line_end(body) + 1; line < end; line = line_end(line) + 1) {
		struct part label = {line, label_length(line)};
		if (label.length > 0 && !add_block(function, line, label))
			return false;
	}
	for (size_t i = 0; i < function->count; i++) {
		struct block *block = &function->blocks[i];
		const char *next = i + 1 < function->count ? block[1].text.at : end;
		block->text.length = (size_t)(next - block->text.at);
	}
	return true;
}

static size_t find_block(const struct function *function, struct part label)
{
	for (size_t i = 0; i < function->count; i++)
		if (part_same(function->blocks[i].label, label))
			return i;
	return SIZE_MAX;
}

/* The successors are the labels of the terminator, the only instruction with labels. Returns false
 * if the text is not as expected. */
static bool find_successors(struct function *function, struct block *block)
{
	static const char word[] = "label %";
	const char *end = block->text.at + block->text.length;

	for (const char *at = block->text.at;
		(at = memmem(at, (size_t)(end - at), word, sizeof word - 1));) {
		at += sizeof word - 1;
		size_t successor = find_block(function, (struct part){at, strspn(at, IR_NAME)});
		if (successor == SIZE_MAX ||
			!array_reserve(&block->successors, &block->successor_capacity,
				block->successor_count, sizeof *block->successors))
			return false;
		block->successors[block->successor_count++] = successor;
	}
	return true;
}

/* ---- Order --------------------------------------------------------------------------------- */

static void put_first(struct function *function, size_t block)
{
	function->order[--function->order_first] = block;
}

static size_t visit(struct function *function, size_t index);

/* Orders the blocks of a loop; `head` is first. */
static void order_loop(struct function *function, size_t head)
{
	const struct block *block = &function->blocks[head];

	for (size_t i = block->successor_count; i-- > 0;)
		if (function->blocks[block->successors[i]].search_number == 0)
			visit(function, block->successors[i]);
	put_first(function, head);
}

/* Visits the last successor first, because put_first() fills the order from its end: the first
 * successor of a branch is before the others. Returns the lowest search number of a block that the
 * block leads to. */
static size_t visit(struct function *function, size_t index)
{
	struct block *block = &function->blocks[index];
	size_t own = ++function->visited;
	size_t head = own;
	bool loop = false;

	block->search_number = own;
	function->stack[function->stack_count++] = index;
	for (size_t i = block->successor_count; i-- > 0;) {
		const struct block *next = &function->blocks[block->successors[i]];
		size_t min = next->search_number ? next->search_number
						 : visit(function, block->successors[i]);
		if (min <= head) {
			head = min;
			loop = true;
		}
	}
	if (head != own)
		return head;
	block->search_number = SIZE_MAX;
	size_t element = function->stack[--function->stack_count];
	if (!loop) {
		put_first(function, index);
		return head;
	}
	while (element != index) {
		function->blocks[element].search_number = 0;
		element = function->stack[--function->stack_count];
	}
	order_loop(function, index);
	return head;
}

/* Writes the body of a function in the new order. Returns false if a label is missing, or for lack
 * of memory. */
static bool put_ordered(FILE *out, const char *body, const char *end)
{
	struct function function = {0};
	bool known = split(&function, body, end);

	for (size_t i = 0; i < function.count && known; i++)
		known = find_successors(&function, &function.blocks[i]);
	function.stack = calloc(function.count + 1, sizeof *function.stack);
	function.order = calloc(function.count + 1, sizeof *function.order);
	function.order_first = function.count;
	known &= function.stack && function.order;
	if (known)
		visit(&function, 0);
	for (size_t i = function.order_first; i < function.count && known; i++) {
		const struct block *block = &function.blocks[function.order[i]];
		put_renamed(out, block->text, block->label.length > 0);
	}
	/* Unreachable blocks. Other blocks can refer to them. */
	for (size_t i = 1; i < function.count && known; i++)
		if (function.blocks[i].search_number == 0)
			put_renamed(out, function.blocks[i].text, true);
	for (size_t i = 0; i < function.count; i++)
		free(function.blocks[i].successors);
	free(function.blocks);
	free(function.stack);
	free(function.order);
	return known;
}

static bool put_function(FILE *out, const char *begin, const char *end, void *context)
{
	const char *body = line_end(begin) + 1;

	(void)context;
	put_renamed(out, (struct part){begin, (size_t)(body - begin)}, false);
	if (label_length(body) == 0)
		fprintf(out, "v%u:\n", entry_number(begin, body - 1));
	return put_ordered(out, body, end);
}

char *ir_trace(const char *ir)
{
	char *hooked = add_hooks(ir);
	char *ordered = hooked ? ir_change_functions(hooked, put_function, NULL) : NULL;

	free(hooked);
	return ordered;
}
