/*
 * Inside of common/own: what the steps of own_kernel_read() share. Each step sets members of the kernel, and fails
 * with a message that has the option or the line to add. The text is not parsed as C: it is scanned for words and
 * brackets in a copy without comments, strings and directives (source_code_copy()).
 */
#ifndef PMPP_COMMON_OWN_READER_H
#define PMPP_COMMON_OWN_READER_H

#include "common/expression.h"
#include "common/own/kernel.h"

#define DIRECTIVE '\1' /* a character of a directive in the copy */
#define COUNT(array) (sizeof(array) / sizeof *(array))

struct span {
	const char *begin, *end;
};

struct own_reader {
	struct own_kernel *kernel;
	const struct own_wishes *wishes;
	const char *path;
	struct span head;       /* from the mark of the kernel to its parameters */
	struct span parameters; /* between the brackets */
	/* The value of the line "//pmpp: launch = KERNEL KEY = VALUE ..." of this kernel, if the file has several
	 * launches. It replaces comments with the same keys. */
	struct span launch;
	struct span body;
	/* Grid, block, shared memory and arguments of the launch in host code. */
	struct span call[4];
	size_t call_count;    /* 0: there is no launch */
	struct span instance; /* arguments of the template in the launch */
	const char *block_from, *grid_from;
	char no_grid
		[EXPRESSION_PROBLEM_BYTES]; /* why the grid of the launch is not used; "": it is, or is not needed */
	struct pmpp_error *error;
};

/* Fails with "PATH: ...": OWN_REFUSE(reader, "more than %d launches", count) */
#define OWN_REFUSE(reader, format, ...) \
	PMPP_FAIL((reader)->error, PMPP_USAGE, "%s: " format, (reader)->path, __VA_ARGS__)

/* What an index of a thread counts: blocks, threads of a block, or both. */
enum index_kind {
	INDEX_BLOCK,
	INDEX_THREAD
};

/* ---- reader.c: words and brackets ------------------------------------------------------------------ */

struct span span_of(const char *text);
/* Without the blanks at both ends. */
struct span span_trim(struct span span);
bool span_is(struct span span, const char *text);
/* The first place of the character; NULL: none. */
const char *span_find(struct span span, char c);
/* Copies the trimmed text; what does not fit is cut. */
void span_copy(struct span span, char *ret_text, size_t size);
/* Takes the part before the next comma that is outside of brackets. Returns false at the end. */
bool span_take_part(struct span *rest, struct span *ret_part);
/* Returns the place of the bracket that closes the one at `at`; NULL if there is none. */
const char *closing_bracket(const char *at);

/* Whether a part uses the index in a dimension: blockIdx.x, threadIdx.x; get_group_id(0), get_local_id(0), and
 * get_global_id(0), which is both. */
bool own_uses_index(struct span part, enum index_kind kind, size_t axis, bool cuda);

/* ---- comments.c ------------------------------------------------------------------------------------ */

/* The value of the comment "//pmpp: KEY = VALUE"; false: the file has no such comment. */
bool own_comment(const struct own_reader *reader, const char *key, char ret_value[OWN_TEXT_BYTES]);
/* The value of an option, or of the comment with the same name. "": neither. */
void own_wish(const struct own_reader *reader, const char *option, const char *key,
	char ret_value[OWN_TEXT_BYTES]);
/* Returns launch number `index` of the file: the value of its line. Returns false if there are fewer. */
bool own_find_launch(const char *text, size_t index, struct span *ret_launch);
/* Each key of the launch with this number must be block, grid, shared, or a parameter of the kernel. */
enum pmpp_status own_check_launch(
	const struct own_reader *reader, const struct own_kernel *kernel, size_t index);
/* Every comment must have a key that is known, and a value. */
enum pmpp_status own_check_comments(const struct own_reader *reader);

/* ---- macros.c: macros of the file, of options and of comments ---------------------------------------- */

enum pmpp_status own_read_macros(const struct own_reader *reader);
/* Finds the value of a macro without parameters. Options and comments win. */
bool own_find_macro(const struct own_kernel *kernel, const char *name, struct span *ret_value);

/* ---- source.c: the kernel, its template and its parameters ------------------------------------------ */

enum pmpp_status own_find_kernel(struct own_reader *reader);
/* The arguments of the template, and the parameters. */
enum pmpp_status own_read_parameters(struct own_reader *reader);

/* Writes the name of a parameter, which is its last word, and the words of its type without qualifiers. */
void own_split_parameter(
	struct span part, char ret_name[OWN_NAME_BYTES], char ret_type[OWN_NAME_BYTES]);

/* ---- tile_steps.c */

/* Sets `step` and `begin` of declarations and accesses. */
void own_set_steps(const struct own_kernel *kernel, struct code_item *items, size_t count);

#endif
