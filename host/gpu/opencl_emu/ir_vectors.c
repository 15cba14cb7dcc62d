/*
 * Accesses to parts of vectors. For `p->xyz = v` and `x = p->w` clang's front end loads, and stores, the
 * whole vector. The kernel does not access the other elements, which other work-items may write: here
 * the accesses have only the elements of the source, as one access for each run of elements.
 *
 *	%2 = load <4 x float>, ptr %1                  deleted
 *	%3 = insertelement <4 x float> %2, float %0, i32 1
 *	store <4 x float> %3, ptr %1                   a store of element 1
 *
 * Accesses to variables on the stack, and volatile accesses, are not changed.
 */
#include "common/array.h"
#include "host/gpu/opencl_emu/internal.h"
#include "host/gpu/opencl_emu/ir_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Instructions -------------------------------------------------------------------------- */

#define IR_MAX_ELEMENTS 16 /* of a vector */

/* A vector access: "  %result = load <count x type>, pointer, align n" or "  store <count x type>
 * value, pointer, align n". */
struct access {
	bool store;
	struct part vector, type; /* "<4 x float>", "float" */
	struct part value;        /* of the store, or the result of the load */
	struct part pointer;      /* type and value: "<4 x float>* %8" or "ptr %8" */
	unsigned count, bytes, align;
};

/* The value of an operand: the last word of "<4 x float> %2". */
static struct part part_value(struct part operand)
{
	const char *space = memrchr(operand.at, ' ', operand.length);

	if (!space)
		return operand;
	return (struct part){space + 1, (size_t)(operand.at + operand.length - space - 1)};
}

/* Whether a value is a local name, "%12". */
static bool part_is_name(struct part value)
{
	return value.length > 1 && value.at[0] == '%';
}

/* "  %3 = insertelement <4 x float> ...": the operands, if the operation is `word`. */
static bool part_operands(struct part line, const char *word, struct part *ret_operands)
{
	const char *equal = part_find(line, " = ");
	size_t length = strlen(word);

	if (!equal || strncmp(line.at, "  %", 3) != 0 || strncmp(equal + 3, word, length) != 0)
		return false;
	*ret_operands = (struct part){
		equal + 3 + length, (size_t)(line.at + line.length - equal - 3 - length)};
	return true;
}

static struct part result_of(struct part line)
{
	return part_name(line.at + 2, line.at + line.length);
}

/* Reads "<4 x float>" at the start of a text into `vector`, `type`, `count` and `bytes`. Returns false
 * for other types. */
static bool ir_vector_type(struct part text, struct access *access)
{
	static const struct {
		const char *name;
		unsigned bytes;
	} types[] = {{"i8>", 1}, {"i16>", 2}, {"half>", 2}, {"i32>", 4}, {"float>", 4}, {"i64>", 8},
		{"double>", 8}};
	char *after;

	if (text.length < 2 || text.at[0] != '<')
		return false;
	access->count = (unsigned)strtoul(text.at + 1, &after, 10);
	if (access->count < 2 || access->count > IR_MAX_ELEMENTS || strncmp(after, " x ", 3) != 0)
		return false;
	after += 3;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		size_t length = strlen(types[i].name);
		if (strncmp(after, types[i].name, length) != 0)
			continue;
		access->bytes = types[i].bytes;
		access->type = (struct part){after, length - 1};
		access->vector = (struct part){text.at, (size_t)(after + length - text.at)};
		return true;
	}
	return false;
}

/* Reads a load or a store of a vector. Returns false for other lines, and for volatile accesses. */
static bool ir_read_access(struct part line, struct access *ret_access)
{
	static const char word[] = "  store ", alignment[] = "align ";
	struct access access = {.store = strncmp(line.at, word, sizeof word - 1) == 0};
	struct part rest = {line.at + sizeof word - 1, line.length - sizeof word + 1};

	if (!access.store && !part_operands(line, "load ", &rest))
		return false;
	struct part first = part_take(&rest);
	if (!ir_vector_type(first, &access))
		return false;
	access.value = access.store ? part_value(first) : result_of(line);
	access.pointer = part_take(&rest);
	struct part align = part_take(&rest);
	if (align.length < sizeof alignment || strncmp(align.at, alignment, 6) != 0)
		return false;
	access.align = (unsigned)atoi(align.at + sizeof alignment - 1);
	*ret_access = access;
	return part_is_name(access.value);
}

