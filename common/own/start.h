/*
 * Files to start from, which `pmpp-run try` accepts without options.
 */
#ifndef PMPP_COMMON_OWN_START_H
#define PMPP_COMMON_OWN_START_H

#include "common/family.h"
#include "common/status.h"

#define OWN_START_BYTES 6000

/* Writes a file with an empty kernel of the family: the problem and its operands in comments, block and grid. file: its
 * name. cuda: CUDA C, else OpenCL C. */
void own_start_text(
	const struct family *family, const char *file, bool cuda, char *ret_text, size_t size);

/* Writes what comes before the source of a built-in variant in a file of its own: comments, and its macros.
 * source: of its kernel file, in which included files are resolved. PMPP_USAGE: the variant cannot be such a file,
 * because it is not one launch with operands and sizes as arguments. */
enum pmpp_status own_rung_head(const struct config *config, const char *source, const char *file,
	bool cuda, char *ret_text, size_t size, struct pmpp_error *error);

#endif
