/*
 * HTML text. Texts of result files never become markup: html_text() and html_format() write every
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

#define HTML_NAME_CHARACTERS 200

/* Returns a text as html_format() writes it, but without markup and references: for JSON. It has at most
 * HTML_NAME_CHARACTERS characters. malloc'ed; NULL if there is no memory. */
char *html_clean(const char *text);

/* Writes constant markup with values in it. %s is a text, written as by html_text(). A precision is
 * the number of characters at which the text is cut. A cut text ends in "...". <bdi> keeps the writing
 * direction of a name from affecting other text: "<bdi>%.200s</bdi>". Other conversions:
 * %d, %u, %f and %g, with l, ll and z; %f and %g need a precision. */
void html_format(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
