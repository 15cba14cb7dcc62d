#include "common/require.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/expression.h"
#include "common/nearest.h"
#include "common/text.h"
#include "common/words.h"

const struct require_figure_row require_figures[FIGURE_COUNT] = {
	[FIGURE_CORRECT] = {"correct", ARGUMENT_NONE, false, NULL},
	[FIGURE_DEFECTS] = {"defects", ARGUMENT_NONE, false, NULL},
	[FIGURE_SECTORS] = {"sectors", ARGUMENT_OPERAND, true, NULL},
	[FIGURE_BANK_WAYS] = {"bank_ways", ARGUMENT_NONE, false, NULL},
	[FIGURE_OCCUPANCY] = {"occupancy", ARGUMENT_NONE, false, "%"},
	[FIGURE_REGISTERS] = {"registers", ARGUMENT_NONE, false, NULL},
	[FIGURE_SPILLED_BYTES] = {"spilled_bytes", ARGUMENT_NONE, false, NULL},
	[FIGURE_SHARED_BYTES] = {"shared_bytes", ARGUMENT_NONE, false, NULL},
	[FIGURE_DIVERGENCE] = {"divergence", ARGUMENT_NONE, false, "%"},
	[FIGURE_BARRIERS] = {"barriers", ARGUMENT_NONE, false, NULL},
	[FIGURE_FLOOR] = {"floor", ARGUMENT_RUNG, true, "ns"},
	[FIGURE_STEP] = {"step", ARGUMENT_RUNG, false, NULL},
};

/* Longer operators first. */
static const char *const comparisons[] = {"<=", ">=", "==", "!=", "<", ">"};

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define FIGURE_WORD "figure" /* in expressions: "figure0" */

/* ---- Texts ----------------------------------------------------------------------------------- */

struct part {
	const char *begin, *end;
};

static struct part trim(struct part part)
{
	while (part.begin < part.end && isspace((unsigned char)*part.begin))
		part.begin++;
	while (part.begin < part.end && isspace((unsigned char)part.end[-1]))
		part.end--;
	return part;
}

static int length_of(struct part part)
{
	return (int)(part.end - part.begin);
}

static bool is_text(struct part part, const char *text)
{
	return same_word(part.begin, (size_t)length_of(part), text);
}

/* ---- Figures --------------------------------------------------------------------------------- */

/* What a text is read with. */
struct reader {
	const char *from;
	const struct require_names *names;
	struct require_condition *condition;
	struct pmpp_error *error;
};

static enum pmpp_status refuse_figure(const struct reader *reader, struct part name)
{
	const char *names[FIGURE_COUNT];
	char word[REQUIRE_NAME_BYTES], all[NAMES_TEXT_BYTES], hint[NAMES_TEXT_BYTES];

	for (size_t i = 0; i < FIGURE_COUNT; i++)
		names[i] = require_figures[i].name;
	snprintf(word, sizeof word, "%.*s", length_of(name), name.begin);
	return PMPP_FAIL(reader->error, PMPP_USAGE, "%s: '%s': no figure '%s'%s: give one of %s",
		reader->from, reader->condition->text, word,
		nearest_hint(word, names, FIGURE_COUNT, hint),
		names_text(names, FIGURE_COUNT, all));
}

/* Checks the argument of a figure. */
static enum pmpp_status check_argument(
	const struct reader *reader, const struct require_figure *figure)
{
	const struct require_figure_row *row = &require_figures[figure->id];
	bool operand = row->argument == ARGUMENT_OPERAND;
	char all[NAMES_TEXT_BYTES], hint[NAMES_TEXT_BYTES];

	if (!*figure->argument && (row->argument == ARGUMENT_NONE || row->optional))
		return PMPP_OK;
	if (row->argument == ARGUMENT_NONE)
		return PMPP_FAIL(reader->error, PMPP_USAGE, "%s: '%s': '%s' has no argument",
			reader->from, reader->condition->text, row->name);
	if (!reader->names)
		return PMPP_OK;
	const char *const *names = operand ? reader->names->operands : reader->names->rungs;
	size_t count = operand ? reader->names->operand_count : reader->names->rung_count;
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], figure->argument) == 0)
			return PMPP_OK;
	return PMPP_FAIL(reader->error, PMPP_USAGE, "%s: '%s': no %s '%s'%s: give one of %s",
		reader->from, reader->condition->text, operand ? "operand" : "variant",
		figure->argument, nearest_hint(figure->argument, names, count, hint),
		names_text(names, count, all));
}

/* Adds the figure with this name and the argument in brackets behind it. *ret_end: the end of both. */
static enum pmpp_status add_figure(const struct reader *reader, enum require_figure_id id,
	struct part rest, const char **ret_end)
{
	struct require_condition *condition = reader->condition;
	const char *open = trim(rest).begin;
	const char *close = *open == '(' ? memchr(open, ')', (size_t)(rest.end - open)) : NULL;

