/* Kernel sources with included files. */
#include "host/io/sources.h"
#include "tests/support/test.h"

static const struct row {
	const char *name;
	const char *kernel;   /* text of cl_kernels/f/k.cl */
	const char *files[5]; /* name, text, ... of included files */
	const char *expected; /* "*": in place of a number of 16 digits */
} rows[] = {
	{"an included file", "#include \"part.inc\"\nint b;\n",
		{"cl_kernels/f/part.inc", "int a;\n"},
		"#line 1 \"f/part.inc\"\nint a;\n#line 2 \"f/k.cl\"\nint b;\n"},
	{"an included file without a newline at its end", "#include \"part.inc\"\nint b;\n",
		{"cl_kernels/f/part.inc", "int a;"},
		"#line 1 \"f/part.inc\"\nint a;\n#line 2 \"f/k.cl\"\nint b;\n"},
	{"an empty file", "#include \"part.h\"\n", {"cl_kernels/f/part.h", ""},
		"#line 1 \"f/part.h\"\n#line 2 \"f/k.cl\"\n"},
	{"a file in the folder of --kernel-dir", " #  include\t\"part.h\" // note\n",
		{"part.h", "int a;\n"}, "#line 1 \"part.h\"\nint a;\n#line 2 \"f/k.cl\"\n"},
	{"the file beside the kernel is first", "#include \"a.h\"\n",
		{"a.h", "int root;\n", "cl_kernels/f/a.h", "int beside;\n"},
		"#line 1 \"f/a.h\"\nint beside;\n#line 2 \"f/k.cl\"\n"},
	{"a file that includes another one beside itself", "#include \"in/a.h\"\n",
		{"cl_kernels/f/in/a.h", "#include \"b.h\"\n", "cl_kernels/f/in/b.h", "int b;\n"},
		"#line 1 \"f/in/a.h\"\n#line 1 \"f/in/b.h\"\nint b;\n#line 2 \"f/in/a.h\"\n"
		"#line 2 \"f/k.cl\"\n"},
	{"files that include each other", "#include \"a.h\"\n",
		{"cl_kernels/f/a.h", "int a;\n#include \"b.h\"\n", "cl_kernels/f/b.h",
			"#include \"../f/a.h\"\nint b;\n"},
		"#line 1 \"f/a.h\"\nint a;\n#line 1 \"f/b.h\"\n#line 2 \"f/b.h\"\nint b;\n"
		"#line 3 \"f/a.h\"\n#line 2 \"f/k.cl\"\n"},
	{"pragma once", "#include \"a.h\"\n", {"cl_kernels/f/a.h", "#pragma once\nint a;\n"},
		"#ifndef PMPP_ONCE_*\n#define PMPP_ONCE_*\n#line 1 \"f/a.h\"\n\nint a;\n#endif\n"
		"#line 2 \"f/k.cl\"\n"},
	{"pragma once, included again", "#include \"a.h\"\nint b;\n#include \"a.h\"\n",
		{"cl_kernels/f/a.h", "#pragma once\n#if A // a\n#endif // A\n"},
		"#ifndef PMPP_ONCE_*\n#define PMPP_ONCE_*\n#line 1 \"f/a.h\"\n\n#if A // a\n"
		"#endif // A\n#endif\n#line 2 \"f/k.cl\"\nint b;\n#line 4 \"f/k.cl\"\n"},
	{"a file that does not exist", "#include \"none.h\"\n#include <math.h>\n", {NULL},
		"#include \"none.h\"\n#include <math.h>\n"},
	{"a comment", "/* \"\n#include \"a.h\"\n*/ char c = '\"'; // /*\n", {"a.h", "int a;\n"},
		"/* \"\n#include \"a.h\"\n*/ char c = '\"'; // /*\n"},
};

/* Replaces the digits of PMPP_ONCE_... by a star. */
static void hide_digits(char *text)
{
	static const char mark[] = "PMPP_ONCE_";

	for (char *at = text; (at = strstr(at, mark));) {
		at += strlen(mark);
		char *end = at + strspn(at, "0123456789abcdef");
		*at = '*';
		memmove(at + 1, end, strlen(end) + 1);
	}
}

TEST_ROWS(include, rows, "%s", row->name)
{
	const char *folder = test_folder();
	FREED char *text = NULL;

	test_write_text(row->kernel, "%s/cl_kernels/f/k.cl", folder);
	for (size_t i = 0; row->files[i]; i += 2)
		test_write_text(row->files[i + 1], "%s/%s", folder, row->files[i]);
	test_ok(source_load(folder, "cl_kernels/f/k.cl", &text, &test_error));
	hide_digits(text);
	STRING(text, row->expected);
}

/* A chain of files that does not end. */
TEST(endless, "a chain of included files that does not end")
{
	const char *folder = test_folder();
	char *text = NULL;

	test_write_text("#include \"a0.h\"\n", "%s/cl_kernels/f/k.cl", folder);
	for (int i = 0; i < 40; i++)
		test_write_text(test_text("#include \"a%d.h\"\n", i + 1), "%s/cl_kernels/f/a%d.h",
			folder, i);
	test_refused(source_load(folder, "cl_kernels/f/k.cl", &text, &test_error), PMPP_USAGE,
		"f/k.cl: too many included files");
}

