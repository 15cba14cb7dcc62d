/* The distance of the tiles of neighbouring blocks, and of the tiles of a loop with a barrier: the value of an index
 * such as "blockIdx.x * TILE + threadIdx.x" for the blocks 0 and 1, or "t * TILE + threadIdx.x" for the trips 0, 1. */
#include "common/own/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/words.h"

#define MAX_LOOKUPS 16 /* of variables that have variables as values */
#define MAX_STEPS 1000 /* limit for one item: a value may contain another variable many times */
#define MAX_INDEX_TEXT 400

#define MAX_INDEX 0x1p53 /* a double has all smaller integers */

struct place {
	const struct own_kernel *kernel;
	const struct code_item *items;
	size_t count;
	int64_t block[2];    /* index of the block */
	const char *counter; /* of the loop with a barrier; NULL: none */
	int64_t trip;        /* its value */
	int depth;
	int *steps;   /* lookups that are left */
	bool *thread; /* set if the index depends on the thread */
};

/* Copies an index with the names of CUDA. Returns false if it is too long. */
static bool copy_index(struct span text, char ret_text[MAX_INDEX_TEXT])
{
	/* ?: the axis */
	static const struct {
		const char *call, *name;
	} rows[] = {
		{"get_local_id(", "threadIdx.?"},
		{"get_group_id(", "blockIdx.?"},
		{"get_local_size(", "blockDim.?"},
		{"get_global_id(", "(blockIdx.?*blockDim.?+threadIdx.?)"},
	};
	size_t used = 0;

	while (text.begin < text.end && used + 1 < MAX_INDEX_TEXT) {
		const char *name = NULL, *axis = NULL;
		for (size_t i = 0; i < COUNT(rows) && !name; i++) {
			axis = text.begin + strlen(rows[i].call);
			if (strncmp(text.begin, rows[i].call, strlen(rows[i].call)) == 0 &&
				*axis >= '0' && *axis <= '2' && axis[1] == ')')
				name = rows[i].name;
		}
		for (; name && *name && used + 1 < MAX_INDEX_TEXT; name++)
			ret_text[used++] = *name == '?' ? (char)('x' + *axis - '0') : *name;
		if (name)
			text.begin = axis + 2;
		else
			ret_text[used++] = *text.begin++;
	}
	ret_text[used] = '\0';
	return text.begin == text.end;
}

static bool evaluate(const struct place *place, struct span text, struct number *ret_number);

/* The value of threadIdx.x, blockIdx.x or blockDim.x. */
static bool find_built_in(const struct place *place, const char *name, double *ret_value)
{
	const char *point = strchr(name, '.');
	const size_t axis = point ? (size_t)(point[1] - 'x') : 3;

	if (axis > 2)
		return false;
	const bool thread = strncmp(name, "threadIdx.", strlen("threadIdx.")) == 0;
	const bool block = strncmp(name, "blockIdx.", strlen("blockIdx.")) == 0;
	*place->thread = *place->thread || thread;
	*ret_value = block && axis < 2 ? (double)place->block[axis] : 0;
	if (thread || block)
		return true;
	*ret_value = place->kernel->block[axis];
	return strncmp(name, "blockDim.", strlen("blockDim.")) == 0;
}

/* Sizes of the problem are 1, and counters of other loops 0. */
static bool find_value(void *context, const char *name, size_t length, struct number *ret_number)
{
	struct place inner = *(const struct place *)context;
	const struct own_kernel *kernel = inner.kernel;
	char text[OWN_NAME_BYTES];
	struct span value;

	*ret_number = (struct number){0};
	if (length >= sizeof text || ++inner.depth > MAX_LOOKUPS || --*inner.steps < 0)
		return false;
	span_copy((struct span){name, name + length}, text, sizeof text);
	if (find_built_in(&inner, text, &ret_number->value))
		return true;
	if (inner.counter && strcmp(inner.counter, text) == 0) {
		ret_number->value = (double)inner.trip;
		return true;
	}
	for (size_t i = 0; i < inner.count; i++) {
		const struct code_item *item = &inner.items[i];
		const char *equals = strchr(item->text, '=');
		if (item->kind == CODE_VARIABLE && strcmp(item->name, text) == 0 && equals)
			return evaluate(&inner,
				(struct span){equals + 1, item->text + strlen(item->text)},
				ret_number);
		if (item->kind == CODE_LOOP && equals && has_word(item->text, equals, text))
			return true;
	}
	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_SIZE &&
			strcmp(kernel->params[i].name, text) == 0) {
			ret_number->value = 1;
			return true;
		}
	for (size_t i = 0; i < kernel->template_count; i++) {
		const struct own_template_param *param = &kernel->template_params[i];
		value = (struct span){param->value, param->value + strlen(param->value)};
		if (strcmp(param->name, text) == 0)
			return evaluate(&inner, value, ret_number);
	}
	return own_find_macro(kernel, text, &value) && evaluate(&inner, value, ret_number);
}