	if (condition->figure_count == REQUIRE_MAX_FIGURES)
		return PMPP_FAIL(reader->error, PMPP_USAGE, "%s: '%s' has more than %d figures",
			reader->from, condition->text, REQUIRE_MAX_FIGURES);
	struct require_figure *figure = &condition->figures[condition->figure_count++];
	figure->id = id;
	*ret_end = close ? close + 1 : rest.begin;
	if (close) {
		struct part argument = trim((struct part){open + 1, close});
		snprintf(figure->argument, sizeof figure->argument, "%.*s", length_of(argument),
			argument.begin);
	}
	return check_argument(reader, figure);
}

static enum require_figure_id find_figure(struct part name)
{
	int id = 0;

	while (id < FIGURE_COUNT && !is_text(name, require_figures[id].name))
		id++;
	return (enum require_figure_id)id;
}

/* Functions of expressions, which are no figures. floor() is the figure. */
static bool is_function(struct part name)
{
	return is_text(name, "min") || is_text(name, "max") || is_text(name, "ceil");
}

/* Copies a side of a comparison. Its figures become words of an expression. */
static enum pmpp_status read_side(const struct reader *reader, struct part side, size_t index)
{
	char *text = reader->condition->sides[index];
	enum pmpp_status status = PMPP_OK;
	size_t length;

	side = trim(side);
	reader->condition->scales[index] = 1;
	if (side.begin < side.end && side.end[-1] == '%') {
		side = trim((struct part){side.begin, side.end - 1});
		reader->condition->scales[index] = 0.01;
	}
	const char *at = side.begin;
	while (status == PMPP_OK) {
		const char *word = next_word(at, side.end, &length);
		struct part name = {word, word + length};
		if (length == 0)
			break;
		text_append(text, REQUIRE_TEXT_BYTES, "%.*s", (int)(word - at), at);
		at = name.end;
		if (isdigit((unsigned char)*word) || is_function(name)) {
			text_append(text, REQUIRE_TEXT_BYTES, "%.*s", (int)length, word);
			continue;
		}
		enum require_figure_id id = find_figure(name);
		if (id == FIGURE_COUNT)
			return refuse_figure(reader, name);
		text_append(text, REQUIRE_TEXT_BYTES, FIGURE_WORD "%zu",
			reader->condition->figure_count);
		status = add_figure(reader, id, (struct part){at, side.end}, &at);
	}
	text_append(text, REQUIRE_TEXT_BYTES, "%.*s", (int)(side.end - at), at);
	return status;
}

/* ---- Conditions ------------------------------------------------------------------------------ */

/* Every figure is 1. */
static bool find_one(void *context, const char *name, size_t length, struct number *ret_number)
{
	(void)context, (void)name, (void)length;
	*ret_number = (struct number){1, true};
	return true;
}

static enum pmpp_status check_side(const struct reader *reader, size_t side)
{
	const struct expression_names names = {.find = find_one, .all_exact = true};
	const char *text = reader->condition->sides[side];
	char problem[EXPRESSION_PROBLEM_BYTES];
	struct number number;

	if (expression_value(text, strlen(text), &names, &number, problem))
		return PMPP_OK;
	return PMPP_FAIL(reader->error, PMPP_USAGE, "%s: '%s': %s", reader->from,
		reader->condition->text, problem);
}

static enum pmpp_status read_comparison(const struct reader *reader, struct part part)
{
	struct require_condition *condition = reader->condition;
	const char *found = NULL;
	enum pmpp_status status = PMPP_OK;

	for (const char *at = part.begin; at < part.end && !found; at++)
		for (size_t i = 0; i < COUNT(comparisons) && !found; i++)
			if (strncmp(at, comparisons[i], strlen(comparisons[i])) == 0) {
				found = at;
				condition->comparison = (int)i;
			}
	if (!found)
		return PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s: '%s' is no condition: give 'correct', 'no defects' or a comparison, such "
			"as 'sectors(A) <= 4'",
			reader->from, condition->text);
	const char *right = found + strlen(comparisons[condition->comparison]);
	status = read_side(reader, (struct part){part.begin, found}, 0);
	if (status == PMPP_OK)
		status = read_side(reader, (struct part){right, part.end}, 1);
	for (size_t i = 0; i < 2 && status == PMPP_OK; i++)
		status = check_side(reader, i);
	if (status == PMPP_OK && condition->figure_count == 0)
		status = PMPP_FAIL(reader->error, PMPP_USAGE, "%s: '%s' has no figure",
			reader->from, condition->text);
	return status;
}

