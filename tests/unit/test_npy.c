/* .npy files: files as NumPy writes them, other valid files, and invalid files. */
#include "host/io/npy.h"
#include "tests/support/test.h"

#include <unistd.h>

#define MAX_BYTES 12000

struct file {
	unsigned char bytes[MAX_BYTES];
	size_t size;
};

/* A file of format `version`.0 with this dict, padded like NumPy's, and `count` floats 0, 1, ... */
static struct file make(unsigned version, const char *dict, size_t count)
{
	struct file file = {.bytes = "\x93NUMPY"};
	size_t prefix = version >= 2 ? 12 : 10;
	size_t length = (prefix + strlen(dict) + 1 + 63) / 64 * 64 - prefix;

	file.bytes[6] = (unsigned char)version;
	for (size_t i = 8; i < prefix; i++)
		file.bytes[i] = (unsigned char)(length >> 8 * (i - 8));
	memset(file.bytes + prefix, ' ', length);
	memcpy(file.bytes + prefix, dict, strlen(dict));
	file.bytes[prefix + length - 1] = '\n';
	file.size = prefix + length;
	for (size_t i = 0; i < count; i++, file.size += sizeof(float)) {
		float value = (float)i;
		memcpy(file.bytes + file.size, &value, sizeof value);
	}
	return file;
}

#define DICT(order, shape) "{'descr': '<f4', 'fortran_order': " order ", 'shape': " shape ", }"
#define TYPE(type) "{'descr': '" type "', 'fortran_order': False, 'shape': (2, 3), }"
#define C_2X3 DICT("False", "(2, 3)")

static enum pmpp_status read_path(
	const char *path, unsigned dtypes, struct npy_array *ret_array, struct pmpp_error *error)
{
	FILE *file = fopen(path, "rb");

	SOME(file);
	enum pmpp_status status = npy_read(path, file, dtypes, ret_array, error);
	fclose(file);
	return status;
}

/* Reads like --in for a family with default input rules: f32, finite values. */
static enum pmpp_status read_array(
	const char *path, struct npy_array *ret_array, struct pmpp_error *error)
{
	struct npy_array array;
	enum pmpp_status status = read_path(path, DTYPE_BIT(DTYPE_F32), &array, error);

	if (status != PMPP_OK)
		return status;
	status = npy_check_finite(path, &array, error);
	if (status == PMPP_OK)
		*ret_array = array;
	else
		npy_array_finish(&array);
	return status;
}

static const char *write_file(const struct file *file)
{
	const char *path = test_text("%s/a.npy", test_folder());

	test_write_file(path, file->bytes, file->size);
	return path;
}

/* ---- Good files ---------------------------------------------------------------------------- */

static const struct good_row {
	const char *name, *dict;
	unsigned version;
	int rank;
	int64_t shape[2];
	bool fortran;
} good_rows[] = {
	{"2 x 3", C_2X3, 1, 2, {2, 3}, false},
	{"2 x 3, Fortran order", DICT("True", "(2, 3)"), 1, 2, {2, 3}, true},
	{"1 x 6, Fortran order", DICT("True", "(1, 6)"), 1, 2, {1, 6}, true},
	{"6 x 1, Fortran order", DICT("True", "(6, 1)"), 1, 2, {6, 1}, true},
	{"a vector", DICT("False", "(6,)"), 1, 1, {6, 1}, false},
	{"a vector, Fortran order", DICT("True", "(6,)"), 1, 1, {6, 1}, false},
	{"a scalar", DICT("False", "()"), 1, 0, {1, 1}, false},
	{"format 2.0", C_2X3, 2, 2, {2, 3}, false},
	{"format 3.0", C_2X3, 3, 2, {2, 3}, false},
	{"no trailing comma", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", 1, 2,
		{2, 3}, false},
	{"keys in another order", "{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4'}", 1, 2,
		{2, 3}, false},
	{"double quotes", "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (2, 3)}", 1, 2,
		{2, 3}, false},
	{"Python 2 long integers", DICT("False", "(2L, 3L)"), 1, 2, {2, 3}, false},
};