/* 14 headers with a first line. Each header includes all earlier ones. The kernel includes the last. */
static const char *tree_of_headers(const char *first_line)
{
	const char *folder = test_folder();

	for (int i = 0; i < 14; i++) {
		const char *text = test_text("%s\n", first_line);
		for (int k = 0; k < i; k++)
			text = test_text("%s#include \"a%d.h\"\n", text, k);
		test_write_text(
			test_text("%sint a%d;\n", text, i), "%s/cl_kernels/f/a%d.h", folder, i);
	}
	test_write_text("#include \"a13.h\"\n", "%s/cl_kernels/f/k.cl", folder);
	return folder;
}

TEST(once_in_a_tree, "a tree of headers with pragma once")
{
	const char *folder = tree_of_headers("#pragma once");
	FREED char *text = NULL;

	test_ok(source_load(folder, "cl_kernels/f/k.cl", &text, &test_error));
	const char *found = strstr(text, "int a0;\n");
	CHECK(SOME(found), LACKS(found + 1, "int a0;\n"), HAS(text, "int a13;\n"));
}

TEST(too_many, "a tree of headers without pragma once")
{
	const char *folder = tree_of_headers("");
	char *text = NULL;

	test_refused(source_load(folder, "cl_kernels/f/k.cl", &text, &test_error), PMPP_USAGE,
		"write #pragma once");
}

static const struct condition {
	const char *before, *after; /* lines around the first copy */
} conditions[] = {
	{"#if A", "#endif"},
	{" # ifdef A", "# endif"},
	{"#if A\n#if B\n#endif", "#endif"},
	{"#if A\n#define B \\\n#endif", "#endif"},
	{"#if A /*\n#endif */", "#endif"},
	{"#if A\n#en\\\ndif\n#if A\n#else // B", "#endif"},
	{"%:if A", "#endif"},
	{"?\?=if A", "#endif"},
	{"/* */ #if A", "#endif"},
	{"# /* */ if A", "#endif"},
	{"#i\\\nf A", "#endif"},
	{"#i?\?/\nf A", "#endif"},
};

/* The first copy of a file may be left out by the preprocessor. Then the second copy is needed. */
TEST_ROWS(conditional, conditions, "a conditional first copy %zu", i)
{
	const char *folder = test_folder();
	FREED char *text = NULL;

	test_write_text(
		test_text("%s\n#include \"a.h\"\n%s\n#include \"a.h\"\n", row->before, row->after),
		"%s/cl_kernels/f/k.cl", folder);
	test_write_text("#pragma once\nint a;\n", "%s/cl_kernels/f/a.h", folder);
	test_ok(source_load(folder, "cl_kernels/f/k.cl", &text, &test_error));
	const char *found = strstr(text, "int a;\n");
	CHECK(SOME(found), HAS(found + 1, "int a;\n"));
}

/* An embedded kernel includes embedded files. */
TEST(embedded, "an embedded kernel with included files")
{
	FREED char *text = NULL;

	test_ok(source_load(NULL, "cuda_kernels/matmul/async_tiles.cu", &text, &test_error));
	HAS(text, "\n#line 1 \"matmul/quads.inc\"\n");
	LACKS(text, "#include \"quads.inc\"");
}

static const struct reads_row {
	const char *text;
	bool reads, reads_own; /* reads_own: lines with <name> do not count */
} reads_rows[] = {
	{"int a; // include\n", false, false},
	{"#define A 1\n#if A\n#endif\n", false, false},
	{"#line 1 \"include/a.h\"\nint a;\n#line 2 \"f/import.cl\"", false, false},
	{"#line 1 \"include/a.h\" /*\n*/ #include \"a.h\"\n", true, true},
	{"#line 1 \"a.h\"\r#include \"a.h\"\n", true, true},
	{"#include \"a.h\"\n", true, true},
	{"int a;\n  #\tinclude <a.h>", true, false},
	{"#include NAME\n", true, true},
	{"#include_next <a.h>\n", true, true},
	{"#import <a.h>\n", true, true},
	{"#if __has_include(\"a.h\")\n", true, true},
	{"%:include \"a.h\"\n", true, true},
	{"?\?=include \"a.h\"\n", true, true},
	{"/* */ #include \"a.h\"\n", true, true},
	{"#\\\ninclude \"a.h\"\n", true, true},
	{"#inc\\\nlude \"a.h\"\n", true, true},
	{"# /*\n*/ include \"a.h\"\n", true, true},
	{"#inc?\?/\nlude \"a.h\"\n", true, true},
};

TEST_ROWS(reads, reads_rows, "files that the compiler reads, text %zu", i)
{
	EQUAL(source_reads_files(row->text, false), row->reads);
	EQUAL(source_reads_files(row->text, true), row->reads_own);
}
