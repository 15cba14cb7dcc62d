#include "host/record/store_file.h"

#include <string.h>

#include "host/record/document.h"

static const struct record_field document_fields[] = {
	MEMBER(struct store_document, schema, TEXT, 0, NULL, "0.1", STORE_SCHEMA),
	MEMBER_OF(struct store_document, tool, OBJECT, 0, tool_type, "0.1",
		"the program that wrote the file"),
	MEMBER_OF(struct store_document, documents, OBJECTS, 0, result_document_type, "0.1",
		"one result file for each run, in order of their start"),
};

const struct record_type store_document_type = {"store file", "the results of many runs",
	sizeof(struct store_document), document_fields, MEMBER_COUNT(document_fields), 0};

static enum pmpp_status load_result(
	const char *path, struct store_document *ret_document, struct pmpp_error *error)
{
	struct result_document result;
	struct store_document document;
	enum pmpp_status status =
		document_load(&result_document_type, RESULT_SCHEMA, path, &result, error);

	if (status != PMPP_OK)
		return status;
	record_init(&store_document_type, &document);
	struct result_document *added = record_list_add(&result_document_type, &document.documents);
	if (added) {
		record_move(&result_document_type, &result, added);
		record_move(&store_document_type, &document, ret_document);
	} else {
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "%s: no memory for the file", path);
	}
	record_finish(&store_document_type, &document);
	record_finish(&result_document_type, &result);
	return status;
}

enum pmpp_status store_file_load(
	const char *path, struct store_document *ret_document, struct pmpp_error *error)
{
	static const char name[] = "pmpp-store/";
	char schema[DOCUMENT_SCHEMA_BYTES];
	enum pmpp_status status = document_read_schema(path, schema, error);

	if (status != PMPP_OK)
		return status;
	if (strncmp(schema, name, strlen(name)) == 0)
		return document_load(&store_document_type, STORE_SCHEMA, path, ret_document, error);
	return load_result(path, ret_document, error);
}