TEST_ROWS(good, good_rows, "read: %s", row->name)
{
	size_t count = (size_t)(row->shape[0] * row->shape[1]);
	struct file file = make(row->version, row->dict, count);
	struct npy_array array = {0};

	test_ok(read_array(write_file(&file), &array, &test_error));
	CHECK(EQUAL(array.rank, row->rank), EQUAL(array.shape[0], row->shape[0]),
		EQUAL(array.shape[1], row->shape[1]));
	for (size_t i = 0; i < count; i++) {
		size_t columns = (size_t)row->shape[1], rows = (size_t)row->shape[0];
		size_t stored = row->fortran ? i % columns * rows + i / columns : i;
		test_near(dtype_load(DTYPE_F32, array.data, (int64_t)i), (double)stored, 0);
	}
	npy_array_finish(&array);
	NIL(array.data);
}

/* ---- Bad headers --------------------------------------------------------------------------- */

static const struct bad_row {
	const char *name, *dict, *part;
} bad_rows[] = {
	{"float64", TYPE("<f8"), "elements are '<f8'"},
	{"int32", TYPE("<i4"), "elements are '<i4'"},
	{"complex", TYPE("<c8"), "elements are '<c8'"},
	{"bool", TYPE("|b1"), "elements are '|b1'"},
	{"big-endian", TYPE(">f4"), "elements are '>f4'"},
	{"unknown type", TYPE("<q9"), "<q9"},
	{"empty type", TYPE(""), "<f4"},
	{"Python objects", TYPE("|O"), "elements are '|O'"},
	{"records", "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2, 3), }",
		"record"},
	{"long type", "{'descr': '<f4<f4<f4<f4<f4<f4<f4<f4<f4<f4<f4<f4', 'shape': (2, 3), }",
		"long"},
	{"three dimensions in Fortran order", DICT("True", "(2, 3, 1)"), "Fortran order"},
	{"four dimensions", DICT("False", "(2, 3, 1, 1)"), "4 dimensions"},
	{"many dimensions", DICT("False", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,6)"),
		"20 dimensions"},
	{"empty", DICT("False", "(0, 3)"), "extent 0"},
	{"negative", DICT("False", "(-2, 3)"), "shape"},
	{"extent over 64 bits", DICT("False", "(18446744073709551617, 3)"), "overflow"},
	{"count over 64 bits", DICT("False", "(4294967296, 4294967296)"), "overflow"},
	{"bytes over 64 bits", DICT("False", "(4611686018427387904, 1)"), "overflow"},
	{"shape is a number", DICT("False", "6"), "tuple"},
	{"shape of words", DICT("False", "('a', 3)"), "shape"},
	{"open tuple", DICT("False", "(2, 3"), "shape"},
	{"order is a number", DICT("0", "(2, 3)"), "fortran_order"},
	{"no type", "{'fortran_order': False, 'shape': (2, 3), }", "is missing"},
	{"no order", "{'descr': '<f4', 'shape': (2, 3), }", "is missing"},
	{"no shape", "{'descr': '<f4', 'fortran_order': False, }", "is missing"},
	{"a key twice", "{'descr': '<f4', 'descr': '<f4', 'shape': (2, 3)}", "twice"},
	{"a foreign key", "{'descr': '<f4', 'colour': 1, }", "key"},
	{"no dict", "'<f4', False, (2, 3)", "'{'"},
	{"open dict", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), ", NULL},
	{"open quote", "{'descr': '<f4", "quote"},
	{"text after it", C_2X3 " x", "unexpected text after"},
	{"a dict of nothing", "", "'{'"},
	{"control characters", TYPE("\033[31m"), NULL},
};

