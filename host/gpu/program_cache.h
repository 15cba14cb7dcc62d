/*
 * Built programs on disk, under $XDG_CACHE_HOME/pmpp/programs (else ~/.cache/pmpp/programs).
 *
 * The name of an entry is the SHA-256 of all inputs of the build. The entry has a checksum of its
 * bytes. host/io/cache_file.h decides which files are trusted. It is not an error if the cache
 * cannot be used: programs are then built each time. PMPP_NO_CACHE=1 turns the cache off.
 */
#ifndef PMPP_HOST_GPU_PROGRAM_CACHE_H
#define PMPP_HOST_GPU_PROGRAM_CACHE_H

#include "host/gpu/gpu.h"

#define PROGRAM_CACHE_KEY_LENGTH 64 /* hex digits */

/* Writes the key of a list of texts, which ends with NULL. The hash includes the length of each
 * text, so that {"ab", "c"} and {"a", "bc"} have different keys. */
void program_cache_key(const char *const *parts, char ret_key[PROGRAM_CACHE_KEY_LENGTH + 1]);

/* HIT: *ret_bytes (malloc'ed, the caller frees) and *ret_size are set. Use these bytes, never the
 * file. MISS: no entry. REBUILT: the entry was damaged or not trusted, and was removed; build
 * again. */
enum gpu_cache_outcome program_cache_load(const char *key, void **ret_bytes, size_t *ret_size);

/* If the entry cannot be written, cache_file_problem() returns the reason; there is no error. */
void program_cache_store(const char *key, const void *bytes, size_t size);

#endif
