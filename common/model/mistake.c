#include "common/model/mistake.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/words.h"

const char *const mistake_sign_words[MISTAKE_SIGN_COUNT + 1] = {
#define XX(name, word) word,
	MISTAKE_SIGN_MAP(XX)
#undef XX
};

#define SIGN(name) (1u << MISTAKE_##name##_SIGN)
#define MISSING                                                                    \
	(SIGN(LAST_TERM) | SIGN(FIRST_TERM) | SIGN(HALF_TERMS) | SIGN(TILE_TERM) | \
		SIGN(ODD_TERMS) | SIGN(STRIDE_TERMS))
#define EXCHANGED (SIGN(TRANSPOSED) | SIGN(COPIED) | SIGN(TILES_COPIED) | SIGN(INPUT_TRANSPOSED))

/* The evidence, and what all sizes together show. */
struct view {
	const struct mistake_evidence *evidence;
	unsigned any; /* signs of at least one size */
	unsigned all; /* signs of all sizes whose outputs were examined */
	size_t failed, seen, defects;
	const struct mistake_size *first; /* the first that failed */
};

static const struct mistake_size *size_at(const struct view *view, size_t i)
{
	return &view->evidence->sizes[i];
}

/* ---- Defects and code ------------------------------------------------------------------------------ */

/* The first size with a defect of this kind whose text contains `text`; NULL: none. */
static const struct mistake_size *find_defect(
	const struct view *view, enum trace_defect_kind kind, const char *text)
{
	for (size_t i = 0; i < view->evidence->size_count; i++) {
		const struct mistake_size *size = size_at(view, i);
		if (!size->passed && (kind == TRACE_NO_DEFECT || size->defect == kind) &&
			size->line > 0 && strstr(size->text, text))
			return size;
	}
	return NULL;
}

/* A condition of an item. */
typedef bool item_fn(const struct code_item *item);

/* The first item of a kind that meets the condition (NULL: none), or the last one. */
static const struct code_item *find_item(
	const struct view *view, enum code_kind kind, item_fn *meets, bool last)
{
	const struct code_item *found = NULL;

	for (size_t i = 0; i < view->evidence->code_count && (last || !found); i++) {
		const struct code_item *item = &view->evidence->code[i];
		if (item->kind == kind && (!meets || meets(item)))
			found = item;
	}
	return found;
}

/* The first item of a kind in a line. */
static const struct code_item *item_in_line(const struct view *view, enum code_kind kind, int line)
{
	for (size_t i = 0; i < view->evidence->code_count; i++)
		if (view->evidence->code[i].kind == kind && view->evidence->code[i].line == line)
			return &view->evidence->code[i];
	return NULL;
}

/* The access in a line, to any memory. */
static const struct code_item *access_in_line(const struct view *view, int line)
{
	static const enum code_kind kinds[] = {CODE_SHARED, CODE_OUTPUT, CODE_INPUT};
	const struct code_item *item = NULL;

	for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !item; k++)
		item = item_in_line(view, kinds[k], line);
	return item;
}

/* The loop around an item, or the `if`. NULL: none. */
static const struct code_item *around(const struct view *view, int index)
{
	return index > 0 ? &view->evidence->code[index - 1] : NULL;
}

static bool is_load(const struct code_item *item)
{
	return !item->store && item->loop > 0;
}

static bool is_term(const struct code_item *item)
{
	return is_load(item) && strstr(item->text, "+=");
}

static bool is_store(const struct code_item *item)
{
	return item->store;
}

static bool is_looped_store(const struct code_item *item)
{
	return item->store && item->loop > 0;
}

static bool is_update(const struct code_item *item)
{
	return item->update;
}

static bool is_branched(const struct code_item *item)
{
	return item->branch > 0;
}

static bool is_narrow(const struct code_item *item)
{
	return item->narrow;
}

static bool is_unset(const struct code_item *item)
{
	return item->unset;
}

static bool is_looped_update(const struct code_item *item)
{
	return item->update && item->loop > 0;
}

/* "row * width + column" */
static bool is_index(const struct code_item *item)
{
	return strchr(item->text, '*') && strchr(item->text, '+');
}

/* "n / 64", and not "(n + 63) / 64" */
static bool is_rounded_down(const struct code_item *item)
{
	return strchr(item->text, '/') && !strchr(item->text, '+') && !strstr(item->text, "ceil");
}

static int line_of(const struct code_item *item)
{
	return item ? item->line : 0;
}

/* The first variable in a text, or in the values of its variables, that meets the condition. NULL: none. */
static const struct code_item *find_variable(
	const struct view *view, const char *text, item_fn *meets, int depth)
{
	const struct code_item *found = NULL;

	for (size_t i = 0; i < view->evidence->code_count && depth > 0 && !found; i++) {
		const struct code_item *item = &view->evidence->code[i];
		const char *value = strchr(item->text, '=');
		if (item->kind == CODE_VARIABLE && value &&
			has_word(text, text + strlen(text), item->name))
			found = meets(item) ? item
					    : find_variable(view, value + 1, meets, depth - 1);
	}
	return found;
}

/* The line of the variable whose value is rounded down and is part of the bound of the loop in `line`; else `line`. */
static int line_of_bound(const struct view *view, int line)
{
	const struct code_item *loop = item_in_line(view, CODE_LOOP, line);
	const struct code_item *item =
		loop ? find_variable(view, loop->text, is_rounded_down, 4) : NULL;

	return item ? item->line : line;
}

/* The line of the variable that holds the index of the only access in `line`; else `line`. */
static int line_of_index(const struct view *view, int line)
{
	const struct code_item *item = access_in_line(view, line);
	const char *index = item ? strchr(item->text, '[') : NULL;

	item = index && !strpbrk(index + 1, "[*") ? find_variable(view, index, is_index, 4) : NULL;
	return item ? item->line : line;
}

/* ---- Sizes --------------------------------------------------------------------------------------- */

static bool is_equal_size(const struct view *view, const struct mistake_size *size)
{
	for (int d = 1; d < (int)view->evidence->dim_count; d++)
		if (d != view->evidence->window && size->dim[d] != size->dim[0])
			return false;
	return true;
}

static bool is_multiple(const struct view *view, const struct mistake_size *size)
{
	const int count = view->evidence->matrix ? (int)view->evidence->dim_count : 1;

	for (int d = 0; d < count; d++)
		if (d != view->evidence->window &&
			size->dim[d] % (size->block[0] > 0 ? size->block[0] : 1) != 0)
			return false;
	return true;
}

