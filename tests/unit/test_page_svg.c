/* The SVG of gnuplot: what is kept, and what is refused. */
#include "host/page/svg.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "<?xml version=\"1.0\"?>\n<svg width=\"10\" viewBox=\"0 0 10 10\">\n"

struct svg_row {
	const char *name, *content;
	const char *want; /* a part of the drawing; of the message if it is refused */
};

static const struct svg_row kept[] = {
	{"a line", "<path stroke='rgb(  0,   0,   1)'  d='M1.00,2.04 L3.06,4.00  '/>",
		"<path class=\"l i0\" d=\"M1 2L3.1 4\"/>"},
	{"a width and dashes",
		"<g stroke-width=\"2.00\"><path stroke='rgb(0,0,2)' stroke-dasharray='8.0,4.0' "
		"d='M1,2 L3,4'/></g>",
		"<path class=\"l i1\" stroke-width=\"2\" stroke-dasharray=\"8 4\" d=\"M1 2L3 4\"/>"},
	{"a mark",
		"<use xlink:href='#gpPt0' transform='translate(140.00,90.00) scale(4.88)' "
		"color='rgb(0,0,3)'/>",
		"<path class=\"a m i2\" d=\"M140 90m"},
	{"a text",
		"<g transform=\"translate(70.00,84.23) rotate(-90)\" fill=\"rgb(0,0,9)\" "
		"font-family=\"x\" text-anchor=\"end\"><text>Z00000</text></g>",
		"<text class=\"i8\" x=\"70\" y=\"84.2\" text-anchor=\"end\" transform=\"rotate(-90 70.0 "
		"84.2)\">&lt;b&gt;&amp;</text>"},
};

/* These parts are removed completely. */
static const struct svg_row dropped[] = {
	{"a title", "<title>Gnuplot <b>x</b></title>", NULL},
	{"definitions", "<defs><path onload='x'/><filter id='y'><feFlood/></filter></defs>", NULL},
	{"a style", "<style><![CDATA[ a < b ]]></style>", NULL},
	{"a comment", "<!-- <script>x</script> -->", NULL},
	{"a path of one point", "<path stroke='rgb(0,0,1)' d='M1,2 '/>", NULL},
	{"gnuplot's own colours", "<path stroke='black' d='M1,2 L3,4'/>", NULL},
	{"an empty text", "<g fill=\"black\"><text></text></g>", NULL},
};

static const struct svg_row refused[] = {
	{"a script", "<script>alert(1)</script>", "element 'script'"},
	{"a foreign object", "<foreignObject><p/></foreignObject>", "element 'foreignObject'"},
	{"an image", "<image href='http://x'/>", "element 'image'"},
	{"a link", "<a href='x'><path/></a>", "element 'a'"},
	{"an event", "<path stroke='rgb(0,0,1)' onclick='x' d='M1,2 L3,4'/>",
		"attribute 'onclick'"},
	{"a style attribute", "<g style='fill:url(x)'></g>", "attribute 'style'"},
	{"another colour", "<path stroke='rgb(1,2,3)' d='M1,2 L3,4'/>", "stroke 'rgb(1,2,3)'"},
	{"a colour that is a reference", "<path stroke='url(#x)' d='M1,2 L3,4'/>",
		"stroke 'url(#x)'"},
	{"another path", "<path stroke='rgb(0,0,1)' d='M1,2 C3,4 5,6 7,8'/>", "path 'M1,2 C3"},
	{"text in a path", "<path stroke='rgb(0,0,1)' d='M1,2 Lx,4'/>", "path"},
	{"a reference to outside", "<use xlink:href='http://x#gpPt0'/>", "mark 'http://x#gpPt0'"},
	{"another mark", "<use xlink:href='#gpPt77' transform='translate(1,2)'/>",
		"mark '#gpPt77'"},
	{"text of its own", "<g fill=\"rgb(0,0,9)\"><text>hello</text></g>", "text 'hello'"},
	{"an unknown token", "<g fill=\"rgb(0,0,9)\"><text>Z00007</text></g>", "text 'Z00007'"},
	{"a large token", "<g fill=\"rgb(0,0,9)\"><text>Z99999999999999999999</text></g>", "text"},
	{"markup in a text", "<g fill=\"rgb(0,0,9)\"><text><b/></text></g>",
		"element of a text 'b'"},
	{"text outside", "hello", "text '\\x0ahello"},
	{"text before an element", "hello<g></g>", "text '\\x0ahello'"},
	{"an entity", "<path d='&x;'/>", "form"},
	{"a document type", "<!DOCTYPE svg><g></g>", "form"},
	{"wrong nesting", "<g></path></g>", "end of 'path'"},
	{"deep groups", "<g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g>", "depth"},
	{"an attribute without quotes", "<g id=x></g>", "form"},
	{"a transform", "<g transform=\"matrix(1 2 3 4 5 6)\"></g>", "transform"},
	{"an anchor", "<g text-anchor=\"x\"></g>", "text-anchor 'x'"},
};

