/* Parses JSON text: limits, syntax, and messages about both. */
#include "host/record/json.h"

#include <stdio.h>
#include <string.h>

#include "host/io/host_memory.h"
#include "host/record/internal.h"

/* Up to this size, the available memory is not checked. */
#define SMALL_TREE_BYTES (64u << 20)

/* ---- Messages ------------------------------------------------------------------------------ */

/* Finds the last key before a position, for the message of a syntax error. */
static void last_key(const char *text, size_t position, char *ret_key, size_t size)
{
	const char *start = NULL;
	const char *opened = NULL;
	size_t length = 0;
	bool quoted = false;

	for (size_t i = 0; i < position; i++) {
		if (quoted && text[i] == '\\')
			i++;
		else if (text[i] == '"' && (quoted = !quoted))
			opened = &text[i + 1];
		else if (text[i] == ':' && !quoted && opened) {
			start = opened;
			length = strcspn(start, "\"");
		}
	}
	snprintf(ret_key, size, "%.*s", (int)(length < size ? length : size - 1),
		start ? start : "");
}

static int line_of(const char *text, size_t position)
{
	int line = 1;

	for (size_t i = 0; i < position; i++)
		line += text[i] == '\n';
	return line;
}

/* Sets a message like "a.json: line 3, key seed: PROBLEM". */
static enum pmpp_status refuse_at(const struct json_tree *tree, size_t position, int line,
	const char *problem, const char *detail, struct pmpp_error *error)
{
	char key[64];

	last_key(tree->text, position, key, sizeof key);
	return PMPP_FAIL(error, PMPP_USAGE, "%s: line %d%s%s: %s%s", tree->origin, line,
		*key ? ", key " : "", key, problem, detail);
}

static enum pmpp_status bad_json(
	const struct json_tree *tree, const json_error_t *problem, struct pmpp_error *error)
{
	size_t position = problem->position > 0 ? (size_t)problem->position : 0;

	if (json_error_code(problem) == json_error_out_of_memory)
		return PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "%s: no memory for the JSON text", tree->origin);
	return refuse_at(tree, position < tree->length ? position : tree->length, problem->line,
		"not readable as JSON: ", problem->text, error);
}

/* ---- Limits -------------------------------------------------------------------------------- */

/* Counts of a text. The syntax is not checked. */
struct shape {
	size_t values;     /* upper limit of the number */
	size_t members;    /* of objects */
	size_t strings;    /* keys and values */
	size_t containers; /* objects and arrays */
	size_t too_deep;   /* position of the first value that is nested too deeply; 0 = none */
};

static struct shape measure(const char *text, size_t length)
{
	struct shape shape = {.values = 1};
	size_t depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < length && !shape.too_deep; i++) {
		char c = text[i];
		if (quoted && c == '\\')
			i++;
		else if (c == '"') {
			quoted = !quoted;
			shape.strings += quoted;
		} else if (!quoted) {
			bool opens = c == '[' || c == '{';
			bool closes = c == ']' || c == '}';
			shape.members += c == ':';
			shape.containers += opens;
			shape.values += opens || c == ',';
			depth += opens;
			depth -= closes && depth > 0;
			shape.too_deep = depth > JSON_MAX_DEPTH ? i : 0;
		}
	}
	return shape;
}

/* Maximum sizes with jansson 2.14, the allocator of glibc and 64 bits. A number and its place in an
 * array: 48 bytes. A text: 96 bytes + its characters. A member: 96 bytes + the characters of its
 * key. An empty object: 240 bytes. */
static uint64_t tree_bytes(const struct shape *shape, size_t length)
{
	size_t texts = shape->strings > shape->members ? shape->strings - shape->members : 0;

	return (uint64_t)length + 64 * (uint64_t)shape->values + 48 * (uint64_t)texts +
	       96 * (uint64_t)shape->members + 256 * (uint64_t)shape->containers;
}

uint64_t json_tree_bytes(const char *text, size_t length)
{
	const struct shape shape = measure(text, length);

	return tree_bytes(&shape, length);
}

static enum pmpp_status check_limits(const struct json_tree *tree, struct pmpp_error *error)
{
	struct shape shape = measure(tree->text, tree->length);
	uint64_t bytes = tree_bytes(&shape, tree->length);
	struct host_memory memory;
	char problem[64];

	if (shape.too_deep) {
		snprintf(problem, sizeof problem, "nested to a depth of more than %d levels",
			JSON_MAX_DEPTH);
		return refuse_at(tree, shape.too_deep, line_of(tree->text, shape.too_deep), problem,
			"", error);
	}
	if (shape.values > JSON_MAX_VALUES)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: about %zu values; the limit is %d: split the file", tree->origin,
			shape.values, JSON_MAX_VALUES);
	if (bytes < SMALL_TREE_BYTES)
		return PMPP_OK;
	host_memory_read(&memory);
	if (bytes > memory.available_bytes)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: needs about %.0f MB of memory to read; %.0f MB can be allocated",
			tree->origin, (double)bytes / 1e6, (double)memory.available_bytes / 1e6);
	return PMPP_OK;
}

/* ---- Trees --------------------------------------------------------------------------------- */

/* A reader may ignore a byte order mark (RFC 8259, section 8.1). */
static void skip_mark(struct json_tree *tree)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t size = sizeof mark - 1;

	if (tree->length >= size && memcmp(tree->text, mark, size) == 0) {
		tree->text += size;
		tree->length -= size;
	}
}

enum pmpp_status json_tree_create(struct json_tree *ret_tree, const char *text, size_t length,
	const char *origin, struct pmpp_error *error)
{
	struct json_tree tree = {.text = text, .length = length, .origin = origin};
	json_error_t problem;

	skip_mark(&tree);
	enum pmpp_status status = check_limits(&tree, error);
	if (status != PMPP_OK)
		return status;
	tree.root = json_loadb(tree.text, tree.length, JSON_REJECT_DUPLICATES, &problem);
	if (!tree.root)
		return bad_json(&tree, &problem, error);
	*ret_tree = tree;
	return PMPP_OK;
}

void json_tree_destroy(struct json_tree *tree)
{
	json_decref(tree->root);
	tree->root = NULL;
}