/* Whether the sizes that meet a condition pass, and at least one of them is larger than 1. */
static bool passes_if(const struct view *view,
	bool (*meets)(const struct view *view, const struct mistake_size *size))
{
	bool found = false;

	for (size_t i = 0; i < view->evidence->size_count; i++) {
		const struct mistake_size *size = size_at(view, i);
		if (!meets(view, size))
			continue;
		if (!size->passed)
			return false;
		found = found || size->dim[0] > 1;
	}
	return found;
}

/* "37 x 41", cut if it is too long. */
static const char *told_size(
	const struct view *view, const struct mistake_size *size, char ret_text[80])
{
	size_t used = 0;

	ret_text[0] = '\0';
	for (size_t d = 0; d < view->evidence->dim_count && used < 60; d++)
		used += (size_t)snprintf(
			ret_text + used, 80 - used, "%s%" PRId64, d ? " x " : "", size->dim[d]);
	return ret_text;
}

#define TELL(mistake, ...) snprintf((mistake)->text, sizeof(mistake)->text, __VA_ARGS__)

/* Takes the lines and the text of a defect. */
static bool take_defect(const struct mistake_size *size, struct mistake *mistake)
{
	if (!size)
		return false;
	mistake->line = size->line;
	mistake->other_line = size->other_line;
	TELL(mistake, "%s", size->text);
	return true;
}

/* ---- Rules ------------------------------------------------------------------------------------------ */

/* A rule returns whether the evidence shows the mistake, and sets text and lines. The order of the table is that of
 * certainty: the first rule that holds names the mistake. */

static bool rule_unaligned(const struct view *view, struct mistake *mistake)
{
	const struct mistake_size *size = find_defect(view, TRACE_FAULT, "invalid address");
	const struct code_item *item = size ? access_in_line(view, size->line) : NULL;

	if (!item || !(strstr(item->text, "2 *)") || strstr(item->text, "4 *)")))
		return false;
	mistake->line = size->line;
	TELL(mistake, "a vector access needs an address that is a multiple of the vector's size");
	return true;
}

/* Whether an integer of 8 or 16 bits has the indices of `passed` elements, and not those of `failed`. */
static bool is_limit_between(int64_t passed, int64_t failed)
{
	static const int64_t limits[] = {1 << 7, 1 << 8, 1 << 15, 1 << 16};

	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		if (passed <= limits[i] && limits[i] < failed)
			return true;
	return false;
}

/* Every size with more elements than a limit fails, and no other; an index has 8 or 16 bits. */
static bool rule_narrow(const struct view *view, struct mistake *mistake)
{
	int64_t passed = 0, failed = INT64_MAX;
	const struct code_item *item = find_item(view, CODE_VARIABLE, is_narrow, false);

	for (size_t i = 0; i < view->evidence->size_count; i++) {
		const struct mistake_size *size = size_at(view, i);
		if (size->passed && size->elements > passed)
			passed = size->elements;
		if (!size->passed && size->elements < failed)
			failed = size->elements;
	}
	if (!item || failed == INT64_MAX || !is_limit_between(passed, failed))
		return false;
	mistake->line = item->line;
	TELL(mistake, "'%s' is too narrow: only sizes of %" PRId64 " elements and more fail",
		item->name, failed);
	return true;
}

static bool rule_barrier(const struct view *view, struct mistake *mistake)
{
	const struct mistake_size *size = find_defect(view, TRACE_BARRIER, "");
	const struct code_item *leaves = find_item(view, CODE_RETURN, is_branched, false);
	/* If no thread returns, because the sizes are multiples of the block, the kernel must be right. */
	bool left = size ? strstr(size->text, "returned") != NULL
			 : view->evidence->exit_line > 0 && passes_if(view, is_multiple) &&
				    (view->defects == 0 ||
					    find_defect(view, TRACE_UNINITIALISED, "shared"));

	if (!size && !left)
		return false;
	take_defect(size, mistake);
	if (!size)
		mistake->line = view->evidence->exit_line;
	if (left && leaves && leaves->line < mistake->line) {
		TELL(mistake, "threads that return in line %d do not reach the barrier in line %d",
			leaves->line, mistake->line);
		mistake->other_line = mistake->line;
		mistake->line = leaves->line;
	} else if (!size) {
		TELL(mistake, "some threads have returned before this barrier");
	}
	return true;
}

/* Whether all sizes that fit in one tile in the dimension pass, and there is such a size. */
static bool passes_in_tile(const struct view *view, int d, int64_t tile)
{
	bool found = false;

	for (size_t i = 0; i < view->evidence->size_count; i++) {
		const struct mistake_size *size = size_at(view, i);
		if (!size->passed && size->dim[d] <= tile)
			return false;
		found = found || (size->passed && size->dim[d] <= tile && size->dim[0] > 1);
	}
	return found && d != view->evidence->window;
}

/* The distance between the tiles of two blocks, or of two trips of a loop, is not a multiple of the block. */
static bool rule_step(const struct view *view, struct mistake *mistake)
{
	const int64_t *block = view->first->block;
	const struct code_item *found = NULL;
	bool in_tile = false;

	for (int d = 0; d < (int)view->evidence->dim_count && !(view->all & MISSING); d++)
		for (int axis = 0; axis < 2; axis++)
			in_tile = in_tile ||
				  (block[axis] > 1 && passes_in_tile(view, d, block[axis]));
	for (size_t i = 0; i < view->evidence->code_count && in_tile && !found; i++) {
		const struct code_item *item = &view->evidence->code[i];
		const bool whole =
			item->step % block[0] == 0 || (block[1] > 1 && item->step % block[1] == 0);
		/* The tile of a window may be smaller than the block. */
		if (item->step && !whole && (view->evidence->window < 0 || item->step == 1))
			found = item;
	}
	if (!found)
		return false;
	mistake->line = found->line;
	TELL(mistake,
		"the distance of neighbouring tiles is %" PRId64 ", and the block has %" PRId64
		" x %" PRId64 " threads",
		found->step, block[0], block[1]);
	return true;
}

