/* The reader of files under libFuzzer: tools/fuzz.sh builds and runs it. */
#include "tests/fuzz/document_check.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool read;
	const char *problem = document_check((const char *)data, size, &read);

	if (problem) {
		fprintf(stderr, "fuzz_document: a property does not hold: %s\n", problem);
		abort();
	}
	return 0;
}
