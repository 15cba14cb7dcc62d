#include "host/gpu/kernel_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A word, or one other character. Points into the source. */
struct token {
	const char *text;
	size_t length; /* 0: the end of the source */
};

/* Returns the end of the comment or the literal at text; text itself if there is none. */
static const char *skip_other(const char *text)
{
	if (strncmp(text, "//", 2) == 0)
		return text + strcspn(text, "\n");
	if (strncmp(text, "/*", 2) == 0) {
		const char *end = strstr(text + 2, "*/");
		return end ? end + 2 : text + strlen(text);
	}
	if (*text != '"' && *text != '\'')
		return text;
	const char quote = *text++;
	while (*text && *text != quote && *text != '\n')
		text += *text == '\\' && text[1] ? 2 : 1;
	return text + (*text == quote);
}

static bool is_of_word(char letter)
{
	return isalnum((unsigned char)letter) || letter == '_';
}

static struct token next_token(const char **source)
{
	const char *text = *source;

	for (const char *end = text;; text = end) {
		text += strspn(text, " \t\r\n\f\v\\");
		end = skip_other(text);
		if (end == text)
			break;
	}
	size_t length = *text != '\0';
	while (length && is_of_word(text[length - 1]) && is_of_word(text[length]))
		length++;
	*source = text + length;
	return (struct token){text, length};
}

static bool is(struct token token, const char *text)
{
	return token.length == strlen(text) && strncmp(token.text, text, token.length) == 0;
}

/* "__launch_bounds__", "__attribute__" */
static bool is_reserved(struct token token)
{
	return token.length > 2 && strncmp(token.text, "__", 2) == 0;
}

/* Moves *source from behind a "(" to behind its ")". */
static void skip_parentheses(const char **source)
{
	struct token token;

	for (int depth = 1; depth > 0 && (token = next_token(source)).length;)
		depth += is(token, "(") - is(token, ")");
}

bool kernel_names_have(const char *names, const char *name, size_t length)
{
	for (const char *text = names; *text;) {
		size_t found = strcspn(text, ",");
		if (found == length && strncmp(text, name, length) == 0)
			return true;
		text += found;
		text += strspn(text, ", ");
	}
	return false;
}

/* Finds the name behind the word __kernel: the last word before its parameters. length 0: none. */
static struct token read_name(const char **source)
{
	struct token name = {NULL, 0}, token;

	while ((token = next_token(source)).length) {
		if (is(token, ";") || is(token, "{") || is(token, "}") || is(token, "="))
			break;
		if (!is(token, "(")) {
			name = token;
			continue;
		}
		if (name.length && !is_reserved(name))
			return name;
		skip_parentheses(source);
	}
	return (struct token){NULL, 0};
}

void kernel_names_text(const char *source, char *ret_text, size_t size)
{
	struct token token;

	*ret_text = '\0';
	while ((token = next_token(&source)).length) {
		const char *next = source;
		/* CUDA allows `kernel` as the name of a variable. */
		bool begins = is(token, "__global__") || is(token, "__kernel");
		if (is(token, "kernel")) {
			struct token type = next_token(&next);
			begins = is(type, "void") || is_reserved(type);
		}
		if (!begins)
			continue;
		struct token name = read_name(&source);
		size_t used = strlen(ret_text);
		if (name.length && !kernel_names_have(ret_text, name.text, name.length))
			snprintf(ret_text + used, size - used, "%s%.*s", used ? ", " : "",
				(int)name.length, name.text);
	}
}
