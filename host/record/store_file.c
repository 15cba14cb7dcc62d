#include "host/record/store_file.h"

#define RECORD_TYPES
#define RECORDS "host/record/store_file.def"
#include "host/record/records.inc"

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