/* All sizes fail without a defect, and the first thread of the first tile has another index than 0. */
static bool rule_begin(const struct view *view, struct mistake *mistake)
{
	if (view->defects || view->failed < view->evidence->size_count ||
		view->evidence->window >= 0)
		return false;
	for (size_t i = 0; i < view->evidence->code_count; i++) {
		const struct code_item *item = &view->evidence->code[i];
		if (item->step == 0 || item->begin == 0)
			continue;
		mistake->line = item->line;
		TELL(mistake, "the first tile begins with the index %" PRId64, item->begin);
		return true;
	}
	return false;
}

/* The line of the first defect that is an access to an operand; else that of an output or input. */
static int line_of_operand(const struct view *view, bool output)
{
	const struct mistake_size *size = find_defect(view, TRACE_OUT_OF_BOUNDS, "argument");

	size = size ? size : find_defect(view, TRACE_NO_DEFECT, "argument");
	size = size ? size : find_defect(view, TRACE_RACE, "global");
	if (size)
		return size->line;
	return line_of(output ? find_item(view, CODE_OUTPUT, is_store, false)
			      : find_item(view, CODE_INPUT, NULL, false));
}

/* A race of a statement that adds to the output. */
static bool rule_output_update(const struct view *view, struct mistake *mistake)
{
	const struct mistake_size *size = find_defect(view, TRACE_RACE, "global");
	const struct code_item *item = size ? item_in_line(view, CODE_OUTPUT, size->line) : NULL;

	return item && item->update && take_defect(size, mistake);
}

static bool rule_swapped(const struct view *view, struct mistake *mistake)
{
	char text[80];

	if (!view->evidence->matrix || !passes_if(view, is_equal_size))
		return false;
	const struct code_item *launch = find_item(view, CODE_LAUNCH, NULL, false);
	mistake->line = launch && view->all & SIGN(UNWRITTEN) && view->defects == 0
				? launch->line
				: line_of_index(view,
					  line_of_operand(view, view->any & SIGN(SOME_UNWRITTEN)));
	TELL(mistake,
		"only sizes with different dimensions fail, such as %s (the first line of the "
		"output shows the meaning of each parameter)",
		told_size(view, view->first, text));
	return true;
}

static const struct mistake_size *find_outside(const struct view *view)
{
	const struct mistake_size *size = find_defect(view, TRACE_NO_DEFECT, "out-of-bounds");

	return size && strstr(size->text, "argument") ? size : NULL;
}

static bool rule_old_output(const struct view *view, struct mistake *mistake)
{
	const struct code_item *item = find_item(view, CODE_OUTPUT, is_update, false);

	if (take_defect(find_defect(view, TRACE_UNINITIALISED, "an output or scratch"), mistake))
		return true;
	/* A kernel that writes outside may change any element, in any order. */
	if (!(view->any & SIGN(OLD_OUTPUT)) || find_outside(view))
		return false;
	mistake->line = line_of(item ? item : find_item(view, CODE_OUTPUT, is_store, false));
	TELL(mistake, "the result is right if the output is 0 before the run");
	return true;
}

/* Whether the loop around an item has a condition with <=, or with a bound + 1. */
static bool goes_past(const struct view *view, const struct code_item *item)
{
	const struct code_item *loop = item ? around(view, item->loop) : NULL;
	const char *end = loop ? strrchr(loop->text, ';') : NULL;

	return loop &&
	       (strstr(loop->text, "<=") ||
		       (end && end - loop->text > 3 &&
			       (memcmp(end - 3, "+ 1", 3) == 0 || memcmp(end - 2, "+1", 2) == 0)));
}

/* An access beyond shared memory. Far beyond, it is a fault. */
static const struct mistake_size *find_past_array(const struct view *view)
{
	const struct mistake_size *size = find_defect(view, TRACE_OUT_OF_BOUNDS, "shared memory");

	return size ? size : find_defect(view, TRACE_FAULT, "shared memory");
}

static bool rule_loop_past_array(const struct view *view, struct mistake *mistake)
{
	const struct mistake_size *size = find_past_array(view);
	const struct code_item *item = size ? access_in_line(view, size->line) : NULL;

	if (!goes_past(view, item) || !take_defect(size, mistake))
		return false;
	mistake->other_line = size->line;
	mistake->line = around(view, item->loop)->line;
	return true;
}

static bool rule_array(const struct view *view, struct mistake *mistake)
{
	return take_defect(find_past_array(view), mistake);
}

#define MAX_EXPANDED 400

/* Adds the text without blanks, with the first values of variables in place of their names. */
static void expand(const struct view *view, const char *at, const char *end, int depth,
	char ret_text[MAX_EXPANDED])
{
	while (at < end && strlen(ret_text) + 1 < MAX_EXPANDED) {
		size_t used = strlen(ret_text), length = 0;
		const char *word = next_word(at, end, &length), *value = NULL;
		/* The x of "threadIdx.x" is not a variable. */
		bool is_name = length > 0 && word == at && !(used > 0 && ret_text[used - 1] == '.');
		for (size_t i = 0; i < view->evidence->code_count && is_name && !value; i++) {
			const struct code_item *item = &view->evidence->code[i];
			if (item->kind == CODE_VARIABLE && same_word(at, length, item->name))
				value = strchr(item->text, '=');
		}
		length = is_name ? length : 1;
		if (value && depth > 0)
			expand(view, value + 1, value + strlen(value), depth - 1, ret_text);
		else if (*at != ' ')
			snprintf(ret_text + used, MAX_EXPANDED - used, "%.*s", (int)length, at);
		at += length;
	}
}

/* A term of a sum whose row in a shared array is the thread's index in x. */
static const struct code_item *find_column_term(const struct view *view)
{
	for (size_t i = 0; i < view->evidence->code_count; i++) {
		const struct code_item *item = &view->evidence->code[i];
		char row[MAX_EXPANDED] = "", name[40];
		snprintf(name, sizeof name, "%s[", item->name);
		const char *at = strstr(item->text, name);
		if (item->kind != CODE_SHARED || !at || !is_term(item))
			continue;
		at += strlen(name);
		expand(view, at, at + strcspn(at, "]"), 4, row);
		if (at[strcspn(at, "]")] && at[strcspn(at, "]") + 1] == '[' &&
			(strstr(row, "threadIdx.x") || strstr(row, "get_local_id(0)")))
			return item;
	}
	return NULL;
}

