#include "host/gpu/program_cache.h"

#include "host/io/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 4096
#define ENTRY_MAGIC "PMPPPROG"
#define ENTRY_VERSION 2              /* 1: programs of CUDA and its emulator had no log */
#define ENTRY_MAX_BYTES (1ull << 30) /* larger: not one of ours */

/* An entry is read by the machine that wrote it: native byte order. */
struct entry_header {
	char magic[8];
	uint64_t version;
	uint64_t size;
	uint8_t sha256[SHA256_DIGEST_LENGTH];
};

/* ---- Folder -------------------------------------------------------------------------------- */

/* mkdir -p; false when a part cannot be made. */
static bool make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
		bool made;

		if (slash)
			*slash = '\0';
		made = mkdir(path, 0700) == 0 || errno == EEXIST;
		if (slash)
			*slash = '/';
		if (!made || !slash)
			return made;
	}
}

void pmpp_cache_folder(const char *name, char *ret_path, size_t size)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	char path[PATH_BYTES];
	int length = 0;

	ret_path[0] = '\0';
	/* Relative paths are to be ignored (XDG base directory specification). */
	if (cache && cache[0] == '/')
		length = snprintf(path, sizeof path, "%s/pmpp/%s", cache, name);
	else if (home && home[0] == '/')
		length = snprintf(path, sizeof path, "%s/.cache/pmpp/%s", home, name);
	if (length <= 0 || (size_t)length >= sizeof path || (size_t)length >= size)
		return;
	if (make_folders(path) && access(path, R_OK | W_OK | X_OK) == 0)
		memcpy(ret_path, path, (size_t)length + 1);
}

/* false when the cache is off or has no folder. */
static bool entry_path(const char *key, char ret_path[PATH_BYTES])
{
	const char *off = getenv("PMPP_NO_CACHE");
	char folder[PATH_BYTES];
	int length;

	if (off && off[0] != '\0' && strcmp(off, "0") != 0)
		return false;
	pmpp_cache_folder("programs", folder, sizeof folder);
	if (folder[0] == '\0')
		return false;
	length = snprintf(ret_path, PATH_BYTES, "%s/%s", folder, key);
	return length > 0 && length < PATH_BYTES;
}

/* ---- Entries ------------------------------------------------------------------------------- */

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

static bool read_all(int file, void *target, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t got = read(file, (char *)target + done, size - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

/* The bytes of a whole and sound entry, malloc'ed; NULL for any other. */
static void *read_entry(int file, size_t *ret_size)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	struct entry_header header;
	struct stat info;
	void *bytes;

	if (fstat(file, &info) != 0 || !read_all(file, &header, sizeof header))
		return NULL;
	if (memcmp(header.magic, ENTRY_MAGIC, sizeof header.magic) != 0 ||
		header.version != ENTRY_VERSION || header.size == 0 ||
		header.size > ENTRY_MAX_BYTES ||
		(uint64_t)info.st_size != sizeof header + header.size)
		return NULL;
	bytes = malloc(header.size);
	if (!bytes)
		return NULL;
	if (!read_all(file, bytes, header.size))
		goto damaged;
	sha256_of(bytes, header.size, digest);
	if (memcmp(digest, header.sha256, sizeof digest) != 0)
		goto damaged;
	*ret_size = header.size;
	return bytes;

damaged:
	free(bytes);
	return NULL;
}

enum gpu_cache_outcome program_cache_load(const char *key, void **ret_bytes, size_t *ret_size)
{
	char path[PATH_BYTES];
	void *bytes;
	int file;

	if (!entry_path(key, path))
		return GPU_CACHE_MISS;
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return GPU_CACHE_MISS;
	bytes = read_entry(file, ret_size);
	close(file);
	if (!bytes) {
		unlink(path);
		return GPU_CACHE_REBUILT;
	}
	*ret_bytes = bytes;
	return GPU_CACHE_HIT;
}

void program_cache_store(const char *key, const void *bytes, size_t size)
{
	struct entry_header header = {.version = ENTRY_VERSION, .size = size};
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	char path[PATH_BYTES];

	if (size == 0 || size > ENTRY_MAX_BYTES || !entry_path(key, path))
		return;
	memcpy(header.magic, ENTRY_MAGIC, sizeof header.magic);
	sha256_of(bytes, size, header.sha256);
	const struct iovec parts[] = {{&header, sizeof header}, {(void *)(uintptr_t)bytes, size}};
	atomic_file_write(path, parts, 2, &ignored);
	pmpp_error_clear(&ignored);
}
