#include <stdio.h>
#include <string.h>

#include "host/compare/compare.h"
#include "host/contribute/contribute.h"
#include "host/record/json.h"

/* ---- One document ---------------------------------------------------------------------------- */

/* Finds the device of all rows of a file. */
static enum pmpp_status device_of_file(const struct compared_file *file,
	const struct device_record **ret_device, struct pmpp_error *error)
{
	const struct result_row_list *rows = &file->document.results;
	const struct device_record *device =
		rows->count ? device_of_key(&file->document, rows->items[0].device) : NULL;

	if (!device)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s has no row of a device: give a file from `run --json`", file->path);
	for (size_t i = 1; i < rows->count; i++)
		if (!text_equal(rows->items[i].device, device->key))
			return PMPP_FAIL(error, PMPP_USAGE,
				"%s has several devices (%s, %s): give results of one device",
				file->path, device->key, text_or_empty(rows->items[i].device));
	if (text_equal(device->type, "emulated"))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: %s is an emulator: give results of a real device", file->path,
			device->name);
	*ret_device = device;
	return PMPP_OK;
}

/* Copies the rows, without peers: they depend on the libraries of the machine. The ids of all runs
 * form the new id. The day is the first day of all runs. */
static enum pmpp_status take_rows(struct result_document *document,
	const struct result_document *from, struct pmpp_error *error)
{
	const char *started = text_or_empty(from->run.started_utc);

	text_format(&document->run.id, "%s%s", text_or_empty(document->run.id),
		text_or_empty(from->run.id));
	if (!document->run.started_utc || strcmp(started, document->run.started_utc) < 0)
		text_set(&document->run.started_utc, started);
	for (size_t i = 0; i < from->results.count; i++) {
		if (from->results.items[i].peer)
			continue;
		enum pmpp_status status = record_list_add_copy(
			&result_row_type, &document->results, &from->results.items[i], error);
		if (status != PMPP_OK)
			return status;
		struct result_row *row = &document->results.items[document->results.count - 1];
		text_set(&row->device, document->devices.items[0].key);
		record_list_clear(&peer_type, &row->peers);
	}
	return PMPP_OK;
}

/* Adds a file: its views of the device, and its rows. */
static enum pmpp_status take_file(struct result_document *document,
	const struct compared_file *first, const struct compared_file *file,
	struct pmpp_error *error)
{
	struct device_list *devices = &document->devices;
	const struct device_record *device = NULL;
	enum pmpp_status status = device_of_file(file, &device, error);

	if (status != PMPP_OK)
		return status;
	if (devices->count == 0) {
		status = record_list_add_copy(&device_type, devices, device, error);
		if (status == PMPP_OK)
			status = device_record_take_roofs(&devices->items[0], error);
	} else if (!contribution_same_device(
			   &first->document, &devices->items[0], &file->document, device)) {
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s has %s (%s), %s has %s (%s): give files of one device", first->path,
			devices->items[0].name, devices->items[0].key, file->path, device->name,
			device->key);
	} else {
		status = device_record_merge(&devices->items[0], device, error);
	}
	return status == PMPP_OK ? take_rows(document, &file->document, error) : status;
}

static enum pmpp_status write_text(struct result_document *document, char **ret_text,
	struct contribution_findings *findings, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	if (!make_public(document))
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the results");
	round_document(document);
	status = record_write(&result_document_type, document, RECORD_ROWS, ret_text, error);
	if (status == PMPP_OK)
		status = contribution_check(document, strlen(*ret_text), findings, error);
	if (status != PMPP_OK || !findings->problems.count)
		return status;
	char more[48] = "";
	size_t others = findings->problems.count + findings->more - 1;
	if (others)
		snprintf(more, sizeof more, " (and %zu more problem%s)", others,
			others == 1 ? "" : "s");
	return PMPP_FAIL(error, PMPP_USAGE, "the results cannot be sent: %s%s",
		findings->problems.items[0], more);
}

enum pmpp_status contribution_make(const struct compared_file *files, size_t count, char **ret_text,
	struct contribution_findings *ret_findings, struct pmpp_error *error)
{
	const struct result_document *first = &files[0].document;
	struct result_document document;
	enum pmpp_status status = PMPP_OK;

	record_init(&result_document_type, &document);
	text_set(&document.schema, RESULT_SCHEMA);
	document.run.record.present = true;
	/* The key of the device is computed from host_id later. The files may have different
	 * values: keep the first one. */
	text_set(&document.run.host_id, first->run.host_id);
	for (size_t i = 0; i < count && status == PMPP_OK; i++)
		status = take_file(&document, &files[0], &files[i], error);
	if (status == PMPP_OK)
		status = record_copy(&tool_type, &first->tool, &document.tool, error);
	if (status == PMPP_OK)
		status = record_copy(&host_type, &first->host, &document.host, error);
	if (status == PMPP_OK)
		status = write_text(&document, ret_text, ret_findings, error);
	record_finish(&result_document_type, &document);
	return status;
}
