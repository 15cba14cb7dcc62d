#include "host/io/promised.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define READ_STEP_BYTES ((size_t)64 << 20)

enum pmpp_status promised_read(const char *path, FILE *file, size_t base, size_t bytes,
	void **ret_data, struct pmpp_error *error)
{
	size_t capacity = bytes < READ_STEP_BYTES ? bytes : READ_STEP_BYTES;
	size_t have = 0;
	char *data = malloc(capacity);
	enum pmpp_status status = PMPP_OK;

	while (data && have < bytes) {
		if (have == capacity) {
			capacity = bytes - capacity < capacity ? bytes : 2 * capacity;
			char *larger = realloc(data, capacity);
			if (!larger)
				break;
			data = larger;
		}
		size_t got = fread(data + have, 1, capacity - have, file);
		have += got;
		if (got == 0)
			break;
	}
	if (ferror(file))
		status = PMPP_FAIL(
			error, PMPP_USAGE, "%s: cannot be read: %s", path, strerror(errno));
	else if (have < bytes && !feof(file))
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "%s: %zu bytes do not fit in memory",
			path, bytes);
	else if (have < bytes)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s: truncated: ends at byte %zu, its header promises data up to byte %zu",
			path, base + have, base + bytes);
	else if (fgetc(file) != EOF)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s: byte %zu: something follows the data that the header promises", path,
			base + bytes);
	if (status != PMPP_OK) {
		free(data);
		return status;
	}
	*ret_data = data;
	return PMPP_OK;
}
