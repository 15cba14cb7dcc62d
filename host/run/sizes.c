#include "host/run/sizes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"

/* A longer range has a wrong step by mistake. */
#define MAX_SIZES 10000

/* ---- Numbers ------------------------------------------------------------------------------- */

static bool parse_digits(const char **text, int64_t *ret_value, bool *ret_overflow)
{
	const char *start = *text;
	int64_t value = 0;

	for (; **text >= '0' && **text <= '9'; (*text)++)
		if (__builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, **text - '0', &value))
			*ret_overflow = true;
	*ret_value = value;
	return *text != start;
}

/* Multiplies *value by base^exponent. Returns true if it overflows. */
static bool multiply(int64_t *value, int64_t base, int64_t exponent)
{
	/* Powers of 0 and 1 do not change. */
	if (base < 2 || *value == 0) {
		*value *= exponent ? base : 1;
		return false;
	}
	for (int64_t i = 0; i < exponent; i++) /* overflows within 63 steps */
		if (__builtin_mul_overflow(*value, base, value))
			return true;
	return false;
}

/* Reads ".5" after a number and appends its digits to *value, without zeros at the end. ret_places: the
 * number of these digits. Returns false if there is no digit. */
static bool parse_fraction(
	const char **text, int64_t *value, int64_t *ret_places, bool *ret_overflow)
{
	const char *digits = *text + 1;
	size_t length = strspn(digits, "0123456789"), places = length;

	*text = digits + length;
	while (places > 0 && digits[places - 1] == '0')
		places--;
	for (size_t i = 0; i < places; i++)
		*ret_overflow |= __builtin_mul_overflow(*value, 10, value) ||
				 __builtin_add_overflow(*value, digits[i] - '0', value);
	*ret_places = (int64_t)places;
	return length > 0;
}

/* Reads 1024, 2^10 or 1.5e9. Advances *text past the number. */
static enum pmpp_status parse_number(
	const char **text, int64_t *ret_value, struct pmpp_error *error)
{
	const char *start = *text;
	bool negative = **text == '-';
	bool overflow = false;
	int64_t base = 0;
	int64_t exponent = 1;
	int64_t places = 0;

	*text += negative;
	bool good = parse_digits(text, &base, &overflow);
	bool fraction = good && **text == '.';
	if (fraction)
		good = parse_fraction(text, &base, &places, &overflow);
	bool power = **text == '^' && !fraction, decimal = **text == 'e' || **text == 'E';
	if (good && (power || decimal)) {
		(*text)++;
		good = parse_digits(text, &exponent, &overflow);
	}
	if (!good)
		return *start ? PMPP_FAIL(error, PMPP_USAGE, "--size: '%s' is not a number", start)
			      : PMPP_FAIL(error, PMPP_USAGE, "--size: a number is missing");
	int length = (int)(*text - start);
	if (places > (decimal ? exponent : 0))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--size: %.*s is not an integer: a size is an integer, such as 1000 or "
			"1.5e3",
			length, start);
	int64_t value = decimal ? base : 1;
	overflow = overflow || multiply(&value, decimal ? 10 : base, exponent - places);
	if (overflow)
		return PMPP_FAIL(
			error, PMPP_USAGE, "--size: %.*s overflows 64 bits", length, start);
	if (negative || value < 1)
		return PMPP_FAIL(
			error, PMPP_USAGE, "--size: %.*s: a size is at least 1", length, start);
	*ret_value = value;
	return PMPP_OK;
}

/* ---- Items --------------------------------------------------------------------------------- */

static enum pmpp_status append(
	struct size_list *list, const struct size *size, struct pmpp_error *error)
{
	if (list->count == MAX_SIZES)
		return PMPP_FAIL(error, PMPP_USAGE, "--size: more than %d sizes", MAX_SIZES);
	struct size *items = realloc(list->items, (list->count + 1) * sizeof *items);
	if (!items)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the sizes");
	list->items = items;
	items[list->count++] = *size;
	return PMPP_OK;
}

/* Parses a text of NAME=VALUE pairs: they are one size. */
static enum pmpp_status parse_named(
	const char *text, struct size_list *list, struct pmpp_error *error)
{
	struct size size = {.named = true};

	for (;;) {
		size_t length = strcspn(text, "=,");
		if (text[length] != '=')
			return PMPP_FAIL(error, PMPP_USAGE,
				"--size: '%s' mixes NAME=VALUE pairs with plain sizes", text);
		if (length == 0 || length > SIZE_NAME_LENGTH)
			return PMPP_FAIL(error, PMPP_USAGE,
				"--size: '%s' does not begin with the name of a dimension", text);
		for (size_t i = 0; i < size.count; i++)
			if (strlen(size.name[i]) == length &&
				strncmp(size.name[i], text, length) == 0)
				return PMPP_FAIL(error, PMPP_USAGE,
					"--size: %s is given twice (use a second --size for a second "
					"problem)",
					size.name[i]);
		if (size.count == PMPP_MAX_DIMS)
			return PMPP_FAIL(error, PMPP_USAGE, "--size: more than %d dimensions",
				PMPP_MAX_DIMS);
		memcpy(size.name[size.count], text, length);
		text += length + 1;
		enum pmpp_status status = parse_number(&text, &size.value[size.count++], error);
		if (status != PMPP_OK)
			return status;
		if (!*text)
			return append(list, &size, error);
		if (*text != ',')
			return PMPP_FAIL(error, PMPP_USAGE, "--size: unexpected text '%s'", text);
		text++;
	}
}

