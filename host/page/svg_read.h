/*
 * Reads the tags of an XML text, one after another. Supports only the XML of gnuplot's SVG: no
 * entities, no document types.
 */
#ifndef PMPP_HOST_PAGE_SVG_READ_H
#define PMPP_HOST_PAGE_SVG_READ_H

#include <stdbool.h>
#include <stddef.h>

#define SVG_ATTRIBUTES 24
#define SVG_NAME_BYTES 32

/* A part of the text that is read. */
struct svg_span {
	const char *start;
	size_t length;
};

struct svg_attribute {
	struct svg_span name, value;
};

struct svg_tag {
	struct svg_span before; /* the text before the tag */
	char name[SVG_NAME_BYTES];
	bool closes; /* </name> */
	bool empty;  /* <name/> */
	struct svg_attribute attributes[SVG_ATTRIBUTES];
	size_t attribute_count;
};

/* Reads the next tag and moves *text behind it. Skips comments and processing instructions. Returns
 * false if there is no tag, or if the text is not well formed. */
bool svg_read_tag(const char **text, struct svg_tag *ret_tag);

/* Moves *text behind the end tag of the element that `tag` begins. Returns false if there is no end
 * tag. */
bool svg_skip_element(const char **text, const struct svg_tag *tag);

bool svg_span_is(struct svg_span span, const char *text);

/* Returns the value of an attribute; length 0 if the tag does not have it. */
struct svg_span svg_value(const struct svg_tag *tag, const char *name);

/* Reads a decimal number (no exponent) with blanks or commas around it, and moves *text behind it.
 * end: end of the text. */
bool svg_read_number(const char **text, const char *end, double *ret_number);

#endif
