#include "common/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/words.h"

#define MAX_DEPTH 40
#define LARGEST 0x1p62 /* larger values are errors */

struct parser {
	const char *at, *end;
	const struct expression_names *names;
	int depth;   /* of brackets and signs */
	int rounded; /* depth of ceil() and floor() */
	char *problem;
};

static bool read_sum(struct parser *parser, struct number *ret_number);

/* Records the first problem. Returns false. */
static bool fail(struct parser *parser, const char *what, const char *at, size_t length)
{
	if (!*parser->problem)
		snprintf(parser->problem, EXPRESSION_PROBLEM_BYTES, "%s '%.*s'", what,
			(int)(length < 40 ? length : 40), at);
	return false;
}

static bool fail_here(struct parser *parser)
{
	return fail(parser, "unexpected text", parser->at, (size_t)(parser->end - parser->at));
}

static void skip_spaces(struct parser *parser)
{
	while (parser->at < parser->end && isspace((unsigned char)*parser->at))
		parser->at++;
}

/* Skips the text, if it is next. */
static bool take(struct parser *parser, const char *text)
{
	skip_spaces(parser);
	size_t length = strlen(text);
	if ((size_t)(parser->end - parser->at) < length || memcmp(parser->at, text, length) != 0)
		return false;
	parser->at += length;
	return true;
}

/* ---- Operations ----------------------------------------------------------------------------- */

static struct number divide(const struct parser *parser, struct number a, struct number b)
{
	bool real = a.real || b.real || parser->names->all_exact ||
		    (parser->names->exact && parser->rounded);
	double value = a.value / b.value;

	return (struct number){real ? value : trunc(value), real};
}

static int shift_of(struct number number)
{
	return (int)fmin(fmax(number.value, 0), 100);
}

/* Combines two numbers. Returns false if the result is not a number of reasonable size. */
static bool combine(struct parser *parser, char operation, struct number b, struct number *a)
{
	const char *at = parser->at;

	switch (operation) {
	case '/':
		*a = divide(parser, *a, b);
		break;
	case '%':
		*a = (struct number){fmod(a->value, b.value), false};
		break;
	case '<':
		*a = (struct number){ldexp(a->value, shift_of(b)), false};
		break;
	case '>':
		*a = (struct number){floor(ldexp(a->value, -shift_of(b))), false};
		break;
	default:
		*a = (struct number){operation == '*'   ? a->value * b.value
				     : operation == '+' ? a->value + b.value
							: a->value - b.value,
			a->real || b.real};
	}
	if (isfinite(a->value) && fabs(a->value) <= LARGEST)
		return true;
	return fail(parser, "too large, or divided by 0, before", at, (size_t)(parser->end - at));
}

/* ---- Functions ------------------------------------------------------------------------------ */

enum function {
	FUNCTION_CEIL,
	FUNCTION_FLOOR,
	FUNCTION_MIN,
	FUNCTION_MAX,
	FUNCTION_CEIL_DIV,
	FUNCTION_NONE
};

static enum function find_function(const char *name, size_t length)
{
	static const struct {
		const char *name; /* in small letters without underscores */
		enum function function;
	} rows[] = {
		{"ceil", FUNCTION_CEIL},
		{"ceilf", FUNCTION_CEIL},
		{"stdceil", FUNCTION_CEIL},
		{"floor", FUNCTION_FLOOR},
		{"floorf", FUNCTION_FLOOR},
		{"min", FUNCTION_MIN},
		{"stdmin", FUNCTION_MIN},
		{"max", FUNCTION_MAX},
		{"stdmax", FUNCTION_MAX},
		{"ceildiv", FUNCTION_CEIL_DIV},
		{"divceil", FUNCTION_CEIL_DIV},
		{"divup", FUNCTION_CEIL_DIV},
		{"idivup", FUNCTION_CEIL_DIV},
		{"divroundup", FUNCTION_CEIL_DIV},
		{"cdiv", FUNCTION_CEIL_DIV},
	};
	char plain[24];
	size_t used = 0;

	for (size_t i = 0; i < length && used + 1 < sizeof plain; i++)
		if (name[i] != '_' && name[i] != ':')
			plain[used++] = (char)tolower((unsigned char)name[i]);
	plain[used] = '\0';
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].name, plain) == 0)
			return rows[i].function;
	return FUNCTION_NONE;
}

/* Reads the arguments after the opening bracket. */
static bool read_function(struct parser *parser, enum function function, struct number *ret_number)
{
	bool rounds = function == FUNCTION_CEIL || function == FUNCTION_FLOOR;
	struct number a, b = {0, false};

	parser->rounded += rounds;
	bool good = read_sum(parser, &a) &&
		    (rounds || ((take(parser, ",") || fail_here(parser)) && read_sum(parser, &b)));
	parser->rounded -= rounds;
	if (!good || !(take(parser, ")") || fail_here(parser)))
		return false;
	const double values[] = {[FUNCTION_CEIL] = ceil(a.value),
		[FUNCTION_FLOOR] = floor(a.value),
		[FUNCTION_MIN] = fmin(a.value, b.value),
		[FUNCTION_MAX] = fmax(a.value, b.value),
		[FUNCTION_CEIL_DIV] = ceil(a.value / b.value)};
	*ret_number = (struct number){values[function], false};
	return isfinite(ret_number->value) ||
	       fail(parser, "divided by 0 before", parser->at, (size_t)(parser->end - parser->at));
}

/* ---- Factors -------------------------------------------------------------------------------- */

