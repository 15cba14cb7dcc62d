#include "common/nearest.h"
#include "tests/support/test.h"

static const char *const names[] = {"naive-uncoalesced", "naive", "tiled16", "tiled32", "coarse2",
	"coarse4", "coarse8", "registers", "prefetch", "cpu-packed"};
#define NAME_COUNT (sizeof names / sizeof *names)

static const struct row {
	const char *word, *answer;
} rows[] = {
	{"naiv", "naive, naive-uncoalesced"},
	{"nave", "naive"},
	{"naive", "naive, naive-uncoalesced"},
	{"registres", "registers"},
	{"tiled", "tiled16, tiled32"},
	{"tiled61", "tiled16, tiled32"},
	{"coarse", "coarse2, coarse4, coarse8"},
	{"prefetsh", "prefetch"},
	{"coarse22", "coarse2"},
	{"uncoalesced", "naive-uncoalesced"},
	{"cpu_packed", "cpu-packed"},
	{"zzzzzz", ""},
	{"", ""},
	{"an-overlong-word-that-is-longer-than-any-name-of-the-list-and-than-the-table-of-the-distance",
		""},
};

TEST_ROWS(answers, rows, "nearest to '%s'", row->word)
{
	char text[200] = "unset";

	nearest_names(row->word, names, NAME_COUNT, text, sizeof text);
	if (strcmp(text, row->answer) != 0)
		test_fail("'%s': got '%s', want '%s'", row->word, text, row->answer);
}

TEST(small_buffers, "small buffers are not overrun")
{
	char text[40];

	for (size_t size = 1; size < 30; size++) {
		memset(text, '#', sizeof text);
		nearest_names("coarse", names, NAME_COUNT, text, size);
		SOME(memchr(text, '\0', size));
		for (size_t i = size; i < sizeof text; i++)
			EQUAL(text[i], '#');
	}
}

TEST(no_names, "an empty list")
{
	char text[8] = "unset";

	nearest_names("word", names, 0, text, sizeof text);
	STRING(text, "");
}
