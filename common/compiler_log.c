#include "common/compiler_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Kinds --------------------------------------------------------------------------------- */

/* The first row whose words occur in the text gives the kind. The words are those of gcc 12, clang
 * 14 and 15, and NVRTC 13.0. tests/unit/test_compiler_log.c has complete lines. */
static const struct {
	const char *words;
	enum warning_kind kind;
} kind_rows[] = {
	{"may be used uninitialized", WARNING_MAYBE_UNINITIALISED},      /* gcc */
	{"may be uninitialized when used", WARNING_MAYBE_UNINITIALISED}, /* clang */
	{"is used uninitialized whenever", WARNING_MAYBE_UNINITIALISED}, /* clang */
	{"is uninitialized when used", WARNING_UNINITIALISED},           /* clang */
	{"is used uninitialized", WARNING_UNINITIALISED},                /* gcc */
	{"is used before its value is set", WARNING_UNINITIALISED},      /* NVRTC #549-D */
};

static enum warning_kind kind_of(const char *text)
{
	for (size_t i = 0; i < sizeof kind_rows / sizeof *kind_rows; i++)
		if (strstr(text, kind_rows[i].words))
			return kind_rows[i].kind;
	return WARNING_OTHER;
}

/* The first word in quotation marks: "name", 'name', or 'name' with curly marks in UTF-8. */
static void name_in(const char *text, char *ret_name, size_t size)
{
	static const struct {
		const char *open, *close;
	} marks[] = {{"\"", "\""}, {"'", "'"}, {"\xe2\x80\x98", "\xe2\x80\x99"}};

	ret_name[0] = '\0';
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		const char *begin = strstr(text, marks[i].open);
		const char *end =
			begin ? strstr(begin + strlen(marks[i].open), marks[i].close) : NULL;
		if (!end)
			continue;
		begin += strlen(marks[i].open);
		snprintf(ret_name, size, "%.*s", (int)(end - begin), begin);
		return;
	}
}

/* ---- Places -------------------------------------------------------------------------------- */

/* Forms of a line with a warning, in the order of the attempts:
 *   FILE:LINE:COLUMN: warning: TEXT    gcc, clang, NVIDIA's OpenCL
 *   FILE(LINE): warning #549-D: TEXT   NVRTC
 *   warning: FILE:LINE:COLUMN: TEXT    PoCL
 *   warning: FILE:LINE:COLUMN <Spelling=FILE:LINE:COLUMN>: TEXT   PoCL, inside a macro */

/* Reads the number that ends at `end`. Returns its first digit, or NULL without a number. */
static const char *number_at_end(const char *begin, const char *end, long *ret_number)
{
	const char *digits = end;

	while (digits > begin && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	if (digits == end)
		return NULL;
	*ret_number = strtol(digits, NULL, 10);
	return digits;
}

/* FILE:LINE or FILE:LINE:COLUMN in [begin, end). */
static bool place_with_colons(const char *begin, const char *end, struct compiler_warning *warning)
{
	long last = 0, before = 0;
	const char *digits = number_at_end(begin, end, &last);

	if (!digits || digits == begin || digits[-1] != ':')
		return false;
	end = digits - 1;
	digits = number_at_end(begin, end, &before);
	if (digits && digits > begin && digits[-1] == ':') {
		last = before;
		end = digits - 1;
	}
	if (end == begin)
		return false;
	snprintf(warning->file, sizeof warning->file, "%.*s", (int)(end - begin), begin);
	warning->line = (int)last;
	return true;
}

/* FILE(LINE) in [begin, end). */
static bool place_with_brackets(
	const char *begin, const char *end, struct compiler_warning *warning)
{
	long line = 0;
	const char *digits =
		end > begin && end[-1] == ')' ? number_at_end(begin, end - 1, &line) : NULL;

	if (!digits || digits - begin < 2 || digits[-1] != '(')
		return false;
	snprintf(warning->file, sizeof warning->file, "%.*s", (int)(digits - 1 - begin), begin);
	warning->line = (int)line;
	return true;
}

static void set_text(const char *begin, const char *end, struct compiler_warning *warning)
{
	snprintf(warning->text, sizeof warning->text, "%.*s", (int)(end - begin), begin);
	warning->kind = kind_of(warning->text);
	warning->name[0] = '\0';
	if (warning->kind != WARNING_OTHER)
		name_in(warning->text, warning->name, sizeof warning->name);
}

/* Place first, then the word. */
static bool parse_place_first(const char *line, const char *end, struct compiler_warning *warning)
{
	static const char mark[] = ": warning";
	const char *found = memmem(line, (size_t)(end - line), mark, strlen(mark));

	if (!found || (!place_with_colons(line, found, warning) &&
			      !place_with_brackets(line, found, warning)))
		return false;
	const char *behind = found + strlen(mark);
	const char *text = memmem(behind, (size_t)(end - behind), ": ", 2);
	if (!text || (behind[0] != ':' && behind[0] != ' '))
		return false;
	set_text(text + 2, end, warning);
	return true;
}

/* The word first, then the place. */
static bool parse_word_first(const char *line, const char *end, struct compiler_warning *warning)
{
	static const char mark[] = "warning: ";
	static const char spelling[] = " <Spelling=";
	const char *place = line + strlen(mark);

	if ((size_t)(end - line) < strlen(mark) || memcmp(line, mark, strlen(mark)) != 0)
		return false;
	const char *text = memmem(place, (size_t)(end - place), ": ", 2);
	if (!text)
		return false;
	const char *macro = memmem(place, (size_t)(text - place), spelling, strlen(spelling));
	if (!place_with_colons(place, macro ? macro : text, warning))
		return false;
	set_text(text + 2, end, warning);
	return true;
}

bool compiler_log_next(const char **at, struct compiler_warning *ret_warning)
{
	const char *line = *at;

	while (*line) {
		const char *end = line + strcspn(line, "\r\n");
		const char *next = end + strspn(end, "\r\n");
		struct compiler_warning warning;

		if (parse_place_first(line, end, &warning) ||
			parse_word_first(line, end, &warning)) {
			*ret_warning = warning;
			*at = next;
			return true;
		}
		line = next;
	}
	*at = line;
	return false;
}
