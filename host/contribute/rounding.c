#include <math.h>
#include <string.h>

#include "host/contribute/internal.h"
#include "host/record/walk.h"

#define TIME_STEP_NS 0.1
#define TIME_DIGITS 5
#define OTHER_DIGITS 7

/* The step of the last digit of a value with `digits` significant digits. */
static double step_of(double value, int digits)
{
	return pow(10, floor(log10(fabs(value))) - digits + 1);
}

/* Divides by an integer, which rounds only once: the result for 0.3 is the double nearest to
 * 0.3. */
static double round_to(double value, double step)
{
	return step < 1 ? round(value * round(1 / step)) / round(1 / step)
			: round(value / step) * step;
}

static double rounded(double value, bool is_time)
{
	if (!isfinite(value) || value == floor(value) || fabs(value) < 1e-15)
		return value;
	double step = step_of(value, is_time ? TIME_DIGITS : OTHER_DIGITS);
	return round_to(value, is_time ? fmin(step, TIME_STEP_NS) : fmin(step, 1));
}

static void round_member(void *context, const struct record_field *field, void *member)
{
	bool is_time = field->unit && strcmp(field->unit, "ns") == 0;
	struct number_list *list = member;
	double *numbers = member;
	size_t count = 0;

	(void)context;
	if (field->kind == FIELD_NUMBERS) {
		numbers = list->items;
		count = list->count;
	} else if (field->kind == FIELD_NUMBER || field->kind == FIELD_INTERVAL) {
		count = field->kind == FIELD_NUMBER ? 1 : 2;
	}
	for (size_t i = 0; i < count; i++)
		numbers[i] = rounded(numbers[i], is_time);
}

void round_document(struct result_document *document)
{
	const struct record_visitor visitor = {.member = round_member};

	record_walk(&result_document_type, document, &visitor);
}
