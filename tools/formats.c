/*
 * The descriptions of the project's file formats, made from the tables in host/record.
 *
 *     formats DIR            writes DIR/result-format.md and DIR/schema/NAME.schema.json
 *     formats rewrite FILE   reads a file into records and writes it again to stdout
 *
 * `build/formats docs` brings docs/ up to date after a change of a table.
 */
#include "host/record/document.h"
#include "host/record/json.h"
#include "host/record/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int fail(struct pmpp_error *error)
{
	fprintf(stderr, "formats: %s\n", error->message);
	pmpp_error_clear(error);
	return 1;
}

/* Takes the text. */
static enum pmpp_status save(const char *path, char *text, struct pmpp_error *error)
{
	enum pmpp_status status =
		text ? document_save_text(path, text, error)
		     : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "%s: no memory for the text", path);

	free(text);
	return status;
}

/* "pmpp-result-1.schema.json" of "pmpp-result/1". */
static void schema_path(const char *folder, const char *schema, char *ret_path, size_t size)
{
	snprintf(ret_path, size, "%s/schema/%s.schema.json", folder, schema);
	char *slash = strrchr(ret_path, '/');
	*slash = '-';
}

static int write_all(const char *folder)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	char path[4096];

	snprintf(path, sizeof path, "%s/schema", folder);
	mkdir(path, 0777);
	for (size_t i = 0; i < document_type_count; i++) {
		const struct document_type *document = &document_types[i];
		char *text = schema_text(document);
		char *line = NULL;
		if (text && asprintf(&line, "%s\n", text) < 0)
			line = NULL;
		free(text);
		schema_path(folder, document->schema, path, sizeof path);
		if (save(path, line, &error) != PMPP_OK)
			return fail(&error);
	}
	snprintf(path, sizeof path, "%s/result-format.md", folder);
	return save(path, schema_markdown(), &error) == PMPP_OK ? 0 : fail(&error);
}

/* The kind of file that the file is, by trying each. */
static int rewrite(const char *path)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	enum pmpp_status status = PMPP_USAGE;

	for (size_t i = 0; i < document_type_count && status != PMPP_OK; i++) {
		const struct record_type *type = document_types[i].type;
		void *record = malloc(type->size);
		if (!record)
			return 1;
		pmpp_error_clear(&error);
		status = document_load(type, document_types[i].schema, path, record, &error);
		if (status == PMPP_OK) {
			status = document_save(type, record, "-", &error);
			record_finish(type, record);
			free(record);
			return status == PMPP_OK ? 0 : fail(&error);
		}
		free(record);
		if (!strstr(error.message, "expected 'pmpp-"))
			break;
	}
	return fail(&error);
}

int main(int argc, char **argv)
{
	if (argc == 2)
		return write_all(argv[1]);
	if (argc == 3 && strcmp(argv[1], "rewrite") == 0)
		return rewrite(argv[2]);
	fputs("usage: formats DIR | formats rewrite FILE\n", stderr);
	return 1;
}
