/*
 * HTML text. Texts of result files never become markup: html_text() and html_name() write every
 * special character of HTML as a reference, also in quoted values of attributes. html_markup() is only
 * for constant texts of this program.
 */
#ifndef PMPP_HOST_REPORT_HTML_H
#define PMPP_HOST_REPORT_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes constant markup. */
void html_markup(FILE *out, const char *markup);

/* Writes a text: replaces control characters as in common/clean_text.h, then special characters by
 * references. NULL writes nothing. */
void html_text(FILE *out, const char *text);

/* Writes a text from a file (a name, a reason). <bdi> keeps its writing direction from affecting
 * other text. A text of more than HTML_NAME_CHARACTERS characters is cut and ends in "...". */
#define HTML_NAME_CHARACTERS 200
void html_name(FILE *out, const char *text);

/* Writes a text of this program that may contain names, like html_text(), but cut at
 * HTML_TITLE_CHARACTERS. For captions, titles of columns and values of attributes. */
#define HTML_TITLE_CHARACTERS 300
void html_title(FILE *out, const char *text);

/* Returns the text as html_name() shows it, without markup and references: for JSON. malloc'ed; NULL
 * if there is no memory. */
char *html_clean(const char *text);

/* Writes constant markup with values in it. %s is a text, written as by html_text(); "<bdi>%.200s</bdi>"
 * is html_name(): the precision is the number of characters at which a text is cut. Other conversions:
 * %d, %u, %f and %g, with l, ll and z; %f and %g need a precision. */
void html_format(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
