/* Comments of a file with a kernel, which supply what the code does not contain: "//pmpp: block = 16x16". */
#include "common/own/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "common/words.h"

#define COMMENT_KEY "pmpp:"

/* ---- Reading ----------------------------------------------------------------------------------- */

/* A line "//pmpp: KEY = VALUE". */
struct comment {
	char key[OWN_NAME_BYTES], value[OWN_TEXT_BYTES];
	struct span text; /* after the colon, to the end of the line */
};

/* Reads the next comment from *at on. Returns false if there is no more. */
static bool next_comment(const char **at, struct comment *ret_comment)
{
	const char *found = *at;

	while ((found = strstr(found, COMMENT_KEY))) {
		const char *slashes = found;
		while (slashes > *at && strchr(" \t", slashes[-1]))
			slashes--;
		const char *text = found + strlen(COMMENT_KEY);
		const char *end = text + strcspn(text, "\r\n");
		const char *equals = memchr(text, '=', (size_t)(end - text));
		found = text;
		if (slashes - *at < 2 || memcmp(slashes - 2, "//", 2) != 0)
			continue;
		*at = end;
		ret_comment->text = (struct span){text, end};
		span_copy((struct span){text, equals ? equals : end}, ret_comment->key,
			sizeof ret_comment->key);
		span_copy((struct span){equals ? equals + 1 : end, end}, ret_comment->value,
			sizeof ret_comment->value);
		return true;
	}
	return false;
}

/* ---- Lines of launches: "//pmpp: launch = KERNEL grid = ... block = ..." ----------------------------- */

bool own_find_launch(const char *text, size_t index, struct span *ret_launch)
{
	static const char mark[] = "//pmpp:", key[] = "launch";
	size_t length;

	for (const char *at = strstr(text, mark); at; at = strstr(at + 1, mark)) {
		const char *end = at + strcspn(at, "\r\n");
		const char *word = next_word(at + strlen(mark), end, &length);
		const char *equals = word + length + strspn(word + length, " \t");
		if (!same_word(word, length, key) || *equals != '=' || index-- > 0)
			continue;
		*ret_launch = span_trim((struct span){equals + 1, end});
		return true;
	}
	return false;
}

/* Whether the word is a key: = follows, and not ==. */
static bool is_key(const char *word, size_t length, const char *end, const char **ret_value)
{
	const char *after = word + length;

	while (after < end && strchr(" \t", *after))
		after++;
	*ret_value = after + 1;
	return length > 0 && after + 1 < end && after[0] == '=' && after[1] != '=';
}

/* The value of a key in the line of the launch. Returns false if there is none. */
static bool launch_value(
	const struct own_reader *reader, const char *key, char ret_value[OWN_TEXT_BYTES])
{
	const char *end = reader->launch.end, *value = NULL, *after;
	size_t length, next_length;

	if (!reader->launch.begin)
		return false;
	const char *first = next_word(reader->launch.begin, end, &length);
	if (strcmp(key, "kernel") == 0) {
		span_copy((struct span){first, first + length}, ret_value, OWN_TEXT_BYTES);
		return true;
	}
	for (const char *at = next_word(first + length, end, &next_length); next_length > 0;
		at = next_word(at + next_length, end, &next_length)) {
		if (!is_key(at, next_length, end, &after))
			continue;
		if (value)
			end = at;
		else if (same_word(at, next_length, key))
			value = after;
	}
	if (value)
		span_copy((struct span){value, end}, ret_value, OWN_TEXT_BYTES);
	return value != NULL;
}

enum pmpp_status own_check_launch(
	const struct own_reader *reader, const struct own_kernel *kernel, size_t index)
{
	static const char *const keys[] = {"block", "grid", "shared"};
	const char *after;
	struct span launch;
	size_t length;

	if (!own_find_launch(kernel->text, index, &launch))
		return PMPP_OK;
	for (const char *at = next_word(launch.begin, launch.end, &length); length > 0;
		at = next_word(at + length, launch.end, &length)) {
		bool known = !is_key(at, length, launch.end, &after);
		for (size_t i = 0; i < COUNT(keys); i++)
			known |= same_word(at, length, keys[i]);
		for (size_t i = 0; i < kernel->param_count; i++)
			known |= same_word(at, length, kernel->params[i].name);
		if (!known)
			return OWN_REFUSE(reader,
				"the launch of %s: '%.*s' is not a parameter of the kernel, block, grid or "
				"shared",
				kernel->entry, (int)length, at);
	}
	return PMPP_OK;
}

/* ---- Values ------------------------------------------------------------------------------------- */

