/*
 * PPM pictures: https://netpbm.sourceforge.net/doc/ppm.html
 *
 * Read: P6, the binary form, with 8 bits a channel (maxval 255) and one picture in the file.
 */
#ifndef PMPP_HOST_IO_PPM_H
#define PMPP_HOST_IO_PPM_H

#include "host/io/npy.h"

#include <stdbool.h>
#include <stdio.h>

/* Is the file a picture of the PPM kind, readable here or not? By its first two bytes, or its
 * name's ending. file: open at its beginning; its position does not change, and it need not be
 * seekable. */
bool ppm_is(const char *path, FILE *file);

/* Reads a whole file, open at its beginning: u8 of shape (height, width, 3). Errors of the file are
 * PMPP_USAGE, with one line: the path, what is wrong, and at which byte. */
enum pmpp_status ppm_read(
	const char *path, FILE *file, struct npy_array *ret_array, struct pmpp_error *error);

#endif
