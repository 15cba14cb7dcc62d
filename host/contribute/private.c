#include <math.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/compare/fields.h"
#include "host/contribute/internal.h"
#include "host/record/walk.h"

#define HEX_DIGITS "0123456789abcdef"
#define DAY_LENGTH 10 /* 2026-11-23 */
#define HOST_ID_DIGITS 16
#define RUN_DIGITS 32

/* ---- Texts ----------------------------------------------------------------------------------- */

static void hide_member(void *context, const struct record_field *field, void *member)
{
	struct text_list *list = member;

	(void)context;
	if (field->kind == FIELD_TEXT)
		hide_paths(member);
	for (size_t i = 0; field->kind == FIELD_TEXTS && i < list->count; i++)
		hide_paths(&list->items[i]);
}

/* ---- Identities ------------------------------------------------------------------------------ */

bool is_public_uuid(const char *uuid)
{
	return uuid && strspn(uuid, HEX_DIGITS) == PUBLIC_UUID_DIGITS &&
	       strcmp(uuid + PUBLIC_UUID_DIGITS, PUBLIC_UUID_SUFFIX) == 0;
}

bool is_public_run(const char *id)
{
	return id && strspn(id, HEX_DIGITS) == RUN_DIGITS && !id[RUN_DIGITS];
}

/* Returns the first digits of the SHA-256 digest of a text; malloc'ed. */
static char *digest_of(const char *text, int digits)
{
	char digest[SHA256_DIGEST_STRING_LENGTH];
	char *result = NULL;

	SHA256Data((const uint8_t *)text, strlen(text), digest);
	return asprintf(&result, "%.*s", digits, digest) < 0 ? NULL : result;
}

static bool has_identity(const struct device_record *device)
{
	return (device->uuid && *device->uuid) || (device->pci && *device->pci);
}

static bool is_cpu(const struct device_record *device)
{
	return text_equal(device->type, "cpu");
}

/* Returns the key of a device in public documents; malloc'ed; NULL if there is no memory. */
static char *public_key(const struct result_document *document, const struct device_record *device)
{
	char *identity = NULL, *digest = NULL, *key = NULL, *named = NULL;

	if (is_public_uuid(device->uuid)) {
		text_format(&key, "uuid:%s", device->uuid);
		return key;
	}
	if (!has_identity(device)) {
		text_format(&key, "name:%s", text_or_empty(device->name));
		hide_paths(&key);
		return key;
	}
	identity = device_identity(device, document);
	if (identity && asprintf(&named, "pmpp device %s", identity) >= 0)
		digest = digest_of(named, PUBLIC_UUID_DIGITS);
	if (digest)
		text_format(&key, "uuid:%s" PUBLIC_UUID_SUFFIX, digest);
	free(named);
	free(digest);
	free(identity);
	return key;
}

char *public_host_id(const struct result_document *document)
{
	const struct host_record *host = &document->host;
	char *text = NULL, *id = NULL;

	text_format(&text, "pmpp host %s %s %lld %lld",
		document->devices.count ? text_or_empty(document->devices.items[0].key) : "",
		text_or_empty(host->cpu), (long long)host->cores, (long long)host->memory_bytes);
	if (text)
		id = digest_of(text, HOST_ID_DIGITS);
	free(text);
	return id;
}

/* Returns whether two texts are equal in public documents. Returns false if there is no memory. */
static bool same_public_text(const char *a, const char *b)
{
	char *public_a = NULL, *public_b = NULL;

	text_set(&public_a, text_or_empty(a));
	text_set(&public_b, text_or_empty(b));
	hide_paths(&public_a);
	hide_paths(&public_b);
	bool same = public_a && public_b && strcmp(public_a, public_b) == 0;
	free(public_a);
	free(public_b);
	return same;
}

bool contribution_same_device(const struct result_document *a, const struct device_record *device_a,
	const struct result_document *b, const struct device_record *device_b)
{
	char *key_a = public_key(a, device_a), *key_b = public_key(b, device_b);
	bool same = key_a && key_b && strcmp(key_a, key_b) == 0;

	if (same && (is_cpu(device_a) || !has_identity(device_a)))
		same = same_public_text(a->host.cpu, b->host.cpu) &&
		       a->host.cores == b->host.cores &&
		       a->host.memory_bytes == b->host.memory_bytes;
	free(key_a);
	free(key_b);
	return same;
}

static bool set_key(char **key, const char *from, const char *to)
{
	if (!text_equal(*key, from))
		return true;
	text_set(key, to);
	return *key != NULL;
}

/* Replaces the key of a device, also in its rows. */
static bool replace_key(
	struct result_document *document, struct device_record *device, const char *key)
{
	char *from = strdup(text_or_empty(device->key));
	bool ok = from != NULL;

	for (size_t i = 0; i < document->results.count && ok; i++)
		ok = set_key(&document->results.items[i].device, from, key);
	for (size_t i = 0; i < document->parity.count && ok; i++)
		ok = set_key(&document->parity.items[i].device, from, key);
	ok = ok && set_key(&device->key, from, key);
	free(from);
	return ok;
}

