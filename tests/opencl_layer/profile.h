/*
 * A device profile: a text file of lines `KEY = VALUE`. `#` begins a comment line.
 * docs/verification.md ("Device profiles") describes the keys.
 *
 * A key is the name of an OpenCL query, such as CL_DEVICE_NAME, or one of the layer's own keys in
 * lower case. A value is a text in double quotes, a list of numbers (decimal, or with 0x), a
 * list of words (of bits, or of the layer's own), or `none`: the query fails.
 */
#ifndef PMPP_TESTS_OPENCL_LAYER_PROFILE_H
#define PMPP_TESTS_OPENCL_LAYER_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROFILE_LINES 128

struct profile {
	char *text; /* the file; the lines point into it */
	struct profile_line {
		const char *key, *value;
	} lines[PROFILE_LINES];
	size_t count;
};

/* Reads a file. false: *ret_reason has the reason, in static memory. profile_clear() frees it. */
bool profile_read(const char *path, struct profile *ret_profile, const char **ret_reason);
void profile_clear(struct profile *profile);

/* The value of a key; NULL without the key. */
const char *profile_value(const struct profile *profile, const char *key);
bool profile_is_none(const char *value);

/* Whether a list of words, separated by blanks, has a word. */
bool profile_has_word(const char *words, const char *word, size_t length);

/* Reads the numbers of a value into at most `room` places. Returns their count; 0 if the value is
 * no list of numbers. */
size_t profile_numbers(const char *value, uint64_t *numbers, size_t room);

#endif
