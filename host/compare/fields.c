#include "host/compare/fields.h"

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

char *device_identity_on_host(
	const struct device_record *device, const struct result_document *document)
{
	const struct host_record *host = &document->host;
	const char *host_id = text_or_empty(document->run.host_id);
	bool has_own = (device->uuid && *device->uuid) || (device->pci && *device->pci);
	char *own = device_identity(device, document), *text = NULL;

	if (!own || has_own)
		return own;
	if (*host_id)
		text_format(&text, "%s host:%s", own, host_id);
	else
		text_format(&text, "%s cpu:%s %lld %lld", own, text_or_empty(host->cpu),
			(long long)host->cores, (long long)host->memory_bytes);
	free(own);
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

/* "k=128 m=7 n=5": sorted by name, so that the order in the file does not matter. */
static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct named_value *)a)->name, ((const struct named_value *)b)->name);
}

static char *named_text(const struct named_list *list)
{
	char *text = NULL;
	size_t size;
	struct named_value *sorted = calloc(list->count + 1, sizeof *sorted);
	FILE *out = sorted ? open_memstream(&text, &size) : NULL;

	if (!out) {
		free(sorted);
		return NULL;
	}
	if (list->count)
		memcpy(sorted, list->items, list->count * sizeof *sorted);
	qsort(sorted, list->count, sizeof *sorted, by_name);
	for (size_t i = 0; i < list->count; i++)
		fprintf(out, "%s%s=%lld", i ? " " : "", sorted[i].name, (long long)sorted[i].value);
	fclose(out);
	free(sorted);
	return text;
}

static char *device_text(const struct compared_row *row)
{
	if (!row->device)
		return copy_of(row->row->device);
	return row->hosts_apart ? device_identity_on_host(row->device, row->document)
				: device_identity(row->device, row->document);
}

static char *driver_text(const struct compared_row *row)
{
	const struct view_record *view = device_view(row->device, row->row->backend);

	return view ? copy_of(view->driver) : NULL;
}

static char *run_text(const struct compared_row *row)
{
	char *text = NULL;

	text_format(&text, "%zu", row->file);
	return text;
}

static char *macros_text(const struct compared_row *row)
{
	return named_text(&row->row->macros);
}

static char *problem_key(const struct compared_row *row)
{
	return named_text(&row->row->problem);
}

static char *contract_text(const struct compared_row *row)
{
	return row->row->timing.record.present ? copy_of(row->row->timing.contract) : NULL;
}

/* ---- The table ----------------------------------------------------------------------------- */

#define OF_ROW(member) offsetof(struct result_row, member)
#define OF_RUN(member) offsetof(struct result_document, run.member)

static const struct {
	const char *name;
	char *(*text)(const struct compared_row *row); /* NULL: a text of the row or of its run */
	size_t in_row, in_document;                    /* offset of this text; 0 = none */
} fields[ROW_FIELD_COUNT] = {
	[ROW_DEVICE] = {"device", device_text},
	[ROW_BACKEND] = {"backend", NULL, OF_ROW(backend)},
	[ROW_DRIVER] = {"driver", driver_text},
	[ROW_RUN] = {"run", run_text},
	[ROW_LABEL] = {"label", NULL, 0, OF_RUN(label)},
	[ROW_HOST] = {"host", NULL, 0, OF_RUN(host_id)},
	[ROW_MATH] = {"math", NULL, OF_ROW(build.math)},
	[ROW_MACROS] = {"macros", macros_text},
	[ROW_FAMILY] = {"family", NULL, OF_ROW(family)},
	[ROW_VARIANT] = {"variant", NULL, OF_ROW(variant)},
	[ROW_DTYPE] = {"dtype", NULL, OF_ROW(dtype)},
	[ROW_OP] = {"op", NULL, OF_ROW(op)},
	[ROW_DATA] = {"data", NULL, OF_ROW(data)},
	[ROW_PROBLEM] = {"problem", problem_key},
	[ROW_CONTRACT] = {"contract", contract_text},
};

static char *field_text(const struct compared_row *row, size_t field)
{
	const char *record = fields[field].in_row
				     ? (const char *)row->row + fields[field].in_row
				     : (const char *)row->document + fields[field].in_document;

	return fields[field].text ? fields[field].text(row) : copy_of(*(char *const *)record);
}

const unsigned compare_identity =
	COMPARE_BIT(ROW_FAMILY) | COMPARE_BIT(ROW_VARIANT) | COMPARE_BIT(ROW_BACKEND) |
	COMPARE_BIT(ROW_DEVICE) | COMPARE_BIT(ROW_DTYPE) | COMPARE_BIT(ROW_OP) |
	COMPARE_BIT(ROW_DATA) | COMPARE_BIT(ROW_PROBLEM) | COMPARE_BIT(ROW_MACROS) |
	COMPARE_BIT(ROW_MATH) | COMPARE_BIT(ROW_CONTRACT);

const unsigned compare_choices = COMPARE_BIT(ROW_DEVICE) | COMPARE_BIT(ROW_BACKEND) |
				 COMPARE_BIT(ROW_DRIVER) | COMPARE_BIT(ROW_RUN) |
				 COMPARE_BIT(ROW_LABEL) | COMPARE_BIT(ROW_HOST) |
				 COMPARE_BIT(ROW_MATH) | COMPARE_BIT(ROW_MACROS);

const char *compare_field_name(enum compare_field field)
{
	return fields[field].name;
}

static enum pmpp_status parse_one(
	const char *name, size_t length, unsigned *fields_so_far, struct pmpp_error *error)
{
	char names[200] = "";

	for (unsigned i = 0; i < ROW_FIELD_COUNT; i++) {
		if (!(compare_choices & COMPARE_BIT(i)))
			continue;
		if (strlen(fields[i].name) == length &&
			strncmp(fields[i].name, name, length) == 0) {
			*fields_so_far |= COMPARE_BIT(i);
			return PMPP_OK;
		}
		snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
			*names ? ", " : "", fields[i].name);
	}
	return PMPP_FAIL(error, PMPP_USAGE, "--by=%.*s: give one or several of %s",
		(int)(length > 40 ? 40 : length), name, names);
}

enum pmpp_status compare_fields_parse(
	const char *text, unsigned *ret_fields, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;
	unsigned found = 0;

	for (const char *next = text; status == PMPP_OK; next++) {
		size_t length = strcspn(next, ",");
		status = parse_one(next, length, &found, error);
		next += length;
		if (*next == '\0')
			break;
	}
	if (status == PMPP_OK)
		*ret_fields = found;
	return status;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

bool compared_row_set_texts(struct compared_row *row)
{
	for (size_t i = 0; i < ROW_FIELD_COUNT; i++)
		row->texts[i] = field_text(row, i);
	return row->texts[ROW_RUN] && row->texts[ROW_PROBLEM] && row->texts[ROW_MACROS];
}

bool compared_row_set_key(struct compared_row *row, unsigned without)
{
	const unsigned of_runs = COMPARE_BIT(ROW_RUN) | COMPARE_BIT(ROW_LABEL);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return false;
	for (size_t i = 0; i < ROW_FIELD_COUNT; i++)
		if (compare_identity & COMPARE_BIT(i) & ~without)
			fprintf(out, "%s\n", text_or_empty(row->texts[i]));
	if (row->row->own_kernel && !(without & of_runs))
		fputs("own\n", out);
	fclose(out);
	free(row->key);
	row->key = text;
	return text != NULL;
}

void compared_row_finish(struct compared_row *row)
{
	for (size_t i = 0; i < ROW_FIELD_COUNT; i++)
		free(row->texts[i]);
	free(row->key);
}