/* Parses a range after "FIRST:". */
static enum pmpp_status parse_range(
	const char **text, int64_t first, struct size_list *list, struct pmpp_error *error)
{
	int64_t last = 0;
	int64_t step = 0;
	enum pmpp_status status = parse_number(text, &last, error);

	if (status != PMPP_OK)
		return status;
	if ((*text)[0] != ':' || ((*text)[1] != '*' && (*text)[1] != '+'))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--size: a range is FIRST:LAST:*FACTOR or FIRST:LAST:+STEP");
	bool factor = (*text)[1] == '*';
	*text += 2;
	status = parse_number(text, &step, error);
	if (status != PMPP_OK)
		return status;
	if (factor && step == 1)
		return PMPP_FAIL(error, PMPP_USAGE, "--size: a range with the step *1 never ends");
	if (last < first)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--size: the range %" PRId64 ":%" PRId64
			": the last value is less than the first",
			first, last);
	for (int64_t value = first; value <= last && status == PMPP_OK;) {
		struct size size = {.count = 1, .value = {value}};
		status = append(list, &size, error);
		if (factor ? __builtin_mul_overflow(value, step, &value)
			   : __builtin_add_overflow(value, step, &value))
			break;
	}
	return status;
}

/* Parses NUMBER, NUMBERxNUMBER..., or a range. */
static enum pmpp_status parse_plain(
	const char **text, struct size_list *list, struct pmpp_error *error)
{
	struct size size = {0};

	for (;;) {
		if (size.count == PMPP_MAX_DIMS)
			return PMPP_FAIL(error, PMPP_USAGE, "--size: more than %d dimensions",
				PMPP_MAX_DIMS);
		enum pmpp_status status = parse_number(text, &size.value[size.count++], error);
		if (status != PMPP_OK)
			return status;
		if (**text != 'x')
			break;
		(*text)++;
	}
	if (**text != ':' || size.count > 1)
		return append(list, &size, error);
	(*text)++;
	return parse_range(text, size.value[0], list, error);
}

enum pmpp_status sizes_parse(const char *text, struct size_list *list, struct pmpp_error *error)
{
	if (strchr(text, '='))
		return parse_named(text, list, error);
	for (;;) {
		enum pmpp_status status = parse_plain(&text, list, error);
		if (status != PMPP_OK)
			return status;
		if (!*text)
			return PMPP_OK;
		if (*text != ',')
			return PMPP_FAIL(error, PMPP_USAGE, "--size: unexpected text '%s'", text);
		text++;
	}
}

void sizes_finish(struct size_list *list)
{
	free(list->items);
	*list = (struct size_list){0};
}

/* ---- Sizes of a family --------------------------------------------------------------------- */

void family_dims_text(const struct family *family, char *ret_text, size_t size)
{
	ret_text[0] = '\0';
	for (size_t i = 0; i < family->dim_count; i++)
		text_append(ret_text, size, "%s%s", i ? " x " : "", family->dim_names[i]);
}

static enum pmpp_status find_dim(
	const struct family *family, const char *name, size_t *ret_index, struct pmpp_error *error)
{
	char dims[64];

	for (size_t i = 0; i < family->dim_count; i++) {
		if (strcmp(family->dim_names[i], name) == 0) {
			*ret_index = i;
			return PMPP_OK;
		}
	}
	family_dims_text(family, dims, sizeof dims);
	return PMPP_FAIL(error, PMPP_USAGE, "--size: %s has no dimension '%s': its sizes are %s",
		family->name, name, dims);
}

static size_t without_default(const struct family *family)
{
	size_t count = 0;

	while (count < family->dim_count && family->dim_default[count] == 0)
		count++;
	return count;
}

enum pmpp_status size_dims(const struct size *size, const struct family *family,
	int64_t ret_dim[PMPP_MAX_DIMS], struct pmpp_error *error)
{
	int64_t dim[PMPP_MAX_DIMS] = {0};
	char dims[64];

	family_dims_text(family, dims, sizeof dims);
	memcpy(dim, family->dim_default, sizeof dim);
	if (!size->named && size->count > 1 && size->count != family->dim_count &&
		size->count != without_default(family))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--size has %zu numbers, but the sizes of %s are %s", size->count,
			family->name, dims);
	for (size_t i = 0; i < family->dim_count && !size->named; i++)
		if (i < size->count || dim[i] == 0)
			dim[i] = size->value[size->count == 1 ? 0 : i];
	for (size_t i = 0; i < size->count && size->named; i++) {
		size_t index = 0;
		enum pmpp_status status = find_dim(family, size->name[i], &index, error);
		if (status != PMPP_OK)
			return status;
		dim[index] = size->value[i];
	}
	for (size_t i = 0; i < family->dim_count; i++)
		if (dim[i] > family->dim_max)
			return PMPP_FAIL(error, PMPP_USAGE,
				"--size: %s=%" PRId64
				" is too large: the maximum of %s is %" PRId64,
				family->dim_names[i], dim[i], family->name, family->dim_max);
	memcpy(ret_dim, dim, sizeof dim);
	return PMPP_OK;
}
