#include "host/gpu/cached_build.h"

#include "host/gpu/read_files.h"

#include <stdlib.h>
#include <string.h>

/* An entry has the zero-terminated list of files, the zero-terminated log, then the program. */

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
