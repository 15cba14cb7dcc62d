/* The cache on disk. Every row uses a new folder, never the cache of the user. */
#include "host/gpu/program_cache.h"
#include "host/io/cache_file.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
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
	FREED void *bytes = NULL;
	size_t size = 0;

	EQUAL(program_cache_load(key, &bytes, &size), GPU_CACHE_HIT);
	EQUAL(size, sizeof payload);
	assert_memory_equal(bytes, payload, size);
}

/* hidden: also count temporary files. */
static size_t files_in(const char *folder, bool hidden)
{
	char path[500];
	size_t count = 0;

	snprintf(path, sizeof path, "%s/pmpp/programs", folder);
	DIR *directory = opendir(path);
	SOME(directory);
	for (struct dirent *entry; (entry = readdir(directory));)
		count += entry->d_name[0] != '.' || (hidden && strcmp(entry->d_name, ".") != 0 &&
							    strcmp(entry->d_name, "..") != 0);
	closedir(directory);
	return count;
}

/* The reason of the last failure names the path and what is wrong with it. */
static void expect_problem(const char *path, const char *part)
{
	char text[CACHE_TEXT_BYTES] = "";

	if (!cache_file_problem(text))
		test_fail("no reason is given; expected %s: %s", path, part);
	if (strncmp(text, path, strlen(path)) != 0 || !strstr(text, part))
		test_fail("'%s' lacks %s or %s", text, path, part);
}

/* ---- Keys ---------------------------------------------------------------------------------- */

TEST(keys, "keys are separate")
{
	static const char *const lists[][4] = {{"ab", "c"}, {"a", "bc"}, {"abc"}, {"abc", ""},
		{"", "abc"}, {"a", "b", "c"}, {"c", "ab"}, {""}, {NULL}};
	enum {
		COUNT = sizeof lists / sizeof *lists
	};
	char made[COUNT][PROGRAM_CACHE_KEY_LENGTH + 1], again[PROGRAM_CACHE_KEY_LENGTH + 1];

	for (size_t i = 0; i < COUNT; i++) {
		program_cache_key(lists[i], made[i]);
		EQUAL(strlen(made[i]), PROGRAM_CACHE_KEY_LENGTH);
		EQUAL(strspn(made[i], "0123456789abcdef"), PROGRAM_CACHE_KEY_LENGTH);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(made[i], made[j]);
		program_cache_key(lists[i], again);
		STRING(made[i], again);
	}
}

/* ---- Load and store ------------------------------------------------------------------------ */

TEST(round_trip, "store and load")
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1], other[PROGRAM_CACHE_KEY_LENGTH + 1];
	const char *folder = fresh_cache();
	FREED void *bytes = NULL;
	size_t size = 0;

	key_of("a", key);
	key_of("b", other);
	CHECK(EQUAL(program_cache_load(key, &bytes, &size), GPU_CACHE_MISS), NIL(bytes));
	program_cache_store(key, payload, sizeof payload);
	expect_payload(key);
	EQUAL(program_cache_load(other, &bytes, &size), GPU_CACHE_MISS);
	program_cache_store(key, "second", 7);
	CHECK(EQUAL(program_cache_load(key, &bytes, &size), GPU_CACHE_HIT),
		STRING(bytes, "second"));
	EQUAL(files_in(folder, true), 1); /* no temporary file is left */
}

TEST(large_entry, "an entry of 3 MiB")
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];
	size_t size = 3 << 20, got = 0;
	FREED unsigned char *bytes = malloc(size);
	FREED void *loaded = NULL;

	fresh_cache();
	SOME(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)(i * 31 + (i >> 8));
	key_of("large", key);
	program_cache_store(key, bytes, size);
	CHECK(EQUAL(program_cache_load(key, &loaded, &got), GPU_CACHE_HIT), EQUAL(got, size));
	assert_memory_equal(loaded, bytes, size);
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

	IS(file >= 0 && fstat(file, &info) == 0);
	if (row->length != 0) {
		long length = info.st_size + row->length;
		EQUAL(ftruncate(file, length > 0 ? length : 0), 0);
	} else {
		long at = row->at < 0 ? info.st_size + row->at : row->at;
		EQUAL(pread(file, &byte, 1, at), 1);
		byte ^= 0x40;
		EQUAL(pwrite(file, &byte, 1, at), 1);
	}
	close(file);
}

