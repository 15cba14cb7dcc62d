/*
 * Reads the payload of a file, whose length the header declares.
 */
#ifndef PMPP_HOST_IO_PROMISED_H
#define PMPP_HOST_IO_PROMISED_H

#include "common/status.h"

#include <stddef.h>
#include <stdio.h>

/* Reads bytes >= 1 from where the file stands, at its byte number base, to its end. The buffer
 * grows with the bytes that are read, because a header may declare any length. PMPP_USAGE if the
 * file is shorter or longer (with the byte), or if the header of a pipe declares more bytes than
 * the machine has memory. *ret_data is malloc'ed; the caller frees it. */
enum pmpp_status promised_read(const char *path, FILE *file, size_t base, size_t bytes,
	void **ret_data, struct pmpp_error *error);

#endif