static bool rule_transposed(const struct view *view, struct mistake *mistake)
{
	const struct code_item *shared = find_item(view, CODE_SHARED, is_load, true);

	if (!(view->any & EXCHANGED))
		return false;
	if (!(view->any & SIGN(INPUT_TRANSPOSED))) {
		const struct code_item *term = find_column_term(view);
		mistake->line =
			line_of(term ? term : find_item(view, CODE_OUTPUT, is_store, false));
		TELL(mistake, "the output is in the order of %s",
			view->any & SIGN(TRANSPOSED) ? "its transpose"
			: view->any & SIGN(COPIED)   ? "the input"
						     : "the tiles of the input");
		return true;
	}
	mistake->line = shared && !find_defect(view, TRACE_OUT_OF_BOUNDS, "argument")
				? shared->line
				: line_of_operand(view, false);
	TELL(mistake, "the output is right for a transposed input");
	return true;
}

/* Exchanges the two dimensions of thread indices. */
static void swap_axes(char *text)
{
	static const char *const marks[] = {"threadIdx.", "get_local_id("};
	static const char *const axes[] = {"xy", "01"};

	for (size_t m = 0; m < 2; m++)
		for (char *at = strstr(text, marks[m]); at; at = strstr(at + 1, marks[m])) {
			char *axis = at + strlen(marks[m]);
			if (*axis == axes[m][0] || *axis == axes[m][1])
				*axis = axes[m][*axis == axes[m][0]];
		}
}

/* Whether a comparison `sum < size` of the condition becomes a part of the index if the dimensions are exchanged, and the
 * condition does not test that part. */
static bool tests_other_axis(
	const struct view *view, const char *condition, const char *end, const char *index)
{
	char all[MAX_EXPANDED] = "";

	expand(view, condition, end, 4, all);
	for (char *at = all, *less; (less = strchr(at, '<')) != NULL; at = less + 1) {
		char swapped[MAX_EXPANDED], *begin = less;
		int depth = 0;
		while (begin > at && !strchr("&|?", begin[-1]))
			begin--;
		for (const char *c = begin; c < less; c++)
			depth += (*c == '(') - (*c == ')');
		begin += *begin == '(' && depth > 0;
		snprintf(swapped, sizeof swapped, "%.*s", (int)(less - begin), begin);
		bool same = strstr(index, swapped) != NULL;
		swap_axes(swapped);
		if (!same && strchr(swapped, '+') && strstr(index, swapped) &&
			!strstr(all, swapped))
			return true;
	}
	return false;
}

/* An access beyond an operand in a statement whose condition tests the index of the other dimension. */
static bool rule_other_axis(const struct view *view, struct mistake *mistake)
{
	const struct mistake_size *size = find_outside(view);

	for (size_t i = 0; i < view->evidence->code_count && size; i++) {
		const struct code_item *item = &view->evidence->code[i];
		const char *test = strchr(item->text, '?'), *set = strchr(item->text, '=');
		char name[40], index[MAX_EXPANDED] = "";
		snprintf(name, sizeof name, "%s[", item->name);
		const char *at = strstr(item->text, name);
		if (item->line != size->line || !at ||
			(item->kind != CODE_INPUT && item->kind != CODE_OUTPUT))
			continue;
		expand(view, at + strlen(name), at + strcspn(at, "]"), 4, index);
		bool found =
			test && set && set < test && tests_other_axis(view, set + 1, test, index);
		for (const struct code_item *branch = around(view, item->branch); branch && !found;
			branch = around(view, branch->branch))
			found = tests_other_axis(
				view, branch->text, branch->text + strlen(branch->text), index);
		if (!found || !take_defect(size, mistake))
			continue;
		TELL(mistake,
			"the condition does not test the index of '%s': look at the x and y of "
			"threadIdx in both",
			item->name);
		return true;
	}
	return false;
}

/* Accesses beyond an operand, and not at multiples of the block; or only at the ends of a vector. */
static bool rule_bounds(const struct view *view, struct mistake *mistake)
{
	const struct mistake_size *size = find_outside(view);

	if (!size || !(passes_if(view, is_multiple) || view->any & SIGN(ENDS)))
		return false;
	return take_defect(size, mistake);
}

static bool rule_loop_past_operand(const struct view *view, struct mistake *mistake)
{
	const struct mistake_size *size = find_outside(view);
	const struct code_item *item = size ? access_in_line(view, size->line) : NULL;

	if (!item || item->loop == 0 || !(goes_past(view, item) || view->all & SIGN(EXTRA_TERM)) ||
		!take_defect(size, mistake))
		return false;
	mistake->other_line = size->line;
	mistake->line = around(view, item->loop)->line;
	return true;
}

/* Accesses beyond an operand also at multiples of the block, where no thread is beyond the sizes. */
static bool rule_index(const struct view *view, struct mistake *mistake)
{
	const struct mistake_size *found = NULL;

	for (size_t i = 0; i < view->evidence->size_count && !found; i++) {
		const struct mistake_size *size = size_at(view, i);
		bool outside = !size->passed && strstr(size->text, "out-of-bounds") &&
			       strstr(size->text, "argument");
		if (outside && is_multiple(view, size) && size->dim[0] > 1)
			found = size;
	}
	return take_defect(found, mistake);
}

/* An access beyond an operand; or the kernel has changed other memory, and its stores race with each other. */
static bool rule_outside(const struct view *view, struct mistake *mistake)
{
	const struct mistake_size *race = find_defect(view, TRACE_RACE, "global");

	if (take_defect(find_outside(view), mistake))
		return true;
	if (!(view->any & SIGN(OUTSIDE)) || find_defect(view, TRACE_RACE, "shared"))
		return false;
	mistake->line = race ? race->line : line_of(find_item(view, CODE_OUTPUT, is_store, false));
	TELL(mistake, "the kernel writes outside of the output");
	return true;
}

/* The variable without a first value to which the kernel adds; else the first one. */
static const struct code_item *unset_variable(const struct view *view)
{
	for (size_t i = 0; i < view->evidence->code_count; i++) {
		const struct code_item *item = &view->evidence->code[i];
		char sum[48];
		if (item->kind != CODE_VARIABLE || !item->unset)
			continue;
		snprintf(sum, sizeof sum, "%s +=", item->name);
		for (size_t k = 0; k < view->evidence->code_count; k++)
			if (strstr(view->evidence->code[k].text, sum))
				return item;
	}
	return find_item(view, CODE_VARIABLE, is_unset, false);
}

