/* The memory of a JSON tree: the estimate that is compared with the available memory, and the bytes
 * that the library allocates. The warning about files above the limit of the reader. */
#include "host/record/document.c"
#include "tests/support/test.h"

#include <jansson.h>

/* ---- Memory of a tree ------------------------------------------------------------------------ */

static size_t used;

/* The bytes that glibc takes for a block: a header of 8 bytes, multiples of 16, at least 32. */
static size_t block_bytes(size_t size)
{
	size_t bytes = (size + 8 + 15) / 16 * 16;

	return bytes < 32 ? 32 : bytes;
}

#define HEADER 16

static void *take(size_t size)
{
	char *block = malloc(size + HEADER);

	if (!block)
		return NULL;
	memcpy(block, &size, sizeof size);
	used += block_bytes(size);
	return block + HEADER;
}

static void give(void *data)
{
	size_t size;

	if (!data)
		return;
	FREED char *block = (char *)data - HEADER;
	memcpy(&size, block, sizeof size);
	used -= block_bytes(size);
}

static const struct item_row {
	const char *name, *open, *item, *close; /* %06d in the item: its number */
} item_rows[] = {
	{"numbers", "[", "1.5", "]"},
	{"empty texts", "[", "\"\"", "]"},
	{"short texts", "[", "\"abcdefg\"", "]"},
	{"texts", "[", "\"abcdefghijklmnopqrstuvwx\"", "]"},
	{"empty arrays", "[", "[]", "]"},
	{"empty objects", "[", "{}", "]"},
	{"objects with a text", "[", "{\"a\":\"b\"}", "]"},
	{"members", "{", "\"%06d\":1", "}"},
	{"members with a text", "{", "\"%06d\":\"\"", "}"},
	{"members with an object", "{", "\"%06d\":{}", "}"},
};

/* One more than a power of two: arrays and hash tables are half empty. */
#define ITEMS ((1 << 15) + 1)

static char *make_text(const struct item_row *row)
{
	char *text = NULL;
	FILE *out = test_stream(&text);
	const char *number = strstr(row->item, "%06d");

	fputs(row->open, out);
	for (int i = 0; i < ITEMS; i++) {
		fputs(i ? "," : "", out);
		if (number)
			fprintf(out, "%.*s%06d%s", (int)(number - row->item), row->item, i,
				number + strlen("%06d"));
		else
			fputs(row->item, out);
	}
	fputs(row->close, out);
	EQUAL(fclose(out), 0);
	return text;
}

TEST_ROWS(tree_memory, item_rows, "memory: %s", row->name)
{
	struct json_tree tree = {.root = NULL};
	FREED char *text = make_text(row);
	const struct shape shape = measure(text, strlen(text));
	uint64_t max = tree_bytes(&shape, strlen(text));

	used = 0;
	json_set_alloc_funcs(take, give);
	test_ok(json_tree_create(&tree, text, strlen(text), row->name, &test_error));
	uint64_t bytes = used;
	json_tree_destroy(&tree);
	json_set_alloc_funcs(malloc, free);
	EQUAL(used, 0);
	test_note("%.1f bytes for each item, estimate %.1f", (double)bytes / ITEMS,
		(double)max / ITEMS);
	CHECK(IS(bytes <= max), IS(max <= 3 * bytes));
}

/* ---- Files above the limit ------------------------------------------------------------------- */

TEST(size_warning, "a warning about a file above the limit")
{
	NIL(document_size_warning("a.json", DOCUMENT_MAX_BYTES));
	FREED char *warning = document_size_warning("a.json", DOCUMENT_MAX_BYTES + (size_t)1);
	CHECK(SOME(warning), HAS(warning, "a.json has 256.0 MB"), NIL(strchr(warning, '\n')));
}
