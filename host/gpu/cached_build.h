/*
 * A built program in the cache (program_cache.h), together with the log of its compiler. A program
 * from the cache therefore has the same log as a new build.
 */
#ifndef PMPP_HOST_GPU_CACHED_BUILD_H
#define PMPP_HOST_GPU_CACHED_BUILD_H

#include "host/gpu/program_cache.h"

struct cached_build {
	void *bytes; /* the program; malloc'ed */
	size_t size;
	char *log;   /* malloc'ed, never NULL; "" = the compiler reported nothing */
	char *files; /* read_files_list(), malloc'ed; NULL = do not keep the program in the cache */
};

/* HIT: *ret_build is set without `files`, and the caller finishes it. MISS: also if a file that the
 * compiler read has changed. Otherwise as program_cache_load(). */
enum gpu_cache_outcome cached_build_load(const char *key, struct cached_build *ret_build);

/* A failed write is not reported. log: the whole log, not NULL. files: read_files_list(); "" = the
 * compiler read no other files. */
void cached_build_store(
	const char *key, const void *bytes, size_t size, const char *log, const char *files);

/* Frees the members. A second call does nothing. */
void cached_build_finish(struct cached_build *build);

#endif
