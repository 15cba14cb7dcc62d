/*
 * NumPy .npy files of f32: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 *
 * Read: formats 1.0, 2.0 and 3.0, little-endian f4, C or Fortran order, up to two dimensions.
 * Written: format 1.0, C order.
 */
#ifndef PMPP_HOST_IO_NPY_H
#define PMPP_HOST_IO_NPY_H

#include "common/status.h"

#include <stdint.h>

#define NPY_MAX_RANK 2

struct npy_array {
	int rank;                    /* 0 (a scalar) to 2 */
	int64_t shape[NPY_MAX_RANK]; /* each >= 1; 1 beyond rank */
	float *data;                 /* by rows, every element finite; owned */
};

/* Reads a whole file. Whatever is wrong with it is PMPP_USAGE: one line that begins with the path
 * and says what is wrong and at which byte. */
enum pmpp_status npy_read(const char *path, struct npy_array *ret_array, struct pmpp_error *error);

void npy_array_finish(struct npy_array *array);

/* Writes rank extents of data, by rows, to a temporary and renames it. */
enum pmpp_status npy_write(const char *path, const float *data, int rank, const int64_t *shape,
	struct pmpp_error *error);

#endif
