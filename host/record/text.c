#include "host/record/text.h"

#include <inttypes.h>
#include <math.h>

static void put_number(double value, FILE *out)
{
	if (isfinite(value))
		fprintf(out, "%.9g", value);
}

static void put_text(const struct record_field *field, const void *member, FILE *out)
{
	(void)field;
	fputs(text_or_empty(*(char *const *)member), out);
}

static void put_bool(const struct record_field *field, const void *member, FILE *out)
{
	(void)field;
	fputs(*(const bool *)member ? "true" : "false", out);
}

static void put_truth(const struct record_field *field, const void *member, FILE *out)
{
	static const char *const words[] = {
		[TRUTH_UNKNOWN] = "", [TRUTH_NO] = "false", [TRUTH_YES] = "true"};

	(void)field;
	fputs(words[*(const enum record_truth *)member], out);
}

static void put_integer(const struct record_field *field, const void *member, FILE *out)
{
	int64_t value = *(const int64_t *)member;

	if (field->kind != FIELD_COUNT || value >= 0)
		fprintf(out, "%" PRId64, value);
}

static void put_real(const struct record_field *field, const void *member, FILE *out)
{
	(void)field;
	put_number(*(const double *)member, out);
}

static void put_word(const struct record_field *field, const void *member, FILE *out)
{
	fputs(word_text(field->words, *(const int *)member), out);
}

static void put_words(const struct record_field *field, const void *member, FILE *out)
{
	unsigned bits = *(const unsigned *)member;
	const char *separator = "";

	for (size_t i = 0; field->words[i]; i++) {
		if (!(bits >> i & 1))
			continue;
		fprintf(out, "%s%s", separator, field->words[i]);
		separator = " ";
	}
}

static void put_texts(const struct record_field *field, const void *member, FILE *out)
{
	const struct text_list *list = member;

	(void)field;
	for (size_t i = 0; i < list->count; i++)
		fprintf(out, "%s%s", i ? " " : "", list->items[i]);
}

static void put_numbers(const struct record_field *field, const void *member, FILE *out)
{
	const struct number_list *list = member;

	(void)field;
	for (size_t i = 0; i < list->count; i++) {
		fputs(i ? " " : "", out);
		put_number(list->items[i], out);
	}
}

static void put_named(const struct record_field *field, const void *member, FILE *out)
{
	const struct named_list *list = member;

	(void)field;
	for (size_t i = 0; i < list->count; i++)
		fprintf(out, "%s%s=%" PRId64, i ? " " : "", list->items[i].name,
			list->items[i].value);
}

static void put_triple(const struct record_field *field, const void *member, FILE *out)
{
	const int64_t *values = member;

	(void)field;
	fprintf(out, "%" PRId64 " %" PRId64 " %" PRId64, values[0], values[1], values[2]);
}

static void put_interval(const struct record_field *field, const void *member, FILE *out)
{
	const double *ends = member;

	(void)field;
	put_number(ends[0], out);
	fputs(isfinite(ends[0]) ? " " : "", out);
	put_number(ends[1], out);
}

static void (*const putters[])(const struct record_field *field, const void *member, FILE *out) = {
	[FIELD_TEXT] = put_text,
	[FIELD_BOOL] = put_bool,
	[FIELD_TRUTH] = put_truth,
	[FIELD_INTEGER] = put_integer,
	[FIELD_COUNT] = put_integer,
	[FIELD_NUMBER] = put_real,
	[FIELD_WORD] = put_word,
	[FIELD_WORDS] = put_words,
	[FIELD_TEXTS] = put_texts,
	[FIELD_NUMBERS] = put_numbers,
	[FIELD_NAMED] = put_named,
	[FIELD_TRIPLE] = put_triple,
	[FIELD_INTERVAL] = put_interval,
};

void record_put_value(
	const struct record_type *type, const void *record, const char *name, FILE *out)
{
	const struct record_field *field = &type->fields[record_field_index(type, name)];

	putters[field->kind](field, (const char *)record + field->offset, out);
}
