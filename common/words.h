/*
 * Words in a part [at, end) of a source: letters, digits and underscores. These functions do not skip comments
 * and strings; skip_other() does.
 */
#ifndef PMPP_COMMON_WORDS_H
#define PMPP_COMMON_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the character can be part of a word. */
bool is_word(char c);

/* Returns the first word, and its length. Length 0: there is none. */
const char *next_word(const char *at, const char *end, size_t *ret_length);

/* Whether a word of this length is `text`. */
bool same_word(const char *word, size_t length, const char *text);

/* Whether one of the words is `word`. */
bool has_word(const char *at, const char *end, const char *word);
bool has_word_of(const char *at, const char *end, const char *word, size_t length);

/* Returns the end of the comment, string or character literal at `at`; `at` itself if there is none. A literal
 * without an end ends with its line. */
const char *skip_other(const char *at);

#endif
