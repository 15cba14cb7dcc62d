/* Texts from outside, made valid UTF-8 without control characters. */
#include "common/clean_text.h"
#include "tests/support/fake.h"
#include "tests/support/test.h"

#define BYTES(text) text, sizeof(text) - 1

static const struct row {
	const char *name, *bytes;
	size_t length;
	const char *line, *lines; /* lines: NULL = the same */
} table[] = {
	{"empty", BYTES(""), "", NULL},
	{"ASCII", BYTES("all printable ~!\\x"), "all printable ~!\\x", NULL},
	{"a tab", BYTES("a\tb"), "a\tb", NULL},
	{"a line feed", BYTES("a\nb\n"), "a\\x0ab\\x0a", "a\nb\n"},
	{"carriage returns", BYTES("a\r\nb\rc\r"), "a\\x0d\\x0ab\\x0dc\\x0d", "a\nb\\x0dc\\x0d"},
	{"a NUL byte", BYTES("a\0b"), "a\\x00b", NULL},
	{"a colour", BYTES("\033[31mred"), "\\x1b[31mred", NULL},
	{"DEL", BYTES("a\177"), "a\\x7f", NULL},
	{"C1: a control sequence in two bytes",
		BYTES("\xc2\x9b"
		      "31m \xc2\x80 \xc2\x9f"),
		"\\xc2\\x9b31m \\xc2\\x80 \\xc2\\x9f", NULL},
	{"the first after C1", BYTES("\xc2\xa0"), "\xc2\xa0", NULL},
	{"two bytes", BYTES("caf\xc3\xa9 \xdf\xbf"), "caf\xc3\xa9 \xdf\xbf", NULL},
	{"three bytes", BYTES("\xe2\x82\xac \xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80 \xef\xbf\xbf"),
		"\xe2\x82\xac \xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80 \xef\xbf\xbf", NULL},
	{"four bytes", BYTES("\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf"),
		"\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf", NULL},
	{"Latin-1", BYTES("caf\xe9!"), "caf\\xe9!", NULL},
	{"a byte that no sequence has", BYTES("\xff\xfe\xc0\xc1\xf5"), "\\xff\\xfe\\xc0\\xc1\\xf5",
		NULL},
	{"a lone continuation", BYTES("a\x80 \xbf"), "a\\x80 \\xbf", NULL},
	{"two bytes, over-long", BYTES("\xc0\xaf \xc1\xbf"), "\\xc0\\xaf \\xc1\\xbf", NULL},
	{"three bytes, over-long", BYTES("\xe0\x80\xaf \xe0\x9f\xbf"),
		"\\xe0\\x80\\xaf \\xe0\\x9f\\xbf", NULL},
	{"four bytes, over-long", BYTES("\xf0\x80\x80\xaf \xf0\x8f\xbf\xbf"),
		"\\xf0\\x80\\x80\\xaf \\xf0\\x8f\\xbf\\xbf", NULL},
	{"surrogates", BYTES("\xed\xa0\x80\xed\xbf\xbf"), "\\xed\\xa0\\x80\\xed\\xbf\\xbf", NULL},
	{"above the last", BYTES("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80", NULL},
	{"cut after one of two", BYTES("a\xc3"), "a\\xc3", NULL},
	{"cut after two of three", BYTES("a\xe2\x82"), "a\\xe2\\x82", NULL},
	{"cut after three of four", BYTES("a\xf0\x9f\x98"), "a\\xf0\\x9f\\x98", NULL},
	{"cut in the middle", BYTES("\xe2\x82z\xf0\x9f\x98z"), "\\xe2\\x82z\\xf0\\x9f\\x98z", NULL},
	{"cut before another", BYTES("\xe2\x82\xc3\xa9"), "\\xe2\\x82\xc3\xa9", NULL},
};

static void expect(const char *bytes, size_t length, enum clean_kind kind, const char *wanted)
{
	FREED char *got = clean_text_copy(bytes, length, kind);
	size_t size = strlen(wanted) + 1;

	CHECK(SOME(got), STRING(got, wanted),
		EQUAL(clean_text(bytes, length, kind, NULL, 0), size - 1));
	/* A shorter buffer gets a clean beginning of the text. */
	for (size_t room = 1; room <= size; room++) {
		char *part = malloc(room); /* exact size, so that sanitizers detect overruns */
		CHECK(SOME(part), EQUAL(clean_text(bytes, length, kind, part, room), size - 1),
			IS(strlen(part) < room));
		assert_memory_equal(part, wanted, strlen(part));
		if (room == size)
			STRING(part, wanted);
		/* No character and no escape is split: the part is clean, and at most the bytes of
		 * one are missing. */
		EQUAL(clean_text(part, strlen(part), kind, NULL, 0), strlen(part));
		IS(room - 1 - strlen(part) < 4);
		free(part);
	}
	FREED char *again = clean_text_copy(got, strlen(got), kind);
	STRING(again, got);
}

TEST_ROWS(cleaned, table, "%s", row->name)
{
	expect(row->bytes, row->length, CLEAN_LINE, row->line);
	expect(row->bytes, row->length, CLEAN_LINES, row->lines ? row->lines : row->line);
}

static size_t encode(uint32_t value, char ret_bytes[4])
{
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t length = value < 0x80 ? 1 : value < 0x800 ? 2 : value < 0x10000 ? 3 : 4;

	for (size_t i = length; i-- > 1; value >>= 6)
		ret_bytes[i] = (char)(0x80 | (value & 0x3f));
	ret_bytes[0] = (char)(lead[length] | value);
	return length;
}

/* Number of code points that stay, by the length of their sequences. */
static const uint64_t kept_points[] = {0, 0x7f - 0x20 + 1 /* the tab */, 0x800 - 0xa0,
	0x10000 - 0x800 - 0x800 /* surrogates */, 0x110000 - 0x10000};

TEST(every_code_point, "every code point")
{
	uint64_t kept[5] = {0};
	char bytes[4], text[20];

	for (uint32_t value = 0; value < 0x200000; value++) {
		size_t length = encode(value, bytes);
		size_t got = clean_text(bytes, length, CLEAN_LINE, text, sizeof text);
		bool stays = value < 0x110000 && (value < 0xd800 || value > 0xdfff) &&
			     (value >= 0xa0 || (value >= 0x20 && value < 0x7f) || value == '\t');
		EQUAL(got, stays ? length : 4 * length);
		if (stays)
			assert_memory_equal(text, bytes, length);
		kept[length] += stays;
	}
	for (size_t i = 1; i < 5; i++)
		EQUAL(kept[i], kept_points[i]);
}

/* All texts of one to three bytes: the number of unchanged texts equals the number of texts of
 * allowed code points. */
TEST(every_short_text, "every text of up to three bytes")
{
	uint64_t wanted[4] = {1};

	for (size_t length = 1; length < 4; length++) {
		uint64_t kept = 0;
		for (size_t last = 1; last <= length; last++)
			wanted[length] += kept_points[last] * wanted[length - last];
		for (uint32_t n = 0; n < 1u << 8 * length; n++) {
			const char bytes[] = {(char)n, (char)(n >> 8), (char)(n >> 16)};
			kept += clean_text(bytes, length, CLEAN_LINE, NULL, 0) == length;
		}
		EQUAL(kept, wanted[length]);
	}
}

/* ---- Texts of drivers and messages ----------------------------------------------------------- */

TEST(devices, "texts of drivers")
{
	struct gpu_device_info *infos = NULL;
	struct gpu_backend_state state;
	size_t count = 0;

	fake_register();
	fake_reset();
	memset(fake_control.info.name, '\xe9', sizeof fake_control.info.name - 1);
	strcpy(fake_control.info.vendor, "caf\xe9\n");
	strcpy(fake_control.info.driver, "1.0 \033[31m");
	strcpy(fake_control.info.compiler, "caf\xc3\xa9");
	test_ok(gpu_enumerate(GPU_BACKEND_FAKE, &infos, &count, &state, &test_error));
	CHECK(EQUAL(count, 1), STRING(infos[0].vendor, "caf\\xe9\\x0a"),
		STRING(infos[0].driver, "1.0 \\x1b[31m"), STRING(infos[0].compiler, "caf\xc3\xa9"));
	assert_memory_equal(infos[0].name, "\\xe9\\xe9", 8);
	EQUAL(strlen(infos[0].name) % 4, 0);
	free(infos);
	fake_reset();
	fake_control.device_count = 0;
	strcpy(fake_control.reason, "no caf\xe9");
	test_ok(gpu_enumerate(GPU_BACKEND_FAKE, &infos, &count, &state, &test_error));
	STRING(state.reason, "no caf\\xe9");
	free(infos);
}

/* A message stays one line after a prefix and an addition, and is cut between characters. */
TEST(messages, "messages")
{
	char euros[900] = "";

	PMPP_FAIL(&test_error, PMPP_USAGE, "caf%c: %s", 0xe9, "a\nb");
	pmpp_error_prefix(&test_error, "%s", "\033[31m\n");
	pmpp_error_append(&test_error, "; %s", "\xff");
	STRING(test_error.message, "\\x1b[31m\\x0a: caf\\xe9: a\\x0ab; \\xff");
	for (size_t i = 0; i < 250; i++)
		strcat(euros, "\xe2\x82\xac");
	for (size_t shift = 0; shift < 3; shift++) {
		PMPP_FAIL(&test_error, PMPP_USAGE, "%.*s%s", (int)shift, "xx", euros);
		EQUAL(strlen(test_error.message), shift + (599 - shift) / 3 * 3);
		pmpp_error_prefix(&test_error, "%s", "x");
		pmpp_error_append(&test_error, "%s", euros);
		EQUAL(clean_text(
			      test_error.message, strlen(test_error.message), CLEAN_LINE, NULL, 0),
			strlen(test_error.message));
	}
	pmpp_error_clear(&test_error);
}