bool own_comment(const struct own_reader *reader, const char *key, char ret_value[OWN_TEXT_BYTES])
{
	const char *at = reader->kernel->text;
	struct comment comment;

	if (launch_value(reader, key, ret_value))
		return true;
	while (next_comment(&at, &comment))
		if (strcmp(comment.key, key) == 0) {
			memcpy(ret_value, comment.value, sizeof comment.value);
			return true;
		}
	return false;
}

void own_wish(const struct own_reader *reader, const char *option, const char *key,
	char ret_value[OWN_TEXT_BYTES])
{
	if (option)
		snprintf(ret_value, OWN_TEXT_BYTES, "%s", option);
	else if (!own_comment(reader, key, ret_value))
		*ret_value = '\0';
}

enum pmpp_status own_check_comments(const struct own_reader *reader)
{
	static const char *const keys[] = {"problem", "kernel", "instance", "define", "block",
		"grid", "shared", "clear", "op", "launch", "scratch", "require"};
	const char *at = reader->kernel->text;
	struct comment comment;

	while (next_comment(&at, &comment)) {
		const char *key = comment.key, *value = comment.value;
		bool known = false;
		for (size_t i = 0; i < COUNT(keys); i++)
			known |= strcmp(key, keys[i]) == 0;
		for (size_t i = 0; i < reader->kernel->param_count; i++)
			known |= strcmp(key, reader->kernel->params[i].name) == 0;
		if ((size_t)(comment.text.end - comment.text.begin) >= OWN_TEXT_BYTES)
			return OWN_REFUSE(reader,
				"'//pmpp: %s': a comment has at most %d characters", key,
				OWN_TEXT_BYTES - 1);
		if (!known || !*value)
			return OWN_REFUSE(reader,
				"'//pmpp: %s%s%s': give problem, kernel, instance, define, block, grid, "
				"shared, clear, op, launch, scratch, require or a parameter of the kernel, and a value after '='",
				key, *value ? " = " : "", value);
	}
	return PMPP_OK;
}

/* ---- Writing ----------------------------------------------------------------------------------- */

/* Replaces the value of the first comment with the key, or adds a line at the beginning. *text: malloc'ed. Sets
 * *ret_changed if the text has changed. Returns false if there is no memory. */
static bool set_comment(const char *key, const char *value, char **text, bool *ret_changed)
{
	static const char mark[] = "\xef\xbb\xbf";
	const char *at = *text, *line = strchr(at, '\n');
	const char *newline = line && line > at && line[-1] == '\r' ? "\r\n" : "\n";
	struct comment comment = {.key = ""};
	const char *rest = *text + (strncmp(*text, mark, strlen(mark)) == 0 ? strlen(mark) : 0);
	char *changed = NULL;

	*ret_changed = true;
	while (next_comment(&at, &comment) && strcmp(comment.key, key) != 0)
		*comment.key = '\0';
	if (*comment.key && strcmp(comment.value, value) == 0)
		*ret_changed = false;
	else if (*comment.key &&
		 asprintf(&changed, "%.*s %s = %s%s", (int)(comment.text.begin - *text), *text, key,
			 value, comment.text.end) < 0)
		changed = NULL;
	else if (!*comment.key &&
		 asprintf(&changed, "%.*s//" COMMENT_KEY " %s = %s%s%s", (int)(rest - *text), *text,
			 key, value, newline, rest) < 0)
		changed = NULL;
	if (!*ret_changed)
		return true;
	free(*text);
	*text = changed;
	return changed != NULL;
}

bool own_comments_set(const struct own_kernel *kernel, const struct own_wishes *wishes, char **text,
	char *ret_changes, size_t size)
{
	char macros[OWN_TEXT_BYTES] = "";
	const struct {
		const char *key, *value;
	} rows[] = {{"shared", wishes->shared}, {"grid", wishes->grid}, {"block", wishes->block},
		{"op", wishes->op}, {"define", *wishes->macros ? macros : NULL},
		{"instance", wishes->instance}, {"kernel", wishes->kernel},
		{"problem", wishes->problem}};

	*ret_changes = '\0';
	for (size_t i = 0; i < kernel->macro_count; i++)
		text_append(macros, sizeof macros, "%s%s=%s", i ? ", " : "", kernel->macros[i].name,
			kernel->macros[i].value);
	/* The last row is the first line. */
	for (size_t i = 0; i < COUNT(rows); i++) {
		bool changed = false;
		if (rows[i].value && !set_comment(rows[i].key, rows[i].value, text, &changed))
			return false;
		if (changed)
			text_append(ret_changes, size, "%s//" COMMENT_KEY " %s = %s",
				*ret_changes ? "; " : "", rows[i].key, rows[i].value);
	}
	return true;
}
