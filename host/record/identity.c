#include "host/record/identity.h"

#include <jansson.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each part begins with its length, so that two different lists of parts never give the same
 * text. */
static void put_text(FILE *out, const char *text)
{
	fprintf(out, "%zu:%s,", strlen(text_or_empty(text)), text_or_empty(text));
}

/* Returns false if there is no memory. */
static bool put_named(FILE *out, const struct named_list *list)
{
	struct named_value *sorted = named_list_sorted(list);

	if (!sorted)
		return false;
	fprintf(out, "%zu:", list->count);
	for (size_t i = 0; i < list->count; i++) {
		put_text(out, sorted[i].name);
		fprintf(out, "%lld,", (long long)sorted[i].value);
	}
	free(sorted);
	return true;
}

/* Appends the texts, then the two lists. */
static char *identity_of(const char *const *texts, size_t count, const struct named_list *problem,
	const struct named_list *macros)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < count; i++)
		put_text(out, texts[i]);
	bool whole = put_named(out, problem) && put_named(out, macros) && !ferror(out);
	if (fclose(out) == 0 && whole)
		return text;
	free(text);
	return NULL;
}

char *result_row_identity(const struct result_row *row)
{
	const char *const texts[] = {row->family, row->variant, row->backend, row->device,
		row->dtype, row->op, row->data, row->build.math, row->timing.contract};

	return identity_of(texts, ARRAY_COUNT(texts), &row->problem, &row->macros);
}

char *parity_row_identity(const struct parity_row *row)
{
	const struct text_list *backends = &row->backends;
	const char *const texts[] = {row->family, row->variant, row->device,
		backends->count > 0 ? backends->items[0] : NULL,
		backends->count > 1 ? backends->items[1] : NULL};

	return identity_of(texts, ARRAY_COUNT(texts), &row->problem, &row->macros);
}

/* ---- Numbers -------------------------------------------------------------------------------- */

bool row_numbers_add(struct row_numbers *numbers, const char *identity, size_t *ret_again)
{
	json_t *counts = numbers->counts ? (json_t *)numbers->counts : json_object();

	numbers->counts = (struct record_extra *)counts;
	*ret_again = (size_t)json_integer_value(json_object_get(counts, identity));
	return json_object_set_new(counts, identity, json_integer((json_int_t)*ret_again + 1)) == 0;
}

void row_numbers_finish(struct row_numbers *numbers)
{
	json_decref((json_t *)numbers->counts);
	numbers->counts = NULL;
}

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
