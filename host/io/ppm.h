/*
 * PPM pictures: https://netpbm.sourceforge.net/doc/ppm.html
 *
 * Read: P6, the binary form, with 8 bits per channel (maxval 255) and one picture in the file.
 */
#ifndef PMPP_HOST_IO_PPM_H
#define PMPP_HOST_IO_PPM_H

#include "host/io/npy.h"

#include <stdbool.h>
#include <stdio.h>

/* Whether the file is a picture of the PPM family: by its first two bytes, or by the ending of its
 * name. ppm_read() may still reject its format. The file is open at its beginning and stays there;
 * it may be a pipe. */
bool ppm_is(const char *path, FILE *file);

/* Reads a whole file, open at its beginning, to an array of u8 with the shape (height, width, 3).
 * Errors of the file are PMPP_USAGE, with one line: the path, what is wrong, and the byte. */
enum pmpp_status ppm_read(
	const char *path, FILE *file, struct npy_array *ret_array, struct pmpp_error *error);

#endif
