#include <ctype.h>
#include <math.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/compare/fields.h"
#include "host/contribute/contribute.h"
#include "host/record/walk.h"

/* ---- Paths ----------------------------------------------------------------------------------- */

/* Bytes above 127 are parts of UTF-8 letters. */
static bool is_letter(char byte)
{
	return isalnum((unsigned char)byte) || (unsigned char)byte >= 0x80 ||
	       (byte && strchr("._+-@~", byte));
}

static size_t name_length(const char *text)
{
	size_t length = 0;

	while (is_letter(text[length]))
		length++;
	return length;
}

/* Returns whether a path can begin here: the character before is not part of a word, or it ends the
 * option of a compiler (the "-I" of "-I/usr/include"). */
static bool is_outside(const char *text, size_t at)
{
	char before = at ? text[at - 1] : ' ';
	size_t word = at;

	if (!isalnum((unsigned char)before) && !((unsigned char)before >= 0x80) &&
		!strchr("./_%\\", before))
		return true;
	while (word && isalpha((unsigned char)text[word - 1]))
		word--;
	return word && text[word - 1] == '-' && (word == 1 || strchr(" \t\n'\"=,", text[word - 2]));
}

/* "/NAME/", or "//NAME/" that is not part of an address. */
static bool is_absolute(const char *text, size_t at, bool is_file)
{
	size_t slashes = strspn(text + at, "/");
	size_t length = name_length(text + at + slashes);

	return length && text[at + slashes + length] == '/' &&
	       (is_file || !(slashes > 1 && at && text[at - 1] == ':'));
}

/* A folder with users' files after any character, an absolute path of two names or more, "../NAME",
 * "~/NAME", "C:\NAME", "C:/NAME" or "\\NAME\". The first test avoids a search from each byte of a
 * long text. */
static bool begins_path(const char *text, size_t at)
{
	static const char *const folders[] = {"/home/", "/root/", "/Users/", "/tmp/"};
	const char *path = text + at;
	bool drive = isalpha((unsigned char)path[0]) && path[1] == ':';
	bool is_file = at >= 7 && strncmp(path - 7, "file://", 7) == 0;

	if (!drive && !strchr("/.~\\", *path))
		return false;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (strncmp(path, folders[i], strlen(folders[i])) == 0)
			return true;
	if (!is_file && !is_outside(text, at))
		return false;
	if (drive)
		return path[2] && strchr("\\/", path[2]) && is_letter(path[3]);
	if (strncmp(path, "\\\\", 2) == 0)
		return name_length(path + 2) && path[2 + name_length(path + 2)] == '\\';
	if (strncmp(path, "../", 3) == 0 || strncmp(path, "~/", 2) == 0)
		return is_letter(strchr(path, '/')[1]);
	return *path == '/' && is_absolute(text, at, is_file);
}

/* Names of folders can contain blanks. The text after a blank is therefore part of the path, up to
 * a quote or the end of the line, unless it begins with an option. */
static size_t path_length(const char *path)
{
	size_t length = isalpha((unsigned char)*path) ? 2 : 0;

	while (is_letter(path[length]) || (path[length] && strchr("/\\", path[length])))
		length++;
	if (path[length] != ' ' || !path[length + 1] ||
		(path[length + 1] == '-' && isalpha((unsigned char)path[length + 2])))
		return length;
	return length + strcspn(path + length, "'\"`\n");
}

bool has_path(const char *text)
{
	for (size_t i = 0; text[i]; i++)
		if (begins_path(text, i))
			return true;
	return false;
}

/* Replaces each path by "PATH". *text becomes NULL if there is no memory: the file is then not
 * written. */
static void hide_paths(char **text)
{
	char *hidden = NULL;
	size_t size;

	if (!*text || !has_path(*text))
		return;
	FILE *out = open_memstream(&hidden, &size);
	for (size_t i = 0; out && (*text)[i];) {
		if (!begins_path(*text, i)) {
			fputc((*text)[i++], out);
			continue;
		}
		fputs("PATH", out);
		i += path_length(*text + i);
	}
	if (out)
		fclose(out);
	text_set(text, hidden);
	free(hidden);
}

/* ---- Identities ------------------------------------------------------------------------------ */

