#include "common/ptx.h"

#include "common/integers.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names --------------------------------------------------------------------------------- */

#define MAX_PARTS 16

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(word, *words) == 0)
			return true;
	return false;
}

/* "ld.global.nc.v4.f32" becomes "ld.global.nc.v4", "fma.rn.f32" "fma.f32", "add.s64" "add". */
static void short_name(const char *opcode, size_t length, char ret_name[PTX_NAME_BYTES])
{
	static const char *const memory[] = {"ld", "ldu", "st", "atom", "red", NULL};
	static const char *const of_memory[] = {
		"global", "shared", "local", "param", "const", "nc", "v2", "v4", "v8", NULL};
	static const char *const of_others[] = {
		"f16", "f16x2", "bf16", "bf16x2", "tf32", "f32", "f64", NULL};
	char text[128];
	char *rest = NULL;
	const char *kind = NULL;
	bool is_memory;
	int used;

	snprintf(text, sizeof text, "%.*s", (int)(length < 127 ? length : 127), opcode);
	const char *part = strtok_r(text, ".", &rest);
	if (!part)
		part = text;
	is_memory = is_one_of(part, memory);
	used = snprintf(ret_name, PTX_NAME_BYTES, "%s", part);
	while ((part = strtok_r(NULL, ".", &rest)) && used < PTX_NAME_BYTES) {
		/* "shared::cta" */
		char word[16];

		snprintf(word, sizeof word, "%.*s", (int)strcspn(part, ":"), part);
		if (is_memory && is_one_of(word, of_memory))
			used += snprintf(
				ret_name + used, (size_t)(PTX_NAME_BYTES - used), ".%s", word);
		/* The first type is that of the result. */
		if (!is_memory && !kind && is_one_of(word, of_others))
			kind = part;
	}
	if (kind && used < PTX_NAME_BYTES)
		snprintf(ret_name + used, (size_t)(PTX_NAME_BYTES - used), ".%s", kind);
}

static enum pmpp_status add(
	struct ptx_table *table, const char *name, int side, struct pmpp_error *error)
{
	size_t at = 0;

	while (at < table->count && strcmp(table->rows[at].name, name) < 0)
		at++;
	if (at == table->count || strcmp(table->rows[at].name, name) != 0) {
		struct ptx_count *rows =
			realloc(table->rows, (table->count + 1) * sizeof *table->rows);

		if (!rows)
			return PMPP_NO_MEMORY(error, "the count of %s", name);
		table->rows = rows;
		memmove(rows + at + 1, rows + at, (table->count - at) * sizeof *rows);
		rows[at] = (struct ptx_count){0};
		snprintf(rows[at].name, sizeof rows[at].name, "%s", name);
		table->count++;
	}
	table->rows[at].count[side]++;
	table->total[side]++;
	return PMPP_OK;
}

/* ---- Text ---------------------------------------------------------------------------------- */

/* Returns a copy with blanks in place of the comments; NULL: no memory. */
static char *without_comments(const char *text)
{
	char *copy = strdup(text);

	for (char *at = copy; at && *at;) {
		char *end = at;

		if (strncmp(at, "//", 2) == 0) {
			end = at + strcspn(at, "\n");
		} else if (strncmp(at, "/*", 2) == 0) {
			end = strstr(at + 2, "*/");
			end = end ? end + 2 : at + strlen(at);
		}
		for (char *c = at; c < end; c++)
			*c = *c == '\n' ? '\n' : ' ';
		at = end > at ? end : at + 1;
	}
	return copy;
}

static bool line_has(const char *line, const char *word)
{
	return memmem(line, strcspn(line, "\n"), word, strlen(word)) != NULL;
}

/* Whether to count the kernel whose head begins on this line. */
static bool is_counted(const char *line, const char *const *entries, size_t entry_count)
{
	const char *name = strstr(line, ".entry") + strlen(".entry");

	name += strspn(name, " \t");
	for (size_t i = 0; i < entry_count; i++)
		if (strlen(entries[i]) == strcspn(name, " \t(\n") &&
			strncmp(name, entries[i], strlen(entries[i])) == 0)
			return true;
	return entry_count == 0;
}

