#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/contribute/internal.h"

#define MAX_PROBLEMS 50

static void put_row(const struct result_row *row, FILE *out)
{
	fprintf(out, "%s/%s (%s", text_or_empty(row->family), text_or_empty(row->variant),
		text_or_empty(row->backend));
	for (size_t i = 0; i < row->problem.count; i++)
		fprintf(out, "%s%s=%lld", i ? " " : ", ", row->problem.items[i].name,
			(long long)row->problem.items[i].value);
	fputs("): ", out);
}

/* If an earlier line of another row has the text, counts the row there and returns true. */
static bool joins_line(struct contribution_checker *checker, const char *text)
{
	for (size_t i = 0; checker->row && i < checker->findings->problems.count; i++) {
		struct contribution_problem *problem = &checker->problems[i];
		if (!problem->last_row || strcmp(problem->text, text) != 0)
			continue;
		problem->more_rows += problem->last_row != checker->row;
		problem->last_row = checker->row;
		return true;
	}
	return false;
}

static bool add_line(struct contribution_checker *checker, const char *text)
{
	struct text_list *problems = &checker->findings->problems;
	char *line = NULL, *copy = strdup(text);
	size_t size;
	FILE *out = copy ? open_memstream(&line, &size) : NULL;

	if (out) {
		if (checker->row)
			put_row(checker->row, out);
		fputs(text, out);
		fclose(out);
	}
	bool added = line && text_list_add(problems, line);
	free(line);
	if (!added) {
		free(copy);
		return false;
	}
	checker->problems[problems->count - 1] =
		(struct contribution_problem){copy, checker->row, 0};
	return true;
}

const char *figure_text(double value, int digits, char text[FIGURE_TEXT_BYTES])
{
	if (isnan(value))
		snprintf(text, FIGURE_TEXT_BYTES, "null");
	else
		snprintf(text, FIGURE_TEXT_BYTES, "%.*g", digits, value);
	return text;
}

void add_problem(struct contribution_checker *checker, const char *format, ...)
{
	struct contribution_findings *findings = checker->findings;
	char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	int length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (!checker->problems)
		checker->problems = calloc(MAX_PROBLEMS, sizeof *checker->problems);
	if (length < 0 || !checker->problems) {
		checker->no_memory = true;
		text = NULL;
	} else if (!joins_line(checker, text)) {
		if (findings->problems.count == MAX_PROBLEMS)
			findings->more++;
		else
			checker->no_memory |= !add_line(checker, text);
	}
	free(text);
}

void problems_finish(struct contribution_checker *checker)
{
	struct text_list *problems = &checker->findings->problems;

	for (size_t i = 0; checker->problems && i < problems->count; i++) {
		const struct contribution_problem *problem = &checker->problems[i];
		if (problem->more_rows)
			text_format(&problems->items[i], "%s (and %zu more row%s)",
				problems->items[i], problem->more_rows,
				problem->more_rows == 1 ? "" : "s");
		checker->no_memory |= !problems->items[i];
		free(problem->text);
	}
	free(checker->problems);
	checker->problems = NULL;
}
