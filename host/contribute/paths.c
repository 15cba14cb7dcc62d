#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/contribute/internal.h"
#include "host/record/record.h"

/* Bytes above 127 are parts of UTF-8 letters. */
static bool is_letter(char byte)
{
	return isalnum((unsigned char)byte) || (unsigned char)byte >= 0x80 ||
	       (byte && strchr("._+-@~", byte));
}

static size_t name_length(const char *text)
{
	size_t length = 0;

	while (is_letter(text[length]))
		length++;
	return length;
}

static char before(const char *text, size_t at)
{
	return at ? text[at - 1] : ' ';
}

/* Returns whether the character before is part of a word. */
static bool is_inside(const char *text, size_t at)
{
	char byte = before(text, at);

	return isalnum((unsigned char)byte) || (unsigned char)byte >= 0x80 ||
	       strchr("./_%\\", byte) != NULL;
}

static bool ends_with(const char *text, size_t at, const char *end)
{
	size_t length = strlen(end);

	return at >= length && strncmp(text + at - length, end, length) == 0;
}

/* Returns whether the word before is an option: the "-I" of "-I/usr/include". */
static bool is_after_option(const char *text, size_t at)
{
	while (at && isalpha((unsigned char)text[at - 1]))
		at--;
	return at && text[at - 1] == '-' && (at == 1 || strchr(" \t\n'\"=,", text[at - 2]));
}

/* ---- Forms ----------------------------------------------------------------------------------- */

/* A folder with users' files, after any character. */
static bool begins_folder(const char *text, size_t at)
{
	static const char *const folders[] = {"/home/", "/root/", "/Users/", "/tmp/"};

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (strncmp(text + at, folders[i], strlen(folders[i])) == 0)
			return true;
	return false;
}

/* "/NAME/", or "//NAME/" that is not part of an address. */
static bool begins_absolute(const char *text, size_t at)
{
	bool begins = text[at] == '/' && (ends_with(text, at, "file://") || !is_inside(text, at) ||
						 is_after_option(text, at));

	/* The scans come last: otherwise each byte of a long name would start a scan of the
	 * name. */
	if (!begins)
		return false;
	size_t slashes = strspn(text + at, "/");
	size_t length = name_length(text + at + slashes);
	if (!length || text[at + slashes + length] != '/')
		return false;
	return ends_with(text, at, "file://") || !(slashes > 1 && before(text, at) == ':');
}

/* "../NAME" or "~/NAME". */
static bool begins_relative(const char *text, size_t at)
{
	size_t length = strncmp(text + at, "../", 3) == 0  ? 3
			: strncmp(text + at, "~/", 2) == 0 ? 2
							   : 0;

	return length && !(is_inside(text, at) && !is_after_option(text, at)) &&
	       is_letter(text[at + length]);
}

/* "C:\NAME", "C:/NAME", or "\\NAME\". */
static bool begins_windows(const char *text, size_t at)
{
	if (strncmp(text + at, "\\\\", 2) == 0) {
		size_t length = name_length(text + at + 2);
		return !is_inside(text, at) && length && text[at + 2 + length] == '\\';
	}
	return isalpha((unsigned char)text[at]) && text[at + 1] == ':' && text[at + 2] &&
	       strchr("\\/", text[at + 2]) && is_letter(text[at + 3]) && !is_inside(text, at);
}

static bool begins_path(const char *text, size_t at)
{
	static bool (*const forms[])(const char *text, size_t at) = {
		begins_folder, begins_absolute, begins_relative, begins_windows};

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (forms[i](text, at))
			return true;
	return false;
}

/* ---- Ends ------------------------------------------------------------------------------------ */

/* Names of folders can contain blanks. The text after a blank is therefore part of the path, up to
 * a quote or the end of the line, unless it begins with an option. */
static size_t path_length(const char *path)
{
	size_t length = isalpha((unsigned char)*path) ? 2 : 0;

	while (is_letter(path[length]) || (path[length] && strchr("/\\", path[length])))
		length++;
	if (path[length] != ' ' || !path[length + 1])
		return length;
	if (path[length + 1] == '-' && isalpha((unsigned char)path[length + 2]))
		return length;
	return length + strcspn(path + length, "'\"`\n");
}

/* ---- Public ---------------------------------------------------------------------------------- */

bool has_path(const char *text)
{
	for (size_t i = 0; text[i]; i++)
		if (begins_path(text, i))
			return true;
	return false;
}

void hide_paths(char **text)
{
	char *hidden = NULL;
	size_t size;

	if (!*text || !has_path(*text))
		return;
	FILE *out = open_memstream(&hidden, &size);
	for (size_t i = 0; out && (*text)[i];) {
		if (!begins_path(*text, i)) {
			fputc((*text)[i++], out);
			continue;
		}
		fputs("PATH", out);
		i += path_length(*text + i);
	}
	if (out)
		fclose(out);
	/* If there is no memory, the text becomes NULL, and the file is not written. */
	text_set(text, hidden);
	free(hidden);
}
