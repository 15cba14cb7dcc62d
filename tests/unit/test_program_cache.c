/* The cache on disk. Every row has a folder of its own; the user's cache is never touched. */
#include "host/gpu/program_cache.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char payload[] = "the program, as bytes: \0\1\2\xff and more";

static void key_of(const char *text, char key[PROGRAM_CACHE_KEY_LENGTH + 1])
{
	program_cache_key((const char *const[]){text, "sm_90", NULL}, key);
}

static const char *fresh_cache(void)
{
	const char *folder = test_folder();

	setenv("XDG_CACHE_HOME", folder, 1);
	unsetenv("PMPP_NO_CACHE");
	return folder;
}

static void entry_file(const char *folder, const char *key, char *ret_path, size_t size)
{
	snprintf(ret_path, size, "%s/pmpp/programs/%s", folder, key);
}

static void expect_payload(const char *key)
{
	void *bytes = NULL;
	size_t size = 0;

	assert_int_equal(program_cache_load(key, &bytes, &size), GPU_CACHE_HIT);
	assert_int_equal(size, sizeof payload);
	assert_memory_equal(bytes, payload, size);
	free(bytes);
}

static size_t files_in(const char *folder)
{
	char path[500];
	size_t count = 0;

	snprintf(path, sizeof path, "%s/pmpp/programs", folder);
	DIR *directory = opendir(path);
	assert_non_null(directory);
	for (struct dirent *entry; (entry = readdir(directory));)
		count += entry->d_name[0] != '.';
	closedir(directory);
	return count;
}

/* ---- Keys ---------------------------------------------------------------------------------- */

static void keys(const void *context)
{
	static const char *const lists[][4] = {{"ab", "c"}, {"a", "bc"}, {"abc"}, {"abc", ""},
		{"", "abc"}, {"a", "b", "c"}, {"c", "ab"}, {""}, {NULL}};
	enum {
		COUNT = sizeof lists / sizeof *lists
	};
	char made[COUNT][PROGRAM_CACHE_KEY_LENGTH + 1];
	char again[PROGRAM_CACHE_KEY_LENGTH + 1];

	(void)context;
	for (size_t i = 0; i < COUNT; i++) {
		program_cache_key(lists[i], made[i]);
		assert_int_equal(strlen(made[i]), PROGRAM_CACHE_KEY_LENGTH);
		assert_int_equal(strspn(made[i], "0123456789abcdef"), PROGRAM_CACHE_KEY_LENGTH);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(made[i], made[j]);
		program_cache_key(lists[i], again);
		assert_string_equal(made[i], again);
	}
}

/* ---- Load and store ------------------------------------------------------------------------ */

static void round_trip(const void *context)
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1], other[PROGRAM_CACHE_KEY_LENGTH + 1];
	const char *folder = fresh_cache();
	void *bytes = NULL;
	size_t size = 0;

	(void)context;
	key_of("a", key);
	key_of("b", other);
	assert_int_equal(program_cache_load(key, &bytes, &size), GPU_CACHE_MISS);
	assert_null(bytes);
	program_cache_store(key, payload, sizeof payload);
	expect_payload(key);
	assert_int_equal(program_cache_load(other, &bytes, &size), GPU_CACHE_MISS);
	program_cache_store(key, "second", 7);
	assert_int_equal(program_cache_load(key, &bytes, &size), GPU_CACHE_HIT);
	assert_string_equal(bytes, "second");
	free(bytes);
	assert_int_equal(files_in(folder), 1); /* no temporary is left */
}

static void large_entry(const void *context)
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];
	size_t size = 3 << 20, got = 0;
	unsigned char *bytes = malloc(size);
	void *loaded = NULL;

	(void)context;
	fresh_cache();
	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)(i * 31 + (i >> 8));
	key_of("large", key);
	program_cache_store(key, bytes, size);
	assert_int_equal(program_cache_load(key, &loaded, &got), GPU_CACHE_HIT);
	assert_int_equal(got, size);
	assert_memory_equal(loaded, bytes, size);
	free(loaded);
	free(bytes);
}

/* ---- Damage -------------------------------------------------------------------------------- */

static const struct damage_row {
	const char *name;
	long at;     /* byte to change; negative: counted from the end */
	long length; /* new length, relative to the old; 0: a byte is changed */
} damage_rows[] = {
	{"first byte", 0, 0},
	{"version", 8, 0},
	{"size", 16, 0},
	{"high byte of the size", 23, 0},
	{"checksum", 30, 0},
	{"first byte of the program", -(long)sizeof payload, 0},
	{"last byte", -1, 0},
	{"one byte short", 0, -1},
	{"only the header", 0, -(long)sizeof payload},
	{"half a header", 0, -(long)sizeof payload - 20},
	{"empty", 0, -1000},
	{"one byte long", 0, 1},
};

static void damage(const char *path, const struct damage_row *row)
{
	struct stat info;
	int file = open(path, O_RDWR);
	unsigned char byte;

	assert_true(file >= 0 && fstat(file, &info) == 0);
	if (row->length != 0) {
		long length = info.st_size + row->length;
		assert_int_equal(ftruncate(file, length > 0 ? length : 0), 0);
	} else {
		long at = row->at < 0 ? info.st_size + row->at : row->at;
		assert_int_equal(pread(file, &byte, 1, at), 1);
		byte ^= 0x40;
		assert_int_equal(pwrite(file, &byte, 1, at), 1);
	}
	close(file);
}

