#include "host/record/measured_code.h"

#include <string.h>

/* The digest of the code; NULL: unknown. */
static const char *code_of(const struct build_record *build)
{
	if (build->code_sha256 || !build->source_sha256)
		return build->code_sha256;
	for (size_t i = 0; i < measured_source_count; i++)
		if (strcmp(measured_sources[i].source_sha256, build->source_sha256) == 0)
			return measured_sources[i].code_sha256;
	return NULL;
}

bool build_same_code(const struct build_record *first, const struct build_record *second)
{
	const char *first_code = code_of(first), *second_code = code_of(second);

	return text_equal(first->source_sha256, second->source_sha256) ||
	       (first_code && second_code && strcmp(first_code, second_code) == 0);
}
