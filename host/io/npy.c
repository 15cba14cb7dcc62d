#include "host/io/npy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/text.h"
#include "host/io/atomic_file.h"

/* ---- Payloads ------------------------------------------------------------------------------- */

/* Reads the payload of a file: the bytes after the header. The header declares their number. */

#define READ_STEP_BYTES ((size_t)64 << 20)

/* The size of a regular file limits the read. A pipe may have no end: reject a header that declares
 * more bytes than this machine has memory. */
static enum pmpp_status check_declared_size(
	const char *path, FILE *file, size_t bytes, struct pmpp_error *error)
{
	struct stat info;
	size_t memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);

	if (bytes <= memory || fstat(fileno(file), &info) != 0 || S_ISREG(info.st_mode))
		return PMPP_OK;
	return PMPP_FAIL(error, PMPP_USAGE,
		"%s: the header declares %zu bytes, but this machine has %zu bytes of memory: use a "
		"smaller array",
		path, bytes, memory);
}

/* Reads the rest of the file: `bytes` >= 1 bytes from the current position. base: this position,
 * in bytes from the start of the file, for messages. The buffer grows with the bytes that are read,
 * because a header may declare any length. The caller frees *ret_data. */
static enum pmpp_status payload_read(const char *path, FILE *file, size_t base, size_t bytes,
	void **ret_data, struct pmpp_error *error)
{
	size_t capacity = bytes < READ_STEP_BYTES ? bytes : READ_STEP_BYTES;
	size_t have = 0;
	enum pmpp_status status = check_declared_size(path, file, bytes, error);

	if (status != PMPP_OK)
		return status;
	char *data = malloc(capacity);

	while (data && have < bytes) {
		if (have == capacity) {
			capacity = bytes - capacity < capacity ? bytes : 2 * capacity;
			char *larger = realloc(data, capacity);
			if (!larger)
				break;
			data = larger;
		}
		size_t got = fread(data + have, 1, capacity - have, file);
		have += got;
		if (got == 0)
			break;
	}
	if (ferror(file))
		status = PMPP_FAIL(
			error, PMPP_USAGE, "%s: cannot be read: %s", path, strerror(errno));
	else if (have < bytes && !feof(file))
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "%s: %zu bytes do not fit in memory",
			path, bytes);
	else if (have < bytes)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s: truncated: ends at byte %zu; the header declares data up to byte %zu",
			path, base + have, base + bytes);
	else if (fgetc(file) != EOF)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s: byte %zu: unexpected bytes after the data that the header declares",
			path, base + bytes);
	if (status != PMPP_OK) {
		free(data);
		return status;
	}
	*ret_data = data;
	return PMPP_OK;
}

/* ---- Arrays --------------------------------------------------------------------------------- */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	"elements are read and written without swapping bytes");

#define MAGIC "\x93NUMPY"
#define MAGIC_BYTES 6
#define PREFIX_V1_BYTES 10
#define PREFIX_V2_BYTES 12
/* The default limit of np.lib.format, in bytes. A header with three extents is far shorter. */
#define MAX_HEADER_BYTES 10000

/* ---- Header: a Python dict literal --------------------------------------------------------- */

struct header {
	unsigned seen; /* rows of header_keys, as bits */
	char descr[32];
	bool fortran_order;
	int rank;
	int64_t shape[NPY_MAX_RANK];
};

struct parser {
	const char *path;
	const char *text; /* a zero byte follows */
	const char *next;
	size_t length;
	size_t base; /* offset of text in the file */
	struct pmpp_error *error;
};

static size_t position(const struct parser *parser)
{
	return parser->base + (size_t)(parser->next - parser->text);
}

/* The functions that parse return false after an error, which is PMPP_USAGE. */
static bool parse_fail(struct parser *parser, const char *what)
{
	PMPP_FAIL(parser->error, PMPP_USAGE, "%s: byte %zu: damaged .npy header: %s", parser->path,
		position(parser), what);
	return false;
}

/* Skips blanks, and then the word if it is there. */
static bool take(struct parser *parser, const char *word)
{
	size_t length = strlen(word);

	parser->next += strspn(parser->next, " \t\r\n");
	if (strncmp(parser->next, word, length) != 0)
		return false;
	parser->next += length;
	return true;
}