static void expect_refused(const struct file *file, const char *part)
{
	struct npy_array array = {.rank = 77};
	const char *path = write_file(file);
	enum pmpp_status status = read_array(path, &array, &test_error);
	bool names_path = strncmp(test_error.message, path, strlen(path)) == 0;
	bool plain = !strchr(test_error.message, '\033') && !strchr(test_error.message, '\n');

	test_refused(status, PMPP_USAGE, part);
	CHECK(IS(names_path && plain), EQUAL(array.rank, 77), NIL(array.data));
}

TEST_ROWS(bad, bad_rows, "refused: %s", row->name)
{
	struct file file = make(1, row->dict, 6);

	expect_refused(&file, row->part);
}

/* ---- Bad bytes ----------------------------------------------------------------------------- */

static const unsigned versions[] = {1, 2};

/* A truncated file is refused. The message has the byte at which the file ends. */
TEST_ROWS(truncated, versions, "truncated anywhere, format %u.0", *row)
{
	struct file whole = make(*row, C_2X3, 6);

	for (size_t size = 0; size < whole.size; size++) {
		struct file file = whole;
		file.size = size;
		expect_refused(&file, NULL);
	}
}

TEST(too_long, "refused: more data than declared")
{
	struct file file = make(1, C_2X3, 7);

	expect_refused(&file, "unexpected bytes after the data");
	file.size -= 3;
	expect_refused(&file, "unexpected bytes after the data");
}

TEST(prefixes, "refused: prefixes")
{
	struct file file = make(1, C_2X3, 6);

	file.bytes[0] = 'P';
	expect_refused(&file, "not a .npy file");
	file = make(1, C_2X3, 6);
	file.bytes[6] = 9;
	expect_refused(&file, "9.0");
	file = make(1, C_2X3, 6);
	file.bytes[6] = 0;
	expect_refused(&file, "0.0");
	file = make(2, C_2X3, 6);
	file.bytes[11] = 0xff; /* a header of 4 GB */
	expect_refused(&file, "header");
	file = make(1, C_2X3, 6);
	file.bytes[8] = file.bytes[9] = 0;
	expect_refused(&file, NULL);
	file.size = 0;
	expect_refused(&file, "not a .npy file");
}

/* One bit of the prefix or header is changed. The file is refused, or read with six elements. The
 * run with sanitizers finds invalid memory accesses. */
TEST(mutated, "one bit changed anywhere")
{
	struct file whole = make(1, C_2X3, 6);
	size_t refused = 0;

	for (size_t at = 0; at < whole.size; at++)
		for (int bit = 0; bit < 8; bit += 3) {
			struct file file = whole;
			FINISHED(npy_array_finish) struct npy_array array = {0};

			file.bytes[at] ^= (unsigned char)(1 << bit);
			char path[] = "/tmp/pmpp-npy-XXXXXX";
			int handle = mkstemp(path);
			IS(handle >= 0);
			EQUAL(write(handle, file.bytes, file.size), file.size);
			close(handle);
			if (read_array(path, &array, &test_error) == PMPP_OK)
				EQUAL(array.shape[0] * array.shape[1], 6);
			else
				refused++;
			unlink(path);
			pmpp_error_clear(&test_error);
		}
	IS(refused > 50);
}

static const struct number_row {
	const char *name;
	uint32_t bits;
	bool good;
} number_rows[] = {{"NaN", 0x7fc00000, false}, {"signalling NaN", 0x7f800001, false},
	{"inf", 0x7f800000, false}, {"-inf", 0xff800000, false}, {"-0", 0x80000000, true},
	{"a subnormal", 1, true}, {"FLT_MAX", 0x7f7fffff, true}};

TEST_ROWS(numbers, number_rows, "%s: %s", row->good ? "read" : "refused", row->name)
{
	struct file file = make(1, C_2X3, 6);
	FINISHED(npy_array_finish) struct npy_array array = {0};

	memcpy(file.bytes + file.size - 2 * sizeof row->bits, &row->bits, sizeof row->bits);
	if (!row->good) {
		expect_refused(&file, "[1, 1]");
		return;
	}
	test_ok(read_array(write_file(&file), &array, &test_error));
	assert_memory_equal((const float *)array.data + 4, &row->bits, sizeof row->bits);
}

