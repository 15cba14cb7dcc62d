/*
 * NumPy .npy files: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 *
 * Read: formats 1.0, 2.0 and 3.0; the little-endian types of common/dtype.h; up to three
 * dimensions; C order, and with at most two dimensions Fortran order.
 * Written: format 1.0, C order.
 */
#ifndef PMPP_HOST_IO_NPY_H
#define PMPP_HOST_IO_NPY_H

#include "common/dtype.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define NPY_MAX_RANK 3

struct npy_array {
	enum dtype dtype;
	int rank;                    /* 0 (a scalar) to 3 */
	int64_t shape[NPY_MAX_RANK]; /* each >= 1; 1 beyond rank */
	void *data;                  /* by rows; owned */
};

#define DTYPE_BIT(dtype) (1u << (dtype))

/* Reads a whole file whose element type is one of dtypes (bits: DTYPE_BIT). The file is open at its
 * beginning; it may be a pipe. Errors of the file are PMPP_USAGE, with one line: the path, what is
 * wrong, and the byte. */
enum pmpp_status npy_read(const char *path, FILE *file, unsigned dtypes,
	struct npy_array *ret_array, struct pmpp_error *error);

/* PMPP_USAGE with the first element that is NaN or infinite. */
enum pmpp_status npy_check_finite(
	const char *path, const struct npy_array *array, struct pmpp_error *error);

void npy_array_finish(struct npy_array *array);

/* Writes an array by rows with `rank` extents. Output and errors are those of atomic_file_write().
 */
enum pmpp_status npy_write(const char *path, enum dtype dtype, const void *data, int rank,
	const int64_t *shape, struct pmpp_error *error);

#endif
