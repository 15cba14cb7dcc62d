#include "host/gpu/program_cache.h"

#include "host/io/cache_file.h"

#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef __APPLE__ /* other names than POSIX */
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#endif

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
	SHA2_CTX context;

	SHA256Init(&context);
	for (; *parts; parts++) {
		uint64_t length = strlen(*parts);

		SHA256Update(&context, (const uint8_t *)&length, sizeof length);
		SHA256Update(&context, (const uint8_t *)*parts, length);
	}
	SHA256End(&context, ret_key);
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
	enum cache_read got = cache_read(FOLDER, key, ENTRY_MAX_BYTES, is_sound, &bytes, &size);
	if (got != CACHE_READ_OK)
		return got == CACHE_READ_NONE ? GPU_CACHE_MISS : GPU_CACHE_REBUILT;
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

/* ---- Files that a compiler has read ---------------------------------------------------------- */

/* A list has a line "DIGEST PATH" for each file. */
#define DIGEST_LENGTH (SHA256_DIGEST_STRING_LENGTH - 1)

/* The time of a file is that of the last timer interrupt: up to 10 ms early. */
#define CLOCK_STEP_NS 10000000

const char *const read_files_variables[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", NULL};

static long long nanoseconds(const struct timespec *time)
{
	return time->tv_sec * 1000000000ll + time->tv_nsec;
}

static bool may_have_changed(const char *path, const struct timespec *start)
{
	long long limit = nanoseconds(start) - CLOCK_STEP_NS;
	struct stat info;

	return stat(path, &info) != 0 || !S_ISREG(info.st_mode) ||
	       nanoseconds(&info.st_mtim) >= limit || nanoseconds(&info.st_ctim) >= limit;
}

static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	while (length > 0 && folder[length - 1] == '/')
		length--;
	return strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* folders: separated by colons; relative to `private`, the compiler's folder. real: the place of
 * the path; a link in one of the folders may have another place. */
static bool is_in_folders(
	const char *folders, const char *path, const char *real, const char *private)
{
	char folder[4096];
	bool found = false;

	for (const char *at = folders; *at && !found; at += *at == ':') {
		int length = (int)strcspn(at, ":");
		snprintf(folder, sizeof folder, "%s%s%.*s", *at == '/' ? "" : private,
			*at == '/' ? "" : "/", length, at);
		char *place = realpath(folder, NULL);
		found = is_below(path, folder) || (place && is_below(real, place));
		free(place);
		at += length;
	}
	return found;
}

static bool may_be_hidden(const char *path, const char *real, const char *private)
{
	for (size_t i = 0; read_files_variables[i]; i++) {
		const char *folders = getenv(read_files_variables[i]);
		if (folders && is_in_folders(folders, path, real, private))
			return true;
	}
	return false;
}

/* Adds a file to the list. Returns false if its content is not known, or may be hidden later. */
static bool add(FILE *list, const char *path, const char *private, const struct timespec *start)
{
	char digest[SHA256_DIGEST_STRING_LENGTH];
	char *real = realpath(path, NULL);
	bool known = real != NULL;

	if (known && !is_below(real, private)) {
		known = !strchr(real, '\n') && !may_be_hidden(path, real, private) &&
			SHA256File(real, digest) && !may_have_changed(real, start);
		if (known)
			fprintf(list, "%s %s\n", digest, real);
	}
	free(real);
	return known;
}

/* Reads the next name of a rule in the syntax of make: "\ " is a space, "$$" a dollar. Returns the
 * end of the name; NULL if there is none. */
static const char *next_name(const char *at, char *ret_name, size_t size)
{
	size_t used = 0;

	while (*at == ' ' || *at == '\n' || (at[0] == '\\' && at[1] == '\n'))
		at += at[0] == '\\' ? 2 : 1;
	if (!*at)
		return NULL;
	for (; *at && *at != ' ' && *at != '\n' && used + 1 < size; at++) {
		if (at[0] == '\\' && at[1] == '\n')
			break;
		if ((at[0] == '\\' && strchr(" #\\", at[1])) || (at[0] == '$' && at[1] == '$'))
			at++;
		ret_name[used++] = *at;
	}
	ret_name[used] = '\0';
	return at;
}

/* Adds the files of a dependency file. */
static bool add_all(FILE *list, FILE *depends, const char *folder, const char *private,
	const struct timespec *start)
{
	char *text = NULL;
	size_t room = 0;
	char name[4096], path[sizeof name + 512];
	bool known = getdelim(&text, &room, '\0', depends) > 0;
	const char *at = known ? strchr(text, ':') : NULL;

	known = at != NULL;
	for (at = known ? at + 1 : NULL; known && (at = next_name(at, name, sizeof name));) {
		snprintf(path, sizeof path, "%s%s%s", *name == '/' ? "" : folder,
			*name == '/' ? "" : "/", name);
		known = add(list, path, private, start);
	}
	free(text);
	return known;
}

char *read_files_list(const char *folder, const char *name, const struct timespec *start)
{
	char path[512];
	char *private = realpath(folder, NULL);
	char *text = NULL;
	size_t size;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *depends = fopen(path, "re");
	FILE *list = open_memstream(&text, &size);
	bool known = private && depends && list && add_all(list, depends, folder, private, start);
	if (depends)
		fclose(depends);
	if (list && fclose(list) != 0)
		known = false;
	free(private);
	if (!known) {
		free(text);
		text = NULL;
	}
	return text;
}

static bool files_unchanged(const char *list)
{
	char digest[SHA256_DIGEST_STRING_LENGTH];
	bool unchanged = true;

	while (unchanged && *list) {
		const char *end = list + strcspn(list, "\n");
		char *path = end - list > DIGEST_LENGTH
				     ? strndup(list + DIGEST_LENGTH + 1,
					       (size_t)(end - list) - DIGEST_LENGTH - 1)
				     : NULL;

		unchanged = path && SHA256File(path, digest) &&
			    strncmp(digest, list, DIGEST_LENGTH) == 0;
		free(path);
		list = end + (*end == '\n');
	}
	return unchanged;
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
	char *log = files_unchanged(files) ? strdup(files + before) : NULL;
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
