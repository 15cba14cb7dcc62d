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

/* The key of a text, valid until the end of the row. */
static const char *key_of(const char *text)
{
	char *key = test_text("%*s", PROGRAM_CACHE_KEY_LENGTH, "");

	program_cache_key((const char *const[]){text, "sm_90", NULL}, key);
	return key;
}

/* Stores the payload with the key of a text. */
static const char *stored(const char *text)
{
	const char *key = key_of(text);

	program_cache_store(key, payload, sizeof payload);
	return key;
}

static const char *fresh_cache(void)
{
	const char *folder = test_folder();

	setenv("XDG_CACHE_HOME", folder, 1);
	unsetenv("PMPP_NO_CACHE");
	return folder;
}

static void expect_payload(const char *key)
{
	FREED void *bytes = NULL;
	size_t size = 0;

	EQUAL(program_cache_load(key, &bytes, &size), GPU_CACHE_HIT);
	EQUAL(size, sizeof payload);
	assert_memory_equal(bytes, payload, size);
}

static void expect_none(const char *key, enum gpu_cache_outcome outcome)
{
	void *bytes = NULL;
	size_t size = 0;

	CHECK(EQUAL(program_cache_load(key, &bytes, &size), outcome), NIL(bytes));
}

/* Also counts temporary files. */
static size_t files_in(const char *folder)
{
	size_t count = 0;

	DIR *directory = opendir(test_text("%s/pmpp/programs", folder));
	SOME(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count - 2; /* . and .. */
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
	const char *folder = fresh_cache();
	const char *key = key_of("a");
	FREED void *bytes = NULL;
	size_t size = 0;

	expect_none(key, GPU_CACHE_MISS);
	expect_payload(stored("a"));
	expect_none(key_of("b"), GPU_CACHE_MISS);
	program_cache_store(key, "second", 7);
	CHECK(EQUAL(program_cache_load(key, &bytes, &size), GPU_CACHE_HIT),
		STRING(bytes, "second"));
	EQUAL(files_in(folder), 1); /* no temporary file is left */
}

TEST(large_entry, "an entry of 3 MiB")
{
	const char *key = key_of("large");
	size_t size = 3 << 20, got = 0;
	FREED unsigned char *bytes = malloc(size);
	FREED void *loaded = NULL;

	fresh_cache();
	SOME(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)(i * 31 + (i >> 8));
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
	const char *folder = fresh_cache();
	const char *key = stored("damaged");
	const char *path = test_text("%s/pmpp/programs/%s", folder, key);

	damage(path, row);
	expect_none(key, GPU_CACHE_REBUILT);
	EQUAL(access(path, F_OK), -1);
	expect_none(key, GPU_CACHE_MISS);
	expect_payload(stored("damaged"));
}

/* ---- No cache ------------------------------------------------------------------------------ */

static void expect_no_cache(void)
{
	expect_none(stored("nowhere"), GPU_CACHE_MISS);
}

/* With a file in place of the folder, not even root can create it. */
TEST(unwritable, "a folder that cannot be made")
{
	const char *path = test_text("%s/pmpp", fresh_cache());

	test_write_file(path, "", 0);
	expect_no_cache();
	expect_problem(path, "Not a directory");
	setenv("XDG_CACHE_HOME", "/proc/1/nowhere", 1);
	expect_no_cache();
	expect_problem("/proc/1/nowhere", "set XDG_CACHE_HOME");
}

TEST(read_only, "a folder that is read-only")
{
	if (geteuid() == 0)
		test_skip("root may write everywhere");
	EQUAL(mkdir(test_text("%s/pmpp", fresh_cache()), 0500), 0);
	expect_no_cache();
}

TEST(switched_off, "PMPP_NO_CACHE")
{
	fresh_cache();
	const char *key = stored("off");
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
	char text[CACHE_TEXT_BYTES];
	struct stat info;

	CHECK(IS(cache_file_folder("roofs", text)),
		STRING(text, test_text("%s/pmpp/roofs", folder)), EQUAL(stat(text, &info), 0),
		EQUAL(info.st_mode & 0777, 0700));

	setenv("XDG_CACHE_HOME", "relative/path", 1);
	setenv("HOME", folder, 1);
	CHECK(IS(cache_file_folder("programs", text)),
		STRING(text, test_text("%s/.cache/pmpp/programs", folder)));
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	NOT(cache_file_folder("programs", text));
	HAS(text, "XDG_CACHE_HOME and HOME");
	expect_no_cache();
}

/* cache_file_problem() returns each reason once. */
TEST(returned_once, "a reason is returned once")
{
	char text[CACHE_TEXT_BYTES] = "unset";

	fresh_cache();
	expect_payload(stored("once"));
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
	const char *folder = fresh_cache();
	const struct rlimit limit = {sizeof payload, RLIM_INFINITY};
	struct rlimit old;

	signal(SIGXFSZ, SIG_IGN);
	CHECK(EQUAL(getrlimit(RLIMIT_FSIZE, &old), 0), EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0));
	const char *key = stored("full");
	EQUAL(setrlimit(RLIMIT_FSIZE, &old), 0);
	expect_problem(folder, "cannot be written: File too large");
	expect_none(key, GPU_CACHE_MISS);
	EQUAL(files_in(folder), 0);
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
	const char *folder = fresh_cache();
	const char *key = stored("folder"), *path = test_text("%s%s", folder, row->part);

	if (row->other_user && geteuid() != 0)
		test_skip("only root can give a folder to another user");
	expect_payload(key);
	EQUAL(chmod(path, row->mode), 0);
	if (row->other_user)
		EQUAL(chown(path, OTHER_USER, OTHER_USER), 0);
	if (!row->problem) {
		expect_payload(key);
	} else {
		expect_none(key, GPU_CACHE_MISS);
		expect_problem(path, row->problem);
		stored("another");
		EQUAL(files_in(folder), 1);
	}
}

