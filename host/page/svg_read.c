#include "host/page/svg_read.h"

#include <math.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == ':' || c == '-' || c == '_';
}

static const char *skip_blanks(const char *text)
{
	while (is_blank(*text))
		text++;
	return text;
}

static struct svg_span read_name(const char **text)
{
	struct svg_span name = {*text, 0};

	while (is_name((*text)[name.length]))
		name.length++;
	*text += name.length;
	return name;
}

bool svg_span_is(struct svg_span span, const char *text)
{
	return strlen(text) == span.length && memcmp(span.start, text, span.length) == 0;
}

struct svg_span svg_value(const struct svg_tag *tag, const char *name)
{
	for (size_t i = 0; i < tag->attribute_count; i++)
		if (svg_span_is(tag->attributes[i].name, name))
			return tag->attributes[i].value;
	return (struct svg_span){"", 0};
}

/* name = "value" */
static bool read_attribute(const char **text, struct svg_attribute *ret_attribute)
{
	ret_attribute->name = read_name(text);
	*text = skip_blanks(*text);
	if (ret_attribute->name.length == 0 || **text != '=')
		return false;
	*text = skip_blanks(*text + 1);
	char quote = **text;
	if (quote != '"' && quote != '\'')
		return false;
	const char *start = *text + 1;
	const char *end = strchr(start, quote);
	if (!end)
		return false;
	ret_attribute->value = (struct svg_span){start, (size_t)(end - start)};
	*text = end + 1;
	return !memchr(start, '<', ret_attribute->value.length) &&
	       !memchr(start, '&', ret_attribute->value.length);
}

/* Reads a tag after its '<'. */
static bool read_inside(const char **text, struct svg_tag *tag)
{
	tag->closes = **text == '/';
	*text += tag->closes;
	struct svg_span name = read_name(text);
	if (name.length == 0 || name.length >= sizeof tag->name)
		return false;
	memcpy(tag->name, name.start, name.length);
	tag->name[name.length] = '\0';
	for (*text = skip_blanks(*text); is_name(**text); *text = skip_blanks(*text)) {
		if (tag->closes || tag->attribute_count == SVG_ATTRIBUTES ||
			!read_attribute(text, &tag->attributes[tag->attribute_count++]))
			return false;
	}
	tag->empty = **text == '/';
	*text += tag->empty;
	if (**text != '>' || (tag->empty && tag->closes))
		return false;
	(*text)++;
	return true;
}

/* Moves *text behind `end`. Returns false if `end` does not occur. */
static bool skip_to(const char **text, const char *end)
{
	const char *found = strstr(*text, end);

	if (!found)
		return false;
	*text = found + strlen(end);
	return true;
}

bool svg_read_tag(const char **text, struct svg_tag *ret_tag)
{
	*ret_tag = (struct svg_tag){0};
	for (;;) {
		ret_tag->before = (struct svg_span){*text, strcspn(*text, "<")};
		*text += ret_tag->before.length;
		if (**text == '\0')
			return false;
		bool skipped = strncmp(*text, "<?", 2) == 0     ? skip_to(text, "?>")
			       : strncmp(*text, "<!--", 4) == 0 ? skip_to(text, "-->")
								: false;
		if (!skipped)
			break;
	}
	(*text)++;
	return read_inside(text, ret_tag);
}

bool svg_skip_element(const char **text, const struct svg_tag *tag)
{
	struct svg_tag next;

	/* The text of a style is not markup. */
	if (!tag->empty && strcmp(tag->name, "style") == 0)
		return skip_to(text, "</style>");
	for (size_t depth = !tag->empty; depth > 0;) {
		if (!svg_read_tag(text, &next))
			return false;
		depth = next.closes ? depth - 1 : depth + !next.empty;
	}
	return true;
}

bool svg_read_number(const char **text, const char *end, double *ret_number)
{
	const char *next = *text;
	double value = 0, unit = 1, sign = 1;
	size_t digits = 0;

	while (next < end && (is_blank(*next) || *next == ','))
		next++;
	if (next < end && (*next == '-' || *next == '+'))
		sign = *next++ == '-' ? -1 : 1;
	for (; next < end && *next >= '0' && *next <= '9'; next++, digits++)
		value = 10 * value + (*next - '0');
	if (next < end && *next == '.')
		for (next++; next < end && *next >= '0' && *next <= '9'; next++, digits++)
			value += (*next - '0') * (unit /= 10);
	while (next < end && (is_blank(*next) || *next == ','))
		next++;
	if (digits == 0 || !(value < 1e6))
		return false;
	*text = next;
	*ret_number = sign * value;
	return true;
}
