#include "host/io/ppm.h"

#include "host/io/npy.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#define MAX_HEADER_BYTES 65536 /* comments included */
#define CHANNELS 3
#define MAXVAL 255

/* ---- Formats ------------------------------------------------------------------------------- */

/* Formats that are recognised, but not read: the message has their name. */
static const struct {
	char digit;
	const char *what;
} formats[] = {
	{'1', "a bitmap as text"},
	{'2', "a grey picture as text"},
	{'3', "a picture as text"},
	{'4', "a bitmap"},
	{'5', "a grey picture"},
	{'7', "PAM"},
	{'F', "PFM, of floats"},
	{'f', "PFM, of grey floats"},
};

static const char *format_of(int digit)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (formats[i].digit == digit)
			return formats[i].what;
	return NULL;
}

bool ppm_is(const char *path, FILE *file)
{
	static const char *const endings[] = {".ppm", ".pgm", ".pbm", ".pnm"};
	const char *dot = strrchr(path, '.');
	int letter = getc(file);
	int digit = letter == 'P' ? getc(file) : EOF;

	/* A pipe cannot be read again. ungetc() works for both bytes, because both are still in the
	 * buffer. */
	if (digit != EOF)
		ungetc(digit, file);
	if (letter != EOF)
		ungetc(letter, file);
	if (digit == '6' || format_of(digit))
		return true;
	for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
		if (strcasecmp(dot, endings[i]) == 0)
			return true;
	return false;
}

/* ---- Header: numbers between white space and comments --------------------------------------- */

struct header_reader {
	const char *path;
	FILE *file;
	size_t next; /* position of the next byte, from the start of the file */
	struct pmpp_error *error;
};

static enum pmpp_status ends_early(const struct header_reader *reader, const char *what)
{
	if (ferror(reader->file))
		return PMPP_FAIL(reader->error, PMPP_USAGE, "%s: cannot be read: %s", reader->path,
			strerror(errno));
	return PMPP_FAIL(reader->error, PMPP_USAGE,
		"%s: truncated: ends at byte %zu, in its header, before the %s", reader->path,
		reader->next, what);
}

static int take(struct header_reader *reader)
{
	int byte = getc(reader->file);

	if (byte != EOF)
		reader->next++;
	return byte;
}

/* Returns the first byte after white space and comments; EOF at the end of the file. */
static int skip_space(struct header_reader *reader)
{
	bool comment = false;
	int byte;

	do {
		byte = take(reader);
		comment = byte == '#' || (comment && byte != '\n');
	} while (byte != EOF && (comment || isspace(byte)) && reader->next < MAX_HEADER_BYTES);
	return byte;
}

/* Reads a number and exactly one byte of white space after it: after the last number, the next byte
 * belongs to the pixels. */
static enum pmpp_status read_number(
	struct header_reader *reader, const char *what, int64_t *ret_number)
{
	int64_t number = 0;
	int byte = skip_space(reader);
	size_t start = reader->next - 1;

	if (byte == EOF)
		return ends_early(reader, what);
	if (!isdigit(byte))
		return PMPP_FAIL(reader->error, PMPP_USAGE, "%s: byte %zu: the %s is not a number",
			reader->path, start, what);
	for (; isdigit(byte); byte = take(reader))
		if (__builtin_mul_overflow(number, 10, &number) ||
			__builtin_add_overflow(number, byte - '0', &number))
			return PMPP_FAIL(reader->error, PMPP_USAGE,
				"%s: byte %zu: the %s overflows 64 bits", reader->path, start,
				what);
	if (byte == EOF)
		return ends_early(reader, "end of the line");
	if (!isspace(byte))
		return PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s: byte %zu: white space is missing after the %s", reader->path,
			reader->next - 1, what);
	if (number == 0)
		return PMPP_FAIL(reader->error, PMPP_USAGE, "%s: byte %zu: the %s is 0",
			reader->path, start, what);
	*ret_number = number;
	return PMPP_OK;
}

static enum pmpp_status read_magic(struct header_reader *reader)
{
	int letter = take(reader);
	int digit = letter == 'P' ? take(reader) : EOF;
	const char *other = letter == 'P' ? format_of(digit) : NULL;

	if (ferror(reader->file))
		return ends_early(reader, "width");
	if (other)
		return PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s: byte 0: P%c (%s), not P6 (a binary colour picture): convert it, for "
			"example with ImageMagick",
			reader->path, digit, other);
	if (digit != '6')
		return PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s: not a PPM picture: it does not begin with P6", reader->path);
	int space = take(reader);
	if (space == EOF)
		return ends_early(reader, "width");
	if (!isspace(space))
		return PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s: byte 2: white space is missing after P6", reader->path);
	return PMPP_OK;
}

/* shape: height, width, channels. */
static enum pmpp_status read_header(
	struct header_reader *reader, int64_t shape[NPY_MAX_RANK], size_t *ret_bytes)
{
	int64_t maxval = 0;
	enum pmpp_status status = read_magic(reader);

	if (status == PMPP_OK)
		status = read_number(reader, "width", &shape[1]);
	if (status == PMPP_OK)
		status = read_number(reader, "height", &shape[0]);
	if (status == PMPP_OK)
		status = read_number(reader, "maxval", &maxval);
	if (status != PMPP_OK)
		return status;
	if (maxval != MAXVAL)
		return PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s: the maxval, which ends before byte %zu, is %" PRId64
			": only %d is supported",
			reader->path, reader->next - 1, maxval, MAXVAL);
	shape[2] = CHANNELS;
	if (__builtin_mul_overflow((size_t)shape[0], (size_t)shape[1], ret_bytes) ||
		__builtin_mul_overflow(*ret_bytes, (size_t)CHANNELS, ret_bytes) ||
		*ret_bytes > PTRDIFF_MAX)
		return PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s: a picture of %" PRId64 " x %" PRId64 " overflows the address space",
			reader->path, shape[1], shape[0]);
	return PMPP_OK;
}

/* ---- Public -------------------------------------------------------------------------------- */

enum pmpp_status ppm_read(
	const char *path, FILE *file, struct npy_array *ret_array, struct pmpp_error *error)
{
	struct npy_array array = {.dtype = DTYPE_U8, .rank = NPY_MAX_RANK};
	struct header_reader reader = {.path = path, .file = file, .error = error};
	size_t bytes = 0;
	enum pmpp_status status = read_header(&reader, array.shape, &bytes);

	if (status == PMPP_OK)
		status = payload_read(path, file, reader.next, bytes, &array.data, error);
	if (status == PMPP_OK)
		*ret_array = array;
	return status;
}
