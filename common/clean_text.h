/*
 * Cleans texts from outside (compilers, drivers, file names, the command line) for files and
 * terminals: the result is valid UTF-8 without control characters.
 *
 * A byte that is not part of a well-formed UTF-8 sequence (The Unicode Standard 15.0, section 3.9,
 * table 3-7: no over-long forms, no surrogates, nothing above U+10FFFF) becomes "\xNN", its two
 * hexadecimal digits. Each byte of a control character (U+0000 to U+001F, U+007F to U+009F) is
 * replaced in the same way. Tabs stay. A clean text is not changed.
 */
#ifndef PMPP_COMMON_CLEAN_TEXT_H
#define PMPP_COMMON_CLEAN_TEXT_H

#include <stddef.h>
#include <stdint.h>

enum clean_kind {
	CLEAN_LINE, /* one line: a line feed becomes "\x0a" */
	CLEAN_LINES /* lines: line feeds stay, and CR LF becomes LF */
};

/* Writes the clean form of `length` bytes, zero-terminated, into ret_text (`size` bytes). A form
 * that does not fit is cut between characters, never inside a character or "\xNN". Returns the
 * length of the whole clean form without the zero. size 0: nothing is written, and ret_text may be
 * NULL. */
size_t clean_text(
	const char *bytes, size_t length, enum clean_kind kind, char *ret_text, size_t size);

/* Returns the clean form, which the caller frees. NULL: no memory. */
char *clean_text_copy(const char *bytes, size_t length, enum clean_kind kind);

/* Returns the end of the first character of a clean text that is not empty, and sets its code point. */
const char *clean_text_next(const char *text, uint32_t *ret_code);

#endif