static bool rule_unset(const struct view *view, struct mistake *mistake)
{
	const struct code_item *item = unset_variable(view);

	if (!(view->any & SIGN(UNSET)) ||
		(!item && (find_defect(view, TRACE_UNINITIALISED, "shared memory") ||
				  find_defect(view, TRACE_RACE, ""))))
		return false;
	mistake->line = line_of(item);
	TELL(mistake, "the result depends on what a local variable%s%s%s contains before it is set",
		item ? " '" : "", item ? item->name : "", item ? "'" : "");
	return true;
}

/* Whether a condition has `< 32` or `warpSize`. */
static bool is_for_warp(const char *condition)
{
	const char *less = strchr(condition, '<');
	const char *number = less ? less + 1 + strspn(less + 1, " ") : "";

	bool is_32 = strncmp(number, "32", 2) == 0 && !(number[2] >= '0' && number[2] <= '9');

	return is_32 || strstr(condition, "warpSize");
}

static bool is_passed_on(const struct code_item *item)
{
	return !strchr(item->text, '[') && item->branch > 0;
}

static bool has_warp_branch(const struct view *view, const struct code_item *item)
{
	const struct code_item *branch = item ? around(view, item->branch) : NULL;

	while (branch && !is_for_warp(branch->text))
		branch = around(view, branch->branch);
	return branch != NULL;
}

/* Whether the line is in a branch for the threads of one warp, or in a function that gets a shared array there. */
static bool is_in_warp(const struct view *view, int line)
{
	const struct code_item *here = access_in_line(view, line);
	bool declared = here != NULL && here->kind != CODE_SHARED;

	for (size_t i = 0; i < view->evidence->code_count && here && !declared; i++)
		declared = view->evidence->code[i].kind == CODE_ARRAY &&
			   strcmp(view->evidence->code[i].name, here->name) == 0;
	return has_warp_branch(view, here) ||
	       (!declared &&
		       has_warp_branch(view, find_item(view, CODE_SHARED, is_passed_on, false)));
}

static bool rule_warp(const struct view *view, struct mistake *mistake)
{
	const struct mistake_size *size = find_defect(view, TRACE_RACE, "shared");

	return size && is_in_warp(view, size->line) && take_defect(size, mistake);
}

/* Both accesses are one statement that adds to an element, and reads no other element of the array. */
static bool rule_shared_update(const struct view *view, struct mistake *mistake)
{
	const struct mistake_size *size = find_defect(view, TRACE_RACE, "shared");
	const struct code_item *item = size ? item_in_line(view, CODE_SHARED, size->line) : NULL;

	if (!item || size->line != size->other_line || !item->update)
		return false;
	const struct code_item *next =
		item + 1 < view->evidence->code + view->evidence->code_count ? item + 1 : NULL;
	if (next && next->line == item->line && next->kind == CODE_SHARED)
		return false;
	return take_defect(size, mistake);
}

/* The lines of the race are stores to different arrays: one of them overlaps the other. */
static bool rule_overlap(const struct view *view, struct mistake *mistake)
{
	const struct mistake_size *size = find_defect(view, TRACE_RACE, "shared");
	const struct code_item *one = size ? item_in_line(view, CODE_SHARED, size->line) : NULL;
	const struct code_item *other =
		size ? item_in_line(view, CODE_SHARED, size->other_line) : NULL;

	return one && other && one->store && other->store && strcmp(one->name, other->name) != 0 &&
	       take_defect(size, mistake);
}

static bool rule_no_barrier(const struct view *view, struct mistake *mistake)
{
	return take_defect(find_defect(view, TRACE_RACE, "shared"), mistake);
}

static bool rule_output_race(const struct view *view, struct mistake *mistake)
{
	return take_defect(find_defect(view, TRACE_RACE, "global"), mistake);
}

/* All sizes fail, and no element is written; or the code does not have the output, and the value of all elements is
 * that before the run. */
static bool rule_never_written(const struct view *view, struct mistake *mistake)
{
	const bool used = find_item(view, CODE_OUTPUT, NULL, false) != NULL;

	if (view->seen == 0 || !(view->all & SIGN(ALL)) ||
		!(view->all & SIGN(UNWRITTEN) ? view->failed == view->evidence->size_count
					      : !used && view->all & SIGN(ONE_VALUE)))
		return false;
	mistake->line = line_of(find_item(view, CODE_OUTPUT, is_store, false));
	TELL(mistake, used ? "no element of the output is written"
			   : "no statement of the kernel writes the output");
	return true;
}

/* Sizes whose windows are one element pass, and others read shared memory that was never written, or are wrong at
 * the edges of blocks. */
static bool rule_halo(const struct view *view, struct mistake *mistake)
{
	const struct mistake_size *size = find_defect(view, TRACE_UNINITIALISED, "shared memory");
	const struct code_item *item = find_item(view, CODE_SHARED, is_looped_store, false);
	const int window = view->evidence->window;
	bool windows = window >= 0;

	for (size_t i = 0; i < view->evidence->size_count && windows; i++)
		windows = size_at(view, i)->passed ||
			  size_at(view, i)->dim[window] >= view->evidence->least_window;
	if (!windows || !(size || view->any & SIGN(EDGES)))
		return false;
	if (!take_defect(size, mistake)) {
		mistake->line = line_of(item ? item : find_item(view, CODE_INPUT, NULL, false));
		TELL(mistake, "elements at the edges of blocks are wrong");
	}
	return true;
}

/* Elements of shared memory are not written, and the array that is read has several times the threads of the block in the
 * dimension of its rows. */
static bool rule_tile(const struct view *view, struct mistake *mistake)
{
	const struct mistake_size *size = find_defect(view, TRACE_UNINITIALISED, "shared memory");
	const struct code_item *item = size ? item_in_line(view, CODE_SHARED, size->line) : NULL;

	for (size_t i = 0; i < view->evidence->code_count && item; i++) {
		const struct code_item *array = &view->evidence->code[i];
		const int64_t threads = size->block[size->block[1] > 1];
		if (array->kind != CODE_ARRAY || strcmp(array->name, item->name) != 0 ||
			threads < 1 || array->extent <= threads || array->extent % threads != 0)
			continue;
		take_defect(size, mistake);
		mistake->other_line = size->line;
		mistake->line = array->line;
		TELL(mistake,
			"'%s' has %" PRId64 " rows or elements, and the block has %" PRId64
			" threads: make them equal",
			item->name, array->extent, threads);
		return true;
	}
	return false;
}

