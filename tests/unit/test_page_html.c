/* HTML text: nothing of a text becomes markup. */
#include "host/report/html.h"
#include "tests/support/test.h"

struct text_row {
	const char *name, *text, *want;
};

static const struct text_row texts[] = {
	{"plain", "tiled32, 12 µs", "tiled32, 12 µs"},
	{"NULL", NULL, ""},
	{"markup", "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"},
	{"references", "a & b &amp; c", "a &amp; b &amp;amp; c"},
	{"quotes", "\" onload='x' `y`", "&quot; onload=&#39;x&#39; &#96;y&#96;"},
	{"control characters", "a\001b\033[31mc\177", "a\\x01b\\x1b[31mc\\x7f"},
	{"C1 control characters", "a\xc2\x9b", "a\\xc2\\x9b"},
	{"line feeds", "a\nb\tc", "a\nb\tc"},
	{"invalid UTF-8", "a\xff\xc3<", "a\\xff\\xc3&lt;"},
	{"overlong <", "\xc0\xbc", "\\xc0\\xbc"},
	{"surrogate", "\xed\xa0\x80", "\\xed\\xa0\\x80"},
	{"right-to-left override", "a\u202eb", "a\\u202eb"},
	{"isolates", "\u2066\u2067\u2068\u2069", "\\u2066\\u2067\\u2068\\u2069"},
	{"marks", "\u200e\u200f\u061c", "\\u200e\\u200f\\u061c"},
	{"byte order mark", "\ufeff", "\\ufeff"},
	{"no character", "\uffff", "\\uffff"},
	{"tag characters", "\U000e0041", "\\ue0041"},
	{"other scripts", "שלום 速い", "שלום 速い"},
};

static char *written(void (*put)(FILE *out, const char *text), const char *text)
{
	return WRITTEN(out, put(out, text));
}

TEST_ROWS(text_is, texts, "text: %s", row->name)
{
	STRING(written(html_text, row->text), row->want);
}

static void put_in_attribute(FILE *out, const char *text)
{
	html_format(out, " title=\"%s\"", text);
}

static void put_formatted(FILE *out, const char *text)
{
	html_format(out, "%s", text);
}

TEST_ROWS(attribute_is, texts, "attribute: %s", row->name)
{
	STRING(written(put_in_attribute, row->text), test_text(" title=\"%s\"", row->want));
}

static void put_name(FILE *out, const char *text)
{
	html_format(out, "<bdi>%.200s</bdi>", text);
}

TEST(names_are_isolated, "names are isolated")
{
	STRING(written(put_name, "a<b"), "<bdi>a&lt;b</bdi>");
}

static char *long_text(const char *unit, size_t count)
{
	char *text = malloc(count * strlen(unit) + 1);

	SOME(text);
	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		memcpy(text + i * strlen(unit), unit, strlen(unit) + 1);
	return text;
}

/* The cut is between characters, not bytes; a reference is never cut. */
TEST(long_names_are_cut, "names of 1 MB are cut")
{
	static const char *const units[] = {"<", "é", "速"};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		FREED char *text = long_text(units[i], 1000000);
		FREED char *kept = long_text(units[i], HTML_NAME_CHARACTERS);
		STRING(written(put_name, text),
			test_text("<bdi>%s...</bdi>", written(html_text, kept)));
		LACKS(written(put_name, kept), "...");
	}
}

TEST(long_texts_are_kept, "texts of 1 MB are kept")
{
	FREED char *text = long_text("&", 1000000);
	char *got = written(put_formatted, text);

	EQUAL(strlen(got), 5 * strlen(text));
}

/* The format is markup. Its values are text. */
TEST(values_are_text, "a format with values")
{
	const char *got = WRITTEN(
		out, html_format(out, "<b>%s</b> %d %u %lld %zu %.2f %.3g 5 %% <i>%.2s</i>|",
			     "<a & b>", -1, 2u, -3LL, (size_t)4, 1.005, 0.12345, "éµ€"));

	STRING(got, "<b>&lt;a &amp; b&gt;</b> -1 2 -3 4 1.00 0.123 5 % <i>éµ...</i>|");
}
