#include "host/record/document.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/io/atomic_file.h"
#include "host/io/cache_file.h"
#include "host/record/json.h"

/* Maximum bytes of a schema's name and version, including the final zero. */
#define DOCUMENT_SCHEMA_BYTES 64

/* ---- Reading ------------------------------------------------------------------------------- */

static enum pmpp_status check_schema(
	const char *path, const char *found, const char *wanted, struct pmpp_error *error)
{
	size_t name = strcspn(wanted, "/") + 1;
	char *end = NULL;

	if (strcmp(found, wanted) == 0)
		return PMPP_OK;
	if (strncmp(found, wanted, name) == 0 &&
		strtol(found + name, &end, 10) > strtol(wanted + name, NULL, 10) && !*end)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: schema is '%.40s', a newer version than '%s': update pmpp", path,
			found, wanted);
	return PMPP_FAIL(
		error, PMPP_USAGE, "%s: schema is '%.40s'; expected '%s'", path, found, wanted);
}

static enum pmpp_status too_large(
	const char *path, const char *min, double bytes, struct pmpp_error *error)
{
	return PMPP_FAIL(error, PMPP_USAGE, "%s: %s%.1f MB; the limit is %.0f MB: split the file",
		path, min, bytes / 1e6, DOCUMENT_MAX_BYTES / 1e6);
}

/* Reads the whole file. Reads a file of unknown length (a pipe, a device) up to the limit. The caller
 * frees *ret_text, also after an error. */
static enum pmpp_status read_file(
	const char *path, char **ret_text, size_t *ret_length, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;
	struct stat info;
	char block[16384];
	size_t total = 0, got = 0;
	FILE *file = fopen(path, "re");

	if (!file || fstat(fileno(file), &info) != 0)
		status = PMPP_FAIL(error, PMPP_USAGE, "%s: %s", path, strerror(errno));
	else if (S_ISDIR(info.st_mode))
		status = PMPP_FAIL(error, PMPP_USAGE, "%s is a folder: give the files in it", path);
	else if (S_ISREG(info.st_mode) && info.st_size > DOCUMENT_MAX_BYTES)
		status = too_large(path, "", (double)info.st_size, error);
	FILE *out = status == PMPP_OK ? open_memstream(ret_text, ret_length) : NULL;
	while (out && total <= DOCUMENT_MAX_BYTES &&
		(got = fread(block, 1, sizeof block, file)) > 0) {
		fwrite(block, 1, got, out);
		total += got;
	}
	if (out && total > DOCUMENT_MAX_BYTES)
		status = too_large(path, "more than ", DOCUMENT_MAX_BYTES, error);
	else if (out && ferror(file))
		status = PMPP_FAIL(error, PMPP_USAGE, "%s: %s", path, strerror(errno));
	bool stored = out && !ferror(out);
	if (out && fclose(out) != 0)
		stored = false;
	if (file)
		fclose(file);
	if (status == PMPP_OK && !stored)
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "%s: no memory for the file", path);
	if (status == PMPP_OK && total == 0)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s is empty: write it again (`pmpp-run run FAMILY --json=FILE`)", path);
	return status;
}

/* Copies the schema of a tree, cut to the size of the buffer. '?' replaces bytes that are not
 * visible ASCII. */
static enum pmpp_status schema_of(const struct json_tree *tree,
	char ret_schema[DOCUMENT_SCHEMA_BYTES], struct pmpp_error *error)
{
	const char *schema = NULL;
	enum pmpp_status status = json_tree_text(tree, "schema", &schema, error);

	if (status != PMPP_OK) {
		pmpp_error_append(error, ": give a file of `pmpp-run run FAMILY --json=FILE`");
		return status;
	}
	snprintf(ret_schema, DOCUMENT_SCHEMA_BYTES, "%s", schema);
	for (char *c = ret_schema; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return PMPP_OK;
}

/* Returns the kind whose schema has the same name, or the first kind. */
static size_t kind_of(const char *found, const struct document_kind *kinds, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t name = strcspn(kinds[i].schema, "/") + 1;
		if (strncmp(found, kinds[i].schema, name) == 0)
			return i;
	}
	return 0;
}

/* document_load() for a text in memory. */
static enum pmpp_status parse_kind(const struct document_kind *kinds, size_t count,
	const char *path, const char *text, size_t length, size_t *ret_kind,
	struct pmpp_error *error)
{
	char found[DOCUMENT_SCHEMA_BYTES];
	struct json_tree tree = {.root = NULL};
	size_t kind = 0;
	enum pmpp_status status = json_tree_create(&tree, text, length, path, error);