/* An element of shared memory is added to, and was not set before. */
static bool rule_unset_shared(const struct view *view, struct mistake *mistake)
{
	const struct mistake_size *size = find_defect(view, TRACE_UNINITIALISED, "shared memory");
	const struct code_item *item = size ? item_in_line(view, CODE_SHARED, size->line) : NULL;

	return item && (item->update || item->atomic) && take_defect(size, mistake);
}

static bool is_value_of_selection(const struct view *view, const struct code_item *constant)
{
	for (size_t i = 0; i < view->evidence->code_count; i++) {
		const struct code_item *item = &view->evidence->code[i];
		const char *end = item->text + strlen(item->text);
		if (item != constant && has_word(item->text, end, constant->name) &&
			(strstr(item->text, "max") || strstr(item->text, "min") ||
				strchr(item->text, '<') || strchr(item->text, '>')))
			return true;
	}
	return false;
}

/* Whether the sizes that fail have one kind of data, and all sizes with other data pass. */
static bool fails_for_a_kind(const struct view *view)
{
	const char *kind = view->first->kind;
	bool others = false;

	for (size_t i = 0; i < view->evidence->size_count && kind; i++) {
		const struct mistake_size *size = size_at(view, i);
		bool same = size->kind && strcmp(size->kind, kind) == 0;
		if (!same && !size->passed)
			return false;
		others = others || (!same && size->dim[0] > 1);
	}
	return others;
}

/* Only data of one sign are wrong, or data of one element, without a defect; or only one kind of data. */
static bool rule_identity(const struct view *view, struct mistake *mistake)
{
	const struct code_item *found = NULL;
	bool kind = fails_for_a_kind(view), other = kind;

	for (size_t i = 0; i < view->evidence->size_count; i++) {
		const struct mistake_size *size = size_at(view, i);
		if (size->passed)
			continue;
		other = other || (size->data && (strcmp(size->data, "negative") == 0 ||
							strcmp(size->data, "positive") == 0 ||
							strcmp(size->data, "equal") == 0));
		if (!size->data && size->dim[0] > 1 && !kind)
			return false;
	}
	if (!view->evidence->selects || !other || view->defects)
		return false;
	for (size_t i = 0; i < view->evidence->code_count && !found; i++) {
		const struct code_item *item = &view->evidence->code[i];
		if (item->kind == CODE_CONSTANT && is_value_of_selection(view, item))
			found = item;
	}
	mistake->line = line_of(found ? found : find_item(view, CODE_CONSTANT, NULL, false));
	TELL(mistake, "the result is wrong only for data of one %s", kind ? "kind" : "sign");
	return true;
}

static bool rule_store_in_loop(const struct view *view, struct mistake *mistake)
{
	const struct code_item *item = find_item(view, CODE_OUTPUT, is_looped_store, false);

	if (!(view->all & SIGN(ONE_TERM)) || view->all & MISSING)
		return false;
	mistake->line = line_of(item ? item : find_item(view, CODE_OUTPUT, is_store, false));
	TELL(mistake, "each result is that of the last iteration of the loop");
	return true;
}

/* Whether sizes fail only if they are multiples of the block. */
static bool fails_at_multiples(const struct view *view)
{
	bool others = false;

	for (size_t i = 0; i < view->evidence->size_count; i++) {
		const struct mistake_size *size = size_at(view, i);
		bool multiple = is_multiple(view, size);
		if (!size->passed && !multiple)
			return false;
		others = others || (size->passed && !multiple && size->dim[0] > size->block[0]);
	}
	return others;
}

/* The line of the loop around the sum: over shared memory if only terms in tiles are missing, else over an input. outer:
 * of the outermost loop around it. */
static int line_of_terms(const struct view *view, bool outer)
{
	const bool tiles = view->all & (SIGN(TILE_TERM) | SIGN(ODD_TERMS)) &&
			   (!(view->all & SIGN(LAST_TERM)) || fails_at_multiples(view));
	const enum code_kind kinds[] = {
		tiles ? CODE_SHARED : CODE_INPUT, tiles ? CODE_INPUT : CODE_SHARED};
	item_fn *const conditions[] = {is_term, is_load};
	const struct code_item *item = NULL;

	if (view->all & SIGN(STRIDE_TERMS))
		item = find_item(view, CODE_SHARED, is_load, true);
	for (size_t c = 0; c < 2 && !item; c++)
		for (size_t k = 0; k < 2 && !item; k++)
			item = find_item(view, kinds[k], conditions[c], true);
	const struct code_item *loop = item ? around(view, item->loop) : NULL;
	while (loop && outer && loop->loop)
		loop = around(view, loop->loop);
	return line_of(loop);
}

static bool rule_extra(const struct view *view, struct mistake *mistake)
{
	if (!(view->all & SIGN(EXTRA_TERM)))
		return false;
	mistake->line = line_of_terms(view, false);
	TELL(mistake, "each sum has one term too many");
	return true;
}

static bool rule_short(const struct view *view, struct mistake *mistake)
{
	unsigned missing = view->all & MISSING;
	int sign = 0;

	if (!missing)
		return false;
	while (!(missing & 1u << sign))
		sign++;
	mistake->line = line_of_terms(view, false);
	TELL(mistake, "%s in each sum", mistake_sign_words[sign]);
	return true;
}

/* The blocks of the grid have fewer threads than elements. */
static bool rule_grid_terms(const struct view *view, struct mistake *mistake)
{
	char text[80];

	for (size_t i = 0; i < view->evidence->size_count; i++) {
		const struct mistake_size *size = size_at(view, i);
		if (!size->passed && size->signs & SIGN(TAIL_TERMS) &&
			size->grid[0] * size->block[0] >= size->dim[0])
			return false;
	}
	if (view->evidence->matrix || !(view->all & SIGN(TAIL_TERMS)) || view->first->block[0] == 0)
		return false;
	mistake->line = line_of(find_item(view, CODE_LAUNCH, NULL, false));
	TELL(mistake, "elements after the last block are left out at %s",
		told_size(view, view->first, text));
	return true;
}

static bool rule_tail(const struct view *view, struct mistake *mistake)
{
	if (!(view->all & SIGN(TAIL_TERMS)))
		return false;
	mistake->line = line_of_bound(view, line_of_terms(view, true));
	TELL(mistake, "terms from a multiple of the block on are missing");
	return true;
}

/* ---- Unwritten elements --------------------------------------------------------------------------- */

