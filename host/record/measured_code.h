/*
 * Code of a result row, compared without comments.
 */
#ifndef PMPP_HOST_RECORD_MEASURED_CODE_H
#define PMPP_HOST_RECORD_MEASURED_CODE_H

#include "host/record/result.h"

struct measured_source {
	const char *source_sha256, *code_sha256;
};

/* Written by tools/embed_measured.py from measured_sources.txt: kernel files of shipped results that
 * were measured before result files had the digest of the code. */
extern const struct measured_source measured_sources[];
extern const size_t measured_source_count;

/* Whether two rows of one backend were compiled from the same code: from the same file, or from files
 * whose digests of the code are known and equal. */
bool build_same_code(const struct build_record *first, const struct build_record *second);

#endif
