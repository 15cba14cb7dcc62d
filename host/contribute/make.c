#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/compare/fields.h"
#include "host/contribute/internal.h"
#include "host/record/json.h"

/* ---- Checks of the files --------------------------------------------------------------------- */

/* Returns the device of all rows of a file. */
static enum pmpp_status device_of_file(const struct compared_file *file,
	const struct device_record **ret_device, struct pmpp_error *error)
{
	const struct result_list *rows = &file->document.results;
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

static enum pmpp_status check_devices(
	const struct compared_file *files, size_t count, struct pmpp_error *error)
{
	const struct device_record *first = NULL, *device = NULL;
	enum pmpp_status status = device_of_file(&files[0], &first, error);

	for (size_t i = 1; i < count && status == PMPP_OK; i++) {
		status = device_of_file(&files[i], &device, error);
		if (status == PMPP_OK && !contribution_same_device(&files[0].document, first,
						 &files[i].document, device))
			status = PMPP_FAIL(error, PMPP_USAGE,
				"%s has %s (%s), %s has %s (%s): give files of one device",
				files[0].path, first->name, first->key, files[i].path, device->name,
				device->key);
	}
	return status;
}

/* ---- One document ---------------------------------------------------------------------------- */

static bool take_noise(struct device_record *device, struct device_record *from)
{
	for (size_t i = 0; i < from->noise.count; i++) {
		struct noise_record *noise = record_list_add(&noise_type, &device->noise);
		if (!noise)
			return false;
		record_move(&noise_type, &from->noise.items[i], noise);
	}
	return true;
}

/* Keeps the floors of noise of the last file: all files of one device have the same floors. */
static enum pmpp_status take_device(
	struct result_document *document, struct result_document *from, struct pmpp_error *error)
{
	const char *key = from->results.items[0].device;
	struct device_record *source = NULL, *device = NULL;
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < from->devices.count; i++)
		if (text_equal(from->devices.items[i].key, key))
			source = &from->devices.items[i];
	if (document->devices.count == 0) {
		device = record_list_add(&device_type, &document->devices);
		if (!device)
			return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a device");
		record_move(&device_type, source, device);
		return device_record_take_roofs(device, error);
	}
	device = &document->devices.items[0];
	status = device_record_merge(device, source, error);
	if (status != PMPP_OK || source->noise.count == 0)
		return status;
	for (size_t i = 0; i < device->noise.count; i++)
		record_finish(&noise_type, &device->noise.items[i]);
	device->noise.count = 0;
	return take_noise(device, source)
		       ? PMPP_OK
		       : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for floors of noise");
}

/* The ids of all runs form the new id. The day is the first day of all runs. */
static void take_run(struct result_document *document, const struct result_document *from)
{
	const char *started = text_or_empty(from->run.started_utc);

	text_format(&document->run.id, "%s%s", text_or_empty(document->run.id),
		text_or_empty(from->run.id));
	if (!document->run.started_utc || strcmp(started, document->run.started_utc) < 0)
		text_set(&document->run.started_utc, started);
}

/* A contribution has no peers: they depend on the libraries of the machine. */
static enum pmpp_status take_rows(
	struct result_document *document, struct result_document *from, struct pmpp_error *error)
{
	for (size_t i = 0; i < from->results.count; i++) {
		if (from->results.items[i].peer)
			continue;
		struct result_row *row = record_list_add(&result_row_type, &document->results);
		if (!row)
			return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a row");
		record_move(&result_row_type, &from->results.items[i], row);
		peer_list_finish(&row->peers);
	}
	return PMPP_OK;
}

static enum pmpp_status join_files(struct compared_file *files, size_t count,
	struct result_document *document, struct pmpp_error *error)
{
	struct result_document *first = &files[0].document;
	enum pmpp_status status = PMPP_OK;

	text_set(&document->schema, RESULT_SCHEMA);
	document->run.record.present = true;
	for (size_t i = 0; i < count && status == PMPP_OK; i++) {
		take_run(document, &files[i].document);
		status = take_device(document, &files[i].document, error);
		if (status == PMPP_OK)
			status = take_rows(document, &files[i].document, error);
	}
	/* The key of the device is computed from host_id later. The files may have different
	 * values: keep the first one. */
	text_set(&document->run.host_id, first->run.host_id);
	record_move(&tool_type, &first->tool, &document->tool);
	record_move(&host_type, &first->host, &document->host);
	return status;
}

/* ---- Public ---------------------------------------------------------------------------------- */

static enum pmpp_status first_problem(
	const struct contribution_findings *findings, struct pmpp_error *error)
{
	size_t others = findings->problems.count + findings->more - 1;
	char more[48] = "";

	if (others)
		snprintf(more, sizeof more, " (and %zu more problem%s)", others,
			others == 1 ? "" : "s");
	return PMPP_FAIL(error, PMPP_USAGE, "the results cannot be sent: %s%s",
		findings->problems.items[0], more);
}

static enum pmpp_status write_text(struct result_document *document, char **ret_text,
	struct contribution_findings *ret_findings, struct pmpp_error *error)
{
	struct contribution_findings findings = {0};
	char *text = NULL;
	enum pmpp_status status = PMPP_OK;

	if (!make_public(document))
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the results");
	round_document(document);
	status = record_write(&result_document_type, document, RECORD_ROWS, &text, error);
	if (status == PMPP_OK)
		status = contribution_check(document, strlen(text), &findings, error);
	if (status == PMPP_OK && findings.problems.count)
		status = first_problem(&findings, error);
	if (status == PMPP_OK) {
		*ret_text = text;
		*ret_findings = findings;
		return PMPP_OK;
	}
	contribution_findings_finish(&findings);
	free(text);
	return status;
}

enum pmpp_status contribution_make(struct compared_file *files, size_t count, char **ret_text,
	struct contribution_findings *ret_findings, struct pmpp_error *error)
{
	struct result_document document;
	enum pmpp_status status = check_devices(files, count, error);

	if (status != PMPP_OK)
		return status;
	record_init(&result_document_type, &document);
	status = join_files(files, count, &document, error);
	if (status == PMPP_OK)
		status = write_text(&document, ret_text, ret_findings, error);
	record_finish(&result_document_type, &document);
	return status;
}
