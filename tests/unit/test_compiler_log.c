/* Warnings in real logs of each compiler: place, kind, name and text. */
#include "common/compiler_log.h"
#include "tests/support/test.h"

static const struct line_row {
	const char *name, *log;
	const char *file; /* NULL: no warning */
	int line;
	enum warning_kind kind;
	const char *variable, *text;
} line_rows[] = {
	/* g++ 12.2, LC_ALL=C and in UTF-8 */
	{"gcc, definite",
		"matmul/tiled.cu: In function 'void y(float*, int)':\n"
		"matmul/tiled.cu:25:11: warning: 'from' is used uninitialized [-Wuninitialized]\n"
		"   25 |  a[from] = v.x;\n",
		"matmul/tiled.cu", 25, WARNING_UNINITIALISED, "from",
		"'from' is used uninitialized [-Wuninitialized]"},
	{"gcc, curly quotation marks",
		"dir/v.cu:31:40: warning: \xe2\x80\x98s\xe2\x80\x99 is used uninitialized "
		"[-Wuninitialized]\n",
		"dir/v.cu", 31, WARNING_UNINITIALISED, "s",
		"\xe2\x80\x98s\xe2\x80\x99 is used uninitialized [-Wuninitialized]"},
	{"gcc, maybe",
		"matmul/tiled.cu:37:28: warning: 'sum' may be used uninitialized "
		"[-Wmaybe-uninitialized]\n"
		"matmul/tiled.cu:22:8: note: 'sum' was declared here\n",
		"matmul/tiled.cu", 37, WARNING_MAYBE_UNINITIALISED, "sum",
		"'sum' may be used uninitialized [-Wmaybe-uninitialized]"},
	{"gcc, other", "v.cu:30:13: warning: unused variable 'unused' [-Wunused-variable]", "v.cu",
		30, WARNING_OTHER, "", "unused variable 'unused' [-Wunused-variable]"},
	/* clang++ 14.0 */
	{"clang, definite",
		"v.cu:5:3: warning: variable 'sum' is uninitialized when used here "
		"[-Wuninitialized]\n"
		"                sum += a[i];\n                ^~~\n"
		"v.cu:3:11: note: initialize the variable 'sum' to silence this warning\n",
		"v.cu", 5, WARNING_UNINITIALISED, "sum",
		"variable 'sum' is uninitialized when used here [-Wuninitialized]"},
	{"clang, its own initialisation",
		"v.cu:5:10: warning: variable 'x' is uninitialized when used within its own "
		"initialization [-Wuninitialized]\n",
		"v.cu", 5, WARNING_UNINITIALISED, "x",
		"variable 'x' is uninitialized when used within its own initialization "
		"[-Wuninitialized]"},
	{"clang, conditional",
		"matmul/tiled.cu:32:47: warning: variable 'sum' may be uninitialized when used "
		"here [-Wconditional-uninitialized]\n",
		"matmul/tiled.cu", 32, WARNING_MAYBE_UNINITIALISED, "sum",
		"variable 'sum' may be uninitialized when used here "
		"[-Wconditional-uninitialized]"},
	{"clang, sometimes",
		"v.cu:18:6: warning: variable 'sum' is used uninitialized whenever 'if' condition "
		"is false [-Wsometimes-uninitialized]\n",
		"v.cu", 18, WARNING_MAYBE_UNINITIALISED, "sum",
		"variable 'sum' is used uninitialized whenever 'if' condition is false "
		"[-Wsometimes-uninitialized]"},
	/* NVRTC 13.0 */
	{"NVRTC, definite",
		"dir/v.cu(25): warning #549-D: variable \"from\" is used before its value is set\n"
		"  \ta[from] = v.x;\n  \t  ^\n\n"
		"Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n",
		"dir/v.cu", 25, WARNING_UNINITIALISED, "from",
		"variable \"from\" is used before its value is set"},
	{"NVRTC, other",
		"dir/v.cu(30): warning #177-D: variable \"unused\" was declared but never "
		"referenced\n",
		"dir/v.cu", 30, WARNING_OTHER, "",
		"variable \"unused\" was declared but never referenced"},
	/* PoCL 3.1 */
	{"PoCL, definite",
		"warning: dir/v.cl:25:4: variable 'from' is uninitialized when used here\n",
		"dir/v.cl", 25, WARNING_UNINITIALISED, "from",
		"variable 'from' is uninitialized when used here"},
	{"PoCL, conditional",
		"warning: matmul/tiled.cl:36:46: variable 'sum' may be uninitialized when used "
		"here\n",
		"matmul/tiled.cl", 36, WARNING_MAYBE_UNINITIALISED, "sum",
		"variable 'sum' may be uninitialized when used here"},
	{"PoCL, in a macro",
		"warning: vecadd/fine.cl:40:3 <Spelling=vecadd/fine.cl:41:48>: variable 'never' is "
		"uninitialized when used here\n",
		"vecadd/fine.cl", 40, WARNING_UNINITIALISED, "never",
		"variable 'never' is uninitialized when used here"},
	{"PoCL, other",
		"warning: dir/u.cl:1:48: non-void function does not return a value in all control "
		"paths\n",
		"dir/u.cl", 1, WARNING_OTHER, "",
		"non-void function does not return a value in all control paths"},
	/* NVIDIA's OpenCL: the assembler's report, and the file name that the backend sets */
	{"NVIDIA's OpenCL",
		"\nptxas info    : 0 bytes gmem\nptxas info    : Used 10 registers\n"
		"reduce/tree.cl:12:7: warning: unused variable 'x'\n",
		"reduce/tree.cl", 12, WARNING_OTHER, "", "unused variable 'x'"},
	/* Forms that a file may have */
	{"a line without a column", "a b:3: warning: text", "a b", 3, WARNING_OTHER, "", "text"},
	{"colons in the path", "C:dir/x.cl:3:4: warning: text", "C:dir/x.cl", 3, WARNING_OTHER, "",
		"text"},
	{"lines that end with CR LF", "x.cl:3:4: warning: text\r\n", "x.cl", 3, WARNING_OTHER, "",
		"text"},
	/* No warnings */
	{"an empty log", "", NULL, 0, WARNING_OTHER, NULL, NULL},
	{"empty lines", "\n\n \n", NULL, 0, WARNING_OTHER, NULL, NULL},
	{"the assembler's report",
		"ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function 'k' for "
		"'sm_90'\n(C) 2024 NVIDIA Corporation\n",
		NULL, 0, WARNING_OTHER, NULL, NULL},
	{"a count of warnings", "1 warning generated.\n", NULL, 0, WARNING_OTHER, NULL, NULL},
	{"a note", "v.cu:3:11: note: initialize 'sum' to silence this warning\n", NULL, 0,
		WARNING_OTHER, NULL, NULL},
	{"no place", "warning: linking two modules of different target triples\n", NULL, 0,
		WARNING_OTHER, NULL, NULL},
	{"the assembler's warning", "ptxas warning : Stack size cannot be determined\n", NULL, 0,
		WARNING_OTHER, NULL, NULL},
	{"a line of the source", "  \tprintf(\": warning: 'x' is used uninitialized\");\n", NULL, 0,
		WARNING_OTHER, NULL, NULL},
	{"a number alone", "12: warning: text\n", NULL, 0, WARNING_OTHER, NULL, NULL},
};

