/* The store of results: each added row is returned once, and bad files are one-line errors. */
#include "host/record/store.h"
#include "tests/support/records.h"
#include "tests/support/result_example.h"
#include "tests/support/test.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_MS 20000

/* ---- Helpers ------------------------------------------------------------------------------- */

/* Each call returns a path in a new folder. */
static const char *store_file(void)
{
	return test_text("%s/data/pmpp/results.db", test_folder());
}

static struct store open_new(const char *path)
{
	struct store store;

	test_ok(store_open(path, true, WAIT_MS, &store, &test_error));
	return store;
}

static struct store_counts add(struct store *store, const struct result_document *document)
{
	struct store_counts counts = {0};

	test_ok(store_add(store, document, 1, "test", &counts, &test_error));
	return counts;
}

/* Numbers of documents and rows that store_each() gives. */
struct found {
	size_t runs, results, parity, devices;
	struct result_document last;
};

static enum pmpp_status take(
	void *context, struct result_document *document, struct pmpp_error *error)
{
	struct found *found = context;

	(void)error;
	found->runs++;
	found->results += document->results.count;
	found->parity += document->parity.count;
	found->devices += document->devices.count;
	if (found->runs > 1)
		record_finish(&result_document_type, &found->last);
	record_move(&result_document_type, document, &found->last);
	return PMPP_OK;
}

static struct found find(struct store *store, const struct store_filter *filter)
{
	struct found found = {0};

	test_ok(store_each(store, filter, take, &found, &test_error));
	return found;
}

static void found_finish(struct found *found)
{
	if (found->runs)
		record_finish(&result_document_type, &found->last);
}

static const struct store_filter all = {0};

/* ---- Rows ---------------------------------------------------------------------------------- */

/* A stored document is returned unchanged. If it is added again, its rows are known. */
TEST(round_trip, "a document is returned unchanged, and once")
{
	TEST_DOCUMENT document;

	result_example(&document);
	FINISHED(store_close) struct store store = open_new(store_file());
	struct store_counts counts = add(&store, &document);
	CHECK(EQUAL(counts.added, document.results.count), EQUAL(counts.known, 0));
	counts = add(&store, &document);
	CHECK(EQUAL(counts.added, 0), EQUAL(counts.known, document.results.count));
	FINISHED(found_finish) struct found found = find(&store, &all);
	EQUAL(found.runs, 1);
	STRING(test_record_text(&result_document_type, &document, RECORD_INDENTED),
		test_record_text(&result_document_type, &found.last, RECORD_INDENTED));
}

/* A size that is given twice makes two rows of one identity. */
TEST(equal_rows, "two rows of one identity")
{
	TEST_DOCUMENT document;

	result_example_row(&document, "run", 5);
	struct result_row *second = record_list_add(&result_row_type, &document.results);
	SOME(second);
	test_ok(record_copy(&result_row_type, &document.results.items[0], second, &test_error));
	FINISHED(store_close) struct store store = open_new(store_file());
	CHECK(EQUAL(add(&store, &document).added, 2), EQUAL(add(&store, &document).known, 2));
	FINISHED(found_finish) struct found found = find(&store, &all);
	EQUAL(found.results, 2);
}

/* A document whose rows are added one by one gives the same store. */
TEST(rest_of_document, "row by row")
{
	TEST_DOCUMENT document;

	result_example(&document);
	size_t count = document.results.count;
	FINISHED(store_close) struct store store = open_new(store_file());
	struct store_rest rest = {0};
	for (size_t i = 0; i < count; i++) {
		document.results.count = i + 1;
		test_ok(store_add_rest(&store, &document, &rest, &test_error));
		EQUAL(rest.first[0], i + 1);
	}
	EQUAL(add(&store, &document).known, count);
	FINISHED(found_finish) struct found found = find(&store, &all);
	EQUAL(found.results, count);
}

