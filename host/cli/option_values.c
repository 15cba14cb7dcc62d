#include "host/cli/option_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"

#define FIELD(type, row, options) (*(type *)((char *)(options) + (row)->offset))

enum pmpp_status option_set_flag(const struct option_row *row, const char *text,
	struct cli_options *options, struct pmpp_error *error)
{
	(void)text;
	(void)error;
	FIELD(bool, row, options) = true;
	return PMPP_OK;
}

enum pmpp_status option_set_text(const struct option_row *row, const char *text,
	struct cli_options *options, struct pmpp_error *error)
{
	if (!*text)
		return PMPP_FAIL(error, PMPP_USAGE, "--%s is empty: give a value", row->name);
	FIELD(const char *, row, options) = text;
	return PMPP_OK;
}

enum pmpp_status option_set_output(const struct option_row *row, const char *text,
	struct cli_options *options, struct pmpp_error *error)
{
	/* Renaming over /dev/stdout would replace the target of the redirection. */
	if (!text || strcmp(text, "/dev/stdout") == 0)
		text = "-";
	return option_set_text(row, text, options, error);
}

enum pmpp_status option_set_choice(const struct option_row *row, const char *text,
	struct cli_options *options, struct pmpp_error *error)
{
	char near[96];
	char all[96] = "";
	size_t count = 0;
	size_t used = 0;

	for (; row->choices[count]; count++) {
		if (strcmp(row->choices[count], text) == 0) {
			FIELD(int, row, options) = (int)count;
			return PMPP_OK;
		}
		used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", count ? ", " : "",
			row->choices[count]);
	}
	nearest_names(text, row->choices, count, near, sizeof near);
	return PMPP_FAIL(error, PMPP_USAGE, "--%s=%s: give one of %s%s%s%s", row->name, text, all,
		*near ? " (did you mean " : "", near, *near ? "?)" : "");
}

enum pmpp_status option_set_double(const struct option_row *row, const char *text,
	struct cli_options *options, struct pmpp_error *error)
{
	char *end;
	double value = strtod(text, &end);

	/* This condition also rejects NaN. */
	if (end == text || *end || !(value >= row->min && value <= row->max))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--%s=%s: give a number from %.10g to %.10g%s%s", row->name, text, row->min,
			row->max, row->unit ? " " : "", row->unit ? row->unit : "");
	FIELD(double, row, options) = value;
	return PMPP_OK;
}

static bool parse_unsigned(const char *text, uint64_t *ret_value)
{
	char *end;

	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno)
		return false;
	*ret_value = value;
	return true;
}

enum pmpp_status option_set_count(const struct option_row *row, const char *text,
	struct cli_options *options, struct pmpp_error *error)
{
	uint64_t value;

	if (!parse_unsigned(text, &value) || (double)value < row->min || (double)value > row->max)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--%s=%s: give a whole number from %.10g to %.10g", row->name, text,
			row->min, row->max);
	FIELD(size_t, row, options) = (size_t)value;
	return PMPP_OK;
}

/* Result files store seeds as JSON integers, which have 63 bits here. */
enum pmpp_status option_set_seed(const struct option_row *row, const char *text,
	struct cli_options *options, struct pmpp_error *error)
{
	uint64_t value;

	if (!parse_unsigned(text, &value) || value > INT64_MAX)
		return PMPP_FAIL(error, PMPP_USAGE, "--%s=%s: give a whole number from 0 to 2^63-1",
			row->name, text);
	options->job.seed = value;
	return PMPP_OK;
}

enum pmpp_status option_set_size(const struct option_row *row, const char *text,
	struct cli_options *options, struct pmpp_error *error)
{
	(void)row;
	return sizes_parse(text, &options->job.sizes, error);
}

enum pmpp_status option_set_tunable(const struct option_row *row, const char *text,
	struct cli_options *options, struct pmpp_error *error)
{
	(void)row;
	return tunables_parse(text, &options->job.tunables, error);
}

enum pmpp_status option_set_file(const struct option_row *row, const char *text,
	struct cli_options *options, struct pmpp_error *error)
{
	struct operand_file_list *list = &FIELD(struct operand_file_list, row, options);
	size_t length = strcspn(text, "=");