/* Gives a device and its rows the identity of another record of this device. */
static bool take_identity(struct result_document *document, struct device_record *device,
	const struct result_document *other_document, const struct device_record *other)
{
	text_set(&device->uuid, other->uuid);
	text_set(&device->pci, other->pci);
	/* The identity of a device without a UUID contains the id of its machine. */
	if (!device->uuid)
		text_set(&document->run.host_id, other_document->run.host_id);
	return replace_key(document, device, other->key);
}

/* Joins a device with the same device in another file if their keys differ. */
static bool join_device(const struct compared_file *files, size_t count,
	struct result_document *document, struct device_record *device)
{
	for (size_t f = 0; f < count; f++) {
		const struct result_document *other = &files[f].document;
		for (size_t d = 0; d < other->devices.count; d++) {
			const struct device_record *same = &other->devices.items[d];
			if (!text_equal(same->key, device->key) &&
				contribution_same_device(document, device, other, same))
				return take_identity(document, device, other, same);
		}
	}
	return true;
}

bool contribution_join_devices(struct compared_file *files, size_t count)
{
	bool ok = true;

	for (size_t f = 0; f < count; f++) {
		struct device_list *devices = &files[f].document.devices;
		for (size_t d = 0; d < devices->count && ok; d++)
			if (is_public_uuid(devices->items[d].uuid))
				ok = join_device(
					files, count, &files[f].document, &devices->items[d]);
	}
	return ok;
}

/* Returns whether the identity of a shipped device is unique, so that it can join another file. The
 * identity of a CPU is not: OpenCL can have the same UUID for all CPUs of one model. */
static bool is_certain(const struct device_record *device)
{
	return has_identity(device) && !is_cpu(device);
}

bool contribution_set_apart(struct result_document *document, const char *name)
{
	bool ok = true;

	for (size_t i = 0; i < document->devices.count && ok; i++) {
		struct device_record *device = &document->devices.items[i];
		char *key = NULL;
		if (is_certain(device))
			continue;
		if (i == 0)
			text_format(&key, "shipped:%s", name);
		else
			text_format(&key, "shipped:%s:%zu", name, i);
		ok = key && replace_key(document, device, key);
		text_set(&device->uuid, key);
		text_set(&device->pci, NULL);
		if (is_cpu(device))
			text_format(&device->name, "%s (%s)", text_or_empty(device->name), name);
		ok = ok && device->uuid && device->name;
		free(key);
	}
	return ok;
}

/* ---- Documents ------------------------------------------------------------------------------- */

static void cut(char *text, size_t length)
{
	if (text && strlen(text) > length)
		text[length] = '\0';
}

static bool set_device_key(struct result_document *document)
{
	struct device_record *device = &document->devices.items[0];
	char *key = public_key(document, device);

	if (!key)
		return false;
	if (has_identity(device))
		text_set(&device->uuid, strchr(key, ':') + 1);
	text_set(&device->pci, NULL);
	text_set(&device->key, key);
	for (size_t i = 0; i < document->results.count; i++)
		text_set(&document->results.items[i].device, key);
	free(key);
	return device->key != NULL;
}

static bool set_run(struct result_document *document)
{
	struct run_record *run = &document->run;
	char *id = digest_of(text_or_empty(run->id), RUN_DIGITS);
	char *host_id = public_host_id(document);

	text_set(&run->id, id);
	text_set(&run->host_id, host_id);
	text_set(&run->label, NULL);
	text_set(&run->fleet, NULL);
	run->rank = run->ranks = -1;
	cut(run->started_utc, DAY_LENGTH);
	free(id);
	free(host_id);
	return run->id && run->host_id;
}

/* Keeps only the version: "6.1.0" of "6.1.0-17-amd64". */
static void cut_kernel(char *release)
{
	if (release)
		release[strspn(release, "0123456789.")] = '\0';
}

static void clear_row(struct result_row *row)
{
	text_set(&row->log, NULL);
	text_set(&row->driver_text, NULL);
	record_finish(&error_type, &row->error);
	row->error.record.present = false;
	text_list_finish(&row->build.warnings);
	row->build.warnings = (struct text_list){0};
	row->device_state.other_processes = -1;
	row->device_state.load_average = NAN;
}

bool make_public(struct result_document *document)
{
	const struct record_visitor hide = {.member = hide_member};

	text_list_finish(&document->tool.argv);
	document->tool.argv = (struct text_list){0};
	cut_kernel(document->host.kernel);
	for (size_t i = 0; i < document->devices.items[0].noise.count; i++)
		cut(document->devices.items[0].noise.items[i].measured_utc, DAY_LENGTH);
	for (size_t i = 0; i < document->results.count; i++)
		clear_row(&document->results.items[i]);
	/* The check computes all digests again from the file, so they use only texts of the file.
	 * The exception is the digest of the device's identity, which uses private texts. */
	if (!set_device_key(document))
		return false;
	record_walk(&result_document_type, document, &hide);
	return set_run(document);
}