/* The mask of a shuffle: for each element of the result the number of an element of the operands;
 * -1: any. Returns the number of elements; 0: not known. */
static unsigned ir_read_mask(struct part operand, int ret_mask[IR_MAX_ELEMENTS])
{
	struct access type;
	unsigned count = 0;

	if (!ir_vector_type(operand, &type))
		return 0;
	struct part rest = {operand.at + type.vector.length, operand.length - type.vector.length};
	bool zero = part_find(rest, "zeroinitializer") != NULL;
	const char *open = memchr(rest.at, '<', rest.length);
	if (!zero && !open)
		return 0;
	if (!zero)
		rest = (struct part){open + 1, (size_t)(rest.at + rest.length - open - 2)};
	for (; count < type.count; count++) {
		struct part value = zero ? (struct part){"0", 1} : part_value(part_take(&rest));
		ret_mask[count] = isdigit((unsigned char)*value.at) ? atoi(value.at) : -1;
	}
	return count;
}

/* ---- Functions ----------------------------------------------------------------------------- */

/* A name in the text: "%12". */
struct name {
	struct part text;
	size_t line;
};

struct function {
	struct part *lines;
	size_t line_count, line_capacity;
	struct name *names; /* sorted by text, then by line */
	size_t name_count, name_capacity;
	uint32_t *elements; /* of each line: accessed elements, as bits; 0: the line is unchanged */
	bool *stored;       /* of each line: the value is only for a store that is changed */
};

static bool add_names(struct function *function, struct part line, size_t number)
{
	const char *end = line.at + line.length;

	for (const char *at = line.at; (at = memchr(at, '%', (size_t)(end - at)));) {
		struct part name = part_name(at, end);
		if (!array_reserve(&function->names, &function->name_capacity, function->name_count,
			    sizeof *function->names))
			return false;
		function->names[function->name_count++] = (struct name){name, number};
		at += name.length;
	}
	return true;
}

static int compare_names(const void *a, const void *b)
{
	const struct name *first = a;
	const struct name *second = b;
	int order = part_compare(first->text, second->text);

	return order ? order : (first->line > second->line) - (first->line < second->line);
}

static bool read_function(struct function *function, const char *begin, const char *end)
{
	for (const char *at = begin; at < end;) {
		struct part line = {at, strcspn(at, "\n")};
		if (!array_reserve(&function->lines, &function->line_capacity, function->line_count,
			    sizeof *function->lines) ||
			!add_names(function, line, function->line_count))
			return false;
		function->lines[function->line_count++] = line;
		at += line.length + 1;
	}
	if (function->name_count > 0)
		qsort(function->names, function->name_count, sizeof *function->names,
			compare_names);
	function->elements = calloc(function->line_count + 1, sizeof *function->elements);
	function->stored = calloc(function->line_count + 1, sizeof *function->stored);
	return function->elements && function->stored;
}