bool ptx_is(const char *text)
{
	return strstr(text, ".version") && strstr(text, ".target");
}

/* Length in bytes of an opcode, a directive, or a label with its colon. */
static size_t word_length(const char *at)
{
	size_t length = 0;

	while (isalnum((unsigned char)at[length]) || (at[length] && strchr("._:$", at[length])))
		length++;
	return length;
}

/* Returns the end of a directive. The head of a kernel or function sets *counted for its body. */
static const char *skip_directive(
	const char *at, int depth, const char *const *entries, size_t entry_count, bool *counted)
{
	bool is_kernel = depth == 0 && line_has(at, ".entry");
	bool is_function = depth == 0 && line_has(at, ".func");

	if (is_kernel)
		*counted = is_counted(at, entries, entry_count);
	else if (is_function)
		*counted = true;
	/* Outside of bodies, braces without a head enclose the values of an array. */
	if (is_kernel || is_function)
		return at + strcspn(at, "{\n");
	return at + strcspn(at, depth > 0 ? ";\n" : "\n");
}

enum pmpp_status ptx_count(const char *text, const char *const *entries, size_t entry_count,
	int side, struct ptx_table *table, struct pmpp_error *error)
{
	char *copy = without_comments(text);
	enum pmpp_status status = PMPP_OK;
	bool counted = true;
	int depth = 0;

	if (!copy)
		return PMPP_NO_MEMORY(error, "a copy of the PTX");
	for (const char *at = copy; *at && status == PMPP_OK;) {
		size_t length = word_length(at);

		if (*at == '{' || *at == '}') {
			depth += *at++ == '{' ? 1 : -1;
		} else if (*at == '@') {
			at += strcspn(at, " \t\n"); /* a predicate */
		} else if (length == 0) {
			at++; /* a blank, or the end of a statement */
		} else if (at[length - 1] == ':') {
			at += length; /* a label */
		} else if (*at == '.' || depth == 0) {
			at = skip_directive(at, depth, entries, entry_count, &counted);
		} else {
			char name[PTX_NAME_BYTES];

			short_name(at, length, name);
			if (counted)
				status = add(table, name, side, error);
			at += strcspn(at, ";");
		}
	}
	free(copy);
	return status;
}

/* ---- Shared memory ------------------------------------------------------------------------- */

/* Adds a variable to the sum: ".shared .align 16 .b8 tile[1024];" or ".shared .u32 count;". Sets the
 * sum to -1 if the text has another form. */
static void add_variable(const char *at, int64_t *sum)
{
	unsigned align = 1, bits = 0;
	unsigned long long count = 1;
	int used = 0;

	at += strlen(".shared");
	if (sscanf(at, " .align %u%n", &align, &used) == 1)
		at += used;
	used = 0;
	if (sscanf(at, " .%*1[busf]%u %*[^][; \n]%n", &bits, &used) != 1 || used == 0 || bits < 8 ||
		align == 0 || (at[used] == '[' && sscanf(at + used, "[%llu]", &count) != 1) ||
		count > INT32_MAX) {
		*sum = -1;
		return;
	}
	*sum = round_up(*sum, align) + (int64_t)(bits / 8 * count);
}

int64_t ptx_shared_bytes(const char *text, const char *entry)
{
	char *copy = without_comments(text);
	bool inside = false, found = false;
	int64_t sum = copy ? 0 : -1;
	int depth = 0;

	for (const char *at = copy; sum >= 0 && *at;) {
		size_t length = word_length(at);

		if (depth == 0 && *at == '.' && (line_has(at, ".entry") || line_has(at, ".func"))) {
			inside = line_has(at, ".entry") && is_counted(at, &entry, 1);
			found = found || inside;
			at += strcspn(at, "{\n");
		} else if (length == strlen(".shared") && strncmp(at, ".shared", length) == 0) {
			if (inside && depth > 0)
				add_variable(at, &sum);
			else if (depth == 0)
				sum = -1; /* for all kernels */
			at += strcspn(at, ";");
		} else {
			depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
			at += length > 0 ? length : 1;
		}
	}
	free(copy);
	return found ? sum : -1;
}

void ptx_table_finish(struct ptx_table *table)
{
	free(table->rows);
	*table = (struct ptx_table){0};
}
