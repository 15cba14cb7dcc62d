#include "host/record/noise_cache.h"

#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/io/cache_file.h"
#include "host/record/document.h"
#include "host/record/json.h"

#define NOISE_SCHEMA "pmpp-noise/1"
#define FOLDER "noise"
#define MAX_BYTES ((size_t)1 << 20)
#define NAME_BYTES (SHA256_DIGEST_STRING_LENGTH + sizeof ".json")

#define RECORDS "host/record/noise_cache.def"
#include "host/record/records.inc"

#define RECORD_TYPES
#define RECORDS "host/record/noise_cache.def"
#include "host/record/records.inc"

static void file_name(const char *key, char ret_name[NAME_BYTES])
{
	char hash[SHA256_DIGEST_STRING_LENGTH];

	SHA256Data((const uint8_t *)key, strlen(key), hash);
	snprintf(ret_name, NAME_BYTES, "%s.json", hash);
}

static bool is_sane(const struct noise_file *file, const char *key)
{
	for (size_t i = 0; i < file->noise.count; i++)
		if (!(file->noise.items[i].sd > 0) || !(file->noise.items[i].dof >= 1))
			return false;
	return text_equal(file->device, key);
}

/* Reads the file of a device. Returns an empty record if there is no usable file. The caller must
 * finish the record. */
static struct noise_file read_file(const char *key)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	struct noise_file file;
	char name[NAME_BYTES];
	void *text = NULL;
	size_t size = 0;
	enum pmpp_status status = PMPP_USAGE;

	file_name(key, name);
	if (cache_read(FOLDER, name, MAX_BYTES, &text, &size) == CACHE_READ_OK)
		status = document_parse(
			&noise_file_type, NOISE_SCHEMA, name, text, size, &file, &ignored);
	free(text);
	pmpp_error_clear(&ignored);
	if (status == PMPP_OK && is_sane(&file, key))
		return file;
	if (status == PMPP_OK)
		record_finish(&noise_file_type, &file);
	record_init(&noise_file_type, &file);
	return file;
}

/* Appends a copy of the entry. */
static void add(struct noise_list *list, const struct noise_record *noise)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	struct noise_record *copy = record_list_add(&noise_type, list);

	if (copy && record_copy(&noise_type, noise, copy, &ignored) != PMPP_OK)
		list->count--;
	pmpp_error_clear(&ignored);
}

void noise_cache_load(struct device_record *device)
{
	if (device->noise.count || !device->key)
		return;
	struct noise_file file = read_file(device->key);
	for (size_t i = 0; i < file.noise.count; i++)
		add(&device->noise, &file.noise.items[i]);
	record_finish(&noise_file_type, &file);
}

static bool has(const struct noise_list *list, const struct noise_record *noise)
{
	for (size_t i = 0; i < list->count; i++)
		if (text_equal(list->items[i].backend, noise->backend) &&
			text_equal(list->items[i].family, noise->family) &&
			text_equal(list->items[i].variant, noise->variant) &&
			text_equal(list->items[i].dtype, noise->dtype) &&
			text_equal(list->items[i].op, noise->op) &&
			text_equal(list->items[i].data, noise->data) &&
			named_list_equal(&list->items[i].problem, &noise->problem))
			return true;
	return false;
}

void noise_cache_store(const char *key, const struct noise_list *noise)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	struct noise_file old = read_file(key), file;
	char name[NAME_BYTES];
	char *text = NULL;

	record_init(&noise_file_type, &file);
	text_set(&file.schema, NOISE_SCHEMA);
	text_set(&file.device, key);
	for (size_t i = 0; i < noise->count; i++)
		add(&file.noise, &noise->items[i]);
	for (size_t i = 0; i < old.noise.count; i++)
		if (!has(noise, &old.noise.items[i]))
			add(&file.noise, &old.noise.items[i]);
	file_name(key, name);
	if (record_write(&noise_file_type, &file, RECORD_INDENTED, &text, &ignored) == PMPP_OK)
		cache_file_write(FOLDER, name, &(struct iovec){text, strlen(text)}, 1);
	free(text);
	pmpp_error_clear(&ignored);
	record_finish(&noise_file_type, &old);
	record_finish(&noise_file_type, &file);
}