static bool parse_string(struct parser *parser, char *ret_text, size_t size)
{
	char quote = take(parser, "'") ? '\'' : '"';
	size_t length = 0;

	if (quote == '"' && !take(parser, "\""))
		return parse_fail(parser, "a quoted word is missing");
	const char *word = parser->next;
	for (; word + length < parser->text + parser->length && word[length] != quote; length++)
		/* Messages show the word: control characters must not reach the terminal. */
		if (word[length] < ' ' || word[length] > '~')
			return parse_fail(parser,
				"a quoted word has a character that is not printable ASCII");
	if (word[length] != quote)
		return parse_fail(parser, "a quote is not closed");
	if (length >= size)
		return parse_fail(parser, "a quoted word is too long");
	snprintf(ret_text, size, "%.*s", (int)length, word);
	parser->next += length + 1;
	return true;
}

static bool parse_extent(struct parser *parser, int64_t *ret_extent)
{
	char *end;

	take(parser, "");
	if (*parser->next < '0' || *parser->next > '9')
		return parse_fail(parser, "the shape has an entry that is not a number");
	errno = 0;
	*ret_extent = strtoll(parser->next, &end, 10);
	if (errno)
		return parse_fail(parser, "an extent of the shape overflows 64 bits");
	parser->next = end;
	take(parser, "L"); /* Python 2 writes this suffix after long integers */
	return true;
}

static bool parse_shape(struct parser *parser, struct header *header)
{
	int rank = 0;

	if (!take(parser, "("))
		return parse_fail(parser, "the shape is not a tuple");
	while (!take(parser, ")")) {
		int64_t extent = 0;
		if (!parse_extent(parser, &extent))
			return false;
		if (rank < NPY_MAX_RANK)
			header->shape[rank] = extent;
		rank++;
		if (!take(parser, ",")) {
			if (!take(parser, ")"))
				return parse_fail(parser, "the shape's tuple is not closed");
			break;
		}
	}
	header->rank = rank;
	return true;
}

static bool parse_order(struct parser *parser, struct header *header)
{
	header->fortran_order = take(parser, "True");
	if (!header->fortran_order && !take(parser, "False"))
		return parse_fail(parser, "'fortran_order' is neither True nor False");
	return true;
}

static bool parse_descr(struct parser *parser, struct header *header)
{
	take(parser, "");
	if (*parser->next == '[') {
		PMPP_FAIL(parser->error, PMPP_USAGE,
			"%s: byte %zu: elements are structured (a record dtype): save one field as "
			"an array of its own",
			parser->path, position(parser));
		return false;
	}
	return parse_string(parser, header->descr, sizeof header->descr);
}

static const struct {
	const char *name;
	bool (*parse)(struct parser *parser, struct header *header);
} header_keys[] = {
	{"descr", parse_descr},
	{"fortran_order", parse_order},
	{"shape", parse_shape},
};

#define ALL_SEEN 7u

static bool parse_entry(struct parser *parser, struct header *header)
{
	char key[32];

	if (!parse_string(parser, key, sizeof key))
		return false;
	if (!take(parser, ":"))
		return parse_fail(parser, "a colon is missing after a key");
	for (size_t i = 0; i < sizeof header_keys / sizeof *header_keys; i++) {
		if (strcmp(header_keys[i].name, key) != 0)
			continue;
		if (header->seen >> i & 1)
			return parse_fail(parser, "a key appears twice");
		header->seen |= 1u << i;
		return header_keys[i].parse(parser, header);
	}
	return parse_fail(parser, "unknown key: the keys are 'descr', 'fortran_order' and 'shape'");
}

static bool parse_header(struct parser *parser, struct header *ret_header)
{
	struct header header = {.shape = {1, 1, 1}};

	if (!take(parser, "{"))
		return parse_fail(parser, "it does not begin with '{'");
	while (!take(parser, "}")) {
		if (!parse_entry(parser, &header))
			return false;
		if (!take(parser, ",")) {
			if (!take(parser, "}"))
				return parse_fail(parser, "it is not terminated by '}'");
			break;
		}
	}
	take(parser, "");
	if (parser->next != parser->text + parser->length)
		return parse_fail(parser, "unexpected text after the closing '}'");
	if (header.seen != ALL_SEEN)
		return parse_fail(
			parser, "one of the keys 'descr', 'fortran_order', 'shape' is missing");
	*ret_header = header;
	return true;
}

/* ---- Supported types and shapes ------------------------------------------------------------ */

static enum pmpp_status check_dtype(const char *path, const char *descr, unsigned dtypes,
	enum dtype *ret_dtype, struct pmpp_error *error)
{
	const char *first = NULL;
	char expected[64] = "";