static void put_parity(struct result_document *document)
{
	struct parity_row *parity = record_list_add(&parity_row_type, &document->parity);
	const struct result_row *row = &document->results.items[0];

	SOME(parity);
	text_set(&parity->family, row->family);
	text_set(&parity->variant, row->variant);
	text_set(&parity->device, row->device);
	text_list_add(&parity->backends, "opencl");
	text_list_add(&parity->backends, "cuda");
	parity->verdict = PARITY_SAME;
}

/* Parity rows and new views of a known device are added. */
TEST(merged, "parity rows and views are merged")
{
	TEST_DOCUMENT document;

	result_example_row(&document, "run", 5);
	FINISHED(store_close) struct store store = open_new(store_file());
	add(&store, &document);
	put_parity(&document);
	text_set(&document.devices.items[0].views.items[0].backend, "cuda");
	const struct store_counts counts = add(&store, &document);
	CHECK(EQUAL(counts.added, 1), EQUAL(counts.known, 1));
	FINISHED(found_finish) struct found found = find(&store, &all);
	CHECK(EQUAL(found.parity, 1), EQUAL(found.devices, 1),
		EQUAL(found.last.devices.items[0].views.count, 2));
}

TEST(no_run_id, "no run.id")
{
	struct store_counts counts = {0};
	TEST_DOCUMENT document;

	result_example_row(&document, "", 5);
	FINISHED(store_close) struct store store = open_new(store_file());
	test_refused(store_add(&store, &document, 1, "a.json", &counts, &test_error), PMPP_USAGE,
		"a.json: run.id is empty");
}

/* ---- Filters ------------------------------------------------------------------------------- */

static const struct filter_row {
	const char *name;
	struct store_filter filter;
	size_t runs, results;
} filters[] = {
	{"none", {0}, 2, 2},
	{"family", {.family = "matmul"}, 2, 2},
	{"another family", {.family = "reduce"}, 0, 0},
	{"variant", {.variant = "naive"}, 1, 1},
	{"backend", {.backend = "opencl"}, 2, 2},
	{"another backend", {.backend = "cuda"}, 0, 0},
	{"label", {.label = "before"}, 1, 1},
	{"another label", {.label = "after"}, 0, 0},
	{"part of the device's key", {.device = "name:pthread"}, 2, 2},
	{"part of the device's name, any case", {.device = "PTHREAD"}, 2, 2},
	{"type of the device", {.device = "cpu"}, 2, 2},
	{"another type", {.device = "gpu"}, 0, 0},
};

TEST_ROWS(filtered, filters, "filter: %s", row->name)
{
	TEST_DOCUMENT document;
	FINISHED(store_close) struct store store = open_new(store_file());

	result_example_row(&document, "one", 1);
	text_set(&document.results.items[0].variant, "naive");
	text_set(&document.run.label, "before");
	add(&store, &document);
	text_set(&document.run.id, "two");
	text_set(&document.results.items[0].variant, "tiled");
	text_set(&document.run.label, NULL);
	add(&store, &document);
	FINISHED(found_finish) struct found found = find(&store, &row->filter);
	CHECK(EQUAL(found.runs, row->runs), EQUAL(found.results, row->results));
}

/* Runs are in order of their start, not of their addition. */
TEST(in_order, "runs in order of their start")
{
	TEST_DOCUMENT document;

	result_example_row(&document, "late", 1);
	text_set(&document.run.started_utc, "2026-02-01T00:00:00Z");
	FINISHED(store_close) struct store store = open_new(store_file());
	add(&store, &document);
	text_set(&document.run.id, "early");
	text_set(&document.run.started_utc, "2026-01-01T00:00:00Z");
	add(&store, &document);
	FINISHED(found_finish) struct found found = find(&store, &all);
	STRING(found.last.run.id, "late");
}

/* ---- Bad files ----------------------------------------------------------------------------- */

