#include "common/clean_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ESCAPE_BYTES 4 /* "\xNN" */

/* Well-formed sequences: ranges of the first and second byte. Later bytes are 80..BF. */
static const struct {
	unsigned char first, last; /* of the first byte */
	unsigned char min, max;    /* of the second byte */
	size_t length;
} sequences[] = {
	{0x00, 0x7f, 0, 0, 1},
	{0xc2, 0xdf, 0x80, 0xbf, 2},
	{0xe0, 0xe0, 0xa0, 0xbf, 3},
	{0xe1, 0xec, 0x80, 0xbf, 3},
	{0xed, 0xed, 0x80, 0x9f, 3},
	{0xee, 0xef, 0x80, 0xbf, 3},
	{0xf0, 0xf0, 0x90, 0xbf, 4},
	{0xf1, 0xf3, 0x80, 0xbf, 4},
	{0xf4, 0xf4, 0x80, 0x8f, 4},
};

/* Length of the well-formed sequence at the start of the text, in bytes; 0: none. */
static size_t sequence_length(const unsigned char *bytes, size_t length)
{
	for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
		size_t needed = sequences[i].length;
		if (bytes[0] < sequences[i].first || bytes[0] > sequences[i].last)
			continue;
		if (needed > length)
			return 0;
		if (needed > 1 && (bytes[1] < sequences[i].min || bytes[1] > sequences[i].max))
			return 0;
		for (size_t j = 2; j < needed; j++)
			if ((bytes[j] & 0xc0) != 0x80)
				return 0;
		return needed;
	}
	return 0;
}

static bool is_control(const unsigned char *bytes, size_t length)
{
	return length == 1 ? bytes[0] < 0x20 || bytes[0] == 0x7f
			   : length == 2 && bytes[0] == 0xc2 && bytes[1] < 0xa0;
}

/* Length of the sequence that stays as it is; 0: its first byte is escaped. */
static size_t kept_length(const unsigned char *bytes, size_t length, enum clean_kind kind)
{
	size_t kept = sequence_length(bytes, length);

	if (bytes[0] == '\t' || (bytes[0] == '\n' && kind == CLEAN_LINES))
		return 1;
	return is_control(bytes, kept) ? 0 : kept;
}

size_t clean_text(
	const char *bytes, size_t length, enum clean_kind kind, char *ret_text, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	size_t needed = 0;
	size_t used = 0; /* bytes written, <= needed */

	for (size_t i = 0, step; i < length; i += step) {
		const unsigned char *at = (const unsigned char *)bytes + i;
		const char escape[ESCAPE_BYTES] = {'\\', 'x', digits[*at >> 4], digits[*at & 15]};
		size_t kept = kept_length(at, length - i, kind);
		size_t added = kept ? kept : ESCAPE_BYTES;

		step = kept ? kept : 1;
		if (kind == CLEAN_LINES && *at == '\r' && length - i > 1 && at[1] == '\n')
			continue;
		if (used == needed && needed + added < size) {
			memcpy(ret_text + used, kept ? (const char *)at : escape, added);
			used += added;
		}
		needed += added;
	}
	if (size > 0)
		ret_text[used] = '\0';
	return needed;
}

char *clean_text_copy(const char *bytes, size_t length, enum clean_kind kind)
{
	size_t size = clean_text(bytes, length, kind, NULL, 0) + 1;
	char *text = malloc(size);

	if (text)
		clean_text(bytes, length, kind, text, size);
	return text;
}

const char *clean_text_next(const char *text, uint32_t *ret_code)
{
	const unsigned char *byte = (const unsigned char *)text;
	uint32_t code = *byte & (*byte < 0x80          ? 0x7fu
					: *byte < 0xe0 ? 0x1fu
					: *byte < 0xf0 ? 0xfu
						       : 7u);

	while ((*++byte & 0xc0) == 0x80)
		code = code << 6 | (*byte & 0x3f);
	*ret_code = code;
	return (const char *)byte;
}
