/*
 * Lines of LLVM IR as text (LLVM Language Reference Manual). clang writes one definition, declaration
 * or instruction per line. Pointers have types up to LLVM 14, and are `ptr` from LLVM 15: both forms
 * are accepted.
 */
#ifndef PMPP_HOST_GPU_OPENCL_EMU_IR_TEXT_H
#define PMPP_HOST_GPU_OPENCL_EMU_IR_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A part of the IR: not ended by '\0', but the IR is. */
struct part {
	const char *at;
	size_t length;
};

/* Compares two texts byte by byte, as strcmp(). */
int part_compare(struct part a, struct part b);

bool part_same(struct part a, struct part b);

bool part_starts_with(struct part part, const char *text);

/* Returns the first place of a text in the part; NULL: there is none. Texts in quotes, such as the
 * strings of the kernel, do not count. */
const char *part_find(struct part part, const char *text);

/* Returns the first name of a global, with '@': "@name" or "@"name"". An empty part: there is none. */
struct part part_global(struct part part);

/* The characters of a name or of a label without quotes. */
#define IR_NAME "$-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

/* Returns the name at `at`, before `end`, with its '@' or '%': "@name" or "@"name"". */
struct part part_name(const char *at, const char *end);

/* Returns the location of a line, ", !dbg !77"; an empty part: there is none. */
struct part part_location(struct part line);

/* The arguments of "%.*s". */
#define PUT(part) (int)(part).length, (part).at

/* Takes the next line of *text, without its end. Returns false at the end of the text. */
bool next_line(const char **text, struct part *ret_line);

/* Takes a text at the start of *rest, and the character that ends it: a comma outside of its brackets, or the
 * closing bracket around it. */
struct part part_take(struct part *rest);

/* Closes a stream of open_memstream() and returns its text, which the caller frees. out: NULL, or the
 * stream; text: its text. Returns NULL if `done` is false, or for lack of memory. */
char *ir_close(FILE *out, char **text, bool done);

/* Writes the changed text of a function of the IR. begin, end: the function without its last line "}".
 * Returns false if it cannot be changed, or for lack of memory. */
typedef bool ir_function_fn(FILE *out, const char *begin, const char *end, void *context);

/* Returns the IR with changed functions; the caller frees the text. NULL if a function cannot be changed,
 * or for lack of memory. */
char *ir_change_functions(const char *ir, ir_function_fn *put, void *context);

#endif
