/*
 * Built programs on disk, under $XDG_CACHE_HOME/pmpp/programs (else ~/.cache/pmpp/programs).
 *
 * An entry is named by the SHA-256 of everything that decides its content, carries a checksum of
 * its bytes, and is written to a temporary and renamed: readers see a whole entry or none. A cache
 * that cannot be written is no error: programs are then built each time. PMPP_NO_CACHE=1 turns it
 * off.
 */
#ifndef PMPP_HOST_GPU_PROGRAM_CACHE_H
#define PMPP_HOST_GPU_PROGRAM_CACHE_H

#include "host/gpu/gpu.h"

#define PROGRAM_CACHE_KEY_LENGTH 64 /* hex digits */

/* The key of the zero-terminated parts, in order (NULL ends the list); each part's length enters
 * the hash, so that {"ab","c"} and {"a","bc"} differ. */
void program_cache_key(const char *const *parts, char ret_key[PROGRAM_CACHE_KEY_LENGTH + 1]);

/* HIT: *ret_bytes (malloc'ed, caller frees) and *ret_size are set. MISS: no entry. REBUILT: an
 * entry failed its checksum and was removed; build again. */
enum gpu_cache_outcome program_cache_load(const char *key, void **ret_bytes, size_t *ret_size);

/* Silent when it cannot write. */
void program_cache_store(const char *key, const void *bytes, size_t size);

/* Path of the cache's folder, made if need be (mode 0700): "" when there is none. name is a
 * sub-folder: "programs", "roofs". */
void pmpp_cache_folder(const char *name, char *ret_path, size_t size);

#endif
