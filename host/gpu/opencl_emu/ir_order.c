/*
 * Puts the basic blocks of LLVM IR in an order in which lanes can run in lockstep. A block comes
 * after the blocks that lead to it, except for jumps back in a loop. The blocks of a loop are
 * together. Lanes that leave a loop early then wait after it (emu/lockstep.c).
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

/* A basic block: its lines, from the label to the terminator. */
struct block {
	const char *text;
	size_t length;
	const char *label; /* NULL: the entry */
	size_t label_length;
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

/* ---- Text ---------------------------------------------------------------------------------- */

static const char *line_end(const char *at)
{
	return at + strcspn(at, "\n");
}

static bool is_label_character(char c)
{
	return isalnum((unsigned char)c) || strchr("$._-", c);
}

/* Returns the length of the label at the start of a line, "23:" or "for.body:"; 0: none. */
static size_t label_length(const char *line)
{
	size_t length = 0;

	while (line[length] && line[length] != '\n' && is_label_character(line[length]))
		length++;
	return line[length] == ':' ? length : 0;
}

/* Writes a part of a function, with names in place of numbers. */
static void put_renamed(FILE *out, const char *at, size_t length, bool label_first)
{
	if (label_first && isdigit((unsigned char)*at))
		fputc('v', out);
	for (size_t i = 0; i < length; i++) {
		fputc(at[i], out);
		if (at[i] == '%' && i + 1 < length && isdigit((unsigned char)at[i + 1]))
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

static bool add_block(struct function *function, const char *text, const char *label, size_t length)
{
	if (!array_reserve(&function->blocks, &function->capacity, function->count,
		    sizeof *function->blocks))
		return false;
	function->blocks[function->count++] =
		(struct block){.text = text, .label = label, .label_length = length};
	return true;
}

/* Splits the body of a function, from the line after "define" to the line before "}". */
static bool split(struct function *function, const char *body, const char *end)
{
	if (!add_block(function, body, NULL, 0))
		return false;
	for (const char *line = body; line < end; line = line_end(line) + 1) {
		size_t length = label_length(line);
		struct block *last = &function->blocks[function->count - 1];
		if (length == 0)
			continue;
		/* clang 17 and later write the label of the entry too. */
		if (line == body) {
			last->label = line;
			last->label_length = length;
			continue;
		}
		last->length = (size_t)(line - last->text);
		if (!add_block(function, line, line, length))
			return false;
	}
	struct block *last = &function->blocks[function->count - 1];
	last->length = (size_t)(end - last->text);
	return true;
}

static size_t find_block(const struct function *function, const char *label, size_t length)
{
	for (size_t i = 0; i < function->count; i++)
		if (function->blocks[i].label_length == length &&
			memcmp(function->blocks[i].label, label, length) == 0)
			return i;
	return SIZE_MAX;
}

/* The successors are the labels of the terminator, the only instruction with labels. Returns false
 * if the text is not as expected. */
static bool find_successors(struct function *function, struct block *block)
{
	static const char word[] = "label %";
	const char *end = block->text + block->length;

	for (const char *at = block->text;
		(at = memmem(at, (size_t)(end - at), word, sizeof word - 1));) {
		at += sizeof word - 1;
		size_t length = 0;
		while (at + length < end && is_label_character(at[length]))
			length++;
		size_t successor = find_block(function, at, length);
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
		put_renamed(out, block->text, block->length, block->label != NULL);
	}
	/* Unreachable blocks. Other blocks can refer to them. */
	for (size_t i = 1; i < function.count && known; i++)
		if (function.blocks[i].search_number == 0)
			put_renamed(out, function.blocks[i].text, function.blocks[i].length, true);
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
	put_renamed(out, begin, (size_t)(body - begin), false);
	if (label_length(body) == 0)
		fprintf(out, "v%u:\n", entry_number(begin, body - 1));
	return put_ordered(out, body, end);
}

char *ir_order(const char *ir)
{
	return ir_change_functions(ir, put_function, NULL);
}