TEST_ROWS(damaged, damage_rows, "damaged: %s", row->name)
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1], path[500];
	const char *folder = fresh_cache();
	void *bytes = NULL;
	size_t size = 0;

	key_of("damaged", key);
	program_cache_store(key, payload, sizeof payload);
	entry_file(folder, key, path, sizeof path);
	damage(path, row);
	CHECK(EQUAL(program_cache_load(key, &bytes, &size), GPU_CACHE_REBUILT), NIL(bytes),
		EQUAL(access(path, F_OK), -1),
		EQUAL(program_cache_load(key, &bytes, &size), GPU_CACHE_MISS));
	program_cache_store(key, payload, sizeof payload);
	expect_payload(key);
}

/* ---- No cache ------------------------------------------------------------------------------ */

static void expect_no_cache(void)
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];
	void *bytes = NULL;
	size_t size = 0;

	key_of("nowhere", key);
	program_cache_store(key, payload, sizeof payload);
	CHECK(EQUAL(program_cache_load(key, &bytes, &size), GPU_CACHE_MISS), NIL(bytes));
}

/* With a file in place of the folder, not even root can create it. */
TEST(unwritable, "a folder that cannot be made")
{
	const char *folder = fresh_cache();
	char path[500];

	snprintf(path, sizeof path, "%s/pmpp", folder);
	test_write_file(path, "", 0);
	expect_no_cache();
	expect_problem(path, "Not a directory");
	setenv("XDG_CACHE_HOME", "/proc/1/nowhere", 1);
	expect_no_cache();
	expect_problem("/proc/1/nowhere", "set XDG_CACHE_HOME");
}

TEST(read_only, "a folder that is read-only")
{
	const char *folder = fresh_cache();
	char path[500];

	if (geteuid() == 0)
		test_skip("root may write everywhere");
	snprintf(path, sizeof path, "%s/pmpp", folder);
	EQUAL(mkdir(path, 0500), 0);
	expect_no_cache();
}

TEST(switched_off, "PMPP_NO_CACHE")
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];

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

TEST(folders, "folders")
{
	const char *folder = fresh_cache();
	char text[CACHE_TEXT_BYTES], expected[500];
	struct stat info;

	snprintf(expected, sizeof expected, "%s/pmpp/roofs", folder);
	CHECK(IS(cache_file_folder("roofs", text)), STRING(text, expected),
		EQUAL(stat(text, &info), 0), EQUAL(info.st_mode & 0777, 0700));

	setenv("XDG_CACHE_HOME", "relative/path", 1);
	setenv("HOME", folder, 1);
	snprintf(expected, sizeof expected, "%s/.cache/pmpp/programs", folder);
	CHECK(IS(cache_file_folder("programs", text)), STRING(text, expected));
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	NOT(cache_file_folder("programs", text));
	HAS(text, "XDG_CACHE_HOME and HOME");
	expect_no_cache();
}

/* cache_file_problem() returns each reason once. */
TEST(returned_once, "a reason is returned once")
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1], text[CACHE_TEXT_BYTES] = "unset";

	fresh_cache();
	key_of("once", key);
	program_cache_store(key, payload, sizeof payload);
	expect_payload(key);
	CHECK(NOT(cache_file_problem(text)), STRING(text, "unset"));
	setenv("XDG_CACHE_HOME", "/proc/1/first", 1);
	expect_no_cache();
	expect_problem("/proc/1/first", "");
	expect_no_cache();
	NOT(cache_file_problem(text));
	setenv("XDG_CACHE_HOME", "/proc/1/second", 1);
	expect_no_cache();
	expect_problem("/proc/1/second", "");
}