	/* Checks the version before the record, so that the message about a newer file names its
	 * version. */
	if (status == PMPP_OK)
		status = schema_of(&tree, found, error);
	if (status == PMPP_OK) {
		kind = kind_of(found, kinds, count);
		status = check_schema(path, found, kinds[kind].schema, error);
	}
	if (status == PMPP_OK)
		status = json_tree_read(&tree, kinds[kind].type, kinds[kind].ret_record, error);
	json_tree_destroy(&tree);
	if (status == PMPP_OK)
		*ret_kind = kind;
	return status;
}

enum pmpp_status document_parse(const struct record_type *type, const char *schema,
	const char *path, const char *text, size_t length, void *ret_record,
	struct pmpp_error *error)
{
	const struct document_kind kind = {type, schema, ret_record};
	size_t ignored;

	return parse_kind(&kind, 1, path, text, length, &ignored, error);
}

enum pmpp_status document_load(const struct document_kind *kinds, size_t count, const char *path,
	size_t *ret_kind, size_t *ret_bytes, struct pmpp_error *error)
{
	char *text = NULL;
	enum pmpp_status status = read_file(path, &text, ret_bytes, error);

	if (status == PMPP_OK)
		status = parse_kind(kinds, count, path, text, *ret_bytes, ret_kind, error);
	free(text);
	return status;
}

/* ---- Writing ------------------------------------------------------------------------------- */

enum pmpp_status document_check_path(const char *path, struct pmpp_error *error)
{
	return strcmp(path, "-") == 0 ? PMPP_OK : atomic_file_check(path, error);
}

bool document_replaces(const char *path)
{
	return strcmp(path, "-") != 0 && atomic_file_replaces(path);
}

enum pmpp_status document_save_text(const char *path, const char *text, struct pmpp_error *error)
{
	struct iovec part = {(void *)(uintptr_t)text, strlen(text)};

	if (strcmp(path, "-") != 0)
		return atomic_file_write(path, &part, 1, error);
	if (fputs(text, stdout) < 0 || fflush(stdout) != 0) {
		if (errno == EPIPE)
			return PMPP_FAIL(error, PMPP_INTERRUPTED,
				"stdout: interrupted: no process reads the pipe");
		return PMPP_FAIL(error, PMPP_IO, "stdout: %s", strerror(errno));
	}
	return PMPP_OK;
}

char *document_size_warning(const char *path, size_t bytes)
{
	char *warning = NULL;

	if (bytes > DOCUMENT_MAX_BYTES)
		text_format(&warning,
			"%s has %.1f MB; pmpp reads files up to %.0f MB: run fewer variants or "
			"sizes for each file",
			strcmp(path, "-") == 0 ? "the JSON text" : path, (double)bytes / 1e6,
			DOCUMENT_MAX_BYTES / 1e6);
	return warning;
}

enum pmpp_status document_save(const struct record_type *type, const void *record, const char *path,
	char **ret_warning, struct pmpp_error *error)
{
	char *text = NULL;
	enum pmpp_status status = record_write(type, record, RECORD_INDENTED, &text, error);

	if (status == PMPP_OK)
		status = document_save_text(path, text, error);
	if (status == PMPP_OK && ret_warning)
		*ret_warning = document_size_warning(path, strlen(text));
	free(text);
	return status;
}

#define MAX_CACHED_BYTES ((size_t)1 << 20)

void document_cached(const struct record_type *type, const char *schema, const char *folder,
	const char *name, bool (*is_sane)(const void *record), void *ret_record)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	void *text = NULL;
	size_t size = 0;
	enum pmpp_status status = PMPP_USAGE;

	if (cache_read(folder, name, MAX_CACHED_BYTES, &text, &size) == CACHE_READ_OK)
		status = document_parse(type, schema, name, text, size, ret_record, &ignored);
	free(text);
	pmpp_error_clear(&ignored);
	if (status == PMPP_OK && is_sane(ret_record))
		return;
	if (status == PMPP_OK)
		record_finish(type, ret_record);
	record_init(type, ret_record);
}

void document_cache(
	const struct record_type *type, const void *record, const char *folder, const char *name)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	char *text = NULL;

	if (record_write(type, record, RECORD_INDENTED, &text, &ignored) == PMPP_OK)
		cache_file_write(folder, name, &(struct iovec){text, strlen(text)}, 1);
	free(text);
	pmpp_error_clear(&ignored);
}