static struct layout_label label = {.text = (char *)(uintptr_t) "<b>&"};
static const struct chart_layout layout = {
	.width = 340, .height = 200.4, .labels = &label, .label_count = 1};
static const struct svg_texts texts = {
	.chart = 3, .title = "a \"title\"", .description = "<x>", .layout = &layout};

static enum pmpp_status rewrite(
	const char *content, bool whole, char **ret_drawing, struct pmpp_error *error)
{
	char *document = NULL;

	assert_true(asprintf(&document, HEAD "%s%s", content, whole ? "\n</svg>\n" : "") > 0);
	const char *next = document;
	enum pmpp_status status = svg_rewrite(&next, &texts, ret_drawing, error);
	assert_true(status == PMPP_OK ? strcmp(next, "\n") == 0 : next == document);
	free(document);
	return status;
}

static char *rewritten(const char *content)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	char *drawing = NULL;

	test_ok(rewrite(content, true, &drawing, &error), &error);
	return drawing;
}

static const char head[] =
	"<svg class=\"chart\" viewBox=\"0 0 340 200\" role=\"img\" aria-labelledby=\"title-3 "
	"description-3\">\n<title id=\"title-3\">a &quot;title&quot;</title><desc "
	"id=\"description-3\">&lt;x&gt;</desc>\n";

static void is_kept(const void *context)
{
	const struct svg_row *row = context;
	char *drawing = rewritten(row->content);

	assert_int_equal(strncmp(drawing, head, strlen(head)), 0);
	if (!strstr(drawing, row->want))
		test_fail("%s", drawing);
	free(drawing);
}

static void is_dropped(const void *context)
{
	const struct svg_row *row = context;
	char *drawing = rewritten(row->content);

	assert_string_equal(drawing + strlen(head), "</svg>\n");
	free(drawing);
}

static void is_refused(const void *context)
{
	const struct svg_row *row = context;
	struct pmpp_error error = PMPP_ERROR_INIT;
	char *drawing = NULL;
	enum pmpp_status status = rewrite(row->content, true, &drawing, &error);

	assert_null(drawing);
	test_refused(status, PMPP_IO, &error, row->want);
}

/* A text that ends anywhere is refused. */
static void cut_is_refused(const void *context)
{
	const struct svg_row *row = context;
	struct pmpp_error error = PMPP_ERROR_INIT;
	char *drawing = NULL;

	for (size_t length = 0; length <= strlen(row->content); length++) {
		char *part = strndup(row->content, length);
		test_refused(rewrite(part, false, &drawing, &error), PMPP_IO, &error, NULL);
		free(part);
	}
}

static void no_svg(const void *context)
{
	static const char *const bad[] = {
		"", "hello", "<html></html>", "<svg/>", "</svg>", "x<svg>"};
	struct pmpp_error error = PMPP_ERROR_INIT;
	char *drawing = NULL;

	(void)context;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *next = bad[i];
		test_refused(svg_rewrite(&next, &texts, &drawing, &error), PMPP_IO, &error,
			"no SVG for a chart");
	}
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
		test_add(&list, is_kept, &kept[i], "kept: %s", kept[i].name);
		test_add(&list, cut_is_refused, &kept[i], "cut: %s", kept[i].name);
	}
	for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
		test_add(&list, is_dropped, &dropped[i], "dropped: %s", dropped[i].name);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		test_add(&list, is_refused, &refused[i], "refused: %s", refused[i].name);
	test_add(&list, no_svg, NULL, "no SVG");
	return test_run(&list, argc, argv);
}