/* A limit of the file size has the effect of a full disk. */
TEST(full_disk, "a full disk")
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];
	const char *folder = fresh_cache();
	const struct rlimit limit = {sizeof payload, RLIM_INFINITY};
	struct rlimit old;
	void *bytes = NULL;
	size_t size = 0;

	key_of("full", key);
	signal(SIGXFSZ, SIG_IGN);
	CHECK(EQUAL(getrlimit(RLIMIT_FSIZE, &old), 0), EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0));
	program_cache_store(key, payload, sizeof payload);
	EQUAL(setrlimit(RLIMIT_FSIZE, &old), 0);
	expect_problem(folder, "cannot be written: File too large");
	EQUAL(program_cache_load(key, &bytes, &size), GPU_CACHE_MISS);
	EQUAL(files_in(folder, true), 0);
}

/* ---- Folders and files that are not trusted -------------------------------------------------- */

#define OTHER_USER 65534

static const struct folder_row {
	const char *name;
	const char *part; /* below the cache directory; "" = the directory itself */
	mode_t mode;
	bool other_user;
	const char *problem; /* NULL: the cache works */
} folder_rows[] = {
	{"the directory: 0777", "", 0777, false, "other users can write to it"},
	{"the directory: 0770", "", 0770, false, "other users can write to it"},
	{"the directory: 0777 and sticky", "", 01777, false, NULL},
	{"the directory: 0755", "", 0755, false, NULL},
	{"the directory: another user's", "", 0755, true, "it belongs to another user"},
	{"the directory: another user's, sticky", "", 01777, true, "it belongs to another user"},
	{"pmpp: 0777", "/pmpp", 0777, false, "chmod go-w"},
	{"pmpp: 0777 and sticky", "/pmpp", 01777, false, "chmod go-w"},
	{"pmpp: 0720", "/pmpp", 0720, false, "chmod go-w"},
	{"pmpp: 0755", "/pmpp", 0755, false, NULL},
	{"pmpp: another user's", "/pmpp", 0755, true, "it belongs to another user"},
	{"programs: 0777", "/pmpp/programs", 0777, false, "chmod go-w"},
	{"programs: 0702", "/pmpp/programs", 0702, false, "chmod go-w"},
	{"programs: another user's", "/pmpp/programs", 0700, true, "it belongs to another user"},
};

TEST_ROWS(untrusted_folder, folder_rows, "folder: %s", row->name)
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1], other[PROGRAM_CACHE_KEY_LENGTH + 1], path[500];
	const char *folder = fresh_cache();
	void *bytes = NULL;
	size_t size = 0;

	if (row->other_user && geteuid() != 0)
		test_skip("only root can give a folder to another user");
	key_of("folder", key);
	key_of("another", other);
	program_cache_store(key, payload, sizeof payload);
	expect_payload(key);
	snprintf(path, sizeof path, "%s%s", folder, row->part);
	EQUAL(chmod(path, row->mode), 0);
	if (row->other_user)
		EQUAL(chown(path, OTHER_USER, OTHER_USER), 0);
	if (!row->problem) {
		expect_payload(key);
	} else {
		EQUAL(program_cache_load(key, &bytes, &size), GPU_CACHE_MISS);
		expect_problem(path, row->problem);
		program_cache_store(other, payload, sizeof payload);
		EQUAL(files_in(folder, true), 1);
	}
}

static void make_link(const char *target, const char *path)
{
	EQUAL(symlink(target, path), 0);
}

/* A link to a trusted folder. Only the cache directory may be a link. */
static void linked_folder(const void *context)
{
	const char *part = context;
	char key[PROGRAM_CACHE_KEY_LENGTH + 1], path[500], moved[500];
	const char *folder = fresh_cache();
	void *bytes = NULL;
	size_t size = 0;

	key_of("linked", key);
	program_cache_store(key, payload, sizeof payload);
	if (!*part) {
		snprintf(path, sizeof path, "%s/link", test_folder());
		make_link(folder, path);
		setenv("XDG_CACHE_HOME", path, 1);
		expect_payload(key);
		return;
	}
	snprintf(path, sizeof path, "%s%s", folder, part);
	snprintf(moved, sizeof moved, "%s/moved", folder);
	EQUAL(rename(path, moved), 0);
	make_link(moved, path);
	EQUAL(program_cache_load(key, &bytes, &size), GPU_CACHE_MISS);
	expect_problem(path, "it is a symbolic link");
	CHECK(EQUAL(unlink(path), 0), EQUAL(rename(moved, path), 0));
	expect_payload(key);
}

