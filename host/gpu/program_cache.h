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

#include <time.h>

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

/* ---- Files that a compiler has read ---------------------------------------------------------- */

/* A program is used only while the files that its compiler has read are unchanged. */

/* The variables with folders of included files, separated by colons; ends with NULL. */
extern const char *const read_files_variables[];

/* Makes a list of files and digests from the dependency file `name` of a compiler that ran in `folder`.
 * Files in the folder are left out. The caller frees the list. NULL: do not keep the program: the files are
 * not known, one of them may have changed since `start`, or one of them is in a folder of
 * read_files_variables. A new file in an earlier folder would hide that file. */
char *read_files_list(const char *folder, const char *name, const struct timespec *start);

/* ---- Programs with their logs --------------------------------------------------------------- */

/* A program in the cache, together with the log of its compiler: it has the same log as a new build. */
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