/* Whether the elements from `from` to the extent lie after the last block of a dimension of the grid. */
static bool is_after_grid(const struct mistake_size *size, int64_t from, int64_t extent)
{
	for (size_t d = 0; d < 2 && from > 0; d++) {
		int64_t threads = size->grid[d] * size->block[d];
		if (threads > 1 && threads < extent && from % threads == 0 &&
			extent - from < from / size->grid[d])
			return true;
	}
	return false;
}

static bool is_unwritten(const struct mistake_size *size)
{
	return !size->passed && size->signs & SIGN(UNWRITTEN);
}

static bool rule_grid(const struct view *view, struct mistake *mistake)
{
	char text[80];

	for (size_t i = 0; i < view->evidence->size_count; i++) {
		const struct mistake_size *size = size_at(view, i);
		if (!is_unwritten(size))
			continue;
		if (!is_after_grid(size, size->from_row, size->rows) &&
			!is_after_grid(size, size->from_column, size->columns))
			return false;
	}
	if (!(view->all & SIGN(UNWRITTEN)))
		return false;
	mistake->line = line_of(find_item(view, CODE_LAUNCH, NULL, false));
	TELL(mistake, "no block writes the last elements at %s",
		told_size(view, view->first, text));
	return true;
}

/* The number of lines at the end that are not written, if it is the same at all sizes; 0: it is not. */
static int64_t equal_rest(const struct view *view)
{
	int64_t rest = 0;

	for (size_t i = 0; i < view->evidence->size_count; i++) {
		const struct mistake_size *size = size_at(view, i);
		if (!is_unwritten(size))
			continue;
		int64_t here = size->from_row >= 0      ? size->rows - size->from_row
			       : size->from_column >= 0 ? size->columns - size->from_column
							: 0;
		if (rest && here != rest && !(size->signs & SIGN(ALL)))
			return 0;
		rest = size->signs & SIGN(ALL) ? rest : here;
	}
	return rest;
}

static bool has_tails(const struct view *view)
{
	for (size_t i = 0; i < view->evidence->size_count; i++) {
		const struct mistake_size *size = size_at(view, i);
		if (is_unwritten(size) && !(size->signs & SIGN(ALL)) && size->from_row < 0 &&
			size->from_column < 0)
			return false;
	}
	return true;
}

/* The number of elements that the last block writes beyond `step`, the distance of two tiles. axis: of the grid.
 * 0: none, or the number of blocks does not fit tiles of so many elements. */
static int64_t beyond_step(const struct mistake_size *size, int axis, int64_t step)
{
	const bool columns = axis == 0 && size->columns > 1;
	const int64_t from = columns ? size->from_column : size->from_row;
	const int64_t extent = columns ? size->columns : size->rows;
	const int64_t beyond = from - size->grid[axis] * step, tile = step + beyond;

	return step > 0 && beyond > 0 && size->grid[axis] == (extent + tile - 1) / tile ? beyond
											: 0;
}

/* Whether a value depends on the index of the block in x (axis 0) or in y. */
static bool depends_on_block(const struct view *view, const struct code_item *item, int axis)
{
	static const char *const names[2][3] = {
		{"blockIdx.x", "get_group_id(0)", "get_global_id(0)"},
		{"blockIdx.y", "get_group_id(1)", "get_global_id(1)"}};
	char all[MAX_EXPANDED] = "";

	expand(view, item->text, item->text + strlen(item->text), 4, all);
	return strstr(all, names[axis][0]) || strstr(all, names[axis][1]) ||
	       strstr(all, names[axis][2]);
}

/* Each block writes more elements than the distance of its tile to the next tile: the tiles overlap. */
static bool rule_tiles_overlap(const struct view *view, struct mistake *mistake)
{
	const struct code_item *found = NULL;

	for (size_t k = 0; k < 2 * view->evidence->code_count && !found; k++) {
		const struct code_item *item = &view->evidence->code[k / 2];
		const int axis = (int)(k % 2);
		const int64_t beyond = beyond_step(view->first, axis, item->step);
		found = beyond > 0 && depends_on_block(view, item, axis) ? item : NULL;
		for (size_t i = 0; i < view->evidence->size_count && found; i++)
			if (is_unwritten(size_at(view, i)) &&
				beyond_step(size_at(view, i), axis, item->step) != beyond)
				found = NULL;
	}
	if (!(view->all & SIGN(UNWRITTEN)) || !found)
		return false;
	mistake->line = found->line;
	TELL(mistake,
		"the distance of neighbouring tiles is %" PRId64
		", and each block writes more elements",
		found->step);
	return true;
}

static bool rule_unwritten_tail(const struct view *view, struct mistake *mistake)
{
	const struct code_item *item = find_item(view, CODE_OUTPUT, is_looped_store, false);

	if (!(view->all & SIGN(UNWRITTEN)) || !has_tails(view) || equal_rest(view) > 0)
		return false;
	mistake->line = item ? line_of_bound(view, line_of(around(view, item->loop)))
			     : line_of(find_item(view, CODE_OUTPUT, is_store, true));
	TELL(mistake, "the last elements are not written");
	return true;
}

static bool rule_unwritten(const struct view *view, struct mistake *mistake)
{
	const struct code_item *item = find_item(view, CODE_OUTPUT, is_looped_store, false);

	if (!(view->all & SIGN(UNWRITTEN)) || !item)
		return false;
	mistake->line = line_of(around(view, item->loop));
	TELL(mistake, "some elements are not written");
	return true;
}

/* At all sizes that fail, the first wrong element of a vector has the same index: a power of two in the first block.
 * If a block has one element, as in sums of rows, this index is not that of a thread. */
static bool rule_scan_steps(const struct view *view, struct mistake *mistake)
{
	const struct code_item *item = find_item(view, CODE_SHARED, is_looped_update, false);
	const int64_t from = view->first->from_row;

	for (size_t i = 0; i < view->evidence->size_count; i++) {
		const struct mistake_size *size = size_at(view, i);
		if (!size->passed && (size->from_row != from || size->columns != 1 ||
					     size->rows <= size->grid[0] * size->grid[1]))
			return false;
	}
	if (!item || from < 1 || (from & (from - 1)) != 0 || from >= view->first->block[0])
		return false;
	mistake->line = line_of(around(view, item->loop));
	TELL(mistake,
		"the elements from %" PRId64 " on are wrong at all failed sizes: a step is missing",
		from);
	return true;
}