/* A header can declare any size: memory is allocated only as data are read. */
TEST(promises, "refused: 400 GB declared, 24 bytes present")
{
	struct file file = make(1, DICT("False", "(1000000, 100000)"), 6);

	expect_refused(&file, "truncated");
}

TEST(folder, "refused: a folder")
{
	struct npy_array array = {0};

	test_refused(read_array(test_folder(), &array, &test_error), PMPP_USAGE, "cannot be read");
}

static const int ranks[] = {1, 2};

/* ---- Writing ------------------------------------------------------------------------------- */

TEST_ROWS(written, ranks, "written and read, rank %d", *row)
{
	int rank = *row;
	static const float data[6] = {0, -1.5f, 2e30f, 1e-40f, -0.0f, 5};
	int64_t shape[2] = {rank == 2 ? 2 : 6, 3};
	FINISHED(npy_array_finish) struct npy_array array = {0};
	const char *path = test_text("%s/out.npy", test_folder());
	char head[128] = "";

	test_ok(npy_write(path, DTYPE_F32, data, rank, shape, &test_error));
	test_ok(read_array(path, &array, &test_error));
	CHECK(EQUAL(array.rank, rank), EQUAL(array.shape[0] * array.shape[1], 6));
	assert_memory_equal(array.data, data, sizeof data);

	FILE *file = fopen(path, "rb");
	CHECK(SOME(file), EQUAL(fread(head, 1, sizeof head - 1, file), sizeof head - 1));
	assert_memory_equal(head, "\x93NUMPY\x01\x00", 8);
	EQUAL((10 + (unsigned char)head[8] + 256 * (unsigned char)head[9]) % 64, 0);
	HAS(head + 10, rank == 2 ? "(2, 3)" : "(6,)");
	fclose(file);
}

TEST(unwritable, "unwritable")
{
	static const float data[1] = {1};
	int64_t shape[1] = {1};
	const char *path = test_text("%s/no/folder/out.npy", test_folder());

	test_refused(npy_write(path, DTYPE_F32, data, 1, shape, &test_error), PMPP_IO, "out.npy");
	EQUAL(access(path, F_OK), -1);
	test_refused(
		npy_write(test_folder(), DTYPE_F32, data, 1, shape, &test_error), PMPP_IO, NULL);
}

/* Writes and reads every type. A type that is not accepted is refused; the message lists the
 * accepted types. */
static const enum dtype dtypes[] = {DTYPE_F32, DTYPE_F16, DTYPE_I32, DTYPE_U32, DTYPE_U8};

TEST_ROWS(types, dtypes, "elements of %s", dtype_info(*row)->name)
{
	enum dtype dtype = *row;
	const int64_t shape[3] = {2, 1, 3};
	uint32_t data[6] = {0}, other = dtype == DTYPE_U8 ? DTYPE_F32 : DTYPE_U8;
	struct npy_array array = {0};
	const char *path = test_text("%s/types.npy", test_folder());

	for (int64_t i = 0; i < 6; i++)
		dtype_store(dtype, data, i, (double)i + 1);
	test_ok(npy_write(path, dtype, data, 3, shape, &test_error));
	test_ok(read_path(path, DTYPE_BIT(dtype) | DTYPE_BIT(other), &array, &test_error));
	CHECK(EQUAL(array.dtype, dtype), EQUAL(array.rank, 3));
	assert_memory_equal(array.shape, shape, sizeof shape);
	assert_memory_equal(array.data, data, 6 * dtype_info(dtype)->bytes);
	npy_array_finish(&array);
	test_refused(read_path(path, DTYPE_BIT(other), &array, &test_error), PMPP_USAGE,
		dtype_info((enum dtype)other)->npy);
}
