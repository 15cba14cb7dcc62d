/*
 * Writes the documentation of the project's file formats from the tables in host/record.
 *
 *     formats DIR            write DIR/result-format.md and DIR/schema/NAME.schema.json
 *     formats rewrite FILE   read a file into records and write it to stdout
 *     formats words          print all keys and words of the tables, one per line; some repeat
 *     formats code FILE...   print digests of kernel files: of the file, of its code
 *
 * After a change of a table run `build/formats docs`.
 */
#include "host/io/code_digest.h"
#include "host/io/sources.h"
#include "host/record/document.h"
#include "tools/schema.h"

#include <assert.h>
#include <sha256.h>
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

/* Saves the text and frees it. text: NULL = there was no memory for it. */
static enum pmpp_status save(const char *path, char *text, struct pmpp_error *error)
{
	enum pmpp_status status =
		text ? document_save_text(path, text, error)
		     : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "%s: no memory for the text", path);

	free(text);
	return status;
}

/* The path of the schema file: "pmpp-result-1.schema.json" for "pmpp-result/1". */
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

#define MAX_KINDS 16

/* The file is read as the kind that its schema names. */
static int rewrite(const char *path)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct document_kind kinds[MAX_KINDS] = {{0}};
	enum pmpp_status status = PMPP_OK;
	size_t kind = 0, bytes;

	assert(document_type_count <= MAX_KINDS);
	for (size_t i = 0; i < document_type_count; i++) {
		kinds[i] = (struct document_kind){document_types[i].type, document_types[i].schema,
			malloc(document_types[i].type->size)};
		if (!kinds[i].ret_record)
			status = PMPP_FAIL(&error, PMPP_OUT_OF_MEMORY, "%s: no memory", path);
	}
	if (status == PMPP_OK)
		status = document_load(kinds, document_type_count, path, &kind, &bytes, &error);
	if (status == PMPP_OK) {
		status = document_save(kinds[kind].type, kinds[kind].ret_record, "-", NULL, &error);
		record_finish(kinds[kind].type, kinds[kind].ret_record);
	}
	for (size_t i = 0; i < document_type_count; i++)
		free(kinds[i].ret_record);
	return status == PMPP_OK ? 0 : fail(&error);
}

static void print_words(const struct record_type *type)
{
	for (size_t i = 0; type->fields()[i].name; i++) {
		const struct record_field *field = &type->fields()[i];
		puts(field->name);
		for (size_t word = 0; field->words && field->words[word]; word++)
			puts(field->words[word]);
		if (field->type)
			print_words(field->type);
	}
}

static int print_all_words(void)
{
	for (size_t i = 0; i < document_type_count; i++) {
		puts(document_types[i].schema);
		print_words(document_types[i].type);
	}
	return fflush(stdout) == 0 ? 0 : 1;
}

static int print_code(char *const *paths, size_t count)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	char source[SHA256_DIGEST_STRING_LENGTH], code[CODE_DIGEST_BYTES];

	for (size_t i = 0; i < count; i++) {
		char *text = NULL;
		if (source_load(".", paths[i], &text, &error) != PMPP_OK)
			return fail(&error);
		SHA256Data((const uint8_t *)text, strlen(text), source);
		bool made = code_digest(text, code);
		free(text);
		if (!made)
			return 1;
		printf("%s %s %s\n", source, code, paths[i]);
	}
	return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "code") == 0)
		return print_code(argv + 2, (size_t)argc - 2);
	if (argc == 3 && strcmp(argv[1], "rewrite") == 0)
		return rewrite(argv[2]);
	if (argc == 2 && strcmp(argv[1], "words") == 0)
		return print_all_words();
	if (argc == 2)
		return write_all(argv[1]);
	fputs("usage: formats DIR | formats rewrite FILE | formats words | formats code FILE...\n",
		stderr);
	return 1;
}
