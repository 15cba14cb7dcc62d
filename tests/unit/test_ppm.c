/* .ppm files: valid files in all forms, and invalid files. */
#include "host/io/npy.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#define MAX_BYTES 70000

struct file {
	unsigned char bytes[MAX_BYTES];
	size_t size;
};

/* The header, then count bytes 0, 1, ... */
static struct file make(const char *header, size_t count)
{
	struct file file = {.size = strlen(header)};

	memcpy(file.bytes, header, file.size);
	for (size_t i = 0; i < count; i++)
		file.bytes[file.size++] = (unsigned char)i;
	return file;
}

static const char *write_file(const struct file *file, const char *name)
{
	static char path[600];

	snprintf(path, sizeof path, "%s/%s", test_folder(), name);
	test_write_file(path, file->bytes, file->size);
	return path;
}

#define PICTURE "P6\n3 2\n255\n" /* 18 bytes follow */

/* ---- Good files ---------------------------------------------------------------------------- */

static const char *const good_headers[] = {
	PICTURE,
	"P6 3 2 255 ",
	"P6\t3\r\n2 \v\f 255\t",
	"P6\n# made by a program\n3 2\n255\n",
	"P6\n#\n# two lines, one empty\n3 # behind it\n2\n# P5 7 7\n255\n",
	"P6\n0003 02\n00255\n",
};

static bool is_picture(const char *path)
{
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	bool is = ppm_is(path, file);
	assert_int_equal(ftell(file), 0);
	fclose(file);
	return is;
}

static enum pmpp_status read_path(
	const char *path, struct npy_array *ret_array, struct pmpp_error *error)
{
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	enum pmpp_status status = ppm_read(path, file, ret_array, error);
	fclose(file);
	return status;
}

static void good(const void *context)
{
	const char *header = *(const char *const *)context;
	struct file file = make(header, 18);
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct npy_array array = {0};

	const char *path = write_file(&file, "a.ppm");
	assert_true(is_picture(path));
	test_ok(read_path(path, &array, &error), &error);
	assert_int_equal(array.dtype, DTYPE_U8);
	assert_int_equal(array.rank, 3);
	assert_int_equal(array.shape[0], 2);
	assert_int_equal(array.shape[1], 3);
	assert_int_equal(array.shape[2], 3);
	for (size_t i = 0; i < 18; i++)
		assert_int_equal(((const unsigned char *)array.data)[i], i);
	npy_array_finish(&array);
}

/* ---- Bad files ----------------------------------------------------------------------------- */

static void expect_refused(const struct file *file, const char *part)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct npy_array array = {.rank = 77};
	const char *path = write_file(file, "b.ppm");
	enum pmpp_status status = read_path(path, &array, &error);
	bool names_path = strncmp(error.message, path, strlen(path)) == 0;
	bool plain = !strchr(error.message, '\033') && !strchr(error.message, '\n');

	test_refused(status, PMPP_USAGE, &error, part);
	assert_true(names_path && plain);
	assert_int_equal(array.rank, 77);
	assert_null(array.data);
}

static const struct bad_row {
	const char *name, *header;
	size_t count;
	const char *part;
} bad_rows[] = {
	{"empty", "", 0, "it does not begin with P6"},
	{"one letter", "P", 0, "it does not begin with P6"},
	{"another file", "GIF89a", 20, "it does not begin with P6"},
	{"P1", "P1\n3 2\n0 0 0 0 0 0\n", 0, "P1"},
	{"P3", "P3\n3 2\n255\n1 2 3\n", 0, "P3"},
	{"P5", "P5\n3 2\n255\n", 6, "P5"},
	{"P7", "P7\nWIDTH 3\n", 0, "P7"},
	{"PF", "PF\n3 2\n-1.0\n", 72, "PF"},
	{"P8", "P8\n3 2\n255\n", 18, "it does not begin with P6"},
	{"P63", "P63 2 255\n", 18, "byte 2"},
	{"no header", "P6", 0, "byte 2"},
	{"no sizes", "P6\n", 0, "byte 3, in its header, before the width"},
	{"no height", "P6\n3\n", 0, "height"},
	{"no maxval", "P6\n3 2\n", 0, "maxval"},
	{"an open comment", "P6\n3 2\n# 255 and so on", 0, "maxval"},
	{"no end of the header", "P6\n3 2\n255", 0, "truncated"},
	{"data directly after the header", "P6\n3 2\n255x", 18, "byte 10"},
	{"a word", "P6\nwide 2\n255\n", 18, "byte 3: the width is not a number"},
	{"negative", "P6\n3 -2\n255\n", 18, "byte 5: the height is not a number"},
	{"a fraction", "P6\n3.5 2\n255\n", 18, "byte 4"},
	{"width 0", "P6\n0 2\n255\n", 0, "byte 3: the width is 0"},
	{"height 0", "P6\n3 0\n255\n", 0, "byte 5: the height is 0"},
	{"maxval 0", "P6\n3 2\n0\n", 18, "byte 7: the maxval is 0"},
	{"maxval 15", "P6\n3 2\n15\n", 18, "maxval"},
	{"maxval 65535", "P6\n3 2\n65535\n", 36, "65535"},
	{"width over 64 bits", "P6\n99999999999999999999 2\n255\n", 18,
		"byte 3: the width overflows"},
	{"pixels over 64 bits", "P6\n4294967296 4294967296\n255\n", 18, "overflows the address"},
	{"bytes over 64 bits", "P6\n6148914691236517206 1\n255\n", 18, "overflows the address"},
	{"30 TB declared", "P6\n10000000 1000000\n255\n", 18, "truncated: ends at byte 42"},
	{"control characters", "P6\n\033[31m 2\n255\n", 18, "byte 3"},
};

