#include "host/gpu/opencl_emu/ir_access.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool part_same(struct part a, struct part b)
{
	return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

size_t part_name_length(const char *at, const char *end)
{
	size_t length = 1;

	if (at + 1 < end && at[1] == '"') {
		const char *close = memchr(at + 2, '"', (size_t)(end - at - 2));
		return close ? (size_t)(close + 1 - at) : 1;
	}
	while (at + length < end &&
		(isalnum((unsigned char)at[length]) || strchr("$._-", at[length])))
		length++;
	return length;
}

struct part part_take(struct part *rest)
{
	struct part item = {rest->at, 0};
	int depth = 0;

	while (item.length < rest->length) {
		char c = item.at[item.length];
		depth += (c == '(' || c == '[' || c == '{' || c == '<') -
			 (c == ')' || c == ']' || c == '}' || c == '>');
		if (depth == 0 && c == ',')
			break;
		item.length++;
	}
	size_t used = item.length + 2 < rest->length ? item.length + 2 : rest->length;
	rest->at += used;
	rest->length -= used;
	return item;
}

struct part part_value(struct part operand)
{
	const char *space = memrchr(operand.at, ' ', operand.length);

	if (!space)
		return operand;
	return (struct part){space + 1, (size_t)(operand.at + operand.length - space - 1)};
}

bool part_is_name(struct part value)
{
	return value.length > 1 && value.at[0] == '%';
}

bool part_operands(struct part line, const char *word, struct part *ret_operands)
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
	return (struct part){line.at + 2, part_name_length(line.at + 2, line.at + line.length)};
}

bool ir_vector_type(struct part text, struct access *access)
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

bool ir_read_access(struct part line, struct access *ret_access)
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

unsigned ir_read_mask(struct part operand, int ret_mask[IR_MAX_ELEMENTS])
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
