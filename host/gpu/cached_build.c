#include "host/gpu/cached_build.h"

#include <stdlib.h>
#include <string.h>

/* An entry has the zero-terminated log, then the program. */

enum gpu_cache_outcome cached_build_load(const char *key, struct cached_build *ret_build)
{
	void *entry = NULL;
	size_t size = 0;
	enum gpu_cache_outcome outcome = program_cache_load(key, &entry, &size);

	if (outcome != GPU_CACHE_HIT)
		return outcome;
	size_t log_size = strnlen(entry, size) + 1;
	if (log_size >= size) {
		free(entry);
		return GPU_CACHE_REBUILT;
	}
	char *log = strdup(entry);
	if (!log) {
		free(entry);
		return GPU_CACHE_MISS;
	}
	memmove(entry, (const char *)entry + log_size, size - log_size);
	*ret_build = (struct cached_build){entry, size - log_size, log};
	return GPU_CACHE_HIT;
}

void cached_build_store(const char *key, const void *bytes, size_t size, const char *log)
{
	size_t log_size = strlen(log) + 1;
	char *entry = malloc(log_size + size);

	if (!entry)
		return;
	memcpy(entry, log, log_size);
	memcpy(entry + log_size, bytes, size);
	program_cache_store(key, entry, log_size + size);
	free(entry);
}

void cached_build_finish(struct cached_build *build)
{
	free(build->bytes);
	free(build->log);
	*build = (struct cached_build){0};
}