/* Only the last line of the output is wrong, at all sizes. */
static bool rule_last_line(const struct view *view, struct mistake *mistake)
{
	const struct code_item *item = find_item(view, CODE_OUTPUT, is_looped_store, true);

	for (size_t i = 0; i < view->evidence->size_count; i++) {
		const struct mistake_size *size = size_at(view, i);
		if (!size->passed && size->signs && !(size->signs & SIGN(ALL)) &&
			size->from_row != size->rows - 1 && size->from_column != size->columns - 1)
			return false;
	}
	if (!item || view->seen == 0 || view->all & SIGN(ALL))
		return false;
	mistake->line = line_of(around(view, item->loop));
	TELL(mistake, "only the last element or line is wrong");
	return true;
}

static const struct rule {
	const char *name;
	bool (*holds)(const struct view *view, struct mistake *mistake);
} rules[] = {
	{"unaligned vector access", rule_unaligned},
	{"int overflow of an index", rule_narrow},
	{"barrier under a branch", rule_barrier},
	{"wrong offset of a tile", rule_step},
	{"race on the output", rule_output_update},
	{"swapped sizes", rule_swapped},
	{"transposed index", rule_transposed},
	{"uninitialised sum", rule_unset},
	{"output added instead of set", rule_old_output},
	{"loop bound too long", rule_loop_past_array},
	{"shared array too small", rule_array},
	{"index out of range", rule_other_axis},
	{"missing bounds test", rule_bounds},
	{"loop bound too long", rule_loop_past_operand},
	{"index out of range", rule_index},
	{"missing bounds test", rule_outside},
	{"warp-synchronous code without __syncwarp", rule_warp},
	{"race on the output", rule_shared_update},
	{"shared array too small", rule_overlap},
	{"missing barrier", rule_no_barrier},
	{"race on the output", rule_output_race},
	{"output never written", rule_never_written},
	{"halo missing", rule_halo},
	{"uninitialised sum", rule_unset_shared},
	{"block smaller than the tile", rule_tile},
	{"wrong identity of max or min", rule_identity},
	{"store inside the loop", rule_store_in_loop},
	{"loop bound too long", rule_extra},
	{"loop bound too short", rule_short},
	{"grid too small", rule_grid_terms},
	{"lost tail", rule_tail},
	{"grid too small", rule_grid},
	{"wrong offset of a tile", rule_tiles_overlap},
	{"lost tail", rule_unwritten_tail},
	{"loop bound too short", rule_unwritten},
	{"loop bound too short", rule_last_line},
	{"loop bound too short", rule_scan_steps},
	{"wrong offset of a tile", rule_begin},
};

/* ---- All -------------------------------------------------------------------------------------------- */

static struct view view_of(const struct mistake_evidence *evidence)
{
	struct view view = {.evidence = evidence, .all = ~0u};

	for (size_t i = 0; i < evidence->size_count; i++) {
		const struct mistake_size *size = &evidence->sizes[i];
		if (size->passed)
			continue;
		view.first = view.first ? view.first : size;
		view.failed++;
		view.defects += size->defect != TRACE_NO_DEFECT;
		view.any |= size->signs;
		/* Without wrong elements there are only signs of other findings. Elements that are not finite do not
		 * show what is missing. */
		if (size->signs & ~(SIGN(OUTSIDE) | SIGN(ORDER) | SIGN(UNSET)) &&
			!(size->signs & SIGN(NOT_FINITE))) {
			view.seen++;
			view.all &= size->signs;
		}
	}
	if (view.seen == 0)
		view.all = 0;
	return view;
}

/* The pattern, if no rule holds: no cause is named. */
static void tell_pattern(const struct view *view, struct mistake *mistake)
{
	const struct mistake_size *size = view->first;
	char text[80];

	for (size_t i = 0; i < view->evidence->size_count && size->signs == 0; i++)
		if (!size_at(view, i)->passed && size_at(view, i)->signs)
			size = size_at(view, i);
	mistake->line = size->line;
	told_size(view, size, text);
	if (size->from_row >= 0 && size->from_column < 0)
		TELL(mistake, "the rows from %" PRId64 " on are wrong at %s", size->from_row, text);
	else if (size->from_column >= 0 && size->from_row < 0)
		TELL(mistake, "the columns from %" PRId64 " on are wrong at %s", size->from_column,
			text);
	else if (size->from_row >= 0)
		TELL(mistake,
			"the rows from %" PRId64 " on and the columns from %" PRId64
			" on are wrong at %s",
			size->from_row, size->from_column, text);
	else if (size->signs & SIGN(FACTOR))
		TELL(mistake, "the result is wrong by a constant factor at %s", text);
	else if (size->signs & SIGN(ALL))
		TELL(mistake, "all elements are wrong at %s", text);
	else if (size->defect != TRACE_NO_DEFECT)
		TELL(mistake, "%s", size->text);
	else
		TELL(mistake, "some elements are wrong at %s", text);
}

static bool depends_on_thread(const struct view *view, const char *condition)
{
	bool depends = strstr(condition, "threadIdx") != NULL;

	for (size_t i = 0; i < view->evidence->code_count; i++) {
		const struct code_item *item = &view->evidence->code[i];
		depends = depends ||
			  (item->kind == CODE_VARIABLE && strstr(item->text, "threadIdx") &&
				  has_word(condition, condition + strlen(condition), item->name));
	}
	return depends;
}

/* All sizes pass, but CUDA requires that all threads of a block take the branch around a barrier, or none. */
static bool find_branched_barrier(const struct view *view, struct mistake *mistake)
{
	const struct code_item *item = item_in_line(view, CODE_BARRIER, view->evidence->exit_line);
	const struct code_item *branch = item ? around(view, item->branch) : NULL;

	while (branch && !depends_on_thread(view, branch->text))
		branch = around(view, branch->branch);
	if (!branch)
		return false;
	mistake->name = "barrier under a branch";
	mistake->line = item->line;
	TELL(mistake,
		"the result is right only because the threads that skip this barrier have returned");
	return true;
}

bool mistake_find(const struct mistake_evidence *evidence, struct mistake *ret_mistake)
{
	const struct view view = view_of(evidence);

	*ret_mistake = (struct mistake){0};
	if (!view.first)
		return find_branched_barrier(&view, ret_mistake);
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (rules[i].holds(&view, ret_mistake)) {
			ret_mistake->name = rules[i].name;
			return true;
		}
	tell_pattern(&view, ret_mistake);
	return true;
}