/* Returns the first place of a name, sorted by line; NULL: none. */
static const struct name *places_of(const struct function *function, struct part text)
{
	size_t low = 0, high = function->name_count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (part_compare(function->names[middle].text, text) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	bool found = low < function->name_count && part_same(function->names[low].text, text);
	return found ? &function->names[low] : NULL;
}

static bool is_last(const struct function *function, const struct name *name)
{
	const struct name *end = function->names + function->name_count;

	return name + 1 == end || !part_same(name[1].text, name->text);
}

/* Returns the line that defines a name; SIZE_MAX: none. */
static size_t definition_of(const struct function *function, struct part text)
{
	const struct name *place = places_of(function, text);
	struct part line = {"", 0};

	for (; place; place = is_last(function, place) ? NULL : place + 1) {
		line = function->lines[place->line];
		if (place->text.at == line.at + 2 && part_find(line, " = "))
			return place->line;
	}
	return SIZE_MAX;
}

static bool on_stack(const struct function *function, struct part pointer)
{
	struct part value = part_value(pointer), operands;
	size_t line = part_is_name(value) ? definition_of(function, value) : SIZE_MAX;

	return line != SIZE_MAX && part_operands(function->lines[line], "alloca ", &operands);
}

/* ---- Stores -------------------------------------------------------------------------------- */

/* Whether memory may change between two lines. */
static bool may_write(const struct function *function, size_t from, size_t to)
{
	for (size_t i = from + 1; i < to; i++) {
		struct part line = function->lines[i];
		if (line.length == 0 || line.at[0] != ' ' || strncmp(line.at, "  store ", 8) == 0 ||
			strncmp(line.at, "  br ", 5) == 0 || part_find(line, "call ") ||
			part_find(line, "atomicrmw") || part_find(line, "cmpxchg"))
			return true;
	}
	return from >= to;
}

/* Whether a value is the vector that the store replaces. */
static bool is_old_value(
	const struct function *function, struct part value, const struct access *store, size_t line)
{
	size_t load = part_is_name(value) ? definition_of(function, value) : SIZE_MAX;
	struct access old;

	return load != SIZE_MAX && ir_read_access(function->lines[load], &old) && !old.store &&
	       part_same(old.pointer, store->pointer) && part_same(old.vector, store->vector) &&
	       !may_write(function, load, line);
}

/* Returns the elements that a store changes, as bits; 0: not known. */
static uint32_t changed_elements(
	const struct function *function, const struct access *store, size_t line)
{
	size_t number = definition_of(function, store->value);
	struct part operands;
	int mask[IR_MAX_ELEMENTS];
	uint32_t changed = 0;

	if (number == SIZE_MAX || may_write(function, number, line))
		return 0;
	struct part definition = function->lines[number];
	if (part_operands(definition, "insertelement ", &operands)) {
		struct part vector = part_value(part_take(&operands));
		part_take(&operands);
		struct part index = part_value(part_take(&operands));
		bool known = isdigit((unsigned char)*index.at) && atoi(index.at) < IR_MAX_ELEMENTS;
		return known && is_old_value(function, vector, store, line) ? 1u << atoi(index.at)
									    : 0;
	}
	if (!part_operands(definition, "shufflevector ", &operands))
		return 0;
	struct access source;
	struct part first = part_take(&operands), second = part_take(&operands);
	if (!ir_vector_type(first, &source) ||
		ir_read_mask(part_take(&operands), mask) != store->count)
		return 0;
	bool first_old = is_old_value(function, part_value(first), store, line);
	bool second_old = is_old_value(function, part_value(second), store, line);
	for (unsigned i = 0; i < store->count; i++) {
		bool kept = mask[i] < 0 || (first_old && mask[i] == (int)i) ||
			    (second_old && mask[i] == (int)(source.count + i));
		changed |= (uint32_t)!kept << i;
	}
	return changed;
}

static uint32_t all_elements(const struct access *access)
{
	return (1u << access->count) - 1;
}

/* Finds the stores of parts. The value of such a store has no other use than the store: otherwise
 * the load before it stays whole. */
static void find_stores(struct function *function)
{
	struct access access;

	for (size_t i = 0; i < function->line_count; i++) {
		if (!ir_read_access(function->lines[i], &access) || !access.store ||
			on_stack(function, access.pointer))
			continue;
		uint32_t changed = changed_elements(function, &access, i);
		if (changed == 0 || changed == all_elements(&access))
			continue;
		function->elements[i] = changed;
		const struct name *place = places_of(function, access.value);
		bool twice = is_last(function, place + 1);
		if (twice)
			function->stored[definition_of(function, access.value)] = true;
	}
}

/* ---- Loads --------------------------------------------------------------------------------- */

/* Returns the elements of a loaded vector that one line uses, as bits. */
static uint32_t used_elements(
	const struct function *function, const struct access *load, size_t number)
{
	struct part line = function->lines[number], operands;
	int mask[IR_MAX_ELEMENTS];
	uint32_t used = 0;

	if (part_operands(line, "extractelement ", &operands)) {
		part_take(&operands);
		struct part index = part_value(part_take(&operands));
		return isdigit((unsigned char)*index.at) && atoi(index.at) < IR_MAX_ELEMENTS
			       ? 1u << atoi(index.at)
			       : all_elements(load);
	}
	if (part_operands(line, "insertelement ", &operands))
		return function->stored[number] ? 0 : all_elements(load);
	if (!part_operands(line, "shufflevector ", &operands))
		return all_elements(load);
	bool first = part_same(part_value(part_take(&operands)), load->value);
	bool second = part_same(part_value(part_take(&operands)), load->value);
	unsigned count = ir_read_mask(part_take(&operands), mask);
	if (count == 0)
		return all_elements(load);
	for (unsigned i = 0; i < count; i++) {
		bool kept = function->stored[number] && mask[i] >= 0 &&
			    (unsigned)mask[i] % load->count == i;
		if (mask[i] < 0 || kept)
			continue;
		if (mask[i] < (int)load->count ? first : second)
			used |= 1u << (unsigned)mask[i] % load->count;
	}
	return used;
}

/* Marks a changed load, because a load may have no used element. */
#define NO_ELEMENT (1u << 31)

static void find_loads(struct function *function)
{
	struct access access;

	for (size_t i = 0; i < function->line_count; i++) {
		if (!ir_read_access(function->lines[i], &access) || access.store ||
			on_stack(function, access.pointer))
			continue;
		const struct name *place = places_of(function, access.value);
		uint32_t used = 0;
		bool any = false;
		for (; place; place = is_last(function, place) ? NULL : place + 1) {
			if (place->line == i)
				continue;
			used |= used_elements(function, &access, place->line);
			any = true;
		}
		if (any && used != all_elements(&access))
			function->elements[i] = used | NO_ELEMENT;
	}
}

/* ---- Writing ------------------------------------------------------------------------------- */

struct writer {
	FILE *out;
	unsigned *number; /* of the last new name */
	const struct access *access;
	struct part location;
};

static void end_line(const struct writer *writer)
{
	fprintf(writer->out, "%.*s\n", PUT(writer->location));
}

/* Writes the type of `count` elements. */
static void put_type(const struct writer *writer, unsigned count)
{
	struct part type = writer->access->type;

	if (count > 1)
		fprintf(writer->out, "<%u x %.*s>", count, PUT(type));
	else
		fprintf(writer->out, "%.*s", PUT(type));
}

/* Writes a mask: elements begin, begin + 1 and so on at the positions from `first`; else `other`. */
static void put_mask(
	const struct writer *writer, unsigned size, unsigned first, unsigned count, unsigned begin)
{
	fprintf(writer->out, "<%u x i32> <", size);
	for (unsigned i = 0; i < size; i++) {
		fprintf(writer->out, i ? ", i32 " : "i32 ");
		if (i >= first && i < first + count)
			fprintf(writer->out, "%u", begin + i - first);
		else
			fprintf(writer->out, "undef");
	}
	fprintf(writer->out, ">");
}

/* Writes the address of an element. Returns its number as a name. */
static unsigned put_address(const struct writer *writer, unsigned element, unsigned count)
{
	const struct access *access = writer->access;
	bool typed = strncmp(access->pointer.at, "ptr ", 4) != 0;
	unsigned number = ++*writer->number;

	fprintf(writer->out, "  %%pmpp.v%u = getelementptr inbounds %.*s, %.*s, i64 0, i64 %u",
		number, PUT(access->vector), PUT(access->pointer), element);
	end_line(writer);
	if (!typed || count == 1)
		return number;
	fprintf(writer->out, "  %%pmpp.v%u = bitcast %.*s* %%pmpp.v%u to ", number + 1,
		PUT(access->type), number);
	put_type(writer, count);
	fprintf(writer->out, "*");
	end_line(writer);
	return ++*writer->number;
}

static void put_pointer(
	const struct writer *writer, unsigned address, unsigned element, unsigned count)
{
	const struct access *access = writer->access;
	unsigned align = access->align, offset = element * access->bytes;

	while (offset % align != 0)
		align /= 2;
	if (strncmp(access->pointer.at, "ptr ", 4) == 0) {
		fprintf(writer->out, "ptr");
	} else {
		put_type(writer, count);
		fprintf(writer->out, "*");
	}
	fprintf(writer->out, " %%pmpp.v%u, align %u", address, align);
	end_line(writer);
}

static void put_store(const struct writer *writer, unsigned element, unsigned count)
{
	const struct access *access = writer->access;
	unsigned value = ++*writer->number;

	fprintf(writer->out, "  %%pmpp.v%u = ", value);
	if (count == 1) {
		fprintf(writer->out, "extractelement %.*s %.*s, i32 %u", PUT(access->vector),
			PUT(access->value), element);
	} else {
		fprintf(writer->out, "shufflevector %.*s %.*s, %.*s undef, ", PUT(access->vector),
			PUT(access->value), PUT(access->vector));
		put_mask(writer, count, 0, count, element);
	}
	end_line(writer);
	unsigned address = put_address(writer, element, count);
	fprintf(writer->out, "  store ");
	put_type(writer, count);
	fprintf(writer->out, " %%pmpp.v%u, ", value);
	put_pointer(writer, address, element, count);
}

/* Loads elements and puts them into the vector of the earlier ones, number `before`; 0: none. Returns
 * the number of the new vector. */
static unsigned put_load(
	const struct writer *writer, unsigned element, unsigned count, unsigned before)
{
	const struct access *access = writer->access;
	unsigned address = put_address(writer, element, count);
	unsigned loaded = ++*writer->number;

	fprintf(writer->out, "  %%pmpp.v%u = load ", loaded);
	put_type(writer, count);
	fprintf(writer->out, ", ");
	put_pointer(writer, address, element, count);
	for (unsigned i = 0; i < count; i++) {
		unsigned part = loaded;
		if (count > 1) {
			part = ++*writer->number;
			fprintf(writer->out, "  %%pmpp.v%u = extractelement ", part);
			put_type(writer, count);
			fprintf(writer->out, " %%pmpp.v%u, i32 %u", loaded, i);
			end_line(writer);
		}
		fprintf(writer->out, "  %%pmpp.v%u = insertelement %.*s ", ++*writer->number,
			PUT(access->vector));
		fprintf(writer->out, before ? "%%pmpp.v%u" : "undef", before);
		fprintf(writer->out, ", %.*s %%pmpp.v%u, i32 %u", PUT(access->type), part,
			element + i);
		end_line(writer);
		before = *writer->number;
	}
	return before;
}

static void put_access(FILE *out, struct part line, uint32_t elements, unsigned *number)
{
	struct access access;
	struct writer writer = {out, number, &access, part_location(line)};
	unsigned vector = 0;

	if (!ir_read_access(line, &access))
		return;
	for (unsigned i = 0; i < access.count;) {
		unsigned count = 0;
		while (i + count < access.count && elements >> (i + count) & 1)
			count++;
		if (count > 0 && access.store)
			put_store(&writer, i, count);
		else if (count > 0)
			vector = put_load(&writer, i, count, vector);
		i += count + 1;
	}
	if (access.store)
		return;
	fprintf(out, "  %.*s = bitcast %.*s ", PUT(access.value), PUT(access.vector));
	fprintf(out, vector ? "%%pmpp.v%u" : "undef", vector);
	fprintf(out, " to %.*s", PUT(access.vector));
	end_line(&writer);
}

static bool put_function(FILE *out, const char *begin, const char *end, void *context)
{
	struct function function = {0};
	bool done = read_function(&function, begin, end);

	if (done) {
		find_stores(&function);
		find_loads(&function);
	}
	for (size_t i = 0; i < function.line_count && done; i++)
		if (function.elements[i])
			put_access(out, function.lines[i], function.elements[i], context);
		else
			fprintf(out, "%.*s\n", PUT(function.lines[i]));
	free(function.lines);
	free(function.names);
	free(function.elements);
	free(function.stored);
	return done;
}

char *ir_split_vectors(const char *ir)
{
	unsigned number = 0;

	return ir_change_functions(ir, put_function, &number);
}
