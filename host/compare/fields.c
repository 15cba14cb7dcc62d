#include "host/compare/fields.h"

#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Devices ------------------------------------------------------------------------------- */

char *device_identity(const struct device_record *device, const struct result_document *document)
{
	char *text = NULL;

	if (device->uuid && *device->uuid)
		text_format(&text, "uuid:%s", device->uuid);
	else if (device->pci && *device->pci)
		text_format(&text, "pci:%s %s %s", device->pci,
			text_or_empty(document->run.host_id), text_or_empty(device->name));
	else
		text_format(&text, "name:%s", text_or_empty(device->name));
	return text;
}

#define PUBLIC_UUID_SUFFIX "-sha256"
#define PUBLIC_DIGITS 32

bool is_public_uuid(const char *uuid)
{
	return uuid && strspn(uuid, "0123456789abcdef") == PUBLIC_DIGITS &&
	       strcmp(uuid + PUBLIC_DIGITS, PUBLIC_UUID_SUFFIX) == 0;
}

char *text_digest(const char *text, int digits)
{
	char digest[SHA256_DIGEST_STRING_LENGTH];
	char *result = NULL;

	if (text)
		SHA256Data((const uint8_t *)text, strlen(text), digest);
	return !text || asprintf(&result, "%.*s", digits, digest) < 0 ? NULL : result;
}

char *device_public_identity(
	const struct device_record *device, const struct result_document *document)
{
	char *key = device_identity(device, document);

	if (!key || strncmp(key, "name:", 5) == 0 || is_public_uuid(device->uuid))
		return key;
	text_format(&key, "pmpp device %s", key);
	char *digest = text_digest(key, PUBLIC_DIGITS);
	text_format(&key, "uuid:%s" PUBLIC_UUID_SUFFIX, text_or_empty(digest));
	free(digest);
	return key;
}

char *device_identity_on_host(
	const struct device_record *device, const struct result_document *document)
{
	const struct host_record *host = &document->host;
	char *text = device_public_identity(device, document);

	if (!text || strncmp(text, "name:", 5) != 0)
		return text;
	if (document->run.host_id && *document->run.host_id)
		text_format(&text, "%s host:%s", text, document->run.host_id);
	else
		text_format(&text, "%s cpu:%s %lld %lld", text, text_or_empty(host->cpu),
			(long long)host->cores, (long long)host->memory_bytes);
	return text;
}

const struct device_record *device_of_key(const struct result_document *document, const char *key)
{
	for (size_t i = 0; i < document->devices.count; i++)
		if (text_equal(document->devices.items[i].key, key))
			return &document->devices.items[i];
	return NULL;
}

const struct view_record *device_view(const struct device_record *device, const char *backend)
{
	for (size_t i = 0; device && i < device->views.count; i++)
		if (text_equal(device->views.items[i].backend, backend))
			return &device->views.items[i];
	return NULL;
}

/* ---- Texts --------------------------------------------------------------------------------- */

/* Returns a malloc'ed copy; NULL for an empty text, or if there is no memory. */
static char *copy_of(const char *text)
{
	return text && *text ? strdup(text) : NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct named_value *)a)->name, ((const struct named_value *)b)->name);
}

/* "k=128 m=7 n=5": sorted by name, so that the order in the file does not matter. malloc'ed. */
static char *named_text(const struct named_list *list)
{
	struct named_value *sorted = calloc(list->count + 1, sizeof *sorted);
	char *text = NULL;

	if (!sorted)
		return NULL;
	if (list->count)
		memcpy(sorted, list->items, list->count * sizeof *sorted);
	qsort(sorted, list->count, sizeof *sorted, by_name);
	text_set(&text, "");
	for (size_t i = 0; i < list->count; i++)
		text_format(&text, "%s%s%s=%lld", text_or_empty(text), i ? " " : "", sorted[i].name,
			(long long)sorted[i].value);
	free(sorted);
	return text;
}

/* ---- The table ----------------------------------------------------------------------------- */

#define OF_ROW(member) offsetof(struct result_row, member)
#define OF_RUN(member) offsetof(struct result_document, run.member)

/* Offset of a text of the row, of a text of its run, or of named values of the row; 0: none. */
static const struct {
	const char *name;
	bool identifies; /* must be equal for two rows to be compared */
	size_t in_row, in_document, named;
} fields[ROW_FIELD_COUNT] = {
	[ROW_DEVICE] = {"device", true, OF_ROW(device)},
	[ROW_BACKEND] = {"backend", true, OF_ROW(backend)},
	[ROW_DRIVER] = {"driver", false},
	[ROW_RUN] = {"run", false},
	[ROW_LABEL] = {"label", false, 0, OF_RUN(label)},
	[ROW_HOST] = {"host", false, 0, OF_RUN(host_id)},
	[ROW_MATH] = {"math", true, OF_ROW(build.math)},
	[ROW_MACROS] = {"macros", true, .named = OF_ROW(macros)},
	[ROW_FAMILY] = {"family", true, OF_ROW(family)},
	[ROW_VARIANT] = {"variant", true, OF_ROW(variant)},
	[ROW_DTYPE] = {"dtype", true, OF_ROW(dtype)},
	[ROW_OP] = {"op", true, OF_ROW(op)},
	[ROW_DATA] = {"data", true, OF_ROW(data)},
	[ROW_PROBLEM] = {"problem", true, .named = OF_ROW(problem)},
	[ROW_CONTRACT] = {"contract", true, OF_ROW(timing.contract)},
};

