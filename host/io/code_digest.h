/*
 * Digests: of the code of a kernel file, and of many bytes.
 */
#ifndef PMPP_HOST_IO_CODE_DIGEST_H
#define PMPP_HOST_IO_CODE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_DIGEST_BYTES 65 /* 64 hexadecimal digits and the end */

/* SHA-256 of a C text without comments. Each run of white space counts as one blank, and blanks at
 * both ends do not count. The end of a line counts only before and after a directive ("#define").
 * Texts with the same digest have the same code. Returns false if there is no memory. */
bool code_digest(const char *text, char ret_digest[CODE_DIGEST_BYTES]);

#define BYTES_DIGEST_BYTES 32

/* SHA-256 of the bytes, with the SHA instructions of the processor if it has them. */
void bytes_digest(const uint8_t *bytes, size_t count, uint8_t ret_digest[BYTES_DIGEST_BYTES]);

#endif
