#include "host/report/markdown.h"

#include "host/report/flag_marks.h"

void markdown_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			fputc('\\', out);
		fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
	}
}

void markdown_titles(FILE *out, const struct markdown_column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%s", i ? " | " : "| ", columns[i].title);
	fputs(" |\n", out);
	for (size_t i = 0; i < count; i++)
		fputs(columns[i].number ? "|---:" : "|---", out);
	fputs("|\n", out);
}

void markdown_row(FILE *out, const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		fputs(i ? " | " : "| ", out);
		markdown_text(out, texts[i] ? texts[i] : "");
	}
	fputs(" |\n", out);
}

void markdown_legend(FILE *out, unsigned flags)
{
	const char *separator = "\nFlags: ";

	for (unsigned i = 0; i < FLAG_MARK_COUNT; i++) {
		if (!(flags >> i & 1))
			continue;
		fprintf(out, "%s`%s` %s (%s)", separator, flag_marks[i].mark, flag_marks[i].name,
			flag_marks[i].meaning);
		separator = "; ";
	}
	if (*separator == ';')
		fputs(".\n", out);
}
