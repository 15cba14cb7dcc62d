/*
 * Files of the cache directory, $XDG_CACHE_HOME/pmpp/FOLDER/NAME (else ~/.cache/pmpp/FOLDER/NAME).
 *
 * A cache must not run code or use figures that another user wrote. A file is used only if no other
 * user could write it. Each check uses the open descriptor that is then read or written. Each
 * subfolder is opened from the descriptor of its parent.
 *   - The cache directory may be a symbolic link. It belongs to the user or to root. Others may not
 *     write to it, unless it has the sticky bit: nobody else can then rename what the user owns.
 *   - `pmpp`, FOLDER and the file belong to the user, and others may not write to them. None of
 *     them is a symbolic link.
 * Folders are made with mode 0700, files with mode 0600. A file is whole or absent: it is written
 * to a temporary file in the checked folder, and then renamed.
 *
 * Without a trusted folder, reads find no file and writes do nothing; cache_file_problem() returns
 * the reason. Call all functions from one thread.
 */
#ifndef PMPP_HOST_IO_CACHE_FILE_H
#define PMPP_HOST_IO_CACHE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

/* Makes a folder and its parents with mode 0700. Existing folders stay as they are. path is
 * absolute; the function changes it and restores it. false: a folder cannot be made, errno has the
 * reason. */
bool folders_make(char *path);

enum cache_read {
	CACHE_READ_OK,
	CACHE_READ_NONE,   /* no such file, or no cache */
	CACHE_READ_REFUSED /* the file was not trusted, too large or damaged, and was removed */
};

/* CACHE_READ_OK: *ret_bytes (malloc'ed, the caller frees; a zero byte follows) and *ret_size are
 * set. max: the largest size of a file of this kind, in bytes. is_sound: whether the bytes are not damaged;
 * NULL: they are not checked. */
enum cache_read cache_read(const char *folder, const char *name, size_t max,
	bool (*is_sound)(const char *bytes, size_t size), void **ret_bytes, size_t *ret_size);

/* Writes the parts one after another. */
void cache_file_write(
	const char *folder, const char *name, const struct iovec *parts, size_t part_count);

#define CACHE_TEXT_BYTES 600

/* Whether the folder can be used. ret_text: its path, or the reason and what to do. */
bool cache_file_folder(const char *folder, char ret_text[CACHE_TEXT_BYTES]);

/* Returns the reason why a function above did not use the cache, and what to do, in one line. Each
 * reason is returned once. Returns false, with ret_text unchanged, if there is no new reason. */
bool cache_file_problem(char ret_text[CACHE_TEXT_BYTES]);

#endif