static void make_link(const char *target, const char *path)
{
	EQUAL(symlink(target, path), 0);
}

/* The cache directory may be a link. */
TEST(linked_directory, "folder: the directory, a link")
{
	const char *folder = fresh_cache(), *path = test_text("%s/link", test_folder());
	const char *key = stored("linked");

	make_link(folder, path);
	setenv("XDG_CACHE_HOME", path, 1);
	expect_payload(key);
}

/* Links to folders that are trusted themselves. */
static const char *const parts[] = {"pmpp", "pmpp/programs"};

TEST_ROWS(linked_folder, parts, "folder: %s, a link", i ? "programs" : "pmpp")
{
	const char *folder = fresh_cache(), *key = stored("linked");
	const char *path = test_text("%s/%s", folder, *row), *moved = test_text("%s/moved", folder);

	EQUAL(rename(path, moved), 0);
	make_link(moved, path);
	expect_none(key, GPU_CACHE_MISS);
	expect_problem(path, "it is a symbolic link");
	CHECK(EQUAL(unlink(path), 0), EQUAL(rename(moved, path), 0));
	expect_payload(key);
}

static void other_user(const char *path)
{
	if (geteuid() != 0)
		test_skip("only root can give a file to another user");
	EQUAL(chown(path, OTHER_USER, OTHER_USER), 0);
}

static void link_to_file(const char *path)
{
	const char *moved = test_text("%s/object", test_folder());

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
	mode_t mode;
	void (*change)(const char *path); /* NULL: only the mode */
	const char *problem;
} file_rows[] = {
	{"mode 0666", 0666, NULL, "other users can write to it"},
	{"mode 0620", 0620, NULL, "other users can write to it"},
	{"another user's", 0600, other_user, "it belongs to another user"},
	{"a symbolic link", 0600, link_to_file, "a link or a folder"},
	{"a pipe", 0600, a_pipe, "a link or a folder"},
};

TEST_ROWS(untrusted_file, file_rows, "file: %s", row->name)
{
	const char *folder = fresh_cache(), *key = key_of("hostile");
	const char *path = test_text("%s/pmpp/programs/%s", folder, key);
	struct stat info;

	program_cache_store(key, "hostile", 7);
	EQUAL(chmod(path, row->mode), 0);
	if (row->change)
		row->change(path);
	expect_none(key, GPU_CACHE_REBUILT);
	expect_problem(folder, row->problem);
	EQUAL(lstat(path, &info), -1);
	/* The next build replaces the entry. */
	expect_payload(stored("hostile"));
	CHECK(EQUAL(lstat(path, &info), 0), IS(S_ISREG(info.st_mode)),
		EQUAL(info.st_mode & 07777, 0600));
}

/* Only the user can write the files, even with a umask of 0. */
TEST(any_umask, "files under a mask that lets others write")
{
	mode_t old = umask(0);

	fresh_cache();
	const char *key = stored("mask");
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
	const char *folder = fresh_cache(), *key = key_of("together");
	pid_t children[4];
	int state;

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
	EQUAL(files_in(folder), 1);
}
