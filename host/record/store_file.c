#include "host/record/store_file.h"

static const struct record_field document_fields[] = {
	MEMBER(struct store_document, schema, TEXT, 0, NULL, "0.1", STORE_SCHEMA),
	MEMBER_OF(struct store_document, tool, OBJECT, 0, tool_type, "0.1",
		"the program that wrote the file"),
	MEMBER_OF(struct store_document, documents, OBJECTS, 0, result_document_type, "0.1",
		"one result file for each run, in order of their start"),
};

const struct record_type store_document_type = {"store file", "the results of many runs",
	sizeof(struct store_document), document_fields, MEMBER_COUNT(document_fields), 0};

enum pmpp_status store_file_load(const char *path, const struct document_kind *other,
	struct store_document *ret_document, bool *ret_is_other, struct pmpp_error *error)
{
	struct result_document result;
	struct store_document document;
	const struct document_kind kinds[] = {{&result_document_type, RESULT_SCHEMA, &result},
		{&store_document_type, STORE_SCHEMA, &document},
		other ? *other : (struct document_kind){0}};
	size_t kind = 0;
	enum pmpp_status status = document_load_kind(kinds, other ? 3 : 2, path, &kind, error);

	if (status != PMPP_OK)
		return status;
	if (other)
		*ret_is_other = kind == 2;
	if (kind == 2)
		return PMPP_OK;
	/* A result file is a store file with one document. */
	if (kind == 0) {
		record_init(&store_document_type, &document);
		struct result_document *added =
			record_list_add(&result_document_type, &document.documents);
		if (added)
			record_move(&result_document_type, &result, added);
		else
			status = PMPP_FAIL(
				error, PMPP_OUT_OF_MEMORY, "%s: no memory for the file", path);
		record_finish(&result_document_type, &result);
	}
	if (status == PMPP_OK)
		*ret_document = document;
	return status;
}