static void damaged(const void *context)
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1], path[500];
	const char *folder = fresh_cache();
	void *bytes = NULL;
	size_t size = 0;

	key_of("damaged", key);
	program_cache_store(key, payload, sizeof payload);
	entry_file(folder, key, path, sizeof path);
	damage(path, context);
	assert_int_equal(program_cache_load(key, &bytes, &size), GPU_CACHE_REBUILT);
	assert_null(bytes);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(program_cache_load(key, &bytes, &size), GPU_CACHE_MISS);
	program_cache_store(key, payload, sizeof payload);
	expect_payload(key);
}

/* ---- Where there is no cache --------------------------------------------------------------- */

static void expect_no_cache(void)
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];
	void *bytes = NULL;
	size_t size = 0;

	key_of("nowhere", key);
	program_cache_store(key, payload, sizeof payload);
	assert_int_equal(program_cache_load(key, &bytes, &size), GPU_CACHE_MISS);
	assert_null(bytes);
}

/* A file in the folder's place stops even root. */
static void unwritable(const void *context)
{
	const char *folder = fresh_cache();
	char path[500], found[500] = "unset";

	(void)context;
	snprintf(path, sizeof path, "%s/pmpp", folder);
	test_write_file(path, "", 0);
	expect_no_cache();
	pmpp_cache_folder("programs", found, sizeof found);
	assert_string_equal(found, "");
	setenv("XDG_CACHE_HOME", "/proc/1/nowhere", 1);
	expect_no_cache();
}

static void read_only(const void *context)
{
	const char *folder = fresh_cache();
	char path[500];

	(void)context;
	if (geteuid() == 0)
		test_skip("root may write everywhere");
	snprintf(path, sizeof path, "%s/pmpp", folder);
	assert_int_equal(mkdir(path, 0500), 0);
	expect_no_cache();
}

static void switched_off(const void *context)
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];

	(void)context;
	fresh_cache();
	key_of("off", key);
	program_cache_store(key, payload, sizeof payload);
	setenv("PMPP_NO_CACHE", "1", 1);
	expect_no_cache();
	setenv("PMPP_NO_CACHE", "0", 1);
	expect_payload(key);
	unsetenv("PMPP_NO_CACHE");
	expect_payload(key);
}

static void folders(const void *context)
{
	const char *folder = fresh_cache();
	char found[500] = "", expected[500], small[8] = "unset";
	struct stat info;

	(void)context;
	snprintf(expected, sizeof expected, "%s/pmpp/roofs", folder);
	pmpp_cache_folder("roofs", found, sizeof found);
	assert_string_equal(found, expected);
	assert_int_equal(stat(found, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0700);
	pmpp_cache_folder("roofs", small, sizeof small);
	assert_string_equal(small, "");

	setenv("XDG_CACHE_HOME", "relative/path", 1);
	setenv("HOME", folder, 1);
	snprintf(expected, sizeof expected, "%s/.cache/pmpp/programs", folder);
	pmpp_cache_folder("programs", found, sizeof found);
	assert_string_equal(found, expected);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	pmpp_cache_folder("programs", found, sizeof found);
	assert_string_equal(found, "");
	expect_no_cache();
}

/* ---- Several processes --------------------------------------------------------------------- */

/* Stores and loads one key; the exit code says whether a torn entry was seen. */
static void hammer(const char *key)
{
	for (int i = 0; i < 200; i++) {
		void *bytes = NULL;
		size_t size = 0;
		enum gpu_cache_outcome outcome;

		program_cache_store(key, payload, sizeof payload);
		outcome = program_cache_load(key, &bytes, &size);
		if (outcome != GPU_CACHE_HIT || size != sizeof payload ||
			memcmp(bytes, payload, size) != 0)
			_exit(1);
		free(bytes);
	}
	_exit(0);
}

static void together(const void *context)
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];
	const char *folder = fresh_cache();
	pid_t children[4];
	int state;

	(void)context;
	key_of("together", key);
	for (size_t i = 0; i < 4; i++) {
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (children[i] == 0)
			hammer(key);
	}
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(waitpid(children[i], &state, 0), children[i]);
		assert_true(WIFEXITED(state));
		assert_int_equal(WEXITSTATUS(state), 0);
	}
	assert_int_equal(files_in(folder), 1);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	test_add(&list, keys, NULL, "keys are separate");
	test_add(&list, round_trip, NULL, "store and load");
	test_add(&list, large_entry, NULL, "an entry of 3 MiB");
	for (size_t i = 0; i < sizeof damage_rows / sizeof *damage_rows; i++)
		test_add(&list, damaged, &damage_rows[i], "damaged: %s", damage_rows[i].name);
	test_add(&list, unwritable, NULL, "a folder that cannot be made");
	test_add(&list, read_only, NULL, "a folder that is read-only");
	test_add(&list, switched_off, NULL, "PMPP_NO_CACHE");
	test_add(&list, folders, NULL, "folders");
	test_add(&list, together, NULL, "four processes, one entry");
	return test_run(&list, argc, argv);
}
