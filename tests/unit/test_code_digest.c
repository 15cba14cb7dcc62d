/* Digests of kernel files without comments, and the names of their kernels. */
#include "host/gpu/program.c"
#include "host/io/code_digest.h"
#include "tests/support/test.h"

#include <sha256.h>

/* code: the text whose SHA-256 is the digest. */
static const struct row {
	const char *name, *text, *code;
} table[] = {
	{"no code", "", ""},
	{"only comments", "/* a */\n// b\n", ""},
	{"code only", "int x;", "int x;"},
	{"blanks and lines", "\tint  x;\n\n\tint y;\n", "int x; int y;"},
	{"a comment between names", "int/* of */x;", "int x;"},
	{"a comment over lines", "a /* b\n * c */ d", "a d"},
	{"a line comment", "a // b /* c\nd", "a d"},
	{"a line comment that continues", "a // b \\\nc\nd", "a d"},
	{"a comment without an end", "a /* b", "a"},
	{"a comment in a string", "s = \"/* a  // b */\";", "s = \"/* a  // b */\";"},
	{"an escaped quote", "\"\\\"//\" // a", "\"\\\"//\""},
	{"a quote character", "c = '\"'; // a\n\"b\"", "c = '\"'; \"b\""},
	{"a string without an end", "\"a // b\nc // d", "\"a // b c"},
	{"the line after a directive", "#define A 1\nfoo();", "#define A 1\nfoo();"},
	{"the line before a directive", "foo();\n\n  #if A\nb\n", "foo();\n#if A\nb"},
	{"a directive over lines", "#define A \\\n\t1 /* b\n */ + 2\n3", "#define A 1 + 2\n3"},
	{"a comment before a directive", "/* a */\n#if A // b\n#endif\n", "#if A\n#endif"},
	{"no directive", "a # b\nc", "a # b c"},
};

TEST_ROWS(digest, table, "%s", row->name)
{
	char got[CODE_DIGEST_BYTES], want[SHA256_DIGEST_STRING_LENGTH];

	IS(code_digest(row->text, got));
	SHA256Data((const uint8_t *)row->code, strlen(row->code), want);
	STRING(got, want);
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

/* Numbers of bytes: no block, blocks that are not whole, whole blocks. */
static const struct bytes_row {
	size_t count;
} bytes_table[] = {{0}, {1}, {55}, {56}, {63}, {64}, {65}, {128}, {4000}, {4096}};

TEST_ROWS(bytes, bytes_table, "%zu bytes", row->count)
{
	uint8_t bytes[4097], got[BYTES_DIGEST_BYTES], want[BYTES_DIGEST_BYTES];
	SHA2_CTX hash;

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(i * i >> 3);
	bytes_digest(bytes + 1, row->count, got);
	SHA256Init(&hash);
	SHA256Update(&hash, bytes + 1, row->count);
	SHA256Final(want, &hash);
	IS(memcmp(got, want, sizeof got) == 0);
}

/* ---- Names of kernels ----------------------------------------------------------------------- */

static const struct names_row {
	const char *name, *text, *names;
} names_table[] = {
	{"none", "void f(int a) { g(a); }", ""},
	{"CUDA", "extern \"C\" __global__ void a(int n)\n{ f(n); }", "a"},
	{"CUDA, with bounds", "extern \"C\" __global__ void __launch_bounds__(T *(U)) a(int n) {}",
		"a"},
	{"OpenCL", "__kernel void a(__global int *x) { y(x); }", "a"},
	{"OpenCL, with attributes",
		"kernel __attribute__((reqd_work_group_size(T, T, 1)))\nvoid a(int n) {}", "a"},
	{"several", "__kernel void a(int n) {}\n__kernel void b(void) {}", "a, b"},
	{"a declaration first", "__global__ void a(int);\n__global__ void a(int n) {}", "a"},
	{"in a comment", "/* __kernel void a(int n) */\n// __kernel void b(int n)", ""},
	{"in a string", "s = \"__kernel void a(int n)\";", ""},
	{"a part of a word", "my__kernel void a(int n);", ""},
	{"a variable kernel", "int kernel = f(1);", ""},
	{"the end is missing", "__kernel void __attribute__((x)", ""},
	{"the name is missing", "__kernel", ""},
};

TEST_ROWS(names, names_table, "names: %s", row->name)
{
	char text[40];

	kernel_names_text(row->text, text, sizeof text);
	STRING(text, row->names);
}