	for (int i = 0; i < DTYPE_COUNT; i++) {
		const char *code = dtype_info((enum dtype)i)->npy;
		if (!(dtypes & DTYPE_BIT(i)))
			continue;
		if (strcmp(descr, code) == 0) {
			*ret_dtype = (enum dtype)i;
			return PMPP_OK;
		}
		text_append(expected, sizeof expected, "%s'%s'", first ? " or " : "", code);
		first = first ? first : code;
	}
	return PMPP_FAIL(error, PMPP_USAGE,
		"%s: elements are '%s', not %s: convert with .astype('%s')", path, descr, expected,
		first);
}

static enum pmpp_status check_header(const char *path, const struct header *header, unsigned dtypes,
	enum dtype *ret_dtype, size_t *ret_count, struct pmpp_error *error)
{
	size_t count = 1;
	size_t bytes;
	enum pmpp_status status = check_dtype(path, header->descr, dtypes, ret_dtype, error);

	if (status != PMPP_OK)
		return status;
	if (header->rank > NPY_MAX_RANK)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: the array has %d dimensions; the maximum is %d: reshape it", path,
			header->rank, NPY_MAX_RANK);
	for (int i = 0; i < header->rank; i++) {
		if (header->shape[i] == 0)
			return PMPP_FAIL(error, PMPP_USAGE,
				"%s: the array is empty: dimension %d has extent 0", path, i);
		if (__builtin_mul_overflow(count, (size_t)header->shape[i], &count))
			count = SIZE_MAX;
	}
	if (__builtin_mul_overflow(count, dtype_info(*ret_dtype)->bytes, &bytes) ||
		bytes > PTRDIFF_MAX)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: the shape (%" PRId64 ", %" PRId64 ") overflows the address space",
			path, header->shape[0], header->shape[1]);
	if (header->rank == 3 && header->fortran_order)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: the array has three dimensions in Fortran order: save the result of "
			"np.ascontiguousarray()",
			path);
	*ret_count = count;
	return PMPP_OK;
}

/* ---- Reading ------------------------------------------------------------------------------- */

static enum pmpp_status read_failed(
	const char *path, FILE *file, size_t header_end, struct pmpp_error *error)
{
	if (ferror(file))
		return PMPP_FAIL(
			error, PMPP_USAGE, "%s: cannot be read: %s", path, strerror(errno));
	return PMPP_FAIL(error, PMPP_USAGE,
		"%s: truncated: the file ends before the end of its header, byte %zu", path,
		header_end);
}

/* Reads the part before the data; *ret_text is malloc'ed. */
static enum pmpp_status read_header_text(const char *path, FILE *file, char **ret_text,
	size_t *ret_length, size_t *ret_base, struct pmpp_error *error)
{
	unsigned char prefix[PREFIX_V2_BYTES];
	size_t got = fread(prefix, 1, PREFIX_V1_BYTES, file);
	size_t base = PREFIX_V1_BYTES;

	if (ferror(file))
		return read_failed(path, file, base, error);
	if (got < MAGIC_BYTES || memcmp(prefix, MAGIC, MAGIC_BYTES) != 0)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: not a .npy file: it does not begin with \\x93NUMPY", path);
	if (got < PREFIX_V1_BYTES)
		return read_failed(path, file, base, error);
	if (prefix[6] < 1 || prefix[6] > 3)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: byte 6: .npy format %u.%u is not 1.0, 2.0 or 3.0", path, prefix[6],
			prefix[7]);
	size_t length = prefix[8] | (size_t)prefix[9] << 8;
	if (prefix[6] >= 2) {
		base = PREFIX_V2_BYTES;
		if (fread(prefix + PREFIX_V1_BYTES, 1, 2, file) != 2)
			return read_failed(path, file, base, error);
		length |= (size_t)prefix[10] << 16 | (size_t)prefix[11] << 24;
	}
	if (length > MAX_HEADER_BYTES)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: byte 8: the header has %zu bytes; the maximum is %d", path, length,
			MAX_HEADER_BYTES);
	char *text = malloc(length + 1);
	if (!text)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "%s: no memory for its header", path);
	if (fread(text, 1, length, file) != length) {
		free(text);
		return read_failed(path, file, base + length, error);
	}
	text[length] = '\0';
	*ret_text = text;
	*ret_length = length;
	*ret_base = base;
	return PMPP_OK;
}

/* Converts an array by columns to an array by rows, in squares that fit in the cache. Returns NULL
 * for lack of memory; the caller frees the result. */
static void *transposed(const void *by_columns, int64_t rows, int64_t columns, size_t bytes)
{
	enum {
		SQUARE = 32
	};
	char *by_rows = malloc((size_t)rows * (size_t)columns * bytes);
	const char *source = by_columns;
	int64_t size = (int64_t)bytes;

	if (!by_rows)
		return NULL;
	for (int64_t i = 0; i < rows; i += SQUARE)
		for (int64_t j = 0; j < columns; j += SQUARE)
			for (int64_t ii = i; ii < rows && ii < i + SQUARE; ii++)
				for (int64_t jj = j; jj < columns && jj < j + SQUARE; jj++)
					memcpy(by_rows + (ii * columns + jj) * size,
						source + (jj * rows + ii) * size, bytes);
	return by_rows;
}