#define PUBLIC_UUID_SUFFIX "-sha256"
#define PUBLIC_DIGITS 32
#define HOST_ID_DIGITS 16
#define HEX_DIGITS "0123456789abcdef"

bool is_public_uuid(const char *uuid)
{
	return uuid && strspn(uuid, HEX_DIGITS) == PUBLIC_DIGITS &&
	       strcmp(uuid + PUBLIC_DIGITS, PUBLIC_UUID_SUFFIX) == 0;
}

bool is_public_run(const char *id)
{
	return id && strspn(id, HEX_DIGITS) == PUBLIC_DIGITS && !id[PUBLIC_DIGITS];
}

/* Returns the first digits of the SHA-256 digest of a text; malloc'ed. NULL: no text, or no memory. */
static char *digest_of(const char *text, int digits)
{
	char digest[SHA256_DIGEST_STRING_LENGTH];
	char *result = NULL;

	if (text)
		SHA256Data((const uint8_t *)text, strlen(text), digest);
	return !text || asprintf(&result, "%.*s", digits, digest) < 0 ? NULL : result;
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
	char *key = NULL;

	if (is_public_uuid(device->uuid)) {
		text_format(&key, "uuid:%s", device->uuid);
	} else if (has_identity(device)) {
		char *identity = device_identity(device, document), *named = NULL;
		if (identity)
			text_format(&named, "pmpp device %s", identity);
		char *digest = digest_of(named, PUBLIC_DIGITS);
		if (digest)
			text_format(&key, "uuid:%s" PUBLIC_UUID_SUFFIX, digest);
		free(identity);
		free(named);
		free(digest);
	} else {
		text_format(&key, "name:%s", text_or_empty(device->name));
		hide_paths(&key);
	}
	return key;
}

char *public_host_id(const struct result_document *document)
{
	const struct host_record *host = &document->host;
	char *text = NULL;

	text_format(&text, "pmpp host %s %s %lld %lld",
		document->devices.count ? text_or_empty(document->devices.items[0].key) : "",
		text_or_empty(host->cpu), (long long)host->cores, (long long)host->memory_bytes);
	char *id = digest_of(text, HOST_ID_DIGITS);
	free(text);
	return id;
}

/* What a public document keeps of its machine; malloc'ed. */
static char *host_text(const struct result_document *document)
{
	const struct host_record *host = &document->host;
	char *text = NULL;

	text_format(&text, "%lld %lld %s", (long long)host->cores, (long long)host->memory_bytes,
		text_or_empty(host->cpu));
	hide_paths(&text);
	return text;
}

bool contribution_same_device(const struct result_document *a, const struct device_record *device_a,
	const struct result_document *b, const struct device_record *device_b)
{
	char *keys[] = {public_key(a, device_a), public_key(b, device_b)};
	char *hosts[] = {host_text(a), host_text(b)};
	bool certain = has_identity(device_a) && !is_cpu(device_a);
	bool same = keys[0] && hosts[0] && text_equal(keys[0], keys[1]) &&
		    (certain || text_equal(hosts[0], hosts[1]));

	for (size_t i = 0; i < 2; i++) {
		free(keys[i]);
		free(hosts[i]);
	}
	return same;
}

/* Replaces the key of a device, also in its rows. */
static bool replace_key(
	struct result_document *document, struct device_record *device, const char *key)
{
	char *from = strdup(text_or_empty(device->key));
	bool ok = from != NULL;

	for (size_t i = 0; i < document->results.count && ok; i++)
		if (text_equal(document->results.items[i].device, from))
			text_set(&document->results.items[i].device, key);
	for (size_t i = 0; i < document->parity.count && ok; i++)
		if (text_equal(document->parity.items[i].device, from))
			text_set(&document->parity.items[i].device, key);
	text_set(&device->key, key);
	free(from);
	return ok && device->key;
}

/* Gives a device and its rows the identity of the same device in another file, if their keys
 * differ. */