TEST_ROWS(test_line, line_rows, "%s", row->name)
{
	struct compiler_warning warning = {.line = -7};
	const char *at = row->log;

	if (!row->file) {
		CHECK(NOT(compiler_log_next(&at, &warning)), EQUAL(warning.line, -7),
			EQUAL(*at, '\0'));
		return;
	}
	CHECK(IS(compiler_log_next(&at, &warning)), STRING(warning.file, row->file),
		EQUAL(warning.line, row->line), EQUAL(warning.kind, row->kind),
		STRING(warning.name, row->variable), STRING(warning.text, row->text),
		NOT(compiler_log_next(&at, &warning)));
}

TEST(test_all_of_a_log, "all warnings of a log, in order")
{
	static const char log[] =
		"a.cu(3): warning #549-D: variable \"x\" is used before its value is set\n  x\n  ^\n"
		"\nRemark: ...\n\nb.cu(4): warning #177-D: variable \"y\" was declared\n";
	struct compiler_warning warning;
	const char *at = log;

	CHECK(IS(compiler_log_next(&at, &warning)), STRING(warning.file, "a.cu"),
		IS(compiler_log_next(&at, &warning)), STRING(warning.file, "b.cu"),
		EQUAL(warning.line, 4), STRING(warning.name, ""),
		NOT(compiler_log_next(&at, &warning)));
}

TEST(test_long_text, "a long text is cut")
{
	char log[2000];
	struct compiler_warning warning;
	const char *at = log;

	memset(log, 'x', sizeof log);
	memcpy(log, "a.cu:3:4: warning: ", 19);
	log[sizeof log - 1] = '\0';
	CHECK(IS(compiler_log_next(&at, &warning)),
		EQUAL(strlen(warning.text), sizeof warning.text - 1), EQUAL(*at, '\0'));
}
