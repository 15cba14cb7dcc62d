#include "host/report/tables.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct column {
	const char *title;
	const char *path; /* fields from the row down, separated by '/'; "@name" is the field that
			     the text in `name` names */
	bool number;
};

static const struct column result_columns[] = {
	{"family", "family", false},
	{"variant", "variant", false},
	{"technique", "technique", false},
	{"backend", "backend", false},
	{"device", "device", false},
	{"problem", "problem", false},
	{"macros", "macros", false},
	{"status", "status", false},
	{"max_ratio", "verify/max_ratio", true},
	{"median_ns", "timing/@primary/median", true},
	{"q1_ns", "timing/@primary/q1", true},
	{"q3_ns", "timing/@primary/q3", true},
	{"min_ns", "timing/@primary/min", true},
	{"samples", "timing/@primary/n", true},
	{"gflops", "derived/gflops", true},
	{"gbps", "derived/gbps", true},
	{"pct_roof", "derived/pct_roof", true},
	{"limited_by", "derived/limited_by", false},
	{"step", "derived/step", true},
	{"total", "derived/total", true},
	{"claim", "claim/text", false},
	{"claim_holds", "claim/holds", false},
	{"reason", "reason", false},
};

static const struct column parity_columns[] = {
	{"family", "family", false},
	{"variant", "variant", false},
	{"device", "device", false},
	{"backends", "backends", false},
	{"problem", "problem", false},
	{"macros", "macros", false},
	{"ratio", "ratio", true},
	{"ci95", "ci95", false},
	{"verdict", "verdict", false},
	{"bit_identical", "bit_identical", false},
};

/* One way to write a table. */
struct style {
	void (*header)(FILE *out, const struct column *columns, size_t count);
	void (*cell)(FILE *out, const char *text, bool first);
	const char *line_end;
};

/* ---- Cells --------------------------------------------------------------------------------- */

static const json_t *find(const json_t *row, const char *path)
{
	char field[32];

	while (row && *path) {
		size_t length = strcspn(path, "/");
		snprintf(field, sizeof field, "%.*s", (int)length, path);
		row = json_object_get(row,
			*field == '@' ? json_string_value(json_object_get(row, field + 1)) : field);
		path += length + (path[length] == '/');
	}
	return row;
}

static void put_value(FILE *out, const json_t *value)
{
	const char *name;
	json_t *member;
	size_t i;

	if (json_is_string(value))
		fputs(json_string_value(value), out);
	else if (json_is_integer(value))
		fprintf(out, "%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		fprintf(out, "%.9g", json_real_value(value));
	else if (json_is_boolean(value))
		fputs(json_is_true(value) ? "true" : "false", out);
	else if (json_is_array(value))
		json_array_foreach(value, i, member)
		{
			fputs(i ? " " : "", out);
			put_value(out, member);
		}
	else if (json_is_object(value)) {
		const char *separator = "";
		json_object_foreach((json_t *)value, name, member)
		{
			fprintf(out, "%s%s=", separator, name);
			put_value(out, member);
			separator = " ";
		}
	}
}

static char *value_text(const json_t *value)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	put_value(out, value);
	fclose(out);
	return text;
}

/* ---- Styles -------------------------------------------------------------------------------- */

static void csv_cell(FILE *out, const char *text, bool first)
{
	if (!first)
		fputc(',', out);
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void csv_header(FILE *out, const struct column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		csv_cell(out, columns[i].title, i == 0);
	fputc('\n', out);
}

static void markdown_cell(FILE *out, const char *text, bool first)
{
	fputs(first ? "| " : " | ", out);
	for (; *text; text++) {
		if (*text == '|')
			fputc('\\', out);
		fputc(*text == '\n' ? ' ' : *text, out);
	}
}

static void markdown_header(FILE *out, const struct column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		markdown_cell(out, columns[i].title, i == 0);
	fputs(" |\n", out);
	for (size_t i = 0; i < count; i++)
		fputs(columns[i].number ? "|---:" : "|---", out);
	fputs("|\n", out);
}

static const struct style csv_style = {csv_header, csv_cell, "\n"};
static const struct style markdown_style = {markdown_header, markdown_cell, " |\n"};

/* ---- Tables -------------------------------------------------------------------------------- */

static char *table_text(const json_t *document, const struct style *style)
{
	const json_t *parity = json_object_get(document, "parity");
	bool by_parity = json_array_size(parity) > 0;
	const json_t *rows = by_parity ? parity : json_object_get(document, "results");
	const struct column *columns = by_parity ? parity_columns : result_columns;
	size_t count = by_parity ? sizeof parity_columns / sizeof *parity_columns
				 : sizeof result_columns / sizeof *result_columns;
	char *text = NULL;
	size_t size, i;
	json_t *row;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	style->header(out, columns, count);
	json_array_foreach(rows, i, row)
	{
		for (size_t c = 0; c < count; c++) {
			char *cell = value_text(find(row, columns[c].path));
			style->cell(out, cell ? cell : "", c == 0);
			free(cell);
		}
		fputs(style->line_end, out);
	}
	fclose(out);
	return text;
}

char *table_csv(const json_t *document)
{
	return table_text(document, &csv_style);
}

char *table_markdown(const json_t *document)
{
	return table_text(document, &markdown_style);
}