enum pmpp_status npy_check_finite(
	const char *path, const struct npy_array *array, struct pmpp_error *error)
{
	size_t count = 1;

	for (int i = 0; i < array->rank; i++)
		count *= (size_t)array->shape[i];
	for (size_t i = 0; i < count; i++) {
		if (dtype_is_finite(array->dtype, array->data, (int64_t)i))
			continue;
		char where[64] = "";
		if (array->rank == 1)
			snprintf(where, sizeof where, "[%zu]", i);
		else if (array->rank == 2)
			snprintf(where, sizeof where, "[%zu, %zu]", i / (size_t)array->shape[1],
				i % (size_t)array->shape[1]);
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: element %s is %g: only finite numbers can be checked", path, where,
			dtype_load(array->dtype, array->data, (int64_t)i));
	}
	return PMPP_OK;
}

static enum pmpp_status read_stream(const char *path, FILE *file, unsigned dtypes,
	struct npy_array *array, struct pmpp_error *error)
{
	struct header header;
	char *text = NULL;
	size_t length = 0, base = 0, count = 0;
	enum pmpp_status status = read_header_text(path, file, &text, &length, &base, error);

	if (status != PMPP_OK)
		goto out;
	struct parser parser = {.path = path,
		.text = text,
		.next = text,
		.length = length,
		.base = base,
		.error = error};
	status = parse_header(&parser, &header)
			 ? check_header(path, &header, dtypes, &array->dtype, &count, error)
			 : PMPP_USAGE;
	if (status != PMPP_OK)
		goto out;
	size_t bytes = dtype_info(array->dtype)->bytes;
	status = payload_read(path, file, base + length, count * bytes, &array->data, error);
	if (status != PMPP_OK)
		goto out;
	array->rank = header.rank;
	memcpy(array->shape, header.shape, sizeof array->shape);
	if (header.fortran_order && header.rank == 2) {
		void *by_rows = transposed(array->data, header.shape[0], header.shape[1], bytes);
		if (!by_rows) {
			status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY,
				"%s: no memory to convert the array to C order", path);
			goto out;
		}
		free(array->data);
		array->data = by_rows;
	}
out:
	free(text);
	return status;
}

enum pmpp_status npy_read(const char *path, FILE *file, unsigned dtypes,
	struct npy_array *ret_array, struct pmpp_error *error)
{
	struct npy_array array = {0};
	enum pmpp_status status = read_stream(path, file, dtypes, &array, error);

	if (status != PMPP_OK) {
		npy_array_finish(&array);
		return status;
	}
	*ret_array = array;
	return PMPP_OK;
}

void npy_array_finish(struct npy_array *array)
{
	free(array->data);
	*array = (struct npy_array){0};
}

/* ---- Writing ------------------------------------------------------------------------------- */

enum pmpp_status npy_write(const char *path, enum dtype dtype, const void *data, int rank,
	const int64_t *shape, struct pmpp_error *error)
{
	char extents[64] = "";
	char dict[128];
	char header[192];
	size_t count = 1;

	for (int i = 0; i < rank; i++) {
		count *= (size_t)shape[i];
		/* "(3,)" is a tuple, "(3)" a number. */
		text_append(extents, sizeof extents, "%s%" PRId64 "%s", i ? " " : "", shape[i],
			i == 0 || i + 1 < rank ? "," : "");
	}
	int length = snprintf(dict, sizeof dict,
		"{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", dtype_info(dtype)->npy,
		extents);
	/* Padded by spaces and a line feed, so that the data begin at a multiple of 64. */
	int padded = (PREFIX_V1_BYTES + length + 1 + 63) / 64 * 64 - PREFIX_V1_BYTES;
	memcpy(header, MAGIC "\x01\x00", MAGIC_BYTES + 2);
	header[8] = (char)(padded & 0xff);
	header[9] = (char)(padded >> 8);
	snprintf(header + PREFIX_V1_BYTES, sizeof header - PREFIX_V1_BYTES, "%-*s\n", padded - 1,
		dict);
	const struct iovec parts[] = {
		{header, PREFIX_V1_BYTES + (size_t)padded},
		{(void *)(uintptr_t)data, count * dtype_info(dtype)->bytes},
	};
	return atomic_file_write(path, parts, 2, error);
}