static bool evaluate(const struct place *place, struct span text, struct number *ret_number)
{
	struct place copy = *place;
	char index[MAX_INDEX_TEXT], problem[EXPRESSION_PROBLEM_BYTES];
	const struct expression_names names = {find_value, &copy, false, false};

	text = span_trim(text);
	return copy_index(text, index) &&
	       expression_value(index, strlen(index), &names, ret_number, problem);
}

/* The first value of a declaration, or the index of an access to an operand. */
static struct span index_of(const struct code_item *item)
{
	char name[sizeof item->name + 1];
	const char *end = item->text + strlen(item->text), *at = NULL;

	if (item->kind == CODE_VARIABLE) {
		at = strchr(item->text, '=');
	} else if (item->kind == CODE_INPUT || item->kind == CODE_OUTPUT) {
		snprintf(name, sizeof name, "%s[", item->name);
		at = strstr(item->text, name);
		at = at ? at + strlen(name) - 1 : NULL;
		end = at ? closing_bracket(at) : NULL;
	}
	return at && end ? (struct span){at + 1, end} : (struct span){0};
}

/* The name and the step of the counter of the innermost loop with a barrier around an item. Returns false if there
 * is none. */
static bool find_counter(
	struct place *place, const struct code_item *item, char ret_name[OWN_NAME_BYTES])
{
	for (int loop = item->loop; loop > 0; loop = place->items[loop - 1].loop) {
		const char *text = place->items[loop - 1].text, *equals = strchr(text, '=');
		const char *step = strstr(text, "+="), *word;
		struct span name = {0};
		size_t length;
		struct number number = {1, false};
		bool barrier = false;
		for (size_t i = 0; i < place->count; i++)
			barrier = barrier || (place->items[i].kind == CODE_BARRIER &&
						     place->items[i].loop == loop);
		for (word = next_word(text, equals ? equals : text, &length); length > 0;
			word = next_word(word + length, equals, &length))
			name = (struct span){word, word + length};
		if (!barrier || !name.begin)
			continue;
		span_copy(name, ret_name, OWN_NAME_BYTES);
		if (step && !evaluate(place, (struct span){step + 2, text + strlen(text)}, &number))
			return false;
		place->counter = ret_name;
		if (!(fabs(number.value) < MAX_INDEX))
			return false;
		place->trip = (int64_t)number.value;
		return true;
	}
	return false;
}

/* Sets the distance for the next block, or the next trip of the loop, and the index of the first thread. */
static void set_steps(const struct place *place, struct code_item *item)
{
	const struct span index = index_of(item);
	char counter[OWN_NAME_BYTES];
	struct number begin, next;
	bool thread = false;
	int steps = MAX_STEPS;

	if (!index.begin)
		return;
	for (int way = 0; way < 3; way++) {
		struct place moved = *place;
		moved.thread = &thread;
		moved.steps = &steps;
		if (!evaluate(&moved, index, &begin) || !thread)
			return;
		if (way < 2)
			moved.block[way] = 1;
		else if (!find_counter(&moved, item, counter))
			return;
		if (!evaluate(&moved, index, &next) || next.value == begin.value ||
			!(fabs(begin.value) < MAX_INDEX) || !(fabs(next.value) < MAX_INDEX))
			continue;
		item->begin = (int64_t)begin.value;
		item->step = (int64_t)(next.value - begin.value);
	}
}

void own_set_steps(const struct own_kernel *kernel, struct code_item *items, size_t count)
{
	const struct place place = {.kernel = kernel, .items = items, .count = count};

	for (size_t i = 0; i < count; i++)
		set_steps(&place, &items[i]);
}
