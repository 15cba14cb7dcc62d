/* Digests of kernel files without comments. */
#include "host/io/code_digest.h"
#include "tests/support/test.h"

#include <sha256.h>
#include <string.h>

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

static void digest(const void *context)
{
	const struct row *row = context;
	char got[CODE_DIGEST_BYTES], want[SHA256_DIGEST_STRING_LENGTH];

	assert_true(code_digest(row->text, got));
	SHA256Data((const uint8_t *)row->code, strlen(row->code), want);
	assert_string_equal(got, want);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		test_add(&list, digest, &table[i], "%s", table[i].name);
	return test_run(&list, argc, argv);
}
