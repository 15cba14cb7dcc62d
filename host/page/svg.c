#include "host/page/svg.h"

#include "host/page/html.h"
#include "host/page/svg_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Marks ----------------------------------------------------------------------------------- */

/* Path data of the marks, relative to a point. */
static const struct {
	const char *path;
	bool filled;
} marks[CHART_MARKS] = {
	{"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", true}, /* disc */
	{"m-5.5-5.5h11v11h-11z", false},              /* open square */
	{"m0-5.5l5 9.5h-10z", true},                  /* triangle */
	{"m0-6l6 6l-6 6l-6-6z", false},               /* open diamond */
	{"m-5 0h10m-5-5v10", false},                  /* plus */
	{"m-4.5-4.5l9 9m0-9l-9 9", false},            /* cross */
};

void svg_mark_path(unsigned mark, double x, double y, char ret_path[SVG_MARK_BYTES])
{
	snprintf(ret_path, SVG_MARK_BYTES, "M%.4g %.4g%s", x, y, marks[mark % CHART_MARKS].path);
}

bool svg_mark_is_filled(unsigned mark)
{
	return marks[mark % CHART_MARKS].filled;
}

unsigned svg_colour_of_ink(unsigned ink)
{
	return 1 + ink;
}

/* ---- State ----------------------------------------------------------------------------------- */

#define MAX_DEPTH 16

/* Properties that elements inherit. */
struct group {
	double x, y;    /* translation */
	double angle;   /* degrees */
	double width;   /* of strokes */
	int ink;        /* -1: none */
	char anchor[8]; /* of texts */
};

struct rewriter {
	const char *text;
	const struct svg_texts *texts;
	FILE *out;
	struct group groups[MAX_DEPTH];
	size_t depth; /* groups[depth] is the current one */
	bool in_text;
	struct pmpp_error *error;
};

static enum pmpp_status refuse(struct rewriter *rewriter, const char *what, struct svg_span value)
{
	int length = value.length > 60 ? 60 : (int)value.length;

	return PMPP_FAIL(rewriter->error, PMPP_IO, "gnuplot's SVG has an unknown %s '%.*s'", what,
		length, value.start);
}

static enum pmpp_status refuse_text(struct rewriter *rewriter, const char *what, const char *text)
{
	return refuse(rewriter, what, (struct svg_span){text, strlen(text)});
}

