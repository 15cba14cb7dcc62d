#include "host/record/document.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/io/atomic_file.h"
#include "host/record/json.h"

/* ---- Reading ------------------------------------------------------------------------------- */

/* The first key of every file. It is read alone, so that a newer version is the error that is
 * reported. */
struct schema_record {
	struct record record;
	char *schema;
};

static const struct record_field schema_fields[] = {
	MEMBER(struct schema_record, schema, TEXT, 0, NULL, "0.1", "schema and major version"),
};

static const struct record_type schema_type = {"document", "a file of any schema",
	sizeof(struct schema_record), schema_fields, MEMBER_COUNT(schema_fields), 0};

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

/* The whole file; PMPP_USAGE when it cannot be read. */
static enum pmpp_status read_file(
	const char *path, char **ret_text, size_t *ret_length, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;
	char *text = NULL;
	size_t size = 0;
	FILE *file = fopen(path, "re");
	FILE *out = file ? open_memstream(&text, &size) : NULL;
	char block[16384];
	size_t got;

	if (!file)
		return PMPP_FAIL(error, PMPP_USAGE, "%s: %s", path, strerror(errno));
	while (out && (got = fread(block, 1, sizeof block, file)) > 0)
		fwrite(block, 1, got, out);
	if (ferror(file))
		status = PMPP_FAIL(error, PMPP_USAGE, "%s: %s", path, strerror(errno));
	bool stored = out && !ferror(out);
	if (out && fclose(out) != 0)
		stored = false;
	fclose(file);
	if (status == PMPP_OK && !stored)
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "%s: no memory for the file", path);
	if (status != PMPP_OK) {
		free(text);
		return status;
	}
	*ret_text = text;
	*ret_length = size;
	return PMPP_OK;
}

/* The schema that a text names, fit to be shown. */
static enum pmpp_status schema_of(const char *path, const char *text, size_t length,
	char ret_schema[DOCUMENT_SCHEMA_BYTES], struct pmpp_error *error)
{
	struct schema_record head = {.schema = NULL};
	enum pmpp_status status = record_read(&schema_type, text, length, path, &head, error);

	if (status != PMPP_OK)
		return status;
	snprintf(ret_schema, DOCUMENT_SCHEMA_BYTES, "%s", head.schema);
	for (char *c = ret_schema; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	record_finish(&schema_type, &head);
	return PMPP_OK;
}

enum pmpp_status document_read_schema(
	const char *path, char ret_schema[DOCUMENT_SCHEMA_BYTES], struct pmpp_error *error)
{
	char *text = NULL;
	size_t length = 0;
	enum pmpp_status status = read_file(path, &text, &length, error);

	if (status == PMPP_OK)
		status = schema_of(path, text, length, ret_schema, error);
	free(text);
	return status;
}

enum pmpp_status document_parse(const struct record_type *type, const char *schema,
	const char *path, const char *text, size_t length, void *ret_record,
	struct pmpp_error *error)
{
	char found[DOCUMENT_SCHEMA_BYTES];
	enum pmpp_status status = schema_of(path, text, length, found, error);

	if (status == PMPP_OK)
		status = check_schema(path, found, schema, error);
	return status == PMPP_OK ? record_read(type, text, length, path, ret_record, error)
				 : status;
}

enum pmpp_status document_load(const struct record_type *type, const char *schema, const char *path,
	void *ret_record, struct pmpp_error *error)
{
	char *text = NULL;
	size_t length = 0;
	enum pmpp_status status = read_file(path, &text, &length, error);

	if (status == PMPP_OK)
		status = document_parse(type, schema, path, text, length, ret_record, error);
	free(text);
	return status;
}

/* ---- Writing ------------------------------------------------------------------------------- */

enum pmpp_status document_check_path(const char *path, struct pmpp_error *error)
{
	return strcmp(path, "-") == 0 ? PMPP_OK : atomic_file_check(path, error);
}

enum pmpp_status document_save_text(const char *path, const char *text, struct pmpp_error *error)
{
	struct iovec part = {(void *)(uintptr_t)text, strlen(text)};

	if (strcmp(path, "-") != 0)
		return atomic_file_write(path, &part, 1, error);
	if (fputs(text, stdout) < 0 || fflush(stdout) != 0)
		return PMPP_FAIL(error, PMPP_IO, "stdout: %s", strerror(errno));
	return PMPP_OK;
}

enum pmpp_status document_save(const struct record_type *type, const void *record, const char *path,
	struct pmpp_error *error)
{
	char *text = NULL;
	enum pmpp_status status = record_write(type, record, RECORD_INDENTED, &text, error);

	if (status == PMPP_OK)
		status = document_save_text(path, text, error);
	free(text);
	return status;
}