	if (length == 0 || text[length] != '=' || !text[length + 1] ||
		length >= sizeof list->items[0].name)
		return PMPP_FAIL(error, PMPP_USAGE, "--%s=%s: give NAME=FILE.npy", row->name, text);
	for (size_t i = 0; i < list->count; i++)
		if (strlen(list->items[i].name) == length &&
			strncmp(list->items[i].name, text, length) == 0)
			return PMPP_FAIL(error, PMPP_USAGE, "--%s: %s is given twice", row->name,
				list->items[i].name);
	if (list->count == PMPP_MAX_OPERANDS)
		return PMPP_FAIL(error, PMPP_USAGE, "--%s: more than %d files", row->name,
			PMPP_MAX_OPERANDS);
	struct operand_file *file = &list->items[list->count++];
	memcpy(file->name, text, length);
	file->path = text + length + 1;
	return PMPP_OK;
}

enum pmpp_status option_set_shard(const struct option_row *row, const char *text,
	struct cli_options *options, struct pmpp_error *error)
{
	char index[8];
	uint64_t i = 0;
	uint64_t n = 0;
	size_t length = strcspn(text, "/");

	if (length > 0 && length < sizeof index && text[length] == '/') {
		memcpy(index, text, length);
		index[length] = '\0';
		if (parse_unsigned(index, &i) && parse_unsigned(text + length + 1, &n) && i >= 1 &&
			i <= n && n <= 1000) {
			options->job.shard_index = i;
			options->job.shard_count = n;
			return PMPP_OK;
		}
	}
	return PMPP_FAIL(
		error, PMPP_USAGE, "--%s=%s: give I/N with 1 <= I <= N <= 1000", row->name, text);
}

enum pmpp_status option_set_block(const struct option_row *row, const char *text,
	struct cli_options *options, struct pmpp_error *error)
{
	int64_t *block = &FIELD(int64_t, row, options);
	char first[8];
	uint64_t x = 0;
	uint64_t y = 0;
	size_t length = strcspn(text, "x");

	if (length < sizeof first) {
		memcpy(first, text, length);
		first[length] = '\0';
		bool pair = text[length] == 'x';
		bool good = parse_unsigned(first, &x) && x >= 1 && (double)x <= row->max;
		if (pair)
			good = good && parse_unsigned(text + length + 1, &y) && y >= 1 &&
			       (double)y <= row->max;
		if (good) {
			block[0] = (int64_t)x;
			block[1] = (int64_t)y;
			return PMPP_OK;
		}
	}
	return PMPP_FAIL(error, PMPP_USAGE, "--%s=%s: give N or NxN, with N from 1 to %.10g",
		row->name, text, row->max);
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void sort_blocks(struct block_choice *blocks)
{
	size_t kept = 0;

	qsort(blocks->numbers, blocks->count, sizeof *blocks->numbers, compare_numbers);
	for (size_t i = 0; i < blocks->count; i++)
		if (kept == 0 || blocks->numbers[kept - 1] != blocks->numbers[i])
			blocks->numbers[kept++] = blocks->numbers[i];
	blocks->count = kept;
}

enum pmpp_status option_set_blocks(const struct option_row *row, const char *text,
	struct cli_options *options, struct pmpp_error *error)
{
	struct block_choice blocks = {.which = TRACE_BLOCKS_LISTED};
	char number[24];

	if (strcmp(text, "all") == 0) {
		options->job.blocks = (struct block_choice){.which = TRACE_BLOCKS_ALL};
		return PMPP_OK;
	}
	for (const char *next = text;; next++) {
		size_t length = strcspn(next, ",");
		if (blocks.count == JOB_MAX_BLOCKS)
			return PMPP_FAIL(error, PMPP_USAGE, "--%s: more than %d blocks: give `all`",
				row->name, JOB_MAX_BLOCKS);
		snprintf(number, sizeof number, "%.*s", (int)length, next);
		if (length >= sizeof number ||
			!parse_unsigned(number, &blocks.numbers[blocks.count++]))
			return PMPP_FAIL(error, PMPP_USAGE,
				"--%s=%s: give `all`, or numbers of blocks from 0: N,N,...",
				row->name, text);
		next += length;
		if (!*next)
			break;
	}
	sort_blocks(&blocks);
	options->job.blocks = blocks;
	return PMPP_OK;
}
