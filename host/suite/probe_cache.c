#include "host/suite/probe_cache.h"

#include "host/gpu/program_cache.h"
#include "host/io/cache_file.h"
#include "host/record/document.h"
#include "host/record/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PROBE_SCHEMA "pmpp-probe/1"
#define FOLDER "probes"
#define MAX_BYTES ((size_t)1 << 16)
#define KEPT 2 /* sessions */

/* ---- Files --------------------------------------------------------------------------------- */

#define RECORDS "host/suite/probe_cache.def"
#include "host/record/records.inc"

#define RECORD_TYPES
#define RECORDS "host/suite/probe_cache.def"
#include "host/record/records.inc"

#define NAME_BYTES (PROGRAM_CACHE_KEY_LENGTH + sizeof ".json")

static void file_name(const struct probe_cache_key *key, char ret_name[NAME_BYTES])
{
	const struct gpu_device_info *info = key->info;
	const char *identity = *info->uuid ? info->uuid : *info->pci ? info->pci : info->name;
	char units[16];
	const char *const parts[] = {PROBE_SCHEMA, gpu_backend_name(info->backend), identity,
		info->name, info->driver, info->compiler, units, key->work,
		key->device_timer ? "device timer" : "host clock", NULL};
	char hash[PROGRAM_CACHE_KEY_LENGTH + 1];

	snprintf(units, sizeof units, "%u", (unsigned)info->limits.compute_units);
	program_cache_key(parts, hash);
	snprintf(ret_name, NAME_BYTES, "%s.json", hash);
}

static bool is_sane(const struct probe_file *file)
{
	for (size_t i = 0; i < file->sessions.count; i++)
		if (!(file->sessions.items[i].ns > 0))
			return false;
	return file->sessions.count <= KEPT;
}

/* Returns an empty record if there is no usable file. The caller finishes it. */
static void read_file(const char *name, struct probe_file *ret_file)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	void *text = NULL;
	size_t size = 0;
	enum pmpp_status status = PMPP_USAGE;

	if (cache_read(FOLDER, name, MAX_BYTES, &text, &size) == CACHE_READ_OK)
		status = document_parse(
			&probe_file_type, PROBE_SCHEMA, name, text, size, ret_file, &ignored);
	free(text);
	pmpp_error_clear(&ignored);
	if (status == PMPP_OK && is_sane(ret_file))
		return;
	if (status == PMPP_OK)
		record_finish(&probe_file_type, ret_file);
	record_init(&probe_file_type, ret_file);
}

static void write_file(const struct probe_cache_key *key, const char *name, struct probe_file *file)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	char *text = NULL;

	text_set(&file->schema, PROBE_SCHEMA);
	text_set(&file->device, key->info->name);
	text_set(&file->driver, key->info->driver);
	text_set(&file->work, key->work);
	if (record_write(&probe_file_type, file, RECORD_INDENTED, &text, &ignored) == PMPP_OK)
		cache_file_write(FOLDER, name, &(struct iovec){text, strlen(text)}, 1);
	free(text);
	pmpp_error_clear(&ignored);
}

/* ---- Times --------------------------------------------------------------------------------- */

void probe_cache_session(char ret_session[PROBE_SESSION_BYTES])
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(ret_session, PROBE_SESSION_BYTES, "%ld-%lld.%09ld", (long)getpid(),
		(long long)now.tv_sec, now.tv_nsec);
}

static int compare_sessions(const void *a, const void *b)
{
	const struct session_record *x = a;
	const struct session_record *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

double probe_cache_load(const struct probe_cache_key *key)
{
	double result = INFINITY;
	struct probe_file file;
	char name[NAME_BYTES];
	size_t seen = 0;

	file_name(key, name);
	read_file(name, &file);
	for (size_t i = 0; i < file.sessions.count && seen < KEPT; i++) {
		if (text_equal(file.sessions.items[i].session, key->session))
			continue;
		result = file.sessions.items[i].ns;
		seen++;
	}
	record_finish(&probe_file_type, &file);
	return result;
}

void probe_cache_store(const struct probe_cache_key *key, double ns)
{
	struct session_record *own = NULL;
	struct probe_file file;
	char name[NAME_BYTES];

	file_name(key, name);
	read_file(name, &file);
	struct session_list *list = &file.sessions;
	for (size_t i = 0; i < list->count && !own; i++)
		if (text_equal(list->items[i].session, key->session))
			own = &list->items[i];
	if (!own && (own = record_list_add(&session_type, list)))
		text_set(&own->session, key->session);
	if (own && own->session) {
		own->ns = ns;
		qsort(list->items, list->count, sizeof *list->items, compare_sessions);
		while (list->count > KEPT)
			record_finish(&session_type, &list->items[--list->count]);
		write_file(key, name, &file);
	}
	record_finish(&probe_file_type, &file);
}
