#include "common/line_diff.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct text_lines {
	struct diff_line *items; /* owned */
	size_t count;
};

static size_t count_lines(const char *text)
{
	size_t count = 0;

	for (; *text; count++) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return count;
}

static enum pmpp_status split(const char *text, enum diff_side side, struct text_lines *ret_lines,
	struct pmpp_error *error)
{
	size_t count = count_lines(text);
	struct diff_line *items;

	if (count > LINE_DIFF_MAX_LINES)
		return PMPP_FAIL(error, PMPP_USAGE,
			"a text of %zu lines is too long to compare: at most %d lines", count,
			LINE_DIFF_MAX_LINES);
	items = calloc(count + 1, sizeof *items);
	if (!items)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for %zu lines", count);
	for (size_t i = 0; i < count; i++) {
		size_t length = strcspn(text, "\n");

		items[i] = (struct diff_line){side, text, (int)length};
		text += length + (text[length] == '\n');
	}
	*ret_lines = (struct text_lines){items, count};
	return PMPP_OK;
}

static bool equal(const struct diff_line *a, const struct diff_line *b)
{
	return a->length == b->length && memcmp(a->text, b->text, (size_t)a->length) == 0;
}

/* common[i * width + j]: length of the longest common subsequence of the lines from line i of the
 * first text and from line j of the second text. The table is filled from the end, so that merge()
 * can write the lines in ascending order. */
static void fill_table(
	const struct text_lines *first, const struct text_lines *second, uint16_t *common)
{
	size_t width = second->count + 1;

	for (size_t i = first->count; i-- > 0;)
		for (size_t j = second->count; j-- > 0;) {
			uint16_t below = common[(i + 1) * width + j];
			uint16_t right = common[i * width + j + 1];

			common[i * width + j] =
				equal(&first->items[i], &second->items[j])
					? (uint16_t)(common[(i + 1) * width + j + 1] + 1)
					: (below > right ? below : right);
		}
}

/* `lines` has room for all lines of both texts. Returns the number of lines written. */
static size_t merge(const struct text_lines *first, const struct text_lines *second,
	const uint16_t *common, struct diff_line *lines)
{
	size_t width = second->count + 1;
	size_t i = 0, j = 0, count = 0;

	while (i < first->count || j < second->count) {
		bool both = i < first->count && j < second->count;

		if (both && equal(&first->items[i], &second->items[j])) {
			lines[count] = first->items[i++];
			lines[count++].side = DIFF_BOTH;
			j++;
		} else if (j == second->count ||
			   (both && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
			lines[count++] = first->items[i++];
		} else {
			lines[count++] = second->items[j++];
		}
	}
	return count;
}

enum pmpp_status line_diff_make(
	const char *first, const char *second, struct line_diff *ret_diff, struct pmpp_error *error)
{
	struct text_lines a = {0}, b = {0};
	struct diff_line *lines = NULL;
	uint16_t *common = NULL;
	enum pmpp_status status = split(first, DIFF_FIRST, &a, error);

	if (status == PMPP_OK)
		status = split(second, DIFF_SECOND, &b, error);
	if (status != PMPP_OK)
		goto out;
	common = calloc((a.count + 1) * (b.count + 1), sizeof *common);
	lines = calloc(a.count + b.count + 1, sizeof *lines);
	if (!common || !lines) {
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY,
			"no memory to compare %zu lines with %zu", a.count, b.count);
		goto out;
	}
	fill_table(&a, &b, common);
	*ret_diff = (struct line_diff){.lines = lines,
		.count = merge(&a, &b, common, lines),
		.first_count = a.count,
		.second_count = b.count};
	lines = NULL;

out:
	free(lines);
	free(common);
	free(a.items);
	free(b.items);
	return status;
}

void line_diff_finish(struct line_diff *diff)
{
	free(diff->lines);
	*diff = (struct line_diff){0};
}