static bool read_literal(struct parser *parser, struct number *ret_number)
{
	char text[40], *after;
	size_t length = 0;
	const char *at = parser->at;

	while (at + length < parser->end && (is_word(at[length]) || at[length] == '.'))
		length++;
	if (length >= sizeof text)
		return fail(parser, "too long: the number", at, length);
	memcpy(text, at, length);
	text[length] = '\0';
	bool hex = text[0] == '0' && tolower((unsigned char)text[1]) == 'x';
	double value = strtod(text, &after);
	after += strspn(after, hex ? "uUlL" : "uUlLfF");
	if (*after)
		return fail(parser, "not a number:", at, length);
	if (!(fabs(value) <= LARGEST))
		return fail(parser, "too large:", at, length);
	*ret_number = (struct number){value, !hex && strpbrk(text, ".eEfF") != NULL};
	parser->at += length;
	return true;
}

/* Skips a cast, "(int)". */
static bool take_cast(struct parser *parser, bool *ret_real)
{
	static const struct {
		const char *type;
		bool real;
	} rows[] = {
		{"int", false},
		{"unsigned", false},
		{"unsigned int", false},
		{"uint", false},
		{"uint32_t", false},
		{"size_t", false},
		{"long", false},
		{"int64_t", false},
		{"float", true},
		{"double", true},
	};
	const char *before = parser->at;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (take(parser, "(") && take(parser, rows[i].type) && take(parser, ")")) {
			*ret_real = rows[i].real;
			return true;
		}
		parser->at = before;
	}
	return false;
}

/* After `sizeof`: the name of a type in brackets. */
static bool read_size(struct parser *parser, struct number *ret_number)
{
	static const struct {
		const char *type;
		double bytes;
	} rows[] = {{"float", 4}, {"int", 4}, {"unsigned int", 4}, {"unsigned", 4}, {"char", 1},
		{"unsigned char", 1}, {"double", 8}, {"half", 2}, {"__half", 2}, {"float4", 16}};
	const char *before = parser->at;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (take(parser, "(") && take(parser, rows[i].type) && take(parser, ")")) {
			*ret_number = (struct number){rows[i].bytes, false};
			return true;
		}
		parser->at = before;
	}
	return fail_here(parser);
}

/* A name with points and colons, or a function. */
static bool read_name(struct parser *parser, struct number *ret_number)
{
	const char *name = parser->at;

	while (parser->at < parser->end &&
		(is_word(*parser->at) || (*parser->at && strchr(".:", *parser->at))))
		parser->at++;
	size_t length = (size_t)(parser->at - name);
	enum function function = find_function(name, length);
	if (same_word(name, length, "sizeof"))
		return read_size(parser, ret_number);
	if (function != FUNCTION_NONE && take(parser, "("))
		return read_function(parser, function, ret_number);
	return parser->names->find(parser->names->context, name, length, ret_number) ||
	       fail(parser, "no value for", name, length);
}

static bool read_factor(struct parser *parser, struct number *ret_number)
{
	bool good, real;

	skip_spaces(parser);
	if (parser->at == parser->end || parser->depth == MAX_DEPTH)
		return parser->depth == MAX_DEPTH
			       ? fail_here(parser)
			       : fail(parser, "a value is missing at the end of", parser->at, 0);
	parser->depth++;
	if (take_cast(parser, &real)) {
		good = read_factor(parser, ret_number);
		if (good)
			*ret_number = (struct number){
				real ? ret_number->value : trunc(ret_number->value), real};
	} else if (take(parser, "(")) {
		good = read_sum(parser, ret_number) && (take(parser, ")") || fail_here(parser));
	} else if (take(parser, "-")) {
		good = read_factor(parser, ret_number);
		ret_number->value = good ? -ret_number->value : 0;
	} else if (isdigit((unsigned char)*parser->at) || *parser->at == '.') {
		good = read_literal(parser, ret_number);
	} else {
		good = is_word(*parser->at) ? read_name(parser, ret_number) : fail_here(parser);
	}
	parser->depth--;
	return good;
}

/* ---- Sums ----------------------------------------------------------------------------------- */

/* Operators by precedence. In C, shifts bind less than sums. */
static const char *const operators[][3] = {{"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};

/* Reads operands of a level and its operators, from left to right. */
static bool read_level(struct parser *parser, size_t level, struct number *ret_number)
{
	const size_t levels = sizeof operators / sizeof *operators;
	struct number next;

	if (level == levels)
		return read_factor(parser, ret_number);
	if (!read_level(parser, level + 1, ret_number))
		return false;
	for (size_t i = 0; i < 3 && operators[level][i];) {
		if (!take(parser, operators[level][i])) {
			i++;
			continue;
		}
		if (!read_level(parser, level + 1, &next) ||
			!combine(parser, *operators[level][i], next, ret_number))
			return false;
		i = 0;
	}
	return true;
}

static bool read_sum(struct parser *parser, struct number *ret_number)
{
	return read_level(parser, 0, ret_number);
}

bool expression_value(const char *text, size_t length, const struct expression_names *names,
	struct number *ret_number, char ret_problem[EXPRESSION_PROBLEM_BYTES])
{
	struct parser parser = {text, text + length, names, 0, 0, ret_problem};
	struct number number = {0, false};

	*ret_problem = '\0';
	if (!read_sum(&parser, &number))
		return false;
	skip_spaces(&parser);
	if (parser.at != parser.end)
		return fail_here(&parser);
	*ret_number = number;
	return true;
}