static void bad(const void *context)
{
	const struct bad_row *row = context;
	struct file file = make(row->header, row->count);

	expect_refused(&file, row->part);
}

/* A truncated file, or a file with one more byte, is refused. */
static void truncated(const void *context)
{
	struct file whole = make("P6\n# c\n3 2\n255\n", 18);

	(void)context;
	for (size_t size = 0; size < whole.size; size++) {
		struct file file = whole;
		file.size = size;
		expect_refused(&file, NULL);
	}
	whole.size++;
	expect_refused(&whole, "byte 33: unexpected bytes after the data");
}

/* A header that does not end within 64 KiB is refused. */
static void endless(const void *context)
{
	struct file file = {.bytes = "P6\n#", .size = MAX_BYTES};

	(void)context;
	memset(file.bytes + 4, ' ', MAX_BYTES - 4);
	expect_refused(&file, "byte 65535");
}

/* One bit of a file is changed. The file is refused, or read with all of its bytes in pixels. The
 * run with sanitizers finds invalid memory accesses. */
static void mutated(const void *context)
{
	struct file whole = make(PICTURE, 18);
	size_t refused = 0;

	(void)context;
	for (size_t at = 0; at < strlen(PICTURE); at++)
		for (int bit = 0; bit < 8; bit++) {
			struct file file = whole;
			struct pmpp_error error = PMPP_ERROR_INIT;
			struct npy_array array = {0};

			file.bytes[at] ^= (unsigned char)(1 << bit);
			if (read_path(write_file(&file, "c.ppm"), &array, &error) == PMPP_OK)
				assert_int_equal(array.shape[0] * array.shape[1], 6);
			else
				refused++;
			pmpp_error_clear(&error);
			npy_array_finish(&array);
		}
	assert_true(refused > 60);
}

/* ---- Which files are pictures --------------------------------------------------------------- */

static void told_apart(const void *context)
{
	static const struct {
		const char *name, *content;
		bool is;
	} rows[] = {
		{"a.ppm", PICTURE, true},
		{"picture", PICTURE, true},
		{"a.npy", PICTURE, true},
		{"a.pgm", "P5\n3 2\n255\n", true},
		{"a.dat", "P3\n", true},
		{"a.PPM", "GIF89a", true},
		{"empty.ppm", "", true},
		{"a.npy", "\x93NUMPY", false},
		{"a.npy", "PK\x03\x04", false},
		{"a.npy", "", false},
	};
	char path[600];

	(void)context;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(path, sizeof path, "%s/%s", test_folder(), rows[i].name);
		test_write_file(path, rows[i].content, strlen(rows[i].content));
		if (is_picture(path) != rows[i].is)
			test_fail("%s with %zu bytes", rows[i].name, strlen(rows[i].content));
	}
}

static void folder(const void *context)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct npy_array array = {0};

	(void)context;
	test_refused(
		read_path(test_folder(), &array, &error), PMPP_USAGE, &error, "cannot be read");
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof good_headers / sizeof *good_headers; i++)
		test_add(&list, good, &good_headers[i], "read: header %zu", i);
	for (size_t i = 0; i < sizeof bad_rows / sizeof *bad_rows; i++)
		test_add(&list, bad, &bad_rows[i], "refused: %s", bad_rows[i].name);
	test_add(&list, truncated, NULL, "truncated anywhere, and one byte too long");
	test_add(&list, endless, NULL, "refused: a header without end");
	test_add(&list, mutated, NULL, "one bit changed anywhere");
	test_add(&list, told_apart, NULL, "which files are pictures");
	test_add(&list, folder, NULL, "refused: a folder");
	return test_run(&list, argc, argv);
}
