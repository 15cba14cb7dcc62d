#include "tests/support/test.h"

#include <errno.h>
#include <fnmatch.h>
#include <ftw.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FOLDERS 1024

struct test_row {
	char *name;
	test_fn *run;
	const void *context;
	void *copy; /* the context, if the row owns it */
	bool is_long;
};

static struct test_row *rows;
static size_t row_count;
struct pmpp_error test_error;
static size_t skipped;
static char *folders[MAX_FOLDERS];
static size_t folder_count;

static _Noreturn void give_up(const char *what)
{
	fprintf(stderr, "test support: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 0))) static void add_row(
	struct test_row row, const char *format, va_list arguments)
{
	int length = vasprintf(&row.name, format, arguments);

	rows = realloc(rows, (row_count + 1) * sizeof *rows);
	if (!rows || length < 0)
		give_up("a row");
	rows[row_count++] = row;
}

void test_add(test_fn *run, const void *context, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add_row((struct test_row){.run = run, .context = context}, format, arguments);
	va_end(arguments);
}

void test_add_copy(test_fn *run, const void *context, size_t size, const char *format, ...)
{
	void *copy = malloc(size);
	va_list arguments;

	if (!copy)
		give_up("a row");
	memcpy(copy, context, size);
	va_start(arguments, format);
	add_row((struct test_row){.run = run, .context = copy, .copy = copy}, format, arguments);
	va_end(arguments);
}

bool test_is_short(void)
{
	const char *text = getenv("PMPP_TEST_SHORT");

	return text && *text;
}

void test_mark_long(void)
{
	rows[row_count - 1].is_long = true;
}

/* A pattern selects rows by name, long rows too. */
static bool is_chosen(const struct test_row *row, const char *pattern)
{
	return pattern ? fnmatch(pattern, row->name, 0) == 0 : !(row->is_long && test_is_short());
}

/* ---- Environment --------------------------------------------------------------------------- */

static struct variable {
	char *name, *value; /* before the row; value NULL: not set */
} variables[64];
static size_t variable_count;

static void set_variable(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

void test_variable(const char *name, const char *value)
{
	const char *before = getenv(name);

	if (variable_count == sizeof variables / sizeof *variables)
		give_up("too many variables");
	variables[variable_count++] =
		(struct variable){strdup(name), before ? strdup(before) : NULL};
	set_variable(name, value);
}

static char **texts; /* of the row */
static size_t text_count;

char *test_keep(char *text)
{
	texts = realloc(texts, (text_count + 1) * sizeof *texts);
	if (!texts || !text)
		give_up("a text");
	texts[text_count++] = text;
	return text;
}

size_t test_count(const char *text, const char *part)
{
	size_t count = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		count++;
	return count;
}

char *test_text(const char *format, ...)
{
	va_list arguments;
	char *text = NULL;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		give_up("a text");
	va_end(arguments);
	return test_keep(text);
}

/* Runs after each row, also after one that failed. */
static int end_row(void **state)
{
	(void)state;
	while (text_count > 0)
		free(texts[--text_count]);
	free(texts);
	texts = NULL;
	while (variable_count > 0) {
		struct variable *variable = &variables[--variable_count];

		set_variable(variable->name, variable->value);
		free(variable->name);
		free(variable->value);
	}
	return 0;
}

static void run_row(void **state)
{
	const struct test_row *row = *state;

	pmpp_error_clear(&test_error);
	row->run(row->context);
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
	(void)info;
	(void)kind;
	(void)walk;
	return remove(path);
}

static void remove_folders(void)
{
	for (size_t i = 0; i < folder_count; i++) {
		nftw(folders[i], remove_entry, 16, FTW_DEPTH | FTW_PHYS);
		free(folders[i]);
	}
	folder_count = 0;
}

static void free_rows(void)
{
	for (size_t i = 0; i < row_count; i++) {
		free(rows[i].name);
		free(rows[i].copy);
	}
	free(rows);
	rows = NULL;
	row_count = 0;
}

int test_run(int argc, char **argv)
{
	const char *pattern = argc > 1 ? argv[argc - 1] : NULL;
	struct CMUnitTest *tests = calloc(row_count + 1, sizeof *tests);
	size_t count = 0;
	size_t failed;

	if (!tests)
		give_up("the rows");
	/* With one stream, CMocka's messages about a failed row are below the name of the row. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	fflush(stdout);
	dup2(STDOUT_FILENO, STDERR_FILENO);
	for (size_t i = 0; i < row_count; i++)
		if (is_chosen(&rows[i], pattern))
			tests[count++] = (struct CMUnitTest){rows[i].name, .test_func = run_row,
				.teardown_func = end_row, .initial_state = &rows[i]};
	failed = (size_t)_cmocka_run_group_tests("rows", tests, count, NULL, NULL);
	if (failed > count || failed + skipped > count)
		failed = count - skipped;
	if (!pattern && count < row_count)
		printf("short form: %zu of %zu rows\n", count, row_count);
	remove_folders();
	pmpp_error_clear(&test_error);
	free(tests);
	free_rows();

	if (count == 0)
		printf("no row ran%s%s\n", pattern ? ": no name matches " : "",
			pattern ? pattern : "");
	printf("%zu passed, %zu failed, %zu skipped\n", count - failed - skipped,
		count == 0 ? (size_t)1 : failed, skipped);
	if (failed > 0 || count == 0)
		return 1;
	return skipped == count ? 77 : 0;
}

/* ---- Functions for rows -------------------------------------------------------------------- */

#define FORMAT_TEXT(text, format)                                \
	do {                                                     \
		va_list arguments;                               \
		va_start(arguments, format);                     \
		vsnprintf(text, sizeof text, format, arguments); \
		va_end(arguments);                               \
	} while (0)

void test_note(const char *format, ...)
{
	char text[1024];

	FORMAT_TEXT(text, format);
	printf("             %s\n", text);
}

void test_skip(const char *format, ...)
{
	char text[1024];

	FORMAT_TEXT(text, format);
	test_note("skipped: %s", text);
	skipped++;
	skip();
	abort(); /* not reached: skip() leaves the row */
}

void test_fail(const char *format, ...)
{
	char text[4096];

	FORMAT_TEXT(text, format);
	fail_msg("%s", text);
	abort(); /* not reached */
}

static bool is_required(const char *name)
{
	const char *list = getenv("PMPP_REQUIRE");
	size_t length = strlen(name);

	while (list && *list) {
		size_t word = strcspn(list, ",");

		if (word == length && strncmp(list, name, length) == 0)
			return true;
		list += word + (list[word] == ',');
	}
	return false;
}

void test_skip_missing(const char *name, const char *reason)
{
	if (is_required(name))
		test_fail("PMPP_REQUIRE requires %s, but: %s", name, reason);
	test_skip("%s: %s", name, reason);
}

void test_skip_backend(enum gpu_backend_id id, const char *reason)
{
	test_skip_missing(gpu_backend_name(id), reason);
}

void test_ok(enum pmpp_status status)
{
	char text[1000];

	if (status == PMPP_OK)
		return;
	snprintf(text, sizeof text, "%s (%s:%d)", test_error.message, test_error.file,
		test_error.line);
	if (test_error.log)
		test_note("log: %.900s", test_error.log);
	pmpp_error_clear(&test_error);
	test_fail("%s: %s", pmpp_status_text(status), text);
}

void test_refused(enum pmpp_status status, enum pmpp_status expected, const char *part)
{
	char text[sizeof test_error.message];
	enum pmpp_status told = test_error.status;

	memcpy(text, test_error.message, sizeof text);
	pmpp_error_clear(&test_error);
	if (status != expected)
		test_fail("expected '%s', got '%s': %s", pmpp_status_text(expected),
			pmpp_status_text(status), text);
	if (told != expected)
		test_fail("returned '%s', but the error has '%s'", pmpp_status_text(status),
			pmpp_status_text(told));
	if (text[0] == '\0')
		test_fail("the status '%s' has no message", pmpp_status_text(status));
	if (part && !strstr(text, part))
		test_fail("the message lacks '%s': %s", part, text);
}

void test_near(double got, double want, double tolerance)
{
	if (isnan(got) || isnan(want) || !(fabs(got - want) <= tolerance))
		test_fail("got %.17g, want %.17g within %g", got, want, tolerance);
}

void test_near_or_nan(double got, double want, double tolerance)
{
	if (!isnan(got) || !isnan(want))
		test_near(got, want, tolerance);
}

void test_release(void *pointer)
{
	free(*(void **)pointer);
}

void test_integers(const char *what, uintmax_t got, uintmax_t want, const char *file, int line)
{
	if (got == want)
		return;
	print_error("%s: %jd, not %jd\n", what, (intmax_t)got, (intmax_t)want);
	_fail(file, line);
}

void test_texts(const char *what, const char *got, const char *want, const char *file, int line)
{
	if (got && want && strcmp(got, want) == 0)
		return;
	print_error("%s: '%s', not '%s'\n", what, got ? got : "NULL", want ? want : "NULL");
	_fail(file, line);
}

void test_parts(const char *text, bool has, const char *file, int line, ...)
{
	va_list parts;

	va_start(parts, line);
	for (const char *part; (part = va_arg(parts, const char *));)
		if ((text && strstr(text, part)) != has) {
			print_error("%s '%s' in:\n%s\n", has ? "no" : "there is", part,
				text ? text : "NULL");
			_fail(file, line);
		}
	va_end(parts);
}

FILE *test_stream(char **text)
{
	static size_t size;
	FILE *stream = open_memstream(text, &size);

	assert_non_null(stream);
	return stream;
}

/* ---- Files --------------------------------------------------------------------------------- */

const char *test_folder(void)
{
	const char *base = getenv("TMPDIR");
	char *path = NULL;

	if (asprintf(&path, "%s/pmpp-test-XXXXXX", base && *base ? base : "/tmp") < 0)
		give_up("a folder's name");
	if (folder_count == MAX_FOLDERS || !mkdtemp(path))
		give_up(path);
	folders[folder_count++] = path;
	return path;
}

void test_write_file(const char *path, const void *bytes, size_t size)
{
	char *part = strdup(path);
	FILE *file;

	if (!part)
		give_up(path);
	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(part, 0700);
		*slash = '/';
	}
	free(part);
	file = fopen(path, "wb");
	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
		give_up(path);
}

void test_write_text(const char *text, const char *path, ...)
{
	char whole[5000];

	FORMAT_TEXT(whole, path);
	test_write_file(whole, text, strlen(text));
}

const char *test_only_file(const char *folder)
{
	glob_t found;

	CHECK(EQUAL(glob(test_text("%s/*", folder), 0, NULL, &found), 0), EQUAL(found.gl_pathc, 1));
	const char *path = test_text("%s", found.gl_pathv[0]);
	globfree(&found);
	return path;
}
