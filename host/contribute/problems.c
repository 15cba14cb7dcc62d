#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/contribute/internal.h"

#define MOST_PROBLEMS 50

static void put_row(const struct result_row *row, FILE *out)
{
	fprintf(out, "%s/%s (%s", text_or_empty(row->family), text_or_empty(row->variant),
		text_or_empty(row->backend));
	for (size_t i = 0; i < row->problem.count; i++)
		fprintf(out, "%s%s=%lld", i ? " " : ", ", row->problem.items[i].name,
			(long long)row->problem.items[i].value);
	fputs("): ", out);
}

void add_problem(struct contribution_checker *checker, const char *format, ...)
{
	struct contribution_findings *findings = checker->findings;
	char *line = NULL;
	size_t size;
	va_list arguments;

	if (findings->problems.count == MOST_PROBLEMS) {
		findings->more++;
		return;
	}
	FILE *out = open_memstream(&line, &size);
	if (!out) {
		checker->no_memory = true;
		return;
	}
	if (checker->row)
		put_row(checker->row, out);
	va_start(arguments, format);
	vfprintf(out, format, arguments);
	va_end(arguments);
	fclose(out);
	checker->no_memory |= !line || !text_list_add(&findings->problems, line);
	free(line);
}