static void mode_0666(const char *path)
{
	EQUAL(chmod(path, 0666), 0);
}

static void mode_0620(const char *path)
{
	EQUAL(chmod(path, 0620), 0);
}

static void other_user(const char *path)
{
	if (geteuid() != 0)
		test_skip("only root can give a file to another user");
	EQUAL(chown(path, OTHER_USER, OTHER_USER), 0);
}

static void link_to_file(const char *path)
{
	char moved[600];

	snprintf(moved, sizeof moved, "%s/object", test_folder());
	EQUAL(rename(path, moved), 0);
	make_link(moved, path);
}

static void a_pipe(const char *path)
{
	CHECK(EQUAL(unlink(path), 0), EQUAL(mkfifo(path, 0600), 0));
}

/* An undamaged entry with the right name that another user may have written. */
static const struct file_row {
	const char *name;
	void (*change)(const char *path);
	const char *problem;
} file_rows[] = {
	{"mode 0666", mode_0666, "other users can write to it"},
	{"mode 0620", mode_0620, "other users can write to it"},
	{"another user's", other_user, "it belongs to another user"},
	{"a symbolic link", link_to_file, "a link or a folder"},
	{"a pipe", a_pipe, "a link or a folder"},
};

TEST_ROWS(untrusted_file, file_rows, "file: %s", row->name)
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1], path[500];
	const char *folder = fresh_cache();
	struct stat info;
	void *bytes = NULL;
	size_t size = 0;

	key_of("hostile", key);
	program_cache_store(key, "hostile", 7);
	entry_file(folder, key, path, sizeof path);
	row->change(path);
	CHECK(EQUAL(program_cache_load(key, &bytes, &size), GPU_CACHE_REBUILT), NIL(bytes));
	expect_problem(folder, row->problem);
	EQUAL(lstat(path, &info), -1);
	/* The next build replaces the entry. */
	program_cache_store(key, payload, sizeof payload);
	expect_payload(key);
	CHECK(EQUAL(lstat(path, &info), 0), IS(S_ISREG(info.st_mode)),
		EQUAL(info.st_mode & 07777, 0600));
}

/* Only the user can write the files, even with a umask of 0. */
TEST(any_umask, "files under a mask that lets others write")
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];
	mode_t old = umask(0);

	fresh_cache();
	key_of("mask", key);
	program_cache_store(key, payload, sizeof payload);
	umask(old);
	expect_payload(key);
}

/* ---- Several processes --------------------------------------------------------------------- */

/* Stores and loads one key. The exit code is 1 if an entry is missing or damaged. */
static void hammer(const char *key)
{
	for (int i = 0; i < 200; i++) {
		FREED void *bytes = NULL;
		size_t size = 0;
		enum gpu_cache_outcome outcome;

		program_cache_store(key, payload, sizeof payload);
		outcome = program_cache_load(key, &bytes, &size);
		if (outcome != GPU_CACHE_HIT || size != sizeof payload ||
			memcmp(bytes, payload, size) != 0)
			_exit(1);
	}
	_exit(0);
}

TEST(together, "four processes, one entry")
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];
	const char *folder = fresh_cache();
	pid_t children[4];
	int state;

	key_of("together", key);
	for (size_t i = 0; i < 4; i++) {
		children[i] = fork();
		IS(children[i] >= 0);
		if (children[i] == 0)
			hammer(key);
	}
	for (size_t i = 0; i < 4; i++) {
		CHECK(EQUAL(waitpid(children[i], &state, 0), children[i]), IS(WIFEXITED(state)),
			EQUAL(WEXITSTATUS(state), 0));
	}
	EQUAL(files_in(folder, true), 1);
}

int main(int argc, char **argv)
{
	test_add(linked_folder, "", "folder: the directory, a link");
	test_add(linked_folder, "/pmpp", "folder: pmpp, a link");
	test_add(linked_folder, "/pmpp/programs", "folder: programs, a link");
	return test_run(argc, argv);
}