static void run_sql(const char *path, const char *sql)
{
	sqlite3 *database = NULL;

	EQUAL(sqlite3_open(path, &database), SQLITE_OK);
	EQUAL(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(database);
}

static void text_file(const char *path)
{
	static const char text[] = "This is no database. It has more than one hundred bytes, so "
				   "that the header of a database would fit in it: 0123456789.";

	test_write_file(path, text, sizeof text);
}

static void other_program(const char *path)
{
	run_sql(path, "CREATE TABLE songs(title TEXT)");
}

static void newer_version(const char *path)
{
	struct store store = open_new(path);

	store_close(&store);
	run_sql(path, "PRAGMA user_version = 2");
}

/* The header stays, the rest is garbage. */
static void damaged(const char *path)
{
	struct store store = open_new(path);
	TEST_DOCUMENT document;
	char garbage[3000];

	result_example_row(&document, "run", 1);
	add(&store, &document);
	store_close(&store);
	memset(garbage, 'x', sizeof garbage);
	FILE *file = fopen(path, "r+");
	SOME(file);
	fseek(file, 100, SEEK_SET);
	CHECK(EQUAL(fwrite(garbage, sizeof garbage, 1, file), 1), EQUAL(fclose(file), 0));
}

static void folder(const char *path)
{
	EQUAL(mkdir(path, 0700), 0);
}

static void fifo(const char *path)
{
	EQUAL(mkfifo(path, 0600), 0);
}

static void nothing(const char *path)
{
	(void)path;
}

static void empty_file(const char *path)
{
	test_write_file(path, "", 0);
}

static const struct bad_row {
	const char *name;
	void (*make)(const char *path);
	const char *part;
	bool only_reading; /* store_open() creates a store */
} bad[] = {
	{"a text", text_file, "not a SQLite database", false},
	{"a database of another program", other_program, "another program", false},
	{"a newer version", newer_version, "store version 2, newer than 1: update pmpp", false},
	{"a damaged database", damaged, "damaged", false},
	{"a folder", folder, "not a regular file", false},
	{"a pipe", fifo, "not a regular file", false},
	{"no file", nothing, "there is no store yet", true},
	{"an empty file", empty_file, "the store is empty", true},
};

TEST_ROWS(bad_file, bad, "bad store: %s", row->name)
{
	FINISHED(store_close) struct store store = {0};
	const char *path = test_text("%s/bad.db", test_folder());

	row->make(path);
	test_refused(store_open(path, false, WAIT_MS, &store, &test_error), PMPP_USAGE, row->part);
	enum pmpp_status status = store_open(path, true, WAIT_MS, &store, &test_error);
	if (row->only_reading)
		test_ok(status);
	else
		test_refused(status, PMPP_USAGE, row->part);
}

TEST(below_a_file, "bad store: a folder that cannot be made")
{
	const char *folder = test_folder();
	struct store store;

	test_write_text("x", "%s/file", folder);
	test_refused(store_open(test_text("%s/file/data/results.db", folder), true, WAIT_MS, &store,
			     &test_error),
		PMPP_USAGE, "set PMPP_STORE");
}

/* Permissions of the file and of its folder that forbid writing. */
static const struct mode_row {
	const char *name;
	mode_t file, folder;
	const char *part;
} modes[] = {
	{"the file", 0400, 0700, "cannot be written"},
	{"the folder", 0600, 0500, "its folder cannot be written"},
};

#define NOBODY 65534

/* Root may write everything: another user opens the store. Returns the exit code of the child. */
static int open_as_user(const char *path, const char *part)
{
	struct store store;
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		if (geteuid() == 0 && seteuid(NOBODY) != 0)
			_exit(2);
		bool refused = store_open(path, true, WAIT_MS, &store, &test_error) == PMPP_USAGE &&
			       strstr(test_error.message, part);
		bool readable = store_open(path, false, WAIT_MS, &store, &test_error) == PMPP_OK;
		_exit(!(refused && readable));
	}
	EQUAL(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_ROWS(unwritable, modes, "bad store: no permission to write %s", row->name)
{
	const char *folder = test_folder();
	const char *path = test_text("%s/results.db", folder);
	struct store store = open_new(path);
	store_close(&store);
	if (geteuid() == 0) {
		EQUAL(chown(path, NOBODY, NOBODY), 0);
		EQUAL(chown(folder, NOBODY, NOBODY), 0);
	}
	CHECK(EQUAL(chmod(path, row->file), 0), EQUAL(chmod(folder, row->folder), 0));
	int code = open_as_user(path, row->part);
	CHECK(EQUAL(chmod(folder, 0700), 0), EQUAL(code, 0));
}

TEST(private_folder, "the folder is private")
{
	const char *path = store_file();
	struct store store = open_new(path);
	struct stat info;

	store_close(&store);
	*strrchr(path, '/') = '\0';
	CHECK(EQUAL(stat(path, &info), 0), EQUAL(info.st_mode & 0777, 0700));
}

/* A file that cannot grow has the effect of a full disk: an error, and the earlier rows stay. */
TEST(full_disk, "a full disk")
{
	struct store_counts counts = {0};
	struct result_document document;
	struct rlimit before;

	const char *path = store_file();
	signal(SIGXFSZ, SIG_IGN);
	result_example_row(&document, "first", 1);
	FINISHED(store_close) struct store store = open_new(path);
	add(&store, &document);
	record_finish(&result_document_type, &document);
	result_example(&document);
	struct stat info;
	CHECK(EQUAL(stat(path, &info), 0), EQUAL(getrlimit(RLIMIT_FSIZE, &before), 0));
	const struct rlimit limit = {(rlim_t)info.st_size, before.rlim_max};
	EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
	enum pmpp_status status = store_add(&store, &document, 1, "test", &counts, &test_error);
	setrlimit(RLIMIT_FSIZE, &before);
	test_refused(status, PMPP_IO, path);
	FINISHED(found_finish) struct found found = find(&store, &all);
	EQUAL(found.results, 1);
	/* With free space again, the rows are added to the same store. */
	EQUAL(add(&store, &document).added, document.results.count);
	record_finish(&result_document_type, &document);
}

TEST(locked, "another process holds the lock")
{
	struct store_counts counts = {0};
	TEST_DOCUMENT document;
	FINISHED(store_close) struct store second;

	const char *path = store_file();
	result_example_row(&document, "run", 1);
	FINISHED(store_close) struct store first = open_new(path);
	test_ok(store_open(path, false, 10, &second, &test_error));
	EQUAL(sqlite3_exec(first.handle, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	test_refused(store_add(&second, &document, 1, "test", &counts, &test_error), PMPP_IO,
		"another process has used the database for 0.01 s");
	EQUAL(sqlite3_exec(first.handle, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	EQUAL(add(&second, &document).added, 1);
}

/* ---- Path ---------------------------------------------------------------------------------- */

static const struct path_row {
	const char *name;
	const char *store, *data, *home; /* NULL: not set */
	const char *path;                /* NULL: an error */
} paths[] = {
	{"PMPP_STORE", "some/file.db", "/data", "/home/x", "some/file.db"},
	{"XDG_DATA_HOME", NULL, "/data", "/home/x", "/data/pmpp/results.db"},
	{"PMPP_STORE is empty", "", "/data", "/home/x", "/data/pmpp/results.db"},
	{"HOME", NULL, NULL, "/home/x", "/home/x/.local/share/pmpp/results.db"},
	{"XDG_DATA_HOME is relative", NULL, "data", "/home/x",
		"/home/x/.local/share/pmpp/results.db"},
	{"nothing", NULL, NULL, NULL, NULL},
};

TEST_ROWS(default_path, paths, "path: %s", row->name)
{
	char path[STORE_PATH_BYTES];

	test_variable("PMPP_STORE", row->store);
	test_variable("XDG_DATA_HOME", row->data);
	test_variable("HOME", row->home);
	enum pmpp_status status = store_default_path(path, &test_error);
	if (row->path) {
		test_ok(status);
		STRING(path, row->path);
	} else {
		test_refused(status, PMPP_USAGE, "PMPP_STORE");
	}
}