const char *compare_field_name(enum compare_field field)
{
	return fields[field].name;
}

enum pmpp_status compare_fields_parse(
	const char *text, unsigned *ret_fields, struct pmpp_error *error)
{
	*ret_fields = 0;
	for (;; text++) {
		size_t length = strcspn(text, ",");
		unsigned i = 0;
		while (i < ROW_FAMILY && !(strlen(fields[i].name) == length &&
						 strncmp(fields[i].name, text, length) == 0))
			i++;
		if (i == ROW_FAMILY)
			return PMPP_FAIL(error, PMPP_USAGE,
				"--by=%.*s: give one or several of device, backend, driver, run, "
				"label, host, math, macros",
				(int)(length > 40 ? 40 : length), text);
		*ret_fields |= COMPARE_BIT(i);
		text += length;
		if (!*text)
			return PMPP_OK;
	}
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static char *field_text(const struct compared_row *row, size_t field, bool hosts_apart)
{
	const struct view_record *view = device_view(row->device, row->row->backend);
	const char *of_row = (const char *)row->row, *document = (const char *)row->document;
	char *text = NULL;

	if (field == ROW_DEVICE && row->device)
		return hosts_apart ? device_identity_on_host(row->device, row->document)
				   : device_public_identity(row->device, row->document);
	if (field == ROW_DRIVER)
		return view ? copy_of(view->driver) : NULL;
	if (fields[field].named)
		return named_text((const void *)(of_row + fields[field].named));
	if (fields[field].in_row)
		return copy_of(*(char *const *)(of_row + fields[field].in_row));
	if (fields[field].in_document)
		return copy_of(*(char *const *)(document + fields[field].in_document));
	text_format(&text, "%zu", row->file);
	return text;
}

bool compared_rows_make(const struct compared_file *files, size_t count, bool hosts_apart,
	struct compared_rows *ret_rows)
{
	size_t total = 0;
	bool ok;

	for (size_t f = 0; f < count; f++)
		total += files[f].document.results.count;
	*ret_rows = (struct compared_rows){.items = calloc(total + 1, sizeof *ret_rows->items)};
	ok = ret_rows->items != NULL;
	for (size_t f = 0; f < count; f++)
		for (size_t r = 0; r < files[f].document.results.count && ok; r++) {
			struct compared_row *row = &ret_rows->items[ret_rows->count];
			*row = (struct compared_row){.row = &files[f].document.results.items[r],
				.of = &files[f],
				.document = &files[f].document,
				.file = f,
				.order = ret_rows->count++};
			row->device = device_of_key(row->document, row->row->device);
			for (size_t i = 0; i < ROW_FIELD_COUNT; i++)
				row->texts[i] = field_text(row, i, hosts_apart);
			ok = row->texts[ROW_RUN] && row->texts[ROW_PROBLEM] &&
			     row->texts[ROW_MACROS];
		}
	return ok;
}

void compared_rows_finish(struct compared_rows *rows)
{
	for (size_t r = 0; r < rows->count; r++) {
		for (size_t i = 0; i < ROW_FIELD_COUNT; i++)
			free(rows->items[r].texts[i]);
		free(rows->items[r].key);
	}
	free(rows->items);
	*rows = (struct compared_rows){0};
}

unsigned compared_row_difference(
	const struct compared_row *a, const struct compared_row *b, unsigned without)
{
	unsigned difference = 0;

	for (unsigned i = 0; i < ROW_FIELD_COUNT; i++)
		if (fields[i].identifies && !(without & COMPARE_BIT(i)) && a->texts[i] &&
			b->texts[i] && strcmp(a->texts[i], b->texts[i]) != 0)
			difference |= COMPARE_BIT(i);
	return difference;
}

bool compared_row_set_key(struct compared_row *row, unsigned without)
{
	const unsigned of_runs = COMPARE_BIT(ROW_RUN) | COMPARE_BIT(ROW_LABEL);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return false;
	for (size_t i = 0; i < ROW_FIELD_COUNT; i++) {
		size_t field = (ROW_FAMILY + i) % ROW_FIELD_COUNT;
		if (fields[field].identifies && !(without & COMPARE_BIT(field)))
			fprintf(out, "%s\n", text_or_empty(row->texts[field]));
	}
	if (row->row->own_kernel && !(without & of_runs))
		fputs("own\n", out);
	fclose(out);
	free(row->key);
	row->key = text;
	return text != NULL;
}

bool copy_named(const struct named_list *from, struct named_list *to)
{
	bool ok = true;

	for (size_t i = 0; i < from->count && ok; i++)
		ok = named_list_add(to, from->items[i].name, from->items[i].value);
	return ok;
}
