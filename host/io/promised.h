/*
 * The part of a file that its header promises: so many bytes, and then the end.
 */
#ifndef PMPP_HOST_IO_PROMISED_H
#define PMPP_HOST_IO_PROMISED_H

#include "common/status.h"

#include <stddef.h>
#include <stdio.h>

/* Reads bytes >= 1 from where the file stands, at its byte number base, to its end. The buffer
 * grows with what the file really holds: a header may promise anything. PMPP_USAGE with the byte
 * where the file ends too soon or goes on, or if a pipe's header promises more than the machine's
 * memory; *ret_data is malloc'ed. */
enum pmpp_status promised_read(const char *path, FILE *file, size_t base, size_t bytes,
	void **ret_data, struct pmpp_error *error);

#endif
