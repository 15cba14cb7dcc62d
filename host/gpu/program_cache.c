#include "host/gpu/program_cache.h"

#include "host/gpu/read_files.h"
#include "host/io/cache_file.h"

#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "programs"
#define ENTRY_MAGIC "PMPPPROG"
#define ENTRY_VERSION 3              /* entries of version 2 have no list of files */
#define ENTRY_MAX_BYTES (1ull << 30) /* a larger file is not an entry */

/* Native byte order, because only the machine that wrote an entry reads it. */
struct entry_header {
	char magic[8];
	uint64_t version;
	uint64_t size;
	uint8_t sha256[SHA256_DIGEST_LENGTH];
};

/* ---- Entries ------------------------------------------------------------------------------- */

static bool is_off(void)
{
	const char *off = getenv("PMPP_NO_CACHE");

	return off && off[0] != '\0' && strcmp(off, "0") != 0;
}

static void sha256_of(const void *bytes, size_t size, uint8_t ret_digest[SHA256_DIGEST_LENGTH])
{
	SHA2_CTX context;

	SHA256Init(&context);
	SHA256Update(&context, bytes, size);
	SHA256Final(ret_digest, &context);
}

void program_cache_key(const char *const *parts, char ret_key[PROGRAM_CACHE_KEY_LENGTH + 1])
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	SHA2_CTX context;

	SHA256Init(&context);
	for (; *parts; parts++) {
		uint64_t length = strlen(*parts);

		SHA256Update(&context, (const uint8_t *)&length, sizeof length);
		SHA256Update(&context, (const uint8_t *)*parts, length);
	}
	SHA256Final(digest, &context);
	for (size_t i = 0; i < sizeof digest; i++)
		snprintf(ret_key + 2 * i, 3, "%02x", digest[i]);
}

/* Returns false if the bytes are not a complete and undamaged entry. */
static bool is_sound(const char *bytes, size_t size)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	struct entry_header header;

	if (size < sizeof header)
		return false;
	memcpy(&header, bytes, sizeof header);
	if (memcmp(header.magic, ENTRY_MAGIC, sizeof header.magic) != 0 ||
		header.version != ENTRY_VERSION || header.size == 0 ||
		header.size != size - sizeof header)
		return false;
	sha256_of(bytes + sizeof header, header.size, digest);
	return memcmp(digest, header.sha256, sizeof digest) == 0;
}

enum gpu_cache_outcome program_cache_load(const char *key, void **ret_bytes, size_t *ret_size)
{
	const size_t header_bytes = sizeof(struct entry_header);
	void *bytes = NULL;
	size_t size = 0;

	if (is_off())
		return GPU_CACHE_MISS;
	enum cache_read got = cache_read(FOLDER, key, ENTRY_MAX_BYTES, &bytes, &size);
	if (got == CACHE_READ_NONE)
		return GPU_CACHE_MISS;
	if (got == CACHE_READ_REFUSED)
		return GPU_CACHE_REBUILT;
	if (!is_sound(bytes, size)) {
		free(bytes);
		cache_file_remove(FOLDER, key);
		return GPU_CACHE_REBUILT;
	}
	*ret_size = size - header_bytes;
	memmove(bytes, (char *)bytes + header_bytes, *ret_size);
	*ret_bytes = bytes;
	return GPU_CACHE_HIT;
}

void program_cache_store(const char *key, const void *bytes, size_t size)
{
	struct entry_header header = {.version = ENTRY_VERSION, .size = size};

	if (size == 0 || size > ENTRY_MAX_BYTES - sizeof header || is_off())
		return;
	memcpy(header.magic, ENTRY_MAGIC, sizeof header.magic);
	sha256_of(bytes, size, header.sha256);
	const struct iovec parts[] = {{&header, sizeof header}, {(void *)(uintptr_t)bytes, size}};
	cache_file_write(FOLDER, key, parts, 2);
}

/* ---- Programs with their logs --------------------------------------------------------------- */

/* The bytes of an entry are the zero-terminated list of files, the zero-terminated log, then the program. */

enum gpu_cache_outcome cached_build_load(const char *key, struct cached_build *ret_build)
{
	void *entry = NULL;
	size_t size = 0;
	enum gpu_cache_outcome outcome = program_cache_load(key, &entry, &size);

	if (outcome != GPU_CACHE_HIT)
		return outcome;
	const char *files = entry;
	size_t before = strnlen(files, size) + 1;
	size_t log_size = before < size ? strnlen(files + before, size - before) + 1 : 0;
	if (log_size == 0 || before + log_size >= size) {
		free(entry);
		return GPU_CACHE_REBUILT;
	}
	char *log = read_files_unchanged(files) ? strdup(files + before) : NULL;
	if (!log) {
		free(entry);
		return GPU_CACHE_MISS;
	}
	before += log_size;
	memmove(entry, (const char *)entry + before, size - before);
	*ret_build = (struct cached_build){.bytes = entry, .size = size - before, .log = log};
	return GPU_CACHE_HIT;
}

void cached_build_store(
	const char *key, const void *bytes, size_t size, const char *log, const char *files)
{
	size_t files_size = strlen(files) + 1;
	size_t before = files_size + strlen(log) + 1;
	char *entry = malloc(before + size);

	if (!entry)
		return;
	memcpy(entry, files, files_size);
	memcpy(entry + files_size, log, before - files_size);
	memcpy(entry + before, bytes, size);
	program_cache_store(key, entry, before + size);
	free(entry);
}

void cached_build_finish(struct cached_build *build)
{
	free(build->bytes);
	free(build->log);
	free(build->files);
	*build = (struct cached_build){0};
}