/* Takes "4 points:" from the beginning of a condition. */
static int64_t take_points(struct part *part)
{
	char *after;
	long points = strtol(part->begin, &after, 10);
	const char *colon = memchr(part->begin, ':', (size_t)length_of(*part));

	if (!colon || points < 1 || after > colon)
		return 0;
	struct part word = trim((struct part){after, colon});
	if (!is_text(word, "point") && !is_text(word, "points"))
		return 0;
	*part = trim((struct part){colon + 1, part->end});
	return points;
}

static enum pmpp_status read_condition(const struct reader *reader, struct part part)
{
	struct require_condition *condition = reader->condition;
	static const char correct[] = "correct >= 1", defects[] = "defects <= 0";

	condition->points = take_points(&part);
	snprintf(condition->text, sizeof condition->text, "%.*s", length_of(part), part.begin);
	if ((size_t)length_of(part) >= sizeof condition->text)
		return PMPP_FAIL(reader->error, PMPP_USAGE, "%s: '%s...' is too long", reader->from,
			condition->text);
	if (is_text(part, "correct"))
		part = (struct part){correct, correct + strlen(correct)};
	else if (is_text(part, "no defects"))
		part = (struct part){defects, defects + strlen(defects)};
	return read_comparison(reader, part);
}

enum pmpp_status require_add(const char *from, const char *text, const struct require_names *names,
	struct require_list *list, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;
	const char *end;

	for (const char *at = text; *at && status == PMPP_OK; at = *end ? end + 1 : end) {
		end = at + strcspn(at, ";#\r\n");
		struct part part = trim((struct part){at, end});
		if (*end == '#')
			end += strcspn(end, "\r\n");
		if (part.begin == part.end)
			continue;
		if (list->count == REQUIRE_MAX_CONDITIONS)
			return PMPP_FAIL(error, PMPP_USAGE, "%s: more than %d conditions", from,
				REQUIRE_MAX_CONDITIONS);
		struct require_condition *condition = &list->items[list->count++];
		*condition = (struct require_condition){.points = 0};
		const struct reader reader = {from, names, condition, error};
		status = read_condition(&reader, part);
	}
	return status;
}

char *require_comments(const char *source)
{
	static const char *const marks[] = {"//", "pmpp:", "require", "="};
	char *text = malloc(strlen(source) + 2), *to = text;

	for (const char *line = source; text && *line; line += *line == '\n') {
		const char *end = line + strcspn(line, "\n");
		size_t found = 0;
		while (found < COUNT(marks)) {
			line += strspn(line, " \t");
			if (strncmp(line, marks[found], strlen(marks[found])) != 0)
				break;
			line += strlen(marks[found++]);
		}
		if (found == COUNT(marks)) {
			to = mempcpy(to, line, (size_t)(end - line));
			*to++ = '\n';
		}
		line = end;
	}
	if (text)
		*to = '\0';
	return text;
}

bool require_uses(const struct require_condition *condition, enum require_figure_id id)
{
	for (size_t i = 0; i < condition->figure_count; i++)
		if (condition->figures[i].id == id)
			return true;
	return false;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* "figureN": values[N]. */
static bool find_value(void *context, const char *name, size_t length, struct number *ret_number)
{
	const double *values = context;

	(void)length;
	*ret_number = (struct number){values[atoi(name + strlen(FIGURE_WORD))], true};
	return true;
}

static double side_value(const struct require_condition *condition, size_t side, double *values)
{
	const struct expression_names names = {find_value, values, .all_exact = true};
	const char *text = condition->sides[side];
	char problem[EXPRESSION_PROBLEM_BYTES];
	struct number number;

	if (!expression_value(text, strlen(text), &names, &number, problem))
		return NAN;
	return number.value * condition->scales[side];
}

static bool compare(int comparison, double a, double b)
{
	const bool results[] = {a <= b, a >= b, a == b, a != b, a<b, a> b};

	return results[comparison] && !isnan(a) && !isnan(b);
}

enum require_state require_decide(const struct require_condition *condition, require_find_fn *find,
	void *context, struct require_value *ret_value)
{
	double values[REQUIRE_MAX_FIGURES] = {0};

	for (size_t i = 0; i < condition->figure_count; i++) {
		struct require_value value = {.value = NAN};
		find(context, &condition->figures[i], &value);
		values[i] = value.value;
		if (i == 0 || isnan(value.value))
			*ret_value = value;
		if (isnan(value.value))
			return value.skipped ? REQUIRE_SKIPPED : REQUIRE_FAILS;
	}
	double left = side_value(condition, 0, values), right = side_value(condition, 1, values);
	ret_value->right = right;
	return compare(condition->comparison, left, right) ? REQUIRE_HOLDS : REQUIRE_FAILS;
}
