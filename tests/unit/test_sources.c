/* Kernel sources with included files. */
#include "host/io/sources.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct row {
	const char *name;
	const char *included; /* text of the included file */
} rows[] = {
	{"an included file", "int a;\n"},
	{"an included file without a newline at its end", "int a;"},
};

static void include(const void *context)
{
	static const char file[] = "#include \"part.inc\"\nint b;\n";
	const struct row *row = context;
	const char *folder = test_folder();
	struct pmpp_error error = PMPP_ERROR_INIT;
	char *text = NULL;
	char *path = NULL;

	assert_true(asprintf(&path, "%s/cl_kernels/f/k.cl", folder) >= 0);
	test_write_file(path, file, sizeof file - 1);
	free(path);
	assert_true(asprintf(&path, "%s/cl_kernels/f/part.inc", folder) >= 0);
	test_write_file(path, row->included, strlen(row->included));
	free(path);
	test_ok(source_load(folder, "cl_kernels/f/k.cl", &text, &error), &error);
	assert_string_equal(text, "#line 1 \"f/part.inc\"\nint a;\n#line 2 \"f/k.cl\"\nint b;\n");
	free(text);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		test_add(&list, include, &rows[i], "%s", rows[i].name);
	return test_run(&list, argc, argv);
}
