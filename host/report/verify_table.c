#include "host/report/verify_table.h"

#include "host/report/format.h"

#include <inttypes.h>
#include <math.h>

void verify_line_begin(struct verify_line *line)
{
	verify_line_finish(line);
	*line = (struct verify_line){.sizes_ok = 0};
}

void verify_line_finish(struct verify_line *line)
{
	if (line->worst.record.present)
		record_finish(&result_row_type, &line->worst);
	line->worst.record.present = false;
}

/* The result is wrong, or it is missing although the variant ran. */
static bool is_trouble(const struct result_row *row)
{
	enum outcome_class class = row->status >= 0
					   ? outcome_class_of((enum outcome_status)row->status)
					   : OUTCOME_CLASS_UNVERIFIED;

	return class == OUTCOME_CLASS_FAILED || class == OUTCOME_CLASS_BROKEN;
}

static bool is_skipped(const struct result_row *row)
{
	return row->status >= 0 &&
	       outcome_class_of((enum outcome_status)row->status) == OUTCOME_CLASS_SKIPPED;
}

void verify_line_add(struct verify_line *line, const struct result_row *row)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	bool first = !line->worst.record.present;

	line->sizes_seen++;
	if (row->status == OUTCOME_OK) {
		line->sizes_ok++;
		line->worst_ratio = fmax(line->worst_ratio, row->verify.max_ratio);
		return;
	}
	if (!first && (is_skipped(row) || is_trouble(&line->worst)))
		return;
	verify_line_finish(line);
	/* Without memory the line names no row. */
	line->worst.record.present =
		record_copy(&result_row_type, row, &line->worst, &ignored) == PMPP_OK;
	pmpp_error_clear(&ignored);
}

/* "m=37 n=41 k=43" from the row's dimensions. */
static void put_problem(FILE *out, const struct result_row *row)
{
	for (size_t i = 0; i < row->problem.count; i++)
		fprintf(out, " %s=%" PRId64, row->problem.items[i].name,
			row->problem.items[i].value);
	fprintf(out, " %s %s %s", text_or_empty(row->dtype), text_or_empty(row->op),
		text_or_empty(row->data));
}

static void put_worst(FILE *out, const struct result_row *worst, bool colour)
{
	char words[32];

	format_status(worst->status, words, sizeof words);
	fprintf(out, "  %s%s", style_code(colour, status_style(worst->status)), words);
	if (is_trouble(worst))
		put_problem(out, worst);
	fprintf(out, ": %s%s", text_or_empty(worst->reason), style_code(colour, STYLE_PLAIN));
}

void verify_line_put(
	const struct verify_line *line, const struct group_record *group, FILE *out, bool colour)
{
	bool bad = line->worst.record.present;
	char name[160];

	if (line->sizes_ok == 0 && (!bad || result_row_is_too_large(&line->worst)))
		return;
	put_padded(out, group->device, 12);
	snprintf(name, sizeof name, "%s/%s", group->family,
		group->rows.count ? group->rows.items[0].label : "");
	fputs("  ", out);
	put_padded(out, name, 30);
	if (!bad)
		fprintf(out, "  %zu size%s ok %.2f", line->sizes_ok, line->sizes_ok == 1 ? "" : "s",
			line->worst_ratio);
	else if (line->sizes_ok)
		fprintf(out, "  %zu of %zu sizes ok %.2f", line->sizes_ok, line->sizes_seen,
			line->worst_ratio);
	if (bad)
		put_worst(out, &line->worst, colour);
	fputc('\n', out);
	fflush(out);
}