/* Writes the shortest form with at most one digit after the decimal point. */
static void put_number(FILE *out, double number)
{
	char text[32];

	snprintf(text, sizeof text, "%.1f", number);
	size_t length = strlen(text);
	if (strcmp(text + length - 2, ".0") == 0)
		text[length - 2] = '\0';
	fputs(strcmp(text, "-0") == 0 ? "0" : text, out);
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Reads "rgb(  0,   0,  17)". Elements with a colour name were added by gnuplot and have no ink. */
static bool read_ink(struct svg_span value, int *ret_ink)
{
	const char *next = value.start, *end = value.start + value.length;
	double red, green, blue;

	*ret_ink = -1;
	if (svg_span_is(value, "none") || svg_span_is(value, "black") ||
		svg_span_is(value, "white") || svg_span_is(value, "currentColor"))
		return true;
	if (value.length < 5 || memcmp(next, "rgb(", 4) != 0)
		return false;
	next += 4;
	if (!svg_read_number(&next, end, &red) || !svg_read_number(&next, end, &green) ||
		!svg_read_number(&next, end, &blue) || next + 1 != end || *next != ')')
		return false;
	for (unsigned ink = 0; ink < INK_COUNT; ink++)
		if (svg_colour_of_ink(ink) == 65536 * red + 256 * green + blue)
			*ret_ink = (int)ink;
	return *ret_ink >= 0;
}

/* Reads "translate(70.00,184.23) rotate(-90)". Ignores scale(). */
static bool read_transform(struct svg_span value, struct group *group)
{
	const char *next = value.start, *end = value.start + value.length;
	double number;

	while (next < end) {
		size_t name = strcspn(next, "(");
		if (next + name >= end)
			return false;
		const char *inside = next + name + 1;
		bool moves = name == 9 && memcmp(next, "translate", 9) == 0;
		bool turns = name == 6 && memcmp(next, "rotate", 6) == 0;
		if (moves) {
			if (!svg_read_number(&inside, end, &group->x) ||
				!svg_read_number(&inside, end, &group->y))
				return false;
		} else if (!svg_read_number(&inside, end, turns ? &group->angle : &number) ||
			   !(turns || (name == 5 && memcmp(next, "scale", 5) == 0))) {
			return false;
		}
		if (inside >= end || *inside != ')')
			return false;
		next = inside + 1;
		while (next < end && *next == ' ')
			next++;
	}
	return true;
}

static bool read_anchor(struct svg_span value, struct group *group)
{
	static const char *const anchors[] = {"start", "middle", "end"};

	for (size_t i = 0; i < sizeof anchors / sizeof *anchors; i++)
		if (svg_span_is(value, anchors[i])) {
			snprintf(group->anchor, sizeof group->anchor, "%s", anchors[i]);
			return true;
		}
	return false;
}

/* ---- Elements -------------------------------------------------------------------------------- */

typedef enum pmpp_status element_fn(struct rewriter *rewriter, const struct svg_tag *tag);

static enum pmpp_status begin_group(struct rewriter *rewriter, const struct svg_tag *tag)
{
	struct svg_span stroke = svg_value(tag, "stroke"), fill = svg_value(tag, "fill");
	struct svg_span width = svg_value(tag, "stroke-width"),
			anchor = svg_value(tag, "text-anchor");
	struct svg_span transform = svg_value(tag, "transform");
	int ignored;

	if (rewriter->depth + 1 == MAX_DEPTH)
		return refuse_text(rewriter, "depth of groups at", tag->name);
	struct group group = rewriter->groups[rewriter->depth];
	const char *start = width.start;
	if (width.length && !svg_read_number(&start, width.start + width.length, &group.width))
		return refuse(rewriter, "stroke-width", width);
	if (stroke.length && !read_ink(stroke, &ignored))
		return refuse(rewriter, "stroke", stroke);
	if (fill.length && !read_ink(fill, &group.ink))
		return refuse(rewriter, "fill", fill);
	if (anchor.length && !read_anchor(anchor, &group))
		return refuse(rewriter, "text-anchor", anchor);
	if (transform.length && !read_transform(transform, &group))
		return refuse(rewriter, "transform", transform);
	if (!tag->empty)
		rewriter->groups[++rewriter->depth] = group;
	return PMPP_OK;
}

/* Reads "M140.00,160.00 L140.00,20.01 Z" or "140.00,57.34 585.98,57.34": commands are optional.
 * Returns the number of points; 0: unknown form. */
static size_t read_points(struct svg_span value, FILE *out)
{
	const char *next = value.start, *end = value.start + value.length;
	size_t count = 0;
	double x, y;

	for (;;) {
		while (next < end && (*next == ' ' || *next == '\n' || *next == '\t'))
			next++;
		if (next == end)
			return count;
		char command = *next == 'M' || *next == 'L' || *next == 'Z' ? *next++ : ' ';
		if (command == 'Z') {
			fputc('Z', out);
			continue;
		}
		if (!svg_read_number(&next, end, &x) || !svg_read_number(&next, end, &y))
			return 0;
		if (command != ' ' || count)
			fputc(command, out);
		put_number(out, x);
		fputc(' ', out);
		put_number(out, y);
		count++;
	}
}

static enum pmpp_status put_points(
	struct rewriter *rewriter, struct svg_span value, size_t *ret_count, char **ret_points)
{
	size_t size;
	FILE *out = open_memstream(ret_points, &size);

	if (!out)
		return PMPP_FAIL(rewriter->error, PMPP_OUT_OF_MEMORY, "no memory for a chart");
	*ret_count = read_points(value, out);
	fclose(out);
	return *ret_count ? PMPP_OK : refuse(rewriter, "path", value);
}

static enum pmpp_status put_dashes(struct rewriter *rewriter, const struct svg_tag *tag)
{
	struct svg_span value = svg_value(tag, "stroke-dasharray");
	const char *next = value.start, *end = value.start + value.length;
	const char *separator = " stroke-dasharray=\"";
	double number;

	while (next < end) {
		if (!svg_read_number(&next, end, &number))
			return refuse(rewriter, "stroke-dasharray", value);
		fputs(separator, rewriter->out);
		put_number(rewriter->out, number);
		separator = " ";
	}
	if (value.length)
		fputc('"', rewriter->out);
	return PMPP_OK;
}

/* Omits paths of one point, which gnuplot writes for ticks without length. */
static enum pmpp_status put_path(struct rewriter *rewriter, const struct svg_tag *tag)
{
	struct svg_span stroke = svg_value(tag, "stroke");
	char *points = NULL;
	size_t count = 0;
	int ink = -1;
	enum pmpp_status status = put_points(rewriter, svg_value(tag, "d"), &count, &points);

	if (status == PMPP_OK && !read_ink(stroke, &ink))
		status = refuse(rewriter, "stroke", stroke);
	if (status == PMPP_OK && count > 1 && ink >= 0) {
		fprintf(rewriter->out, "<path class=\"l i%d\"", ink);
		double width = rewriter->groups[rewriter->depth].width;
		if (width != 1) {
			fputs(" stroke-width=\"", rewriter->out);
			put_number(rewriter->out, width);
			fputc('"', rewriter->out);
		}
		status = put_dashes(rewriter, tag);
		fprintf(rewriter->out, " d=\"%s\"/>\n", points);
	}
	free(points);
	return status;
}

/* "#gpPt0" is the first mark. */
static enum pmpp_status put_mark(struct rewriter *rewriter, const struct svg_tag *tag)
{
	struct svg_span href = svg_value(tag, "xlink:href"), colour = svg_value(tag, "color");
	struct svg_span transform = svg_value(tag, "transform");
	struct group place = {0};
	char path[SVG_MARK_BYTES], name[16];
	int ink = -1;

	for (unsigned mark = 0; mark < CHART_MARKS; mark++) {
		snprintf(name, sizeof name, "#gpPt%u", mark + SVG_FIRST_POINT_TYPE - 1);
		if (!svg_span_is(href, name))
			continue;
		if (!read_transform(transform, &place) || !read_ink(colour, &ink) || ink < 0)
			return refuse(rewriter, "mark", transform);
		svg_mark_path(mark, place.x, place.y, path);
		fprintf(rewriter->out, "<path class=\"%s i%d\" d=\"%s\"/>\n",
			marks[mark].filled ? "a m" : "l m", ink, path);
		return PMPP_OK;
	}
	return refuse(rewriter, "mark", href);
}

static enum pmpp_status begin_text(struct rewriter *rewriter, const struct svg_tag *tag)
{
	rewriter->in_text = !tag->empty;
	return PMPP_OK;
}

/* Reads the content of a <text>: a token, or nothing. */
static enum pmpp_status put_text(struct rewriter *rewriter, struct svg_span token)
{
	const struct chart_layout *layout = rewriter->texts->layout;
	const struct group *group = &rewriter->groups[rewriter->depth];
	char name[32];

	if (token.length == 0)
		return PMPP_OK;
	size_t index = 0;
	for (size_t i = 1; i < token.length && index < layout->label_count; i++)
		index = 10 * index + (size_t)(token.start[i] - '0');
	snprintf(name, sizeof name, SVG_TOKEN, index);
	if (!svg_span_is(token, name) || index >= layout->label_count || group->ink < 0)
		return refuse(rewriter, "text", token);
	fprintf(rewriter->out, "<text class=\"i%d\" x=\"", group->ink);
	put_number(rewriter->out, group->x);
	fputs("\" y=\"", rewriter->out);
	put_number(rewriter->out, group->y);
	fputc('"', rewriter->out);
	if (strcmp(group->anchor, "start") != 0)
		fprintf(rewriter->out, " text-anchor=\"%s\"", group->anchor);
	if (group->angle != 0)
		fprintf(rewriter->out, " transform=\"rotate(%.0f %.1f %.1f)\"", group->angle,
			group->x, group->y);
	fputc('>', rewriter->out);
	html_text(rewriter->out, layout->labels[index].text);
	fputs("</text>\n", rewriter->out);
	return PMPP_OK;
}

static enum pmpp_status ignore(struct rewriter *rewriter, const struct svg_tag *tag)
{
	(void)rewriter;
	(void)tag;
	return PMPP_OK;
}

static enum pmpp_status skip(struct rewriter *rewriter, const struct svg_tag *tag)
{
	return svg_skip_element(&rewriter->text, tag)
		       ? PMPP_OK
		       : refuse_text(rewriter, "end after", tag->name);
}

/* The known elements and their attributes, each followed by a blank. NULL: the element is skipped,
 * with any attributes. */
static const struct {
	const char *name, *attributes;
	element_fn *begin;
	bool holds; /* the element has an end tag */
} elements[] = {
	{"g",
		"id class fill color stroke stroke-width stroke-linecap stroke-linejoin transform "
		"font-family font-size font-weight font-style text-anchor shape-rendering ",
		begin_group, true},
	{"path", "stroke stroke-width stroke-dasharray class d fill ", put_path, false},
	{"use", "xlink:href transform color class ", put_mark, false},
	{"text", "xml:space ", begin_text, true},
	{"rect", "x y width height fill ", ignore, false},
	{"title", NULL, skip, false},
	{"desc", NULL, skip, false},
	{"defs", NULL, skip, false},
	{"style", NULL, skip, false},
};

static bool is_listed(const char *list, struct svg_span name)
{
	for (const char *next = list; *next; next += strcspn(next, " ") + 1)
		if (svg_span_is(name, "") ||
			(strncmp(next, name.start, name.length) == 0 && next[name.length] == ' '))
			return name.length > 0;
	return false;
}

static enum pmpp_status begin_element(struct rewriter *rewriter, const struct svg_tag *tag)
{
	for (size_t e = 0; e < sizeof elements / sizeof *elements; e++) {
		if (strcmp(tag->name, elements[e].name) != 0)
			continue;
		for (size_t i = 0; i < tag->attribute_count && elements[e].attributes; i++)
			if (!is_listed(elements[e].attributes, tag->attributes[i].name))
				return refuse(rewriter, "attribute", tag->attributes[i].name);
		if (elements[e].attributes && !elements[e].holds && !tag->empty)
			return refuse_text(rewriter, "content of", tag->name);
		return elements[e].begin(rewriter, tag);
	}
	return refuse_text(rewriter, "element", tag->name);
}

static enum pmpp_status end_element(struct rewriter *rewriter, const struct svg_tag *tag)
{
	if (rewriter->in_text && strcmp(tag->name, "text") == 0) {
		rewriter->in_text = false;
		return put_text(rewriter, tag->before);
	}
	if (rewriter->in_text || strcmp(tag->name, "g") != 0 || rewriter->depth == 0)
		return refuse_text(rewriter, "end of", tag->name);
	rewriter->depth--;
	return PMPP_OK;
}

static bool is_blank(struct svg_span span)
{
	for (size_t i = 0; i < span.length; i++)
		if (!strchr(" \t\r\n", span.start[i]))
			return false;
	return true;
}

/* ---- Document -------------------------------------------------------------------------------- */

static void put_head(struct rewriter *rewriter)
{
	const struct svg_texts *texts = rewriter->texts;
	FILE *out = rewriter->out;

	fprintf(out,
		"<svg class=\"chart\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
		"aria-labelledby=\"title-%zu description-%zu\">\n<title id=\"title-%zu\">",
		texts->layout->width, texts->layout->height, texts->chart, texts->chart,
		texts->chart);
	html_title(out, texts->title);
	fprintf(out, "</title><desc id=\"description-%zu\">", texts->chart);
	html_title(out, texts->description);
	fputs("</desc>\n", out);
}

/* Rewrites the elements of <svg> up to its end. */
static enum pmpp_status rewrite_content(struct rewriter *rewriter)
{
	enum pmpp_status status = PMPP_OK;
	struct svg_tag tag;

	while (status == PMPP_OK) {
		if (!svg_read_tag(&rewriter->text, &tag))
			return refuse_text(rewriter, "form near", rewriter->text);
		if (!rewriter->in_text && !is_blank(tag.before))
			return refuse(rewriter, "text", tag.before);
		if (tag.closes && strcmp(tag.name, "svg") == 0 && rewriter->depth == 0 &&
			!rewriter->in_text)
			return PMPP_OK;
		if (rewriter->in_text && !tag.closes)
			return refuse_text(rewriter, "element of a text", tag.name);
		status = tag.closes ? end_element(rewriter, &tag) : begin_element(rewriter, &tag);
	}
	return status;
}

enum pmpp_status svg_rewrite(const char **text, const struct svg_texts *texts, char **ret_drawing,
	struct pmpp_error *error)
{
	struct rewriter rewriter = {.text = *text, .texts = texts, .error = error};
	struct svg_tag tag;
	char *drawing = NULL;
	size_t size;

	rewriter.groups[0] = (struct group){.width = 1, .ink = -1, .anchor = "start"};
	if (!svg_read_tag(&rewriter.text, &tag) || tag.closes || tag.empty ||
		strcmp(tag.name, "svg") != 0 || !is_blank(tag.before))
		return PMPP_FAIL(error, PMPP_IO, "gnuplot wrote no SVG for a chart");
	rewriter.out = open_memstream(&drawing, &size);
	if (!rewriter.out)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a chart");
	put_head(&rewriter);
	enum pmpp_status status = rewrite_content(&rewriter);
	fputs("</svg>\n", rewriter.out);
	fclose(rewriter.out);
	if (status != PMPP_OK) {
		free(drawing);
		return status;
	}
	*text = rewriter.text;
	*ret_drawing = drawing;
	return PMPP_OK;
}
