/*
 * Reads the payload of a file: the bytes after the header. The header declares their number.
 */
#ifndef PMPP_HOST_IO_PAYLOAD_H
#define PMPP_HOST_IO_PAYLOAD_H

#include "common/status.h"

#include <stddef.h>
#include <stdio.h>

/* Reads the rest of the file: `bytes` >= 1 bytes from the current position. base: this position,
 * in bytes from the start of the file, for messages. The buffer grows with the bytes that are read,
 * because a header may declare any length. *ret_data is malloc'ed; the caller frees it.
 * PMPP_USAGE: the file is shorter or longer than declared (the message has the position), or a pipe
 * declares more bytes than the machine has memory. PMPP_OUT_OF_MEMORY. */
enum pmpp_status payload_read(const char *path, FILE *file, size_t base, size_t bytes,
	void **ret_data, struct pmpp_error *error);

#endif