static bool join_device(const struct compared_file *files, size_t count,
	struct result_document *document, struct device_record *device)
{
	for (size_t f = 0; f < count; f++) {
		const struct result_document *other = &files[f].document;
		for (size_t d = 0; d < other->devices.count; d++) {
			const struct device_record *same = &other->devices.items[d];
			if (text_equal(same->key, device->key) ||
				!contribution_same_device(document, device, other, same))
				continue;
			text_set(&device->uuid, same->uuid);
			text_set(&device->pci, same->pci);
			/* The identity of a device without a UUID contains its machine. */
			if (!device->uuid)
				text_set(&document->run.host_id, other->run.host_id);
			return replace_key(document, device, same->key);
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

/* The identity of a CPU is not certain: OpenCL can have the same UUID for all CPUs of one model. */
bool contribution_set_apart(struct result_document *document, const char *name)
{
	bool ok = true;

	for (size_t i = 0; i < document->devices.count && ok; i++) {
		struct device_record *device = &document->devices.items[i];
		char *key = NULL;
		if (has_identity(device) && !is_cpu(device))
			continue;
		text_format(&key, "shipped:%s", name);
		if (i && key)
			text_format(&key, "%s:%zu", key, i);
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

/* ---- Filter of fields ------------------------------------------------------------------------ */

#define DAY_LENGTH 10 /* 2026-11-23 */
#define VERSION "0123456789."

static void cut(char *text, size_t length)
{
	if (text && strlen(text) > length)
		text[length] = '\0';
}

bool is_date(const struct record_field *field)
{
	const char *end = strrchr(field->name, '_');

	return end && strcmp(end, "_utc") == 0 && field->kind == FIELD_TEXT;
}

static void filter_member(void *context, const struct record_field *field, void *member)
{
	(void)context;
	if (field->is_private)
		record_member_clear(field, member);
	else if (is_date(field))
		cut(*(char **)member, DAY_LENGTH);
}

static void filter_text(void *context, const struct record_field *field, char **text)
{
	(void)context, (void)field;
	hide_paths(text);
}

static bool set_run(struct result_document *document)
{
	struct run_record *run = &document->run;
	char *id = digest_of(text_or_empty(run->id), PUBLIC_DIGITS);
	char *host_id = public_host_id(document);

	text_set(&run->id, id);
	text_set(&run->host_id, host_id);
	free(id);
	free(host_id);
	return run->id && run->host_id;
}

bool make_public(struct result_document *document)
{
	const struct record_visitor filter = {.member = filter_member, .text = filter_text};
	struct device_record *device = &document->devices.items[0];
	char *key = public_key(document, device), *kernel = document->host.kernel;

	cut(kernel, kernel ? strspn(kernel, VERSION) : 0);
	/* The check computes all digests again from the file, so they use only texts of the file.
	 * The exception is the digest of the device's identity, which uses private texts. */
	if (key && has_identity(device))
		text_set(&device->uuid, strchr(key, ':') + 1);
	bool ok = key && replace_key(document, device, key);
	free(key);
	record_walk(&result_document_type, document, &filter);
	return ok && set_run(document);
}

/* ---- Rounding -------------------------------------------------------------------------------- */

#define TIME_STEP_NS (2 * ROUNDED_NS)
#define TIME_DIGITS 5
#define OTHER_DIGITS 7

/* Divides by an integer, which rounds only once: the result for 0.3 is the double nearest to
 * 0.3. */
static double rounded(double value, bool is_time)
{
	if (!isfinite(value) || value == floor(value) || fabs(value) < 1e-15)
		return value;
	int digits = is_time ? TIME_DIGITS : OTHER_DIGITS;
	double step =
		fmin(pow(10, floor(log10(fabs(value))) - digits + 1), is_time ? TIME_STEP_NS : 1);
	return step < 1 ? round(value * round(1 / step)) / round(1 / step)
			: round(value / step) * step;
}

static void round_member(void *context, const struct record_field *field, void *member)
{
	bool is_time = field->unit && strcmp(field->unit, "ns") == 0;
	const struct number_list *list = member;
	bool is_list = field->kind == FIELD_NUMBERS;
	double *numbers = is_list ? list->items : member;
	size_t count = is_list                         ? list->count
		       : field->kind == FIELD_NUMBER   ? 1
		       : field->kind == FIELD_INTERVAL ? 2
						       : 0;

	(void)context;
	for (size_t i = 0; i < count; i++)
		numbers[i] = rounded(numbers[i], is_time);
}

void round_document(struct result_document *document)
{
	const struct record_visitor visitor = {.member = round_member};

	record_walk(&result_document_type, document, &visitor);
}
